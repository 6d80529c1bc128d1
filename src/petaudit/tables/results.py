"""What counting returns: small arrays and labels, free of any engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from petaudit.labels.numbers import LabelNumbers, Reader

Integers = npt.NDArray[np.int64]


def summed(places: Integers, counts: Integers, size: int) -> Integers:
    """Add up counts by their places, of which there are ``size``.

    >>> summed(np.array([0, 2, 0]), np.array([5, 1, 1]), 3).tolist()
    [6, 0, 1]
    """
    # Sums of floats are exact below 2**53, which no number of rows reaches.
    return np.bincount(places, weights=counts, minlength=size).astype(np.int64)


def different_people(groups: Integers, people: Integers, number: int) -> Integers:
    """How many different people each of some groups has.

    >>> different_people(np.array([0, 0, 2]), np.array([7, 7, 7]), 4).tolist()
    [1, 0, 1, 0]
    """
    width = int(people.max(initial=0)) + 1
    pairs = np.unique(groups * width + people)
    return np.bincount(pairs // width, minlength=number).astype(np.int64)


@dataclass(frozen=True)
class ValueCounts:
    """How often each value of a column occurs: numbers ascend, then texts, a null is last."""

    labels: tuple[str | None, ...]
    counts: Integers
    spellings: tuple[tuple[str | None, ...], ...] | None = None
    """What the table writes for each label, where several spellings are one value."""
    integers: Integers | None = field(default=None, repr=False, compare=False)
    """The labels other than null as integers, where the column holds integers."""

    @cached_property
    def rows(self) -> int:
        """How many rows were counted."""
        return int(self.counts.sum())

    @cached_property
    def index(self) -> dict[str | None, int]:
        """Position of each label, in all its spellings.

        A text of invisible characters is a spelling of no value, and None is its label.
        """
        spelled = [(label,) for label in self.labels] if self.spellings is None else self.spellings
        return {
            spelling: position
            for position, spellings in enumerate(spelled)
            for spelling in (self.labels[position], *spellings)
        }

    @cached_property
    def by_label(self) -> dict[str | None, int]:
        """How often each label occurs."""
        return dict(zip(self.labels, self.counts.tolist(), strict=True))

    def present(self, counts: Integers) -> ValueCounts:
        """The values that other counts have, with these.

        >>> ValueCounts(("x", "y"), np.array([2, 1])).present(np.array([0, 1])).labels
        ('y',)
        """
        places = np.flatnonzero(counts)
        if len(places) == len(counts):
            return replace(self, counts=counts)
        spelled, integers = self.spellings, self.integers
        return ValueCounts(
            tuple(self.labels[place] for place in places.tolist()),
            counts[places],
            None if spelled is None else tuple(spelled[place] for place in places.tolist()),
            None if integers is None else integers[places[places < len(integers)]],
        )

    @property
    def merged(self) -> tuple[int, int]:
        """How many values have several spellings, and how many spellings these are.

        >>> illness = ValueCounts(("flu", None), np.array([3, 1]), (("Flu", "flu"), (None,)))
        >>> illness.merged, illness.index["Flu"]
        ((1, 2), 0)
        """
        several = [len(texts) for texts in self.spellings or () if len(texts) > 1]
        return len(several), sum(several)

    @cached_property
    def plain_numbers(self) -> LabelNumbers:
        """The numbers that labels spell plainly, read once."""
        if self.integers is None:
            return LabelNumbers.plain(self.labels)
        is_number = np.arange(len(self.labels)) < len(self.integers)
        mantissas = np.zeros(len(self.labels), dtype=np.int64)
        mantissas[is_number] = self.integers
        return LabelNumbers(is_number, mantissas, np.zeros_like(mantissas))

    def numbers(self, reader: Reader) -> LabelNumbers:
        """All numbers; a reader reads those that are not written plainly."""
        return self.plain_numbers.completed(self.labels, reader)


@dataclass(frozen=True)
class ClassHistogram:
    """How many classes have each size; suppressed rows apart."""

    sizes: Integers
    classes: Integers
    suppressed_rows: int
    """Those that are in no class."""
    suppressed_class: int = 0
    """The rows of the class of suppressed rows, where they are one."""

    @cached_property
    def rows(self) -> int:
        """Rows in classes."""
        return int((self.sizes * self.classes).sum())

    @cached_property
    def number(self) -> int:
        """How many classes there are."""
        return int(self.classes.sum())

    @classmethod
    def together(cls, parts: Sequence[ClassHistogram]) -> ClassHistogram:
        """The histogram of the classes of several blocks.

        >>> one = ClassHistogram(np.array([1, 3]), np.array([5, 1]), 2)
        >>> both = ClassHistogram.together([one, ClassHistogram(np.array([3]), np.array([2]), 0)])
        >>> both.sizes.tolist(), both.classes.tolist(), both.suppressed_rows
        ([1, 3], [5, 3], 2)
        """
        if len(parts) == 1:
            return parts[0]
        none = np.zeros(0, dtype=np.int64)
        all_sizes = np.concatenate([none, *(part.sizes for part in parts)])
        sizes, place = np.unique(all_sizes, return_inverse=True)
        classes = np.concatenate([none, *(part.classes for part in parts)])
        classes = summed(place, classes, len(sizes))
        return cls(sizes, classes, sum(part.suppressed_rows for part in parts))

    def with_suppressed_as_class(self) -> ClassHistogram:
        """The same with all suppressed rows as one more class."""
        if not self.suppressed_rows:
            return self
        one = ClassHistogram(np.array([self.suppressed_rows]), np.array([1]), 0)
        both = ClassHistogram.together([replace(self, suppressed_rows=0), one])
        return replace(both, suppressed_class=self.suppressed_rows)


@dataclass(frozen=True)
class ClassValueCounts:
    """Counts per class and value, present pairs only, ordered by class and then by value."""

    values: ValueCounts
    class_index: Integers
    value_index: Integers
    counts: Integers

    @cached_property
    def class_starts(self) -> Integers:
        """Where each class begins."""
        if not self.class_index.size:
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero(np.diff(self.class_index, prepend=-1)).astype(np.int64)

    @cached_property
    def with_nulls_as_commonest(self) -> ClassValueCounts:
        """The same with the nulls of each class as its most frequent value.

        A null may stand for any value, so this is the least diverse that the class can be. A class
        of nulls only keeps them as its single value.

        >>> values = ValueCounts(("a", "b", None), np.array([1, 2, 5]))
        >>> entry, value = np.array([0, 0, 0, 1]), np.array([0, 1, 2, 2])
        >>> pairs = ClassValueCounts(values, entry, value, np.array([1, 2, 3, 2]))
        >>> merged = pairs.with_nulls_as_commonest
        >>> merged.class_index.tolist(), merged.value_index.tolist(), merged.counts.tolist()
        ([0, 0, 1], [0, 1, 2], [1, 5, 2])
        """
        null = self.values.index.get(None)
        if null is None:
            return self
        nulls = np.flatnonzero(self.value_index == null)
        # A null comes last, so where it begins a class, the class has nothing else.
        nulls = nulls[~np.isin(nulls, self.class_starts)]
        if not nulls.size:
            return self
        counts = self.counts.copy()
        counts[nulls] = 0
        is_commonest = counts == np.maximum.reduceat(counts, self.class_starts)[self.class_index]
        commonest = np.flatnonzero(is_commonest)
        classes, first = np.unique(self.class_index[commonest], return_index=True)
        targets = commonest[first[np.searchsorted(classes, self.class_index[nulls])]]
        counts[targets] += self.counts[nulls]
        kept = np.ones(len(counts), dtype=bool)
        kept[nulls] = False
        return ClassValueCounts(
            self.values, self.class_index[kept], self.value_index[kept], counts[kept]
        )

    @cached_property
    def descending_counts(self) -> Integers:
        """The counts with those of each class from the largest to the smallest.

        >>> values = ValueCounts(("a", "b"), np.array([3, 4]))
        >>> entry, value = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
        >>> pairs = ClassValueCounts(values, entry, value, np.array([1, 3, 2, 1]))
        >>> pairs.descending_counts.tolist()
        [3, 1, 2, 1]
        """
        # One number per pair sorts ten times faster than two; it overflows from 2**32 rows.
        width = int(self.counts.max(initial=0)) + 1
        keys = self.class_index * width + (width - 1 - self.counts)
        keys.sort()
        return width - 1 - keys % width

    @cached_property
    def class_sizes(self) -> Integers:
        """Rows per class."""
        if not self.class_index.size:
            return np.zeros(0, dtype=np.int64)
        return np.add.reduceat(self.counts, self.class_starts)


@dataclass(frozen=True)
class PairCounts:
    """How often an original value and a released label meet in a row."""

    original: tuple[str | None, ...]
    released: tuple[str | None, ...]
    counts: Integers


@dataclass(frozen=True)
class PairCodes:
    """The same by the positions of both among the labels of ``value_counts``."""

    original: Integers
    released: Integers
    counts: Integers
    rows: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Which pair each row has, in the order of the original, where that is asked for."""
