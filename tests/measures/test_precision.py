"""Precision: agreement with the definition, suppressed rows, unknown labels, limits."""

from __future__ import annotations

import warnings
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings

import strategies
import twins
from budget import examples
from measures.running import computing
from petaudit import mask_right, precision
from petaudit.errors import ColumnError, HierarchyError, OptionError, PetauditWarning, RoleError
from petaudit.inputs import gather
from petaudit.measures import Result
from strategies import NULL, STAR, Release, arrow

PLACES = {"Germany": ["Europe", "*"], "France": ["Europe", "*"]}
YEARS = {"1970": ["197*", "19**", "*"], "1983": ["198*", "19**", "*"]}
EXAMPLE = {"place": ["Europe"] * 4, "born": ["197*", "197*", "198*", "198*"]}
HIERARCHIES = {"place": PLACES, "born": YEARS}

compute = computing("precision")


def measured(release: Release, **options: Any) -> Result:
    inputs = gather(
        arrow(release.released),
        quasi_identifiers=release.quasi_identifiers,
        hierarchies=release.given_hierarchies,
    )
    return compute(inputs, **options)


# --- agreement with the twin ----------------------------------------------------------------


@settings(max_examples=examples(200))
@given(release=strategies.releases())
def test_precision_is_the_twins(release: Release) -> None:
    names, rows = release.quasi_identifiers, release.released
    result = measured(release)
    assert result.value == float(twins.precision(rows, names, release.hierarchies))
    assert result.columns == {
        name: float(twins.precision(rows, [name], release.hierarchies, suppressed_when=names))
        for name in names
    }
    assert result.suppressed_rows == sum(twins.is_suppressed(row, names) for row in rows)


@settings(max_examples=examples(60))
@given(release=strategies.releases())
def test_unknown_labels_count_as_lost_on_request(release: Release) -> None:
    name = release.quasi_identifiers[-1]
    rows = [
        row if index % 3 or twins.is_suppressed(row, release.quasi_identifiers) else row | strange
        for index, row in enumerate(release.released)
        for strange in [{name: ("unheard of", "never seen")[index % 2]}]
    ]
    # A hierarchy without an empty leaf does not know nulls either.
    hierarchies = release.hierarchies | {
        name: {leaf: path for leaf, path in release.hierarchies[name].items() if leaf != NULL}
    }
    changed = Release(rows, rows, hierarchies, release.quasi_identifiers)
    expected = twins.precision(rows, release.quasi_identifiers, hierarchies, unknown="maximal")
    assert measured(changed, unknown="maximal").value == float(expected)


@settings(max_examples=examples(50))
@given(release=strategies.releases())
def test_without_roles_every_column_with_a_hierarchy_is_measured(release: Release) -> None:
    columns = [*release.quasi_identifiers, release.disease]
    result = compute(gather(arrow(release.released), hierarchies=release.given_hierarchies))
    assert list(result.columns) == columns
    expected = twins.precision(release.released, columns, release.hierarchies)
    assert result.value == float(expected)


# --- by hand --------------------------------------------------------------------------------


def test_a_single_quasi_identifier_is_measured_rightly() -> None:
    result = precision(pa.table(EXAMPLE), quasi_identifiers="born", hierarchies=HIERARCHIES)
    assert result.value == 2 / 3
    assert result.columns == {"born": 2 / 3}


def test_nothing_generalised_is_fully_precise() -> None:
    table = pa.table({"place": ["France"], "born": ["1970"]})
    assert precision(table, hierarchies=HIERARCHIES, limit=1).passed is True


def test_every_cell_of_a_suppressed_row_is_lost() -> None:
    # The hierarchy names `*` at the first of two levels, where a cell costs only a half.
    hierarchy = {"a": ["*", "top"], "b": ["*", "top"]}
    both = pa.table({"x": ["*", "a"], "y": ["*", "*"]})
    result = precision(both, hierarchies={"x": hierarchy, "y": hierarchy})
    assert result.suppressed_rows == 1
    assert result.columns == {"x": 1 / 2, "y": 1 / 4}


def test_a_suppressed_row_is_lost_even_where_the_hierarchy_has_one_level() -> None:
    table = pa.table({"x": ["*", "a"]})
    assert precision(table, hierarchies={"x": {"a": []}}).value == 1 / 2


def test_the_star_is_the_top_level_where_the_hierarchy_does_not_name_it() -> None:
    table = pa.table({"x": ["*"], "y": ["b"]})
    hierarchies = {"x": {"a": ["A", "top"]}, "y": {"b": ["B", "top"]}}
    assert precision(table, hierarchies=hierarchies).columns == {"x": 0.0, "y": 1.0}


def test_a_label_counts_at_its_lowest_level_and_the_reader_is_told() -> None:
    hierarchy = {"49": ["50"], "50": ["50"]}
    with pytest.warns(PetauditWarning, match=r"'age': 1 label occurs at more than one level"):
        result = precision(pa.table({"age": ["50"]}), hierarchies={"age": hierarchy})
    assert result.value == 1


def test_an_ambiguous_label_that_does_not_occur_is_not_worth_a_warning() -> None:
    hierarchy = {"49": ["50"], "50": ["50"]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        precision(pa.table({"age": ["49"]}), hierarchies={"age": hierarchy})


def test_nulls_need_an_empty_leaf() -> None:
    table = pa.table({"place": ["France", None]})
    with pytest.raises(HierarchyError, match=r"'place' holds 1 label not found in .* null"):
        precision(table, hierarchies={"place": PLACES})
    result = precision(table, hierarchies={"place": PLACES | {"": ["unknown", "*"]}})
    assert result.value == 1


def test_a_null_released_for_a_null_keeps_its_level() -> None:
    hierarchy = PLACES | {"": ["", "*"]}
    table = pa.table({"place": ["Europe", None]})
    assert precision(table, hierarchies={"place": hierarchy}).value == 3 / 4


def test_unknown_labels_are_an_error_by_default_and_quoted_on_request_only() -> None:
    table = pa.table({"place": ["Frence", "x1", "x2", "x3"]})
    with pytest.raises(HierarchyError) as caught:
        precision(table, hierarchies={"place": PLACES})
    message = str(caught.value)
    assert "column 'place' holds 4 labels" in message
    assert message.endswith("in 4 rows of the frame (data rows 1, 2, 3 and 1 more)")
    assert not any(label in message for label in ("Frence", "x1", "France"))
    # Three are quoted, so no fourth is suggested.
    assert caught.value.with_values.endswith("'Frence', 'x1', 'x2' and 1 more")


def test_unknown_labels_cost_one_on_request() -> None:
    table = pa.table({"place": ["Frence", "Europe"]})
    assert precision(table, hierarchies={"place": PLACES}, unknown="maximal").value == 1 / 4


@pytest.mark.parametrize("unknown", ["maximum", "", None, True])
def test_unknown_has_two_choices(unknown: Any) -> None:
    with pytest.raises(OptionError, match="unknown must be error or maximal, got "):
        precision(pa.table(EXAMPLE), hierarchies=HIERARCHIES, unknown=unknown)


def test_a_quasi_identifier_without_hierarchy_is_an_error() -> None:
    with pytest.raises(HierarchyError, match="no hierarchy for column 'place'"):
        precision(
            pa.table(EXAMPLE), quasi_identifiers=["place", "born"], hierarchies={"born": YEARS}
        )


def test_hierarchies_for_other_columns_only_are_an_error() -> None:
    with pytest.raises(RoleError, match="hierarchies are for: zip"):
        precision(pa.table(EXAMPLE), hierarchies={"zip": PLACES})


def test_a_rule_takes_its_values_from_the_original() -> None:
    released, original = pa.table({"zip": ["47*", "***"]}), pa.table({"zip": [476, 479]})
    given: dict[str, Any] = {"quasi_identifiers": "zip", "hierarchies": {"zip": mask_right()}}
    assert precision(released, original=original, **given).value == 1 / 3
    with pytest.raises(HierarchyError, match="'zip' is a rule: it needs the original table"):
        precision(released, **given)


def test_a_rule_for_a_column_that_the_original_lacks_is_an_error() -> None:
    released, original = pa.table({"zip": ["47*"]}), pa.table({"zap": ["476"]})
    with pytest.raises(ColumnError, match=r"unknown column 'zip' \(did you mean 'zap'\?\)"):
        precision(released, original=original, hierarchies={"zip": mask_right()})


# --- limits ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "passed"),
    [
        (Fraction(7, 12), True),
        ("0.58333333333333333", True),
        ("0.58333333333333334", False),
        (0, True),
        (1, False),
        (None, None),
    ],
)
def test_the_limit_is_a_lower_one_and_exact(limit: Any, passed: bool | None) -> None:
    result = precision(pa.table(EXAMPLE), hierarchies=HIERARCHIES, limit=limit)
    assert result.passed is passed


def test_the_explanation_names_the_least_precise_column_first() -> None:
    table = pa.table({"place": ["Europe", STAR, STAR], "born": ["197*", STAR, STAR]})
    result = precision(table, hierarchies=HIERARCHIES)
    assert result.explanation == ("place 0.1667; born 0.2222", "2 rows are suppressed")


def test_the_explanation_of_a_wide_table_stays_short() -> None:
    names = [f"c{index}" for index in range(15)]
    table = pa.table({name: ["France"] for name in names})
    result = precision(table, hierarchies=dict.fromkeys(names, PLACES))
    assert result.explanation[0].endswith("; and 3 more columns")
    assert len(result.columns) == 15
