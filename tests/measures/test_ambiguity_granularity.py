"""Ambiguity and granularity: what a generalised label may stand for."""

from __future__ import annotations

import warnings
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
from petaudit.errors import HierarchyError, OptionError, PetauditWarning, RoleError
from petaudit.inputs import gather
from petaudit.labels.rules import mask_right
from petaudit.measures.ambiguity import ambiguity
from petaudit.measures.granularity import granularity
from strategies import NULL, TABLE_ENGINES, Release, arrow, on_engine

PLACES = {"Germany": ["Europe", "*"], "France": ["Europe", "*"], "Peru": ["America", "*"]}
SEXES = {"F": ["*"], "M": ["*"]}
HIERARCHIES = {"place": PLACES, "sex": SEXES}
# 2 * 1, 1 * 2 and, suppressed, 3 * 2 of 3 * 2 combinations.
EXAMPLE = {"place": ["Europe", "Peru", "*"], "sex": ["F", "*", "*"]}

both = pytest.mark.parametrize("measure", [ambiguity, granularity])
# The reference tables hold labels of two levels, which is worth a warning.
quietly = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
figures = pytest.mark.parametrize(
    ("compute", "expected"),
    [(computing("ambiguity"), twin.ambiguity), (computing("granularity"), twin.granularity)],
    ids=["ambiguity", "granularity"],
)


# --- agreement with the twin ----------------------------------------------------------------


@figures
@settings(max_examples=examples(120))
@given(release=strategies.releases())
def test_the_figure_is_the_twins(
    compute: Callable[..., Any], expected: Callable[..., Fraction], release: Release
) -> None:
    names, rows = release.quasi_identifiers, release.released
    inputs = gather(arrow(rows), quasi_identifiers=names, hierarchies=release.given_hierarchies)
    exact = expected(rows, names, release.hierarchies)
    result = compute(inputs, limit=exact)
    assert (result.value, result.passed) == (float(exact), True)
    assert compute(inputs, limit=exact + Fraction(1, 10**30)).passed is False
    assert result.columns == {
        name: float(expected(rows, [name], release.hierarchies)) for name in names
    }
    # The same again in the words of the paper on granularity.
    assert result.columns == {
        name: float(1 - twin.iyengar_loss(rows, name, release.hierarchies[name])) for name in names
    }


@figures
@settings(max_examples=examples(40))
@given(release=strategies.releases())
def test_unknown_labels_may_stand_for_anything(
    compute: Callable[..., Any], expected: Callable[..., Fraction], release: Release
) -> None:
    names = release.quasi_identifiers
    rows = [
        row | {names[0]: "unheard of"} if index % 3 == 1 else row
        for index, row in enumerate(release.released)
    ]
    # A hierarchy without an empty leaf does not know nulls either.
    trees = {
        name: {leaf: path for leaf, path in entry.items() if leaf != NULL} or {"x": ["*"]}
        for name, entry in release.hierarchies.items()
    }
    inputs = gather(arrow(rows), quasi_identifiers=names, hierarchies=trees)
    exact = expected(rows, names, trees, unknown="maximal")
    assert compute(inputs, unknown="maximal").value == float(exact)


# --- by hand --------------------------------------------------------------------------------


def test_ambiguity_by_hand() -> None:
    result = ambiguity(pa.table(EXAMPLE), hierarchies=HIERARCHIES)
    # (2 + 2 + 6 - 3) / (3 * 6 - 3)
    assert result.value == float(1 - Fraction(7, 15))
    assert (result.mean_combinations, result.possible_combinations) == (10 / 3, 6.0)
    # place: (2 + 1 + 3 - 3) / (3 * 3 - 3); sex: (1 + 2 + 2 - 3) / (3 * 2 - 3)
    assert result.columns == {"place": 0.5, "sex": float(1 - Fraction(2, 3))}
    assert result.explanation == (
        "on average a row may stand for 3.33333 of 6 combinations of values",
        "sex 0.3333; place 0.5",
    )
    assert result.table("columnwise")["value"].values == list(result.columns.values())


def test_granularity_by_hand() -> None:
    result = granularity(pa.table(EXAMPLE), hierarchies=HIERARCHIES)
    # Shares: place (2/3 + 1/3 + 1) / 3 = 2/3, sex (1/2 + 1 + 1) / 3 = 5/6; least 1/3 and 1/2.
    mean, least = Fraction(3, 4), Fraction(5, 12)
    assert result.value == float(1 - (mean - least) / (1 - least))
    assert result.columns == {"place": 0.5, "sex": float(Fraction(1, 3))}
    assert result.suppressed_rows == 1
    assert result.explanation == ("sex 0.3333; place 0.5", "1 row is suppressed")


def test_granularity_is_normalised_after_averaging() -> None:
    # A domain of 2 and one of 4, the latter lost: (1/2 + 1) / 2 of at least (1/2 + 1/4) / 2.
    trees = {"a": {"1": "*", "2": "*"}, "b": dict.fromkeys("wxyz", "*")}
    result = granularity(pa.table({"a": ["1"], "b": ["*"]}), hierarchies=trees)
    assert result.columns == {"a": 1.0, "b": 0.0}
    assert result.value == float(1 - Fraction(3, 8) / Fraction(5, 8))
    assert result.value != 0.5


@both
def test_a_single_column_is_not_taken_for_suppressed(measure: Callable[..., Any]) -> None:
    """In ARX all values of a row are then equal to each other, which it reads as suppressed."""
    table = pa.table({"place": ["Peru", "France", "Germany"]})
    assert measure(table, hierarchies={"place": PLACES}).value == 1


@both
def test_nothing_to_lose_is_nothing_lost(measure: Callable[..., Any]) -> None:
    table = pa.table({"x": ["a", "*"], "y": ["b", "*"]})
    result = measure(table, hierarchies={"x": {"a": "*"}, "y": {"b": "*"}})
    assert (result.value, set(result.columns.values())) == (1.0, {1.0})


@both
def test_everything_suppressed_is_everything_lost(measure: Callable[..., Any]) -> None:
    table = pa.table({"place": ["*", "*"], "sex": ["*", "*"]})
    result = measure(table, hierarchies=HIERARCHIES, limit=0)
    assert (result.value, result.passed) == (0.0, True)


@both
def test_one_row_that_says_everything(measure: Callable[..., Any]) -> None:
    assert measure(pa.table({"place": ["Peru"]}), hierarchies={"place": PLACES}).value == 1


@both
def test_a_label_of_several_levels_counts_as_all_that_it_may_mean(
    measure: Callable[..., Any],
) -> None:
    ages = {"49": ["50"], "50": ["50"], "51": ["50"]}
    with pytest.warns(PetauditWarning, match=r"'age': 1 label occurs .* all leaves that it may"):
        result = measure(pa.table({"age": ["50", "49"]}), hierarchies={"age": ages})
    # (3 + 1 - 2) / (2 * 3 - 2)
    assert result.value == 0.5


@both
def test_a_label_that_means_the_same_on_two_levels_is_no_reason_to_warn(
    measure: Callable[..., Any],
) -> None:
    hierarchy = {"a": ["a", "*"], "b": ["b", "*"]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert measure(pa.table({"x": ["a", "*"]}), hierarchies={"x": hierarchy}).value == 0.5


@both
def test_nulls_need_an_empty_leaf(measure: Callable[..., Any]) -> None:
    table = pa.table({"place": ["France", None]})
    with pytest.raises(HierarchyError, match=r"'place' holds 1 label not found in .* null"):
        measure(table, hierarchies={"place": PLACES})
    assert measure(table, hierarchies={"place": PLACES | {"": ["", "*"]}}).value == 1
    assert measure(table, hierarchies={"place": PLACES}, unknown="maximal").value == 0.5


@both
def test_unknown_labels_are_an_error(measure: Callable[..., Any]) -> None:
    with pytest.raises(HierarchyError) as caught:
        measure(pa.table({"place": ["Frence"]}), hierarchies={"place": PLACES})
    assert "column 'place' holds 1 label not found in its hierarchy" in str(caught.value)
    assert "(did you mean 'France'?)" in caught.value.with_values
    assert "Frence" not in str(caught.value)


@both
@pytest.mark.parametrize("unknown", ["maximum", "", None, True, []])
def test_unknown_has_two_choices(measure: Callable[..., Any], unknown: Any) -> None:
    with pytest.raises(OptionError, match="unknown must be error or maximal, got "):
        measure(pa.table(EXAMPLE), hierarchies=HIERARCHIES, unknown=unknown)


@both
def test_what_is_missing_is_named(measure: Callable[..., Any]) -> None:
    with pytest.raises(HierarchyError, match="no hierarchy for column 'sex'"):
        measure(
            pa.table(EXAMPLE), quasi_identifiers=["place", "sex"], hierarchies={"place": PLACES}
        )
    with pytest.raises(RoleError, match="hierarchies are for: zip"):
        measure(pa.table(EXAMPLE), hierarchies={"zip": PLACES})


@both
def test_a_rule_takes_its_values_from_the_original(measure: Callable[..., Any]) -> None:
    released, original = pa.table({"zip": ["47*", "***"]}), pa.table({"zip": [476, 589]})
    result = measure(
        released, original=original, quasi_identifiers="zip", hierarchies={"zip": mask_right()}
    )
    assert result.value == 0.5


@both
@pytest.mark.parametrize("engine", TABLE_ENGINES)
@pytest.mark.parametrize(
    ("limit", "passed"), [("0.5", True), (0.5, True), ("0.50000000000000000001", False)]
)
def test_a_figure_that_equals_its_limit_keeps_it(
    measure: Callable[..., Any], engine: str, limit: Any, passed: bool, tmp_path: Path
) -> None:
    table = on_engine({"x": ["1", "*"], "other": list("yz")}, engine, tmp_path / "table")
    result = measure(
        table, quasi_identifiers="x", hierarchies={"x": {"1": "*", "2": "*"}}, limit=limit
    )
    assert result.passed is passed


@both
def test_a_limit_above_one_is_worth_a_warning(measure: Callable[..., Any]) -> None:
    with pytest.warns(PetauditWarning, match="the figure never exceeds 1, so no table meets it"):
        assert measure(pa.table(EXAMPLE), hierarchies=HIERARCHIES, limit=1.5).passed is False
    with pytest.raises(
        OptionError, match=f"the limit of {measure.__name__} must not be negative, got -1"
    ):
        measure(pa.table(EXAMPLE), hierarchies=HIERARCHIES, limit=-1)


# --- the reference tables -------------------------------------------------------------------


@quietly
@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (ADULT_9, 0.7271401084040343),
        (ADULT_8, 0.72714009672634),
        (ADULT_3, 0.7271401100722763),
        (None, 0.72714009672634),
    ],
    ids=["9 columns", "8 columns", "3 columns", "side-car"],
)
def test_ambiguity_of_adult(
    shared_data: Path, names: tuple[str, ...] | None, expected: float
) -> None:
    adult = shared_data / "adult"
    result = ambiguity(
        adult / "adult_anonymized.csv",
        quasi_identifiers=names,
        hierarchies=adult / "adult_hierarchy" if names else None,
    )
    assert result.value == pytest.approx(expected, abs=1e-12)


@quietly
def test_granularity_of_adult(shared_data: Path) -> None:
    adult = shared_data / "adult"
    result = granularity(
        adult / "adult_anonymized.csv",
        quasi_identifiers=ADULT_3,
        hierarchies=adult / "adult_hierarchy",
    )
    # 8,230 of 30,162 rows are suppressed and nothing else is generalised.
    assert result.value == float(Fraction(30_162 - 8_230, 30_162))
