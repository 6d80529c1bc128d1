"""What counts as a limit is the same for every measure that has one."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from petaudit import mpuccs, non_uniform_entropy, precision, t_closeness
from petaudit.errors import OptionError, PetauditWarning
from petaudit.measures import Result, all_measures

TABLE = pa.table({"born": ["197*", "198*", "198*"], "s": ["a", "a", "b"]})
ORIGINAL = pa.table({"born": ["1970", "1981", "1983"]})
GIVEN: dict[str, Any] = {
    "quasi_identifiers": "born",
    "sensitive": "s",
    "hierarchies": {"born": {y: [y[:3] + "*", "*"] for y in ("1970", "1981", "1983")}},
}
MEASURES: dict[str, Callable[..., Result]] = {
    "t-closeness": lambda **limit: t_closeness(TABLE, **GIVEN, **limit),
    "precision": lambda **limit: precision(TABLE, **GIVEN, **limit),
    "non-uniform-entropy": lambda **limit: non_uniform_entropy(ORIGINAL, TABLE, **GIVEN, **limit),
    "mpuccs": lambda **limit: mpuccs(TABLE, TABLE).judged(**limit),
}
every_measure = pytest.mark.parametrize("name", MEASURES)


def test_every_measure_with_a_limit_is_tested_here() -> None:
    assert {name for name, own in all_measures().items() if own.limit_help} == set(MEASURES)


@every_measure
@pytest.mark.parametrize(
    "limit",
    [
        *("", "x", "0,3", "30 %", "nan", "inf", "-inf", "1/3", "0x1", b"0.3"),
        *(True, False, [0.3], {}, 0.3j, float("nan"), float("inf"), np.float64("nan")),
        *(Decimal("NaN"), Decimal("Infinity")),
    ],
    ids=repr,
)
def test_what_is_no_finite_number_is_no_limit(name: str, limit: Any) -> None:
    with pytest.raises(OptionError) as caught:
        MEASURES[name](limit=limit)
    assert str(caught.value) == f"the limit of {name} is {limit!r}; a finite number was expected"


@every_measure
@pytest.mark.parametrize("limit", [-1, -1e-300, "-0.1", Decimal("-1e-30"), Fraction(-1, 3)])
def test_a_negative_limit_is_an_error(name: str, limit: Any) -> None:
    with pytest.raises(OptionError) as caught:
        MEASURES[name](limit=limit)
    assert str(caught.value) == f"the limit of {name} is {limit}; it cannot be negative"


@every_measure
@pytest.mark.parametrize("limit", [2, "1.0000000000000000001", 1e300, Fraction(4, 3)], ids=repr)
def test_a_limit_above_one_is_a_warning(name: str, limit: Any) -> None:
    with pytest.warns(PetauditWarning, match=f"the limit of {name} is .* never exceeds 1"):
        found = MEASURES[name](limit=limit)
    assert found.passed is (name in {"t-closeness", "mpuccs"})
    assert len(found.warnings) == 1


@every_measure
@pytest.mark.parametrize("limit", ["1e400", 10**400], ids=["text", "whole number"])
def test_a_limit_beyond_the_largest_float_is_an_error(name: str, limit: Any) -> None:
    with pytest.raises(OptionError, match=f"the limit of {name}"):
        MEASURES[name](limit=limit)


@every_measure
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("limit", [1, 1.0, "1", " 1.00 ", "1e0", Decimal(1), np.float64(1)])
def test_one_is_within_the_range(name: str, limit: Any) -> None:
    found = MEASURES[name](limit=limit)
    assert (found.limit, found.threshold) == (1, 1)
    assert found.passed is (name in {"t-closeness", "mpuccs"})
    assert found.status == ("passed" if found.passed else "failed")


@every_measure
def test_zero_and_almost_zero_are_limits(name: str) -> None:
    assert MEASURES[name](limit=0).passed is (name not in {"t-closeness", "mpuccs"})
    assert MEASURES[name](limit="1e-400").passed is (name not in {"t-closeness", "mpuccs"})


@every_measure
def test_without_a_limit_there_is_no_verdict(name: str) -> None:
    found = MEASURES[name]()
    assert (found.limit, found.passed, found.status) == (None, None, "measured")


@every_measure
def test_an_unknown_option_names_the_known_ones(name: str) -> None:
    with pytest.raises(TypeError, match="limt"):
        MEASURES[name](limt=0.3)
