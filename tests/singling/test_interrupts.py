"""Whatever ends a search early, no thread is left and the next search is as good as ever."""

from __future__ import annotations

import _thread
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from petaudit import mpuccs
from petaudit.errors import PetauditWarning
from petaudit.singling import running
from petaudit.singling.options import Progress
from petaudit.singling.walk import Walk

PATIENCE = 20
ALL_OF_60 = 2**60 - 1

Pair = tuple[pa.Table, pa.Table]


def pair(columns: int, rows: int, values: int, seed: int = 1) -> Pair:
    chance = np.random.default_rng(seed)
    made = [
        pa.table({f"c{number}": chance.integers(0, values, rows) for number in range(columns)})
        for _ in range(2)
    ]
    return made[0], made[1]


@pytest.fixture(scope="module")
def endless() -> Pair:
    """All combinations of 40 columns would take years."""
    return pair(40, 20_000, 6)


@pytest.fixture(scope="module")
def wide() -> Pair:
    return pair(60, 30, 3)


@pytest.fixture(scope="module")
def small() -> Pair:
    return pair(8, 300, 9)


@pytest.fixture(autouse=True)
def ctrl_c_works() -> Iterator[None]:
    """A test runner may have another answer to Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) - before == set()


@pytest.fixture(autouse=True)
def still_works(small: Pair, no_thread_is_left: None) -> Iterator[None]:
    """The same search before and after gives the same answer."""
    before = mpuccs(*small, threads=2)
    yield
    after = mpuccs(*small, threads=2)
    assert after.complete
    assert after.details == before.details
    assert after.tree == before.tree
    assert after.figures["total_identified"] > 0


INTERRUPTS: dict[str, Callable[[], None]] = {
    "interrupt_main": _thread.interrupt_main,
    "raise_signal": lambda: signal.raise_signal(signal.SIGINT),
}


class Trigger:
    """Interrupts the main thread, once, from a thread of the search or from one of its own."""

    def __init__(self, interrupt: Callable[[], None]) -> None:
        self._interrupt = interrupt
        self.is_armed = True
        self.at = 0.0

    def pull(self) -> None:
        if self.is_armed:
            self.is_armed = False
            self.at = time.monotonic()
            self._interrupt()

    def pull_from_elsewhere(self, _: object) -> None:
        if self.is_armed:
            thread = threading.Thread(target=self.pull)
            thread.start()
            thread.join()


def in_walks(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Let every thread of a search do this before it begins."""
    run = Walk.run

    def acting(walk: Walk, *given: Any) -> None:
        act()
        run(walk, *given)

    monkeypatch.setattr(Walk, "run", acting)


@pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
@pytest.mark.parametrize("interrupt", INTERRUPTS)
@pytest.mark.parametrize("threads", [1, 2, None])
def test_ctrl_c_ends_an_endless_search(interrupt: str, threads: int | None, endless: Pair) -> None:
    trigger = Trigger(INTERRUPTS[interrupt])

    def progress(now: Progress) -> None:
        if now.done:
            trigger.pull_from_elsewhere(now)

    with pytest.raises(KeyboardInterrupt):
        mpuccs(*endless, threads=threads, progress=progress)
    assert time.monotonic() - trigger.at < PATIENCE


@pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
def test_ctrl_c_right_at_the_start_of_the_threads(
    endless: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    trigger = Trigger(_thread.interrupt_main)
    in_walks(monkeypatch, trigger.pull)
    with pytest.raises(KeyboardInterrupt):
        mpuccs(*endless)
    assert time.monotonic() - trigger.at < PATIENCE


def test_ctrl_c_while_the_control_is_compared(small: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    trigger = Trigger(_thread.interrupt_main)
    trigger.is_armed = False
    compare = running.compare

    def armed(*given: Any, **named: Any) -> Any:
        trigger.is_armed = True
        return compare(*given, **named)

    monkeypatch.setattr(running, "compare", armed)
    in_walks(monkeypatch, trigger.pull)
    with pytest.raises(KeyboardInterrupt):
        mpuccs(*small, small[1])
    assert trigger.at
    assert time.monotonic() - trigger.at < PATIENCE


def test_ctrl_c_while_changes_are_tried(small: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    result = mpuccs(*small)
    trigger = Trigger(_thread.interrupt_main)
    with monkeypatch.context() as now:
        in_walks(now, trigger.pull)
        with pytest.raises(KeyboardInterrupt):
            _ = result.changes
    assert time.monotonic() - trigger.at < PATIENCE
    # What was interrupted is not remembered as the answer.
    assert result.changes == mpuccs(*small).changes
    assert len(result.changes) >= 8


@pytest.mark.parametrize("problem", [MemoryError(), ValueError("x"), SystemExit(3)])
@pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
def test_a_problem_in_a_thread_reaches_the_caller(
    problem: BaseException, endless: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the other threads stop: this search would take years."""
    failed = threading.Event()

    def fail_once() -> None:
        if not failed.is_set():
            failed.set()
            raise problem

    start = time.monotonic()
    with monkeypatch.context() as now:
        in_walks(now, fail_once)
        with pytest.raises(type(problem)) as caught:
            mpuccs(*endless, threads=2)
    assert caught.value is problem
    assert time.monotonic() - start < PATIENCE + 3


# Time limits.


def test_a_wide_table_is_announced_and_stopped(wide: Pair) -> None:
    said_before_the_search: list[str] = []
    limit = 1.0
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")

        def progress(_: Progress) -> None:
            if not said_before_the_search:
                said_before_the_search.extend(str(entry.message) for entry in said)

        start = time.monotonic()
        result = mpuccs(*wide, time_limit=limit, progress=progress)
        took = time.monotonic() - start
    assert took < limit + PATIENCE
    assert result.complete is False
    [announced] = said_before_the_search
    assert f"60 columns have {ALL_OF_60:,} combinations" in announced
    assert "1,152,921,504,606,846,975" in announced
    assert "years" in announced
    assert "(stopped after 1 s)" in announced
    assert {entry.category for entry in said} == {PetauditWarning}
    assert any("the time limit was reached after" in str(entry.message) for entry in said)
    assert result.combinations > 60 + 60 * 59 // 2
    assert result.figures["total_identified"] == 30


@pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
@pytest.mark.parametrize("limit", [0.05, 0.4])
def test_many_rows_are_stopped_promptly_too(limit: float, endless: Pair) -> None:
    start = time.monotonic()
    result = mpuccs(*endless, time_limit=limit)
    assert time.monotonic() - start < limit + PATIENCE
    assert result.complete is False


@pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
@pytest.mark.parametrize("limit", [1e-9, 0.02, 0.1])
def test_a_stopped_search_is_the_beginning_of_the_whole(limit: float) -> None:
    """Stopping anywhere leaves a valid answer: the first combinations, with what they find."""
    tables = pair(12, 1_000, 7)
    whole = mpuccs(*tables)
    part = mpuccs(*tables, time_limit=limit)
    assert whole.complete
    many = part.combinations
    assert part.tree.num_rows == many
    assert part.tree == whole.tree.slice(0, many)
    seen = set(map(tuple, part.tree.column("field_combo").to_pylist()))
    expected = [row for row in whole.details.to_pylist() if tuple(row["field_combo"]) in seen]
    assert part.details.to_pylist() == expected
    assert part.figures["total_identified"] == len(expected)
    assert part.complete is (many == whole.combinations)


@pytest.mark.parametrize("limit", [None, 3600, float("inf")])
def test_a_search_that_is_short_is_not_announced(limit: float | None, small: Pair) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mpuccs(*small, time_limit=limit).complete


def test_a_limit_on_the_size_needs_no_announcement(wide: Pair) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mpuccs(*wide, max_baseline_cols=2).combinations == 60 + 60 * 59 // 2
