"""Pictures as drawings that need no script, no style and no network.

A drawing scales with its box, takes its colours from the page (``--ink``, ``--muted``, ``--line``,
``--card``, ``--c1`` to ``--c3``), and can be read by those who see no colours or nothing at all:
every part has a label, and the same numbers are there as a text and as a table. What must not be
told is in none of them: neither a number nor a length is kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from petaudit.i18n.catalogue import ENGLISH
from petaudit.pictures import (
    ClassSizes,
    ColumnExposure,
    ColumnShares,
    ControlComparison,
    Distributions,
    IdentifiedBySize,
    Picture,
    RowsAtRisk,
    SearchTree,
    picture_from,
)
from petaudit.reports.charts.chart import Chart
from petaudit.reports.charts.class_sizes import draw_class_sizes
from petaudit.reports.charts.column_shares import draw_column_shares
from petaudit.reports.charts.comparison import Row, draw_rows
from petaudit.reports.charts.control import draw_control
from petaudit.reports.charts.distributions import draw_distributions
from petaudit.reports.charts.rows_at_risk import draw_rows_at_risk
from petaudit.reports.charts.search_tree import draw_search_tree
from petaudit.reports.charts.singled_out import draw_column_exposure, draw_identified_by_size
from petaudit.reports.charts.words import Speaker
from petaudit.reports.writing import HIDE_BELOW

__all__ = ["Chart", "draw", "draw_comparison"]


def draw(
    picture: Picture | Mapping[str, Any], *, language: str = ENGLISH, hide_below: int = HIDE_BELOW
) -> Chart | None:
    """Draw a picture, or its plain data; None where there is nothing to see.

    Numbers of people above 0 and below ``hide_below`` are not told; 0 tells all. A ValueError for
    data that is no picture.
    """
    known = picture if isinstance(picture, Picture) else picture_from(picture)
    speaker = Speaker(language, hide_below)
    match known:
        case ClassSizes():
            return draw_class_sizes(known, speaker)
        case RowsAtRisk():
            return draw_rows_at_risk(known, speaker)
        case Distributions():
            return draw_distributions(known, speaker)
        case ColumnShares():
            return draw_column_shares(known, speaker)
        case IdentifiedBySize():
            return draw_identified_by_size(known, speaker)
        case ColumnExposure():
            return draw_column_exposure(known, speaker)
        case SearchTree():
            return draw_search_tree(known, speaker)
        case ControlComparison():
            return draw_control(known, speaker)
    raise ValueError("the picture is of no known kind")


def draw_comparison(
    rows: Sequence[Row], *, language: str = ENGLISH, hide_below: int = HIDE_BELOW
) -> Chart | None:
    """Draw figures before and after: name, before, after, limit, and which way is better."""
    return draw_rows(rows, Speaker(language, hide_below))
