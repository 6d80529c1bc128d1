"""What the operating system says of files and connections, in words that can be translated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from petaudit.errors import LONGEST_PATH, phrase, shortened, term

_REASONS: Final[Mapping[str, str]] = {
    text: text
    for text in (
        term("No such file or directory"),
        term("Permission denied"),
        term("Operation not permitted"),
        term("Is a directory"),
        term("Not a directory"),
        term("Directory not empty"),
        term("File name too long"),
        term("No space left on device"),
        term("Read-only file system"),
        term("File exists"),
        term("Too many levels of symbolic links"),
        term("Too many open files"),
        term("Input/output error"),
        term("Connection refused"),
        term("Connection reset by peer"),
        term("Network is unreachable"),
        term("No route to host"),
        term("Name or service not known"),
        term("Temporary failure in name resolution"),
    )
}


def file_problem(problem: OSError) -> str:
    """What is wrong with a file that nobody expected to be wrong.

    >>> file_problem(OSError(36, "File name too long", "a.csv"))
    'a.csv: cannot be used (File name too long)'
    """
    name = problem.filename if isinstance(problem.filename, str) else phrase("a file")
    return phrase(
        "{path}: cannot be used ({reason})",
        path=shortened(name, LONGEST_PATH),
        reason=os_reason(problem),
    )


def os_reason(problem: OSError) -> str:
    """Why a file could not be read or written; what is not known here stays in English.

    >>> os_reason(FileNotFoundError(2, "No such file or directory"))
    'No such file or directory'
    """
    reason = problem.strerror or str(problem)
    return _REASONS.get(reason, reason)
