"""Ending when told to: SIGTERM and SIGHUP leave as little behind as an error does."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_SIGNALLED: Final = 128
_SIGNALS: Final = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
_GRACE: Final = 5.0
"""``timeout`` and service managers tell a process and then its whole group, which it is in."""

_told: list[tuple[int, float]] = []


@contextmanager
def graceful_shutdown(*, is_program: bool) -> Iterator[None]:
    """Let a signal end the work inside as an error would: files are closed, folders removed.

    After the program itself nothing follows but clearing up, in which a signal has no say any
    more. To a caller in Python the signals are given back.
    """
    _told.clear()
    # Python installs handlers in the main thread only. A caller's own handler stays, and nohup's.
    is_main = threading.current_thread() is threading.main_thread()
    ours = [sign for sign in _SIGNALS if is_main and signal.getsignal(sign) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, _leave)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_IGN if is_program else signal.SIG_DFL)


def interrupted_code() -> int:
    """The exit code of an interrupted command: 128 and the number of the signal."""
    return _SIGNALLED + (_told[0][0] if _told else signal.SIGINT)


def _leave(number: int, _: FrameType | None) -> None:
    now = time.monotonic()
    if _told and now - _told[-1][1] < _GRACE:
        return
    # Noted, because DuckDB turns whatever is raised here into its own "interrupted".
    _told.append((number, now))
    raise KeyboardInterrupt
