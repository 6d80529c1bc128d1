"""The command line: parse, hand over, and turn errors into messages and exit codes."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Sequence
from types import FrameType

from petaudit.cli.parser import build_parser
from petaudit.cli.streams import complain, finish, prepare
from petaudit.errors import ManyProblemsError, PetauditError

COULD_NOT_MEASURE = 2
_SIGNALLED = 128
_ended_by: list[int] = []


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    prepare()
    _leave_tidily_when_told_to_end()
    try:
        code = _run(arguments)
        finish()
    except ManyProblemsError as problem:
        for message in problem.messages:
            complain(f"error: {message}")
        return COULD_NOT_MEASURE
    except PetauditError as problem:
        complain(f"error: {problem}")
        return COULD_NOT_MEASURE
    except KeyboardInterrupt:
        complain("interrupted")
        return _SIGNALLED + (_ended_by or [signal.SIGINT])[0]
    except BrokenPipeError:
        # The reader has left; closing quietly is what it expects.
        return COULD_NOT_MEASURE
    except Exception as problem:
        if os.environ.get("PETAUDIT_DEBUG"):
            raise
        # The text of an unforeseen error may quote data, so only its kind is shown.
        complain(
            f"internal error ({type(problem).__name__}); set PETAUDIT_DEBUG=1 to see where, and "
            "please report it"
        )
        return COULD_NOT_MEASURE
    return code


def _run(arguments: Sequence[str] | None) -> int:
    try:
        chosen = build_parser().parse_args(arguments)
        code: int = chosen.command(chosen)
    except SystemExit as left:
        # Help, or a wrong option.
        return left.code if isinstance(left.code, int) else COULD_NOT_MEASURE
    return code


def _leave_tidily_when_told_to_end() -> None:
    """Let SIGTERM end the program as an error would: the private folder is removed at exit."""

    def leave(number: int, _: FrameType | None) -> None:
        # Noted, because DuckDB turns whatever is raised here into its own "interrupted".
        _ended_by.append(number)
        raise KeyboardInterrupt

    # Python installs handlers in the main thread only, and a caller's own handler stays.
    if threading.current_thread() is threading.main_thread() and (
        signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    ):
        signal.signal(signal.SIGTERM, leave)
