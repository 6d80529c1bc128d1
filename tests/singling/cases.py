"""Small pairs of tables whose identified rows were worked out by hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any

NAN = float("nan")
Cells = dict[str, list[Any]]
# The synthetic row, the original row (as the caller counts them), the columns and the values.
Found = tuple[int, int, tuple[str, ...], tuple[Any, ...]]


@dataclass(frozen=True)
class Case:
    """Two tables and which rows are identified."""

    original: Cells
    synthetic: Cells
    found: list[Found]
    options: dict[str, Any] = field(default_factory=dict)


def _one(
    original: list[Any], synthetic: list[Any], *found: tuple[int, int, Any], **options: Any
) -> Case:
    """One column, ``a``."""
    details = [(syn, ori, ("a",), (value,)) for syn, ori, value in found]
    return Case({"a": original}, {"a": synthetic}, details, options)


FROM_THE_SPEC = {
    "a group of two that a column splits": Case(
        {"a": [1, 1, 2, 2], "c": [1, 2, 1, 2]},
        {"a": [1, 1, 5, 5], "c": [1, 2, 1, 2]},
        [(0, 0, ("a", "c"), (1, 1)), (1, 1, ("a", "c"), (1, 2))],
    ),
    "one synthetic row in a group of two original ones": Case(
        {"A": [1, 1, 2, 3], "B": ["x", "y", "x", "x"]},
        {"A": [1, 7, 8, 9], "B": ["x", "x", "y", "y"]},
        [(0, 0, ("A", "B"), (1, "x"))],
    ),
    "the first of two columns that identify": Case(
        {"A": [3, 1], "B": [0, 2], "C": [1, 0]},
        {"A": [3, 3, 0], "B": [1, 0, 0], "C": [0, 1, 0]},
        [(1, 0, ("C",), (1,))],
    ),
    "two nulls are one value": Case(
        {"A": [None, 5, 6], "B": [9, 9, 8]},
        {"A": [None, None, 7], "B": [1, 2, 3]},
        [],
        {"max_baseline_cols": 1},
    ),
    "a column that is constant in both": Case(
        {"A": [1, 1, 1], "B": [1, 2, 3]}, {"A": [1, 1], "B": [1, 9]}, [(0, 0, ("B",), (1,))]
    ),
    "nothing in common": _one([1, 1], [2, 2]),
}

MORE = {
    "the same row once in each": _one([4], [4], (0, 0, 4)),
    "another row once in each": _one([4], [5]),
    "a null once in each": _one([None, 2, 2], [3, None], (1, 0, None)),
    "a NaN is a null": _one([NAN, 2.0], [None, 3.0], (0, 0, None)),
    # DuckDB 2.0 takes it for a number where a Parquet file has no null in the column.
    "a NaN between numbers": _one([0.25, NAN, 1.0], [None, 0.25], (0, 1, None), (1, 0, 0.25)),
    "a synthetic NaN between numbers": _one([0.25, None], [1.0, NAN, 2.0], (1, 1, None)),
    "two NaNs between numbers": _one([0.25, NAN, 1.0], [3.0, NAN, 4.0], (1, 1, None)),
    "a NaN and a null are two nulls": _one([NAN, 2.0], [None, NAN, 3.0], deduplicate=False),
    "a blank text is a null": _one(["", "x"], ["\u3000 ", "y"], (0, 0, None)),
    "blanks around a text": _one([" x", "y"], ["x\u00a0", "z"], (0, 0, "x")),
    "text in another case": _one(["x"], ["X"]),
    "a column of nulls": _one([None, None], [None], (0, 0, None)),
    "a column of nulls, copies kept": _one([None, None], [None], deduplicate=False),
    "nulls against numbers": _one([None, None], [1.25, None], (1, 0, None)),
    "minus zero": _one([0.0, 1.0], [-0.0, 2.0], (0, 0, 0)),
    "rounded to minus zero": _one([0, 1], [-0.25, 2.0], (0, 0, 0)),
    "copies of a row are one row": _one([1, 1, 2], [2, 1, 2], (0, 2, 2), (1, 0, 1)),
    "two equal people are not unique": _one([1, 1, 2], [2, 1, 3], (0, 2, 2), deduplicate=False),
    "two equal synthetic rows are not unique": _one(
        [1, 2], [2, 1, 2], (1, 0, 1), deduplicate=False
    ),
    "copies only after rounding": _one([10.0, 20.0], [10.2, 9.9, 20.4], (0, 0, 10), (2, 1, 20)),
    "booleans": _one([True, False], [False, False, True], (0, 1, False), (2, 0, True)),
    "booleans and gaps": _one([True, None], [False, None], (1, 1, None)),
    "a boolean is 0 or 1 beside numbers": _one([True, False], [1, 7], (0, 0, 1)),
    "integers against floats": _one([5, 6], [5.0, 7.0], (0, 0, 5)),
    "floats against integers": _one([5.0, 6.5], [5, 7], (0, 0, 5)),
    "floats beside a larger integer": _one([2.0**53], [2**53 + 1]),
    "integers that floats cannot tell apart": _one([2**53, 7], [2**53 + 1, 8]),
    "integers beyond floats": _one([2**53, 2**53 + 1], [2**53 + 1], (0, 1, 2**53 + 1)),
    "integers beyond floats with a gap": _one(
        [2**53, None, 2**53 + 1], [2**53 + 1, None], (0, 2, 2**53 + 1), (1, 1, None)
    ),
    "decimals": _one([Decimal("1.50"), Decimal(2)], [Decimal("1.5")], (0, 0, Decimal("1.5"))),
    "whole numbers round": _one([10.0, 20.0], [10.2, 14.9], (0, 0, 10)),
    "half to even": _one([0, 2, 3], [0.5, 2.5, 3.5], (0, 0, 0), (1, 1, 2)),
    "not half in binary": _one([2.67, 1.0], [2.675, 1.005], (0, 0, 2.67), (1, 1, 1)),
    "the finest decimal counts": _one([1.0, 1.25], [1.0, 1.2], (0, 0, 1)),
    "decimals of an exponent": _one([1e-7, 2.0], [1.2e-7, 3.0], (0, 0, 1e-7)),
    "decimals given": _one([1.21, 2.0], [1.24, 3.0], (0, 0, 1.2), numeric_precision=1),
    "more decimals given": _one([1, 2], [1.2, 2.0], (1, 1, 2), numeric_precision=3),
    "whole days floor": _one(
        [datetime(2020, 1, 1), datetime(2020, 1, 2)],
        [datetime(2020, 1, 1, 23, 59), datetime(2020, 1, 4)],
        (0, 0, datetime(2020, 1, 1)),
    ),
    "the finest time counts": _one(
        [datetime(2020, 1, 1), datetime(2020, 1, 2, 7, 30)],
        [datetime(2020, 1, 1, 0, 1), datetime(2020, 1, 2, 7, 30, 59)],
        (1, 1, datetime(2020, 1, 2, 7, 30)),
    ),
    "before 1970": _one(
        [datetime(1901, 1, 1), datetime(1902, 1, 2)],
        [datetime(1901, 1, 1, 0, 0, 1), datetime(1902, 1, 1, 23)],
        (0, 0, datetime(1901, 1, 1)),
    ),
    "hours given": _one(
        [datetime(2020, 1, 1, 7, 12), datetime(2020, 1, 1, 8)],
        [datetime(2020, 1, 1, 7, 50), datetime(2020, 1, 1, 9)],
        (0, 0, datetime(2020, 1, 1, 7)),
        datetime_precision="h",
    ),
    "dates": _one([date(2020, 2, 29), None], [date(2020, 2, 29)], (0, 0, date(2020, 2, 29))),
    "dates against times": _one(
        [date(2020, 1, 1), date(2020, 1, 2)],
        [datetime(2020, 1, 1, 12), datetime(2020, 1, 3)],
        (0, 0, date(2020, 1, 1)),
    ),
    "times against dates": _one(
        [datetime(2020, 1, 1), datetime(2020, 1, 2, 12)],
        [date(2020, 1, 1), date(2020, 1, 2)],
        (0, 0, date(2020, 1, 1)),
    ),
    # As many values in each: the order is that of the synthetic table.
    "ties in the order of the synthetic table": Case(
        {"a": [1, 2], "b": [3, 4]}, {"b": [3, 5], "a": [1, 9]}, [(0, 0, ("b",), (3,))]
    ),
    "more values first": Case(
        {"a": [1, 2], "b": [3, 4]}, {"a": [1, 1], "b": [3, 5]}, [(0, 0, ("b",), (3,))]
    ),
    # Rounded, b has one value and comes last.
    "order after rounding": Case(
        {"a": [1, 2], "b": [3, 4]}, {"b": [3.1, 3.2], "a": [1, 9]}, [(0, 0, ("a",), (1,))]
    ),
    "a null counts as a value": Case(
        {"a": [1, 2, 3], "b": ["x", "y", None]},
        {"a": [1, 1, 7], "b": ["x", "z", None]},
        [(0, 0, ("b",), ("x",)), (2, 2, ("b",), (None,))],
    ),
    "unique, but nobody or two people are like that": Case(
        {"a": [1, 1, 2, 2], "b": [1, 1, 2, 2]},
        {"a": [1, 2, 1], "b": [2, 1, 1]},
        [],
        {"deduplicate": False},
    ),
    "only the whole row": Case(
        {"a": [1, 1, 2, 2], "b": [1, 2, 1, 2]},
        {"a": [1, 2, 1], "b": [1, 2, 2]},
        [(0, 0, ("a", "b"), (1, 1)), (1, 3, ("a", "b"), (2, 2)), (2, 1, ("a", "b"), (1, 2))],
    ),
    "no column alone": Case(
        {"a": [1, 1, 2, 2], "b": [1, 2, 1, 2]},
        {"a": [1, 2, 1], "b": [1, 2, 2]},
        [],
        {"max_baseline_cols": 1},
    ),
    "sizes that were asked for": Case(
        {"a": [1, 2], "b": [3, 4]},
        {"a": [1, 9], "b": [3, 8]},
        [(0, 0, ("a", "b"), (1, 3))],
        {"n_cols": [2]},
    ),
    "a size that the table does not have": Case(
        {"a": [1, 2], "b": [3, 4]}, {"a": [1, 9], "b": [3, 8]}, [], {"n_cols": [3]}
    ),
    "names of all sorts": Case(
        {'a, "b"': [1, 1], "[c](d)": [2, 2], "年齡": [3, 4], "{e}'": [5, 6]},
        {'a, "b"': [1, 1], "[c](d)": [2, 2], "年齡": [3, 3], "{e}'": [6, 5]},
        [(0, 1, ("{e}'",), (6,)), (1, 0, ("{e}'",), (5,))],
    ),
}

CASES = FROM_THE_SPEC | MORE
