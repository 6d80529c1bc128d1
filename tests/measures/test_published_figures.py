"""Worked examples by hand, and the figures that papers and the reference tables publish."""

from __future__ import annotations

from fractions import Fraction
from math import log2
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import petaudit
import twins
from petaudit import datasets, non_uniform_entropy, precision, profitability, t_closeness

ADULT_8 = (
    "age",
    "education",
    "marital-status",
    "native-country",
    "occupation",
    "race",
    "salary-class",
    "sex",
)
ADULT_9 = (*ADULT_8, "workclass")
ADULT_3 = ("marital-status", "native-country", "occupation")
# The reference tables hold labels of two levels and microaggregated ages, which is worth a warning.
quietly = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")


# --- the seeds' worked examples -------------------------------------------------------------


BORN = ["197*", "197*", "198*", "198*", "198*"]
SALARIES = [3, 4, 5, 6, 8]
DISEASES = ["胃癌", "流感", "流感", "胃炎", "胃癌"]
DISEASE_TREE = {
    "流感": ["呼吸感染", "疾病"],
    "胃癌": ["胃部疾病", "疾病"],
    "胃炎": ["胃部疾病", "疾病"],
}


@pytest.mark.parametrize(
    ("attribute", "first", "second"), [("salary", "3/8", "1/4"), ("disease", "3/20", "1/10")]
)
def test_t_closeness_of_the_seed(attribute: str, first: str, second: str) -> None:
    """The seed's last table has 3/20 and 1/4 swapped."""
    result = t_closeness(
        pa.table({"born": BORN, "salary": SALARIES, "disease": DISEASES}),
        quasi_identifiers="born",
        sensitive=attribute,
        hierarchies={"disease": DISEASE_TREE},
        reveal_values=True,
        limit=0.4,
    )
    assert result.exact_value == Fraction(first)
    assert result.passed is True
    assert {worst.labels["born"]: worst.distance for worst in worst_classes(result)} == {
        "197*": float(Fraction(first)),
        "198*": float(Fraction(second)),
    }


def worst_classes(result: Any) -> Any:
    return result.attributes[0].worst_classes


def test_non_uniform_entropy_of_the_seed() -> None:
    years = ["1970", "1981", "1983", "1988"]
    result = non_uniform_entropy(
        pa.table({"born": years}),
        pa.table({"born": ["197*", "198*", "198*", "198*"]}),
        hierarchies={"born": {year: [f"{year[:3]}*"] for year in years}},
    )
    assert result.value == pytest.approx(1 - 3 * log2(3) / 8, abs=1e-12)
    assert round(result.value, 4) == 0.4056


def test_precision_of_the_seed() -> None:
    place = {"Germany": ["Europe", "*"], "France": ["Europe", "*"]}
    born = {y: [f"{y[:3]}*", f"{y[:2]}**", "*"] for y in ("1970", "1977", "1983", "1988")}
    result = precision(
        pa.table({"place": ["Europe"] * 4, "born": ["197*", "197*", "198*", "198*"]}),
        hierarchies={"place": place, "born": born},
        limit=Fraction(7, 12),
    )
    assert result.passed is True
    assert result.value == pytest.approx(1 - 5 / 12, abs=1e-15)
    assert result.columns == {"place": 1 / 2, "born": 2 / 3}


@pytest.mark.parametrize(
    ("benefit", "allow_attack", "passed"),
    [(1200, True, True), (1200, False, False), (200, True, False)],
)
def test_profitability_of_the_seed(benefit: int, allow_attack: bool, passed: bool) -> None:
    result = profitability(
        pa.table({"born": ["197*", "198*", "198*"]}),
        quasi_identifiers="born",
        cost=4,
        gain=300,
        loss=300,
        benefit=benefit,
        allow_attack=allow_attack,
    )
    assert result.passed is passed
    assert result.worst_row is not None
    assert (result.worst_row.adversary_expected_gain, result.worst_row.publisher_risk) == (300, 300)


# --- the reference tables -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "hierarchies", "names", "attribute", "distance", "expected"),
    [
        ("patient/patient_anonymized.csv", "patient", "ZIPCode Age", "Disease", None, "8/27"),
        ("patient/patient_anonymized.csv", "patient", "ZIPCode Age", "Disease", "equal", "5/9"),
        ("patient/patient_anonymized.csv", None, "ZIPCode Age", "Salary", None, "1/6"),
        ("disease/disease.csv", "disease", "ZIPCode Age", "Disease", None, "8/27"),
        ("merit.csv", None, "Name", "Merit", None, "4/15"),
    ],
)
def test_t_closeness_of_the_reference_tables(
    shared_data: Path,
    table: str,
    hierarchies: str | None,
    names: str,
    attribute: str,
    distance: Any,
    expected: str,
) -> None:
    folder = shared_data / str(hierarchies) / f"{hierarchies}_hierarchy"
    result = t_closeness(
        shared_data / table,
        quasi_identifiers=names.split(),
        sensitive=attribute,
        hierarchies=folder if hierarchies else None,
        distance=distance,
    )
    assert result.exact_value == Fraction(expected)


@pytest.mark.parametrize(
    ("limit", "passed"), [("0.26666666666666666", False), ("0.26666666666666667", True)]
)
def test_the_merits_against_seventeen_digits(shared_data: Path, limit: str, passed: bool) -> None:
    result = t_closeness(
        shared_data / "merit.csv", quasi_identifiers="Name", sensitive="Merit", limit=limit
    )
    assert result.passed is passed


@quietly
@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (ADULT_9, 0.6691909578638351),
        (ADULT_8, 0.6740002378300514),
        (ADULT_3, 0.6385286721819015),
        (None, 0.6740002378300514),
    ],
    ids=["9 columns", "8 columns", "3 columns", "side-car"],
)
def test_non_uniform_entropy_of_adult(
    shared_data: Path, names: tuple[str, ...] | None, expected: float
) -> None:
    adult = shared_data / "adult"
    result = non_uniform_entropy(
        adult / "adult.csv",
        adult / "adult_anonymized.csv",
        quasi_identifiers=names,
        hierarchies=adult / "adult_hierarchy" if names else None,
    )
    assert result.value == pytest.approx(expected, abs=1e-12)
    assert set(result.columns) == set(names or ADULT_8)


@quietly
@pytest.mark.parametrize("names", [ADULT_9, ADULT_8, ADULT_3], ids=len)
def test_precision_of_adult(shared_data: Path, names: tuple[str, ...]) -> None:
    adult = shared_data / "adult"
    result = precision(
        adult / "adult_anonymized.csv",
        quasi_identifiers=names,
        hierarchies=adult / "adult_hierarchy",
    )
    assert result.value == pytest.approx(0.7271401100722763, abs=1e-12)
    # Nothing but suppression costs anything there, so all columns are alike.
    assert set(result.columns.values()) == {result.value}
    assert result.suppressed_rows == 8230


@quietly
def test_precision_of_a_single_column_of_adult(shared_data: Path) -> None:
    adult = shared_data / "adult"
    result = precision(
        adult / "adult_anonymized.csv",
        quasi_identifiers=["age"],
        hierarchies=adult / "adult_hierarchy",
    )
    assert result.value == pytest.approx(0.7271401100722763, abs=1e-12)


@pytest.mark.parametrize(("allow_attack", "passed"), [(True, True), (False, False)])
def test_profitability_of_delta(shared_data: Path, allow_attack: bool, passed: bool) -> None:
    result = profitability(
        shared_data / "delta" / "delta_anonymized.csv",
        quasi_identifiers=["zip", "age", "nationality"],
        cost=4,
        gain=300,
        loss=300,
        benefit=1200,
        allow_attack=allow_attack,
    )
    assert result.passed is passed
    assert (result.rows_failing_benefit, result.rows_worth_attacking) == (0, 5)
    assert result.smallest_passing_class == (1 if allow_attack else 76)


# --- the bundled tables ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "attribute", "distance", "expected"),
    [
        ("patient-deidentified", "Disease", None, "8/27"),
        ("patient-deidentified", "Disease", "equal", "5/9"),
        ("patient-deidentified", "Salary", None, "1/6"),
        ("example-t-closeness", "salary", None, "3/8"),
        ("example-t-closeness", "disease", None, "3/20"),
    ],
)
def test_t_closeness_of_the_bundled_tables(
    name: str, attribute: str, distance: Any, expected: str
) -> None:
    bundled = datasets.load(name)
    result = t_closeness(
        bundled.path,
        quasi_identifiers=bundled.quasi_identifiers,
        sensitive=attribute,
        hierarchies=bundled.hierarchies,
        distance=distance,
    )
    assert result.exact_value == Fraction(expected)


def test_non_uniform_entropy_of_the_bundled_example() -> None:
    bundled = datasets.load("example-non-uniform-entropy")
    result = non_uniform_entropy(bundled.original, bundled.path, hierarchies=bundled.hierarchies)
    assert result.value == pytest.approx(1 - 3 * log2(3) / 8, abs=1e-12)


def test_precision_of_the_bundled_example() -> None:
    bundled = datasets.load("example-precision")
    result = precision(bundled.path, hierarchies=bundled.hierarchies, limit=Fraction(7, 12))
    assert result.passed is True
    assert result.value == pytest.approx(7 / 12, abs=1e-15)


@pytest.mark.parametrize(
    ("name", "benefit", "allow_attack", "passed"),
    [
        ("example-profitability", 1200, True, True),
        ("example-profitability", 1200, False, False),
        ("example-profitability", 200, True, False),
        ("delta-deidentified", 1200, True, True),
        ("delta-deidentified", 1200, False, False),
    ],
)
def test_profitability_of_the_bundled_tables(
    name: str, benefit: int, allow_attack: bool, passed: bool
) -> None:
    bundled = datasets.load(name)
    result = profitability(
        bundled.path,
        quasi_identifiers=bundled.quasi_identifiers,
        cost=4,
        gain=300,
        loss=300,
        benefit=benefit,
        allow_attack=allow_attack,
    )
    assert result.passed is passed


def text_rows(path: Path) -> list[dict[str, str | None]]:
    return [
        {name: str(cell) for name, cell in row.items()} for row in pq.read_table(path).to_pylist()
    ]


def test_the_twins_agree_on_the_bundled_adult_table() -> None:
    bundled = datasets.load("adult-deidentified")
    assert bundled.original is not None
    assert bundled.hierarchies is not None
    trees = {
        path.stem.rpartition("hierarchy_")[2]: {
            leaf: above
            for leaf, *above in (line.split(";") for line in path.read_text("utf-8").splitlines())
        }
        for path in bundled.hierarchies.iterdir()
    }
    original, released = text_rows(bundled.original), text_rows(bundled.path)
    names, [sensitive] = list(bundled.quasi_identifiers), bundled.sensitive
    result = petaudit.audit(
        bundled.path,
        original=bundled.original,
        quasi_identifiers=names,
        sensitive=sensitive,
        hierarchies=bundled.hierarchies,
    )
    assert result["precision"].value == float(twins.precision(released, names, trees))
    assert result["non-uniform-entropy"].value == pytest.approx(
        twins.non_uniform_entropy(original, released, names, trees), abs=1e-12
    )
    assert result["t-closeness"].exact_value == twins.t_closeness_exact(
        released, names, sensitive, "hierarchical", trees[sensitive]
    )


def test_the_bundled_adult_table_is_what_its_documentation_says() -> None:
    bundled = datasets.load("adult-deidentified")
    result = petaudit.audit(
        bundled.path,
        original=bundled.original,
        quasi_identifiers=bundled.quasi_identifiers,
        sensitive=bundled.sensitive,
        hierarchies=bundled.hierarchies,
        options={
            "profitability": {"cost": 61, "gain": 300, "loss": 300, "benefit": 1},
            "t-closeness": {"limit": 1},
        },
    )
    # 571 classes of at least 5 rows, and 1,962 rows suppressed, which are one more: an attack is
    # worth at most 300/5.
    assert result["t-closeness"].attributes[0].classes == 572
    assert result["profitability"].worst_row.class_size >= 5
    assert result["profitability"].rows == 30_162
    assert result["k-anonymity"].suppressed_class == 1_962
    assert result["precision"].suppressed_rows == 1_962
    assert 0 < result["non-uniform-entropy"].value < 1
    assert result.exit_code == 0
