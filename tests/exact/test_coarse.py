"""Rounded figures: as coarse as several people, and never on the other side of a limit."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from petaudit.exact.coarse import PEOPLE, parts_of, rounded

FIGURES = st.floats(-3, 1)
PARTS = st.sampled_from([100, 50, 20, 10, 5, 2])


@given(FIGURES, PARTS, st.one_of(st.none(), st.floats(0, 0.99)))
def test_no_figure_changes_sides_of_a_limit(figure: float, parts: int, limit: float | None) -> None:
    for to in ("nearest", "below", "above"):
        shown = rounded(figure, parts, limit, to)  # type: ignore[arg-type]
        assert abs(shown - figure) <= 1 / parts + 1e-9
        if limit is not None:
            assert (shown > limit) == (figure > limit)
        elif to == "above":
            assert shown >= figure - 1e-9


@given(st.lists(FIGURES, min_size=3, max_size=3), PARTS, st.floats(0, 0.99))
def test_the_figure_stays_inside_its_interval(
    figures: list[float], parts: int, limit: float
) -> None:
    low, middle, high = sorted(figures)
    shown = rounded(low, parts, limit, "below"), rounded(high, parts, limit, "above")
    assert shown[0] <= rounded(middle, parts, limit) <= shown[1] <= 1


@given(st.integers(2 * PEOPLE, 10**6))
def test_a_step_is_of_ten_people_at_least(people: int) -> None:
    assert people / parts_of(people) >= PEOPLE


def test_most_single_people_are_not_seen() -> None:
    """Of 1,000 people one more who is exposed shows at one rate in ten, and no more."""
    rates = [rounded(exposed / 1000, parts_of(1000)) for exposed in range(1001)]
    assert sum(one != other for one, other in pairwise(rates)) == 100
