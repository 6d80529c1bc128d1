"""What a terminal shows is made of: lines, tables, sections and figures."""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Final

from petaudit._version import __version__
from petaudit.errors import Phrase, phrase, term
from petaudit.i18n.catalogue import ENGLISH, language
from petaudit.i18n.phrases import translate
from petaudit.i18n.text import folded, printable, terminal_width, width_of

PASS, FAIL, ERROR = term("pass"), term("FAIL"), term("ERROR")
_COLOURS = {PASS: "32", FAIL: "31;1", ERROR: "31;1"}
_DEEPEST_INDENT = 4
_MOST_DIGITS: Final = 17
_LARGEST: Final = 1e15
_LONGEST_LIMIT: Final = 12
"""Longer limits are no numbers that somebody typed."""


def title_line(what: str) -> Phrase:
    """The first line: who says this, and what it is about."""
    return phrase("petaudit {version}: {what}", version=__version__, what=what)


def finished(lines: Iterable[str]) -> list[str]:
    """Lines that are safe to print; indented ones are sentences and wrapped."""
    done: list[str] = []
    is_english = language() == ENGLISH
    for text in lines:
        line = printable(translate(text))
        indent = line[: len(line) - len(line.lstrip(" "))]
        # A deeper indent is the rest of a table's cell, which was wrapped before.
        is_sentence = 0 < len(indent) <= _DEEPEST_INDENT and bool(line.strip())
        # Lines of a table are no phrases.
        is_sentence |= isinstance(text, Phrase) and not is_english
        done += wrapped(line.strip(), indent) if is_sentence else [line]
    return done


def as_text(lines: Iterable[str]) -> str:
    """Return lines as a text in the chosen language, folded to the width of the terminal."""
    return "\n".join(finished(lines)) + "\n"


def coloured(text: str) -> str:
    """Colour the verdicts if standard output is a terminal."""
    if sys.stdout is None or not sys.stdout.isatty() or "NO_COLOR" in os.environ:
        return text
    colours = {translate(word): colour for word, colour in _COLOURS.items()}
    return re.sub(
        rf"(?<=  )({'|'.join(colours)})(?=  |$)",
        lambda verdict: f"\033[{colours[verdict[1]]}m{verdict[1]}\033[0m",
        text,
        flags=re.MULTILINE,
    )


def format_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Aligned columns; the last one is wrapped where the terminal ends."""
    shown = [[printable(translate(cell)) for cell in row] for row in (header, *rows)]
    widths = [max(map(width_of, column)) for column in zip(*shown, strict=True)]
    room = max(terminal_width() - sum(width + 2 for width in widths[:-1]), 20)
    widths[-1] = min(widths[-1], room)
    shown.insert(1, ["-" * width for width in widths])
    lines: list[str] = []
    for *cells, last in shown:
        first = "".join(
            cell + " " * (width - width_of(cell) + 2)
            for cell, width in zip(cells, widths, strict=False)
        )
        for number, part in enumerate(folded(last, room, room)):
            lines.append(((" " * width_of(first) if number else first) + part).rstrip())
    return lines


def figure_text(
    value: float | bool | None, limit: float | bool | None, digits: int = 6
) -> tuple[str, str]:
    """A figure, rounded to so many digits or as few more as tell it from the limit; and the limit.

    A figure below its limit never looks as if it were at the limit or above it.

    >>> figure_text(0.123456, None, 3), figure_text(0.30000001, 0.3), figure_text(3.96, 4, 2)
    (('0.123', '-'), ('0.30000001', '0.3'), ('3.96', '4'))
    """
    bound = rounded(limit, _MOST_DIGITS if len(repr(limit)) <= _LONGEST_LIMIT else 6)
    if value is None or limit is None or isinstance(value, bool) or math.isinf(value):
        return rounded(value, digits), bound
    for number in range(digits, _MOST_DIGITS + 1):
        shown = rounded(value, number)
        if _compared(float(shown), float(bound)) == _compared(value, limit):
            return shown, bound
    return repr(value), bound if value == limit else repr(limit)


def rounded(value: float | bool | None, digits: int) -> str:
    """A figure with so many significant digits, whole numbers as they are; a dash for none.

    >>> rounded(0.123456, 3), rounded(101.592, 3), rounded(30162.0, 3), rounded(None, 3)
    ('0.123', '102', '30162', '-')
    """
    if value is None:
        return "-"
    if isinstance(value, bool):
        return term("true") if value else term("false")
    if float(value).is_integer() and abs(value) < _LARGEST:
        return str(int(value))
    if digits >= _MOST_DIGITS:
        return repr(float(value))
    is_long = 10**digits <= abs(value) < _LARGEST
    return f"{value:.0f}" if is_long else f"{value:.{digits}g}"


def _compared(value: float, limit: float) -> int:
    return (value > limit) - (value < limit)


def verdict_line(what: str, code: int) -> Phrase:
    """The verdict, which tells the exit code, too."""
    return phrase("Verdict: {what} (exit code {code})", what=what, code=code)


def section(title: str, entries: Sequence[str]) -> list[str]:
    """A title with entries below it, if there are any."""
    return [title, *map(indented, entries), ""] if entries else []


def indented(entry: str) -> str:
    """An entry below a title, in the chosen language."""
    return f"  {translate(entry)}"


def wrapped(text: str, indent: str) -> list[str]:
    """A sentence in lines as wide as the terminal."""
    room = terminal_width() - len(indent)
    first, *rest = folded(text, room, room - 2)
    return [f"{indent}{first}", *(f"{indent}  {part}" for part in rest)]
