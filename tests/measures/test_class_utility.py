"""Average class size, discernibility and suppression: how well rows can still be told apart."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings

import strategies
from budget import examples
from measures import utility_twin as twin
from measures.adult_columns import ADULT_3, ADULT_8, ADULT_9
from measures.running import computing
from petaudit.errors import ColumnError, InputError, OptionError, PetauditWarning, RoleError
from petaudit.inputs import gather
from petaudit.judging.gate import Figure
from petaudit.labels.rules import mask_right
from petaudit.measures import find_measure
from petaudit.measures.average_class_size import average_class_size
from petaudit.measures.discernibility import discernibility
from petaudit.measures.suppression import suppression
from strategies import TABLE_ENGINES, Release, arrow, on_engine

ORIGINAL = {"born": ["1970", "1971", "1983", "1984", "1984", None]}
RELEASED = {"born": ["197*", "197*", "198*", "198*", "*", None]}

both = pytest.mark.parametrize("measure", [average_class_size, discernibility])


# --- agreement with the twin ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("compute", "expected"),
    [
        (computing("average-class-size"), twin.average_class_size),
        (computing("discernibility"), twin.discernibility),
    ],
    ids=["average class size", "discernibility"],
)
@settings(max_examples=examples(120))
@given(release=strategies.releases())
def test_the_figure_is_the_twins(
    compute: Callable[..., Any], expected: Callable[..., Fraction], release: Release
) -> None:
    names = release.quasi_identifiers
    inputs = gather(
        arrow(release.released),
        original=arrow(release.original),
        quasi_identifiers=names,
        suppressed=release.suppressed,
    )
    # A suppressed row is lost whether it is a class for privacy models or not.
    exact = expected(release.original, release.released, names)
    result = compute(inputs, limit=exact)
    assert (result.value, result.passed) == (float(exact), True)
    assert compute(inputs, limit=exact + Fraction(1, 10**30)).passed is False


@settings(max_examples=examples(60))
@given(release=strategies.releases())
def test_suppression_is_the_twins(release: Release) -> None:
    names, rows = release.quasi_identifiers, release.released
    trees = release.given_hierarchies
    for known in ({}, release.hierarchies):
        given_trees = {name: trees[name] for name in known}
        inputs = gather(
            arrow(rows), quasi_identifiers=names, hierarchies=given_trees, suppressed="class"
        )
        cells = {name: twin.suppressed_cells(rows, name, known.get(name)) for name in names}
        exact = Fraction(sum(cells.values()), len(rows) * len(names))
        result = computing("suppression")(inputs, limit=exact)
        assert (result.value, result.passed) == (float(exact), True)
        assert result.suppressed_cells == cells
        assert result.suppressed_rows == sum(twin.is_suppressed(row, names) for row in rows)
        assert result.suppressed_rows_share == result.suppressed_rows / len(rows)
        assert result.columns == {name: cells[name] / len(rows) for name in names}
        if exact:
            tighter = exact - Fraction(1, 10**30)
            assert computing("suppression")(inputs, limit=tighter).passed is False


# --- by hand --------------------------------------------------------------------------------


def test_average_class_size_by_hand() -> None:
    given: dict[str, Any] = {"quasi_identifiers": "born"}
    result = average_class_size(pa.table(ORIGINAL), pa.table(RELEASED), **given)
    # Classes of 2, 2 and 1 (the null) rows; in the original 5 classes of 6 rows.
    before, after = Fraction(6, 5), Fraction(5, 3)
    assert result.value == float(1 - (after - before) / (6 - before))
    assert (result.released.mean_class_size, result.original.mean_class_size) == (5 / 3, 1.2)
    assert (result.released.classes, result.original.classes) == (3, 5)
    assert result.explanation == (
        "a class has 1.7 rows on average; it had 1.2 in the original",
        "1 row is suppressed",
    )
    details = {name: entry.values for name, entry in result.table("details").items()}
    assert details == {
        "table": ["released", "original"],
        "rows": [5, 6],
        "classes": [3, 5],
        "mean_class_size": [5 / 3, 1.2],
        "suppressed_rows": [1, 0],
    }
    for suppressed in ("class", "exclude"):
        again = average_class_size(
            pa.table(ORIGINAL), pa.table(RELEASED), suppressed=suppressed, **given
        )
        assert again == result


def test_discernibility_by_hand() -> None:
    given: dict[str, Any] = {"quasi_identifiers": "born"}
    result = discernibility(pa.table(ORIGINAL), pa.table(RELEASED), **given)
    # 4 + 4 + 1, and 6 for the suppressed row; before 1 + 1 + 1 + 4 + 1.
    assert (result.penalty, result.original_penalty) == (15, 8)
    assert result.value == float(1 - Fraction(15 - 8, 36 - 8))
    assert result.explanation == (
        "on average a row is indistinguishable from 2.5 rows, itself included; in the original "
        "from 1.3",
        "1 row is suppressed",
    )
    details = {name: entry.values for name, entry in result.table("details").items()}
    assert details == {
        "table": ["released", "original"],
        "penalty": [15.0, 8.0],
        "penalty_per_row": [2.5, 8 / 6],
    }
    for suppressed in ("class", "exclude"):
        again = discernibility(
            pa.table(ORIGINAL), pa.table(RELEASED), suppressed=suppressed, **given
        )
        assert again == result


def test_suppression_by_hand() -> None:
    table = pa.table(
        {"born": ["197*", "*", "*", None], "place": ["Europe", "anywhere", "*", "anywhere"]}
    )
    places = {"Peru": ["America", "anywhere"], "France": ["Europe", "anywhere"]}
    given: dict[str, Any] = {"quasi_identifiers": ["place", "born"]}
    result = suppression(table, **given)
    assert (result.value, result.suppressed_cells) == (3 / 8, {"place": 1, "born": 2})
    result = suppression(table, hierarchies={"place": places}, **given)
    assert (result.value, result.suppressed_cells) == (5 / 8, {"place": 3, "born": 2})
    assert (result.suppressed_rows, result.suppressed_rows_share) == (1, 0.25)
    assert result.explanation == (
        "5 cells of 8 suppressed",
        "1 row of 4 (25 %) suppressed in every quasi-identifier",
        "place 0.75; born 0.5",
    )
    columns = {name: entry.values for name, entry in result.table("columnwise").items()}
    assert columns == {
        "attribute": ["place", "born"],
        "value": [0.75, 0.5],
        "suppressed_cells": [3, 2],
    }
    assert suppression(pa.table({"x": ["a"]}), quasi_identifiers="x").explanation == (
        "no cell of the quasi-identifiers is suppressed",
    )


def test_a_root_that_is_also_a_value_is_no_suppressed_cell() -> None:
    table = pa.table({"age": ["49", "50"]})
    ages = {"49": ["50"], "50": ["50"]}
    result = suppression(table, quasi_identifiers="age", hierarchies={"age": ages})
    assert result.value == 0


def test_a_rule_needs_no_original_here() -> None:
    table = pa.table({"zip": ["***", "47*", "*"]})
    given: dict[str, Any] = {"quasi_identifiers": "zip", "hierarchies": {"zip": mask_right()}}
    assert suppression(table, **given).value == 1 / 3
    # With an original its root is known: three marks.
    assert suppression(table, original=pa.table({"zip": [476, 477, 589]}), **given).value == 2 / 3


@both
def test_all_suppressed_is_the_worst(measure: Callable[..., Any]) -> None:
    original, released = pa.table({"x": list("abb")}), pa.table({"x": list("***")})
    result = measure(original, released, quasi_identifiers="x", limit=0)
    assert (result.value, result.passed) == (0.0, True)
    assert measure(original, released, quasi_identifiers="x", suppressed="exclude").value == 0
    assert result.explanation


def test_all_suppressed_has_no_mean() -> None:
    original, released = pa.table({"x": list("abb")}), pa.table({"x": list("***")})
    result = average_class_size(original, released, quasi_identifiers="x")
    assert result.released.mean_class_size is None
    assert result.explanation == ("every row is suppressed: no rows can be told apart",)
    assert result.table("details")["mean_class_size"].values == [None, 1.5]


@both
@pytest.mark.parametrize("before", [["a", "a"], ["*", "*"]])
@pytest.mark.parametrize("after", [["a", "a"], ["*", "*"], ["b", "c"]])
def test_an_original_of_one_class_has_nothing_to_lose(
    measure: Callable[..., Any], before: list[str], after: list[str]
) -> None:
    result = measure(pa.table({"x": before}), pa.table({"x": after}), quasi_identifiers="x")
    assert result.value == 1
    assert result.explanation


@both
def test_one_row(measure: Callable[..., Any]) -> None:
    assert measure(pa.table({"x": ["a"]}), pa.table({"x": ["b"]}), quasi_identifiers="x").value == 1


@both
def test_smaller_classes_than_before_are_no_better_than_as_before(
    measure: Callable[..., Any],
) -> None:
    original, released = pa.table({"x": list("aab")}), pa.table({"x": list("pqr")})
    assert measure(original, released, quasi_identifiers="x").value == 1


@both
def test_the_order_of_the_rows_does_not_matter(measure: Callable[..., Any]) -> None:
    names = {"quasi_identifiers": "born"}
    before, after = pa.table(ORIGINAL), pa.table(RELEASED)
    turned = after.take(pa.array([5, 3, 1, 0, 2, 4]))
    assert measure(before, turned, **names).value == measure(before, after, **names).value


@both
def test_dropped_rows_are_an_error(measure: Callable[..., Any]) -> None:
    with pytest.raises(InputError) as caught:
        measure(pa.table({"x": list("aab")}), pa.table({"x": list("aa")}), quasi_identifiers="x")
    assert str(caught.value) == (
        "the tables have different numbers of rows: 3 in the frame and 2 in the frame; suppress "
        "rows instead of dropping them"
    )


@both
def test_inputs_that_are_missing_are_named(measure: Callable[..., Any]) -> None:
    table = pa.table({"x": list("aab")})
    with pytest.raises(InputError, match="the original table is needed"):
        find_measure(measure.__name__).run(gather(table, quasi_identifiers="x"), {})
    with pytest.raises(RoleError, match="no quasi-identifier is known"):
        measure(table, table)
    with pytest.raises(ColumnError, match="unknown column 'x'"):
        measure(pa.table({"y": list("aab")}), table, quasi_identifiers="x")


@pytest.mark.parametrize(
    ("measure", "after", "expected"),
    [
        # Means of 1 and 2 rows: 1 - (2 - 1) / (5 - 1).
        (average_class_size, [*"aaab", "*"], "0.75"),
        # Penalties of 5 and 4 + 4 + 1: 1 - (9 - 5) / (25 - 5). The float 0.8 is a little more.
        (discernibility, [*"aabbc"], "0.8"),
    ],
)
@pytest.mark.parametrize("engine", TABLE_ENGINES)
def test_a_figure_that_equals_its_limit_keeps_it(
    measure: Callable[..., Any], after: list[str], expected: str, engine: str, tmp_path: Path
) -> None:
    tables = [
        on_engine({"x": cells}, engine, tmp_path / name)
        for name, cells in (("before", list("12345")), ("after", after))
    ]
    for limit, passed in [
        (expected, True),
        (float(expected), True),
        (f"{expected}000000000000000000001", False),
    ]:
        assert measure(*tables, quasi_identifiers="x", limit=limit).passed is passed


@pytest.mark.parametrize(("limit", "passed"), [(0.3, True), ("0.2999999999999999999", False)])
def test_the_limit_of_suppression_is_an_upper_one(limit: Any, passed: bool) -> None:
    table = pa.table({"x": [*"***", *"abcdefg"]})
    assert suppression(table, quasi_identifiers="x", limit=limit).passed is passed


def test_limits_out_of_range() -> None:
    table = pa.table({"x": ["a", "*"]})
    with pytest.raises(OptionError, match="no table exceeds 1, so every table would meet it"):
        suppression(table, quasi_identifiers="x", limit=2)
    assert Figure.of(suppression(table, quasi_identifiers="x", limit=1)).is_idle
    with pytest.raises(OptionError, match="the limit of suppression must not be negative, got -1"):
        suppression(table, quasi_identifiers="x", limit=-1)
    with pytest.warns(
        PetauditWarning,
        match="the limit of discernibility is 2; the figure never exceeds 1, so no table meets it",
    ):
        assert discernibility(table, table, quasi_identifiers="x", limit=2).passed is False


# --- the reference tables -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "average", "discernible"),
    [
        (ADULT_9, 0.9992930131052006, 0.7250163066696829),
        (ADULT_8, 0.9992707253704929, 0.7249885722738247),
        (ADULT_3, 0.991558195882348, 0.7265891025732629),
        (None, 0.9992707253704929, 0.7249885722738247),
    ],
    ids=["9 columns", "8 columns", "3 columns", "side-car"],
)
def test_the_classes_of_adult(
    shared_data: Path, names: tuple[str, ...] | None, average: float, discernible: float
) -> None:
    adult = shared_data / "adult"
    tables = (adult / "adult.csv", adult / "adult_anonymized.csv")
    result = average_class_size(*tables, quasi_identifiers=names)
    assert result.value == pytest.approx(average, abs=1e-12)
    told = discernibility(*tables, quasi_identifiers=names)
    assert told.value == pytest.approx(discernible, abs=1e-12)
    assert suppression(tables[1], quasi_identifiers=names).value == 8230 / 30_162
