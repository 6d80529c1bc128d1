"""The classes of a table with the values of other columns in them: what class measures share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from petaudit.tables.results import ClassHistogram, ClassValueCounts, Integers, summed

Labels: TypeAlias = tuple[str | None, ...]

_LARGEST_FOLDED = 64
"""Classes from this size on are rarely equal, and are not looked at."""
_LARGEST_KEY = 1 << 62


class LabelsOfClasses(Protocol):
    """The labels of classes, wherever they are."""

    def __getitem__(self, entry: int, /) -> Labels:
        """Return the labels of one class."""

    def taken(self, entries: npt.NDArray[np.integer], /) -> LabelsOfClasses:
        """Return the labels of some classes."""


@dataclass(frozen=True)
class ClassLabels:
    """The distinct labels of each column, and a code per column for each class.

    A table may have as many classes as rows, and a tuple of texts for each would be far larger
    than the table, so labels are spelled out one class at a time.

    >>> labels = ClassLabels((("F", "M"), ("20", None)), (np.array([0, 1]), np.array([1, 0])))
    >>> labels[0], labels.taken(np.array([1]))[0]
    (('F', None), ('M', '20'))
    """

    labels: tuple[Labels, ...]
    codes: tuple[Integers, ...]

    def __getitem__(self, entry: int) -> Labels:
        return tuple(
            labels[codes[entry]] for labels, codes in zip(self.labels, self.codes, strict=True)
        )

    def taken(self, entries: npt.NDArray[np.integer]) -> ClassLabels:
        """Return the labels of some classes."""
        return ClassLabels(self.labels, tuple(codes[entries] for codes in self.codes))


@dataclass(frozen=True)
class ClassTable:
    """Classes with their sizes and value counts.

    Classes with equal counts are one entry, unless their labels are known. ``marked`` is the entry
    of the suppressed rows, where there are any and they were not left out.
    """

    sizes: Integers
    classes: Integers
    columns: Mapping[str, ClassValueCounts]
    marked: int | None = None
    labels: LabelsOfClasses | None = None

    @property
    def suppressed_rows(self) -> int:
        """How many rows are suppressed."""
        return 0 if self.marked is None else int(self.sizes[self.marked])

    @cached_property
    def histogram(self) -> ClassHistogram:
        """How many classes have each size."""
        kept = self._is_not_marked
        sizes, place = np.unique(self.sizes[kept], return_inverse=True)
        classes = summed(place, self.classes[kept], len(sizes))
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
                place >= 0 and column.values.labels[place] is None
                for column in self.columns.values()
                for place in column.value_index[column.class_index == self.marked].tolist()
            )
        )

    def only(self, kept: npt.NDArray[np.bool_]) -> ClassTable:
        """Some of the classes."""
        return self if kept.all() else self._filtered(kept, self.classes)

    @cached_property
    def without_suppressed(self) -> ClassTable:
        """The classes of the rows that are not suppressed."""
        return self if self.marked is None else self._filtered(self._is_not_marked, self.classes)

    @property
    def _is_not_marked(self) -> npt.NDArray[np.bool_]:
        kept = np.ones(len(self.sizes), dtype=bool)
        if self.marked is not None:
            kept[self.marked] = False
        return kept

    def _filtered(self, kept: npt.NDArray[np.bool_], classes: Integers) -> ClassTable:
        place = np.cumsum(kept, dtype=np.int64) - 1
        columns = {}
        for name, column in self.columns.items():
            pairs = kept[column.class_index]
            columns[name] = ClassValueCounts(
                column.values,
                place[column.class_index[pairs]],
                column.value_index[pairs],
                column.counts[pairs],
            )
        has_mark = self.marked is not None and kept[self.marked]
        return ClassTable(
            self.sizes[kept],
            classes[kept],
            columns,
            int(place[self.marked]) if has_mark else None,
            None if self.labels is None else self.labels.taken(np.flatnonzero(kept)),
        )

    def cut(self, pairs: int) -> Iterator[ClassTable]:
        """Yield parts of whole classes with about this many pairs of class and value each."""
        step = max(pairs // max(len(self.columns), 1), 1)
        index = next((column.class_index for column in self.columns.values()), self.sizes[:0])
        if len(index) <= step:
            yield self
            return
        # The class of every n-th pair begins a part.
        firsts = np.unique(index[::step]).tolist()
        for first, end in zip(firsts, [*firsts[1:], len(self.sizes)], strict=True):
            columns = {}
            for name, column in self.columns.items():
                part = slice(*np.searchsorted(column.class_index, [first, end]).tolist())
                columns[name] = ClassValueCounts(
                    column.values,
                    column.class_index[part] - first,
                    column.value_index[part],
                    column.counts[part],
                )
            has_mark = self.marked is not None and first <= self.marked < end
            yield ClassTable(
                self.sizes[first:end],
                self.classes[first:end],
                columns,
                self.marked - first if self.marked is not None and has_mark else None,
                None if self.labels is None else self.labels.taken(np.arange(first, end)),
            )

    def folded(self) -> ClassTable:
        """Make equal classes one entry, where an integer can stand for the counts of a class.

        Most classes of most tables are small, and these are the ones that repeat.
        """
        if not self.sizes.size or not self.columns:
            return self
        columns = self.columns.values()
        width = sum(len(column.values.labels) for column in columns) * _LARGEST_FOLDED + 1
        longest = 1
        while width ** (longest + 1) < _LARGEST_KEY:
            longest += 1
        lengths = [
            np.diff(column.class_starts, append=len(column.class_index)) for column in columns
        ]
        small = (sum(lengths) <= longest) & (self.sizes < _LARGEST_FOLDED) & self._is_not_marked
        if not small.any():
            return self
        powers = np.array([width**power for power in range(longest)], dtype=np.int64)
        keys = np.zeros(int(small.sum()), dtype=np.int64)
        # Where the pairs of a column begin among those of a class, and its values among all.
        first_pair = np.zeros(len(self.sizes), dtype=np.int64)
        first_value = 0
        for column, length in zip(columns, lengths, strict=True):
            in_small = small[column.class_index]
            place = np.arange(len(column.class_index), dtype=np.int64)
            place -= np.repeat(column.class_starts - first_pair, length)
            value = column.value_index[in_small] + first_value
            terms = 1 + value * _LARGEST_FOLDED + column.counts[in_small]
            terms *= powers[place[in_small]]
            starts = np.flatnonzero(np.diff(column.class_index[in_small], prepend=-1))
            keys += np.add.reduceat(terms, starts)
            first_pair += length
            first_value += len(column.values.labels)
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        representatives = np.flatnonzero(small)[first]
        classes = self.classes.copy()
        classes[representatives] = 0
        np.add.at(classes, representatives[group], self.classes[small])
        kept = ~small
        kept[representatives] = True
        return self._filtered(kept, classes)
