"""Pictures of a search, against its tables."""

from __future__ import annotations

import itertools
from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import examples
from petaudit import mpuccs
from petaudit.exact.excess import Successes, excess
from petaudit.inputs import gather
from petaudit.measures import find_measure
from petaudit.pictures import (
    ColumnExposure,
    ControlComparison,
    IdentifiedBySize,
    Picture,
    SearchTree,
    picture_from,
)
from petaudit.pictures.search_tree import DEEPEST, MOST_NODES, combinations_at, rank_of
from petaudit.pictures.singled_out import control_comparison

MEASURE = find_measure("mpuccs")


def searched(columns: int, seed: int, **options: Any) -> tuple[Any, tuple[Picture, ...]]:
    rng = np.random.default_rng(seed)
    names = [f"c{place}" for place in range(columns)]

    def table(rows: int) -> pa.Table:
        return pa.table(
            {name: rng.integers(0, 2 + place, rows) for place, name in enumerate(names)}
        )

    inputs = gather(table(60), original=table(70), control=table(50))
    result = MEASURE.run(inputs, options)
    assert MEASURE.pictures is not None
    return result, MEASURE.pictures(inputs, result)


@settings(max_examples=examples(15))
@given(
    columns=st.integers(1, 7),
    seed=st.integers(0, 99),
    delta=st.sampled_from([0.0, 0.3, 0.6]),
    most=st.integers(1, 5),
)
def test_against_the_tables_of_the_search(columns: int, seed: int, delta: float, most: int) -> None:
    result, outcome = searched(columns, seed, min_entropy_delta=delta, max_baseline_cols=most)
    by_size, exposure, tree, *_ = outcome
    tables = {name: result.table(name) for name in ("details", "tree")}
    details = tables["details"]["field_combo"].values
    sizes = [len(combination) for combination in details]
    assert isinstance(by_size, IdentifiedBySize)
    assert [entry.rows for entry in by_size.sizes] == [
        sizes.count(entry.fewest) for entry in by_size.sizes
    ]
    assert sum(entry.pruned for entry in by_size.sizes) == sum(tables["tree"]["is_pruned"].values)
    assert isinstance(exposure, ColumnExposure)
    for entry in exposure.columns:
        assert entry.rows == sum(entry.column in combination for combination in details)
    assert exposure.smallest == min(Counter(details).values(), default=None)
    assert isinstance(tree, SearchTree)
    every = {
        combination: (rows, unique, pruned)
        for combination, rows, unique, pruned in zip(
            *(
                tables["tree"][name].values
                for name in ("field_combo", "mpuccs_collision_cnt", "mpuccs_cnt", "is_pruned")
            ),
            strict=True,
        )
    }
    path: list[str] = []
    for node in tree.nodes:
        path = [*path[: node.depth - 1], node.column]
        rows, unique, pruned = every[tuple(path)]
        assert (node.identified, node.is_pruned) == (rows, pruned)
        assert node.unique == (None if pruned else unique)
    assert tree.more == len(every) - len(tree.nodes)
    assert len(tree.nodes) <= MOST_NODES
    for own_picture in outcome:
        assert picture_from(own_picture.to_dict()) == own_picture


def test_a_large_search_gives_a_small_picture() -> None:
    _, result = searched(14, 1, max_baseline_cols=6)
    assert all(len(str(entry.to_dict())) < 20_000 for entry in result)
    tree = next(entry for entry in result if isinstance(entry, SearchTree))
    assert max(entry.depth for entry in tree.nodes) <= DEEPEST


def test_sizes_that_were_left_out_are_not_looked_at() -> None:
    _, result = searched(4, 3, n_cols=[2])
    tree = next(entry for entry in result if isinstance(entry, SearchTree))
    assert {entry.unique is None for entry in tree.nodes if entry.depth == 1} == {True}
    assert tree.more == 6 - sum(entry.depth == 2 for entry in tree.nodes)


def test_an_empty_table_has_no_picture() -> None:
    result = mpuccs(pa.table({"a": pa.array([], pa.int64())}), pa.table({"a": [1]}))
    assert MEASURE.pictures is not None
    assert MEASURE.pictures(None, result) == ()  # type: ignore[arg-type]


def test_the_control() -> None:
    _, result = searched(4, 5)
    assert isinstance(result[-1], ControlComparison)
    known = excess(Successes(80, 10), Successes(40, 20))
    [made] = control_comparison(SimpleNamespace(excess=known))  # type: ignore[arg-type]
    assert isinstance(made, ControlComparison)
    assert (made.rate, made.control_rate, made.excess) == (0.125, 0.5, -0.75)
    assert (made.finding, made.people, made.control_people) == ("not comparable", 80, 40)
    assert made.lower < made.upper < 0
    nothing = excess(Successes(80, 10), Successes(40, 40))
    for entry in (None, nothing):
        assert control_comparison(SimpleNamespace(excess=entry)) == ()  # type: ignore[arg-type]


@pytest.mark.parametrize(("columns", "size"), [(1, 1), (5, 2), (6, 6), (7, 4)])
def test_combinations_by_their_place(columns: int, size: int) -> None:
    every = list(itertools.combinations(range(columns), size))
    result = combinations_at(np.arange(len(every)), columns, size)
    assert [tuple(entry) for entry in result.tolist()] == every
    assert [rank_of(entry, columns) for entry in every] == list(range(len(every)))


def test_numbers_of_combinations_that_no_machine_integer_holds() -> None:
    assert combinations_at(np.array([0]), 200, 100).tolist() == [list(range(100))]
