"""Files that PyArrow or pyreadstat reads as a whole: JSON lines, Arrow, SAS, SPSS and Stata."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from petaudit.errors import InputError
from petaudit.tables.formats import Format

_LONGEST_LINE: Final = 64 << 20
_READERS: Final = {
    Format.SAS: "read_sas7bdat",
    Format.SAS_TRANSPORT: "read_xport",
    Format.SPSS: "read_sav",
    Format.STATA: "read_dta",
}


def read_whole(path: Path, shown: Path, kind: Format) -> pa.Table:
    """Read a file into memory, with the types that it has."""
    if kind in _READERS:
        return _statistics(path, shown, kind)
    try:
        table = _json_lines(path) if kind is Format.JSON_LINES else _arrow(path)
    except (pa.ArrowException, OSError):
        # Its message quotes the line.
        raise _damaged(shown, kind) from None
    nested = [
        name for name in table.column_names if pa.types.is_nested(table.schema.field(name).type)
    ]
    if nested and kind is Format.JSON_LINES:
        raise InputError(
            "{path}: column {column!r} holds lists or objects; write each value into a column of "
            "its own",
            path=shown,
            column=nested[0],
        )
    return table


def _json_lines(path: Path) -> pa.Table:
    from pyarrow import json  # noqa: PLC0415 (hardly ever needed)

    with path.open("rb") as file:
        return json.read_json(file, json.ReadOptions(block_size=_LONGEST_LINE))


def _arrow(path: Path) -> pa.Table:
    with path.open("rb") as file:
        if file.read(6) == b"ARROW1":
            return pa.ipc.open_file(file).read_all()
        file.seek(0)
        return pa.ipc.open_stream(file).read_all()


def _statistics(path: Path, shown: Path, kind: Format) -> pa.Table:
    try:
        import pyreadstat  # noqa: PLC0415 (an extra)
    except ImportError:
        raise InputError(
            "{path}: is {kind}; pip install 'petaudit[stat]' to read it, or save it as CSV",
            path=shown,
            kind=kind.named,
        ) from None
    read: Any = getattr(pyreadstat, _READERS[kind])
    try:
        columns, _ = read(str(path), output_format="dict")
        return pa.table(
            {name: pa.array(list(cells), from_pandas=True) for name, cells in columns.items()}
        )
    except Exception:
        # What it raises has no common kind, and may quote cells.
        raise _damaged(shown, kind) from None


def _damaged(shown: Path, kind: Format) -> InputError:
    return InputError(
        "{path}: cannot be read as {kind}; it is damaged, or a column mixes values of different "
        "kinds",
        path=shown,
        kind=kind.named,
    )
