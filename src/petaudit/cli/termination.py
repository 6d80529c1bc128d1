"""Ending when told to: SIGTERM and SIGHUP leave as little behind as an error does."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final

_SIGNALLED: Final = 128
_SIGNALS: Final = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
_GRACE: Final = 5.0
"""``timeout`` and service managers tell a process and then its whole group, which it is in."""
_SOON: Final = 0.05

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
    unraisable = sys.unraisablehook

    def repeat_dropped(dropped: Any) -> None:
        # Python drops what is raised in a destructor, and around the start of a program.
        if dropped.exc_type is KeyboardInterrupt:
            _again(_told.pop()[0] if _told else signal.SIGINT)
        else:
            unraisable(dropped)

    if ours and os.name == "posix":
        sys.unraisablehook = repeat_dropped
    try:
        yield
    finally:
        sys.unraisablehook = unraisable
        for number in ours:
            signal.signal(number, signal.SIG_IGN if is_program else signal.SIG_DFL)


def interrupted_code() -> int:
    """The exit code of an interrupted command: 128 and the number of the signal."""
    return _SIGNALLED + (_told[0][0] if _told else signal.SIGINT)


def _leave(number: int, frame: FrameType | None) -> None:
    now = time.monotonic()
    if _told and now - _told[-1][1] < _GRACE:
        return
    if frame is not None and frame.f_globals.get("__name__") == "logging" and os.name == "posix":
        # Its lock is held around the start of a program, where it would never be given back.
        _again(number)
        return
    # Noted, because DuckDB turns whatever is raised here into its own "interrupted".
    _told.append((number, now))
    raise KeyboardInterrupt


def _again(number: int) -> None:
    """Have the signal come once more, when the main thread is somewhere else."""
    threading.Timer(_SOON, os.kill, (os.getpid(), number)).start()
