"""Progress: numbers that never go back, that end at the totals, and a caller who may stop."""

from __future__ import annotations

import itertools
import math
import threading
import time
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from petaudit import mpuccs
from petaudit.errors import OptionError
from petaudit.singling.options import Progress

Pair = tuple[pa.Table, pa.Table]


def pair(columns: int, rows: int, values: int) -> Pair:
    chance = np.random.default_rng(2)
    made = [
        pa.table({f"c{number}": chance.integers(0, values, rows) for number in range(columns)})
        for _ in range(2)
    ]
    return made[0], made[1]


@pytest.fixture(scope="module")
def small() -> Pair:
    return pair(7, 200, 9)


@pytest.fixture(scope="module")
def wide() -> Pair:
    return pair(60, 30, 3)


@pytest.fixture(scope="module")
def endless() -> Pair:
    return pair(40, 20_000, 6)


def check(seen: list[Progress]) -> None:
    """What holds for every search, whole or stopped."""
    assert seen
    for now in seen:
        assert isinstance(now, Progress)
        assert now.size in now.sizes
        assert 0 <= now.done <= now.total
        assert now.done <= now.all_done <= now.all_total
        assert now.total <= now.all_total
    for before, after in itertools.pairwise(seen):
        assert (after.sizes, after.all_total) == (before.sizes, before.all_total)
        assert after.size >= before.size
        assert after.all_done >= before.all_done
        if after.size == before.size:
            assert after.done >= before.done


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize(
    ("options", "sizes"),
    [
        ({}, (1, 2, 3, 4, 5, 6, 7)),
        ({"max_baseline_cols": 3}, (1, 2, 3)),
        ({"max_baseline_cols": 99}, (1, 2, 3, 4, 5, 6, 7)),
        ({"n_cols": [2, 5]}, (2, 5)),
        ({"n_cols": 1}, (1,)),
        ({"min_entropy_delta": 0.1}, (1, 2, 3, 4, 5, 6, 7)),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
def test_it_never_goes_back_and_ends_at_the_totals(
    options: dict[str, Any], sizes: tuple[int, ...], threads: int, small: Pair
) -> None:
    seen: list[Progress] = []
    result = mpuccs(*small, threads=threads, progress=seen.append, **options)
    check(seen)
    every = [math.comb(7, size) for size in sizes]
    assert seen[0].sizes == sizes
    assert seen[0].done == seen[0].all_done == 0
    assert list(dict.fromkeys(now.size for now in seen)) == list(sizes)
    ends = {now.size: now for now in seen}
    assert [ends[size].done for size in sizes] == [ends[size].total for size in sizes] == every
    assert seen[-1].all_done == seen[-1].all_total == sum(every) == result.combinations


@pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
def test_it_never_goes_back_when_the_time_is_over(wide: Pair) -> None:
    """Also where a thread has looked at later combinations than those that count in the end."""
    for limit in (0.1, 0.15, 0.2, 0.25):
        seen: list[Progress] = []
        result = mpuccs(*wide, time_limit=limit, threads=2, progress=seen.append)
        assert not result.complete
        check(seen)
        assert seen[-1].all_done < seen[-1].all_total == 2**60 - 1


@pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
def test_it_is_told_now_and_then_and_not_all_the_time(endless: Pair) -> None:
    """Ten times a second and at both ends of a size; also while the threads come to an end."""
    seen: list[float] = []
    start = time.monotonic()
    result = mpuccs(*endless, time_limit=0.5, progress=lambda _: seen.append(time.monotonic()))
    seconds = time.monotonic() - start
    assert not result.complete
    assert len(seen) <= 20 * seconds + 2 * 40


def test_it_does_not_change_the_answer(small: Pair) -> None:
    watched, alone = mpuccs(*small, progress=lambda _: False), mpuccs(*small)
    assert (watched.tree, watched.details) == (alone.tree, alone.details)


def test_it_is_told_in_the_thread_of_the_caller(small: Pair) -> None:
    """A callable that draws or writes need not be made for several threads."""
    seen: set[int] = set()
    mpuccs(*small, threads=2, progress=lambda _: seen.add(threading.get_ident()))
    assert seen == {threading.get_ident()}


class StopError(Exception):
    """Raised by a caller who has seen enough."""


@pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("when", ["at once", "at work"])
def test_an_exception_stops_the_search_and_reaches_the_caller(
    when: str, threads: int, endless: Pair
) -> None:
    before = set(threading.enumerate())
    problem = StopError()
    raised: list[float] = []

    def progress(now: Progress) -> None:
        if when == "at once" or now.all_done > 40:
            raised.append(time.monotonic())
            raise problem

    with pytest.raises(StopError) as caught:
        mpuccs(*endless, threads=threads, progress=progress)
    assert time.monotonic() - raised[0] < 20
    assert caught.value is problem
    assert len(raised) == 1
    assert set(threading.enumerate()) - before == set()


def test_an_exception_at_the_very_end_reaches_the_caller_too(small: Pair) -> None:
    before = set(threading.enumerate())

    def progress(now: Progress) -> None:
        if now.all_done == now.all_total:
            raise StopError

    with pytest.raises(StopError):
        mpuccs(*small, progress=progress)
    assert set(threading.enumerate()) - before == set()
    assert mpuccs(*small).complete


@pytest.mark.parametrize("wrong", [True, "bar", 1, [], {}])
def test_only_a_callable_can_be_told(wrong: Any, small: Pair) -> None:
    with pytest.raises(OptionError, match="progress must be a function"):
        mpuccs(*small, progress=wrong)


def test_tables_without_rows_have_no_progress(small: Pair) -> None:
    seen: list[Progress] = []
    mpuccs(small[0], small[1].slice(0, 0), progress=seen.append)
    assert seen == []
