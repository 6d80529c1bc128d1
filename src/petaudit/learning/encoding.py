"""Columns as numbers that a model can learn from, alike for original and generalised labels.

A model that learned from ``[20,30[`` and ``Europe`` must be able to read ``23`` and ``France``. So
a number column is one number, the middle of a range for a range; a column of labels has a share
per original value, and a generalised label is shared evenly among the values under it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from petaudit.exact.fractions import parse_number
from petaudit.labels.cells import SUPPRESSED
from petaudit.labels.hierarchy import LeavesUnder
from petaudit.labels.numbers import ValueKey, middle_of, numbers_among, value_key
from petaudit.tables import ValueCounts

Matrix: TypeAlias = npt.NDArray[np.float64]
Numbers: TypeAlias = npt.NDArray[np.float64]
Classes: TypeAlias = npt.NDArray[np.int64]

MOST_VALUES: Final = 100
"""Categories kept per column of labels; the rarer values share one more."""
_LARGEST: Final = 10**150
"""The square of a larger number is too large for a float."""
_FARTHEST: Final = 1e6
"""Numbers are clipped at this many standard deviations from the mean."""


class Encoder(ABC):
    """How the labels of one column become numbers."""

    def __init__(self) -> None:
        self.unknown = 0
        """How many labels nothing is known about; they count like suppressed ones."""

    @abstractmethod
    def encoded(self, labels: Sequence[str | None]) -> Matrix:
        """A row per label."""


class NumberEncoder(Encoder):
    """A number in units of the original's standard deviation, and whether it is a null.

    >>> encoder = NumberEncoder(ValueCounts(("20", "40"), np.array([1, 1])), None)
    >>> encoder.encoded(["20", "[30,40]", "*", None]).tolist()
    [[-1.0, 0.0], [0.5, 0.0], [0.0, 0.0], [0.0, 1.0]]
    """

    def __init__(self, counts: ValueCounts, under: LeavesUnder | None) -> None:
        super().__init__()
        self._reader = NumberReader.of(counts.labels, under)
        read = [self._reader.number(label) for label in counts.labels]
        known = np.array([number is not None for number in read])
        numbers = np.array([float(number) for number in read if number is not None])
        rows = counts.counts[known]
        self._mean = float(np.sum(rows * numbers) / rows.sum())
        self._scale = math.sqrt(float(np.sum(rows * (numbers - self._mean) ** 2) / rows.sum())) or 1

    def encoded(self, labels: Sequence[str | None]) -> Matrix:
        """Null is 0, the mean, with a mark beside it."""
        matrix = np.zeros((len(labels), 2))
        for row, label in enumerate(labels):
            if label is None:
                matrix[row, 1] = 1
                continue
            number = self._reader.number(label)
            if number is None:
                self.unknown += label != SUPPRESSED
                number = self._reader.middle
            matrix[row, 0] = (float(number) - self._mean) / self._scale
        return np.clip(matrix, -_FARTHEST, _FARTHEST)


@dataclass(frozen=True)
class NumberReader:
    """Reads the labels of a column whose original values are numbers."""

    lowest: Fraction
    highest: Fraction
    under: LeavesUnder | None = field(repr=False)

    @classmethod
    def of(cls, original: Sequence[str | None], under: LeavesUnder | None) -> NumberReader:
        """The reader for a column that has these values."""
        numbers = numbers_among(label for label in original if label != SUPPRESSED)
        assert numbers is not None  # noqa: S101 (asked only for columns of numbers)
        return cls(min(numbers), max(numbers), under)

    def number(self, label: str | None) -> Fraction | None:
        """The number of a label, or the middle of those that it stands for; None if unknown."""
        if label is None or label == SUPPRESSED:
            return None
        # A label above the leaves stands for them, though it may look like a number.
        number = None if self.under is None else self.under.middle(label)
        if number is None:
            number = parse_number(label)
        if number is None:
            number = middle_of(label, self.lowest, self.highest)
        return number if number is not None and _is_usable(number) else None

    @property
    def middle(self) -> Fraction:
        """What a suppressed cell counts as: the middle of all that it may be."""
        middle = None if self.under is None else self.under.middle(SUPPRESSED)
        return (self.lowest + self.highest) / 2 if middle is None else middle


class CategoryEncoder(Encoder):
    """A share per original value, one for rarer values and one for nulls.

    >>> from petaudit.labels.hierarchy import Hierarchy
    >>> under = LeavesUnder(Hierarchy("x", [["a", "A"], ["b", "A"], ["c", "C"]]))
    >>> encoder = CategoryEncoder(ValueCounts(("a", "b", "c"), np.array([1, 1, 1])), under)
    >>> encoder.encoded(["c", "A", None])[:, [0, 1, 2, 4]].tolist()
    [[0.0, 0.0, 1.0, 0.0], [0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    """

    def __init__(self, counts: ValueCounts, under: LeavesUnder | None) -> None:
        super().__init__()
        self._under = under
        rows: dict[ValueKey, int] = {}
        for label, count in zip(counts.labels, counts.counts.tolist(), strict=True):
            if label is not None and label != SUPPRESSED:
                key = value_key(label)
                rows[key] = rows.get(key, 0) + count
        frequent = set(sorted(rows, key=lambda key: -rows[key])[:MOST_VALUES])
        kept = [key for key in rows if key in frequent]
        self._place: dict[ValueKey, int] = {key: place for place, key in enumerate(kept)}
        self._rare = len(kept)
        self._null = len(kept) + 1
        self._place |= {key: self._rare for key in rows if key not in frequent}
        self._place[None] = self._null
        self._has_null = None in counts.index
        self.merged = len(rows) - len(kept)
        """How many rare values count as one."""

    def encoded(self, labels: Sequence[str | None]) -> Matrix:
        """A generalised label is shared evenly, one that says nothing among all values."""
        matrix = np.zeros((len(labels), self._null + 1))
        for row, label in enumerate(labels):
            places = self._places(label)
            for place in places:
                matrix[row, place] += 1 / len(places)
        return matrix

    def _places(self, label: str | None) -> list[int]:
        key = value_key(label)
        if key in self._place:
            return [self._place[key]]
        leaves = None if self._under is None else self._under.leaves(label)
        if leaves is None:
            self.unknown += label != SUPPRESSED
        known = {value_key(leaf) for leaf in leaves or () if leaf is not None or self._has_null}
        places = [self._place[leaf] for leaf in known if leaf in self._place]
        return places or [place for key, place in self._place.items() if key is not None]


def feature_encoder(counts: ValueCounts, under: LeavesUnder | None) -> Encoder:
    """The encoder for a column: the original decides whether it holds numbers."""
    return NumberEncoder(counts, under) if are_numbers(counts) else CategoryEncoder(counts, under)


def are_numbers(counts: ValueCounts) -> bool:
    """Whether all values of an original column are numbers; nulls and ``*`` do not matter.

    >>> are_numbers(ValueCounts(("1", "2.5", None), np.array([1, 1, 1])))
    True
    """
    numbers = numbers_among(label for label in counts.labels if label != SUPPRESSED)
    return numbers is not None and all(map(_is_usable, numbers))


def target_numbers(reader: NumberReader, labels: Sequence[str | None]) -> Numbers:
    """What a regression learns: the number of each label, NaN where it is not known."""
    read = [reader.number(label) for label in labels]
    return np.array([math.nan if number is None else float(number) for number in read])


def class_places(counts: ValueCounts) -> dict[ValueKey, int]:
    """What a classification tells apart: the values of the original, without null and ``*``."""
    labels = [label for label in counts.labels if label is not None and label != SUPPRESSED]
    return {key: place for place, key in enumerate(dict.fromkeys(map(value_key, labels)))}


def target_classes(places: dict[ValueKey, int], labels: Sequence[str | None]) -> Classes:
    """The class of each label; -1 where it is none, as for a suppressed or generalised one."""
    return np.array([places.get(value_key(label), -1) for label in labels], dtype=np.int64)


def _is_usable(number: Fraction) -> bool:
    return abs(number) < _LARGEST
