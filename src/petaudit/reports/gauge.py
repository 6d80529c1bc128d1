"""Where a figure stands between its worst and its best, as a drawing a thumb wide."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from petaudit.measures import all_measures
from petaudit.reports.view import Card

WIDTH: Final = 200.0


@dataclass(frozen=True)
class Gauge:
    """Places from 0 to :data:`WIDTH`; lower figures are to the left."""

    value: float
    limit: float | None
    good_from: float
    """The stretch in which the figure keeps its limit."""
    good_to: float

    @property
    def good_width(self) -> float:
        """How long that stretch is."""
        return round(self.good_to - self.good_from, 2)


def gauge_of(card: Card) -> Gauge | None:
    """The gauge of a card; None where there is no figure, or no scale to put it on.

    >>> gauge_of(Card("t-closeness", "failed", 0.75, 0.5, "lower"))
    Gauge(value=150.0, limit=100.0, good_from=0.0, good_to=100.0)
    """
    value = card.value
    known = all_measures().get(card.measure)
    if value is None or isinstance(value, bool) or known is None:
        return None
    low, high = known.range
    place = _place(float(value), low, high, card.limit)
    limit = None if card.limit is None else _place(card.limit, low, high, card.limit)
    if place is None:
        return None
    is_higher = card.better == "higher"
    good_from, good_to = (0.0, 0.0) if limit is None else (0.0, limit)
    if limit is not None and is_higher:
        good_from, good_to = limit, WIDTH
    return Gauge(place, limit, good_from, good_to)


def _place(value: float, low: float, high: float, limit: float | None) -> float | None:
    """Where a figure stands; without an end to the scale, the limit stands in its middle.

    From there each way is a matter of ratios: ten times the limit is near the end.
    """
    if math.isnan(value) or math.isinf(low):
        return None
    if math.isfinite(high):
        share = (value - low) / (high - low) if high > low else 0.0
    elif math.isinf(value):
        share = 1.0
    else:
        middle = max((limit if limit is not None else 10 + low) - low, 1e-12)
        share = (value - low) / (value - low + middle) if value > low else 0.0
    return round(WIDTH * min(max(share, 0.0), 1.0), 2)
