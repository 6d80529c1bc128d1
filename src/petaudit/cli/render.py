"""How an audit looks on a terminal and in a file."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path

from petaudit._version import __version__
from petaudit.auditing import COULD_NOT_MEASURE, Audit
from petaudit.cli.streams import printable
from petaudit.errors import counted, listing
from petaudit.measures import Better, Result, find_measure

_COLOURS = {"pass": "32", "FAIL": "31;1", "ERROR": "31;1"}
_VERDICTS = {"passed": "pass", "failed": "FAIL", "measured": "-"}
_WIDEST = 100
_DEEPEST_INDENT = 4
_MOST_COLUMNS = 100


def as_text(found: Audit) -> str:
    """A table of measures, the reasons below it, and the verdict last."""
    table = found.inputs.table
    lines = [f"petaudit {__version__}: {Path(table.name).name}"]
    lines.append(f"{counted(table.rows, 'row')}, {counted(len(table.columns), 'column')}")
    roles = found.inputs.roles
    for title, columns in (
        ("quasi-identifiers", roles.quasi_identifiers),
        ("sensitive", roles.sensitive),
    ):
        if columns:
            lines.append(f"  {title}: {listing(columns, _MOST_COLUMNS)}")
    lines.append("")
    rows = [_row(result) for result in found.results]
    rows += [
        [entry.measure, "-", "-", "ERROR", ""] for entry in found.not_measured if entry.asked_for
    ]
    if rows:
        lines += format_table(["measure", "value", "limit", "verdict", "better"], rows)
        lines.append("")
    for result in found.results:
        title = find_measure(result.measure).title
        lines += _section(title, [*result.explanation, *_revealed(result)])
    left_out = [entry for entry in found.not_measured if not entry.asked_for]
    lines += _section("Left out", [f"{entry.measure}: {entry.reason}" for entry in left_out])
    failed = [entry for entry in found.not_measured if entry.asked_for]
    lines += _section("Not measured", [f"{entry.measure}: {entry.reason}" for entry in failed])
    lines += _section("Warnings", [f"warning: {text}" for text in found.warnings])
    lines.append(_verdict(found))
    return "\n".join(finished(lines)) + "\n"


def finished(lines: Iterable[str]) -> list[str]:
    """Lines that are safe to print; indented ones are sentences and wrapped."""
    done: list[str] = []
    for line in map(printable, lines):
        indent = line[: len(line) - len(line.lstrip(" "))]
        # A deeper indent is the rest of a table's cell, which was wrapped before.
        is_sentence = 0 < len(indent) <= _DEEPEST_INDENT and line.strip()
        done += _wrapped(line.strip(), indent) if is_sentence else [line]
    return done


def coloured(text: str) -> str:
    """Colour the verdicts if standard output is a terminal."""
    if sys.stdout is None or not sys.stdout.isatty() or "NO_COLOR" in os.environ:
        return text
    return re.sub(
        r"(?<=  )(pass|FAIL|ERROR)(?=  |$)",
        lambda verdict: f"\033[{_COLOURS[verdict[1]]}m{verdict[1]}\033[0m",
        text,
        flags=re.MULTILINE,
    )


def format_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Aligned columns; the last one is wrapped where the terminal ends."""
    shown = [[printable(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(_width, column)) for column in zip(*shown, strict=True)]
    room = max(_terminal_width() - sum(width + 2 for width in widths[:-1]), 20)
    widths[-1] = min(widths[-1], room)
    shown.insert(1, ["-" * width for width in widths])
    lines: list[str] = []
    for *cells, last in shown:
        first = "".join(
            cell + " " * (width - _width(cell) + 2)
            for cell, width in zip(cells, widths, strict=False)
        )
        for number, part in enumerate(textwrap.wrap(last, room, break_on_hyphens=False) or [""]):
            lines.append(((" " * _width(first) if number else first) + part).rstrip())
    return lines


def _row(result: Result) -> list[str]:
    value, bound = figures_of(result)
    limit = "true" if result.better is Better.TRUE else bound
    if result.limit is not None:
        words = "at most" if result.better is Better.LOWER else "at least"
        limit = f"{'below' if result.is_strict else words} {bound}"
    return [result.measure, value, limit, _VERDICTS[result.status], result.better.value]


def figures_of(result: Result) -> tuple[str, str]:
    """The figure and its limit, with as many digits as it takes to tell them apart."""
    value, bound = figure_text(result.value, result.limit)
    if value == bound and not result.passed:
        # They differ beyond the last digit of a float.
        value = str(getattr(result, "exact_value", value))
    return value, bound


def figure_text(value: float | bool | None, limit: float | bool | None) -> tuple[str, str]:
    """A figure and its limit, as far as floats tell them apart; a dash for none.

    >>> figure_text(0.1, None), figure_text(0.30000001, 0.3)
    (('0.1', '-'), ('0.30000001', '0.3'))
    """
    if value is None or isinstance(value, bool):
        return "-" if value is None else str(value).lower(), "-" if limit is None else _short(limit)
    if limit is None:
        return _short(value), "-"
    shown, bound = _short(value), _short(limit)
    return (repr(value), repr(limit)) if shown == bound and value != limit else (shown, bound)


def _short(value: float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:.6g}"


def _revealed(result: Result) -> list[str]:
    """The quasi-identifier values of the worst classes, where the user asked for them."""
    lines = []
    for attribute in getattr(result, "attributes", ()):
        for worst in attribute.worst_classes:
            if worst.labels is not None:
                labels = ", ".join(f"{name} = {label}" for name, label in worst.labels.items())
                rows = counted(worst.rows, "row")
                lines.append(f"{attribute.attribute} {worst.distance:.6g} in {rows}: {labels}")
    return lines


def _verdict(found: Audit) -> str:
    limited = [result for result in found.results if result.passed is not None]
    breached = sum(result.passed is False for result in limited)
    if found.exit_code == COULD_NOT_MEASURE:
        what = "could not be measured as asked"
    elif breached:
        what = f"{breached} of {len(limited)} limits breached"
    elif limited:
        what = f"all {len(limited)} limits hold" if len(limited) > 1 else "the limit holds"
    else:
        what = "no limit was given, so nothing was judged"
    return f"Verdict: {what} (exit code {found.exit_code})"


def _section(title: str, entries: Sequence[str]) -> list[str]:
    return [title, *(f"  {entry}" for entry in entries), ""] if entries else []


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text,
        _terminal_width(),
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_on_hyphens=False,
    )


def _terminal_width() -> int:
    return max(min(shutil.get_terminal_size((_WIDEST, 24)).columns, _WIDEST), 40)


def _width(text: str) -> int:
    """Columns on a terminal: ideographs take two.

    >>> _width("zip"), _width("年齡")
    (3, 4)
    """
    return sum(2 if unicodedata.east_asian_width(mark) in "WF" else 1 for mark in text)
