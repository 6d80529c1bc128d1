"""The command line: parse, hand over, and turn errors into messages and exit codes."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

from petaudit.cli.parser import build_parser
from petaudit.errors import PetauditError

COULD_NOT_MEASURE = 2
_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    chosen = build_parser().parse_args(arguments)
    try:
        code: int = chosen.command(chosen)
        sys.stdout.flush()
    except PetauditError as problem:
        print(f"petaudit: error: {problem}", file=sys.stderr)
        return COULD_NOT_MEASURE
    except KeyboardInterrupt:
        print("petaudit: interrupted", file=sys.stderr)
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader has left; closing quietly is what it expects.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return COULD_NOT_MEASURE
    except Exception as problem:
        if os.environ.get("PETAUDIT_DEBUG"):
            raise
        # The text of an unforeseen error may quote data, so only its kind is shown.
        print(
            f"petaudit: internal error ({type(problem).__name__}); set PETAUDIT_DEBUG=1 to see "
            "where, and please report it",
            file=sys.stderr,
        )
        return COULD_NOT_MEASURE
    return code
