"""What every registered measure keeps: its range, its direction, its word about errors and values.

``registry_cases`` has what is special about a measure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import strategies
from budget import examples
from measures.registry_cases import (
    ENTRIES,
    Outcome,
    Tables,
    generic,
    in_frames,
    measures_with,
    number_releases,
    outcome,
    outcomes,
    passing_inputs,
    population_of,
    tables,
)
from petaudit.errors import InputError, PetauditError
from petaudit.inputs import Inputs, gather
from petaudit.measures import Better, Result, all_measures
from petaudit.measures.base import Family
from strategies import STAR, Release, Rows, arrow

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
NO_SHRINKING = (Phase.explicit, Phase.generate)


def results(result: dict[str, Outcome]) -> Iterator[tuple[str, Result]]:
    """What could be measured."""
    for name, entry in result.items():
        if isinstance(entry, Result):
            yield name, entry


# --- the figure -----------------------------------------------------------------------------


@settings(max_examples=examples(60), phases=NO_SHRINKING)
@given(asked=tables(), reveal=st.booleans())
def test_figures_verdicts_and_plain_data(asked: Tables, reveal: bool) -> None:
    """A figure on the wrong side of its limit fails, with rows that break it where it says so."""
    inputs = replace(in_frames(asked), reveal_values=reveal)
    for name, result in results(outcomes(inputs)):
        measure = all_measures()[name]
        lower, upper = measure.range
        assert lower <= result.value <= upper, name  # which no NaN is
        assert isinstance(result.passed, bool), name
        if result.limit is not None and result.value != result.limit:
            is_better = (result.value < result.limit) is (result.better is Better.LOWER)
            assert is_better or not result.passed, name
        takes = result.remedy
        if takes is not None:
            # Some limits are broken by the table as a whole, by no row of its own.
            assert not result.passed or takes.rows_to_suppress == 0, name
            assert 0 <= takes.rows_breaking <= inputs.table.rows, name
            assert takes.rows_to_suppress is None or (
                0 <= takes.rows_to_suppress <= inputs.table.rows
            ), name
        plain = result.to_dict()
        assert json.loads(json.dumps(plain, allow_nan=False)) == plain, name
        assert plain["measure"] == name
        assert plain["better"] == measure.better
        for granularity in measure.granularities:
            columns = result.table(granularity)
            assert len({len(column.values) for column in columns.values()}) == 1, (
                name,
                granularity,
            )


@settings(max_examples=examples(40), phases=NO_SHRINKING)
@given(asked=tables(), reveal=st.booleans())
def test_a_measure_says_the_same_again_and_without_a_limit(asked: Tables, reveal: bool) -> None:
    """From the counts that are known by then, in another order, and from new ones.

    The figure does not depend on limits either, nor on who may see values.
    """
    inputs = in_frames(asked)
    first = outcomes(inputs)
    again = {
        name: outcome(name, inputs, ENTRIES[name].options) for name in reversed(list(generic()))
    }
    fresh = outcomes(in_frames(asked))
    for other in (again, fresh):
        for name, entry in first.items():
            if isinstance(entry, Result):
                result = other[name]
                assert isinstance(result, Result), name
                assert result.to_dict() == entry.to_dict(), name
                assert result.explanation == entry.explanation, name
            else:
                assert str(other[name]) == str(entry), name
    shown = replace(in_frames(asked), reveal_values=reveal)
    for name, result in results(first):
        options = {
            key: value
            for key, value in ENTRIES[name].options.items()
            if key not in {"limit", "worst"}
            and not (key == "k" and name in {"alpha-k-anonymity", "strict-average-risk"})
        }
        free = outcome(name, shown, options)
        assert isinstance(free, Result), (name, str(free))
        assert free.value == result.value, name
        if "limit" in ENTRIES[name].options:
            assert (free.passed, free.limit, free.remedy) == (None, None, None), name


# --- the direction --------------------------------------------------------------------------


def is_at_least_as_good(better: Better, result: Outcome, than: Outcome) -> bool:
    """Whether a figure is as good as another one; one that cannot be measured is no worse."""
    if not isinstance(result, Result) or not isinstance(than, Result):
        return True
    slack = 1e-9
    if better is Better.LOWER:
        return result.value <= than.value + slack
    return result.value >= than.value - slack


@st.composite
def people(draw: st.DrawFn) -> Rows:
    """People of a few classes, none of them suppressed."""
    size = draw(st.integers(1, 14))
    cells = {"zip": "ab", "age": "12", "pay": "135", "disease": "pqr"}
    columns = {
        name: draw(st.lists(st.sampled_from(cell), min_size=size, max_size=size))
        for name, cell in cells.items()
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def privacy_inputs(rows: Rows, others: Rows) -> Inputs:
    return gather(
        arrow(rows),
        original=arrow(rows),
        population=arrow([*rows, *others]),
        quasi_identifiers=["zip", "age"],
        sensitive=["pay", "disease"],
    )


@settings(max_examples=examples(80), phases=NO_SHRINKING)
@given(rows=people(), others=people())
def test_everybody_in_one_class_is_at_least_as_private(rows: Rows, others: Rows) -> None:
    def one_class(own: Rows) -> Rows:
        return [row | {"zip": "any", "age": "any"} for row in own]

    before = privacy_inputs(rows, others)
    after = privacy_inputs(one_class(rows), one_class(others))
    for name in measures_with(Family.PRIVACY, Family.RISK):
        measure, options = all_measures()[name], ENTRIES[name].options
        if ENTRIES[name].is_estimate:
            continue
        pair = [outcome(name, inputs, options) for inputs in (after, before)]
        assert all(isinstance(own, Result) for own in pair), (name, pair)
        assert is_at_least_as_good(measure.better, *pair), name


def utility_inputs(release: Release, released: Rows) -> Inputs:
    release = replace(release, released=released)
    return in_frames(Tables(release, population_of(release)))


@settings(max_examples=examples(60), phases=NO_SHRINKING)
@given(release=number_releases())
def test_nothing_is_as_useful_as_the_original_and_nothing_as_useless_as_stars(
    release: Release,
) -> None:
    """Releasing the original scores best, suppressing everything worst, all else in between."""
    stars = [row | dict.fromkeys(release.quasi_identifiers, STAR) for row in release.original]
    best, between, worst = (
        utility_inputs(release, rows) for rows in (release.original, release.released, stars)
    )
    for name in measures_with(Family.UTILITY):
        measure, options = all_measures()[name], ENTRIES[name].options
        ends = sorted(measure.range, reverse=measure.better is Better.HIGHER)
        of_original = outcome(name, best, options)
        assert isinstance(of_original, Result), (name, str(of_original))
        assert of_original.value == pytest.approx(ends[0], abs=1e-9), name
        of_release = outcome(name, between, options)
        assert is_at_least_as_good(measure.better, of_original, of_release), name
        of_stars = outcome(name, worst, options)
        if not ENTRIES[name].stars_are_spread:
            assert is_at_least_as_good(measure.better, of_release, of_stars), name


# --- tables with little in them -------------------------------------------------------------

COLUMNS = ("born", "pay")


@pytest.mark.parametrize("which", ["table", "original", "population"])
def test_a_header_without_rows_is_a_clear_error(which: str) -> None:
    nothing = pa.table({column: pa.array([], pa.string()) for column in COLUMNS})
    something = pa.table({"born": ["197*"], "pay": ["1"]})
    given = {"table": something, "original": something, "population": something, which: nothing}
    for name, measure in generic().items():
        with pytest.raises(InputError, match="has a header but no rows"):
            measure.run(
                gather(**given, quasi_identifiers="born", sensitive="pay"), ENTRIES[name].passing
            )


@pytest.mark.parametrize("suppressed", ["exclude", "class"])
@pytest.mark.parametrize(
    ("born", "pay"),
    [("197*", "1"), ("1970", "1"), ("*", "1"), (None, "1"), ("197*", None), (None, None)],
)
def test_one_row_has_a_figure_or_an_error_on_purpose(
    suppressed: str, born: str | None, pay: str | None
) -> None:
    inputs = passing_inputs(
        table={"born": [born], "pay": [pay]},
        original=strategies.arrow_columns({"born": ["1970"], "pay": [pay]}),
        suppressed=suppressed,
    )
    for name, measure in generic().items():
        result = outcome(name, inputs, ENTRIES[name].passing)
        if isinstance(result, PetauditError):
            assert str(result), name
            continue
        lower, upper = measure.range
        assert lower <= result.value <= upper, name
        assert result.explanation, name


@pytest.mark.parametrize("suppressed", ["exclude", "class"])
def test_a_table_of_suppressed_rows_has_a_figure_or_says_why_not(suppressed: str) -> None:
    inputs = passing_inputs(
        table={"born": ["*"] * 4, "pay": ["1", "2", "1", "3"]}, suppressed=suppressed
    )
    for name, measure in generic().items():
        result = outcome(name, inputs, ENTRIES[name].passing)
        if isinstance(result, PetauditError):
            assert "suppressed" in str(result), name
            assert suppressed == "exclude", name
        elif measure.family is Family.UTILITY and not ENTRIES[name].stars_are_spread:
            worst = max(measure.range) if measure.better is Better.LOWER else min(measure.range)
            columns = 2 if ENTRIES[name].looks_at_all_columns else 1
            assert result.value == pytest.approx(worst / columns), name


# --- what a result tells --------------------------------------------------------------------


@settings(max_examples=examples(40), phases=NO_SHRINKING)
@given(asked=tables())
def test_no_cell_is_in_a_result_unless_values_are_revealed(asked: Tables) -> None:
    """Labels of quasi-identifiers and diseases carry a mark that no result may show."""
    release = asked.release
    names = (*release.quasi_identifiers, release.disease)
    mark = "@cell@"

    def shown(label: str | None) -> str | None:
        return label if label in (None, STAR, strategies.NULL) else f"{label}{mark}"

    def changed(rows: Rows) -> Rows:
        return [{n: shown(c) if n in names else c for n, c in row.items()} for row in rows]

    hierarchies = {
        name: {
            str(shown(leaf)): [str(shown(entry)) for entry in path] for leaf, path in tree.items()
        }
        if name in names
        else tree
        for name, tree in release.hierarchies.items()
    }
    entry = replace(release.with_rows(changed), hierarchies=hierarchies)
    inputs = in_frames(Tables(entry, changed(asked.population)))
    for name, result in outcomes(inputs).items():
        if isinstance(result, PetauditError):
            assert mark not in result.text, name
            continue
        told = [json.dumps(result.to_dict()), *result.explanation, *result.warnings, repr(result)]
        for granularity in all_measures()[name].granularities:
            told += [str(column.values) for column in result.table(granularity).values()]
        assert not any(mark in text for text in told), name


def test_revealing_values_shows_them_in_the_worst_classes() -> None:
    """The other way round: the test above would notice."""
    inputs: Any = passing_inputs(reveal_values=True)
    result = outcome("t-closeness", inputs, {"worst": 9})
    assert isinstance(result, Result)
    assert "197*" in json.dumps(result.to_dict())
