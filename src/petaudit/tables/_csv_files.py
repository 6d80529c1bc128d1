"""CSV files: loaded once into DuckDB, every cell as trimmed text."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb

from petaudit.errors import InputError, OptionError, counted, phrase
from petaudit.labels.cells import BLANKS
from petaudit.system.memory import engine_memory
from petaudit.tables._csv_dialect import (
    find_delimiter,
    first_line_above,
    has_mixed_line_ends,
    read_header,
    read_sample,
    undecodable,
)
from petaudit.tables._database import cursor, fresh_name, new_file, quote_text, run
from petaudit.tables._opened_file import OpenedFile, file_in_sql

_LINE_BREAK_COLUMN = "petaudit_line_break"
_USUAL_LINE = 2 << 20
_LONGEST_LINE = 64 << 20
_MANY_COLUMNS = 500
_GROWTH = 3
"""In memory a table takes two to three times as much as its file."""


def csv_dialect(path: Path, shown: Path, delimiter: str | None) -> tuple[str | None, list[str]]:
    """The delimiter, None for a single column, and the names of the columns."""
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise OptionError(
            "the delimiter is {delimiter!r}; one character was expected, and no quote or line "
            "break",
            delimiter=delimiter,
        )
    sample = read_sample(path, shown)
    mark = delimiter or find_delimiter(sample, shown)
    return mark, read_header(sample, mark, shown)


def load_csv(path: Path, shown: Path, delimiter: str | None) -> OpenedFile:
    """Load a UTF-8 file; messages call it by the name that the user gave it."""
    mark, columns = csv_dialect(path, shown, delimiter)
    connection = cursor()
    is_large = path.stat().st_size * _GROWTH > engine_memory()
    file = new_file(connection) if is_large else None
    name = fresh_name() if file is None else f"{file}.{fresh_name()}"
    opened = OpenedFile(connection, name, tuple(columns), (shown,), is_view=False, file=file)
    try:
        _load(connection, name, path, mark or ";", len(columns))
    except duckdb.Error as problem:
        opened.close()
        raise _csv_error(path, shown, str(problem)) from None
    [(broken,)] = run(
        connection,
        f"SELECT min(rowid) FROM {name} WHERE {_LINE_BREAK_COLUMN}",  # noqa: S608
    )
    if broken is not None:
        opened.close()
        raise InputError(
            "{path}, line {line}: a quoted field holds a line break; a label is one line of text",
            path=shown,
            line=broken + 2,
        )
    return opened


def _load(
    connection: duckdb.DuckDBPyConnection, name: str, path: Path, delimiter: str, width: int
) -> None:
    cells = [f"c{index}" for index in range(width)]
    types = ", ".join(f"'{cell}': 'VARCHAR'" for cell in cells)
    trimmed = ", ".join(f"{_trimmed(cell, width)} AS {cell}" for cell in cells)
    # One look at the whole row: a condition per column takes minutes to plan for 5,000 columns.
    line_break = f"regexp_matches(concat({', '.join(cells)}), '[\\r\\n]')"

    def load(longest_line: int) -> None:
        run(
            connection,
            f"CREATE TABLE {name} AS SELECT {trimmed}, "  # noqa: S608
            f"{line_break} AS {_LINE_BREAK_COLUMN} FROM read_csv({file_in_sql(path)}, "
            f"delim={quote_text(delimiter)}, quote='\"', escape='\"', header=true, "
            f"auto_detect=false, strict_mode=true, max_line_size={longest_line}, "
            f"columns={{{types}}})",
        )

    try:
        load(_USUAL_LINE)
    except duckdb.Error as problem:
        # Room for longer lines costs memory in every thread, so it is made only when needed.
        if not _is_too_long(str(problem)):
            raise
        load(_LONGEST_LINE)


def _trimmed(cell: str, width: int) -> str:
    """A cell without blanks around it.

    Looking at both ends takes a fifth of the time of trimming, which few cells need; but planning
    it for thousands of columns takes longer than that.
    """
    blanks = quote_text(BLANKS)
    always = f"nullif(trim({cell}, {blanks}), '')"
    if width > _MANY_COLUMNS:
        return always
    ends = " AND ".join(f"NOT contains({blanks}, {end}({cell}, 1))" for end in ("left", "right"))
    return f"CASE WHEN {ends} THEN {cell} ELSE {always} END"


def _is_too_long(message: str) -> bool:
    # The second is what DuckDB says of a line that is longer than its whole buffer.
    return "Maximum line size" in message or "support a full read" in message


def _csv_error(path: Path, shown: Path, message: str) -> InputError:
    """Say what DuckDB found, without the line itself: it holds data."""
    line = re.search(r"CSV Error on Line: (\d+)", message)
    where = phrase("{path}, line {line}", path=shown, line=line[1]) if line else str(shown)
    width = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if width:
        return InputError(
            "{where}: {cells} where the header has {width}",
            where=where,
            cells=counted(int(width[2]), "cell"),
            width=width[1],
        )
    if "unicode" in message.lower() or "utf-8" in message.lower():
        return undecodable(path, shown)
    if _is_too_long(message):
        line_number = first_line_above(_LONGEST_LINE, path)
        return InputError(
            "{path}, line {line}: is too long; a line may have {most:,} bytes",
            path=shown,
            line=line_number,
            most=_LONGEST_LINE,
        )
    if has_mixed_line_ends(path):
        return InputError(
            "{path}: its lines end in different ways; save it with one kind of line ends",
            path=shown,
        )
    if "quote" in message.lower():
        return InputError(
            "{where}: a quote is opened and never closed, or closed too early", where=where
        )
    return InputError("{where}: cannot be read as CSV", where=where)
