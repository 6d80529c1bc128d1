"""Distribution distance: agreement with the definition, worked examples, limits, options."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

import strategies
from measures import comparison_twin as twin
from petaudit import ranges
from petaudit.errors import ColumnError, NotMeasurableError, OptionError, PetauditWarning
from petaudit.inputs import gather
from petaudit.measures.distribution_distance import (
    MEASURE,
    DistributionDistanceResult,
    compute,
    distribution_distance,
)
from strategies import NULL, Release, arrow

PLACES = {"Paris": ["France", "Europe"], "Lyon": ["France", "Europe"], "Rome": ["Italy", "Europe"]}


def of(result: DistributionDistanceResult, column: str) -> Any:
    return next(own for own in result.columns if own.column == column)


# --- agreement with the twin ----------------------------------------------------------------


@settings(max_examples=150)
@given(release=strategies.releases(), kept=st.integers(1, 25), figure=st.integers(0, 2))
def test_the_distances_are_the_twins(release: Release, kept: int, figure: int) -> None:
    # Some rows are gone: neither their number nor their order matters.
    released = release.released[:kept][::-1]
    inputs = gather(
        arrow(released),
        original=arrow(release.original),
        hierarchies=release.given_hierarchies,
        quasi_identifiers=release.quasi_identifiers,
    )
    names = [*release.quasi_identifiers, "pay", "disease"]
    by_column = {}
    for name in names:
        p, q = (
            twin.shares([row[name] for row in rows], release.hierarchies.get(name))
            for rows in (release.original, released)
        )
        moved = twin.wasserstein(p, q)
        by_column[name] = (twin.total_variation(p, q), twin.hellinger(p, q), moved)
    expected: list[Any] = [own[figure] for own in by_column.values()]
    if figure == 2:
        expected = [moved[0] for moved in expected if moved is not None]
    asked = ("total-variation", "hellinger", "wasserstein")[figure]
    if not expected:
        with pytest.raises(NotMeasurableError, match="no column holds numbers in both tables"):
            compute(inputs, figure=asked)
        return
    found = compute(inputs, figure=asked)
    assert [own.column for own in found.columns] == names
    for own in found.columns:
        variation, hellinger, moved = by_column[own.column]
        assert own.total_variation == float(variation)
        assert own.hellinger == pytest.approx(hellinger, abs=1e-7)
        assert (own.wasserstein, own.wasserstein_raw) == (
            (None, None) if moved is None else (float(moved[0]), float(moved[1]))
        )
    if asked == "hellinger":
        assert found.exact_value is None
        assert found.value == pytest.approx(sum(expected) / len(expected), abs=1e-7)
    else:
        assert found.exact_value == Fraction(sum(expected)) / len(expected)
        assert found.value == float(found.exact_value)


@settings(max_examples=60)
@given(
    before=st.lists(st.integers(-50, 50), min_size=1, max_size=30),
    after=st.lists(st.integers(-50, 50), min_size=1, max_size=30),
)
def test_wasserstein_is_scipys(before: list[int], after: list[int]) -> None:
    found = distribution_distance(pa.table({"x": before}), pa.table({"x": after}))
    assert found.columns[0].wasserstein_raw == pytest.approx(
        wasserstein_distance(before, after), abs=1e-9
    )


@pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
@settings(max_examples=50)
@given(release=strategies.releases())
def test_a_table_is_at_no_distance_from_itself(release: Release) -> None:
    table = arrow(release.released)
    found = distribution_distance(table, table, hierarchies=release.given_hierarchies, limit=0)
    assert found.value == 0
    assert found.passed is True
    assert {own.hellinger for own in found.columns} == {0.0}


# --- by hand --------------------------------------------------------------------------------


def test_distances_by_hand() -> None:
    # Shares 1/2 1/4 1/4 against 1/4 1/4 1/2 of the numbers 0, 1 and 4.
    found = distribution_distance(
        pa.table({"x": [0, 0, 1, 4]}), pa.table({"x": [0, 1, 4, 4]}), figure="wasserstein"
    )
    own = found.columns[0]
    assert own.total_variation == (1 / 4 + 0 + 1 / 4) / 2
    assert own.hellinger == pytest.approx(sqrt(1 / 2) - 1 / 2, abs=1e-15)
    # A quarter goes from 0 to 4; the range is 4.
    assert (own.wasserstein_raw, own.wasserstein) == (1, 1 / 4)
    assert (found.value, found.exact_value) == (1 / 4, Fraction(1, 4))


def test_hellinger_of_disjoint_values_is_1() -> None:
    found = distribution_distance(
        pa.table({"x": ["a", "b", "c"]}), pa.table({"x": ["d"]}), figure="hellinger", limit=1
    )
    assert found.value == 1
    assert found.passed is True
    assert found.columns[0].total_variation == 1


def test_a_generalised_label_is_spread_over_its_leaves() -> None:
    original = pa.table({"city": ["Paris", "Lyon", "Rome", "Rome"]})
    released = pa.table({"city": ["France", "France", "Rome", "Rome"]})
    assert distribution_distance(original, released, hierarchies={"city": PLACES}).value == 0
    # Without the hierarchy France is a city that nobody lived in.
    assert distribution_distance(original, released).value == 1 / 2


def test_a_suppressed_cell_is_spread_over_all_leaves() -> None:
    original = pa.table({"city": ["Paris", "Lyon", "Rome"]})
    released = pa.table({"city": ["*"]})
    assert distribution_distance(original, released, hierarchies={"city": PLACES}).value == 0
    assert distribution_distance(original, released).value == 1


def test_the_original_is_spread_as_well() -> None:
    table = pa.table({"city": ["France", "*", "Rome"]})
    assert distribution_distance(table, table, hierarchies={"city": PLACES}).value == 0


def test_numbers_compare_by_value() -> None:
    original = pa.table({"x": ["5", "6.50"]})
    found = distribution_distance(original, pa.table({"x": [5.0, 6.5]}))
    assert found.value == 0
    assert found.columns[0].wasserstein == 0
    under = {"x": {"5.0": ["*"], "6.5": ["*"]}}
    assert distribution_distance(original, original, hierarchies=under).warnings == ()


def test_ranges_of_numbers_are_spread_over_the_numbers_of_the_original() -> None:
    found = distribution_distance(
        pa.table({"age": [21, 29, 35]}),
        pa.table({"age": ["[20,30[", "[20,30[", "[30,40["]}),
        hierarchies={"age": ranges(10)},
        figure="wasserstein",
    )
    assert found.value == 0


def test_nulls_count_in_the_variation_and_have_no_place_among_numbers() -> None:
    found = distribution_distance(pa.table({"x": [1, 3, None]}), pa.table({"x": [1, 3, 3]}))
    own = found.columns[0]
    assert own.total_variation == pytest.approx(1 / 3, abs=1e-15)
    # 1/2 1/2 against 1/3 2/3: a sixth is moved by 2.
    assert own.wasserstein_raw == pytest.approx(1 / 3, abs=1e-15)


def test_a_constant_column_of_numbers_is_at_no_distance() -> None:
    found = distribution_distance(
        pa.table({"x": [7]}), pa.table({"x": [7, 7]}), figure="wasserstein"
    )
    assert found.value == 0


def test_the_value_is_the_mean_and_the_worst_column_is_named() -> None:
    original = pa.table({"a": ["x", "y"], "b": ["x", "y"], "n": [1, 2]})
    released = pa.table({"n": [1, 1], "b": ["x", "y"], "a": ["z", "z"]})
    found = distribution_distance(original, released)
    assert found.exact_value == Fraction(1 + 0, 3) + Fraction(1, 2) / 3
    assert found.worst_column == "a"
    assert found.explanation == (
        "mean total-variation over 3 columns; largest first: a 1, n 0.5, b 0",
    )
    by_number = distribution_distance(original, released, figure="wasserstein")
    assert by_number.value == 1 / 2
    assert by_number.explanation[1] == "left out, because they hold no numbers: b, a"


# --- columns --------------------------------------------------------------------------------


TWO = pa.table({"id": [1, 2], "zip": ["a", "b"], "age": [3, 4]})


def test_identifiers_the_key_and_columns_of_one_table_take_no_part() -> None:
    original = TWO.append_column("more", pa.array([1, 2]))
    by_role = distribution_distance(original, TWO, roles={"id": "identifier"})
    assert [own.column for own in by_role.columns] == ["zip", "age"]
    by_key = distribution_distance(original, TWO, key="id")
    assert [own.column for own in by_key.columns] == ["zip", "age"]


@pytest.mark.parametrize("columns", ["age", ["age"], ("age",), " age ", ["age", "age"]])
def test_columns_can_be_chosen(columns: Any) -> None:
    found = distribution_distance(TWO, TWO, columns=columns)
    assert [own.column for own in found.columns] == ["age"]


def test_columns_can_come_with_commas_as_the_shell_passes_them() -> None:
    found = compute(gather(TWO, original=TWO), columns="age, zip")
    assert [own.column for own in found.columns] == ["age", "zip"]


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(ColumnError, match=r"unknown column 'agee' \(did you mean 'age'\?\)"):
        distribution_distance(TWO, TWO, columns="agee")


def test_tables_without_a_common_column_cannot_be_compared() -> None:
    with pytest.raises(NotMeasurableError, match="share no column"):
        distribution_distance(TWO, pa.table({"x": [1]}))


# --- limits, options, messages --------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "passed"), [(0.3, True), ("0.3", True), (0.29999999999999993, False), (1, True)]
)
def test_limits_are_exact(limit: Any, passed: bool) -> None:
    # 3 of 10 rows moved.
    original = pa.table({"x": ["a"] * 10})
    released = pa.table({"x": ["a"] * 7 + ["b"] * 3})
    assert distribution_distance(original, released, limit=limit).passed is passed


def test_hellinger_keeps_a_limit_that_it_equals_but_for_rounding() -> None:
    # sqrt(1 - sqrt(1/4)) = sqrt(1/2): an irrational figure, given as a float.
    original, released = pa.table({"x": ["a"]}), pa.table({"x": ["a", "b", "b", "b"]})
    found = distribution_distance(original, released, figure="hellinger", limit=sqrt(0.5))
    assert found.passed is True
    assert not distribution_distance(
        original, released, figure="hellinger", limit=sqrt(0.5) - 1e-9
    ).passed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"figure": "hellingr"}, "figure is 'hellingr' (did you mean 'hellinger'?); total-vari"),
        ({"figure": 3}, "figure is 3; total-variation, hellinger or wasserstein was expected"),
        ({"columns": []}, "columns is an empty list; the name of a column or a list of names"),
        ({"columns": [1]}, "columns is a list; the name of a column or a list of names"),
        ({"limit": -1}, "the limit of distribution-distance is -1; it cannot be negative"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        distribution_distance(TWO, TWO, **options)
    assert str(caught.value).startswith(message)


def test_labels_that_the_hierarchy_does_not_know_are_told() -> None:
    original = pa.table({"city": ["Paris", "Atlantis"]})
    with pytest.warns(
        PetauditWarning, match=r"'city': 1 label of the frame stands in no level of its hierarchy"
    ):
        found = distribution_distance(
            original, pa.table({"city": ["Paris"]}), hierarchies={"city": PLACES}
        )
    assert found.value == 1 / 2
    assert "Atlantis" not in str(found.to_dict())


def test_tables_and_documents() -> None:
    found = distribution_distance(TWO, TWO)
    columnwise = found.table("columnwise")
    assert columnwise["attribute"].values == ["id", "zip", "age"]
    assert columnwise["wasserstein"].values == [0.0, None, 0.0]
    assert found.figure == "distribution-distance (total-variation)"
    assert "exact_value" not in found.to_dict()
    with pytest.raises(OptionError, match="has no table 'details'"):
        found.table("details")
    assert MEASURE.range == (0.0, 1.0)


@pytest.mark.parametrize("engine", strategies.TABLE_ENGINES)
def test_every_engine_says_the_same(engine: str, tmp_path: Path) -> None:
    original = {"x": ["a", "b", None, "a"], "n": [1.5, 2.0, None, 7.0]}
    released = {"x": ["a", "*", None], "n": [2.0, 2.0, None]}
    found = distribution_distance(
        strategies.on_engine(original, engine, tmp_path / "original"),
        strategies.on_engine(released, engine, tmp_path / "released"),
        columns=["x", "n"],
    )
    # x: 1/2 1/4 1/4 against 1/3 0 1/3 and 1/3 of `*`.
    assert of(found, "x").total_variation == pytest.approx(5 / 12, abs=1e-15)
    # n: 1/4 each against 2/3 of 2 and 1/3 of null.
    assert of(found, "n").total_variation == pytest.approx(1 / 2, abs=1e-15)
    # Without nulls 1.5, 2, 7 against 2, 2: 1/3 by 0.5 and 1/3 by 5.
    assert of(found, "n").wasserstein_raw == pytest.approx(5.5 / 3, abs=1e-15)


def test_null_is_what_strategies_say() -> None:
    assert twin.NULL == NULL


@pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
def test_adult(shared_data: Path) -> None:
    adult = shared_data / "adult"
    found = distribution_distance(adult / "adult.csv", adult / "adult_anonymized.csv")
    # The hierarchy of sex has two leaves, so a suppressed row counts half for each.
    rows = [line.split(";")[0] for line in (adult / "adult.csv").read_text().splitlines()[1:]]
    released = [
        line.split(";")[0] for line in (adult / "adult_anonymized.csv").read_text().splitlines()[1:]
    ]
    males = Fraction(rows.count("Male"), 30_162)
    spread = Fraction(2 * released.count("Male") + released.count("*"), 2 * 30_162)
    assert of(found, "sex").total_variation == float(abs(males - spread))
    assert found.value == pytest.approx(0.12574063343530173, abs=1e-15)
