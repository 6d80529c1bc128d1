"""l-diversity in its three forms: distinct, by entropy, and recursive."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from measures.running import computing
from petaudit.errors import OptionError
from petaudit.inputs import gather
from petaudit.measures import find_measure
from petaudit.measures.entropy_l_diversity import entropy_l_diversity
from petaudit.measures.l_diversity import l_diversity
from petaudit.measures.recursive_l_diversity import recursive_l_diversity

GIVEN: dict[str, Any] = {"quasi_identifiers": "q", "sensitive": "s"}


def one_class(*counts: int) -> pa.Table:
    """A class whose values are so common."""
    values = [f"v{index}" for index, count in enumerate(counts) for _ in range(count)]
    return pa.table({"q": ["a"] * len(values), "s": values})


# --- distinct -------------------------------------------------------------------------------

# Class a has x and y, class b only z.
TABLE = pa.table({"q": list("aaabb"), "s": list("xyyzz"), "t": list("pqrpq")})


def test_distinct_l_is_the_smallest_number_of_values() -> None:
    result = l_diversity(TABLE, **GIVEN)
    assert (result.value, result.exact_value, result.passed) == (1.0, 1, None)
    assert result.explanation == ("s: 1 (2 classes); worst: a class of 2 rows",)


@pytest.mark.parametrize(
    ("limit", "passed", "rows"),
    [(1, True, 0), ("1.0000000000000000001", False, 2), (2, False, 2), (3, False, 5)],
)
def test_the_limit_of_distinct_l(limit: Any, passed: bool, rows: int) -> None:
    result = l_diversity(TABLE, limit=limit, **GIVEN)
    assert result.remedy is not None
    assert (result.passed, result.remedy.rows_breaking) == (passed, rows)
    # Dropping all rows would leave nothing to measure; suppressed, they would be a class.
    assert result.remedy.rows_to_drop == (rows if 0 < rows < 5 else None)
    excluded = l_diversity(TABLE, limit=limit, suppressed="exclude", **GIVEN)
    assert excluded.remedy is not None
    assert excluded.remedy.rows_to_suppress == (rows if rows < 5 else None)


def test_several_attributes_are_judged_in_the_same_classes() -> None:
    result = l_diversity(TABLE, quasi_identifiers="q", sensitive=["s", "t"], limit=3)
    assert [(entry.attribute, entry.value, entry.rows_breaking) for entry in result.attributes] == [
        ("s", 1.0, 5),
        ("t", 2.0, 2),
    ]
    assert result.value == 1.0
    assert result.remedy is not None
    assert result.remedy.rows_breaking == 5


def test_other_sensitive_columns_are_no_quasi_identifiers() -> None:
    """PETWorks groups by t as well when it judges s, finds one row per class, and says 1."""
    table = pa.table({"q": list("aaaa"), "s": list("wxyz"), "t": list("pqrs")})
    result = l_diversity(table, quasi_identifiers="q", sensitive=["s", "t"], limit=4)
    assert (result.value, result.passed) == (4.0, True)


@pytest.mark.parametrize(("limit", "passed"), [(3, True), (4, False)])
def test_the_inpatients_are_3_diverse(shared_data: Path, limit: int, passed: bool) -> None:
    path = shared_data / "inpatient" / "inpatient_anonymized.csv"
    result = l_diversity(path, limit=limit)
    assert (result.value, result.passed) == (3.0, passed)
    names = ["zipcode", "age", "nationality"]
    result = l_diversity(path, quasi_identifiers=names, sensitive="condition")
    assert (result.value, result.attributes[0].classes) == (3.0, 3)


# --- by entropy -----------------------------------------------------------------------------


@pytest.mark.parametrize("times", [1, 3, 1000])
@pytest.mark.parametrize("values", range(1, 31))
def test_equally_common_values_count_fully(values: int, times: int) -> None:
    """e to the ln(m) is a little off for many m in floats; here it is m, and m is reached."""
    table = one_class(*[times] * values)
    result = entropy_l_diversity(table, limit=values, **GIVEN)
    assert (result.value, result.exact_value, result.passed) == (values, values, True)
    assert result.attributes[0].worst_classes[0].figure == values
    above = entropy_l_diversity(table, limit=f"{values}.00000000000000000001", **GIVEN)
    assert above.passed is False


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        # H = 1/2 ln 2 + 2 * 1/4 ln 4 = 3/2 ln 2
        ((2, 1, 1), 2**1.5),
        # H = 2/3 ln(3/2) + 1/3 ln 3 = ln 3 - 2/3 ln 2
        ((2, 1), 3 / 2 ** (2 / 3)),
        # H = 1/2 ln 2 + 4 * 1/8 ln 8 = 2 ln 2: a whole number, though the values are not equal.
        ((4, 1, 1, 1, 1), 4),
        ((400, 100, 100, 100, 100), 4),
        ((1,), 1),
    ],
)
def test_entropy_by_hand(counts: tuple[int, ...], expected: float) -> None:
    assert entropy_l_diversity(one_class(*counts), **GIVEN).value == pytest.approx(
        expected, rel=1e-15
    )


@pytest.mark.parametrize("scale", [1, 100, 20_000])
def test_a_whole_number_is_reached_by_unequal_values_too(scale: int) -> None:
    """n^n / 4^4 = 8^8 / 4^4 = 2^16 = 4^8, and the same of multiples."""
    table = one_class(*(scale * count for count in (4, 1, 1, 1, 1)))
    result = entropy_l_diversity(table, limit=4, **GIVEN)
    assert (result.value, result.passed) == (4.0, True)
    assert entropy_l_diversity(table, limit="4.0000000000000000000001", **GIVEN).passed is False
    one_more = one_class(*(scale * count + (count == 4) for count in (4, 1, 1, 1, 1)))
    assert entropy_l_diversity(one_more, limit=4, **GIVEN).passed is False


def test_the_least_even_class_counts() -> None:
    # 2 equal values; 3 to 1, which is 4 / 27^(1/4) = 1.7548
    table = pa.table({"q": list("aabbbb"), "s": list("xyxxxy")})
    result = entropy_l_diversity(table, limit=1.76, **GIVEN)
    assert result.value == pytest.approx(4 / 27**0.25, rel=1e-15)
    assert result.remedy is not None
    assert (result.passed, result.remedy.rows_to_drop) == (False, 4)


def test_many_values_add_up_rightly() -> None:
    values = np.arange(200_000)
    table = pa.table({"q": ["a"] * 400_000, "s": np.concatenate([values, values])})
    assert entropy_l_diversity(table, limit=200_000, **GIVEN).passed is True
    # 200,001 zeros, and 199,999 values that occur once: each of these has -p ln p = ln(n) / n.
    skewed = pa.table({"q": ["a"] * 400_000, "s": np.concatenate([values, values * 0])})
    zeros = 200_001 / 400_000
    entropy = (1 - zeros) * math.log(400_000) - zeros * math.log(zeros)
    assert entropy_l_diversity(skewed, **GIVEN).value == pytest.approx(math.exp(entropy), rel=1e-13)


def test_the_entropy_of_the_inpatients(shared_data: Path) -> None:
    """Every class has four rows and three conditions: 2, 1 and 1, so 2^1.5."""
    path = shared_data / "inpatient" / "inpatient_anonymized.csv"
    result = entropy_l_diversity(
        path, quasi_identifiers=["zipcode", "age", "nationality"], sensitive="condition"
    )
    assert result.value == pytest.approx(2**1.5, rel=1e-15)


# --- recursive ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "least", "expected"),
    [
        # The paper's r1 < c (rl + ... + rm), the counts from the commonest on.
        ((5, 3, 1, 1), 1, Fraction(5, 10)),
        ((5, 3, 1, 1), 2, Fraction(5, 5)),
        ((5, 3, 1, 1), 3, Fraction(5, 2)),
        ((5, 3, 1, 1), 4, Fraction(5, 1)),
        ((1, 1, 3, 5), 4, Fraction(5, 1)),
        ((2, 1), 2, Fraction(2)),
        ((5, 1), 2, Fraction(5)),
        ((1, 1), 2, Fraction(1)),
        ((3,), 1, Fraction(1)),
    ],
)
def test_what_c_must_exceed(counts: tuple[int, ...], least: int, expected: Fraction) -> None:
    table = one_class(*counts)
    result = recursive_l_diversity(table, l=least, **GIVEN)
    assert (result.exact_value, result.l, result.is_strict) == (expected, least, True)
    shown = "0.50" if expected < 1 else f"{float(expected):g}"
    assert result.explanation[1] == f"with l = {least}, c must be more than {shown}"
    # c itself is not enough, and anything above it is.
    assert recursive_l_diversity(table, l=least, limit=expected, **GIVEN).passed is False
    above = expected + Fraction(1, 10**18)
    if (least, expected) == (1, 1):
        return  # with l = 1 no table exceeds 1, and a c above it is an error
    assert recursive_l_diversity(table, l=least, limit=above, **GIVEN).passed is True


@pytest.mark.parametrize("least", [3, 2**63 - 1])
def test_a_class_with_fewer_values_suits_no_c(least: int) -> None:
    table = pa.table({"q": list("aaabb"), "s": list("xyzxy")})
    result = recursive_l_diversity(table, l=least, limit=10**9, **GIVEN)
    few = 1 if least == 3 else 2
    assert (result.value, result.exact_value, result.passed) == (math.inf, math.inf, False)
    assert result.attributes[0].classes_infinite == few
    assert f"with fewer than {least:,} values, for which no c suffices" in result.explanation[0]
    assert result.remedy is not None
    assert result.remedy.rows_breaking == (2 if least == 3 else 5)
    assert result.to_dict()["value"] == "inf"


def test_without_l_it_is_that_of_every_class_and_attribute() -> None:
    table = pa.table({"q": list("aaaabbb"), "s": list("wxyzxyz"), "t": list("ppqqppq")})
    alone = recursive_l_diversity(table, quasi_identifiers="q", sensitive="s")
    # Class b has x, y, z: l = 3. Class a: 1 / (1 + 1); class b: 1 / 1.
    assert (alone.l, alone.exact_value) == (3, 1)
    both = recursive_l_diversity(table, quasi_identifiers="q", sensitive=["s", "t"])
    # t has two values everywhere, so l = 2 for both. s: 1/3 and 1/2; t: 2/2 and 2/1.
    assert both.l == 2
    assert [entry.exact_value for entry in both.attributes] == [Fraction(1, 2), 2]
    assert (alone.figure, both.figure) == (
        "recursive-l-diversity (l = 3)",
        "recursive-l-diversity (l = 2)",
    )


def test_a_limit_without_l_means_nothing() -> None:
    message = "a limit of recursive-l-diversity is c for a given l: give l as well"
    with pytest.raises(OptionError, match=message):
        recursive_l_diversity(one_class(2, 1), limit=3, **GIVEN)
    with pytest.raises(OptionError, match=message):
        find_measure("recursive-l-diversity").check({"limit": 3})
    find_measure("recursive-l-diversity").check({"limit": 3, "l": 2})
    find_measure("recursive-l-diversity").check({"l": 2})


@pytest.mark.parametrize("least", [0, -1, 2.0, "2", True])
def test_a_wrong_l_is_an_error(least: Any) -> None:
    inputs = gather(one_class(2, 1), **GIVEN)
    with pytest.raises(OptionError, match=r"^l must be an integer >= 1, got .*$"):
        computing("recursive-l-diversity")(inputs, l=least)


def test_the_inpatients_are_recursively_diverse(shared_data: Path) -> None:
    """Every class has the counts 2, 1, 1: 2/1 for l = 3 and 2/2 for l = 2."""
    path = shared_data / "inpatient" / "inpatient_anonymized.csv"
    names = ["zipcode", "age", "nationality"]
    given: dict[str, Any] = {"quasi_identifiers": names, "sensitive": "condition"}
    assert recursive_l_diversity(path, **given).exact_value == 2
    assert recursive_l_diversity(path, l=2, **given).exact_value == 1
    assert recursive_l_diversity(path, l=3, limit=3, **given).passed is True
