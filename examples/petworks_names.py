"""The four measures under their PETWorks names, on the bundled tables."""

from petaudit import datasets
from PETWorks import PETValidation, report
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE

patient = datasets.load("patient-deidentified")
adult = datasets.load("adult-deidentified")

report(
    PETValidation(
        None,
        patient.path,
        "t-closeness",
        dataHierarchy=patient.hierarchies,
        attributeTypes={
            "ZIPCode": QUASI_IDENTIFIER,
            "Age": QUASI_IDENTIFIER,
            "Disease": SENSITIVE_ATTRIBUTE,
        },
        tLimit=0.376,
    ),
    "json",
)
for technique in ("Non-Uniform Entropy", "Precision"):
    report(
        PETValidation(adult.original, adult.path, technique, dataHierarchy=adult.hierarchies),
        "json",
    )
report(
    PETValidation(
        None,
        adult.path,
        "profitability",
        allowAttack=True,
        adversaryCost=4,
        adversaryGain=300,
        publisherLost=300,
        publisherBenefit=1200,
    ),
    "json",
)
