"""Labels of many cells and their order: what one at a time would give."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from petaudit.labels.cells import label_of
from petaudit.tables import open_source
from petaudit.tables._encoding import cell_labels, in_order

SPELLINGS = [
    *("0", "-0", "0.0", "5", "5.0", "05", "+5", "1e1", "10", "1_000", "1000", "１２", "12", ".5"),
    *("inf", "-inf", "1e999", "Infinity", "nan", "NaN", "a", "b", "B", "é", "*", "[1,2[", "<4"),
    *("(3;4)", "{1, 2}", ">9", "]1,2]", "12345678901234567890", "12345678901234567891"),
]


def sort_key(label: str | None) -> tuple[bool, bool, float, str]:
    try:
        number = float(label or "x")
    except ValueError:
        number = math.nan
    is_text = math.isnan(number)
    return (label is None, is_text, 0.0 if is_text else number, label or "")


@given(labels=st.lists(st.sampled_from([*SPELLINGS, None]), unique=True))
def test_numbers_come_first_then_texts_then_null(labels: list[str | None]) -> None:
    result = [labels[place] for place in in_order(labels).tolist()]
    assert result == sorted(labels, key=sort_key)


@pytest.mark.parametrize(
    "cells",
    [
        pa.array([1.0, -0.0, 2.5, 1e20, 1e21, 1e22, 5e-324, math.inf, -math.inf, None]),
        pa.array([1, -7, None, 2**63 - 1]),
        pa.array([2**64 - 1], pa.uint64()),
        pa.array([True, None]),
        pa.array([" a", "\u3000", "", "b\ufeff", None]),
        pa.array([" a", None], pa.large_string()),
        pa.array([Decimal("1.50"), None]),
    ],
)
def test_labels_are_those_of_each_cell(cells: pa.Array) -> None:
    assert cell_labels(cells) == [label_of(cell) for cell in cells.to_pylist()]


def shortest(cell: float) -> float:
    """Of all decimals of as few digits as can be that give the float, the nearest to it."""
    exact = Fraction(cell)
    for digits in range(1, 10):
        unit = Fraction(10) ** (math.floor(math.log10(abs(cell))) - digits + 1)
        below = [math.floor(exact / unit) + more for more in (-1, 0, 1, 2)]
        same = [n * unit for n in below if np.float32(float(n * unit)) == np.float32(cell)]
        if same:
            return float(min(same, key=lambda number: abs(number - exact)))
    raise AssertionError(cell)


@given(
    st.floats(width=32, allow_nan=False, allow_infinity=False)
    | st.integers(-149, 127).map(lambda power: 2.0**power)
)
def test_floats_of_32_bits_are_their_shortest_decimals(cell: float) -> None:
    [said] = cell_labels(pa.array([cell], pa.float32()))
    assert said == label_of(shortest(cell) if cell else 0.0)


def test_nan_is_null() -> None:
    assert cell_labels(pa.array([math.nan, 1.5])) == [None, "1.5"]


@pytest.mark.parametrize("counted_first", [True, False])
@pytest.mark.parametrize("kind", ["text", "float", "integer"])
def test_codes_of_very_many_values_lead_back_to_them(kind: str, counted_first: bool) -> None:
    rows = np.arange(25_000) * 7919 % 12_001
    values: dict[str, list[Any]] = {
        "text": [None if row == 5 else f" {row}" if row % 2 else f"{row} " for row in rows],
        "float": [None if row == 5 else row / 7 for row in rows.tolist()],
        "integer": [None if row == 5 else row for row in rows.tolist()],
    }
    cells = values[kind] if kind != "text" else [*values[kind][:-1], f"{rows[-2]}\t"]
    counts = open_source(pa.table({"v": cells})).counts
    if counted_first:
        counts.value_counts("v")
    [codes] = counts.row_codes(["v"])
    result = counts.value_counts("v")
    assert [result.labels[code] for code in codes] == [label_of(cell) for cell in cells]
    assert np.bincount(codes).tolist() == result.counts.tolist()
