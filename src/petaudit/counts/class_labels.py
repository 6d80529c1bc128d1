"""The labels of classes, spelled out only for those that somebody looks at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from petaudit.counts.results import Integers

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

    @classmethod
    def together(cls, parts: Sequence[ClassLabels]) -> ClassLabels:
        """The labels of several blocks of classes; columns may have other labels in each."""
        if all(part.labels == parts[0].labels for part in parts):
            columns = zip(*(part.codes for part in parts), strict=True)
            codes = tuple(np.concatenate(own) for own in columns)
            return cls(parts[0].labels, codes, sum(map(len, parts)))
        places: list[dict[str | None, int]] = [{} for _ in parts[0].labels]
        found: list[list[Integers]] = [[] for _ in parts[0].labels]
        for part in parts:
            for place, own, code, into in zip(places, part.labels, part.codes, found, strict=True):
                recode = [place.setdefault(label, len(place)) for label in own]
                into.append(np.array(recode, dtype=np.int64)[code])
        joint = tuple(np.concatenate(own) for own in found)
        return cls(tuple(map(tuple, places)), joint, sum(map(len, parts)))
