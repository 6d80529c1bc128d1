"""What happens during a run, for callers who follow it, and how long each step takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

EventKind: TypeAlias = Literal["started", "step", "result", "kept", "written", "finished"]


@dataclass(frozen=True)
class Event:
    """Something that happened; no value of the data is in it.

    ``started``: the runs are known; ``step``: a step begins; ``result``: a run has its result;
    ``kept``: a result of an earlier, interrupted call is used; ``written``: a file is ready;
    ``finished``: that was all.
    """

    kind: EventKind
    done: int
    """Runs that are finished."""
    total: int
    run: str = ""
    module: str = ""
    experiment: str = ""
    status: str = ""
    """Of a result or of the whole: passed, failed, measured or error."""
    file: str = ""


Listener: TypeAlias = Callable[[Event], object]


@dataclass(frozen=True)
class TimingRecord:
    """How long a step took."""

    run: str
    module: str
    experiment: str
    step: str
    start_time: str
    end_time: str
    duration_seconds: float
    cpu_seconds: float

    def to_dict(self) -> dict[str, Any]:
        """The record as plain data."""
        return asdict(self)


@dataclass
class Clock:
    """Takes the time of steps and tells the listener about them."""

    listener: Listener | None = None
    total: int = 0
    done: int = 0
    records: list[TimingRecord] = field(default_factory=list)

    def tell(self, kind: EventKind, **about: str) -> None:
        """Pass an event on."""
        if self.listener is not None:
            self.listener(Event(kind, self.done, self.total, **about))

    @contextmanager
    def timed(self, run: str, module: str, experiment: str, step: str) -> Iterator[None]:
        """Note how long what is done inside takes, also if it fails."""
        self.tell("step", run=run, module=module, experiment=experiment)
        start, wall, processor = _now(), time.perf_counter(), time.process_time()
        try:
            yield
        finally:
            seconds = time.perf_counter() - wall
            used = time.process_time() - processor
            record = (run, module, experiment, step, start, _now(), round(seconds, 6))
            self.records.append(TimingRecord(*record, round(used, 6)))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
