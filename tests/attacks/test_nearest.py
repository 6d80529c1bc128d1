"""Nearest rows: equal to the definition, with all ties, whatever the order and the search."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attacks import twin
from budget import examples
from petaudit.attacks import methods
from petaudit.attacks.kernels import LEAF
from petaudit.attacks.mixed_rows import MixedRows, mixed_rows
from petaudit.attacks.nearest import Neighbours, Secret, Tree
from petaudit.attacks.tables import AttackTables
from petaudit.tables import open_source
from petaudit.tables._private_folder import array_on_disk
from petaudit.tables.joint import joint_tables

NUMBERS = st.sampled_from([None, 0, 1, 2, 5, 7])
# Of one precision, which is that of the first table: others are rounded to it.
DECIMALS = st.sampled_from([None, 0.1, 0.2, 0.3, 1.5])
WORDS = st.sampled_from([None, "a", "b", "c"])


def encoded(tables: list[list[twin.Row]]) -> MixedRows:
    return mixed_rows(joint_tables([source(rows) for rows in tables], decimals=None, unit=None))


def source(rows: list[twin.Row]) -> Any:
    columns = zip(*rows, strict=True)
    return open_source(
        pa.table({f"x{place}": pa.array(column) for place, column in enumerate(columns)})
    )


def rows_of(kinds: list[Any]) -> st.SearchStrategy[list[twin.Row]]:
    return st.lists(st.tuples(*kinds), min_size=1, max_size=8)


@st.composite
def three_tables(draw: st.DrawFn) -> list[list[twin.Row]]:
    kinds = draw(st.lists(st.sampled_from([NUMBERS, DECIMALS, WORDS]), min_size=1, max_size=3))
    # The first row has a value everywhere, so that every column has a kind.
    full = [draw(kind.filter(lambda value: value is not None)) for kind in kinds]
    tables = [draw(rows_of(kinds)) for _ in range(3)]
    for table in tables:
        table.append(tuple(full))
    return tables


@given(three_tables(), st.sampled_from(["tree", "all"]))
@settings(max_examples=examples(150), deadline=None)
def test_nearest_rows_are_those_of_the_definition(tables: Any, search: Any) -> None:
    rows = encoded(tables)
    used = [int(name[1:]) for name in rows.columns]
    *known, guessed = used or [0]
    secret = Secret(f"x{guessed}") if used else None
    places = rows.places([f"x{place}" for place in known])
    for people in (1, 2):
        near = Tree(rows, rows.of_table(0), places, secret).nearest(
            rows, rows.of_table(people), search=search, second=True
        )
        shown = [[tuple(row[c] for c in known) for row in table] for table in tables]
        for place, query in enumerate(shown[people]):
            best, ties = twin.nearest(query, shown[0], shown)
            every = sorted(twin.distance(query, row, shown) for row in shown[0])
            own = tables[people][place]
            hits = sum(tables[0][tie][guessed] == own[guessed] for tie in ties)
            assert near.distance[place] / rows.unit == pytest.approx(float(best), abs=1e-12)
            assert near.second[place] / rows.unit == pytest.approx(float(every[1]), abs=1e-12)
            assert near.ties[place] == len(ties)
            assert secret is None or near.hits[place] == hits


def large_tables(seed: int, rows: int) -> list[list[twin.Row]]:
    draw = random.Random(seed)  # noqa: S311

    def row() -> twin.Row:
        word = draw.choice([*"abcdefgh", None])
        return (draw.randrange(90), word, draw.choice("xyz"), round(draw.gauss(0, 1), 2), word)

    return [[row() for _ in range(rows)] for _ in range(2)]


def fields(near: Neighbours) -> np.ndarray:
    return np.stack([near.distance, near.second, near.ties, near.hits])


def test_tree_and_brute_force_threads_and_orders_agree() -> None:
    tables = large_tables(seed=3, rows=5 * LEAF)
    rows, secret = encoded(tables), Secret("x4")
    known = rows.places(["x0", "x1", "x2", "x3"])
    tree = Tree(rows, rows.of_table(0), known, secret)
    wanted = fields(tree.nearest(rows, rows.of_table(1), search="tree", second=True))
    for search, threads in (("all", 1), ("auto", 3)):
        near = tree.nearest(rows, rows.of_table(1), search=search, second=True, threads=threads)
        assert (fields(near) == wanted).all()
    # Other orders of rows and of columns.
    shuffled = [table[::-1] for table in tables]
    moved = [[(e, d, c, b, a) for a, b, c, d, e in table] for table in shuffled]
    again = encoded(moved)
    near = Tree(
        again, again.of_table(0), again.places(["x1", "x2", "x3", "x4"]), Secret("x0")
    ).nearest(again, again.of_table(1), second=True)
    assert (fields(near)[:, ::-1] == wanted).all()


def test_rows_within_a_radius_are_counted() -> None:
    tables = large_tables(seed=4, rows=2 * LEAF)
    rows = encoded(tables)
    everything = range(len(rows.columns))
    tree = Tree(rows, rows.of_table(0), everything)
    near = tree.nearest(rows, rows.of_table(1), second=True)
    nearer, level = tree.within(rows, rows.of_table(1), near.distance)
    assert not nearer.any()
    assert (level == near.ties).all()
    nearer, _ = tree.within(rows, rows.of_table(1), near.second)
    assert (nearer == np.where(near.second > near.distance, 1, 0)).all()


@pytest.mark.parametrize(
    ("guess", "own", "is_right"), [(105, 100, True), (106, 100, False), (-5, 100, False)]
)
def test_a_guess_may_be_off_by_a_share_of_the_persons_value(
    guess: int, own: int, is_right: bool
) -> None:
    """Anonymeter divides by the guess: -5 for 100 counts as right there."""
    rows = encoded([[("a", guess), ("b", 0)], [("a", own), ("b", 7)]])
    near = Tree(rows, rows.of_table(0), rows.places(["x0"]), Secret("x1", 0.05)).nearest(
        rows, rows.of_table(1)
    )
    assert near.hits[0] == is_right


def test_huge_ranges_and_constant_columns() -> None:
    tables = [
        [(10**18, "a", "z", None), (3, "a", "z", None)],
        [(2 * 10**17, "a", "z", None), (10**18, "a", "z", None)],
    ]
    rows = encoded(tables)
    assert rows.columns == ("x0",)
    assert rows.constant == ("x1", "x2", "x3")
    near = Tree(rows, rows.of_table(0), [0]).nearest(rows, rows.of_table(1))
    assert (near.distance / rows.unit).tolist() == pytest.approx([0.2, 0])


def test_searches_are_made_once() -> None:
    tables = AttackTables.of(*map(source, [*large_tables(5, 20), large_tables(6, 20)[0]]), None)
    first = tables.nearest(1, tables.columns)
    assert tables.nearest(1, tables.columns) is first
    assert tables.groups(tables.columns) is tables.groups(tables.columns)


@given(three_tables())
@settings(max_examples=examples(60), deadline=None)
def test_tables_too_large_for_the_memory_are_searched_in_blocks_with_the_same_answer(
    tables: Any,
) -> None:
    joint = joint_tables(
        [source(rows) for rows in tables], decimals=None, unit=None, array=array_on_disk
    )
    whole, blocks = AttackTables(joint), AttackTables(joint, at_once=2)
    (*known, secret) = whole.columns
    for named, guess in ((whole.columns, None), (known, Secret(secret, 0.1))):
        if secret in whole.constant and guess is not None:
            continue
        for among, people in ((0, 2), (1, 1)):
            options = {"secret": guess, "among": among, "second": True}
            near = [each.nearest(people, named, **options) for each in (whole, blocks)]
            assert (fields(near[0]) == fields(near[1])).all()
    assert (whole.groups(known).group == blocks.groups(known).group).all()
    radii = whole.nearest(0, whole.columns, among=2).distance
    counts = [each.within(1, whole.columns, 0, radii) for each in (whole, blocks)]
    assert np.array_equal(*counts)
    linked = [methods.linked(each, known[:1], [secret], 2) for each in (whole, blocks)]
    if known:
        assert np.array_equal(*(each.training for each in linked))
