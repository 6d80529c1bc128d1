"""The labels of classes, spelled out only for those that somebody looks at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from petaudit.tables.results import Integers

Labels: TypeAlias = tuple[str | None, ...]


class LabelsOfClasses(Protocol):
    """The labels of classes, wherever they are."""

    def __getitem__(self, entry: int, /) -> Labels:
        """The labels of one class."""

    def taken(self, entries: npt.NDArray[np.integer], /) -> LabelsOfClasses:
        """The labels of some classes."""


@dataclass(frozen=True)
class ClassLabels(Sequence[Labels]):
    """What the classes of a table are called: per column its labels, and a code for each class.

    A table may have as many classes as rows, and a tuple of texts for each would be far larger
    than the table.

    >>> found = ClassLabels((("F", "M"), ("20", None)), (np.array([0, 1]), np.array([1, 0])), 2)
    >>> list(found), found.taken(np.array([1]))[0]
    ([('F', None), ('M', '20')], ('M', '20'))
    """

    labels: tuple[tuple[str | None, ...], ...]
    codes: tuple[Integers, ...]
    classes: int

    def __len__(self) -> int:
        return self.classes

    @overload
    def __getitem__(self, entry: int) -> Labels: ...
    @overload
    def __getitem__(self, entry: slice) -> list[Labels]: ...
    def __getitem__(self, entry: int | slice) -> Labels | list[Labels]:
        if isinstance(entry, slice):
            return [self[place] for place in range(*entry.indices(self.classes))]
        if not -self.classes <= entry < self.classes:
            raise IndexError(entry)
        return tuple(own[codes[entry]] for own, codes in zip(self.labels, self.codes, strict=True))

    def __iter__(self) -> Iterator[Labels]:
        return (self[entry] for entry in range(self.classes))

    def taken(self, entries: npt.NDArray[np.integer]) -> ClassLabels:
        """The labels of some classes."""
        return ClassLabels(self.labels, tuple(own[entries] for own in self.codes), len(entries))
