"""The excess of one share over another and its interval."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petaudit.exact.excess import Excess, Finding, Successes, excess

counts = st.integers(1, 400).flatmap(lambda many: st.tuples(st.just(many), st.integers(0, many)))


@pytest.mark.parametrize(
    ("exposed", "people", "low", "high"),
    [
        (81, 263, 0.2535, 0.3682),
        (15, 148, 0.0598, 0.1644),
        (0, 20, 0.0, 0.2005),
        (1, 29, 0.0018, 0.1963),
    ],
)
def test_limits_of_wilson_as_published(exposed: int, people: int, low: float, high: float) -> None:
    """R. G. Newcombe, Statistics in Medicine 1998, table I, method 4."""
    safe, *limits = Successes(people, people - exposed).safe
    assert safe == pytest.approx(exposed / people)
    assert limits == pytest.approx([low, high], abs=6e-5)


def ends_by_bisection(original: Successes, control: Successes) -> tuple[float, float]:
    """MOVER for a ratio R by definition: (a - R b)^2 is the sum of two squared distances."""
    a, low_a, high_a = original.safe
    b, low_b, high_b = control.safe

    def solved(to_a: float, to_b: float, inside: float, outside: float) -> float:
        for _ in range(200):
            middle = (inside + outside) / 2
            if (a - middle * b) ** 2 <= (a - to_a) ** 2 + (middle * (to_b - b)) ** 2:
                inside = middle
            else:
                outside = middle
        return inside

    ratio = a / b
    return 1 - solved(high_a, low_b, ratio, 1e9), 1 - solved(low_a, high_b, ratio, 0.0)


@given(counts, counts, st.floats(0, 1))
def test_the_interval_by_its_definition(
    first: tuple[int, int], second: tuple[int, int], competing: float
) -> None:
    original, control = Successes(*first, competing), Successes(*second)
    result = excess(original, control)
    if control.exposed == control.people:
        assert (result.finding, result.lower) == (Finding.UNKNOWN, -math.inf)
        return
    assert result.lower <= result.value <= result.upper <= 1
    assert result.lower < result.upper, "no interval is empty"
    lower, upper = ends_by_bisection(original, control)
    assert result.lower == pytest.approx(lower, rel=1e-6, abs=1e-6)
    assert result.upper == pytest.approx(upper, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(
    ("original", "control", "expected"),
    [
        ((500, 150), (500, 50), Finding.EXCESS),
        ((500, 150), (500, 140), Finding.COINCIDENCE),
        ((500, 50), (500, 150), Finding.NOT_COMPARABLE),
        ((9, 9), (500, 0), Finding.UNKNOWN),
        ((500, 500), (9, 0), Finding.UNKNOWN),
        ((500, 400), (500, 500), Finding.UNKNOWN),
        ((0, 0), (500, 5), Finding.UNKNOWN),
    ],
)
def test_what_an_interval_says(
    original: tuple[int, int], control: tuple[int, int], expected: Finding
) -> None:
    assert excess(Successes(*original), Successes(*control)).finding is expected


def test_by_hand() -> None:
    """Of 100 people 40 are exposed, of 100 strangers 20: 60 of 80 are left, so e is a quarter."""
    result = excess(Successes(100, 40), Successes(100, 20))
    assert result.value == pytest.approx(0.25)
    # With as many in pairs as twice the variance and a little more, people count half.
    wider = excess(Successes(100, 40, 0.4 * 0.6 + 0.01), Successes(100, 20))
    fewer = excess(Successes(50, 20), Successes(100, 20))
    assert (wider.lower, wider.upper) == pytest.approx((fewer.lower, fewer.upper))
    assert isinstance(result, Excess)
