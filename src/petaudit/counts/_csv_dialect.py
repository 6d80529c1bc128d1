"""What a CSV file looks like before it is read: its kind, encoding, delimiter and header."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from petaudit.errors import InputError
from petaudit.labels import trim

DELIMITERS = (";", ",", "\t", "|")
_SAMPLE_BYTES = 1 << 16
_OTHER_KINDS = {
    b"PK\x03\x04": "an Excel workbook or ZIP archive",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"%PDF": "a PDF document",
    b"SQLite format 3": "a SQLite database",
    b"ARROW1": "an Arrow file",
    b"\x89PNG": "a picture",
    b"Obj\x01": "an Avro file",
    b"ORC": "an ORC file",
}


def is_parquet(path: Path) -> bool:
    """Whether the file starts as Parquet files do."""
    with path.open("rb") as file:
        return file.read(4) == b"PAR1"


def read_sample(path: Path) -> str:
    """The first lines of a CSV file as text; refuses what cannot be CSV."""
    with path.open("rb") as file:
        start = file.read(_SAMPLE_BYTES)
        complete = not file.read(1)
    if not start.strip():
        raise InputError(f"{path}: the file is empty")
    for magic, kind in _OTHER_KINDS.items():
        if start.startswith(magic):
            raise InputError(f"{path}: looks like {kind}; a CSV or Parquet file was expected")
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{path}: is UTF-16 text; convert it to UTF-8 or give its encoding")
    if b"\0" in start:
        raise InputError(f"{path}: holds binary data; a CSV or Parquet file was expected")
    if not complete:
        start = start[: start.rfind(b"\n") + 1] or start
    try:
        return start.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise undecodable(path) from None


def undecodable(path: Path) -> InputError:
    """Say in which line the first byte stands that is not UTF-8."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as problem:
                return InputError(
                    f"{path}, line {number}: byte {problem.start + 1} of the line "
                    f"(0x{line[problem.start]:02x}) is not UTF-8 text; give the file's encoding "
                    "(for example big5 or latin-1) or convert it"
                )
    return InputError(f"{path}: is not UTF-8 text")


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
        raise InputError(f"{path}, line 1: a quoted column name holds a line break")
    return names


def _rows(sample: str, delimiter: str, path: Path) -> list[list[str]]:
    try:
        reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
        return list(reader)
    except csv.Error as problem:
        raise InputError(f"{path}: not a CSV file ({problem})") from None
