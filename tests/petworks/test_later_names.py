"""The names that later versions of PETWorks added: their keys, figures and errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from petaudit.errors import (
    ColumnError,
    InputError,
    NotMeasurableError,
    OptionError,
    PetauditError,
    PetauditWarning,
    RoleError,
)
from PETWorks import PETValidation
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE

# Labels of two levels are worth a warning, which is not the matter here.
quietly = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")

# Two classes of 3 and 2 rows; 2 and 1 sensitive values.
RELEASED = pa.table(
    {"zip": ["1*"] * 3 + ["2*"] * 2, "illness": ["flu", "flu", "cold", "flu", "flu"]}
)
ORIGINAL = pa.table({"zip": ["11", "12", "13", "21", "22"], "illness": RELEASED["illness"]})
ZIPS = {code: [f"{code[0]}*", "*"] for code in ("11", "12", "13", "21", "22")}
TYPES = {"zip": QUASI_IDENTIFIER, "illness": SENSITIVE_ATTRIBUTE}


def quasi_identifiers(*names: str) -> dict[str, str]:
    return dict.fromkeys(names, QUASI_IDENTIFIER)


# --- small tables, by hand ------------------------------------------------------------------


@pytest.mark.parametrize(("k", "fulfilled"), [(1, True), (2, True), (3, False), ("2", True)])
def test_k_anonymity(k: Any, fulfilled: bool) -> None:
    result = PETValidation(None, RELEASED, "k-anonymity", attributeTypes=TYPES, k=k)
    assert list(result.items()) == [("k", k), ("fulfill k-anonymity", fulfilled)]


def test_suppressed_rows_are_in_no_class_of_k_anonymity() -> None:
    table = pa.table({"zip": ["1*", "1*", "*"]})
    types = {"zip": QUASI_IDENTIFIER}
    with pytest.warns(PetauditWarning, match=r"left out \(suppressed: exclude\): 1 row"):
        result = PETValidation(None, table, "k-anonymity", attributeTypes=types, k=2)
    assert result["fulfill k-anonymity"] is True
    with pytest.warns(PetauditWarning, match="left out"):
        risk = PETValidation(None, table, "ReidentificationRisk", attributeTypes=types)
    assert risk == {"Re-identification Risk": 0.5}


@pytest.mark.parametrize(("l", "fulfilled"), [(1, True), (2, False)])
def test_l_diversity(l: int, fulfilled: bool) -> None:  # noqa: E741 (the name users know)
    result = PETValidation(None, RELEASED, "l-diversity", attributeTypes=TYPES, l=l)
    assert list(result.items()) == [("l", l), ("fulfill l-diversity", fulfilled)]


def test_l_diversity_looks_at_each_sensitive_attribute_within_the_same_classes() -> None:
    """Grouping by the other sensitive column as well, as PETWorks does, would give 1 here."""
    table = pa.table({"zip": ["1", "1"], "illness": ["flu", "cold"], "pay": ["3", "4"]})
    types = TYPES | {"pay": SENSITIVE_ATTRIBUTE}
    result = PETValidation(None, table, "l-diversity", attributeTypes=types, l=2)
    assert result["fulfill l-diversity"] is True


@pytest.mark.parametrize(
    ("least", "most", "holds"),
    [
        (1 / 2, 2 / 3, True),
        (0, 2 / 3, True),
        (0, 0.6666, False),
        (0.51, 2 / 3, False),
        (1 / 2, 1 / 3, False),
        ("0.5", "0.67", True),
    ],
)
@pytest.mark.parametrize("population", ["raw", "generalised"])
def test_d_presence(population: str, least: Any, most: Any, holds: bool) -> None:
    """2 of 3 people and 1 of 2: shares of 2/3 and 1/2. In Python ``2/3`` is a little below 2/3."""
    sample = pa.table({"zip": ["1*", "1*", "2*"]})
    everybody = ORIGINAL if population == "raw" else RELEASED
    result = PETValidation(
        everybody,
        sample,
        "d-presence",
        dataHierarchy={"zip": ZIPS},
        attributeTypes={"zip": QUASI_IDENTIFIER},
        dMin=least,
        dMax=most,
    )
    assert list(result.items()) == [("dMin", least), ("dMax", most), ("d-presence", holds)]


def test_people_whom_no_row_stands_for_count_as_zero() -> None:
    """PETWorks leaves their class out; by the definition it has a share of 0."""
    given: dict[str, Any] = {"attributeTypes": {"zip": QUASI_IDENTIFIER}, "dMax": 1}
    population, sample = pa.table({"zip": ["1*", "2*"]}), pa.table({"zip": ["1*"]})
    assert PETValidation(population, sample, "d-presence", dMin=0, **given)["d-presence"] is True
    assert PETValidation(population, sample, "d-presence", dMin=0.1, **given)["d-presence"] is False


def test_ambiguity() -> None:
    """Leaves below the labels: 3 * 3 + 2 * 2 = 13 of at least 5 and at most 5 * 5 = 25."""
    result = PETValidation(
        ORIGINAL, RELEASED, "Ambiguity", dataHierarchy={"zip": ZIPS}, attributeTypes=TYPES
    )
    assert list(result) == ["ambiguity"]
    assert result["ambiguity"] == pytest.approx(1 - (13 - 5) / (25 - 5))


@pytest.mark.parametrize("more", [{}, {"dataHierarchy": {"zip": ZIPS}}])
def test_average_class_size(more: dict[str, Any]) -> None:
    """5 rows in 2 classes, 5 in 5 before, at most 5: 1 - (2.5 - 1) / (5 - 1)."""
    result = PETValidation(ORIGINAL, RELEASED, "AECS", attributeTypes=TYPES, **more)
    assert result == {"AECS": pytest.approx(1 - 1.5 / 4)}


def test_the_risk_of_re_identification_looks_at_all_columns() -> None:
    """With the illness, one row is alone; by zip alone the smaller class has two."""
    everything = PETValidation(RELEASED, None, "ReidentificationRisk")
    assert everything == {"Re-identification Risk": 1.0}
    assert PETValidation(None, RELEASED, "ReidentificationRisk") == everything
    by_zip = PETValidation(RELEASED, None, "ReidentificationRisk", attributeTypes=TYPES)
    assert by_zip == {"Re-identification Risk": 0.5}


def test_of_two_tables_the_first_is_judged_as_in_petworks() -> None:
    with pytest.warns(
        PetauditWarning, match="judges the first table, .* the second one was ignored"
    ):
        risk = PETValidation(ORIGINAL, RELEASED, "ReidentificationRisk", attributeTypes=TYPES)
    assert risk == {"Re-identification Risk": 1.0}
    with pytest.warns(PetauditWarning, match="judges the first table"):
        risk = PETValidation(RELEASED, ORIGINAL, "ReidentificationRisk", attributeTypes=TYPES)
    assert risk == {"Re-identification Risk": 0.5}


def test_where_petworks_keeps_suppressed_rows_as_a_class_so_do_its_names() -> None:
    """The class of the one `*` tells its illness: l is 1 and t is 1/2, there and here."""
    table = pa.table({"zip": ["1*", "1*", "*"], "illness": ["flu", "cold", "flu"]})
    given: dict[str, Any] = {"attributeTypes": TYPES}
    assert not PETValidation(None, table, "l-diversity", l=2, **given)["fulfill l-diversity"]
    assert not PETValidation(None, table, "t-closeness", tLimit=0.3, **given)["fulfill t-closeness"]
    stakes = {"adversaryCost": 1, "adversaryGain": 3, "publisherLost": 3, "publisherBenefit": 2}
    game = PETValidation(None, table, "profitability", allowAttack=True, **stakes, **given)
    assert game["isProfitable"] is False
    without = table.slice(0, 2)
    assert PETValidation(None, without, "l-diversity", l=2, **given)["fulfill l-diversity"]
    assert PETValidation(None, without, "t-closeness", tLimit=0.3, **given)["fulfill t-closeness"]
    game = PETValidation(None, without, "profitability", allowAttack=True, **stakes, **given)
    assert game["isProfitable"] is True


@pytest.mark.parametrize(
    ("released", "bias", "holds"),
    [([1, 2, 3, 4, 5, 7], 1, True), ([1, 2, 3, 4, 5, 8], 1, False), ([6, 5, 4, 3, 2, 1], 0, True)],
)
def test_utility_bias(released: list[int], bias: float, holds: bool) -> None:
    """Sums of 21 against 22, 23 and 21."""
    result = PETValidation(
        [1, 2, 3, 4, 5, 6], released, "UtilityBias", processingFunc=sum, maxBias=bias
    )
    assert result == {"UtilityBias": holds}


def test_utility_bias_hands_over_what_it_was_given() -> None:
    """A function of PETWorks reads the files itself."""
    seen: list[Any] = []
    PETValidation(
        "before.csv",
        "after.csv",
        "UtilityBias",
        processingFunc=lambda path: seen.append(path) or 1.0,
        maxBias=0,
    )
    assert seen == ["before.csv", "after.csv"]


# --- wrong arguments ------------------------------------------------------------------------


GIVEN: dict[str, dict[str, Any]] = {
    "k-anonymity": {"attributeTypes": TYPES, "k": 2},
    "l-diversity": {"attributeTypes": TYPES, "l": 2},
    "d-presence": {"attributeTypes": TYPES, "dMin": 0, "dMax": 1},
    "Ambiguity": {"attributeTypes": TYPES, "dataHierarchy": {"zip": ZIPS}},
    "AECS": {"attributeTypes": TYPES},
    "ReidentificationRisk": {"attributeTypes": TYPES},
    "UtilityBias": {"processingFunc": lambda table: table.num_rows, "maxBias": 1},
}


@pytest.mark.parametrize("technique", GIVEN)
def test_the_cases_below_are_wrong_for_one_reason(technique: str) -> None:
    assert PETValidation(RELEASED, RELEASED, technique, **GIVEN[technique])
    assert PETValidation(RELEASED, RELEASED, technique.upper(), **GIVEN[technique])


@pytest.mark.parametrize("technique", GIVEN)
def test_an_unknown_argument_is_an_error(technique: str) -> None:
    with pytest.raises(OptionError, match=f"{technique} takes no argument 'tLimit'; it takes "):
        PETValidation(RELEASED, RELEASED, technique, **GIVEN[technique], tLimit=1)


@pytest.mark.parametrize(
    ("technique", "missing"),
    [
        ("k-anonymity", "k"),
        ("l-diversity", "l"),
        ("d-presence", "dMin"),
        ("d-presence", "dMax"),
        ("UtilityBias", "processingFunc"),
        ("UtilityBias", "maxBias"),
    ],
)
def test_a_missing_argument_is_named(technique: str, missing: str) -> None:
    given = {name: value for name, value in GIVEN[technique].items() if name != missing}
    for wrong in (given, given | {missing: None}):
        with pytest.raises(OptionError, match=rf"{technique} needs the argument\(s\) {missing}$"):
            PETValidation(RELEASED, RELEASED, technique, **wrong)


@pytest.mark.parametrize(
    ("technique", "wrong", "error", "message"),
    [
        (
            "k-anonymity",
            {"k": "x"},
            OptionError,
            "limit of k-anonymity must be a finite number, got 'x'",
        ),
        ("k-anonymity", {"k": -1}, OptionError, "must not be negative"),
        ("k-anonymity", {"k": float("nan")}, OptionError, "must be a finite number"),
        (
            "l-diversity",
            {"l": "x"},
            OptionError,
            "limit of l-diversity must be a finite number, got 'x'",
        ),
        ("d-presence", {"dMin": "x"}, OptionError, "dMin must be a finite number, got 'x'"),
        (
            "d-presence",
            {"dMax": float("inf")},
            OptionError,
            "dMax must be a finite number, got inf",
        ),
        ("d-presence", {"dMin": -1}, OptionError, "least must be a number from 0 to 1, got -1"),
        ("Ambiguity", {"dataHierarchy": "nowhere"}, PetauditError, "nowhere"),
        ("UtilityBias", {"processingFunc": "sum"}, OptionError, "a function"),
        ("UtilityBias", {"processingFunc": lambda _: "x"}, NotMeasurableError, "finite number"),
        ("UtilityBias", {"maxBias": -1}, OptionError, "must not be negative"),
        *(
            (technique, {"attributeTypes": types}, error, message)
            for technique in GIVEN
            if technique != "UtilityBias"
            for types, error, message in (
                ({"zpi": QUASI_IDENTIFIER}, ColumnError, "did you mean 'zip'"),
                ({"zip": "quasi"}, RoleError, "unknown role 'quasi'"),
            )
        ),
    ],
)
def test_a_wrong_argument_is_an_error(
    technique: str, wrong: dict[str, Any], error: type[PetauditError], message: str
) -> None:
    with pytest.raises(error) as caught:
        PETValidation(RELEASED, RELEASED, technique, **GIVEN[technique] | wrong)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("technique", "message"),
    [("d-presence", "a population table is needed"), ("AECS", "the original table is needed")],
)
def test_a_missing_table_is_named(technique: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        PETValidation(None, RELEASED, technique, **GIVEN[technique])


@pytest.mark.parametrize("technique", [name for name in GIVEN if name != "UtilityBias"])
def test_no_table_at_all_is_an_error(technique: str) -> None:
    with pytest.raises(InputError, match="a table must be a path or a frame"):
        PETValidation(None, None, technique, **GIVEN[technique])


# --- the reference tables -------------------------------------------------------------------

ADULT_3 = ("marital-status", "native-country", "occupation")
ADULT_8 = (*ADULT_3, "age", "education", "race", "salary-class", "sex")
ADULT_9 = (*ADULT_8, "workclass")


@quietly
@pytest.mark.parametrize(
    ("names", "ambiguity", "average"),
    [
        (ADULT_9, 0.7271401084040343, 0.9992930131052006),
        (ADULT_8, 0.72714009672634, 0.9992707253704929),
        (ADULT_3, 0.7271401100722763, 0.991558195882348),
    ],
)
def test_utility_of_adult(
    names: tuple[str, ...], ambiguity: float, average: float, shared_data: Path
) -> None:
    folder = shared_data / "adult"
    tables = (str(folder / "adult.csv"), str(folder / "adult_anonymized.csv"))
    given: dict[str, Any] = {
        "dataHierarchy": str(folder / "adult_hierarchy"),
        "attributeTypes": quasi_identifiers(*names),
    }
    result = PETValidation(*tables, "Ambiguity", **given)
    assert result == {"ambiguity": pytest.approx(ambiguity, abs=1e-12)}
    assert PETValidation(*tables, "AECS", **given) == {"AECS": pytest.approx(average, abs=1e-12)}


@quietly
def test_the_side_car_speaks_where_nothing_is_given(shared_data: Path) -> None:
    """It names 8 quasi-identifiers; an explicit folder of hierarchies covers all 9 columns."""
    folder = shared_data / "adult"
    tables = (str(folder / "adult.csv"), str(folder / "adult_anonymized.csv"))
    assert PETValidation(*tables, "AECS")["AECS"] == pytest.approx(0.9992707253704929, abs=1e-12)
    by_side_car = PETValidation(*tables, "Ambiguity")["ambiguity"]
    assert by_side_car == pytest.approx(0.72714009672634, abs=1e-12)
    by_folder = PETValidation(*tables, "Ambiguity", dataHierarchy=str(folder / "adult_hierarchy"))
    assert by_folder["ambiguity"] == pytest.approx(0.7271401084040343, abs=1e-12)


@pytest.mark.parametrize(
    ("names", "k", "fulfilled"),
    [(ADULT_8, 5, True), (ADULT_8, 6, False), (("age", "sex"), 6, True)],
)
def test_k_of_adult(names: tuple[str, ...], k: int, fulfilled: bool, shared_data: Path) -> None:
    table = str(shared_data / "adult" / "adult_anonymized.csv")
    types = quasi_identifiers(*names)
    result = PETValidation(None, table, "k-anonymity", attributeTypes=types, k=k)
    assert result == {"k": k, "fulfill k-anonymity": fulfilled}


@pytest.mark.parametrize(("name", "risk"), [("adult", 1.0), ("adult_anonymized", 0.2)])
def test_highest_risk_of_adult(name: str, risk: float, shared_data: Path) -> None:
    table = str(shared_data / "adult" / f"{name}.csv")
    assert PETValidation(table, None, "ReidentificationRisk") == {"Re-identification Risk": risk}


@pytest.mark.parametrize(("l", "fulfilled"), [(3, True), (4, False), (5, False)])
def test_l_of_inpatient(l: int, fulfilled: bool, shared_data: Path) -> None:  # noqa: E741
    table = str(shared_data / "inpatient" / "inpatient_anonymized.csv")
    types = quasi_identifiers("zipcode", "age", "nationality") | {"condition": SENSITIVE_ATTRIBUTE}
    result = PETValidation(None, table, "l-diversity", attributeTypes=types, l=l)
    assert result == {"l": l, "fulfill l-diversity": fulfilled}


@pytest.mark.parametrize(
    ("name", "least", "most", "holds"),
    [
        ("presence", 1 / 2, 2 / 3, True),
        ("presence", 1 / 2, 1 / 3, False),
        ("presence", 0, 1 / 2, False),
        ("presence", 0.51, 1, False),
        ("delta", 1 / 2, 2 / 3, True),
    ],
)
def test_shares_of_presence(
    name: str, least: float, most: float, holds: bool, shared_data: Path
) -> None:
    folder = shared_data / name
    result = PETValidation(
        str(folder / f"{name}.csv"),
        str(folder / f"{name}_anonymized.csv"),
        "d-presence",
        dataHierarchy=str(folder / f"{name}_hierarchy"),
        attributeTypes=quasi_identifiers("zip", "age", "nationality"),
        dMin=least,
        dMax=most,
    )
    assert result == {"dMin": least, "dMax": most, "d-presence": holds}


@pytest.mark.parametrize(("bias", "holds"), [(2, True), (1, False)])
def test_mean_age_of_presence(bias: float, holds: bool, shared_data: Path) -> None:
    """371 years of 9 people are a mean of 41.2 against 40."""

    def mean_age(path: str) -> float:
        header, *rows = [line.split(";") for line in Path(path).read_text().split()]
        ages = [int(row[header.index("age")]) for row in rows]
        return sum(ages) / len(ages)

    folder = shared_data / "presence"
    result = PETValidation(
        str(folder / "presence.csv"),
        str(folder / "presence_anonymized2.csv"),
        "UtilityBias",
        processingFunc=mean_age,
        maxBias=bias,
    )
    assert result == {"UtilityBias": holds}
