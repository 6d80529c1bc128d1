"""CSV files: loaded once into DuckDB, every cell as trimmed text."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import duckdb

from petaudit.errors import InputError, OptionError, counted, phrase
from petaudit.labels.cells import BLANKS, trim
from petaudit.system.memory import engine_memory
from petaudit.tables.addresses import DUCKDB, TableAddress
from petaudit.tables.engines.duckdb import (
    Relation,
    cursor,
    file_in_sql,
    fresh_name,
    new_file,
    quote_text,
    run,
)

DELIMITERS = (";", ",", "\t", "|")
_SAMPLE_BYTES = 1 << 16
_OTHER_KINDS = {
    b"PK\x03\x04": phrase("an Excel workbook or ZIP archive"),
    b"\xd0\xcf\x11\xe0": phrase("an old Excel workbook"),
    b"%PDF": phrase("a PDF document"),
    b"SQLite format 3": phrase("a SQLite database"),
    b"ARROW1": phrase("an Arrow file"),
    b"\x89PNG": phrase("an image"),
    b"Obj\x01": phrase("an Avro file"),
    b"ORC": phrase("an ORC file"),
}
_DUCKDB_MAGIC = b"DUCK"
"""From the ninth byte of a DuckDB database."""
_LONGEST_HEADER = 16 << 20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r\n?|\n")
_JSON = re.compile(rb'\s*(\{\s*"|\[\s*[\[{])')
_LINE_BREAK_COLUMN = "petaudit_line_break"
_USUAL_LINE = 2 << 20
_LONGEST_LINE = 64 << 20
_MANY_COLUMNS = 500
_GROWTH = 3
"""In memory a table takes two to three times as much as its file."""


def csv_dialect(path: Path, shown: Path, delimiter: str | None) -> tuple[str, tuple[str, ...]]:
    """The delimiter and the names of the columns; messages name the file as the user did."""
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise OptionError(
            "the delimiter must be one character, not a quote or line break, got {delimiter!r}",
            delimiter=delimiter,
        )
    sample = _read_sample(path, shown)
    delimiter = delimiter or _find_delimiter(sample, shown)
    names = [trim(name) for name in _rows(sample, delimiter or DELIMITERS[0], shown)[0]]
    if delimiter is None:
        names = [trim(sample.splitlines()[0]).strip('"')]
    if any("\n" in name or "\r" in name for name in names):
        raise InputError("{path}, line 1: a quoted column name holds a line break", path=shown)
    return delimiter or DELIMITERS[0], tuple(names)


def load_csv(path: Path, shown: Path, delimiter: str | None) -> tuple[tuple[str, ...], Relation]:
    """Load a UTF-8 file and return the names of its columns with the loaded table."""
    delimiter, columns = csv_dialect(path, shown, delimiter)
    connection = cursor()
    is_large = path.stat().st_size * _GROWTH > engine_memory()
    file = new_file(connection) if is_large else None
    name = fresh_name() if file is None else f"{file}.{fresh_name()}"
    relation = Relation(
        connection, name, len(columns), is_view=False, file=file, delimiter=delimiter
    )
    try:
        _load(connection, name, path, delimiter, len(columns))
    except duckdb.Error as problem:
        relation.close()
        raise _csv_error(path, shown, str(problem)) from None
    [(broken,)] = run(connection, f"SELECT min(rowid) FROM {name} WHERE {_LINE_BREAK_COLUMN}")
    if broken is not None:
        relation.close()
        raise InputError(
            "{path}, line {line}: a quoted field holds a line break; a label is one line of text",
            path=shown,
            line=broken + 2,
        )
    return columns, relation


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
            f"CREATE TABLE {name} AS SELECT {trimmed}, "
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
        with path.open("rb") as file:
            lines = enumerate(file, 1)
            number = next((number for number, line in lines if len(line) > _LONGEST_LINE), None)
        return InputError(
            "{path}, line {line}: is too long; a line may have {most:,} bytes",
            path=shown,
            line=number,
            most=_LONGEST_LINE,
        )
    with path.open("rb") as file:
        # Line by line, so that no CR LF is cut in two.
        line_ends = {end for line in file for end in _LINE_END.findall(line)}
    if len(line_ends) > 1:
        return mixed_line_ends(shown)
    if "quote" in message.lower():
        return InputError(
            "{where}: a quote is opened and never closed, or closed too early", where=where
        )
    return InputError("{where}: cannot be read as CSV", where=where)


def is_parquet(path: Path) -> bool:
    """Whether the file starts as Parquet files do."""
    with path.open("rb") as file:
        return file.read(4) == b"PAR1"


def _read_sample(path: Path, shown: Path) -> str:
    """The first lines of a CSV file as text, the header whole; refuses what cannot be CSV."""
    with path.open("rb") as file:
        start = file.read(_SAMPLE_BYTES)
        while not _LINE_END.search(start) and len(start) < _LONGEST_HEADER:
            more = file.read(_SAMPLE_BYTES)
            if not more:
                break
            start += more
        complete = not file.read(1)
    # No address leads to what was packed.
    if start[8:].startswith(_DUCKDB_MAGIC) and b"\0" in start and path == shown:
        raise InputError(
            "{path}: is a DuckDB database; name one of its tables: {address}",
            path=shown,
            address=TableAddress(DUCKDB, "NAME", path=shown).shown,
        )
    start = start.removeprefix(_BYTE_ORDER_MARK)
    if not start.strip():
        raise InputError("{path}: the file is empty", path=shown)
    kinds = [kind for magic, kind in _OTHER_KINDS.items() if start.startswith(magic)]
    if kinds or _JSON.match(start):
        raise InputError(
            "{path}: looks like {kind}; expected a CSV or Parquet file",
            path=shown,
            kind=kinds[0] if kinds else "JSON",
        )
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(
            "{path}: is UTF-16 text; convert it to UTF-8 or give its encoding", path=shown
        )
    if b"\0" in start:
        raise InputError("{path}: holds binary data; expected a CSV or Parquet file", path=shown)
    if start.startswith((b"\n", b"\r")):
        raise InputError("{path}, line 1: is blank; expected the column names", path=shown)
    if not complete:
        start = start[: start.rfind(b"\n") + 1] or start
    try:
        return start.decode("utf-8")
    except UnicodeDecodeError:
        raise undecodable(path, shown) from None


def mixed_line_ends(shown: Path) -> InputError:
    """The error for lines that end in more than one way, which no engine takes."""
    return InputError(
        "{path}: mixed line endings; save it with one kind of line ending", path=shown
    )


def undecodable(path: Path, shown: Path) -> InputError:
    """Say in which line the first byte stands that is not UTF-8."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as problem:
                return InputError(
                    "{path}, line {line}: byte {place} of the line (0x{byte:02x}) is not "
                    "UTF-8 text; give the file's encoding (for example big5 or latin-1) or "
                    "convert it",
                    path=shown,
                    line=number,
                    place=problem.start + 1,
                    byte=line[problem.start],
                )
    return InputError("{path}: is not UTF-8 text", path=shown)


def _find_delimiter(sample: str, path: Path) -> str | None:
    """The delimiter that every sampled line has equally often; None for a single column."""
    widths = {
        mark: [len(row) for row in _rows(sample, mark, path) if row][:200] for mark in DELIMITERS
    }
    present = [mark for mark in DELIMITERS if widths[mark] and widths[mark][0] > 1]
    even = [mark for mark in present if len(set(widths[mark])) == 1]
    return max(even or present, key=lambda mark: widths[mark][0], default=None)


def _rows(sample: str, delimiter: str, path: Path) -> list[list[str]]:
    try:
        return list(csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter))
    except csv.Error as problem:
        raise InputError("{path}: not a CSV file ({reason})", path=path, reason=problem) from None
