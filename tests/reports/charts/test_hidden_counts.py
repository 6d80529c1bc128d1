"""Small counts are nowhere: not in words, not in the table, not in a length.

Two pictures that differ in small counts only must give the very same chart.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.pictures.examples import EXAMPLES

from petaudit.pictures import (
    ClassSizes,
    ColumnExposure,
    ControlComparison,
    Distributions,
    IdentifiedBySize,
    Picture,
    RowsAtRisk,
    SearchTree,
)
from petaudit.pictures.class_sizes import SizeBin
from petaudit.pictures.column_exposure import ExposedColumn
from petaudit.pictures.distributions import FarShares, ValueBin
from petaudit.pictures.identified_by_size import SizeCount
from petaudit.pictures.rows_at_risk import RiskPoint
from petaudit.pictures.search_tree import SearchNode
from petaudit.reports.charts import draw


def example(kind: str) -> Picture:
    [found] = [own for own in EXAMPLES if own.kind == kind]
    return found


PAIRS: dict[str, tuple[Picture, Picture]] = {
    "class sizes": (
        ClassSizes((SizeBin(1, 1, 3, 3), SizeBin(2, 2, 3, 6), SizeBin(5, 9, 20, 140)), 4.0, 0),
        ClassSizes((SizeBin(1, 1, 1, 1), SizeBin(2, 2, 4, 8), SizeBin(5, 9, 21, 140)), 4.0, 0),
    ),
    "rows at risk": (
        RowsAtRisk((RiskPoint(0.1, 90), RiskPoint(0.2, 45), RiskPoint(0.5, 3)), 99, 0.2, 45),
        RowsAtRisk((RiskPoint(0.1, 90), RiskPoint(0.2, 45), RiskPoint(0.5, 1)), 99, 0.2, 45),
    ),
    "small steps of rows at risk": (
        RowsAtRisk((RiskPoint(0.1, 48), RiskPoint(0.2, 45), RiskPoint(0.5, 44)), 99, 0.2, 45),
        RowsAtRisk((RiskPoint(0.1, 46), RiskPoint(0.2, 45), RiskPoint(0.5, 41)), 99, 0.2, 45),
    ),
    "identified by size": (
        IdentifiedBySize(
            (SizeCount(1, 1, 3, 4, 0), SizeCount(2, 2, 2, 6, 2), SizeCount(3, 3, 90, 5, 0)),
            600,
            True,
        ),
        IdentifiedBySize(
            (SizeCount(1, 1, 1, 4, 0), SizeCount(2, 2, 4, 6, 2), SizeCount(3, 3, 90, 5, 0)),
            600,
            True,
        ),
    ),
    "column exposure": (
        ColumnExposure((ExposedColumn("age", 90), ExposedColumn("zip", 43)), 92, 0, 3),
        ColumnExposure((ExposedColumn("age", 91), ExposedColumn("zip", 44)), 92, 0, 2),
    ),
    "search tree": (
        SearchTree((SearchNode(1, "a", 61, 70, False), SearchNode(2, "b", 3, 1, False)), 9, 0, 99),
        SearchTree((SearchNode(1, "a", 61, 70, False), SearchNode(2, "b", 1, 4, False)), 9, 0, 99),
    ),
    "control": (
        ControlComparison(0.002, 0.05, -0.05, -0.2, 0.1, "coincidence", 1000, 300),
        ControlComparison(0.004, 0.05, -0.05, -0.1, 0.2, "coincidence", 1000, 300),
    ),
    "distributions": (
        Distributions(
            "pay",
            "equal",
            (ValueBin(80, 1, None), ValueBin(75, 1, None), ValueBin(81, 1, None)),
            (FarShares(3, 2, 0.61, (3, 0, 0)), FarShares(45, 1, 0.44, (2, 3, 40))),
        ),
        Distributions(
            "pay",
            "equal",
            (ValueBin(80, 1, None), ValueBin(75, 1, None), ValueBin(81, 1, None)),
            (FarShares(2, 2, 0.61, (1, 1, 0)), FarShares(45, 1, 0.44, (4, 1, 40))),
        ),
    ),
}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("language", ["en", "zh-TW"])
def test_small_counts_change_nothing(name: str, language: str) -> None:
    one, other = PAIRS[name]
    shown = [draw(own, language=language) for own in (one, other)]
    assert shown[0] is not None
    assert shown[0] == shown[1]
    tells_none = ("distributions", "column exposure")
    assert "<" in str(shown[0].table) or "steps" in name or name in tells_none
    # With nothing to hide they do differ.
    assert draw(one, hide_below=0) != draw(other, hide_below=0)


def test_few_small_classes_are_hidden_with_their_rows() -> None:
    chart = draw(example("class-sizes"))
    assert chart is not None
    assert [row[:2] for row in chart.table[1]] == [
        ("1", "<5"),
        # Only three rows and two times four make eleven, so this is hidden too.
        ("2", "≥9"),
        ("3", "0"),
        ("4", "<17"),
        ("5–9", "203"),
        ("10–19", "27"),
    ]
    assert "classes" not in chart.table[0]
    assert chart.notes
    revealed = draw(example("class-sizes"), hide_below=0)
    assert revealed is not None
    assert [row[1:3] for row in revealed.table[1]][:2] == [("3", "3"), ("17", "34")]


@settings(max_examples=60)
@given(
    classes=st.lists(st.integers(0, 8), min_size=4, max_size=4),
    large=st.integers(5, 40),
    limit=st.sampled_from([None, 3.0, 5.0]),
)
def test_few_small_classes_cannot_be_worked_out(
    classes: list[int], large: int, limit: float | None
) -> None:
    bins = [SizeBin(size, size, own, size * own) for size, own in enumerate(classes, 1)]
    chart = draw(ClassSizes((*bins, SizeBin(5, 9, large, 7 * large)), limit, 0))
    assert chart is not None
    texts = [row[1] for row in chart.table[1]][:4]
    sides: list[list[int]] = [[0, 1, 2, 3]]
    if limit is not None:
        sides = [[p for p in range(4) if (p + 1 < limit) is side] for side in (True, False)]
    elif "≥5" in chart.table[1][4][1]:
        return
    for side in sides:
        hidden = [place for place in side if not texts[place][0].isdigit()]
        total = sum((place + 1) * classes[place] for place in hidden)
        if chart.table[1][4][1].startswith("≥") and (limit is None or side == sides[-1]):
            continue
        everything = sum((place + 1) * classes[place] for place in side)
        if everything < 5 or len(hidden) == len(side):
            continue
        ranges = [
            range(1 if classes[place] else 0, 5) if texts[place].startswith("<") else range(5, 60)
            for place in hidden
        ]
        worlds = [
            world
            for world in itertools.product(*ranges)
            if sum((place + 1) * own for place, own in zip(hidden, world, strict=True)) == total
        ]
        for at, place in enumerate(hidden):
            if 0 < classes[place] < 5:
                assert len({world[at] for world in worlds}) > 1


def test_small_classes_are_left_out_of_distributions() -> None:
    found = example("distributions")
    assert isinstance(found, Distributions)
    chart = draw(found)
    assert chart is not None
    assert "0.61" not in chart.svg
    assert any("left out" in note for note in chart.notes)
    revealed = draw(found, hide_below=0)
    assert revealed is not None
    assert "0.61" in revealed.svg
    only_small = replace(found, classes=found.classes[:1])
    nothing = draw(only_small)
    assert nothing is not None
    assert "no class" in nothing.text_alternative


def test_bins_are_joined_until_they_tell_something() -> None:
    found = Distributions(
        "pay",
        "ordered",
        tuple(ValueBin(50, 3, None) for _ in range(12)),
        (FarShares(6, 1, 0.5, (0,) * 8 + (1, 1, 2, 2)),),
    )
    chart = draw(found)
    assert chart is not None
    assert [row[2] for row in chart.table[1]] == ["0 %", "0 %", "100 %"]


def test_few_rows_below_the_limit_do_not_follow_from_all_rows_and_the_others() -> None:
    bins = (SizeBin(2, 2, 1, 2), SizeBin(5, 9, 1, 9), SizeBin(10, 19, 30, 443))
    chart = draw(ClassSizes(bins, 5.0, 0))
    assert chart is not None
    # All rows are told, so the nine must not be.
    assert [row[1] for row in chart.table[1]] == ["<9", "≥5", "443"]


EXPOSURE = ColumnExposure(
    tuple(
        ExposedColumn(name, rows)
        for name, rows in [("w", 248), ("age", 195), ("zip", 31), ("disease", 28)]
    ),
    251,
    0,
    smallest=1,
)
"""w+age 192, w+zip 30, w+disease 26, age+zip 1, age+disease 2: the last two are hidden."""


@pytest.mark.parametrize("smallest", [1, 4, 0, None])
def test_sums_per_column_do_not_tell_what_the_search_tree_hides(smallest: int | None) -> None:
    chart = draw(replace(EXPOSURE, smallest=smallest))
    assert chart is not None
    # 195 - 192 = 1 + 2, 31 - 30 = 1 and 28 - 26 = 2 would tell both.
    assert chart.table[1] == (("w",), ("age",), ("zip",), ("disease",))
    assert chart.text_alternative == "w helps most."
    assert "Only the order" in chart.notes[0]
    # Whatever the numbers are, the drawing is the same.
    columns = tuple(ExposedColumn(own.column, 7) for own in EXPOSURE.columns)
    assert draw(replace(EXPOSURE, columns=columns, smallest=smallest)) == chart


@pytest.mark.parametrize(("smallest", "hide_below"), [(5, 5), (26, 5), (1, 1), (1, 0), (None, 0)])
def test_sums_per_column_are_told_where_no_count_is_hidden(
    smallest: int | None, hide_below: int
) -> None:
    chart = draw(replace(EXPOSURE, smallest=smallest), hide_below=hide_below)
    assert chart is not None
    assert chart.table[1][2] == ("zip", "31", "12.4 %")
    assert chart.notes == ()


def nodes(*counts: tuple[int, str, int]) -> SearchTree:
    found = tuple(SearchNode(depth, name, rows, 99, False) for depth, name, rows in counts)
    return SearchTree(found, 7, 0, 600)


@pytest.mark.parametrize(
    ("tree", "hidden"),
    [
        # By number of columns: 53 and 42. If 50 were told, b would be 3, and if 40 were, ab 2.
        (nodes((1, "a", 50), (2, "b", 2), (2, "c", 40), (1, "b", 3)), {0, 1, 2, 3}),
        # By number of columns: <5 and not told, but 43 in all.
        (nodes((1, "a", 3), (2, "b", 40)), {0, 1}),
        (nodes((1, "a", 50), (2, "b", 40)), set()),
    ],
)
def test_counts_of_combinations_do_not_follow_from_the_sums_of_their_sizes(
    tree: SearchTree, hidden: set[int]
) -> None:
    chart = draw(tree)
    assert chart is not None
    texts = [row[1] for row in chart.table[1]]
    assert {place for place, text in enumerate(texts) if not text.isdigit()} == hidden
