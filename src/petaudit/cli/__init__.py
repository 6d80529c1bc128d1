"""The command line: parse, hand over, and turn errors into messages and exit codes."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Sequence
from types import FrameType

from petaudit.cli.help_text import argparse_speaks
from petaudit.cli.language import choose_language
from petaudit.cli.parser import build_parser
from petaudit.cli.streams import complain, complain_of_error, finish, prepare
from petaudit.errors import ManyProblemsError, PetauditError, phrase, term
from petaudit.languages.current import language, use_language

COULD_NOT_MEASURE = 2
_SIGNALLED = 128
_ended_by: list[int] = []


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    prepare()
    _leave_tidily_when_told_to_end()
    before = language()
    try:
        return _exit_code(arguments)
    finally:
        use_language(before)


def _exit_code(arguments: Sequence[str] | None) -> int:
    try:
        choose_language(arguments)
        code = _run(arguments)
        finish()
    except ManyProblemsError as problem:
        for message in problem.messages:
            complain_of_error(message)
        return COULD_NOT_MEASURE
    except PetauditError as problem:
        complain_of_error(problem.text)
        return COULD_NOT_MEASURE
    except KeyboardInterrupt:
        complain(term("interrupted"))
        return _SIGNALLED + (_ended_by or [signal.SIGINT])[0]
    except BrokenPipeError:
        # The reader has left; closing quietly is what it expects.
        return COULD_NOT_MEASURE
    except Exception as problem:
        if os.environ.get("PETAUDIT_DEBUG"):
            raise
        # The text of an unforeseen error may quote data, so only its kind is shown.
        complain(
            phrase(
                "internal error ({kind}); set PETAUDIT_DEBUG=1 to see where, and please report it",
                kind=type(problem).__name__,
            )
        )
        return COULD_NOT_MEASURE
    return code


def _run(arguments: Sequence[str] | None) -> int:
    try:
        with argparse_speaks():
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
