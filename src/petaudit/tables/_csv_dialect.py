"""What a CSV file looks like before it is read: its kind, encoding, delimiter and header."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from petaudit.errors import InputError, phrase
from petaudit.labels.cells import trim
from petaudit.tables._databases.addresses import DUCKDB, TableAddress

DELIMITERS = (";", ",", "\t", "|")
_SAMPLE_BYTES = 1 << 16
_OTHER_KINDS = {
    b"PK\x03\x04": phrase("an Excel workbook or ZIP archive"),
    b"\xd0\xcf\x11\xe0": phrase("an old Excel workbook"),
    b"%PDF": phrase("a PDF document"),
    b"SQLite format 3": phrase("a SQLite database"),
    b"ARROW1": phrase("an Arrow file"),
    b"\x89PNG": phrase("a picture"),
    b"Obj\x01": phrase("an Avro file"),
    b"ORC": phrase("an ORC file"),
}
_DUCKDB_MAGIC_AT = 8
_DUCKDB_MAGIC = b"DUCK"
_LONGEST_HEADER = 16 << 20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r\n?|\n")
_JSON = re.compile(rb'\s*(\{\s*"|\[\s*[\[{])')


def is_parquet(path: Path) -> bool:
    """Whether the file starts as Parquet files do."""
    with path.open("rb") as file:
        return file.read(4) == b"PAR1"


def read_sample(path: Path, shown: Path) -> str:
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
    if start[_DUCKDB_MAGIC_AT:].startswith(_DUCKDB_MAGIC) and b"\0" in start and path == shown:
        raise InputError(
            "{path}: is a DuckDB database; name one of its tables: {address}",
            path=shown,
            address=TableAddress(DUCKDB, "NAME", path=shown).shown,
        )
    start = start.removeprefix(_BYTE_ORDER_MARK)
    if not start.strip():
        raise InputError("{path}: the file is empty", path=shown)
    for magic, kind in _OTHER_KINDS.items():
        if start.startswith(magic):
            raise InputError(
                "{path}: looks like {kind}; a CSV or Parquet file was expected",
                path=shown,
                kind=kind,
            )
    if _JSON.match(start):
        raise InputError(
            "{path}: looks like {kind}; a CSV or Parquet file was expected", path=shown, kind="JSON"
        )
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(
            "{path}: is UTF-16 text; convert it to UTF-8 or give its encoding", path=shown
        )
    if b"\0" in start:
        raise InputError(
            "{path}: holds binary data; a CSV or Parquet file was expected", path=shown
        )
    if start.startswith((b"\n", b"\r")):
        raise InputError(
            "{path}, line 1: is blank; the column names were expected there", path=shown
        )
    if not complete:
        start = start[: start.rfind(b"\n") + 1] or start
    try:
        return start.decode("utf-8")
    except UnicodeDecodeError:
        raise undecodable(path, shown) from None


def has_mixed_line_ends(path: Path) -> bool:
    """Whether lines end in more than one way, which DuckDB does not take."""
    kinds: set[bytes] = set()
    with path.open("rb") as file:
        # Line by line, so that no CR LF is cut in two.
        for line in file:
            kinds.update(_LINE_END.findall(line))
            if len(kinds) > 1:
                return True
    return False


def first_line_above(longest: int, path: Path) -> int | None:
    """The number of the first line that has more bytes."""
    with path.open("rb") as file:
        return next((number for number, line in enumerate(file, 1) if len(line) > longest), None)


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


def find_delimiter(sample: str, path: Path) -> str | None:
    """The delimiter that every sampled line has equally often; None for a single column."""
    rows = {
        mark: [len(row) for row in _rows(sample, mark, path) if row][:200] for mark in DELIMITERS
    }
    present = {mark: widths for mark, widths in rows.items() if widths and widths[0] > 1}
    if not present:
        return None
    even = {mark: widths for mark, widths in present.items() if len(set(widths)) == 1}
    candidates = even or present
    return max(candidates, key=lambda mark: candidates[mark][0])


def read_header(sample: str, delimiter: str | None, path: Path) -> list[str]:
    """The trimmed column names; blank, repeated or broken names are errors."""
    names = [trim(name) for name in next(iter(_rows(sample, delimiter or ";", path)))]
    if delimiter is None:
        names = [trim(sample.splitlines()[0]).strip('"')]
    if any("\n" in name or "\r" in name for name in names):
        raise InputError("{path}, line 1: a quoted column name holds a line break", path=path)
    return names


def _rows(sample: str, delimiter: str, path: Path) -> list[list[str]]:
    try:
        reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
        return list(reader)
    except csv.Error as problem:
        raise InputError("{path}: not a CSV file ({reason})", path=path, reason=problem) from None
