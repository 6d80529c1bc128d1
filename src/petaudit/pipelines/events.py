"""Events of a run, for callers who follow it and for the log, and how long each step takes."""

from __future__ import annotations

import logging
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeAlias

from petaudit.errors import InputError, counted
from petaudit.i18n.text import printable
from petaudit.pipelines.models import ExecutorSettings
from petaudit.pipelines.names import TIMESTAMP
from petaudit.system.progress import stage

EventKind: TypeAlias = Literal["started", "step", "result", "kept", "written", "finished"]
LOGGER = logging.getLogger("petaudit.pipelines")
# Without a handler Python would print errors itself.
LOGGER.addHandler(logging.NullHandler())
_FILE = f"petaudit_{TIMESTAMP}.log"
_OURS = re.compile(rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} [A-Z]+ ")


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
            with stage(f"{module}[{experiment}]", self.done + 1, self.total):
                yield
        finally:
            seconds = time.perf_counter() - wall
            used = time.process_time() - processor
            record = (run, module, experiment, step, start, _now(), round(seconds, 6))
            self.records.append(TimingRecord(*record, round(used, 6)))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@contextmanager
def logged(
    settings: ExecutorSettings, folder: Path | None, clock: Clock, stream: str
) -> Iterator[None]:
    """Log the events of a run as the pipeline file asks; whoever listens still hears them.

    In the shell, standard output is for the result, and the log goes to standard error.
    """
    handlers = _handlers(settings, folder, stream)
    listener, level, propagates = clock.listener, LOGGER.level, LOGGER.propagate
    for handler in handlers:
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        LOGGER.addHandler(handler)
    if handlers:
        LOGGER.setLevel(settings.log_level or "INFO")
        LOGGER.propagate = False
    clock.listener = _both(listener)
    try:
        yield
    except _ListenerFailedError as failed:
        LOGGER.error("stopped: the listener failed (%s)", type(failed.problem).__name__)
        raise failed.problem from None
    except BaseException as problem:
        LOGGER.error("stopped: %s", type(problem).__name__)
        raise
    finally:
        clock.listener = listener
        LOGGER.setLevel(level)
        LOGGER.propagate = propagates
        for handler in handlers:
            LOGGER.removeHandler(handler)
            handler.close()


def _handlers(
    settings: ExecutorSettings, results: Path | None, stream: str
) -> list[logging.Handler]:
    handlers: list[logging.Handler] = []
    if "stdout" in settings.logs_to:
        handlers.append(logging.StreamHandler(getattr(sys, stream)))
    if "file" in settings.logs_to and results is not None:
        folder = results / os.path.expanduser(settings.log_dir or ".")  # noqa: PTH111 (never raises)
        stamp = datetime.now().strftime("%Y%m%d_%H%M%S")
        path = folder / (settings.log_filename or _FILE).replace(TIMESTAMP, stamp)
        try:
            _refuse_links(path, folder if settings.log_dir_is_chosen else results)
            folder.mkdir(parents=True, exist_ok=True)
            _refuse_other_files(path)
            handlers.append(_LogFile(path, encoding="utf-8", errors="backslashreplace"))
        except OSError as problem:
            raise _not_written(path, problem) from None
    return handlers


def _refuse_links(path: Path, root: Path) -> None:
    """A link inside the folder of results leads out of it."""
    for place in (path.parent, path):
        if os.path.realpath(place) != str(Path(os.path.realpath(root), place.relative_to(root))):
            raise InputError(
                "{path!r} is a link, and the log would be written elsewhere; remove it",
                path=str(place),
            )


def _not_written(path: Path | str, problem: BaseException | None) -> InputError:
    reason = problem.strerror if isinstance(problem, OSError) else type(problem).__name__
    return InputError(
        "the log cannot be written to {path!r} ({reason})", path=str(path), reason=reason or problem
    )


class _LogFile(logging.FileHandler):
    """A log that cannot be written stops the run: Python would print a page and go on without."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (logging's own name)
        """Say what happened."""
        problem = sys.exc_info()[1]
        # Else closing it would fail once more.
        self.stream = None
        raise _not_written(self.baseFilename, problem) from None


def _refuse_other_files(path: Path) -> None:
    """A log is appended to a log, and never to what has its name by mistake or by design."""
    if not os.path.lexists(path):
        return
    # A file with a second name may lie in another folder, too, and a pipe would never answer.
    is_log = path.is_file() and path.stat().st_nlink == 1
    if is_log:
        with path.open("rb") as file:
            start = file.read(64)
        is_log = not start or _OURS.match(start) is not None
    if not is_log:
        raise InputError("{path!r} is not a log; choose another log_filename", path=str(path))


class _ListenerFailedError(BaseException):
    """Carries what a listener raised past everything that would take it for a failed measure."""

    def __init__(self, problem: Exception) -> None:
        super().__init__()
        self.problem = problem


def _both(listener: Listener | None) -> Listener:
    def hear(event: Event) -> None:
        LOGGER.log(*_log_entry(event))
        if listener is not None:
            try:
                listener(event)
            except Exception as problem:
                raise _ListenerFailedError(problem) from None

    return hear


def _log_entry(event: Event) -> tuple[int, str]:
    match event.kind:
        case "started":
            return logging.INFO, counted(event.total, "run")
        case "step":
            text = f"{event.module}[{event.experiment}] of {event.run}"
            return logging.DEBUG, printable(text)
        case "result" | "kept":
            level = logging.ERROR if event.status == "error" else logging.INFO
            again = " (kept from before)" if event.kind == "kept" else ""
            return level, printable(f"{event.run}: {event.status}{again}")
        case "written":
            return logging.INFO, printable(f"wrote {event.file}")
    return logging.INFO, f"finished: {event.status}"
