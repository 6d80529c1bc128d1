"""What to do about limits that are breached, as data of documents and as lines for people.

``auditing/advice.py`` works it out; here it is only shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from petaudit.errors import phrase
from petaudit.reports.view import Advice

COMMAND, NOTE, CHANGE = "command", "note", "change"
MOST_CHANGES: Final = 5
THEN: Final = " && "
_NOT_WRAPPED: Final = "    "
"""Below an indented sentence so deep an indent is kept on one line, to be copied."""


def advice_lines(given: Sequence[Advice], *, is_command: bool = True) -> list[str]:
    """Lines for a terminal, each command on one of its own; of changes the best few that help.

    In Python the command is a call.
    """
    lines: list[str] = []
    changes = [each for each in given if each.kind == CHANGE and each.improves][:MOST_CHANGES]
    for each in (*(each for each in given if each.kind != CHANGE), *changes):
        call = each.shown_command if is_command else each.python
        if each.kind != COMMAND or call is None:
            lines.append(each.text)
        else:
            first = [each.shown_first] if is_command and each.shown_first else []
            lines += [phrase("{text}:", text=each.text)]
            lines += [f"{_NOT_WRAPPED}{line}" for line in (*first, call)]
    return lines


def advice_sentences(given: Iterable[Advice]) -> list[str]:
    """The same for reports: commands with what they do, and notes.

    What lies above a file is nobody's business, so such a command is for the folder of the file.
    """
    sentences: list[str] = []
    for each in given:
        calls = calls_in_folder(each)
        if each.kind == COMMAND and calls:
            both = THEN.join(calls)
            sentences.append(phrase("{text}: {command}", text=each.text, command=both))
        elif each.kind != CHANGE:
            sentences.append(each.text)
    return sentences


def calls_in_folder(advice: Advice) -> list[str]:
    """The commands of an advice, to be typed in turn in the folder of the file."""
    here = replace(advice, command=_in_folder(advice.command), first=_in_folder(advice.first))
    return [call for call in (here.shown_first, here.shown_command) if call]


def _in_folder(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(Path(word).name if Path(word).is_absolute() else word for word in words)
