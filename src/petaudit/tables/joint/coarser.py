"""The next coarser form of a column: what a steward would try first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from petaudit.errors import phrase
from petaudit.tables.joint.column import Codes, JointColumn, Kind, Precision

Floats: TypeAlias = npt.NDArray[np.float64]
Counts: TypeAlias = npt.NDArray[np.int64]
Change: TypeAlias = tuple[str, Sequence[str] | npt.NDArray[np.generic]]
"""What is done, and what each value becomes."""

_MOST_POWERS = 40
_TOP_SHARE = 0.99
_RARE_SHARE = 0.01


@dataclass(frozen=True)
class CoarserStep:
    """One change of a column: a new code for each code."""

    change: str
    recode: Codes


def coarser_steps(column: JointColumn, reference: Codes, others: Codes) -> list[CoarserStep]:
    """What could be done to a column; a change that merges no values is left out.

    ``reference`` are the codes of the original's rows, which say what is rare or extreme, and
    ``others`` those of the rows that are compared with them. Only codes of either are recoded, to
    codes that are no larger: other tables may have values that neither has.
    """
    in_reference = np.bincount(reference, minlength=column.size)
    is_present = (in_reference > 0) | (np.bincount(others, minlength=column.size) > 0)
    counts = in_reference[: column.null]
    match column.kind:
        case Kind.NUMBER:
            numbers = np.array([float(key) for key in column.keys], np.float64)
            changes = [_rounded(numbers, counts, column.precision), _top_coded(numbers, counts)]
        case Kind.MOMENT | Kind.AWARE:
            changes = [_floored_to_month(column)]
        case Kind.TEXT:
            changes = [_rare_merged(counts)]
        case _:
            changes = []
    return [
        CoarserStep(change[0], recode)
        for change in changes
        if change is not None and (recode := _recode(change[1], is_present)) is not None
    ]


def _rounded(numbers: Floats, counts: Counts, precision: Precision) -> Change | None:
    """To the finest power of ten that leaves at most half of the original's values."""
    present = numbers[(counts > 0) & np.isfinite(numbers)]
    before = len(np.unique(present))
    decimals = precision if isinstance(precision, int) else 0
    for power in range(1 - decimals, 1 - decimals + _MOST_POWERS):
        unit = 10.0**power
        if 2 * len(np.unique(np.rint(present / unit))) <= before:
            shown = f"{unit:.0f}" if power >= 0 else f"{unit:.{-power}f}"
            return phrase("rounded to {unit}", unit=shown), np.rint(numbers / unit)
    return None


def _top_coded(numbers: Floats, counts: Counts) -> Change | None:
    """The highest hundredth of the original's rows, and all beyond it, become one value."""
    if not counts.sum():
        return None
    order = np.argsort(numbers, kind="stable")
    share = np.cumsum(counts[order]) / counts.sum()
    top = numbers[order[min(int(np.searchsorted(share, _TOP_SHARE)), len(order) - 1)]]
    return phrase("top-coded at the 99th percentile"), np.minimum(numbers, top)


def _floored_to_month(column: JointColumn) -> Change:
    values = map(column.value, range(column.null))
    # Nanoseconds are told in words, which begin like a date.
    months = [f"{day:%Y-%m}" if isinstance(day, date) else str(day)[:7] for day in values]
    return phrase("floored to the month"), months


def _rare_merged(counts: Counts) -> Change:
    """Labels that fewer than one in a hundred rows of the original have become one label."""
    rare = counts < _RARE_SHARE * max(int(counts.sum()), 1)
    merged = np.where(rare, -1, np.arange(len(counts)))
    return phrase("values below 1 % of the rows merged"), merged


def _recode(
    values: Sequence[str] | npt.NDArray[np.generic], is_present: npt.NDArray[np.bool_]
) -> Codes | None:
    """Small codes for what is there, the null's last; None if nothing of it is merged."""
    distinct, codes = np.unique(np.asarray(values), return_inverse=True)
    with_null = np.append(codes, len(distinct))
    distinct, codes = np.unique(with_null[is_present], return_inverse=True)
    if len(distinct) == int(is_present.sum()):
        return None
    recode = np.zeros(len(with_null), np.uint32)
    recode[is_present] = codes
    return recode
