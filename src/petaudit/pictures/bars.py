"""A list of bars, each with its name before and its number behind: the layout of most charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from petaudit.pictures.svg import (
    BREACH,
    DASHED,
    LINE,
    MAIN,
    MUTED,
    WIDTH,
    Sheet,
    bar_paint,
    fitted,
    width_of,
)

STUB: Final = 16
"""How long a bar is that tells nothing."""
_TOP: Final = 26
_STEP: Final = 21
_GAP: Final = 8
_BAR: Final = 14


@dataclass(frozen=True)
class Bar:
    """A bar of a length from 0 to 1; hidden ones are all alike."""

    name: str
    length: float
    number: str
    label: str
    is_hidden: bool = False
    is_breach: bool = False


def bar_list(
    bars: Sequence[Bar],
    names_are: str,
    bars_are: str,
    *,
    names_width: float | None = 150,
    divider: tuple[int, str] | None = None,
    mark: tuple[float, str] | None = None,
) -> Sheet:
    """Lay bars out from above.

    ``divider`` is a dashed line before a bar with words that say what it divides; ``mark`` a dashed
    line across the bars at a length from 0 to 1, with words below. Names are cut to fit; without a
    width for them there is room for all, as far as possible.
    """
    if names_width is None:
        names_width = min(max([110.0, *(width_of(bar.name) for bar in bars)]), 280.0)
    behind = max([60.0, *(width_of(bar.number) for bar in bars)]) + _GAP
    left, right = names_width + _GAP, WIDTH - behind
    rows: list[Bar | str] = [*bars]
    if divider is not None:
        rows.insert(*divider)
    bottom = _TOP + _STEP * len(rows)
    sheet = Sheet(height=bottom + 4 + (18 if mark else 0))
    names = fitted(names_are, names_width)
    sheet.text(names_width, 11, names, fill=MUTED, anchor="end")
    sheet.text(left, 11, bars_are, fill=MUTED)
    sheet.line(left, left, _TOP - 2, bottom, stroke=LINE)
    numbers = []
    for place, row in enumerate(rows):
        y = _TOP + _STEP * (place + 0.5)
        if isinstance(row, str):
            end = WIDTH - width_of(row) - 8
            sheet.line(0, end, y, y, **DASHED)
            sheet.text(WIDTH - 2, y, row, anchor="end", weight="600")
            continue
        end = left + (STUB if row.is_hidden else row.length * (right - left))
        paint = bar_paint(BREACH if row.is_breach else MAIN, row.label, is_hidden=row.is_hidden)
        sheet.rect(left, end, y - _BAR / 2, y + _BAR / 2, **paint)
        sheet.text(names_width, y, fitted(row.name, names_width, longest=60), anchor="end")
        numbers.append((end + 6, y, row.number))
    if mark is not None:
        x = left + mark[0] * (right - left)
        sheet.line(x, x, _TOP - 2, bottom + 4, **DASHED)
        sheet.text(x, bottom + 12, mark[1], anchor="middle")
    for x, y, number in numbers:
        # Numbers are on top of the mark.
        sheet.text(x, y, number, has_halo=mark is not None)
    return sheet
