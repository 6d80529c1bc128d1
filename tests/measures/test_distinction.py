"""Distinction and separation: the paper's table, counting by hand, every way of counting."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import petaudit
import strategies
from budget import examples
from measures import people_twin
from measures.running import computing
from petaudit.errors import InputError, NotMeasurableError, OptionError
from petaudit.inputs import gather
from petaudit.measures import distinction as module
from petaudit.measures import find_measure
from petaudit.measures.base import Result
from petaudit.measures.distinction import distinction
from petaudit.singling import column_sets
from petaudit.tables import open_source
from petaudit.tables.set_counts import count_sets
from strategies import Release

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
# Table 1 of Motwani and Xu, which ARX tests its figures with as well.
PAPER = pa.table(
    {
        "age": ["20", "30", "40", "20", "40"],
        "sex": ["Female", "Female", "Female", "Male", "Male"],
        "state": ["CA", "CA", "TX", "NY", "CA"],
    }
)
NAMES = ["age", "sex", "state"]
Figures = dict[tuple[str, ...], tuple[Fraction, Fraction]]


def twin(rows: Sequence[Mapping[str, Any]], names: Sequence[str], up_to: int) -> Figures:
    """From the definitions alone: remove rows until the set is a key, and look at every pair."""
    figures: Figures = {}
    for size in range(1, up_to + 1):
        for columns in itertools.combinations(names, size):
            cells = [tuple(row[name] for name in columns) for row in rows]
            kept: list[tuple[Any, ...]] = []
            for cell in cells:
                if cell not in kept:
                    kept.append(cell)
            pairs = list(itertools.combinations(cells, 2))
            apart = sum(one != other for one, other in pairs)
            figures[columns] = (
                Fraction(len(kept), len(cells)),
                Fraction(apart, len(pairs)) if pairs else Fraction(1),
            )
    return figures


def as_floats(figures: Figures) -> dict[tuple[str, ...], tuple[float, float]]:
    return {columns: (float(one), float(other)) for columns, (one, other) in figures.items()}


def figures_of(result: Result) -> dict[tuple[str, ...], tuple[float, float]]:
    return {each.columns: (each.distinction, each.separation) for each in result.sets}


# --- published and by hand -------------------------------------------------------------------


def test_the_table_of_the_paper() -> None:
    """The figures that ARX is tested with (TestRiskQuasiIdentifiers)."""
    result = distinction(PAPER, quasi_identifiers=NAMES)
    assert figures_of(result) == {
        ("age",): (0.6, 0.8),
        ("sex",): (0.4, 0.6),
        ("state",): (0.6, 0.7),
        ("age", "sex"): (1.0, 1.0),
        ("age", "state"): (1.0, 1.0),
        ("sex", "state"): (0.8, 0.9),
        ("age", "sex", "state"): (1.0, 1.0),
    }
    assert (result.value, result.separation, result.max_columns) == (1.0, 1.0, 3)


def test_by_hand() -> None:
    """Zips 1 1 1 2 2 3: three values in six rows; 3 + 1 of the 15 pairs agree."""
    table = pa.table({"zip": ["1", "1", "1", "2", "2", "3"]})
    result = distinction(table, quasi_identifiers="zip", limit="0.5")
    assert result.exact_value == Fraction(1, 2)
    assert (result.separation, result.passed, result.sets_above_limit) == (11 / 15, True, 0)
    assert distinction(table, quasi_identifiers="zip", limit="0.4999").passed is False
    assert result.explanation == (
        "strongest column: zip (distinction 0.5, separation 0.7333)",
        "0 sets above the limit, of 1 set of up to 1 column",
    )


def test_a_single_row_is_told_apart_from_nobody() -> None:
    """There is no pair that agrees, so what is a key separates all pairs, as always."""
    result = distinction(pa.table({"zip": ["1"]}), quasi_identifiers="zip")
    assert (result.value, result.separation) == (1.0, 1.0)


def test_no_row_at_all() -> None:
    with pytest.raises(InputError, match="no rows"):
        distinction(pa.table({"zip": pa.array([], pa.string())}), quasi_identifiers="zip")
    with pytest.raises(NotMeasurableError, match="every row is suppressed"):
        distinction(pa.table({"zip": ["*"]}), quasi_identifiers="zip", suppressed="exclude")


def test_all_columns_are_the_average_risk() -> None:
    """The risk of an average row is the number of classes by that of rows, too."""
    inputs = gather(PAPER.slice(0, 4), quasi_identifiers=["sex", "state"])
    risk = petaudit.prosecutor_risk(PAPER.slice(0, 4), quasi_identifiers=["sex", "state"])
    assert computing("distinction")(inputs).value == risk.average == 0.75


# --- agreement with the twin -----------------------------------------------------------------


@settings(max_examples=examples(60))
@given(release=strategies.releases(), up_to=st.integers(1, 3), exclude=st.booleans())
def test_both_ways_of_counting_agree_with_the_twin(
    release: Release, up_to: int, exclude: bool
) -> None:
    """Nulls are values of their own, and rows with ``*`` everywhere are left out if asked."""
    names = release.quasi_identifiers
    rows = release.released
    if exclude:
        rows = [row for row in rows if any(row[name] != "*" for name in names)]
    options: dict[str, Any] = {
        "quasi_identifiers": names,
        "suppressed": "exclude" if exclude else "class",
    }
    table = strategies.arrow(release.released)
    if not rows:
        with pytest.raises(NotMeasurableError):
            distinction(table, **options)
        return
    expected = twin(rows, names, min(up_to, len(names)))
    result = distinction(table, max_columns=up_to, **options)
    assert figures_of(result) == as_floats(expected)
    assert result.exact_value == max(one for one, _ in expected.values())
    sets = [tuple(names.index(name) for name in columns) for columns in expected]
    counts = count_sets(open_source(table).counts, names, sets, with_suppressed=not exclude)
    assert [(each.distinction, each.separation) for each in counts] == list(expected.values())


@pytest.mark.parametrize("suppressed", ["exclude", "class"])
@pytest.mark.parametrize("seed", range(8))
def test_rows_of_one_person_with_equal_values_are_one(seed: int, suppressed: str) -> None:
    rows = people_twin.random_rows(seed)
    names = list(people_twin.QIS)
    kept = rows
    if suppressed == "exclude":
        kept = [row for row in rows if any(row[name] != "*" for name in names)]
    expected: Figures = {}
    for size in range(1, len(names) + 1):
        for columns in itertools.combinations(names, size):
            each = {(row[people_twin.PERSON], *(row[name] for name in columns)) for row in kept}
            different = [dict(zip(("who", *columns), cells, strict=True)) for cells in each]
            expected[columns] = twin(different, columns, size)[columns]
    result = distinction(
        pa.table(people_twin.columns(rows)),
        quasi_identifiers=names,
        person=people_twin.PERSON,
        max_columns=len(names),
        suppressed=suppressed,
    )
    assert figures_of(result) == as_floats(expected)


def test_a_table_larger_than_memory_is_counted_by_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "t.csv"
    file.write_text("age,sex,state\n20, F,CA\n30,F,CA\n40,F ,TX\n20,M,\n40,M,CA\n")
    expected = distinction(file, quasi_identifiers=NAMES)
    asked: list[int] = []

    def counted(*given: Any, **options: Any) -> Any:
        asked.append(len(given[2]))
        return count_sets(*given, **options)

    monkeypatch.setattr(column_sets, "memory_limit", lambda: 0)
    monkeypatch.setattr(column_sets, "count_sets", counted)
    assert distinction(file, quasi_identifiers=NAMES) == expected
    assert asked == [7]
    assert expected.value == 1.0


# --- options, guards and tables --------------------------------------------------------------


def wide(columns: int, rows: int = 2) -> pa.Table:
    return pa.table(
        {f"c{place}": [str(row % 2) for row in range(rows)] for place in range(columns)}
    )


@pytest.mark.parametrize(("columns", "size"), [(1, 1), (2, 2), (18, 3), (19, 2), (45, 1)])
def test_many_columns_mean_smaller_sets(columns: int, size: int) -> None:
    table = wide(columns)
    result = distinction(table, quasi_identifiers=table.column_names)
    assert (result.max_columns, result.value) == (size, 1.0)
    assert len(result.sets) <= 1_000
    assert result.figure == f"distinction, up to {size} columns"


def test_too_many_sets_are_refused() -> None:
    table = wide(45)
    with pytest.raises(OptionError, match="max_columns is 5, which gives 1,385,979 sets of 45"):
        distinction(table, quasi_identifiers=table.column_names, max_columns=5)
    for wrong in (0, "2", 1.5):
        with pytest.raises(OptionError, match="max_columns must be an integer >= 1, got "):
            distinction(table, quasi_identifiers=table.column_names, max_columns=wrong)  # type: ignore[arg-type]
    result = distinction(wide(3), quasi_identifiers=["c0", "c1"], max_columns=9)
    assert result.max_columns == 2


def test_a_large_table_waits_until_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_WORK", 5 * 7 - 1)
    monkeypatch.setattr(module, "_MOST_WORK_IN_ENGINE", 5 * 3 - 1)
    measure = find_measure("distinction")
    why = measure.why_left_out(gather(PAPER, quasi_identifiers=NAMES))
    assert why is not None
    assert "counts 5 rows by 7 sets of columns" in why
    monkeypatch.setattr(module, "_MOST_WORK", 5 * 7)
    assert measure.why_left_out(gather(PAPER, quasi_identifiers=NAMES)) is None
    with_people = gather(PAPER, quasi_identifiers=["sex", "state"], person="age")
    assert measure.why_left_out(with_people) is not None


def test_tables() -> None:
    result = distinction(PAPER, quasi_identifiers=["sex", "state"], limit=0.7)
    assert (result.passed, result.sets_above_limit) == (False, 1)
    columnwise = result.table("columnwise")
    assert columnwise["attribute"].values == ["sex", "state"]
    assert columnwise["value"].values == [0.4, 0.6]
    details = result.table("details")
    assert details["columns"].values == [("sex",), ("state",), ("sex", "state")]
    assert details["separation"].values == [0.6, 0.7, 0.9]
    assert details["combinations"].values == [2, 3, 4]
    assert result.to_dict()["sets"][2] == {
        "columns": ["sex", "state"], "combinations": 4, "distinction": 0.8, "separation": 0.9
    }  # fmt: skip
    with pytest.raises(OptionError, match="no table 'rows'"):
        result.table("rows")
