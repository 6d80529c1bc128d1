"""What counts as a limit is the same for every measure that has one."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import petaudit
from measures.registry_cases import ATTACKS, PASSING, passing_inputs, suited
from petaudit.errors import NotMeasurableError, OptionError, UndecidedError
from petaudit.inputs import Inputs
from petaudit.judging.gate import Figure
from petaudit.measures import Better, Family, Measure, Need, Result, all_measures, find_measure
from petaudit.tables import open_source

LIMITED = [name for name, measure in all_measures().items() if measure.limit_help]
SHARES = [name for name in LIMITED if all_measures()[name].range == (0.0, 1.0)]
every_measure = pytest.mark.parametrize("name", LIMITED)
every_share = pytest.mark.parametrize("name", SHARES)


@pytest.fixture(scope="module")
def inputs() -> Inputs:
    return passing_inputs()


def measured(name: str, inputs: Inputs, **limit: Any) -> Result:
    options = {key: value for key, value in PASSING[name].items() if key != "limit"}
    try:
        return all_measures()[name].run(suited(name, inputs), options | limit)
    except UndecidedError as problem:
        # So few people show nothing.
        assert name in ATTACKS
        return problem.result  # type: ignore[return-value]


def keeps(result: Result, limit: float) -> bool:
    """Whether the figure is on the right side of a limit, which only some models count in."""
    if result.value == limit:
        return not result.is_strict
    return (result.value < limit) is (result.better is Better.LOWER)


def test_the_measures_of_this_test_have_figures_on_both_sides(inputs: Inputs) -> None:
    assert len(SHARES) > 15
    assert set(LIMITED) == set(all_measures()) - {"profitability"}
    result = {name: measured(name, inputs).value for name in LIMITED}
    assert {keeps(measured(name, inputs), 0.6) for name in result} == {True, False}


@every_measure
@pytest.mark.parametrize(
    "limit",
    [
        *("", "x", "0,3", "30 %", "nan", "inf", "-inf", "0x1", b"0.3"),
        *("1/0", "1/-3", "0.1/3", "1/3/5"),
        *(True, False, [0.3], {}, 0.3j, float("nan"), float("inf"), np.float64("nan")),
        *(Decimal("NaN"), Decimal("Infinity")),
    ],
    ids=repr,
)
def test_what_is_no_finite_number_is_no_limit(name: str, limit: Any, inputs: Inputs) -> None:
    with pytest.raises(OptionError) as caught:
        measured(name, inputs, limit=limit)
    hint = " (write 0.3 for 30 %)" if limit == "30 %" else ""
    expected = f"the limit of {name} must be a finite number, got {limit!r}{hint}"
    assert str(caught.value) == expected


@pytest.mark.parametrize("tolerance", [0, Fraction(1, 10)])
@pytest.mark.parametrize(("name", "worse"), [("suppression", 1), ("precision", -1)])
@pytest.mark.parametrize("is_strict", [True, False])
def test_at_a_tie_a_strict_limit_breaks(
    name: str, worse: int, is_strict: bool, tolerance: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure, limit = find_measure(name), Fraction(1, 2)
    monkeypatch.setattr(measure, "strict", is_strict)
    for distance, passed in ((-1, True), (0, not is_strict), (1, False)):
        value = limit + worse * (tolerance + Fraction(distance, 10**20))
        assert measure.result(value, limit, tolerance=tolerance).passed is passed


@every_measure
@pytest.mark.parametrize("limit", [-1, -1e-300, "-0.1", Decimal("-1e-30"), Fraction(-1, 3)])
def test_a_negative_limit_is_an_error(name: str, limit: Any, inputs: Inputs) -> None:
    with pytest.raises(OptionError) as caught:
        measured(name, inputs, limit=limit)
    assert str(caught.value) == f"the limit of {name} must not be negative, got {limit}"


@every_share
@pytest.mark.parametrize("limit", [2, "1.0000000000000000001", 1e300, Fraction(4, 3)], ids=repr)
def test_a_limit_above_one_decides_nothing_or_everything(
    name: str, limit: Any, inputs: Inputs
) -> None:
    if find_measure(name).better is Better.LOWER:
        # Every table would keep it, so it is no limit.
        with pytest.raises(OptionError, match=f"the limit of {name} is .*; no table exceeds 1, so"):
            measured(name, inputs, limit=limit)
        return
    result = measured(name, inputs, limit=limit)
    assert result.passed is False
    [warning] = set(result.warnings) - set(measured(name, inputs).warnings)
    assert warning.startswith(f"the limit of {name} is ")
    assert "never exceeds 1" in warning


def beyond(name: str) -> Any:
    """A limit that every table would keep; None where no number is one."""
    entry = find_measure(name)
    low, high = entry.range
    if entry.better is Better.LOWER:
        return None if high == math.inf else high + 0.5
    return None if low <= 0 else low - 0.5


@every_measure
def test_a_limit_beyond_all_figures_is_an_error_however_it_is_given(
    name: str, inputs: Inputs
) -> None:
    limit = beyond(name)
    if limit is None:
        pytest.skip("every limit can be broken")
    entry = find_measure(name)
    options = {key: value for key, value in PASSING[name].items() if key != "limit"}
    # What files are checked with.
    assert not entry.limit_kind.takes(limit)
    for refused in (
        lambda: entry.check_options(options | {"limit": limit}),
        # What Python's functions and pipelines call.
        lambda: entry.run(suited(name, inputs), options | {"limit": limit}),
    ):
        with pytest.raises(OptionError, match=f"^the limit of {name} is .* every table would meet"):
            refused()


@every_measure
def test_a_limit_at_the_end_is_idle(name: str, inputs: Inputs) -> None:
    entry = find_measure(name)
    low, high = entry.range
    assert not Figure.of(measured(name, inputs)).is_idle
    assert not Figure.of(measured(name, inputs, limit=3 if low == 1 else "0.4")).is_idle
    end = high if entry.better is Better.LOWER else low
    if math.isfinite(end):
        assert entry.limit_kind.takes(end)
        result = measured(name, inputs, limit=end)
        assert Figure.of(result).is_idle is (not result.conditions)
        assert result.passed or result.conditions


def test_rows_at_risk_above_certainty_are_no_figure_to_judge() -> None:
    table = pa.table({"q": ["a", "b"]})
    given: dict[str, Any] = {"quasi_identifiers": "q", "figure": "at-risk", "threshold": 1}
    assert petaudit.prosecutor_risk(table, **given).value == 0
    with pytest.raises(OptionError, match="threshold is 1; no risk is above that"):
        petaudit.prosecutor_risk(table, limit=0, **given)


def test_with_l_1_every_c_above_1_would_hold() -> None:
    table = pa.table({"q": ["a", "a"], "s": ["x", "x"]})
    given: dict[str, Any] = {"quasi_identifiers": "q", "sensitive": "s", "l": 1}
    assert petaudit.recursive_l_diversity(table, limit=1, **given).passed is False
    with pytest.raises(OptionError, match=r"the limit of recursive-l-diversity is 1[.]5; no"):
        petaudit.recursive_l_diversity(table, limit=1.5, **given)


class _Silent(Measure):
    """Does the limit hold?

    It does not say.
    """

    name = "silent"
    better = Better.LOWER
    range = (0.0, 1.0)
    needs = ()
    limit_help = "the figure may be at most this"

    def compute(self, inputs: Inputs, limit: Fraction | None) -> Result:
        return Result(0.0, None if limit is None else float(limit), None, (), by=self)


def test_a_measure_that_ignores_its_limit_is_undecided(inputs: Inputs) -> None:
    assert _Silent().run(inputs, {"limit": None}).passed is None
    with pytest.raises(UndecidedError, match="silent did not say whether its limit holds"):
        _Silent().run(inputs, {"limit": 0.5})


CLASS_MEASURES = [
    name
    for name in PASSING
    if find_measure(name).family in {Family.PRIVACY, Family.RISK}
    and Need.QUASI_IDENTIFIERS in find_measure(name).needs
]


@pytest.mark.parametrize("name", CLASS_MEASURES)
def test_where_every_row_is_suppressed_nothing_is_decided(name: str) -> None:
    """Left out of the classes, they leave nothing to measure; limits that hold elsewhere do not."""
    assert len(CLASS_MEASURES) > 15
    given = passing_inputs()
    table = given.table.counts
    columns = {column: table.columns_values([column])[0] for column in given.table.columns}
    columns |= dict.fromkeys(given.quasi_identifiers, pa.array(["*"] * table.rows))
    entry = replace(given, table=open_source(pa.table(columns)), suppressed="exclude")
    with pytest.raises(NotMeasurableError, match="every row is suppressed"):
        find_measure(name).run(entry, PASSING[name])


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
        result = measured(name, inputs, limit=limit)
    said = tuple(text for text in result.warnings if "every table meets it" not in text)
    assert said == measured(name, inputs).warnings
    # Where a figure cannot be below 1, that is said.
    least_is_one = find_measure(name).range[0] == 1 and find_measure(name).better is Better.HIGHER
    assert (said != result.warnings) is (least_is_one and name != "k-map")
    assert result.limit == 1
    assert result.passed is keeps(result, 1)
    assert result.status == ("passed" if result.passed else "failed")


@every_measure
@pytest.mark.parametrize("limit", [0, "1e-400"])
def test_zero_and_almost_zero_are_limits(name: str, limit: Any, inputs: Inputs) -> None:
    if find_measure(name).range[0] == 1:
        pytest.skip("no figure is below 1")
    result = measured(name, inputs, limit=limit)
    if result.value or not limit:
        # Of so few people, attacks show nothing.
        assert result.passed is keeps(result, 0) or (result.passed is None and name in ATTACKS)


@every_measure
def test_without_a_limit_there_is_no_verdict(name: str, inputs: Inputs) -> None:
    result = measured(name, inputs)
    assert (result.limit, result.passed, result.status) == (None, None, "measured")
    assert result.remedy is None


@every_measure
def test_an_unknown_option_names_the_known_ones(name: str, inputs: Inputs) -> None:
    with pytest.raises(OptionError) as caught:
        measured(name, inputs, limt=0.3)
    assert str(caught.value).startswith(
        f"{name} has no option 'limt' (did you mean 'limit'?); its options are "
    )
