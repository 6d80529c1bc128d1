"""PETAnonymization: ARX's default search, under the names that PETWorks gives everything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import petaudit
from petaudit.errors import OptionError
from PETWorks import PETAnonymization, PETValidation, output
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")

ROWS = {
    "age": ["23", "24", "23", "61", "62", "62"],
    "illness": ["flu", "cold", "flu", "flu", "cold", "flu"],
}
TYPES = {"age": QUASI_IDENTIFIER, "illness": SENSITIVE_ATTRIBUTE}
AGES = {"age": {"23": ["20s", "*"], "24": ["20s", "*"], "61": ["60s", "*"], "62": ["60s", "*"]}}
KNOWN: dict[str, Any] = {"dataHierarchy": AGES, "attributeTypes": TYPES}


@pytest.mark.parametrize(
    ("technique", "options", "check"),
    [
        ("k-anonymity", {"k": 3}, {"k": 3}),
        ("l-diversity", {"l": 2}, {"l": 2}),
        ("T-Closeness", {"t": 0.1}, {"tLimit": 0.1}),
    ],
)
def test_what_comes_out_passes(
    technique: str, options: dict[str, Any], check: dict[str, Any], tmp_path: Path
) -> None:
    made = PETAnonymization(pd.DataFrame(ROWS), technique, 0.0, **options, **KNOWN)
    assert isinstance(made, pd.DataFrame)
    assert made["age"].tolist() == ["20s"] * 3 + ["60s"] * 3
    output(made, tmp_path / "made.csv")
    assert (tmp_path / "made.csv").read_text().splitlines()[:2] == ["age;illness", "20s;flu"]
    result = PETValidation(None, str(tmp_path / "made.csv"), technique, **check, **KNOWN)
    assert True in result.values()


def test_presence_is_that_of_a_sample_in_the_first_table() -> None:
    people = pd.DataFrame({"age": [*ROWS["age"], "24", "61", "62", "23"]})
    made = PETAnonymization(
        people,
        "d-presence",
        0.0,
        dMin=0.0,
        dMax=0.6,
        subsetData=pd.DataFrame({"age": ROWS["age"]}),
        dataHierarchy=AGES,
        attributeTypes={"age": QUASI_IDENTIFIER},
    )
    assert made["age"].tolist() == ["20s"] * 3 + ["60s"] * 3


def test_the_objective_is_that_of_arx() -> None:
    """A level per column, and rows that are suppressed as in ARX: nobody judges them."""
    table = pd.DataFrame({"age": ["23"] * 4 + ["61"]})
    ages, types = {"age": {"23": "*", "61": "*"}}, {"age": QUASI_IDENTIFIER}
    made = PETAnonymization(table, "k-anonymity", ages, types, 0.2, k=2)
    assert made["age"].tolist() == ["23"] * 4 + ["*"]


def test_roles_and_hierarchies_may_stand_before_the_rate() -> None:
    made = PETAnonymization(pd.DataFrame(ROWS), "k-anonymity", AGES, TYPES, 0.0, k=3)
    assert made["age"].tolist() == ["20s"] * 3 + ["60s"] * 3


def test_the_configuration_beside_the_data_wins(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    output(pd.DataFrame(ROWS), path)
    path.with_suffix(".yaml").write_text(
        "DATASET:\n"
        "  ATTRIBUTE_TYPE: {quasi_identifier: [age]}\n"
        "  HIERARCHY: {age: {23: young, 24: young, 61: old, 62: old}}\n"
    )
    made = PETAnonymization(str(path), "k-anonymity", 0.0, k=3, **KNOWN)
    assert made["age"].tolist() == ["young"] * 3 + ["old"] * 3


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("k-anonymty", 0.0), {"k": 3}, "did you mean 'k-anonymity'"),
        (("k-anonymity", 0.0), {}, r"needs the argument\(s\) k"),
        (("k-anonymity",), {"k": 3}, r"needs the argument\(s\) maxSuppressionRate"),
        (("k-anonymity", 0.0), {"k": 3, "l": 2}, "takes no argument 'l'"),
    ],
)
def test_a_wrong_call_is_named(
    arguments: tuple[Any, ...], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        PETAnonymization(pd.DataFrame(ROWS), *arguments, **options, **KNOWN)


def test_no_release_is_an_error() -> None:
    with pytest.raises(petaudit.PetauditError, match="k-anonymity"):
        PETAnonymization(pd.DataFrame(ROWS), "k-anonymity", 0.0, k=7, **KNOWN)
