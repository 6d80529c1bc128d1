"""What a command does as JSON on standard error, one object a line, for whoever collects logs.

Stages and queries are those of :mod:`petaudit.system.progress`, which a terminal shows as one line;
what happens to the runs of a pipeline is that of :mod:`petaudit.pipelines.events`.
"""

from __future__ import annotations

import io
import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, TextIO

from petaudit._version import __version__
from petaudit.cli.language import given
from petaudit.i18n.text import without_passwords
from petaudit.system.progress import Stage

if TYPE_CHECKING:
    from petaudit.pipelines.events import Event

OPTION: Final = "--log-format"
JSON: Final = "json"
_PAUSE: Final = 5.0
"""Seconds between two lines about how far a stage is."""
_EVENTS: Final = {
    "started": "pipeline_started",
    "result": "run_finished",
    "kept": "run_kept",
    "written": "file_written",
    "finished": "pipeline_finished",
}
"""What lines call the events of a pipeline; a step is a stage, whose line has the run."""


class JsonLog(io.TextIOBase):
    """Takes the place of standard error: text that is written to it is put into a line, too.

    >>> written = io.StringIO()
    >>> log = JsonLog(written)
    >>> log.put("info", "stage_finished", stage="reading a.csv", seconds=0.5)
    >>> _ = log.write("some text\\n")
    >>> [json.loads(line)["event"] for line in written.getvalue().splitlines()]
    ['stage_finished', 'output']
    """

    def __init__(self, stream: TextIO | None) -> None:
        super().__init__()
        self._stream = stream
        self._began = time.monotonic()
        self._stages: tuple[Stage, ...] = ()
        self._since: list[float] = []
        self._told = self._began
        self._run = ""
        self._rest = ""

    def put(self, level: str, event: str, **fields: Any) -> None:
        """Write a line; what is not known is left out."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = {"time": now, "level": level, "event": event, "run": self._run} | fields
        known = {key: value for key, value in line.items() if value not in (None, "")}
        # Escaped, so that a line is one whatever is in it and whatever the stream can hold.
        text = json.dumps(known, ensure_ascii=True, allow_nan=False) + "\n"
        if self._stream is not None:
            with suppress(OSError, ValueError):
                self._stream.write(text)
                self._stream.flush()

    def write(self, text: str) -> int:
        """Put text that nobody gave a kind into lines."""
        *lines, self._rest = (self._rest + text).split("\n")
        for line in filter(str.strip, lines):
            self.put("info", "output", message=without_passwords(line))
        return len(text)

    def finish(self, exit_code: int) -> None:
        """Say how the command ended."""
        if self._rest:
            self.write("\n")
        seconds = self._seconds(self._began)
        self.put("info", "command_finished", exit_code=exit_code, seconds=seconds)

    def watch(self, stages: tuple[Stage, ...]) -> None:
        """Tell what began, went on or ended since the last time."""
        before, kept = self._stages, 0
        while kept < min(len(before), len(stages)) and before[kept] is stages[kept]:
            kept += 1
        if kept + 1 == len(before) == len(stages):
            self._stages = stages
            self._advanced(stages)
            return
        for place in reversed(range(kept, len(before))):
            seconds = self._seconds(self._since.pop())
            self._put_stage("finished", before[: place + 1], seconds=seconds)
        for place in range(kept, len(stages)):
            self._since.append(time.monotonic())
            self._put_stage("started", stages[: place + 1])
        self._stages = stages

    def hear(self, event: Event) -> None:
        """Tell what happened to the runs of a pipeline."""
        if event.kind == "step":
            self._run = event.run
            return
        self._run = ""
        level = "error" if event.status == "error" else "info"
        about = {"run": event.run, "status": event.status, "file": event.file}
        self.put(level, _EVENTS[event.kind], **about, done=event.done, total=event.total)

    def _advanced(self, stages: Sequence[Stage]) -> None:
        # How many rows a query gave is in the line that says that it ended.
        if not stages[-1].engine and time.monotonic() - self._told >= _PAUSE:
            self._put_stage("progress", stages, seconds=self._seconds(self._since[-1]))

    def _put_stage(self, what: str, stages: Sequence[Stage], **more: Any) -> None:
        """Stages are in English, whatever language is spoken: they are for programs."""
        self._told = time.monotonic()
        *around, last = stages
        within = {"within": str(around[-1].what)} if around else {}
        if last.engine:
            about = {"engine": last.engine, "table": str(last.what), "rows": last.done}
            self.put("debug", f"query_{what}", **about, **within, **more)
            return
        about = {"stage": str(last.what), "done": last.done, "total": last.total}
        self.put("info", f"stage_{what}", **about, **within, **more)

    @staticmethod
    def _seconds(since: float) -> float:
        return round(time.monotonic() - since, 3)


_logs: Final[list[JsonLog]] = []


def json_log() -> JsonLog | None:
    """The log of the command that is running, if JSON was asked for."""
    return _logs[-1] if _logs else None


@contextmanager
def logged(arguments: Sequence[str] | None) -> Iterator[JsonLog | None]:
    """Have a log inside if the option asks for JSON; that is known before anything is parsed."""
    if given(arguments, OPTION) != JSON:
        yield None
        return
    log = JsonLog(sys.stderr)
    log.put("info", "command_started", version=__version__)
    _logs.append(log)
    try:
        with redirect_stderr(log):
            yield log
    finally:
        _logs.remove(log)
