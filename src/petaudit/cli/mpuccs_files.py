"""The tables of a search as files: each whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from petaudit.cli.streams import as_json
from petaudit.counts import Source
from petaudit.counts.made_frames import MadeColumn, made_frame
from petaudit.errors import InputError
from petaudit.labels import label_of
from petaudit.output import refuse_inputs, table_writer, write_whole
from petaudit.singling.result import MpuccsResult

SUMMARY = "summary.json"


def checked_folder(folder: Path) -> Path:
    """Say before a long search that the folder cannot be made."""
    if os.path.exists(folder) and not folder.is_dir():  # noqa: PTH110 (takes any name)
        raise InputError(f"{str(folder)!r} is no folder; the tables need one of their own")
    nearest = next((parent for parent in (folder, *folder.parents) if parent.is_dir()), None)
    if nearest is None or not os.access(nearest, os.W_OK):
        raise InputError(f"cannot write to {str(folder)!r}")
    return folder


def write_tables(
    found: MpuccsResult,
    folder: Path,
    sources: Sequence[Source],
    document: Mapping[str, Any],
    *,
    reveal: bool,
) -> list[str]:
    """Write every table as CSV and as Parquet, and the document last; return the names."""
    tables = {
        "global": found.findings.global_columns(),
        "details": found.findings.details_columns(with_values=reveal),
        "tree": found.findings.tree_columns(),
    }
    if document["changes"]:
        tables["changes"] = found.changes_columns
    targets = [f"{name}.{kind}" for name in tables for kind in ("csv", "parquet")]
    for name in (*targets, SUMMARY):
        refuse_inputs(folder / name, [path for source in sources for path in source.paths])
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(f"cannot make {str(folder)!r} ({problem.strerror or problem})") from None
    for name, columns in tables.items():
        table = made_frame("pyarrow", {key: _in_file(own) for key, own in columns.items()})
        for kind in ("csv", "parquet"):
            write_whole(folder / f"{name}.{kind}", table_writer(table, kind))
    text = as_json(document) + "\n"
    write_whole(folder / SUMMARY, lambda file: file.write(text.encode(errors="backslashreplace")))
    return [*targets, SUMMARY]


def _in_file(column: MadeColumn) -> MadeColumn:
    """Tuples become JSON lists, so that nobody has to take a string apart."""
    if column.kind != "tuple":
        return column
    return MadeColumn("text", [None if own is None else _json_list(own) for own in column.values])


def _json_list(values: Sequence[object]) -> str:
    plain = [
        value if isinstance(value, bool | int | float | str | None) else label_of(value)
        for value in values
    ]
    return json.dumps(plain, ensure_ascii=False)
