"""k-anonymity: the smallest class, the curve, and what a limit would take."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
from budget import examples
from measures.running import computing
from petaudit.errors import NotMeasurableError, OptionError, PetauditWarning, RoleError
from petaudit.inputs import gather
from petaudit.measures.base import Remedy
from petaudit.measures.k_anonymity import CurvePoint, k_anonymity
from strategies import Release

# Classes of 1, 2 and 3 rows.
TABLE = pa.table({"q": list("abbccc"), "s": list("xyzxyz")})


def test_k_is_the_smallest_class() -> None:
    result = k_anonymity(TABLE, quasi_identifiers="q")
    assert (result.value, result.classes, result.rows, result.suppressed_rows) == (1.0, 3, 6, 0)
    assert (result.passed, result.remedy) == (None, None)


@pytest.mark.parametrize(
    ("limit", "passed", "rows"),
    [
        (1, True, 0),
        ("1.0000000000000000001", False, 1),
        (2, False, 1),
        (2.5, False, 3),
        (3, False, 3),
        (4, False, 6),
        (10**30, False, 6),
    ],
)
def test_the_limit(limit: Any, passed: bool, rows: int) -> None:
    result = k_anonymity(TABLE, quasi_identifiers="q", limit=limit)
    takes = result.remedy
    assert takes is not None
    # Suppressing all rows would leave nothing to measure.
    assert (result.passed, takes.rows_breaking) == (passed, rows)
    if rows == 6:
        assert takes == Remedy(6, None, None)
    elif rows == 0 or rows >= Fraction(limit):
        assert takes == Remedy(rows, rows, rows / 6)
    else:
        # Suppressed, they would be a class that is too small.
        assert takes == Remedy(rows, None, None, rows, rows / 6)
    excluded = k_anonymity(TABLE, quasi_identifiers="q", limit=limit, suppressed="exclude")
    assert excluded.remedy == (Remedy(6, None, None) if rows == 6 else Remedy(rows, rows, rows / 6))


def test_the_curve_says_what_every_k_would_take() -> None:
    # 1 row alone, a class of 4, one of 5 and one of 90.
    table = pa.table({"q": ["a"] + ["b"] * 4 + ["c"] * 5 + ["d"] * 90})
    result = k_anonymity(table, quasi_identifiers="q")
    rows = {point.k: point.rows for point in result.curve}
    assert rows == {2: 1, 3: 1, 5: 5, 10: 10, 15: 10, 20: 10, 25: 10, 50: 10, 100: 100}
    assert {point.k: point.share for point in result.curve} == {
        k: number / 100 for k, number in rows.items()
    }
    assert result.explanation == (
        "100 rows in 4 classes",
        "rows in classes smaller than k: 2: 1 %, 3: 1 %, 5: 5 %, 10: 10 %, 15: 10 %, 20: 10 %, "
        "25: 10 %, 50: 10 %, 100: 100 %",
    )
    details = result.table("details")
    assert details["k"].values == list(rows)
    assert details["rows"].values == list(rows.values())
    with pytest.raises(OptionError, match="k-anonymity has no table 'columnwise'"):
        result.table("columnwise")


def test_suppressed_rows_are_a_class_unless_they_are_left_out() -> None:
    table = pa.table({"q": ["a", "a", "a", "*", "*"], "r": ["1", "1", "1", "*", "*"]})
    names = ["q", "r"]
    with pytest.warns(PetauditWarning, match=r"left out \(suppressed: exclude\): 2 rows"):
        without = k_anonymity(table, quasi_identifiers=names, limit=3, suppressed="exclude")
    assert (without.value, without.passed, without.rows, without.suppressed_rows) == (3, True, 3, 2)
    assert without.explanation[0] == "3 rows in 1 class; 2 rows suppressed"
    # Three of five rows are in classes smaller than 5, and not 300 % of them.
    assert without.curve[2] == CurvePoint(5, 3, 0.6)
    assert "5: 60 %" in without.explanation[-1]
    as_class = k_anonymity(table, quasi_identifiers=names, limit=3)
    assert (as_class.value, as_class.passed, as_class.classes) == (2, False, 2)
    assert (as_class.rows, as_class.suppressed_rows, as_class.suppressed_class) == (5, 0, 2)
    assert as_class.explanation[0] == "5 rows in 2 classes; 2 rows suppressed, counted as one class"
    assert as_class.curve[2] == CurvePoint(5, 5, 1.0)
    assert "5: 100 %" in as_class.explanation[-1]
    # Suppressing others would make that class larger, but so it would make the table smaller.
    assert as_class.remedy == Remedy(2, None, None, 2, 0.4)
    assert as_class.warnings == ()


def test_nulls_are_values_of_their_own() -> None:
    # pandas would leave out the third row, and pyCANON says 2.
    table = pa.table({"q": ["a", "a", None]})
    assert k_anonymity(table, quasi_identifiers="q").value == 1


def test_a_table_of_suppressed_rows_cannot_be_measured() -> None:
    table = pa.table({"q": ["*", "*"]})
    with pytest.raises(NotMeasurableError, match="every row is suppressed"):
        k_anonymity(table, quasi_identifiers="q", suppressed="exclude")
    assert k_anonymity(table, quasi_identifiers="q").value == 2


def test_without_quasi_identifiers_there_is_an_error() -> None:
    with pytest.raises(RoleError, match="no quasi-identifier is known"):
        k_anonymity(TABLE)


@settings(max_examples=examples(60))
@given(release=strategies.releases(), limit=st.fractions(0, 6, max_denominator=2))
def test_k_is_that_of_plain_counting(release: Release, limit: Fraction) -> None:
    names = release.quasi_identifiers
    keys = [tuple(row[name] for name in names) for row in release.released]
    sizes = Counter(keys)
    if release.suppressed == "exclude":
        sizes.pop(("*",) * len(names), None)
    inputs = gather(
        strategies.arrow(release.released), quasi_identifiers=names, suppressed=release.suppressed
    )
    if not sizes:
        with pytest.raises(NotMeasurableError):
            computing("k-anonymity")(inputs)
        return
    if limit < 1:
        with pytest.raises(OptionError, match="no table is below 1, so every table would meet it"):
            computing("k-anonymity")(inputs, limit=limit)
        return
    result = computing("k-anonymity")(inputs, limit=limit)
    assert (result.value, result.classes) == (min(sizes.values()), len(sizes))
    assert result.rows == sum(sizes.values())
    assert result.passed is all(size >= limit for size in sizes.values())
    assert result.remedy is not None
    small = sum(size for size in sizes.values() if size < limit)
    assert result.remedy.rows_breaking == small
    for point in result.curve:
        assert point.rows == sum(size for size in sizes.values() if size < point.k)
        assert point.share == point.rows / len(keys)


@pytest.mark.parametrize(("limit", "passed"), [(5, True), (6, False)])
def test_the_reference_table_is_5_anonymous(shared_data: Path, limit: int, passed: bool) -> None:
    result = k_anonymity(shared_data / "adult" / "adult_anonymized.csv", limit=limit)
    assert (result.value, result.passed) == (5.0, passed)
    assert (result.suppressed_rows, result.suppressed_class) == (0, 8230)
    assert k_anonymity(shared_data / "adult" / "adult.csv").value == 1
