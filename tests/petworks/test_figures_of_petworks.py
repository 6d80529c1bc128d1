"""The figures that the tests of PETWorks expect of its ten validation measures.

Written anew from the figures in moda-gov-tw/PETWorks-framework at 0228c5f (May 2024); those of
quark-engine/PETWorks-framework at 2f425df (July 2023) are the same, without UtilityBias. Its tables
are read from beside the repository.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import petaudit
from PETWorks import PETValidation

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")

# Of Adult three columns are quasi-identifiers, and each other role occurs, too.
ADULT = {
    **dict.fromkeys(("age", "education"), "identifier"),
    **dict.fromkeys(("marital-status", "native-country", "occupation"), "quasi_identifier"),
    **dict.fromkeys(("race", "salary-class"), "insensitive_attribute"),
    **dict.fromkeys(("sex", "workclass"), "sensitive_attribute"),
}
ZIP_AGE_NATIONALITY = dict.fromkeys(("zip", "age", "nationality"), "quasi_identifier")
PRESENCE = {
    **dict.fromkeys(("identifier", "name"), "identifier"),
    **ZIP_AGE_NATIONALITY,
    "sen": "sensitive_attribute",
}
INPATIENT = {
    **dict.fromkeys(("zipcode", "age", "nationality"), "quasi_identifier"),
    "condition": "sensitive_attribute",
}
DISEASE = {
    **dict.fromkeys(("ZIPCode", "Age"), "quasi_identifier"),
    "Salary": "insensitive_attribute",
    "Disease": "sensitive_attribute",
}
STAKES = {
    "allow attack": True,
    "adversary's cost": 4,
    "adversary's gain": 300,
    "publisher's loss": 300,
    "publisher's benefit": 1200,
}


@pytest.mark.parametrize(
    ("technique", "key", "figure"),
    [
        ("AECS", "AECS", 0.991558195882348),
        ("Ambiguity", "ambiguity", 0.7271401100722763),
        ("Non-Uniform Entropy", "Non-Uniform Entropy", 0.6385286721819015),
        ("Precision", "precision", 0.7271401100722763),
    ],
)
def test_utility_of_adult(technique: str, key: str, figure: float, shared_data: Path) -> None:
    folder = shared_data / "adult"
    result = PETValidation(
        str(folder / "adult.csv"),
        str(folder / "adult_anonymized.csv"),
        technique,
        dataHierarchy=str(folder / "adult_hierarchy"),
        attributeTypes=ADULT,
    )
    assert result == {key: pytest.approx(figure, abs=1e-12)}


@pytest.mark.parametrize(("k", "fulfilled"), [(5, True), (6, False)])
def test_k_anonymity(k: int, fulfilled: bool, shared_data: Path) -> None:
    table = str(shared_data / "adult" / "adult_anonymized.csv")
    result = PETValidation(None, table, "k-anonymity", attributeTypes=ADULT, k=k)
    assert result == {"k": k, "fulfill k-anonymity": fulfilled}


@pytest.mark.parametrize(("l", "fulfilled"), [(3, True), (5, False)])
def test_l_diversity(l: int, fulfilled: bool, shared_data: Path) -> None:  # noqa: E741
    table = str(shared_data / "inpatient" / "inpatient_anonymized.csv")
    result = PETValidation(None, table, "l-diversity", attributeTypes=INPATIENT, l=l)
    assert result == {"l": l, "fulfill l-diversity": fulfilled}


@pytest.mark.parametrize(("most", "holds"), [(2 / 3, True), (1 / 3, False)])
def test_d_presence(most: float, holds: bool, shared_data: Path) -> None:
    folder = shared_data / "presence"
    result = PETValidation(
        str(folder / "presence.csv"),
        str(folder / "presence_anonymized.csv"),
        "d-presence",
        dataHierarchy=str(folder / "presence_hierarchy"),
        attributeTypes=PRESENCE,
        dMin=1 / 2,
        dMax=most,
    )
    assert result == {"dMin": 1 / 2, "dMax": most, "d-presence": holds}


def test_profitability(shared_data: Path) -> None:
    folder = shared_data / "delta"
    result = PETValidation(
        str(folder / "delta.csv"),
        str(folder / "delta_anonymized.csv"),
        "profitability",
        dataHierarchy=str(folder / "delta_hierarchy"),
        attributeTypes=ZIP_AGE_NATIONALITY | {"salary-class": "insensitive_attribute"},
        allowAttack=True,
        adversaryCost=4,
        adversaryGain=300,
        publisherLost=300,
        publisherBenefit=1200,
    )
    # PETWorks compares the whole dictionary, and its documents in Chinese have the other key.
    assert result == STAKES | {"isProfitable": True, "profitability": True}


@pytest.mark.parametrize(
    ("table", "hierarchy", "types", "expected", "exact"),
    [
        (
            *("merit.csv", None, {"Name": "quasi_identifier", "Merit": "sensitive_attribute"}),
            *(0.26666666666666666, Fraction(4, 15)),
        ),
        # Computed there with 32 bits.
        (
            *("disease/disease.csv", "disease/disease_hierarchy", DISEASE),
            *(0.29629629850387573, Fraction(8, 27)),
        ),
        ("disease/disease.csv", None, DISEASE, 0.5555555555555556, Fraction(5, 9)),
    ],
    ids=["numbers", "hierarchy", "labels"],
)
def test_t_closeness(
    table: str,
    hierarchy: str | None,
    types: dict[str, str],
    expected: float,
    exact: Fraction,
    shared_data: Path,
) -> None:
    """The figure, and the verdicts on either side of it."""
    path = str(shared_data / table)
    folder = None if hierarchy is None else str(shared_data / hierarchy)
    figure = petaudit.t_closeness(path, roles=types, hierarchies=folder)
    assert figure.value == pytest.approx(expected, abs=1e-8)
    assert figure.exact_value == exact
    given: dict[str, Any] = {"dataHierarchy": folder, "attributeTypes": types}
    for limit, fulfilled in ((expected + 1e-6, True), (expected - 1e-6, False)):
        result = PETValidation(None, path, "t-closeness", tLimit=limit, **given)
        assert result == {"t": limit, "fulfill t-closeness": fulfilled}


@pytest.mark.parametrize(("last", "holds"), [(4, True), (5, False)])
def test_utility_bias(last: int, holds: bool) -> None:
    """Sums of 21 against 22 and 23."""
    result = PETValidation(
        [1, 2, 3, 4, 5, 6], [6, 5, 4, 1, 2, last], "UtilityBias", processingFunc=sum, maxBias=1
    )
    assert result == {"UtilityBias": holds}
