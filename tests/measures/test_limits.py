"""What counts as a limit is the same for every measure that has one."""

from __future__ import annotations

import warnings
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from measures.registry_cases import PASSING, passing_inputs
from petaudit.errors import OptionError
from petaudit.inputs import Inputs
from petaudit.measures import Better, Result, all_measures, find_measure

LIMITED = [name for name, own in all_measures().items() if own.limit_help]
SHARES = [name for name in LIMITED if all_measures()[name].range == (0.0, 1.0)]
every_measure = pytest.mark.parametrize("name", LIMITED)
every_share = pytest.mark.parametrize("name", SHARES)


@pytest.fixture(scope="module")
def inputs() -> Inputs:
    return passing_inputs()


def measured(name: str, inputs: Inputs, **limit: Any) -> Result:
    options = {key: value for key, value in PASSING[name].items() if key != "limit"}
    return all_measures()[name].run(inputs, options | limit)


def keeps(found: Result, limit: float) -> bool:
    """Whether the figure is on the right side of a limit, which only some models count in."""
    if found.value == limit:
        return not found.is_strict
    return (found.value < limit) is (found.better is Better.LOWER)


def test_the_measures_of_this_test_have_figures_on_both_sides(inputs: Inputs) -> None:
    assert len(SHARES) > 15
    assert set(LIMITED) == set(all_measures()) - {"profitability"}
    found = {name: measured(name, inputs).value for name in LIMITED}
    assert {keeps(measured(name, inputs), 0.6) for name in found} == {True, False}


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
def test_what_is_no_finite_number_is_no_limit(name: str, limit: Any, inputs: Inputs) -> None:
    with pytest.raises(OptionError) as caught:
        measured(name, inputs, limit=limit)
    hint = " (write 0.3 for 30 %)" if limit == "30 %" else ""
    expected = f"the limit of {name} is {limit!r}; a finite number was expected{hint}"
    assert str(caught.value) == expected


@every_measure
@pytest.mark.parametrize("limit", [-1, -1e-300, "-0.1", Decimal("-1e-30"), Fraction(-1, 3)])
def test_a_negative_limit_is_an_error(name: str, limit: Any, inputs: Inputs) -> None:
    with pytest.raises(OptionError) as caught:
        measured(name, inputs, limit=limit)
    assert str(caught.value) == f"the limit of {name} is {limit}; it cannot be negative"


@every_share
@pytest.mark.parametrize("limit", [2, "1.0000000000000000001", 1e300, Fraction(4, 3)], ids=repr)
def test_a_limit_above_one_is_a_warning(name: str, limit: Any, inputs: Inputs) -> None:
    found = measured(name, inputs, limit=limit)
    assert found.passed is (found.better is Better.LOWER)
    [warning] = set(found.warnings) - set(measured(name, inputs).warnings)
    assert warning.startswith(f"the limit of {name} is ")
    assert "never exceeds 1" in warning


@every_measure
@pytest.mark.parametrize("limit", ["1e400", 10**400], ids=["text", "whole number"])
def test_a_limit_beyond_the_largest_float_is_an_error(
    name: str, limit: Any, inputs: Inputs
) -> None:
    with pytest.raises(OptionError, match=f"the limit of {name}"):
        measured(name, inputs, limit=limit)


@every_measure
@pytest.mark.parametrize("limit", [1, 1.0, "1", " 1.00 ", "1e0", Decimal(1), np.float64(1)])
def test_one_is_within_the_range(name: str, limit: Any, inputs: Inputs) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = measured(name, inputs, limit=limit)
    said = tuple(text for text in found.warnings if "every table holds it" not in text)
    assert said == measured(name, inputs).warnings
    # Where a figure cannot be below 1, that is said.
    least_is_one = find_measure(name).range[0] == 1 and find_measure(name).better is Better.HIGHER
    assert (said != found.warnings) is (least_is_one and name != "k-map")
    assert (found.limit, found.threshold) == (1, 1)
    assert found.passed is keeps(found, 1)
    assert found.status == ("passed" if found.passed else "failed")


@every_measure
@pytest.mark.parametrize("limit", [0, "1e-400"])
def test_zero_and_almost_zero_are_limits(name: str, limit: Any, inputs: Inputs) -> None:
    found = measured(name, inputs, limit=limit)
    if found.value or not limit:
        assert found.passed is keeps(found, 0)


@every_measure
def test_without_a_limit_there_is_no_verdict(name: str, inputs: Inputs) -> None:
    found = measured(name, inputs)
    assert (found.limit, found.passed, found.status) == (None, None, "measured")
    assert found.what_it_takes is None


@every_measure
def test_an_unknown_option_names_the_known_ones(name: str, inputs: Inputs) -> None:
    with pytest.raises(OptionError) as caught:
        measured(name, inputs, limt=0.3)
    assert str(caught.value).startswith(
        f"{name} has no option 'limt' (did you mean 'limit'?); its options are "
    )
