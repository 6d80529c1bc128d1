"""Small counts are nowhere: not in words, not in the table, not in a length.

Two pictures that differ in small counts only must give the very same chart.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.pictures.examples import EXAMPLES, draw

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
from petaudit.pictures.distributions import FarShares, ValueBin
from petaudit.pictures.rows_at_risk import RiskPoint
from petaudit.pictures.search_tree import SearchNode
from petaudit.pictures.singled_out import ExposedColumn, SizeCount


def example(kind: str) -> Picture:
    [result] = [entry for entry in EXAMPLES if entry.kind == kind]
    return result


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
            (FarShares(3, 2, 0.61, (2, 1, 0)), FarShares(45, 1, 0.44, (3, 2, 40))),
        ),
    ),
}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("language", ["en", "zh-TW"])
def test_small_counts_change_nothing(name: str, language: str) -> None:
    one, other = PAIRS[name]
    shown = [draw(entry, language=language) for entry in (one, other)]
    assert shown[0] is not None
    assert shown[0] == shown[1]
    tells_none = ("distributions", "column exposure")
    assert "<" in str(shown[0].table) or "steps" in name or name in tells_none
    # With nothing to hide they do differ.
    assert draw(one, hide_below=0) != draw(other, hide_below=0)


def test_class_sizes_are_the_same_few_bins_for_every_table() -> None:
    chart = draw(example("class-sizes"))
    assert chart is not None
    # 3 rows, 34, none, 4 rows, 203 and 27 are 3, 37, 41, 244 and 271 of all.
    assert [row[:2] for row in chart.table[1]] == [
        ("1", "<5"),
        ("2", "31–38"),
        ("3–4", "6–14"),
        ("5–9", "196–204"),
        ("10–19", "21–31"),
        ("20–49", "<7"),
        ("≥50", "<7"),
    ]
    assert "classes" not in chart.table[0]
    assert chart.notes
    revealed = draw(example("class-sizes"), hide_below=0)
    assert revealed is not None
    assert [row[1:3] for row in revealed.table[1]][:2] == [("3", "3"), ("17", "34")]


def test_the_farthest_classes_are_shown_together_where_each_is_small() -> None:
    """By hand: two classes of 3 and one of 45 rows are 51, with 8, 3 and 40 of the values."""
    result, _ = PAIRS["distributions"]
    assert isinstance(result, Distributions)
    chart = draw(result)
    assert chart is not None
    assert "0.61" not in chart.svg
    assert "one of which decides the figure, have 50–54 rows together" in chart.text_alternative
    # Of 52, the middle of the zone: the sums 8, 11 and 51 are in zones of five.
    assert [row[2] for row in chart.table[1]] == ["9.62–17.3 %", "<19.2 %", "69.2–84.6 %"]
    revealed = draw(result, hide_below=0)
    assert revealed is not None
    assert "distance 0.61" in revealed.svg
    alone = draw(replace(result, classes=result.classes[1:]))
    assert alone is not None
    assert "The class that decides the figure has 45–49 rows" in alone.text_alternative
    few = draw(replace(result, classes=result.classes[:1]))
    assert few is not None
    assert few.svg == ""
    assert "too few people" in few.text_alternative


def test_where_every_bar_is_hidden_a_sentence_says_so() -> None:
    bins = (SizeBin(1, 1, 3, 3), SizeBin(5, 9, 1, 6))
    chart = draw(ClassSizes(bins, 5.0, 0))
    assert chart is not None
    assert chart.svg == ""
    assert chart.text_alternative.startswith("Not drawn: too few people")
    revealed = draw(ClassSizes(bins, 5.0, 0), hide_below=0)
    assert revealed is not None
    assert "<svg" in revealed.svg


def test_values_of_few_rows_are_put_together() -> None:
    result = Distributions(
        "pay",
        "ordered",
        tuple(ValueBin(rows, 1, None) for rows in (50, 1, 2, 3, 40, 4)),
        (FarShares(40, 1, 0.4321, (30, 0, 0, 1, 9, 0)),),
        100,
    )
    chart = draw(result)
    assert chart is not None
    # 50, 6 and 44 rows of the table; 30, 31 and 40 of the class.
    assert [row[:2] for row in chart.table[1]] == [
        ("value 1", "50–54 %"),
        ("group 2 of values", "<10 %"),
        ("group 3 of values", "41–45 %"),
    ]
    assert "0.43" not in chart.svg
    assert "distance" not in chart.text_alternative


def test_bars_of_values_have_the_order_that_zones_have() -> None:
    """Whichever of two values is the more frequent one, the drawing is the same."""
    of_class = (FarShares(30, 1, 0.5, (10, 10, 10)),)
    both = [
        draw(
            Distributions(
                "pay", "equal", tuple(ValueBin(row, 1, None) for row in rows), of_class, 60
            )
        )
        for rows in ((22, 21, 17), (21, 20, 19))
    ]
    assert both[0] is not None
    assert both[0] == both[1]


EXPOSURE = ColumnExposure(
    tuple(
        ExposedColumn(name, rows)
        for name, rows in [("w", 248), ("zip", 34), ("age", 31), ("disease", 28)]
    ),
    251,
    0,
    smallest=1,
)


def test_columns_of_one_zone_are_in_the_order_of_their_names() -> None:
    chart = draw(EXPOSURE)
    assert chart is not None
    assert [row[:2] for row in chart.table[1]] == [
        ("w", "245–249"),
        ("age", "30–34"),
        ("zip", "30–34"),
        ("disease", "25–29"),
    ]
    revealed = draw(EXPOSURE, hide_below=0)
    assert revealed is not None
    assert revealed.table[1][1] == ("zip", "34", "13.5 %")
    assert revealed.notes == ()


def test_combinations_are_told_by_their_running_sums() -> None:
    counts = [(1, "a", 50), (2, "b", 2), (2, "c", 40), (1, "b", 3)]
    nodes = tuple(SearchNode(depth, name, rows, 99, False) for depth, name, rows in counts)
    chart = draw(SearchTree(nodes, 7, 0, 600))
    assert chart is not None
    assert [row[1] for row in chart.table[1]] == ["50–54", "<5", "36–44", "<10"]
