"""The search against its twin, row for row, on random pairs of tables."""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mpuccs_twin as twin
import petaudit
from budget import examples
from singling.frames import PANDAS, assert_answer, held
from singling.pairs import Pair, pairs

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")

KINDS = {"pyarrow": pa.Table, "polars": pl.DataFrame, "pandas": pd.DataFrame}
# Not written to: for engines that hold their tables in memory.
NOWHERE = Path("nowhere")


def compared(pair: Pair, original: Any, synthetic: Any) -> Any:
    result = petaudit.mpuccs(original, synthetic, **pair.options)
    assert_answer(result, twin.evaluate(*pair.cells, **pair.options), pair.options)
    return result


@pytest.mark.parametrize("engine", KINDS)
@settings(max_examples=examples(250))
@given(pair=pairs())
def test_frames(engine: str, pair: Pair) -> None:
    tables = [held(table, engine, NOWHERE) for table in (pair.original, pair.synthetic)]
    result = compared(pair, *tables)
    for part in (result.global_, result.details, result.tree):
        assert isinstance(part, KINDS[engine])


OTHERS = ("pyarrow", "pyarrow-chunked", "polars", "polars-lazy", "duckdb", *PANDAS)


@settings(max_examples=examples(150))
@given(pair=pairs(), engines=st.tuples(st.sampled_from(OTHERS), st.sampled_from(OTHERS)))
def test_frames_of_two_kinds(pair: Pair, engines: tuple[str, str]) -> None:
    tables = (pair.original, pair.synthetic)
    first, second = (
        held(table, engine, NOWHERE) for table, engine in zip(tables, engines, strict=True)
    )
    compared(pair, first, second)


@settings(max_examples=examples(250))
@given(pair=pairs(), engine=st.sampled_from(("csv", "parquet")), alone=st.integers(0, 3))
def test_files(pair: Pair, engine: str, alone: int) -> None:
    if not pair.fits_csv:
        engine = "parquet"
    # Both are files, or one of them is a frame.
    engines = {0: (engine, "pyarrow"), 1: ("pandas", engine)}.get(alone, (engine, engine))
    with tempfile.TemporaryDirectory() as folder:
        tables = []
        for name, table in zip(engines, (pair.original, pair.synthetic), strict=True):
            entry = Path(folder) / str(len(tables))
            entry.mkdir()
            tables.append(held(table, name, entry))
        compared(pair, *tables)


HARD = (
    "copies",
    "unique, but nobody is like that",
    "one of several people becomes the only one",
    "one of several copies becomes the only one",
    "identified again by as few",
    "identified again by more",
    "identified first by two",
    "identified first by more than two",
)


def test_the_random_pairs_are_hard() -> None:
    """What makes the search difficult must occur in many of the pairs, not by luck."""
    seen: Counter[str] = Counter()

    @settings(max_examples=150)
    @given(pair=pairs(options=False))
    def look(pair: Pair) -> None:
        seen.update({"pairs", *_hard_spots(pair)})

    look()
    assert {spot for spot in HARD if seen[spot] < 0.05 * seen["pairs"]} == set()


def _hard_spots(pair: Pair) -> set[str]:
    data = twin.prepare(*pair.cells)
    spots = {"copies"} if data.removed_synthetic or data.removed_original else set()
    for line in data.synthetic:
        first = 0
        before: dict[tuple[int, ...], tuple[int, int]] = {(): (0, 0)}
        for size in range(1, len(line) + 1):
            for combo in combinations(range(len(line)), size):
                values = twin.values_on(line, combo)
                people = twin.counted(data.original, combo)[values]
                copies = twin.counted(data.synthetic, combo)[values]
                before[combo] = (people, copies)
                if (people, copies) == (0, 1):
                    spots.add("unique, but nobody is like that")
                if (people, copies) != (1, 1):
                    continue
                if first:
                    spots.add("identified again by " + ("more" if size > first else "as few"))
                    continue
                first = size
                if size > 1:
                    spots.add("identified first by " + ("two" if size == 2 else "more than two"))
                people, copies = before[combo[:-1]]
                if people > 1 and copies == 1:
                    spots.add("one of several people becomes the only one")
                if people == 1 and copies > 1:
                    spots.add("one of several copies becomes the only one")
    return spots


@pytest.mark.parametrize(
    ("rows", "values", "options"),
    [
        (400, (60, 20, 9, 5, 3, 2), {}),
        (400, (2,) * 9, {"deduplicate": False}),
        (700, (300, 40, 12, 12, 3), {"renyi_alpha": 1, "min_entropy_delta": 0.05}),
        (300, (7,) * 12, {"max_baseline_cols": 3}),
    ],
)
def test_larger_tables(rows: int, values: tuple[int, ...], options: dict[str, Any]) -> None:
    chance = random.Random(rows)  # noqa: S311
    names = [f"c{place}" for place in range(len(values))]
    original = {
        name: [int(most * chance.random() ** 2) for _ in range(rows)]
        for name, most in zip(names, values, strict=True)
    }
    # Half of the synthetic rows are near copies.
    synthetic: dict[str, list[int]] = {name: [] for name in names}
    for row in range(rows + 50):
        for name, most in zip(names, values, strict=True):
            copied = row % 2 == 0 and chance.random() < 0.8
            cell = original[name][row % rows] if copied else chance.randrange(most)
            synthetic[name].append(cell)
    answer = twin.evaluate(original, synthetic, **options)
    assert len(answer.details) > 20
    for threads in (1, 2, 3):
        result = petaudit.mpuccs(
            pa.table(original), pa.table(synthetic), threads=threads, **options
        )
        assert_answer(result, answer, options)
