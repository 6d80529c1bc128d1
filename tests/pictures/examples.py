"""One picture of each kind, with small and large counts."""

from __future__ import annotations

from petaudit.i18n.voice import HIDE_BELOW, Voice
from petaudit.pictures import (
    AttackIntervals,
    AttackRates,
    Chart,
    ClassSizes,
    ColumnExposure,
    ColumnShares,
    ControlComparison,
    Distributions,
    IdentifiedBySize,
    MembershipCurves,
    Picture,
    RowsAtRisk,
    SearchTree,
)
from petaudit.pictures.attacks import DrawnAttack
from petaudit.pictures.class_sizes import SizeBin
from petaudit.pictures.column_shares import ColumnShare
from petaudit.pictures.distributions import FarShares, ValueBin
from petaudit.pictures.rows_at_risk import RiskPoint
from petaudit.pictures.search_tree import SearchNode
from petaudit.pictures.singled_out import ExposedColumn, SizeCount


def draw(picture: Picture, language: str = "en", hide_below: int = HIDE_BELOW) -> Chart | None:
    """The drawing of a picture."""
    return picture.draw(Voice(language, hide_below=hide_below))


_ATTACKS = (
    DrawnAttack("income", 0.77, 0.5, 0.54, 0.4, 0.66, 600, 300),
    DrawnAttack("the rarest 1 %", 0.005, 0.2, -0.24, -0.9, 0.1, 600, 30, None, "income"),
    DrawnAttack("alone", 0.3, None, None, None, None, 600, None),
)

EXAMPLES: tuple[Picture, ...] = (
    ClassSizes(
        (
            SizeBin(1, 1, 3, 3),
            SizeBin(2, 2, 17, 34),
            SizeBin(3, 3, 0, 0),
            SizeBin(4, 4, 2, 8),
            SizeBin(5, 9, 31, 203),
            SizeBin(10, 19, 2, 27),
        ),
        5.0,
        6,
    ),
    RowsAtRisk(
        (RiskPoint(0.05, 275), RiskPoint(0.1, 248), RiskPoint(0.2, 45), RiskPoint(0.5, 3)),
        275,
        0.2,
        45,
    ),
    Distributions(
        "salary",
        "ordered",
        (ValueBin(80, 9, None), ValueBin(75, 8, None), ValueBin(81, 7, None), ValueBin(3, 1, None)),
        (
            FarShares(3, 2, 0.61, (3, 0, 0, 0)),
            FarShares(23, 1, 0.44, (2, 1, 20, 0)),
            FarShares(40, 1, 0.31, (0, 30, 10, 0)),
        ),
    ),
    ColumnShares("precision", True, (ColumnShare("age", 0.25), ColumnShare("zip", 0.5)), 1, 0.4),
    IdentifiedBySize(
        (SizeCount(1, 1, 3, 4, 0), SizeCount(2, 2, 70, 6, 2), SizeCount(3, 4, 19, 5, 0)),
        600,
        complete=False,
    ),
    ColumnExposure((ExposedColumn("age", 90), ExposedColumn("zip", 13)), 92, 2, 6),
    SearchTree(
        (
            SearchNode(1, "age", 61, 70, False),
            SearchNode(2, "zip", 3, 80, False),
            SearchNode(2, "sex", 0, None, True),
            SearchNode(1, "zip", 0, 2, False),
            SearchNode(1, "sex", 0, None, False),
        ),
        9,
        1,
        600,
    ),
    ControlComparison(0.12, 0.05, 0.0737, 0.031, 0.115, "excess", 600, 300),
    AttackIntervals(_ATTACKS, 0.09),
    AttackRates(_ATTACKS),
    MembershipCurves(
        (0.0, 0.003, 0.01, 0.02, 0.03, 0.06, 0.1, 0.2, 0.5, 1.0),
        0.01,
        0.02,
        600,
        300,
        tuple(place / 40 for place in range(19)),
        tuple(place / 30 for place in range(19)),
    ),
)
