"""What kind of file a table is in: its first bytes say so, whatever its name is."""

from __future__ import annotations

import re
import zipfile
from enum import StrEnum
from pathlib import Path
from typing import Final

from petaudit.errors import InputError, Phrase, phrase, term
from petaudit.tables.addresses import DUCKDB, TableAddress


class Format(StrEnum):
    """The kinds of files that are read."""

    TEXT = term("text")
    PARQUET = term("a Parquet file")
    WORKBOOK = term("an Excel workbook")
    OLD_WORKBOOK = term("an old Excel workbook")
    OPEN_DOCUMENT = term("an OpenDocument spreadsheet")
    JSON_LINES = term("JSON lines")
    ARROW = term("an Arrow file")
    SAS = term("a SAS table")
    SAS_TRANSPORT = term("a SAS transport file")
    SPSS = term("an SPSS table")
    STATA = term("a Stata table")

    @property
    def named(self) -> str:
        """The kind in a message."""
        return term(self.value)


WHOLE: Final = (
    Format.JSON_LINES,
    Format.ARROW,
    Format.SAS,
    Format.SAS_TRANSPORT,
    Format.SPSS,
    Format.STATA,
)
"""What is read into memory as it is, with its types."""
_START: Final = 1 << 12
_FORMATS: Final = {
    b"PAR1": Format.PARQUET,
    b"\xd0\xcf\x11\xe0": Format.OLD_WORKBOOK,
    b"ARROW1": Format.ARROW,
    b"\xff\xff\xff\xff": Format.ARROW,
    b"$FL2": Format.SPSS,
    b"$FL3": Format.SPSS,
    b"<stata_dta>": Format.STATA,
    b"HEADER RECORD*******LIB": Format.SAS_TRANSPORT,
    b"\0" * 12 + b"\xc2\xea\x81\x60": Format.SAS,
}
_SAVE: Final = phrase("open it in the program that made it, and save the table as CSV")
_REFUSED: Final[dict[bytes, tuple[str, Phrase]]] = {
    b"PK": (phrase("a ZIP archive"), phrase("unpack it, and name the table in it")),
    b"7z\xbc\xaf": (phrase("a 7-Zip archive"), phrase("unpack it, and name the table in it")),
    b"Rar!": (phrase("a RAR archive"), phrase("unpack it, and name the table in it")),
    b"\xfd7zXZ": (phrase("an XZ file"), phrase("unpack it, and name the table in it")),
    b"%PDF": (phrase("a PDF document"), phrase("ask whoever made it for the table as CSV")),
    b"SQLite format 3": (
        phrase("a SQLite database"),
        phrase("export one table as CSV: sqlite3 -header -csv FILE 'SELECT * FROM TABLE'"),
    ),
    b"\x89PNG": (phrase("an image"), phrase("ask whoever made it for the table as CSV")),
    b"Obj\x01": (phrase("an Avro file"), phrase("write it as Parquet with the program it is from")),
    b"ORC": (
        phrase("an ORC file"),
        phrase("write it as Parquet, with pyarrow.orc and pyarrow.parquet in Python"),
    ),
    b"RDX": (phrase("an R workspace"), phrase("write.csv in R saves a table as CSV")),
    b"\x89HDF": (phrase("an HDF5 file"), phrase("in Python, pandas.read_hdf reads it")),
    b"{\\rtf": (phrase("a text document"), _SAVE),
}
_HTML: Final = re.compile(rb"\s*<(!doctype html|html|table|\?xml|meta)", re.IGNORECASE)
_JSON: Final = re.compile(rb"\s*\[\s*[\[{]")
_JSON_LINE: Final = re.compile(rb'\s*\{\s*"')
_DUCKDB_MAGIC: Final = b"DUCK"
"""From the ninth byte of a DuckDB database."""
_OLD_STATA: Final = re.compile(rb"[\x69-\x73][\x01\x02]\x01\x00", re.DOTALL)
"""Releases 8 to 12: the release, the order of bytes, and two fixed ones."""
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
_NOT_TEXT: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
"""Characters that control a device stand in no text."""
_SUFFIXES: Final = {
    ".csv": Format.TEXT,
    ".tsv": Format.TEXT,
    ".txt": Format.TEXT,
    ".parquet": Format.PARQUET,
    ".xlsx": Format.WORKBOOK,
    ".xlsm": Format.WORKBOOK,
    ".xls": Format.OLD_WORKBOOK,
    ".ods": Format.OPEN_DOCUMENT,
    ".jsonl": Format.JSON_LINES,
    ".ndjson": Format.JSON_LINES,
    ".feather": Format.ARROW,
    ".arrow": Format.ARROW,
    ".sas7bdat": Format.SAS,
    ".xpt": Format.SAS_TRANSPORT,
    ".sav": Format.SPSS,
    ".zsav": Format.SPSS,
    ".dta": Format.STATA,
}


def format_of(path: Path, shown: Path) -> Format:
    """The kind of a file; one that is not read is refused with how to convert it."""
    with path.open("rb") as file:
        start = file.read(_START)
    known = next((kind for magic, kind in _FORMATS.items() if start.startswith(magic)), None)
    if known is not None:
        return known
    if start.startswith(b"PK\x03\x04"):
        return _zipped(path, shown)
    if start[8:].startswith(_DUCKDB_MAGIC) and b"\0" in start and path == shown:
        # No address leads to what was packed.
        raise InputError(
            "{path}: is a DuckDB database; name one of its tables: {address}",
            path=shown,
            address=TableAddress(DUCKDB, "NAME", path=shown).shown,
        )
    if _OLD_STATA.match(start):
        return Format.STATA
    start = start.removeprefix(_BYTE_ORDER_MARK)
    for magic, (kind, remedy) in _REFUSED.items():
        if start.startswith(magic):
            raise _refused(shown, kind, remedy)
    if _HTML.match(start):
        # Many programs call a page with a table ".xls".
        raise _refused(shown, phrase("a web page or XML"), _SAVE)
    if _JSON.match(start):
        remedy = phrase("write one object per line (JSON lines), or CSV")
        raise _refused(shown, "JSON", remedy)
    if _JSON_LINE.match(start):
        return Format.JSON_LINES
    named = _SUFFIXES.get(shown.suffix.lower(), Format.TEXT)
    if named is not Format.TEXT and _NOT_TEXT.search(start) and not start.startswith(_UTF_16):
        raise InputError(
            "{path}: is named like {kind}, but is neither that nor text; it is "
            "damaged or encrypted, or something else",
            path=shown,
            kind=named.named,
        )
    return Format.TEXT


def _zipped(path: Path, shown: Path) -> Format:
    """What is in a ZIP archive: a workbook in one of its forms, or something else."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        raise InputError(
            "{path}: looks like an Excel workbook or ZIP archive, but is damaged", path=shown
        ) from None
    if "xl/workbook.xml" in names:
        return Format.WORKBOOK
    if "xl/workbook.bin" in names:
        remedy = phrase("save it as .xlsx")
        raise _refused(shown, phrase("a binary Excel workbook (.xlsb)"), remedy)
    if "content.xml" in names:
        return Format.OPEN_DOCUMENT
    if "Index/Document.iwa" in names:
        raise _refused(shown, phrase("a Numbers document"), phrase("export it as .xlsx or CSV"))
    if "word/document.xml" in names:
        raise _refused(shown, phrase("a text document"), _SAVE)
    raise _refused(shown, *_REFUSED[b"PK"])


def _refused(shown: Path, kind: str, remedy: str) -> InputError:
    return InputError(
        "{path}: looks like {kind}, which is not read; {remedy}. A table is CSV, Parquet, an Excel "
        "workbook or another kind that the documentation names",
        path=shown,
        kind=kind,
        remedy=remedy,
    )


def wrong_name(shown: Path, actual: Format) -> str | None:
    """Say that a file is not what its name says.

    >>> wrong_name(Path("a.csv"), Format.WORKBOOK)
    'a.csv is named like text, but it is an Excel workbook and was read as such'
    >>> wrong_name(Path("a.data"), Format.WORKBOOK) is None
    True
    """
    named = _SUFFIXES.get(shown.suffix.lower())
    if named is None or named is actual:
        return None
    return phrase(
        "{file} is named like {named}, but it is {actual} and was read as such",
        file=shown.name,
        named=named.named,
        actual=actual.named,
    )
