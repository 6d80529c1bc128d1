"""How a cell is written as a label."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from petaudit.labels.cells import BLANKS, label_of, trim


@pytest.mark.parametrize(
    ("value", "label"),
    [
        (None, None),
        ("x", "x"),
        ("  x y\t", "x y"),
        ("\u3000臺北\u00a0", "臺北"),
        ("\ufeffx", "x"),
        ("\u2003x", "\u2003x"),
        ("*", "*"),
        (39, "39"),
        (-1, "-1"),
        (2**53 + 1, "9007199254740993"),
        (2**70, "1180591620717411303424"),
        (True, "True"),
        (False, "False"),
        (39.0, "39"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1e-7, "1e-07"),
        (float(2**53 - 1), "9007199254740991"),
        (float("inf"), "inf"),
        (Decimal("1.50"), "1.5"),
        (Decimal("2.000"), "2"),
        (Decimal("100"), "100"),
        (Decimal("1E+2"), "100"),
        (Decimal("0.00"), "0"),
        (Decimal("0E-10"), "0"),
        (date(1977, 3, 9), "1977-03-09"),
        (datetime(1977, 3, 9), "1977-03-09"),
        (datetime(1977, 3, 9, 10, 30), "1977-03-09 10:30:00"),
        (datetime(1977, 3, 9, 0, 0, 0, 1), "1977-03-09 00:00:00.000001"),
        (time(1, 2), "01:02:00"),
        (timedelta(days=1), "1 day, 0:00:00"),
        (np.int64(5), "5"),
        (np.float64(5.0), "5"),
        (np.str_(" x "), "x"),
    ],
)
def test_every_kind_of_value_has_one_spelling(value: Any, label: str | None) -> None:
    assert label_of(value) == label


@pytest.mark.parametrize("value", [39, 39.0, Decimal("39"), Decimal("39.00"), " 39 ", "39"])
def test_the_same_number_has_the_same_label_in_every_type(value: Any) -> None:
    assert label_of(value) == "39"


def test_large_floats_keep_all_their_digits() -> None:
    labels = {label_of(float(2**exponent)) for exponent in range(50, 60)}
    assert len(labels) == 10


@pytest.mark.parametrize("blank", BLANKS)
def test_every_blank_is_trimmed_outside_and_kept_inside(blank: str) -> None:
    assert trim(f"{blank}a{blank}b{blank}{blank}") == f"a{blank}b"
    assert trim(blank * 3) == ""
