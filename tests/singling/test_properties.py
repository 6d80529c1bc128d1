"""What holds for every pair of tables, said directly."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mpuccs_twin as twin
import petaudit
from budget import examples
from petaudit.errors import PetauditWarning
from singling.frames import rows_of
from singling.pairs import Pair, pairs
from tables.engines import ARROW_TYPES, Column, Table

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")

Answers = tuple[list[dict[str, Any]], ...]


def arrow(table: Table) -> pa.Table:
    arrays = {name: pa.array(c.cells, ARROW_TYPES[c.kind]) for name, c in table.items()}
    return pa.table(arrays)


def asked(pair: Pair, **more: Any) -> Any:
    return petaudit.mpuccs(arrow(pair.original), arrow(pair.synthetic), **{**pair.options, **more})


def answers(result: Any) -> Answers:
    return rows_of(result.global_), rows_of(result.details), rows_of(result.tree)


@settings(max_examples=examples(200))
@given(pair=pairs(options=False))
def test_every_identified_row_is_minimal(pair: Pair) -> None:
    result = asked(pair)
    data = twin.prepare(*pair.cells)
    details = rows_of(result.details)
    assert len({row["syn_idx"] for row in details}) == len(details)
    for row in details:
        places = [data.columns.index(name) for name in row["field_combo"]]
        assert identifies(data, row["syn_idx"], places)
        for size in range(1, len(places)):
            for smaller in combinations(range(len(data.columns)), size):
                assert not identifies(data, row["syn_idx"], smaller)
    missed = set(range(len(data.synthetic))) - {row["syn_idx"] for row in details}
    for index in missed:
        for size in range(1, len(data.columns) + 1):
            for combo in combinations(range(len(data.columns)), size):
                assert not identifies(data, index, combo)


def identifies(data: Any, index: int, places: Any) -> bool:
    values = twin.values_on(data.synthetic[index], places)
    tables = (data.original, data.synthetic)
    return all([twin.values_on(line, places) for line in t].count(values) == 1 for t in tables)


@settings(max_examples=examples(150))
@given(pair=pairs())
def test_the_three_tables_tell_the_same(pair: Pair) -> None:
    figures, details, tree = answers(asked(pair))
    result = Counter(row["field_combo"] for row in details)
    assert {row["field_combo"]: row["mpuccs_collision_cnt"] for row in tree} == {
        row["field_combo"]: result[row["field_combo"]] for row in tree
    }
    assert [row["check_order"] for row in tree] == list(range(1, len(tree) + 1))
    order = {row["field_combo"]: row["check_order"] for row in tree}
    places = [(order[row["field_combo"]], row["syn_idx"]) for row in details]
    assert places == sorted(places)
    if figures:
        assert figures[0]["total_identified"] == len(details)


@settings(max_examples=examples(100))
@given(pair=pairs())
def test_threads_change_nothing(pair: Pair) -> None:
    one, two, three = (answers(asked(pair, threads=threads)) for threads in (1, 2, 3))
    assert one == two == three


@settings(max_examples=examples(100))
@given(pair=pairs())
def test_evaluating_twice_is_the_same(pair: Pair) -> None:
    tables = arrow(pair.original), arrow(pair.synthetic)
    first = answers(petaudit.mpuccs(*tables, **pair.options))
    petaudit.mpuccs(*reversed(tables), max_baseline_cols=1)
    assert answers(petaudit.mpuccs(*tables, **pair.options)) == first


@settings(max_examples=examples(200))
@given(pair=pairs(), seed=st.integers(0, 2**32), side=st.sampled_from(("original", "synthetic")))
def test_the_order_of_rows_changes_only_numbers(pair: Pair, seed: int, side: str) -> None:
    table = getattr(pair, side)
    rows = len(next(iter(table.values())).cells)
    order = random.Random(seed).sample(range(rows), rows)  # noqa: S311
    turned = {
        name: Column(column.kind, [column.cells[row] for row in order])
        for name, column in table.items()
    }
    other = Pair(
        **{"original": pair.original, "synthetic": pair.synthetic, side: turned},
        options=pair.options,
    )
    figures, details, tree = answers(asked(pair))
    other_figures, other_details, other_tree = answers(asked(other))
    assert (other_figures, other_tree) == (figures, tree)
    # Of rows that are alike the first one stands for all, and that may be another one now.
    data, other_data = twin_of(pair), twin_of(other)

    def without_numbers(rows: list[dict[str, Any]], prepared: Any) -> Any:
        return Counter(
            (
                prepared.synthetic[row["syn_idx"]],
                prepared.original[row["ori_idx"]],
                row["field_combo"],
                row["value_combo"],
                row["risk_level"],
            )
            for row in rows
        )

    assert without_numbers(other_details, other_data) == without_numbers(details, data)


def twin_of(pair: Pair) -> Any:
    return twin.evaluate(*pair.cells, **pair.options).prepared


# --- the time limit -------------------------------------------------------------------------


@settings(max_examples=examples(100))
@given(pair=pairs())
def test_what_a_time_limit_leaves_is_a_beginning(pair: Pair) -> None:
    assert_beginning(asked(pair, time_limit=1e-9), asked(pair))


def assert_beginning(stopped: Any, full: Any) -> None:
    figures, details, tree = answers(stopped)
    _, full_details, full_tree = answers(full)
    assert tree == full_tree[: len(tree)]
    assert stopped.complete is (full.complete and len(tree) == len(full_tree))
    combos = {row["field_combo"] for row in tree}
    assert details == [row for row in full_details if row["field_combo"] in combos]
    if figures:
        assert figures[0]["total_identified"] == len(details)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_time_limit_stops_a_long_search(threads: int) -> None:
    chance = random.Random(7)  # noqa: S311
    table = pa.table(
        {f"c{place}": [chance.randrange(9) for _ in range(3000)] for place in range(14)}
    )
    other = table.take(pa.array(chance.sample(range(3000), 2000)))
    full = petaudit.mpuccs(table, other, max_baseline_cols=4, threads=threads)
    for limit in (0.001, 0.02, 0.05):
        stopped = petaudit.mpuccs(table, other, time_limit=limit, threads=threads)
        figures, details, tree = answers(stopped)
        assert stopped.complete is False
        assert len(tree) < 2**14 - 1
        shorter = rows_of(full.tree)[: len(tree)]
        assert tree[: len(shorter)] == shorter
        assert figures[0]["total_identified"] == len(details)
    assert full.complete is True


def test_too_many_combinations_are_announced() -> None:
    table = pa.table({f"c{place}": [0, 1, place] for place in range(60)})
    with pytest.warns(PetauditWarning, match="combinations"):
        stopped = petaudit.mpuccs(table, table, time_limit=0.2)
    assert stopped.complete is False
