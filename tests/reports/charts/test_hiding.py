"""Hidden counts: nobody works them out, not even by trying all that is possible."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from petaudit.reports.charts.hiding import Counts, hiding


@pytest.mark.parametrize(
    ("counts", "texts"),
    [
        ([0, 7, 90], ["0", "7", "90"]),
        ([3, 7, 90], ["<5", "≥5", "90"]),
        ([3, 3, 90], ["<5", "<5", "90"]),
        # Two ones would follow from their sum, so a third count is hidden.
        ([1, 1, 90, 8], ["<5", "<5", "90", "≥5"]),
        # One and five would follow from their sum of six.
        ([1, 5, 90], ["<5", "≥5", "≥5"]),
        ([3], ["<5"]),
        ([4, 4, 0], ["<5", "<5", "<5"]),
        ([], []),
    ],
)
def test_by_hand(counts: list[int], texts: list[str]) -> None:
    found = hiding(counts, 5)
    assert [found.text(place) for place in range(len(counts))] == texts


def test_nothing_is_hidden_where_all_is_revealed() -> None:
    assert hiding([1, 2, 3], 0).hidden == frozenset()


def test_shares_are_hidden_with_their_counts() -> None:
    found = hiding([3, 7, 90], 5)
    assert [found.share(place, 100) for place in range(3)] == ["<5 %", "≥5 %", "90 %"]


def test_where_no_sum_is_known_only_small_counts_are_hidden() -> None:
    assert hiding([3, 7, 90], 5, sums_are_known=False).hidden == {0}


def test_groups_have_sums_of_their_own() -> None:
    found = hiding([3, 40, 7, 90], 5, groups=[[0, 1], [2, 3]])
    assert found.hidden == {0, 1}


def possible(found: Counts, place: int, most: int) -> set[int]:
    """What a hidden count may be, for somebody who knows the sum and tries everything."""
    hidden = sorted(found.hidden)
    total = sum(found.counts[own] for own in hidden)
    ranges = []
    for own in hidden:
        text, bound = found.text(own), found.below[own]
        ranges.append(range(bound) if text.startswith("<") else range(bound, most + 1))
    return {
        numbers[hidden.index(place)]
        for numbers in itertools.product(*ranges)
        if sum(numbers) == total
    }


@settings(max_examples=150)
@given(counts=st.lists(st.integers(0, 9), min_size=1, max_size=4), hide_below=st.integers(3, 5))
def test_no_small_count_can_be_worked_out(counts: list[int], hide_below: int) -> None:
    found = hiding(counts, hide_below)
    assert {place for place, own in enumerate(counts) if 0 < own < hide_below} <= found.hidden
    if sum(counts) < hide_below or len(found.hidden) == len(counts):
        # The sum is hidden as well, or there is nothing left to hide.
        return
    for place in found.hidden:
        if 0 < counts[place] < hide_below:
            assert len(possible(found, place, sum(counts))) > 1
