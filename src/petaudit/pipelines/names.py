"""Names that a pipeline file may give to files: harmless on every system, in a shell and in a log.

A pipeline file may come from somebody else. Whatever it names is written inside the folder of
results, so a name leads nowhere and means nothing to a shell.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Any, Final

from petaudit.errors import phrase
from petaudit.system.kinds import JsonSchema, KeyPath, Kind, Problems, shown

LONGEST_NAME: Final = 60
TIMESTAMP: Final = "{timestamp}"
LOG_SUFFIX: Final = ".log"
_MARKS: Final = "-_."
_RESERVED: Final = re.compile(r"(con|prn|aux|nul|(com|lpt)[0-9¹²³])(\..*)?", re.IGNORECASE)
# JSON Schema has no letters of all scripts: it refuses what of ASCII is refused here.
_LETTER: Final = r"[^\u0000-,/:-@\[-\^`{-\u007f]"


def is_plain(name: str) -> bool:
    """Letters and digits of any script, ``-``, ``_`` and single dots inside.

    >>> [is_plain(name) for name in ("audit-2.log", "年齡", "..", "a/b", "-rf", "a;b", "NUL.txt")]
    [True, True, False, False, False, False, False]
    """
    return (
        bool(name)
        and all(mark in _MARKS or _is_letter(mark) for mark in name)
        and name[0] not in "-."
        and name[-1] != "."
        and ".." not in name
        and _RESERVED.fullmatch(name) is None
    )


def nearest_plain(name: str) -> str | None:
    """The plain name that is nearest to one that is not, if there is any.

    >>> nearest_plain("my data (2)"), nearest_plain("../..")
    ('my_data_2', None)
    """
    marks = (mark if mark in "-." or _is_letter(mark) else "_" for mark in name)
    near = re.sub(r"__+", "_", re.sub(r"\.\.+", ".", "".join(marks))).strip(_MARKS)
    return near if is_plain(near) else None


def _is_letter(mark: str) -> bool:
    """A letter, a digit, or a mark on one: some scripts write vowels as marks."""
    return unicodedata.category(mark)[0] in "LMN"


@dataclass(frozen=True)
class LogName(Kind):
    """The name of a log: no table and no result has its ending, so that it can replace none.

    >>> [LogName().takes(name) for name in ("a_{timestamp}.log", "result.json", "../a.log")]
    [True, False, False]
    """

    expected = phrase(
        "a plain file name that ends in .log (letters, digits, - and _), with no folder in it"
    )

    def takes(self, value: Any) -> bool:
        if not isinstance(value, str):
            return False
        return is_plain(value.replace(TIMESTAMP, "0")) and value.endswith(LOG_SUFFIX)

    def schema(self) -> JsonSchema:
        return {"type": "string", "pattern": rf"^({_LETTER}|\{{timestamp\}})+\.log$"}


@dataclass(frozen=True)
class FolderInside(Kind):
    """A folder inside the folder of results; without dots, so that it is never a file's name.

    >>> [FolderInside().takes(name) for name in (".", "./a", "a/b", "/a", "a/../b", "~", "a.csv")]
    [True, True, True, False, False, False, False]
    """

    expected = phrase(
        "a folder inside the folder of results, with a plain name (letters, digits, - and _); "
        "any other folder is named on the command line (--set Executor.log_dir=DIR)"
    )

    def takes(self, value: Any) -> bool:
        if not isinstance(value, str):
            return False
        start, *rest = value.split("/")
        names = rest if start == "." else [start, *rest]
        return all(is_plain(name) and "." not in name for name in names)

    def schema(self) -> JsonSchema:
        name = _LETTER.replace("^", "^.", 1)
        return {"type": "string", "pattern": rf"^(\.|(\./)?{name}+(/{name}+)*)$"}


def experiment_name(given: Any, at: KeyPath, problems: Problems) -> str | None:
    """A name that can be part of a file's name on every system."""
    if isinstance(given, int) and not isinstance(given, bool) and abs(given) < 10**LONGEST_NAME:
        given = str(given)
    name = shown(given)
    if not isinstance(given, str):
        problems.add(at, "the name {name} is not text; quote it", name=name)
    elif len(given) > LONGEST_NAME:
        problems.add(
            at, "the name {name} has more than {most} characters", name=name, most=LONGEST_NAME
        )
    elif not is_plain(given):
        problems.add(at, not_plain(given))
    else:
        return given
    return None


def not_plain(given: str) -> str:
    """The message for a name that would be part of a file name and is not plain."""
    near = nearest_plain(given)
    return phrase(
        "{name} is not a plain name (letters, digits, -, _ and single dots inside){near}",
        name=shown(given),
        near="" if near is None else phrase(" (did you mean {name!r}?)", name=near),
    )
