"""The line that says what is being done: on a terminal only, never in CI, and gone at the end."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final, TextIO

from petaudit.cli.logs import json_log
from petaudit.errors import joined, phrase
from petaudit.i18n.phrases import translate
from petaudit.i18n.text import folded, printable, terminal_width, width_of
from petaudit.system.progress import Stage, watched

_PATIENCE: Final = 1.0
"""Seconds before the line appears: most commands are done by then."""
_PAUSE: Final = 0.1
_MANY: Final = 50
"""From so many parts on, how long the rest takes can be told from those that are done."""


class ProgressLine:
    """A line on a terminal that a thread of its own keeps up to date."""

    def __init__(self, terminal: TextIO, patience: float) -> None:
        self._terminal = terminal
        self._patience = patience
        self._began = time.monotonic()
        self._stages: tuple[Stage, ...] = ()
        self._since = self._began
        self._width = 0
        # Held by whoever writes to the terminal.
        self.lock = threading.RLock()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._keep_up, daemon=True)

    def watch(self, stages: tuple[Stage, ...]) -> None:
        """Take note of what is being done now."""
        # Queries are too many and too short to be read.
        stages = tuple(each for each in stages if not each.engine)
        if _parts(stages) != _parts(self._stages):
            self._since = time.monotonic()
        self._stages = stages

    def start(self) -> None:
        """Begin to show it."""
        self._thread.start()

    def stop(self) -> None:
        """Take the line away for good."""
        self._is_over.set()
        self._thread.join()
        self.erase()

    def erase(self) -> None:
        """Take the line away, until it is drawn again."""
        with self.lock:
            if self._width:
                # Blanks, because not every terminal knows escape sequences.
                self._write("\r" + " " * self._width + "\r")
                self._width = 0

    def _keep_up(self) -> None:
        wait = self._patience
        while not self._is_over.wait(wait):
            wait = _PAUSE
            with self.lock:
                if self._stages:
                    self._draw(self._text(self._stages))
                else:
                    self.erase()

    def _draw(self, text: str) -> None:
        [line, *_] = folded(printable(text), terminal_width() - 1, terminal_width() - 1)
        width = width_of(line)
        self._write("\r" + line + " " * (self._width - width))
        self._width = width

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):
            self._terminal.write(text)
            self._terminal.flush()

    def _text(self, stages: tuple[Stage, ...]) -> str:
        now = time.monotonic()
        parts: list[str] = []
        for each in stages:
            if each.done is None or each.total is None:
                parts.append(each.what)
                continue
            fields = {"done": each.done, "total": each.total, "what": each.what}
            parts.append(phrase("{done:,} of {total:,}: {what}", **fields))
        last, taken = stages[-1], now - self._since
        if last.done and last.total and last.total >= _MANY and taken >= 1:
            left = (last.total - last.done) * taken / last.done
            parts.append(phrase("{speed:,.0f}/s", speed=last.done / taken))
            parts.append(phrase("{seconds:,.0f} s left", seconds=left))
        else:
            parts.append(phrase("{seconds:,.0f} s", seconds=now - self._began))
        return translate(joined(parts))


def _parts(stages: tuple[Stage, ...]) -> list[str | int]:
    """What stays the same while a stage goes on."""
    return [each.what if each.total is None else each.total for each in stages]


_shown: list[ProgressLine] = []


@contextmanager
def shown_progress(*, quiet: bool) -> Iterator[None]:
    """Show what is done inside, where somebody looks, or write it to the log."""
    log = json_log()
    if log is not None and not quiet:
        with watched(log.watch):
            yield
        return
    terminal = sys.stderr
    is_terminal = terminal is not None and terminal.isatty()
    if not is_terminal or quiet or os.environ.get("CI"):
        yield
        return
    line = ProgressLine(terminal, _PATIENCE)
    _shown.append(line)
    line.start()
    try:
        with watched(line.watch):
            yield
    finally:
        _shown.remove(line)
        line.stop()


@contextmanager
def without_progress() -> Iterator[None]:
    """Have the terminal for other text."""
    if not _shown:
        yield
        return
    line = _shown[-1]
    with line.lock:
        line.erase()
        yield
