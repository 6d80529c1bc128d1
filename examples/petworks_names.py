"""Measures under their PETWorks names, on the bundled tables."""

import warnings

from petaudit import PetauditWarning, datasets
from PETWorks import PETValidation, report
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE

# k-anonymity leaves suppressed rows out, as in PETWorks, and says so in a warning.
warnings.simplefilter("ignore", PetauditWarning)

patient = datasets.load("patient-deidentified")
adult = datasets.load("adult-deidentified")
delta = datasets.load("delta-deidentified")

report(PETValidation(None, adult.path, "k-anonymity", k=5), "json")
report(PETValidation(None, adult.path, "l-diversity", l=2), "json")
# The shares of people who are in the table lie between 1/2 and 2/3, as the paper says.
report(PETValidation(delta.population, delta.path, "d-presence", dMin=0.5, dMax=0.67), "json")
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
for technique in ("Non-Uniform Entropy", "Precision", "Ambiguity", "AECS"):
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
