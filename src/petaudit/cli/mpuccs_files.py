"""The tables of a search as files: each whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petaudit.cli.report_files import write_text
from petaudit.cli.streams import as_json
from petaudit.errors import InputError, OptionError
from petaudit.measures.mpuccs import MpuccsResult
from petaudit.pipelines.folder import check_targets
from petaudit.system.output import refuse_inputs, write_whole
from petaudit.tables.result_frames import ResultColumn, in_file, result_frame
from petaudit.tables.writing import TableInParts, table_writer

if TYPE_CHECKING:
    from petaudit.singling.findings import Findings

SUMMARY = "summary.json"
_KINDS = ("csv", "parquet")
_TARGETS = tuple(
    f"{name}.{kind}" for name in ("global", "details", "tree", "changes") for kind in _KINDS
)


def checked_folder(name: str, tables: Sequence[str]) -> Path:
    """Say before a long search that the tables cannot be written there."""
    if not name:
        raise OptionError("--out is empty; name a folder")
    folder = Path(name)
    # Unlike the method of Path it takes any name; what is wrong with it is said on opening.
    read = [Path(table) for table in tables if os.path.exists(table)]  # noqa: PTH110
    check_targets(folder, (*_TARGETS, SUMMARY), read)
    if any(folder.is_dir() and table.is_dir() and folder.samefile(table) for table in read):
        raise OptionError("{name!r} is read as a table; choose another folder to write", name=name)
    return folder


def write_tables(
    found: MpuccsResult,
    folder: Path,
    inputs: Sequence[Path],
    document: Mapping[str, Any],
    *,
    reveal: bool,
) -> list[str]:
    """Write every table as CSV and as Parquet, and the document last; return the names."""
    tables = {"global": _whole(found.findings.global_columns())}
    if found.findings.lists_rows:
        tables["details"] = _details(found.findings, reveal=reveal)
    tables["tree"] = _whole(found.findings.tree_columns())
    if document["changes"]:
        tables["changes"] = _whole(found.table("changes"))
    for name in (*_TARGETS, SUMMARY):
        refuse_inputs(folder / name, inputs)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(
            "cannot make {name!r} ({reason})", name=str(folder), reason=problem.strerror or problem
        ) from None
    written = []
    for name, table in tables.items():
        for kind in _KINDS:
            write_whole(folder / f"{name}.{kind}", table_writer(table, kind))
            written.append(f"{name}.{kind}")
    if (folder / SUMMARY).exists():
        for name in set(_TARGETS) - set(written):
            # Of an earlier run of ours, about other tables perhaps.
            (folder / name).unlink(missing_ok=True)
    write_text(folder / SUMMARY, as_json(document) + "\n")
    return [*written, SUMMARY]


def _whole(columns: Mapping[str, ResultColumn]) -> Any:
    return result_frame("pyarrow", in_file(columns))


def _details(findings: Findings, *, reveal: bool) -> TableInParts:
    """As many rows as are identified: they are made again for each file, and never all at once."""

    def parts() -> Iterator[Any]:
        return map(_whole, findings.details_blocks(with_values=reveal))

    return TableInParts(_whole(findings.no_details()).schema, parts)
