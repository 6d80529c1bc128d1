"""delta-disclosure: bases, values that a class lacks, and limits that are not reached."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from measures.running import computing
from petaudit.errors import OptionError
from petaudit.inputs import gather
from petaudit.measures import find_measure
from petaudit.measures.delta_disclosure import delta_disclosure

GIVEN: dict[str, Any] = {"quasi_identifiers": "q", "sensitive": "s"}


def table(classes: str, values: str) -> pa.Table:
    return pa.table({"q": list(classes), "s": list(values)})


@pytest.mark.parametrize(
    ("classes", "values", "ratio"),
    [
        # p = 1, q = 1/2
        ("ab", "xy", Fraction(2)),
        # Class a: y 1/2 to 1/4. Class b: x 1 to 3/4.
        ("aabb", "xyxx", Fraction(2)),
        # Getting rarer counts as well. x: 1/4 to 5/8 in b, so 5/2; y: 3/4 to 3/8.
        ("aaaabbbb", "xxxxxyyy", Fraction(5, 2)),
        ("aaaa", "xxyz", Fraction(1)),
        ("aa**", "xxyy", Fraction(2)),
    ],
)
def test_by_hand(classes: str, values: str, ratio: Fraction) -> None:
    entry = table(classes, values)
    assert delta_disclosure(entry, **GIVEN).value == pytest.approx(math.log(ratio), rel=1e-15)
    assert delta_disclosure(entry, base="2", **GIVEN).value == pytest.approx(
        math.log2(ratio), rel=1e-15
    )


@pytest.mark.parametrize("power", range(1, 11))
def test_powers_of_two_are_exact_in_base_2(power: int) -> None:
    rows = 2**power
    entry = pa.table(
        {"q": [str(row) for row in range(rows)], "s": [str(row) for row in range(rows)]}
    )
    result = delta_disclosure(entry, base="2", limit=power, **GIVEN)
    assert (result.value, result.exact_value) == (power, Fraction(power))
    assert result.attributes[0].worst_classes[0].figure == power
    # |log2(p/q)| < delta, and it is delta.
    assert result.passed is False
    above = delta_disclosure(entry, base="2", limit=f"{power}.00000000000000000001", **GIVEN)
    assert above.passed is True


LN_2 = "0.693147180559945309417232121458"


@pytest.mark.parametrize(("limit", "passed"), [(LN_2, False), (LN_2[:-1] + "9", True)])
def test_the_natural_logarithm_is_compared_beyond_the_digits_of_floats(
    limit: str, passed: bool
) -> None:
    assert delta_disclosure(table("ab", "xy"), limit=limit, **GIVEN).passed is passed


@pytest.mark.parametrize("base", ["e", "2"])
def test_nothing_is_below_zero(base: Any) -> None:
    entry = table("aabb", "xyxy")
    assert delta_disclosure(entry, base=base, limit=0, **GIVEN).passed is False
    result = delta_disclosure(entry, base=base, limit="1e-300", **GIVEN)
    assert (result.exact_value, result.passed, result.is_strict) == (0, True, True)


def test_values_that_a_class_lacks_are_ignored_or_infinite() -> None:
    entry = table("aabb", "xyxx")
    ignored = delta_disclosure(entry, limit=1, **GIVEN)
    assert (ignored.value, ignored.passed) == (math.log(2), True)
    assert ignored.classes_lacking_values == {"s": 1}
    assert ignored.explanation[1] == (
        "values of the table that a class lacks were ignored: in 1 class (s)"
    )
    strict = delta_disclosure(entry, limit=1, absent="infinite", **GIVEN)
    assert (strict.value, strict.passed) == (math.inf, False)
    assert (
        "1 class without some value of the table, for which no delta suffices"
        in (strict.explanation[0])
    )
    assert strict.remedy is not None
    assert strict.remedy.rows_breaking == 2
    everywhere = delta_disclosure(table("aabb", "xyyx"), absent="infinite", limit=1, **GIVEN)
    assert (everywhere.value, everywhere.passed) == (0.0, True)
    assert everywhere.classes_lacking_values == {"s": 0}


def test_a_value_of_suppressed_rows_is_one_of_the_table() -> None:
    entry = table("aa*", "xyz")
    assert delta_disclosure(entry, absent="infinite", **GIVEN).value == math.inf


@pytest.mark.parametrize(
    ("options", "figure"),
    [
        ({}, "delta-disclosure"),
        ({"base": "e", "absent": "ignore"}, "delta-disclosure"),
        ({"base": "2"}, "delta-disclosure (base 2)"),
        ({"absent": "infinite"}, "delta-disclosure (absent values infinite)"),
        ({"base": 2, "absent": "infinite"}, "delta-disclosure (base 2, absent values infinite)"),
    ],
)
def test_the_figure_says_what_it_is(options: dict[str, Any], figure: str) -> None:
    assert delta_disclosure(table("ab", "xy"), **options, **GIVEN).figure == figure


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"base": "10"}, "base must be e or 2, got '10'"),
        ({"base": 10}, "base must be e or 2, got 10"),
        ({"base": 2.0}, "base must be e or 2, got 2.0"),
        ({"base": True}, "base must be e or 2, got true"),
        (
            {"absent": "ignored"},
            "absent must be ignore or infinite, got 'ignored' (did you mean 'ignore'?)",
        ),
        ({"absent": 0}, "absent must be ignore or infinite, got 0"),
        ({"base": ""}, "base must be e or 2, got ''"),
        ({"absent": False}, "absent must be ignore or infinite, got false"),
    ],
)
def test_wrong_options_are_errors(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        computing("delta-disclosure")(gather(table("ab", "xy"), **GIVEN), **options)
    assert str(caught.value) == message


def test_a_base_is_a_word_or_the_number_that_yaml_reads() -> None:
    [base] = [
        option.kind for option in find_measure("delta-disclosure").options if option.name == "base"
    ]
    assert base.schema() == {"enum": ["e", "2", 2]}
    assert [value for value in ("e", "2", 2, 2.0, True, 3, None) if base.takes(value)] == [
        "e",
        "2",
        2,
    ]


def test_the_delta_of_adult(shared_data: Path) -> None:
    result = delta_disclosure(shared_data / "adult" / "adult.csv")
    assert result.value == pytest.approx(math.log(30_162 / 14), rel=1e-15)
    assert result.value == pytest.approx(7.675280803305371, abs=1e-12)
