"""What must not change a figure: the order of rows and columns, names, copies, files, the engine.

One test goes over all measures and all changes; a measure that is added needs one more entry here.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
from petaudit.inputs import Inputs, gather
from petaudit.measures import Result, all_measures, find_measure
from strategies import NULL, STAR, Release, Rows, arrow, columns_of


@dataclass(frozen=True)
class Asked:
    """A release and, for the one measure that counts people, the stakes."""

    release: Release
    stakes: int = 1
    copies: int = 1


@dataclass(frozen=True)
class Figures:
    """What is compared: exactly, or up to the rounding of logarithms."""

    exact: Any
    rounded: Any = 0.0


def t_closeness(inputs: Inputs, asked: Asked) -> Figures:
    result: Any = run("t-closeness", inputs, {"worst": 99, "limit": Fraction(1, 4)})
    by_attribute = {}
    for found in result.attributes:
        worst = {
            (Fraction(entry.rows, asked.copies), entry.distance, entry.classes)
            for entry in found.worst_classes
        }
        above = (found.classes_above_limit, Fraction(found.rows_above_limit, asked.copies))
        by_attribute[found.attribute] = (found.distance, found.exact_t, found.classes, above, worst)
    return Figures(by_attribute)


def precision(inputs: Inputs, asked: Asked) -> Figures:
    result: Any = run("precision", inputs, {})
    suppressed = Fraction(result.suppressed_rows, asked.copies)
    return Figures((result.value, dict(result.columns), suppressed))


def non_uniform_entropy(inputs: Inputs, asked: Asked) -> Figures:
    result: Any = run("non-uniform-entropy", inputs, {})
    return Figures(None, dict(result.columns) | {"of the table": result.value})


def profitability(inputs: Inputs, asked: Asked) -> Figures:
    # Twice the rows in every class halve the risk, so twice the stakes keep it as it was.
    stakes = {"gain": 6 * asked.stakes, "loss": 7 * asked.stakes}
    game = {"cost": 2, "benefit": 3, "allow_attack": False, **stakes}
    result: Any = run("profitability", inputs, game)
    counts = (result.rows, result.rows_failing_benefit, result.rows_worth_attacking)
    return Figures((result.passed, *(Fraction(rows, asked.copies) for rows in counts)))


MEASURES: dict[str, Callable[[Inputs, Asked], Figures]] = {
    "t-closeness": t_closeness,
    "precision": precision,
    "non-uniform-entropy": non_uniform_entropy,
    "profitability": profitability,
}


def run(name: str, inputs: Inputs, options: dict[str, Any]) -> Result:
    return find_measure(name).run(inputs, options)


def opened(release: Release, table: object, original: object) -> Inputs:
    return gather(
        table,
        original=original,
        quasi_identifiers=release.quasi_identifiers,
        sensitive=release.sensitive,
        hierarchies=release.given_hierarchies,
        suppressed=release.suppressed,
    )


@contextmanager
def in_frames(release: Release, _: random.Random) -> Iterator[Inputs]:
    yield opened(release, arrow(release.released), arrow(release.original))


# --- changes of the release -----------------------------------------------------------------


def rows_in_another_order(asked: Asked, chance: random.Random) -> Asked:
    order = chance.sample(range(len(asked.release.released)), len(asked.release.released))
    return replace(asked, release=asked.release.with_rows(lambda rows: [rows[i] for i in order]))


def columns_in_another_order(asked: Asked, chance: random.Random) -> Asked:
    names = list(asked.release.released[0])
    order = chance.sample(names, len(names))
    roles = chance.sample(asked.release.quasi_identifiers, len(asked.release.quasi_identifiers))
    changed = asked.release.with_rows(lambda rows: [{n: row[n] for n in order} for row in rows])
    return replace(asked, release=replace(changed, quasi_identifiers=tuple(roles)))


def every_row_twice(asked: Asked, chance: random.Random) -> Asked:
    return replace(
        asked, release=asked.release.with_rows(lambda rows: [*rows, *rows]), stakes=2, copies=2
    )


def labels_renamed(asked: Asked, chance: random.Random) -> Asked:
    """Every label of a column by another one; the star and the null keep their meaning."""
    release = asked.release
    salt = chance.choice(["é", "x ", "~"])

    def renamed(label: str | None) -> str | None:
        return label if label in (STAR, NULL) else f"{salt}{str(label)[::-1]}{salt}"

    return replace(asked, release=with_labels(release, (*release.quasi_identifiers,), renamed))


def diseases_renamed(asked: Asked, chance: random.Random) -> Asked:
    def renamed(label: str | None) -> str | None:
        return label if label in (STAR, NULL) else f"disease {str(label)[::-1]}"

    return replace(asked, release=with_labels(asked.release, (asked.release.disease,), renamed))


def numbers_stretched(asked: Asked, chance: random.Random) -> Asked:
    """Other numbers in the same order: that is all the ordered distance sees."""
    factor, shift = chance.choice([(3, -50), (Fraction(1, 8), 2), (10**6, 0)])

    def stretched(label: str | None) -> str | None:
        return label if label == NULL else str(float(Fraction(str(label)) * factor + shift))

    return replace(asked, release=with_labels(asked.release, (asked.release.number,), stretched))


def with_labels(
    release: Release, names: tuple[str, ...], change: Callable[[str | None], str | None]
) -> Release:
    def changed(rows: Rows) -> Rows:
        return [row | {name: change(row[name]) for name in names} for row in rows]

    hierarchies = {
        name: (
            {
                str(change(leaf)): [str(change(label)) for label in path]
                for leaf, path in own.items()
            }
            if name in names
            else own
        )
        for name, own in release.hierarchies.items()
    }
    return replace(release.with_rows(changed), hierarchies=hierarchies)


CHANGES = (
    rows_in_another_order,
    columns_in_another_order,
    every_row_twice,
    labels_renamed,
    diseases_renamed,
    numbers_stretched,
)


# --- other places for the same table --------------------------------------------------------


def on(engine: str, *, blanks: bool = False) -> Callable[[Release, random.Random], Any]:
    @contextmanager
    def place(release: Release, chance: random.Random) -> Iterator[Inputs]:
        with tempfile.TemporaryDirectory() as folder:
            both = []
            for name, rows in (("released", release.released), ("original", release.original)):
                columns = columns_of(rows)
                if blanks:
                    padded_name = chance.choice(list(columns))
                    columns[padded_name] = [padded(cell) for cell in columns[padded_name]]
                both.append(strategies.on_engine(columns, engine, Path(folder) / name))
            yield opened(release, *both)

    place.__name__ = f"{engine} with blanks" if blanks else engine
    return place


def padded(cell: str | None) -> str | None:
    """Blanks around some labels, the ideographic one among them."""
    return cell if cell is None or len(cell) % 2 else f" {cell}\u3000\t"


@contextmanager
def in_two_files(release: Release, chance: random.Random) -> Iterator[Inputs]:
    with tempfile.TemporaryDirectory() as folder:
        both = []
        for name, rows in (("released", release.released), ("original", release.original)):
            table = arrow(rows)
            cut = chance.randint(0, table.num_rows)
            parts = [Path(folder) / f"{name} {number}.parquet" for number in (1, 2)]
            pq.write_table(table.slice(0, cut), parts[0])
            pq.write_table(table.slice(cut), parts[1])
            both.append(parts)
        yield opened(release, *both)


@contextmanager
def in_a_folder(release: Release, chance: random.Random) -> Iterator[Inputs]:
    with tempfile.TemporaryDirectory() as folder:
        both = []
        for name, rows in (("released", release.released), ("original", release.original)):
            own = Path(folder) / name
            own.mkdir()
            for number, row in enumerate(rows):
                pq.write_table(arrow([row]), own / f"part {number:03}.parquet")
            both.append(own)
        yield opened(release, *both)


OTHER_ENGINES = [engine for engine in strategies.TABLE_ENGINES if engine != "pyarrow"]
PLACES = (
    *(on(engine) for engine in (*OTHER_ENGINES, "polars-lazy")),
    *(on(engine, blanks=True) for engine in ("pyarrow", "pandas", "csv", "parquet")),
    in_two_files,
    in_a_folder,
)

every_measure = pytest.mark.parametrize("measure", MEASURES)


def test_every_measure_is_tested_here() -> None:
    # A measure of synthetic tables has no such release; tests/singling/ has its invariances.
    others = {name for name, own in all_measures().items() if own.only_by_name}
    assert set(MEASURES) == set(all_measures()) - others


def figures(measure: str, asked: Asked, place: Any, chance: random.Random) -> Figures:
    with place(asked.release, chance) as inputs:
        return MEASURES[measure](inputs, asked)


def assert_same(found: Figures, expected: Figures) -> None:
    assert found.exact == expected.exact
    assert found.rounded == pytest.approx(expected.rounded, abs=1e-12)


@every_measure
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@settings(max_examples=8)
@given(release=strategies.releases(), chance=st.randoms())
def test_a_change_without_meaning_changes_no_figure(
    measure: str,
    change: Callable[[Asked, random.Random], Asked],
    release: Release,
    chance: random.Random,
) -> None:
    asked = Asked(release)
    assert_same(
        figures(measure, change(asked, chance), in_frames, chance),
        figures(measure, asked, in_frames, chance),
    )


@every_measure
@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
@settings(max_examples=4)
@given(release=strategies.releases(most_rows=12), chance=st.randoms())
def test_where_a_table_lies_changes_no_figure(
    measure: str, place: Any, release: Release, chance: random.Random
) -> None:
    asked = Asked(release)
    assert_same(figures(measure, asked, place, chance), figures(measure, asked, in_frames, chance))
