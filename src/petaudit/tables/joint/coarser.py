"""The next coarser form of a column: what a steward would try first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
import numpy.typing as npt

from petaudit.errors import phrase
from petaudit.tables.joint.column import Codes, JointColumn, Kind

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
    counts = np.bincount(reference, minlength=column.size)[: column.null]
    match column.kind:
        case Kind.NUMBER:
            found = [_rounded(column, counts), _top_coded(column, counts)]
        case Kind.MOMENT | Kind.AWARE:
            found = [_floored_to_month(column)]
        case Kind.TEXT:
            found = [_rare_merged(column, counts)]
        case _:
            found = []
    is_present = np.bincount(reference, minlength=column.size) > 0
    is_present |= np.bincount(others, minlength=column.size) > 0
    return [
        CoarserStep(step.change, dense)
        for step in found
        if step is not None and (dense := _dense(step.recode, is_present)) is not None
    ]


def _rounded(column: JointColumn, counts: npt.NDArray[np.int64]) -> CoarserStep | None:
    """To the finest power of ten that leaves at most half of the original's values."""
    values = _floats(column)
    present = values[(counts > 0) & np.isfinite(values)]
    before = len(np.unique(present))
    decimals = column.precision if isinstance(column.precision, int) else 0
    for power in range(1 - decimals, 1 - decimals + _MOST_POWERS):
        unit = 10.0**power
        if 2 * len(np.unique(np.rint(present / unit))) <= before:
            shown = f"{unit:.0f}" if power >= 0 else f"{unit:.{-power}f}"
            change = phrase("rounded to {unit}", unit=shown)
            return CoarserStep(change, _recoded(np.rint(values / unit)))
    return None


def _top_coded(column: JointColumn, counts: npt.NDArray[np.int64]) -> CoarserStep | None:
    """The highest hundredth of the original's rows, and all beyond it, become one value."""
    values = _floats(column)
    if not counts.sum():
        return None
    order = np.argsort(values, kind="stable")
    share = np.cumsum(counts[order]) / counts.sum()
    top = values[order[min(int(np.searchsorted(share, _TOP_SHARE)), len(order) - 1)]]
    change = phrase("top-coded at the 99th percentile")
    return CoarserStep(change, _recoded(np.minimum(values, top)))


def _floored_to_month(column: JointColumn) -> CoarserStep | None:
    months = []
    for code in range(column.null):
        value = column.value(code)
        # Nanoseconds are told in words, which begin like a date.
        months.append(f"{value:%Y-%m}" if isinstance(value, date) else str(value)[:7])
    return CoarserStep(phrase("floored to the month"), _recoded(months))


def _rare_merged(column: JointColumn, counts: npt.NDArray[np.int64]) -> CoarserStep | None:
    """Labels that fewer than one in a hundred rows of the original have become one label."""
    rare = counts < _RARE_SHARE * max(int(counts.sum()), 1)
    codes = np.arange(column.null)
    change = phrase("values below 1 % of the rows merged")
    return CoarserStep(change, _recoded(np.where(rare, -1, codes)))


def _floats(column: JointColumn) -> npt.NDArray[np.float64]:
    return np.array([float(key) for key in column.keys], np.float64)


def _recoded(values: Sequence[str] | npt.NDArray[np.generic]) -> Codes:
    """A code per value, with null after the last as before."""
    distinct, codes = np.unique(np.asarray(values), return_inverse=True)
    return np.append(codes, len(distinct)).astype(np.uint32)


def _dense(recode: Codes, is_present: npt.NDArray[np.bool_]) -> Codes | None:
    """Small codes for what is there; None if nothing of it is merged."""
    distinct, codes = np.unique(recode[is_present], return_inverse=True)
    if len(distinct) == int(is_present.sum()):
        return None
    found = np.zeros(len(recode), np.uint32)
    found[is_present] = codes
    return found
