"""(alpha, k)-anonymity: the share of the commonest value, and the smallest class."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from measures.running import computing
from petaudit.errors import OptionError
from petaudit.inputs import gather
from petaudit.measures import find_measure
from petaudit.measures.alpha_k_anonymity import alpha_k_anonymity

# Class a: 3 of 4 rows are x. Class b: 1 of 2. Class c: 1 of 3.
TABLE = pa.table({"q": list("aaaabbccc"), "s": list("xxxyxyxyz")})
GIVEN: dict[str, Any] = {"quasi_identifiers": "q", "sensitive": "s"}


def test_alpha_is_the_largest_share_and_k_the_smallest_class() -> None:
    result = alpha_k_anonymity(TABLE, **GIVEN)
    assert (result.exact_value, result.value, result.k) == (Fraction(3, 4), 0.75, 2)
    assert (result.passed, result.remedy) == (None, None)
    assert result.explanation == (
        "s: 0.75 (3 classes); worst: a class of 4 rows",
        "smallest class: 2 rows",
    )


@pytest.mark.parametrize(
    ("limit", "k", "passed", "rows"),
    [
        (0.75, None, True, 0),
        ("0.7499999999999999999", None, False, 4),
        (0.75, 1, True, 0),
        (0.75, 2, True, 0),
        # Class b is too small; then so is c; then all are.
        (0.75, 3, False, 2),
        (0.75, 4, False, 5),
        (0.75, 5, False, 9),
        # A class that breaks both counts once.
        (0.5, 3, False, 4 + 2),
        (0.5, 2, False, 4),
        (Fraction(1, 3), 4, False, 9),
    ],
)
def test_both_must_hold(limit: Any, k: int | None, passed: bool, rows: int) -> None:
    result = alpha_k_anonymity(TABLE, limit=limit, k=k, **GIVEN)
    assert result.passed is passed
    assert result.remedy is not None
    assert result.remedy.rows_breaking == rows
    # Dropping all rows would leave nothing to measure; suppressed, they would be a class.
    assert result.remedy.rows_to_drop == (rows if 0 < rows < 9 else None)
    excluded = alpha_k_anonymity(TABLE, limit=limit, k=k, suppressed="exclude", **GIVEN)
    assert excluded.remedy is not None
    assert excluded.remedy.rows_to_suppress == (rows if rows < 9 else None)
    assert result.exact_value == Fraction(3, 4)


def test_the_explanation_tells_the_two_reasons_apart() -> None:
    result = alpha_k_anonymity(TABLE, limit=0.5, k=3, **GIVEN)
    assert (result.k, result.asked_k, result.rows_in_small_classes) == (2, 3, 2)
    assert result.attributes[0].rows_breaking == 4
    assert result.explanation == (
        "s: 0.75 (3 classes); worst: a class of 4 rows; 1 class with 4 rows breaks the limit",
        "smallest class: 2 rows; 2 rows in classes smaller than 3",
        "6 rows break the limit; dropping 6 rows (66.7 %) from the table reaches it",
    )


def test_a_k_without_a_limit_would_judge_nothing() -> None:
    message = "k of alpha-k-anonymity goes with a limit for alpha; to judge k alone, use"
    with pytest.raises(OptionError, match=message):
        alpha_k_anonymity(TABLE, k=2, **GIVEN)
    assert find_measure("alpha-k-anonymity").check is not None
    with pytest.raises(OptionError, match=message):
        find_measure("alpha-k-anonymity").check({"k": 2})
    find_measure("alpha-k-anonymity").check({"k": 2, "limit": 0.5})
    find_measure("alpha-k-anonymity").check({"limit": 0.5})
    find_measure("alpha-k-anonymity").check({})


@pytest.mark.parametrize("k", [0, -1, 2.0, "2", True, [2]])
def test_a_wrong_k_is_an_error(k: Any) -> None:
    with pytest.raises(OptionError, match=r"^k must be an integer >= 1, got .*$"):
        computing("alpha-k-anonymity")(gather(TABLE, **GIVEN), limit=1, k=k)


def test_a_limit_above_one_is_an_error() -> None:
    with pytest.raises(OptionError, match=r"alpha-k-anonymity is 1\.5; no table exceeds 1"):
        alpha_k_anonymity(TABLE, limit=1.5, **GIVEN)


def test_the_inpatients(shared_data: Path) -> None:
    """Three classes of four rows, each with one condition twice and two others once."""
    result = alpha_k_anonymity(
        shared_data / "inpatient" / "inpatient_anonymized.csv", limit=0.5, k=4
    )
    assert (result.exact_value, result.k, result.passed) == (Fraction(1, 2), 4, True)
