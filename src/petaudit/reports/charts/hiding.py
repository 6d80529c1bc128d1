"""Which counts must not be told, so that they do not follow from those that are.

Small counts are hidden. Where the sum of all counts is known, a hidden one may follow from the
others; then more are hidden, the smallest first, until no hidden count can be worked out.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Counts:
    """Counts of which some are hidden; ``below`` is what the small ones are known to be below."""

    counts: tuple[int, ...]
    below: tuple[int, ...]
    hidden: frozenset[int]

    def is_hidden(self, place: int) -> bool:
        """Whether a count may not be told."""
        return place in self.hidden

    def text(self, place: int) -> str:
        """The count, or on which side of the threshold it is.

        >>> found = hiding([3, 7, 90], 5)
        >>> [found.text(place) for place in range(3)]
        ['<5', '≥5', '90']
        """
        number, bound = self.counts[place], self.below[place]
        if place not in self.hidden:
            return f"{number:,}"
        return f"<{bound:,}" if number < bound else f"≥{bound:,}"

    def share(self, place: int, whole: int) -> str:
        """The count as a share, or what is known of it."""
        number, bound = self.counts[place], self.below[place]
        if place not in self.hidden:
            return percent(number, whole)
        sign = "<" if number < bound else "≥"
        return sign + percent(min(bound, whole), whole)


def hiding(
    counts: Sequence[int],
    hide_below: int,
    *,
    small: Sequence[bool] | None = None,
    below: Sequence[int] | None = None,
    steps: Sequence[int] | None = None,
    groups: Sequence[Collection[int]] | None = None,
    sums_are_known: bool = True,
) -> Counts:
    """Hide small counts, and what they would follow from within each group of a known sum.

    ``small`` and ``below`` say which are small, and below what, where that is not the threshold
    itself; ``steps`` are what counts are known to be multiples of.

    >>> sorted(hiding([3, 7, 90], 5).hidden), sorted(hiding([3, 3, 90], 5).hidden)
    ([0, 1], [0, 1])
    """
    bounds = tuple(below) if below is not None else (hide_below,) * len(counts)
    of = steps if steps is not None else (1,) * len(counts)
    cells = [_Cell(*own) for own in zip(counts, bounds, of, strict=True)]
    given = small if small is not None else [0 < own < hide_below for own in counts]
    hidden = {place for place, is_small in enumerate(given) if is_small}
    if hide_below > 0 and sums_are_known:
        for group in groups if groups is not None else [range(len(counts))]:
            hidden |= _enough(cells, hidden & set(group), group, hide_below)
    return Counts(tuple(counts), bounds, frozenset(hidden))


def percent(part: float, whole: float) -> str:
    """A share in percent.

    >>> percent(1, 3), percent(0, 0)
    ('33.3 %', '0 %')
    """
    return f"{100 * part / whole if whole else 0:.3g} %"


@dataclass(frozen=True)
class _Cell:
    """A count with what is known of it when it is hidden."""

    count: int
    below: int
    step: int

    @property
    def is_small(self) -> bool:
        return 0 < self.count < self.below

    def as_if_near(self, reach: int) -> int:
        """The count, or one nearer to its bound from which as much can be told."""
        far = max(self.count - self.below - reach, 0) if self.count >= self.below else 0
        return self.count - far // self.step * self.step

    def possible(self, reach: int) -> range:
        """What it may be, up to so much more than it is; zeros are hidden only where they must."""
        if self.count < self.below:
            return range(self.step if self.count else 0, self.below, self.step)
        start = -(-self.below // self.step) * self.step
        return range(start, self.as_if_near(reach) + reach + 1, self.step)


def _enough(
    cells: Sequence[_Cell], hidden: set[int], group: Collection[int], hide_below: int
) -> set[int]:
    """What to hide in one group; a sum that is small is hidden itself, and tells nothing."""
    found = set(hidden)
    if not found or sum(cells[place].count for place in group) < hide_below:
        return found
    while not _are_safe([cells[place] for place in sorted(found)]):
        left = [place for place in group if place not in found]
        if not left:
            break
        # A zero is hidden only where nothing else is left to hide.
        found.add(min(left, key=lambda place: (not cells[place].count, cells[place].count, place)))
    return found


def _are_safe(cells: Sequence[_Cell]) -> bool:
    """Whether every small count may be more than one number, by trying all that is possible.

    Sums are bits of a number, so that all of them are shifted at once.
    """
    reach = sum(cell.below for cell in cells if cell.count < cell.below)
    total = sum(cell.as_if_near(reach) for cell in cells)
    within = (1 << (total + 1)) - 1
    for place, own in enumerate(cells):
        if not own.is_small or len(own.possible(reach)) == 1:
            continue
        sums = 1
        for other, cell in enumerate(cells):
            if other != place:
                shifted = 0
                for number in cell.possible(reach):
                    shifted |= sums << number
                sums = shifted & within
        fits = [number for number in own.possible(reach) if sums >> max(total - number, 0) & 1]
        if len([number for number in fits if number <= total]) < 2:
            return False
    return True
