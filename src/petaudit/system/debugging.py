"""Where an unforeseen error came from, for whoever mends it: never what it says."""

from __future__ import annotations

import os
import sys
import traceback
from contextlib import suppress

VARIABLE = "PETAUDIT_DEBUG"


def show_trace(problem: BaseException, *, with_texts: bool = False) -> None:
    """Print the trace of an error to standard error if ``PETAUDIT_DEBUG`` is set.

    Engines quote cells in what their errors say, so only kinds and places are shown, unless the
    user wants values revealed.
    """
    if os.environ.get(VARIABLE) and sys.stderr is not None:
        lines = traceback.format_exception(problem) if with_texts else trace_lines(problem)
        with suppress(OSError):
            sys.stderr.writelines(lines)


def trace_lines(problem: BaseException) -> list[str]:
    """The trace of an error and of those behind it, with kinds and places alone.

    >>> try:
    ...     int("A123456789")
    ... except ValueError as problem:
    ...     print(trace_lines(problem)[-1], end="")
    ValueError
    """
    lines: list[str] = []
    behind = problem.__cause__ or problem.__context__
    if behind is not None:
        lines += [*trace_lines(behind), "then:\n"]
    return [*lines, *traceback.format_tb(problem.__traceback__), f"{type(problem).__qualname__}\n"]
