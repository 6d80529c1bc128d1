"""How an audit looks on a terminal and in a file."""

from __future__ import annotations

import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from petaudit._version import __version__
from petaudit.auditing import COULD_NOT_MEASURE, Audit, NotMeasured
from petaudit.cli.streams import printable
from petaudit.errors import counted, listing
from petaudit.measures import Better, Family, Result, all_measures, find_measure

_COLOURS = {"pass": "32", "FAIL": "31;1", "ERROR": "31;1"}
_VERDICTS = {"passed": "pass", "failed": "FAIL", "measured": "-"}
_WIDEST = 100
_DEEPEST_INDENT = 4
_MOST_COLUMNS = 100
_FEW = 6


def as_text(found: Audit, *, details: bool = False) -> str:
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
    rows = {result.measure: _row(result) for result in found.results}
    rows |= {
        entry.measure: [entry.measure, "-", "-", "ERROR", ""]
        for entry in found.not_measured
        if entry.asked_for
    }
    if rows:
        lines += [*_table_by_family(rows), ""]
    explained = [result for result in found.results if details or _is_explained(result, found)]
    for result in explained:
        title = find_measure(result.measure).title
        lines += _section(title, [*result.explanation, *_revealed(result)])
    if len(explained) < len(found.results):
        other = "other " if explained else ""
        lines += [f"What is behind the {other}figures: --details", ""]
    left_out = [entry for entry in found.not_measured if not entry.asked_for]
    lines += _section("Left out", [f"{entry.measure}: {entry.reason}" for entry in left_out])
    failed = by_reason([entry for entry in found.not_measured if entry.asked_for])
    lines += _section("Not measured", [f"{names}: {reason}" for names, reason in failed])
    lines += _section("Warnings", [f"warning: {text}" for text in found.warnings])
    lines.append(_verdict(found))
    return "\n".join(finished(lines)) + "\n"


def by_reason(entries: Iterable[NotMeasured], *, reveal: bool = False) -> list[tuple[str, str]]:
    """The names of measures and why they gave no figure, each reason once.

    Values of the data are in a reason only where they are to be revealed: to the owner.
    """
    found: dict[str, list[str]] = {}
    for entry in entries:
        reason = str(entry.problem) if reveal else entry.reason
        found.setdefault(reason, []).append(entry.measure)
    return [(", ".join(names), reason) for reason, names in found.items()]


def _is_explained(result: Result, found: Audit) -> bool:
    """Judged figures are explained, and all where they are few or were asked for by name."""
    few = len(found.results) <= _FEW or found.options.get("measures") is not None
    return few or result.passed is not None


def _table_by_family(rows: Mapping[str, Sequence[str]]) -> list[str]:
    """One table with a line above each family, where there are several."""
    families: dict[Family, list[Sequence[str]]] = {}
    for name in sorted(rows, key=list(all_measures()).index):
        families.setdefault(find_measure(name).family, []).append(rows[name])
    ordered = [row for own in families.values() for row in own]
    columns = ["measure", "value", "limit", "verdict", "better"]
    header, line, *shown = format_table(columns, ordered)
    if len(line) > _terminal_width():
        # A limit tells the direction, too, and `petaudit measures` does.
        header, line, *shown = format_table(columns[:-1], [row[:-1] for row in ordered])
    if len(families) == 1:
        return [header, line, *shown]
    lines = [header, line]
    for family, own in families.items():
        lines += [f"{family.value}:", *shown[: len(own)]]
        del shown[: len(own)]
    return lines


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
        for number, part in enumerate(_folded(last, room, room)):
            lines.append(((" " * _width(first) if number else first) + part).rstrip())
    return lines


def _row(result: Result) -> list[str]:
    value, bound = figures_of(result)
    limit = "true" if result.better is Better.TRUE else bound
    if result.limit is not None:
        strict, words = (
            ("below", "at most") if result.better is Better.LOWER else ("above", "at least")
        )
        limit = ", ".join((f"{strict if result.is_strict else words} {bound}", *result.conditions))
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
                lines.append(f"{attribute.attribute} {worst.figure:.6g} in {rows}: {labels}")
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
    room = _terminal_width() - len(indent)
    first, *rest = _folded(text, room, room - 2)
    return [f"{indent}{first}", *(f"{indent}  {part}" for part in rest)]


def _folded(text: str, first: int, later: int) -> list[str]:
    """Break at blanks, by columns on a terminal; a word that is too long is cut.

    >>> _folded("one two three", 7, 5), _folded("年齡 郵遞區號", 4, 4)
    (['one two', 'three'], ['年齡', '郵遞', '區號'])
    """
    lines, line, used, room = [], "", 0, first
    for part in re.findall(r" *[^ ]+", text):
        word, width = part, _width(part)
        if line and used + width > room:
            lines.append(line)
            line, used, room = "", 0, later
        if not line:
            word = word.lstrip(" ")
            width = _width(word)
        if width <= room:
            line, used = line + word, used + width
            continue
        for mark in word:
            if used + _width(mark) > room:
                lines.append(line)
                line, used, room = "", 0, later
            line, used = line + mark, used + _width(mark)
    return [*lines, line]


def _terminal_width() -> int:
    return max(min(shutil.get_terminal_size((_WIDEST, 24)).columns, _WIDEST), 40)


def _width(text: str) -> int:
    """Columns on a terminal: ideographs take two.

    >>> _width("zip"), _width("年齡")
    (3, 4)
    """
    return sum(2 if unicodedata.east_asian_width(mark) in "WF" else 1 for mark in text)
