"""How an audit looks on a terminal and in a file."""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from petaudit._version import __version__
from petaudit.auditing import Audit
from petaudit.measures import Better, Result, find_measure
from petaudit.output import write_whole

_COLOURS = {"pass": "32", "FAIL": "31;1", "ERROR": "31;1", "-": "2"}
_VERDICTS = {"passed": "pass", "failed": "FAIL", "measured": "-"}
_WIDEST = 100


def as_json(found: Audit) -> str:
    """The versioned document."""
    return json.dumps(found.to_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def as_text(found: Audit) -> str:
    """A table of measures, the reasons below it, and the verdict last."""
    table = found.inputs.table
    lines = [f"petaudit {__version__}: {_one_line(Path(table.name).name)}"]
    lines.append(f"{table.rows:,} rows, {len(table.columns)} columns")
    roles = found.inputs.roles
    for title, columns in (
        ("quasi-identifiers", roles.quasi_identifiers),
        ("sensitive", roles.sensitive),
    ):
        if columns:
            lines += _wrapped(f"{title}: {_one_line(', '.join(columns))}", indent=2)
    lines.append("")
    rows = [_row(result) for result in found.results]
    rows += [
        [entry.measure, "-", "-", "ERROR", ""] for entry in found.not_measured if entry.asked_for
    ]
    if rows:
        lines += format_table(["measure", "value", "limit", "verdict", "better"], rows)
        lines.append("")
    for result in found.results:
        lines += _section(find_measure(result.measure).title, result.explanation)
        lines += _section(None, _revealed(result))
    left_out = [entry for entry in found.not_measured if not entry.asked_for]
    lines += _section("Left out", [f"{entry.measure}: {entry.reason}" for entry in left_out])
    failed = [entry for entry in found.not_measured if entry.asked_for]
    lines += _section("Not measured", [f"{entry.measure}: {entry.reason}" for entry in failed])
    lines += _section("Warnings", [f"warning: {text}" for text in found.warnings])
    lines.append(_verdict(found))
    return "\n".join(lines) + "\n"


def emit(text: str, path: Path | None, found: Audit) -> None:
    """Print or write the text; errors also go to standard error, where CI looks for them."""
    if path is not None:
        write_whole(path, lambda file: file.write(text.encode()))
    else:
        sys.stdout.write(text)
    if found.exit_code == 2:
        entries = [entry for entry in found.not_measured if entry.asked_for] or found.not_measured
        for entry in entries:
            print(f"petaudit: error: {entry.measure}: {entry.problem}", file=sys.stderr)


def format_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Aligned columns; verdicts are coloured on a terminal."""
    widths = [max(_width(row[i]) for row in [header, *rows]) for i in range(len(header))]

    def line(row: Sequence[str]) -> str:
        cells = [_paint(cell, width) for cell, width in zip(row, widths, strict=True)]
        return "  ".join(cells).rstrip()

    rule = "  ".join("-" * width for width in widths)
    return [line(header), rule, *(line(row) for row in rows)]


def _row(result: Result) -> list[str]:
    value = str(result.value).lower() if isinstance(result.value, bool) else f"{result.value:.6g}"
    limit = "-"
    if result.limit is not None:
        limit = f"{'at most' if result.better is Better.LOWER else 'at least'} {result.limit:.6g}"
    elif result.better is Better.TRUE:
        limit = "true"
    return [result.measure, value, limit, _VERDICTS[result.status], result.better.value]


def _revealed(result: Result) -> list[str]:
    """The quasi-identifier values of the worst classes, where the user asked for them."""
    lines = []
    for attribute in getattr(result, "attributes", ()):
        for worst in attribute.worst_classes:
            if worst.labels is not None:
                labels = ", ".join(f"{name} = {label}" for name, label in worst.labels.items())
                lines.append(
                    f"{attribute.attribute} {worst.distance:.6g} in {worst.rows:,} rows: "
                    f"{_one_line(labels)}"
                )
    return lines


def _verdict(found: Audit) -> str:
    limited = [result for result in found.results if result.passed is not None]
    breached = sum(result.passed is False for result in limited)
    if found.exit_code == 2:
        what = "could not be measured as asked"
    elif breached:
        what = f"{breached} of {len(limited)} limits breached"
    elif limited:
        what = f"all {len(limited)} limits hold" if len(limited) > 1 else "the limit holds"
    else:
        what = "no limit was given, so nothing was judged"
    return f"Verdict: {what} (exit code {found.exit_code})"


def _section(title: str | None, entries: Sequence[str]) -> list[str]:
    if not entries:
        return []
    lines = [title] if title else []
    for entry in entries:
        lines += _wrapped(entry, indent=2)
    return [*lines, ""] if title else lines


def _wrapped(text: str, indent: int) -> list[str]:
    width = max(min(shutil.get_terminal_size((_WIDEST, 24)).columns, _WIDEST), 40)
    blank = " " * indent
    return textwrap.wrap(
        text, width, initial_indent=blank, subsequent_indent=blank + "  ", break_on_hyphens=False
    )


def _paint(cell: str, width: int) -> str:
    padded = cell + " " * (width - _width(cell))
    colour = _COLOURS.get(cell)
    if colour is None or not sys.stdout.isatty() or "NO_COLOR" in os.environ:
        return padded
    return f"\033[{colour}m{padded}\033[0m"


def _width(text: str) -> int:
    """Columns on a terminal: ideographs take two.

    >>> _width("zip"), _width("年齡")
    (3, 4)
    """
    return sum(2 if unicodedata.east_asian_width(mark) in "WF" else 1 for mark in text)


def _one_line(text: str) -> str:
    """Show control characters instead of obeying them: names come from the data's owner."""
    return "".join(
        mark if unicodedata.category(mark)[0] != "C" else f"\\x{ord(mark):02x}" for mark in text
    )
