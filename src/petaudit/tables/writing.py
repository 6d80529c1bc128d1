"""Writing tables, batch by batch: CSV for spreadsheets, Parquet and JSON for programs."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, TypeAlias

from petaudit.errors import ColumnError, OptionError, listing
from petaudit.labels.cells import label_of
from petaudit.tables._encoding import shortest_decimals
from petaudit.tables.files import COMPRESSED

if TYPE_CHECKING:
    import pyarrow as pa

Batch: TypeAlias = Sequence[list[Any]]
"""The columns of some rows as plain values."""

TABLE_FORMATS: Final = ("csv", "tsv", "parquet")
_ROWS_AT_ONCE: Final = 1 << 16
# Spreadsheets skip what cannot be seen, and read full-width signs as the plain ones.
_FORMULA = re.compile(
    r"[\s\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]*"
    r"[=+\-@\t\r\n＝＋－＠]"
)
_PLAIN_NUMBER = re.compile(r" *[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)? *", re.ASCII)
_LONE_SIGNS = ("-", "--", "---", "－")
_NEVER_A_FORMULA = (bool, int, float, Decimal, date, time, type(None))


@dataclass(frozen=True)
class TableInParts:
    """A table that is made a part at a time, because all of it might not fit into memory."""

    schema: pa.Schema
    parts: Callable[[], Iterable[pa.Table]]

    @property
    def column_names(self) -> list[str]:
        """The names of its columns."""
        return list(self.schema.names)

    def to_batches(self, max_chunksize: int) -> Iterator[pa.RecordBatch]:
        """Some rows at a time, made anew each time."""
        for part in self.parts():
            yield from part.to_batches(max_chunksize=max_chunksize)


def table_writer(
    table: pa.Table | TableInParts,
    format_name: str,
    *,
    formula_safe: bool = False,
    delimiter: str = ";",
) -> Callable[[IO[bytes]], object]:
    """How to write a table as ``csv``, ``tsv`` (separated by tabs), ``parquet`` or ``json``.

    A CSV that is ``formula_safe`` holds nothing that a spreadsheet would run; see
    :func:`without_formula`.

    >>> import io, pyarrow as pa
    >>> table_writer(pa.table({"a": [1, None]}), "json")(file := io.BytesIO())
    >>> print(file.getvalue().decode(), end="")
    [
    {"a": 1},
    {"a": null}
    ]
    """
    names = table.column_names
    match format_name:
        case "parquet":
            return lambda file: _write_parquet(table, file)
        case "csv" | "tsv":
            mark = "\t" if format_name == "tsv" else delimiter
            return lambda file: write_csv(
                names, _batches(table), file, formula_safe=formula_safe, delimiter=mark
            )
        case "json":
            refuse_equal_names(names)
            return lambda file: write_json(names, _batches(table), file)
    raise OptionError(
        "unknown format {format!r}; tables are written as csv, parquet or json", format=format_name
    )


def formula_cells(table: pa.Table) -> dict[str, int]:
    """How many cells of each column, its name included, a spreadsheet would take for a formula.

    >>> import pyarrow as pa
    >>> formula_cells(pa.table({"a": ["=1", "-5", "x"], "b": [-1, 2, 3]}))
    {'a': 1}
    """
    from pyarrow import types  # noqa: PLC0415 (loaded when it is used)

    counts: dict[str, int] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        number = int(is_formula(name))
        kind = column.type.value_type if types.is_dictionary(column.type) else column.type
        if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
            for entry in column.drop_null().value_counts().to_pylist():
                number += entry["counts"] if is_formula(entry["values"]) else 0
        if number:
            counts[name] = number
    return counts


def _write_parquet(table: pa.Table | TableInParts, file: IO[bytes]) -> None:
    from pyarrow import parquet  # noqa: PLC0415 (loaded when it is used)

    if not isinstance(table, TableInParts):
        parquet.write_table(table, file, compression="zstd")
        return
    with parquet.ParquetWriter(file, table.schema, compression="zstd") as writer:
        for part in table.parts():
            writer.write_table(part)


def _batches(table: pa.Table | TableInParts) -> Iterator[list[list[Any]]]:
    """Some rows at a time: as Python's own values they take many times the memory."""
    for batch in table.to_batches(max_chunksize=_ROWS_AT_ONCE):
        yield [shortest_decimals(column).to_pylist() for column in batch.columns]


def table_format(path: Path) -> str:
    """The format that the name of a table asks for; reports are JSON, tables by name are not.

    >>> table_format(Path("released.parquet"))
    'parquet'
    """
    *_, suffix = (unpacked(path).suffix or ".").split(".")
    if suffix.lower() not in TABLE_FORMATS:
        raise OptionError(
            "{path!r}: a table is written as .csv, .tsv or .parquet, or packed (.csv.gz)",
            path=str(path),
        )
    return suffix.lower()


def unpacked(path: Path) -> Path:
    """The name of a file without the ending that says how it is packed.

    >>> unpacked(Path("released.csv.gz")).name
    'released.csv'
    """
    return path.with_suffix("") if path.suffix.lower() in COMPRESSED else path


def packing(path: Path, write: Callable[[IO[bytes]], object]) -> Callable[[IO[bytes]], object]:
    """The same writer for a file that is packed as its name says."""
    codec = COMPRESSED.get(path.suffix.lower())
    if codec is None:
        return write

    def packed(file: IO[bytes]) -> None:
        import pyarrow as pa  # noqa: PLC0415 (loaded when it is used)

        # A descriptor of its copy, because the end of what is packed closes the file.
        with (
            os.fdopen(os.dup(file.fileno()), "wb") as copy,
            pa.CompressedOutputStream(pa.PythonFile(copy, mode="w"), codec) as stream,
        ):
            write(stream)

    return packed


def write_csv(
    names: Sequence[str],
    batches: Iterable[Batch],
    file: IO[bytes],
    *,
    formula_safe: bool = False,
    delimiter: str = ";",
) -> None:
    """Quote only what needs it; a null is an empty cell."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    # The writer quotes the characters of its own line end, and a cell may hold either of them.
    writer = csv.writer(_LineFeeds(text), delimiter=delimiter, lineterminator="\r\n")
    as_cells = _safe_cells if formula_safe else _cells
    writer.writerow(map(without_formula, names) if formula_safe else names)
    for batch in batches:
        writer.writerows(zip(*map(as_cells, batch), strict=True))
    text.detach()


def write_json(names: Sequence[str], batches: Iterable[Batch], file: IO[bytes]) -> None:
    """An array of objects, a row on each line.

    What JSON has no word for is text: dates and times in ISO form, decimals with all their digits,
    ``inf`` and ``-inf``. NaN is null.
    """
    encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
    before = "[\n"
    for batch in batches:
        rows = zip(*map(_json_column, batch), strict=True)
        lines = [encoder.encode(dict(zip(names, row, strict=True))) for row in rows]
        if lines:
            file.write((before + ",\n".join(lines)).encode())
            before = ",\n"
    file.write(b"[]\n" if before == "[\n" else b"\n]\n")


def refuse_equal_names(names: Sequence[str]) -> None:
    """Raise an error for what an object of JSON cannot hold.

    >>> refuse_equal_names(["zip", "age", "zip"])
    Traceback (most recent call last):
    petaudit.errors.ColumnError: JSON cannot hold two columns with the same name: zip
    """
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ColumnError(
            "JSON cannot hold two columns with the same name: {names}", names=listing(twice)
        )


def without_formula(text: str) -> str:
    """Put an apostrophe before what a spreadsheet would run; plain numbers stay what they are.

    >>> without_formula("=1+1"), without_formula(" @x"), without_formula("-5"), without_formula("a")
    ("'=1+1", "' @x", '-5', 'a')
    """
    return f"'{text}" if is_formula(text) else text


def is_formula(text: str) -> bool:
    """Whether a spreadsheet would run a text; a sign alone, as for what is missing, it does not.

    >>> is_formula("=1+1"), is_formula("-5"), is_formula("-")
    (True, False, False)
    """
    if not _FORMULA.match(text) or _PLAIN_NUMBER.fullmatch(text):
        return False
    return text.strip() not in _LONE_SIGNS


def _cells(values: list[Any]) -> list[str | int | None]:
    """Text as it is; other values as labels write them, each distinct one once."""
    if all(type(value) is str or type(value) is int for value in values):
        return values
    try:
        known = {
            (type(value), value): label_of(value) for value in values if type(value) is not str
        }
    except TypeError:
        # Lists and the like: a cell holds them as JSON, so that nobody has to take text apart.
        return [_cell(value) for value in values]
    return [value if type(value) is str else known[type(value), value] for value in values]


def _cell(value: Any) -> str | None:
    if isinstance(value, list | Mapping):
        return json.dumps(_json_value(value), ensure_ascii=False, allow_nan=False)
    return value if isinstance(value, str) else label_of(value)


def _safe_cells(values: list[Any]) -> list[str | int | None]:
    """The same without formulas; what is a number is none, whatever sign it begins with."""
    return [
        cell if cell is None or isinstance(value, _NEVER_A_FORMULA) else without_formula(str(cell))
        for value, cell in zip(values, _cells(values), strict=True)
    ]


@dataclass(frozen=True)
class _LineFeeds:
    """Ends lines with a line feed alone."""

    file: IO[str]

    def write(self, line: str) -> int:
        return self.file.write(line.removesuffix("\r\n") + "\n")


def _json_column(values: list[Any]) -> list[Any]:
    kinds = set(map(type, values))
    return values if kinds <= {str, int, bool, type(None)} else list(map(_json_value, values))


def _json_value(value: Any) -> Any:
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            if math.isnan(value):
                return None
            return value if math.isfinite(value) else str(value)
        case datetime() | date() | time():
            return value.isoformat()
        case Mapping():
            return {str(key): _json_value(item) for key, item in value.items()}
        case list() | tuple():
            return [_json_value(item) for item in value]
    return label_of(value)
