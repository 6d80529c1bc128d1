"""Rows of several tables as points: numbers, dates and categories, compared by Gower's distance.

A cell is a whole number: of steps above the smallest number of its column in any table, or the code
of a category. Two cells of a column are

    min(|difference| x weight, unit)

apart, where the unit is what two different categories differ by, and the weight of a number is the
unit divided by the range of its column. A null is so far from every number that it is one unit
away. All of these are whole numbers that a float holds exactly, so sums do not depend on the order
of columns, and rows that are equally near are. The unit is a multiple of every range where a float
has room for one; else a weight is rounded down, which changes a distance by less than one part
in a million of the range, and still leaves equal differences equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from petaudit.tables.joint import JointColumn, JointTables
from petaudit.tables.joint.column import Kind

Steps: TypeAlias = npt.NDArray[np.int32]
Weights: TypeAlias = npt.NDArray[np.float64]
_EXACT: Final = 1 << 52
"""Sums up to this are whole numbers in a float."""
_MOST_STEPS: Final = 1 << 28
"""More steps than that are grouped: a null is three times as far away, and has to fit."""
_POWERS: Final = 15
_ORDERED: Final = (Kind.NUMBER, Kind.MOMENT, Kind.AWARE, Kind.TIME, Kind.DURATION)


@dataclass(frozen=True)
class MixedRows:
    """The rows of all tables, one table after the other."""

    columns: tuple[str, ...]
    steps: Steps
    """A row per column."""
    weights: Weights
    """What a step is worth, by column."""
    unit: float
    """What two different categories differ by, and the range of every number."""
    is_category: npt.NDArray[np.bool_]
    nulls: Steps
    """What a null is in each column."""
    scales: tuple[tuple[float, float], ...]
    """The smallest number of each column, and what a step is in its own unit."""
    rows: tuple[int, ...]
    """How many rows each table has."""
    constant: tuple[str, ...] = ()
    """Columns with one value in all tables, or none: they tell nobody apart."""

    def of_table(self, table: int) -> slice:
        """Where the rows of a table are."""
        start = sum(self.rows[:table])
        return slice(start, start + self.rows[table])

    def places(self, columns: Sequence[str]) -> list[int]:
        """The places of columns, in the order of the tables; constant ones have none."""
        return [place for place, name in enumerate(self.columns) if name in columns]


def mixed_rows(
    tables: JointTables, array: Callable[[tuple[int, int], Any], npt.NDArray[Any]] = np.empty
) -> MixedRows:
    """Encode tables that have common codes; what comes of it goes to an ``array``.

    >>> import pyarrow as pa
    >>> from petaudit.tables import open_source
    >>> from petaudit.tables.joint import joint_tables
    >>> tables = [open_source(pa.table({"age": ages, "sex": ["f", "m"]}), called="table")
    ...           for ages in ([20, 60], [30, None])]
    >>> rows = mixed_rows(joint_tables(tables, decimals=None, unit=None))
    >>> rows.steps.tolist(), rows.weights.tolist(), rows.unit
    ([[0, 4, 1, -12], [0, 1, 0, 1]], [1.0, 4.0], 4.0)
    """
    scales = [
        _scale(tables.joined[name], codes)
        for name, codes in zip(tables.columns, tables.codes, strict=True)
    ]
    used = [place for place, scale in enumerate(scales) if scale is not None]
    kept = [scale for scale in scales if scale is not None]
    most = _EXACT // (len(kept) + 1)
    unit = math.lcm(*(scale.range for scale in kept))
    if unit > most:
        unit = 1 << (most.bit_length() - 1)
    steps = array((len(kept), tables.codes.shape[1]), np.int32)
    for row, (place, scale) in enumerate(zip(used, kept, strict=True)):
        steps[row] = scale.steps[tables.codes[place]]
    names = tuple(tables.columns[place] for place in used)
    return MixedRows(
        names,
        steps,
        np.array([unit // scale.range for scale in kept], np.float64),
        float(unit),
        np.array([scale.is_category for scale in kept], np.bool_),
        np.array([scale.null for scale in kept], np.int32),
        tuple((scale.smallest, scale.size) for scale in kept),
        tables.rows,
        tuple(name for name in tables.columns if name not in names),
    )


@dataclass(frozen=True)
class _Scale:
    """What the codes of a column become."""

    steps: Steps
    """By code; that of null is the last."""
    range: int
    """How many steps there are from the smallest to the largest; 1 for a category."""
    is_category: bool
    smallest: float = 0.0
    size: float = 1.0

    @property
    def null(self) -> int:
        """What a null is."""
        return int(self.steps[-1])


def _scale(column: JointColumn, codes: npt.NDArray[np.uint32]) -> _Scale | None:
    """The steps of a column; None if all rows have one value, null included."""
    is_used = np.bincount(codes, minlength=column.size) > 0
    if np.count_nonzero(is_used) <= 1:
        return None
    is_used = is_used[:-1]
    numbers = _numbers(column, is_used) if column.kind in _ORDERED and is_used.any() else None
    if numbers is None:
        return _Scale(np.arange(column.size, dtype=np.int32), 1, is_category=True)
    steps, smallest, size = numbers
    # A column of one number and nulls has no range; any will do.
    reach = max(int(steps.max()), 1)
    with_null = np.full(column.size, -3 * reach, np.int32)
    with_null[:-1][is_used] = steps
    return _Scale(with_null, reach, is_category=False, smallest=smallest, size=size)


def _numbers(
    column: JointColumn, is_used: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.int64], float, float] | None:
    """The numbers of a column as steps from the smallest; None if some are not finite."""
    decimals = column.precision if isinstance(column.precision, int) else 0
    keys: Any = column.keys
    if isinstance(keys, np.ndarray):
        keys = keys[is_used]
    else:
        keys = [key for key, is_one in zip(keys, is_used, strict=True) if is_one]
    whole = _whole(keys, decimals)
    if whole is None:
        return None
    smallest = int(min(whole))
    above = whole - smallest
    step = int(np.gcd.reduce(above)) or 1
    # Beyond what can be told apart, neighbouring numbers share a step.
    step = max(step, -(-int(max(above)) // _MOST_STEPS))
    steps = ((2 * above + step) // (2 * step)).astype(np.int64)
    power = Fraction(10) ** -decimals
    return steps, float(smallest * power), float(step * power)


def _whole(keys: Any, decimals: int) -> npt.NDArray[Any] | None:
    """Numbers of so many decimals as whole numbers; None if some are not finite."""
    if isinstance(keys, np.ndarray) and keys.dtype == np.float64:
        if not np.isfinite(keys).all():
            return None
        if decimals <= _POWERS and np.abs(keys).max() * 10.0**decimals < _EXACT:
            whole: npt.NDArray[Any] = np.rint(keys * 10.0**decimals).astype(np.int64)
            return whole
    elif isinstance(keys, np.ndarray) and np.abs(keys).max() * 10**decimals < _EXACT:
        scaled: npt.NDArray[Any] = keys.astype(np.int64) * 10**decimals
        return scaled
    # Whole numbers of Python have no largest.
    power = Fraction(10) ** decimals
    return np.array([round(Fraction(str(key)) * power) for key in keys], object)
