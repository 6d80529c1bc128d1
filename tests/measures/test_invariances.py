"""What must not change a figure: the order of rows and columns, names, copies, files, the engine.

Every test goes over all registered measures at once, on tables that they share as in an audit; what
is special about a measure stands in ``registry_cases``.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import strategies
from budget import IS_RANDOM, examples
from measures.registry_cases import (
    ENTRIES,
    OWN_TESTS,
    Outcome,
    Tables,
    generic,
    in_frames,
    is_same,
    opened,
    outcomes,
    said,
    tables,
)
from petaudit.errors import PetauditError
from petaudit.inputs import Inputs
from petaudit.measures import all_measures
from strategies import NULL, STAR, Release, Rows, arrow, columns_of

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
NO_SHRINKING = (Phase.explicit, Phase.generate)
"""All measures run on every try, and tables are small as they come."""
Change = Callable[[Tables, random.Random], Tables]


def test_every_measure_is_tested_here_or_has_tests_of_its_own() -> None:
    assert not ENTRIES.keys() & OWN_TESTS.keys()
    assert set(all_measures()) == ENTRIES.keys() | OWN_TESTS.keys()
    for name in OWN_TESTS:
        measure = all_measures()[name]
        assert measure.only_by_name is not None or measure.needs_code, "part of every audit"


def test_most_tables_of_these_tests_can_be_measured() -> None:
    """Else two errors would be compared, time and again."""
    measured = dict.fromkeys(generic(), 0)
    tried = 0

    @settings(max_examples=examples(40), phases=NO_SHRINKING)
    @given(asked=tables())
    def count(asked: Tables) -> None:
        nonlocal tried
        tried += 1
        for name, found in outcomes(in_frames(asked)).items():
            measured[name] += not isinstance(found, PetauditError)

    count()
    assert {name: times for name, times in measured.items() if times < tried / 3} == {}


# --- changes of the release -----------------------------------------------------------------


def rows_in_another_order(asked: Tables, chance: random.Random) -> Tables:
    order = chance.sample(range(len(asked.release.released)), len(asked.release.released))
    return asked.with_rows(
        lambda rows: [rows[i] for i in order], alone=lambda rows: chance.sample(rows, len(rows))
    )


def columns_in_another_order(asked: Tables, chance: random.Random) -> Tables:
    def shuffled(rows: Rows) -> Rows:
        order = chance.sample(list(rows[0]), len(rows[0]))
        return [{name: row[name] for name in order} for row in rows]

    names = asked.release.quasi_identifiers
    roles = tuple(chance.sample(names, len(names)))
    changed = asked.with_rows(shuffled, alone=shuffled)
    return replace(changed, release=replace(changed.release, quasi_identifiers=roles))


def every_row_twice(asked: Tables, chance: random.Random) -> Tables:
    def twice(rows: Rows) -> Rows:
        return [*rows, *rows]

    return replace(asked.with_rows(twice, alone=twice), copies=2)


def labels_renamed(asked: Tables, chance: random.Random) -> Tables:
    """Every label of a column by another one; the star and the null keep their meaning."""
    salt = chance.choice(["é", "x ", "~"])

    def renamed(label: str | None) -> str | None:
        return label if label in (STAR, NULL) else f"{salt}{str(label)[::-1]}{salt}"

    return with_labels(asked, (*asked.release.quasi_identifiers,), renamed)


def nulls_named(asked: Tables, chance: random.Random) -> Tables:
    """A null of a quasi-identifier is a value like any other; a sensitive one is no diversity."""

    def named(label: str | None) -> str | None:
        return "not known" if label == NULL else label

    return with_labels(asked, (*asked.release.quasi_identifiers,), named)


def diseases_renamed(asked: Tables, chance: random.Random) -> Tables:
    def renamed(label: str | None) -> str | None:
        return label if label in (STAR, NULL) else f"disease {str(label)[::-1]}"

    return with_labels(asked, (asked.release.disease,), renamed)


def numbers_stretched(asked: Tables, chance: random.Random) -> Tables:
    """Other numbers in the same order, and as far apart in proportion."""
    factor, shift = chance.choice([(3, -50), (Fraction(1, 8), 2), (10**6, 0)])

    def stretched(label: str | None) -> str | None:
        return label if label == NULL else str(float(Fraction(str(label)) * factor + shift))

    return with_labels(asked, (asked.release.number,), stretched)


def with_labels(
    asked: Tables, names: tuple[str, ...], change: Callable[[str | None], str | None]
) -> Tables:
    def changed(rows: Rows) -> Rows:
        return [row | {name: change(row[name]) for name in names if name in row} for row in rows]

    hierarchies = {
        name: (
            {
                str(change(leaf)): [str(change(label)) for label in path]
                for leaf, path in own.items()
            }
            if name in names
            else own
        )
        for name, own in asked.release.hierarchies.items()
    }
    found = asked.with_rows(changed, alone=changed)
    return replace(found, release=replace(found.release, hierarchies=hierarchies))


def in_turn(*changes: Change) -> Change:
    def change(asked: Tables, chance: random.Random) -> Tables:
        for each in changes:
            asked = each(asked, chance)
        return asked

    return change


CHANGE_COLUMNS = columns_in_another_order
CHANGE_LABELS = in_turn(labels_renamed, nulls_named)
CHANGES = (
    in_turn(rows_in_another_order, diseases_renamed, numbers_stretched),
    CHANGE_COLUMNS,
    CHANGE_LABELS,
)


# --- other places for the same table --------------------------------------------------------


def both_and_population(asked: Tables) -> dict[str, Rows]:
    release: Release = asked.release
    return {
        "released": release.released,
        "original": release.original,
        "population": asked.population,
    }


def on(engine: str, *, blanks: bool = False) -> Callable[[Tables, random.Random], Any]:
    @contextmanager
    def place(asked: Tables, chance: random.Random) -> Iterator[Inputs]:
        with tempfile.TemporaryDirectory() as folder:
            held = []
            for name, rows in both_and_population(asked).items():
                columns = columns_of(rows)
                if blanks:
                    padded_name = chance.choice(list(columns))
                    columns[padded_name] = [padded(cell) for cell in columns[padded_name]]
                held.append(strategies.on_engine(columns, engine, Path(folder) / name))
            yield opened(asked, *held)

    place.__name__ = f"{engine} with blanks" if blanks else engine
    return place


def padded(cell: str | None) -> str | None:
    """Blanks around some labels, the ideographic one among them."""
    return cell if cell is None or len(cell) % 2 else f" {cell}\u3000\t"


@contextmanager
def in_two_files(asked: Tables, chance: random.Random) -> Iterator[Inputs]:
    with tempfile.TemporaryDirectory() as folder:
        held = []
        for name, rows in both_and_population(asked).items():
            table = arrow(rows)
            cut = chance.randint(0, table.num_rows)
            parts = [Path(folder) / f"{name} {number}.parquet" for number in (1, 2)]
            pq.write_table(table.slice(0, cut), parts[0])
            pq.write_table(table.slice(cut), parts[1])
            held.append(parts)
        yield opened(asked, *held)


@contextmanager
def in_a_folder(asked: Tables, chance: random.Random) -> Iterator[Inputs]:
    with tempfile.TemporaryDirectory() as folder:
        held = []
        for name, rows in both_and_population(asked).items():
            own = Path(folder) / name
            own.mkdir()
            for number, row in enumerate(rows):
                pq.write_table(arrow([row]), own / f"part {number:03}.parquet")
            held.append(own)
        yield opened(asked, *held)


OTHER_ENGINES = [engine for engine in strategies.TABLE_ENGINES if engine != "pyarrow"]
PLACES = (
    *(on(engine) for engine in (*OTHER_ENGINES, "polars-lazy")),
    *(on(engine, blanks=True) for engine in ("pyarrow", "pandas", "csv", "parquet")),
    in_two_files,
    in_a_folder,
)


# --- the tests ------------------------------------------------------------------------------


def differing(
    found: dict[str, Outcome], expected: dict[str, Outcome], *, columns_moved: bool = False
) -> dict[str, Any]:
    """The measures that say something else, with what they say."""
    both = {}
    for name in found:
        without = ENTRIES[name].follows_columns if columns_moved else ()
        both[name] = tuple(said(own[name], without=without) for own in (expected, found))
    return {name: pair for name, pair in both.items() if not is_same(*pair)}


@settings(max_examples=examples(50), phases=NO_SHRINKING)
@given(asked=tables(), chance=st.randoms())
def test_changes_without_meaning_change_no_figure(asked: Tables, chance: random.Random) -> None:
    expected = outcomes(in_frames(asked))
    for change in CHANGES:
        found = outcomes(in_frames(change(asked, chance)))
        if change is CHANGE_LABELS:
            found = {name: own for name, own in found.items() if not ENTRIES[name].labels_matter}
        assert differing(found, expected, columns_moved=change is CHANGE_COLUMNS) == {}


@settings(max_examples=examples(25), phases=NO_SHRINKING)
@given(asked=tables(), chance=st.randoms())
def test_every_row_twice_changes_a_figure_in_a_known_way(
    asked: Tables, chance: random.Random
) -> None:
    expected = outcomes(in_frames(asked))
    found = outcomes(in_frames(every_row_twice(asked, chance)), copies=2)
    wrong = {}
    for name, own in expected.items():
        growth, after = ENTRIES[name].twice, found[name]
        if isinstance(growth, str):
            continue
        if isinstance(own, PetauditError) or isinstance(after, PetauditError):
            if type(own) is not type(after):
                wrong[name] = (own, after)
        elif after.value != pytest.approx(float(own.value * growth), rel=1e-9, abs=1e-12):
            wrong[name] = (own.value, after.value)
        elif growth == 1 and after.passed is not own.passed and name != "alpha-k-anonymity":
            # alpha is judged together with k, which doubles.
            wrong[name] = (own.passed, after.passed)
    assert wrong == {}


@settings(max_examples=20 if IS_RANDOM else 3, phases=NO_SHRINKING)
@given(asked=tables(most_rows=12), chance=st.randoms())
def test_where_a_table_lies_changes_no_figure(asked: Tables, chance: random.Random) -> None:
    expected = outcomes(in_frames(asked))
    for place in PLACES:
        with place(asked, chance) as inputs:
            assert differing(outcomes(inputs), expected) == {}, place.__name__
