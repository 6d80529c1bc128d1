"""Figures of the shares of sensitive values: p in a class against q in the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import inf
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from petaudit.exact.class_figures import (
    ClassFigures,
    Exact,
    Floats,
    Integers,
    Truths,
    ratio_figures,
)
from petaudit.exact.logarithms import compared_entropy, compared_log, exp_entropy, log_of
from petaudit.tables import ClassTable, ClassValueCounts

_LARGEST_INT64 = 2**62
_MARGIN: Final = 1e-12


@dataclass(frozen=True)
class Shares:
    """p and q of every value that is present in a class, as integers over one divisor.

    With c of n rows in the class and Q of N in the table, ``inside`` is cN and ``overall`` is Qn,
    so that p/q is exactly ``inside / overall``.
    """

    inside: npt.NDArray[Any]
    overall: npt.NDArray[Any]
    pairs: ClassValueCounts

    @classmethod
    def of(cls, pairs: ClassValueCounts) -> Shares:
        """From counts; in Python's unbounded integers where 64 bits do not suffice."""
        rows = pairs.values.rows
        dtype: npt.DTypeLike = np.int64 if rows * rows < _LARGEST_INT64 else object
        sizes = pairs.class_sizes.astype(dtype)
        return cls(
            pairs.counts.astype(dtype) * rows,
            pairs.values.counts.astype(dtype)[pairs.value_index] * sizes[pairs.class_index],
            pairs,
        )

    @cached_property
    def gains(self) -> Floats:
        """(p - q) / q of each value; the difference is exact before it is divided."""
        gained = (self.inside - self.overall).astype(np.float64)
        gains: Floats = gained / self.overall.astype(np.float64)
        return gains

    @cached_property
    def table_counts(self) -> Integers:
        """Q of each value."""
        return self.pairs.values.counts[self.pairs.value_index]

    def largest(self, figures: Floats) -> Floats:
        """The largest figure of each class."""
        return np.maximum.reduceat(figures, self.pairs.class_starts)

    def of_largest(self, entry: int, figures: Floats) -> set[Fraction]:
        """p/q of those values of a class whose figures floats cannot tell from the largest."""
        starts = self.pairs.class_starts
        start = int(starts[entry])
        stop = int(starts[entry + 1]) if entry + 1 < len(starts) else len(figures)
        in_class = figures[start:stop]
        best = in_class.max()
        near = start + np.flatnonzero(in_class >= best - abs(best) * _MARGIN)
        return {Fraction(int(self.inside[pair]), int(self.overall[pair])) for pair in near.tolist()}


def gain_figures(
    shares: Shares, table: ClassTable, is_infinite: Truths | None = None
) -> ClassFigures:
    """The largest gain (p - q) / q of each class; infinite where ``is_infinite`` says so.

    It is never negative: the shares of the values that are present add up to 1 in the class, and to
    no more in the table.
    """
    values = shares.largest(shares.gains)
    if is_infinite is not None:
        values[is_infinite] = np.inf

    def exact(entry: int) -> Exact:
        if np.isinf(values[entry]):
            return inf
        return max(shares.of_largest(entry, shares.gains)) - 1

    return ClassFigures(values, table.sizes, table.classes, exact)


def is_lacking(attribute: str, table: ClassTable) -> Truths:
    """Tell which classes lack a value of the table."""
    pairs = table.columns[attribute]
    present = np.diff(pairs.class_starts, append=len(pairs.counts))
    lacking: Truths = present < len(pairs.values.labels)
    return lacking


def log_figures(
    attribute: str, table: ClassTable, base: str, is_infinite: Truths | None
) -> ClassFigures:
    """Return the largest |log(p/q)| of each class; infinite where ``is_infinite`` says so."""
    shares = Shares.of(table.columns[attribute])
    logs = _logs(shares, base)
    values = shares.largest(logs)
    if is_infinite is not None:
        values[is_infinite] = np.inf

    def largest_ratio(entry: int) -> Fraction:
        return max(max(ratio, 1 / ratio) for ratio in shares.of_largest(entry, logs))

    def exact(entry: int) -> Exact:
        return inf if np.isinf(values[entry]) else log_of(largest_ratio(entry), base)

    def compare(entry: int, limit: Fraction) -> int:
        return compared_log(largest_ratio(entry), limit, base)

    return ClassFigures(values, table.sizes, table.classes, exact, compare=compare)


def _logs(shares: Shares, base: str) -> Floats:
    """|log(p/q)| of each value; accurate also where p and q are nearly equal."""
    larger = np.maximum(shares.inside, shares.overall)
    smaller = np.minimum(shares.inside, shares.overall)
    logs: Floats = np.log1p((larger - smaller).astype(np.float64) / smaller.astype(np.float64))
    if base == "e":
        return logs
    logs /= np.log(2)
    powers = np.rint(logs)
    scales: npt.NDArray[Any] = (2 ** powers.astype(np.int64)).astype(shares.inside.dtype)
    return np.where((smaller * scales == larger).astype(bool), powers, logs)


def entropy_figures(pairs: ClassValueCounts, classes: ClassTable) -> ClassFigures:
    """Return e to the entropy of each class; a whole number where values are equally common."""
    starts = pairs.class_starts
    # In one order, so that classes with the same counts have the same float.
    counts = pairs.descending_counts
    stops = np.append(starts[1:], len(counts))
    shares = counts / classes.sizes[pairs.class_index]
    entropy = np.add.reduceat(-shares * np.log(shares), starts)
    distinct = stops - starts
    is_uniform = counts[starts] == counts[stops - 1]
    values = np.where(is_uniform, distinct, np.exp(entropy)).astype(np.float64)
    sign = cache(compared_entropy)

    def counts_of(entry: int) -> tuple[int, ...]:
        return tuple(counts[starts[entry] : stops[entry]].tolist())

    def exact(entry: int) -> Exact:
        if is_uniform[entry]:
            return Fraction(int(distinct[entry]))
        return exp_entropy(counts_of(entry))

    def compare(entry: int, limit: Fraction) -> int:
        return sign(counts_of(entry), limit)

    return ClassFigures(values, classes.sizes, classes.classes, exact, compare=compare)


def commonest_shares(attribute: str, classes: ClassTable) -> ClassFigures:
    """Return the share of the commonest value in each class."""
    pairs = classes.columns[attribute].with_nulls_as_commonest
    largest = np.maximum.reduceat(pairs.counts, pairs.class_starts)
    return ratio_figures(largest, classes.sizes, classes.sizes, classes.classes)


def commonest_against_rare(values: int, attribute: str, classes: ClassTable) -> ClassFigures:
    """Return r1 / (rl + ... + rm) of each class; infinite where it has fewer than l values."""
    pairs = classes.columns[attribute].with_nulls_as_commonest
    starts, counts = pairs.class_starts, pairs.descending_counts
    stops = np.append(starts[1:], len(counts))
    before_rare = min(values - 1, len(counts))
    up_to = np.concatenate([[0], np.cumsum(counts)])
    common = up_to[np.minimum(starts + before_rare, stops)] - up_to[starts]
    return ratio_figures(counts[starts], classes.sizes - common, classes.sizes, classes.classes)
