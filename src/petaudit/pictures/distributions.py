"""What the worst classes look like beside the whole table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from petaudit.pictures._words import check, kept_name
from petaudit.pictures.base import Picture

if TYPE_CHECKING:
    from petaudit.exact.class_figures import ClassFigures, Integers
    from petaudit.exact.emd import Ground
    from petaudit.inputs import Inputs
    from petaudit.measures.result import Result
    from petaudit.tables import ClassValueCounts, ValueCounts

MOST_BINS: Final = 12
MOST_CLASSES: Final = 3
MOST_ATTRIBUTES: Final = 6
SHOWABLE: Final = (0, 5, 20)
_MOST_TIED = 1000
"""Reports leave out small classes, and few rows in many bins say nothing: so the worst of those
with at least so many rows are kept too.
"""


@dataclass(frozen=True)
class FarClassValues:
    """Equal classes far from the table: the rows of each, and how many have which values."""

    rows: int
    classes: int
    distance: float
    values: tuple[int, ...]
    """Positions among the values of the attribute."""
    counts: tuple[int, ...]

    @classmethod
    def from_plain(cls, given: Mapping[str, Any]) -> FarClassValues:
        """From what JSON has made of its fields."""
        lists = {name: tuple(given[name]) for name in ("values", "counts")}
        return cls(**dict(given) | lists)


@dataclass(frozen=True)
class FarValues:
    """The worst classes of an attribute, and in which order values are; kept by the measure, so
    that nothing is measured twice.
    """

    ground: Ground
    values: ValueCounts
    classes: tuple[FarClassValues, ...] | None


def far_classes(figures: ClassFigures, pairs: ClassValueCounts) -> tuple[FarClassValues, ...]:
    """The worst classes, and the worst of those that are not very small.

    All that are as bad as the last of them are kept: engines have no order of classes, and which of
    them are shown must not depend on one.
    """
    among = [_worst(figures, np.flatnonzero(figures.sizes >= least)) for least in SHOWABLE]
    stops = np.append(pairs.class_starts[1:], len(pairs.counts))
    found = []
    for entry in sorted({entry for entries in among for entry in entries}):
        own = slice(int(pairs.class_starts[entry]), int(stops[entry]))
        found.append(
            FarClassValues(
                int(figures.sizes[entry]),
                int(figures.classes[entry]),
                figures.shown(entry),
                tuple(pairs.value_index[own].tolist()),
                tuple(pairs.counts[own].tolist()),
            )
        )
    return tuple(found)


def farthest(found: Sequence[FarClassValues]) -> tuple[FarClassValues, ...]:
    """Those of several blocks that would have been chosen from all classes at once."""
    kept: dict[int, FarClassValues] = {}
    for least in SHOWABLE:
        own = [far for far in found if far.rows >= least]
        if len(own) > MOST_CLASSES:
            bound = sorted((far.distance for far in own), reverse=True)[MOST_CLASSES - 1]
            own = sorted((far for far in own if far.distance >= bound), key=lambda far: -far.rows)
        kept |= {id(far): far for far in own[:_MOST_TIED]}
    return tuple(kept.values())


@dataclass(frozen=True)
class ValueBin:
    """Values next to each other: their rows in the table, and how many values they are.

    ``labels`` are the first and the last of them, only where values were revealed; a null is None.
    """

    rows: int
    values: int
    labels: tuple[str | None, ...] | None


@dataclass(frozen=True)
class FarShares:
    """Equal classes far from the table: the rows of each, and how many have values of each bin."""

    rows: int
    classes: int
    distance: float
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Distributions(Picture):
    """The worst classes of a sensitive attribute, the worst first; values in the distance's order.

    With the equal distance the most frequent values come first, and the last bin may hold the rest.
    """

    kind: ClassVar[str] = "distributions"

    attribute: str
    distance: str
    bins: tuple[ValueBin, ...]
    classes: tuple[FarShares, ...]
    table_rows: int | None = None
    """All rows of the table, those that are suppressed among them; earlier documents do not say."""

    def __post_init__(self) -> None:
        rows = sum(own.rows for own in self.bins)
        check(not self.bins or rows > 0, "the table has rows")
        check(self.table_rows is None or rows <= self.table_rows, "more rows than there are")
        check(len(self.bins) <= MOST_BINS, f"there are at most {MOST_BINS} bins")
        check(len(self.classes) <= len(SHOWABLE) * MOST_CLASSES, "there are too many classes")
        check(self.distance in {"ordered", "hierarchical", "equal"}, "the distance is unknown")
        for own in self.classes:
            check(len(own.counts) == len(self.bins), "every class has a count for each bin")
            check(sum(own.counts) == own.rows, "the counts of a class are its rows")

    def without_values(self) -> Distributions:
        """The same bins without the labels at their ends."""
        return replace(self, bins=tuple(replace(own, labels=None) for own in self.bins))


def distributions_of(inputs: Inputs | None, result: Result) -> tuple[Picture, ...]:
    """One picture for each sensitive attribute, of the first few."""
    if inputs is None:
        return ()
    shown: Mapping[str, FarValues] = dict(list(result.far.items())[:MOST_ATTRIBUTES])
    check(all(far.classes is not None for far in shown.values()), "the worst classes are unknown")
    return tuple(
        distributions(attribute, far, inputs.table.rows, with_labels=inputs.reveal_values)
        for attribute, far in shown.items()
        if far.classes
    )


def distributions(
    attribute: str, far: FarValues, table_rows: int | None = None, *, with_labels: bool
) -> Distributions:
    """Count the values of the worst classes in bins."""
    values = far.values
    order, bin_of = _bins(far.ground, values.counts)
    number = int(bin_of.max(initial=-1)) + 1
    in_bin = np.zeros(number, np.int64)
    np.add.at(in_bin, bin_of, values.counts)
    many = np.bincount(bin_of, minlength=number)
    ends = np.searchsorted(bin_of[order], np.arange(number + 1))
    bins = tuple(
        ValueBin(int(in_bin[place]), int(many[place]), labels)
        for place in range(number)
        for labels in [
            _labels(values.labels, order[ends[place] : ends[place + 1]], far.ground)
            if with_labels
            else None
        ]
    )
    found = []
    for own in far.classes or ():
        counts = np.zeros(number, np.int64)
        np.add.at(counts, bin_of[list(own.values)], own.counts)
        found.append(FarShares(own.rows, own.classes, own.distance, tuple(counts.tolist())))
    return Distributions(
        kept_name(attribute), far.ground.distance, bins, _chosen(found), table_rows
    )


def _chosen(found: list[FarShares]) -> tuple[FarShares, ...]:
    """The worst, and the worst of those that are not very small; by what they are, in any order."""

    def rank(own: FarShares) -> tuple[float, int, tuple[int, ...]]:
        return -own.distance, -own.rows, own.counts

    ranked = sorted(found, key=rank)
    kept = {
        id(own)
        for least in SHOWABLE
        for own in [each for each in ranked if each.rows >= least][:MOST_CLASSES]
    }
    return tuple(own for own in ranked if id(own) in kept)


def _worst(
    figures: ClassFigures, among: np.ndarray[tuple[int, ...], np.dtype[np.intp]]
) -> list[int]:
    values = figures.values[among]
    if len(values) > MOST_CLASSES:
        least = np.partition(values, -MOST_CLASSES)[-MOST_CLASSES]
        among = among[values >= least]
    if len(among) > _MOST_TIED:
        among = among[np.argsort(-figures.sizes[among], kind="stable")[:_MOST_TIED]]
    return [int(entry) for entry in among]


def _bins(ground: Ground, counts: Integers) -> tuple[Integers, Integers]:
    """The values in order, and the bin of each value."""
    number = len(counts)
    if ground.distance == "equal":
        order = np.argsort(-counts, kind="stable")
    else:
        # The first level of a tree is its leaves: what has the same parent stays together.
        order = np.lexsort([np.asarray(level, np.int64) for level in ground.nodes])
    bin_in_order = np.arange(number)
    if number > MOST_BINS and ground.distance == "equal":
        bin_in_order = np.minimum(bin_in_order, MOST_BINS - 1)
    elif number > MOST_BINS:
        # Equally many rows in each as far as values allow; a value is never split.
        before = np.cumsum(counts[order]) - counts[order]
        _, bin_in_order = np.unique(
            before * MOST_BINS // max(int(counts.sum()), 1), return_inverse=True
        )
    bin_of = np.empty(number, np.int64)
    bin_of[order] = bin_in_order
    return order.astype(np.int64), bin_of


def _labels(
    labels: Sequence[str | None], places: Integers, ground: Ground
) -> tuple[str | None, ...]:
    """The first and the last label; without an order there is nothing between two labels."""
    if len(places) > 1 and ground.distance == "equal":
        return ()
    ends = dict.fromkeys([int(places[0]), int(places[-1])])
    return tuple(None if (own := labels[place]) is None else kept_name(own) for place in ends)
