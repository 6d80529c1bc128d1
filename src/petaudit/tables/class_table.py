"""The classes of a table with the values of other columns in them: what class measures share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from petaudit.tables.class_labels import LabelsOfClasses
from petaudit.tables.results import ClassHistogram, ClassValueCounts, Integers, ValueCounts

_FOLDED_COUNTS = 64
_LARGEST_KEY = 1 << 62


@dataclass(frozen=True)
class ClassTable:
    """Classes with equal counts are one entry, unless their labels are known.

    ``marked`` is the entry of the suppressed rows, where there are any and they were not left out.
    """

    sizes: Integers
    classes: Integers
    columns: Mapping[str, ClassValueCounts]
    marked: int | None
    labels: LabelsOfClasses | None = None

    @property
    def suppressed_rows(self) -> int:
        """How many rows are suppressed."""
        return 0 if self.marked is None else int(self.sizes[self.marked])

    @cached_property
    def histogram(self) -> ClassHistogram:
        """How many classes have each size."""
        kept = np.ones(len(self.sizes), dtype=bool)
        if self.marked is not None:
            kept[self.marked] = False
        sizes, place = np.unique(self.sizes[kept], return_inverse=True)
        classes = np.zeros(len(sizes), dtype=np.int64)
        np.add.at(classes, place, self.classes[kept])
        return ClassHistogram(sizes, classes, self.suppressed_rows)

    def judged(self, *, with_suppressed: bool) -> ClassTable:
        """The classes that are asked for: suppressed rows are one only on demand.

        Where nothing is left in any other column of theirs, nobody learns anything from them, and
        they are none.
        """
        return self if with_suppressed and not self._is_blanked else self.without_suppressed

    @property
    def _is_blanked(self) -> bool:
        return (
            self.marked is not None
            and bool(self.columns)
            and all(
                place >= 0 and own.values.labels[place] is None
                for own in self.columns.values()
                for place in own.value_index[own.class_index == self.marked].tolist()
            )
        )

    @cached_property
    def without_suppressed(self) -> ClassTable:
        """The classes of the rows that say something."""
        if self.marked is None:
            return self
        kept = np.ones(len(self.sizes), dtype=bool)
        kept[self.marked] = False
        place = np.cumsum(kept, dtype=np.int64) - 1
        columns = {}
        for name, own in self.columns.items():
            pairs = kept[own.class_index]
            columns[name] = ClassValueCounts(
                own.values, place[own.class_index[pairs]], own.value_index[pairs], own.counts[pairs]
            )
        labels = None if self.labels is None else self.labels.taken(np.flatnonzero(kept))
        return ClassTable(self.sizes[kept], self.classes[kept], columns, None, labels)


@dataclass(frozen=True)
class ClassPairs:
    """The counts behind a class table: the values of all columns in one list, by class."""

    sizes: Integers
    classes: Integers
    entry: Integers
    value: Integers
    """The position of the value among the values of all columns, one column after another."""
    counts: Integers
    marked: int | None = None
    labels: LabelsOfClasses | None = None

    def cut(self, most: int) -> Iterator[Self]:
        """Parts of whole classes that have about so many pairs."""
        if len(self.entry) <= most:
            yield self
            return
        # The class of every so-manieth pair begins a part.
        firsts = np.unique(self.entry[::most])
        ends = [*firsts[1:].tolist(), len(self.sizes)]
        pairs = [*np.searchsorted(self.entry, firsts).tolist(), len(self.entry)]
        for place, (first, end) in enumerate(zip(firsts.tolist(), ends, strict=True)):
            own = slice(pairs[place], pairs[place + 1])
            is_here = self.marked is not None and first <= self.marked < end
            yield type(self)(
                self.sizes[first:end],
                self.classes[first:end],
                self.entry[own] - first,
                self.value[own],
                self.counts[own],
                self.marked - first if self.marked is not None and is_here else None,
                None if self.labels is None else self.labels.taken(np.arange(first, end)),
            )

    def folded(self, values: int) -> Self:
        """The same with equal classes as one entry, where a number can stand for a class.

        Most classes of most tables are small, and these are the ones that repeat.
        """
        if not self.entry.size:
            return self
        width = values * _FOLDED_COUNTS + 1
        longest = 1
        while width ** (longest + 1) < _LARGEST_KEY:
            longest += 1
        starts = np.flatnonzero(np.diff(self.entry, prepend=-1))
        lengths = np.diff(starts, append=len(self.entry))
        small = (lengths <= longest) & (self.sizes < _FOLDED_COUNTS)
        if self.marked is not None:
            small[self.marked] = False
        if not small.any():
            return self
        place = np.arange(len(self.entry), dtype=np.int64) - np.repeat(starts, lengths)
        in_small = small[self.entry]
        code = 1 + self.value[in_small] * _FOLDED_COUNTS + self.counts[in_small]
        powers = np.array([width**power for power in range(longest)], dtype=np.int64)
        terms = code * powers[place[in_small]]
        small_starts = np.flatnonzero(np.diff(self.entry[in_small], prepend=-1))
        keys = np.add.reduceat(terms, small_starts)
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        totals = np.zeros(len(first), dtype=np.int64)
        np.add.at(totals, group, self.classes[small])
        kept = ~small
        kept[np.flatnonzero(small)[first]] = True
        classes = self.classes.copy()
        classes[np.flatnonzero(small)[first]] = totals
        new_place = np.cumsum(kept, dtype=np.int64) - 1
        pairs = kept[self.entry]
        return type(self)(
            self.sizes[kept],
            classes[kept],
            new_place[self.entry[pairs]],
            self.value[pairs],
            self.counts[pairs],
            None if self.marked is None else int(new_place[self.marked]),
        )

    def split(self, values: Mapping[str, ValueCounts]) -> ClassTable:
        """Give each column its own values again."""
        columns = {}
        if len(values) == 1:
            [(name, own)] = values.items()
            columns[name] = ClassValueCounts(own, self.entry, self.value, self.counts)
            return ClassTable(self.sizes, self.classes, columns, self.marked, self.labels)
        start = 0
        for name, own in values.items():
            stop = start + len(own.labels)
            mine = (self.value >= start) & (self.value < stop)
            columns[name] = ClassValueCounts(
                own, self.entry[mine], self.value[mine] - start, self.counts[mine]
            )
            start = stop
        return ClassTable(self.sizes, self.classes, columns, self.marked, self.labels)
