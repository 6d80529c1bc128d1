"""Tables in files: Parquet is queried in place, the others are loaded once into DuckDB."""

from __future__ import annotations

import glob
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from os import PathLike, fspath
from pathlib import Path
from typing import TypeAlias

import duckdb
import pyarrow as pa

from petaudit.errors import (
    LONGEST_PATH,
    ColumnError,
    InputError,
    Phrase,
    argument,
    counted,
    phrase,
    shortened,
)
from petaudit.system.files import before_reading, os_reason, watch_listing
from petaudit.system.reading import Reading
from petaudit.system.side_cars import with_side_car
from petaudit.tables._private_folder import private_folder, temporary_room
from petaudit.tables.addresses import check_no_address
from petaudit.tables.csv_files import load_csv
from petaudit.tables.engines import OpenedTable
from petaudit.tables.engines.duckdb import (
    Relation,
    cursor,
    file_in_sql,
    fresh_name,
    path_in_duckdb,
    quote_text,
    run,
)
from petaudit.tables.folders import (
    Partitions,
    left_out,
    parquet_files,
    partitions,
    refuse_lakes,
    table_folders,
)
from petaudit.tables.formats import WHOLE, Format, format_of, wrong_name
from petaudit.tables.other_files import read_whole
from petaudit.tables.text_encoding import utf8_text
from petaudit.tables.workbooks import load_workbook

Given: TypeAlias = str | PathLike[str]

COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}
_PACKED = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bz2",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "lz4",
}
_BENCHMARK = "benchmark://"
_KINDS = {str: "VARCHAR", int: "BIGINT", date: "DATE"}
_TEXT_FILE = re.compile(r"(?<!^)\.(csv|tsv|txt)(\.\w+)?$", re.IGNORECASE)


def find_files(source: Given | Sequence[Given]) -> tuple[Path, ...]:
    """The files that a path, a folder of Parquet files, a benchmark, a pattern or a list names."""
    if not isinstance(source, str | PathLike):
        return tuple(path for item in source for path in find_files(item))
    if isinstance(source, str) and source[: len(_BENCHMARK)].casefold() == _BENCHMARK:
        # Rarely needed, and of a layer above this one.
        from petaudit.datasets._benchmarks import locate_table  # noqa: PLC0415

        return (locate_table(source),)
    name = fspath(source)
    if not name:
        raise InputError("the name of the table is empty")
    # These never raise, unlike the methods of Path: a name may be too long for the system.
    path = Path(os.path.expanduser(name))  # noqa: PTH111
    if os.path.isfile(path):  # noqa: PTH113
        return (path,)
    if os.path.isdir(path):  # noqa: PTH112
        refuse_lakes([path])
        files = _listed(lambda: parquet_files(path), path)
        if not files:
            raise InputError("folder {folder!r} holds no .parquet file", folder=str(path))
        texts = [name for name in left_out(path) if _TEXT_FILE.search(name)]
        if len(texts) >= len(files):
            raise InputError(
                "folder {folder!r} holds {parquet} .parquet and {csv} .csv files; name the "
                "files that are the table",
                folder=str(path),
                parquet=len(files),
                csv=len(texts),
            )
        return files
    if glob.has_magic(str(path)):
        files = _listed(lambda: map(Path, glob.glob(str(path))), path.parent)  # noqa: PTH207
        if files:
            return files
    if os.path.exists(path):  # noqa: PTH110
        raise InputError("{path!r} is not a regular file; save it as a file first", path=str(path))
    check_no_address(name)
    shown = shortened(str(path), LONGEST_PATH)
    raise InputError("file {path!r} does not exist", path=shown)


def _listed(files: Callable[[], Iterable[Path]], shown: Path) -> tuple[Path, ...]:
    """The files that a folder or a pattern matches; a change before the report is an error."""

    def listing() -> tuple[Path, ...]:
        return tuple(sorted(files()))

    listed = listing()
    if listed:
        watch_listing(listing, listed, shown)
    return listed


@dataclass(frozen=True)
class TableFiles:
    """The files of a table: one file, or one or more Parquet files."""

    name: str
    paths: tuple[Path, ...]
    unpacked: tuple[Path, ...]
    shown: tuple[Path, ...]
    """The files as messages show them: without the values of partitions."""
    kind: Format
    partitions: Partitions | None
    """The columns in the names of folders, if the table is a folder of partitions."""
    reading: Reading
    """What is given, with what the side-car of a single file says beside."""
    side_car: Path | None
    """The side-car, if it says how to read the file."""

    @property
    def note_on_name(self) -> str | None:
        """Say that the file is not what it is called."""
        is_packed = self.paths[0].suffix.lower() in COMPRESSED
        name = Path(self.paths[0].stem) if is_packed else self.paths[0]
        return wrong_name(name, self.kind)


@contextmanager
def files_of_table(source: Given | Sequence[Given], reading: Reading) -> Iterator[TableFiles]:
    """Find and unpack the files of a table; an error of the system within names the first."""
    paths = find_files(source)
    if not paths:
        raise InputError("the list of files is empty")
    name = str(fspath(source)) if isinstance(source, str | PathLike) else str(paths[0])
    parts = _partitions(source, paths)
    shown = paths if parts is None else tuple(map(parts.shown, paths))
    try:
        for path in paths:
            before_reading(path)
        unpacked = tuple(decompressed(path) for path in paths)
        kinds = {format_of(*pair) for pair in zip(unpacked, shown, strict=True)}
        if len(paths) > 1 and kinds != {Format.PARQUET}:
            raise InputError(
                "{path} and {number} more: several files are read as one table only when all "
                "are Parquet",
                path=shown[0],
                number=len(paths) - 1,
            )
        if kinds == {Format.PARQUET}:
            refuse_lakes({folder for path in paths for folder in table_folders(path)})
        side_car = None
        if len(paths) == 1:
            reading, side_car = with_side_car(reading, paths[0])
        yield TableFiles(name, paths, unpacked, shown, kinds.pop(), parts, reading, side_car)
    except OSError as problem:
        raise InputError(
            "{path}: cannot be read ({reason})", path=shown[0], reason=os_reason(problem)
        ) from None


def _partitions(source: Given | Sequence[Given], paths: Sequence[Path]) -> Partitions | None:
    """The columns in the names of folders below the one that is the table."""
    if isinstance(source, str | PathLike):
        folder = Path(os.path.expanduser(source))  # noqa: PTH111
        return partitions(folder, paths) if os.path.isdir(folder) else None  # noqa: PTH112
    if any(_partitions(item, find_files(item)) for item in source):
        raise InputError("a folder of partitions is a table alone; name nothing beside it")
    return None


def open_files(source: Given | Sequence[Given], reading: Reading) -> OpenedTable:
    """Open a table with DuckDB: Parquet is queried in place, others are loaded once."""
    with files_of_table(source, reading) as files:
        path, shown = files.unpacked[0], files.shown[0]
        notes = [files.note_on_name]
        left_out: tuple[int, ...] = ()
        if files.kind in WHOLE:
            # Frames know of Spark, which reads files.
            from petaudit.tables.engines.frames import wrap_frame  # noqa: PLC0415

            opened = wrap_frame(read_whole(path, shown, files.kind), files.name)
            return replace(
                opened,
                paths=files.paths,
                notes=tuple(filter(None, notes)),
                reading=files.reading,
                side_car=files.side_car,
            )
        if files.kind is Format.PARQUET:
            columns, relation = _view_of_parquet(files)
        elif files.kind is Format.TEXT:
            text, note = utf8_text(path, shown, files.reading.encoding)
            columns, relation, left_out = load_csv(text, shown, files.reading)
            notes.append(note)
        else:
            sheet = load_workbook(path, shown, files.kind, files.reading)
            columns, relation, left_out = sheet.columns, sheet.relation, sheet.left_out
            notes += sheet.notes
    if left_out:
        notes.append(blank_rows_note(shown, len(left_out)))
    is_loaded = files.kind is not Format.PARQUET
    return OpenedTable(
        files.name,
        columns,
        relation.frame,
        files.paths,
        partitions=files.partitions,
        is_untyped=is_loaded,
        is_loaded=is_loaded,
        delimiter=relation.delimiter,
        load=relation.load,
        close=relation.close,
        notes=tuple(filter(None, notes)),
        left_out=left_out,
        reading=files.reading,
        side_car=files.side_car,
    )


def blank_rows_note(shown: Path, rows: int) -> Phrase:
    """Say that rows without any value are not in the table."""
    return phrase(
        "{file}: {rows} without any value, left out (else: {argument})",
        file=shown.name,
        rows=counted(rows, "row"),
        argument=argument("blank_rows", "keep"),
    )


def _view_of_parquet(files: TableFiles) -> tuple[tuple[str, ...], Relation]:
    connection = cursor()
    columns = parquet_columns(files)
    # Renamed by position: no name of a user becomes part of a query.
    cells = [f"c{index}" for index in range(len(columns))]
    aliases = within = ", ".join(cells)
    options = "hive_partitioning=false"
    name = fresh_name()
    if files.partitions is not None:
        options += f", filename='{name}'"
        within = ", ".join([*cells[: -len(files.partitions.keys)], "file"])
        cells[-len(files.partitions.keys) :] = _cells_of_partitions(files, files.partitions)
    paths = ", ".join(map(file_in_sql, files.unpacked))
    run(
        connection,
        f"CREATE VIEW {name}({aliases}) AS SELECT {', '.join(cells)} "
        f"FROM read_parquet([{paths}], {options}) AS file({within})",
    )
    return columns, Relation(connection, name, len(columns), is_view=True)


def _cells_of_partitions(files: TableFiles, parts: Partitions) -> Iterator[str]:
    """For each key, what finds a row's value by the file that the row is in.

    A file that is not known by its name would be an error, and not a null.
    """
    names = ", ".join(quote_text(path_in_duckdb(path)) for path in files.unpacked)
    place = f"coalesce(list_position([{names}], file), error('another file'))"
    for kind, values in zip(parts.kinds, zip(*parts.cells, strict=True), strict=True):
        cells = ", ".join("NULL" if value is None else quote_text(str(value)) for value in values)
        yield f"(CAST([{cells}] AS {_KINDS[kind]}[]))[{place}]"


def parquet_columns(files: TableFiles) -> tuple[str, ...]:
    """The columns that all parts share; DuckDB would notice a bad part only while it counts.

    Those of partitions follow.
    """
    names: list[tuple[str, ...]] = []
    for path, shown in zip(files.unpacked, files.shown, strict=True):
        query = f"DESCRIBE FROM read_parquet({file_in_sql(path)}, hive_partitioning=false)"
        try:
            columns = tuple(row[0] for row in run(cursor(), query))
        except duckdb.Error:
            raise InputError(
                "{path}: cannot be read as Parquet; it is damaged or has no column", path=shown
            ) from None
        names.append(_true_names(path, columns))
        if names[-1] != names[0]:
            raise InputError(
                "{path}: its columns are not those of {first}", path=shown, first=files.shown[0]
            )
    keys = () if files.partitions is None else files.partitions.keys
    if {*keys}.intersection(names[0]):
        raise ColumnError("{table} has a column name more than once", table=files.name)
    return names[0] + keys


def _true_names(path: Path, columns: tuple[str, ...]) -> tuple[str, ...]:
    """The names in the file: DuckDB calls the second of ``a`` and ``A`` by the name ``A_1``."""
    folded = {column.casefold() for column in columns}
    numbered = (re.sub(r"_\d+$", "", column).casefold() for column in columns)
    if len(folded) == len(columns) and not any(
        stem in folded and stem != column.casefold()
        for stem, column in zip(numbered, columns, strict=True)
    ):
        return columns
    from pyarrow import parquet  # noqa: PLC0415 (slow to load, and hardly ever needed)

    with path.open("rb") as file:
        return tuple(parquet.read_schema(file).names)


def decompressed(path: Path) -> Path:
    """The file, or what is packed in it in a folder of our own."""
    with path.open("rb") as file:
        start = file.read(4)
    by_start = (codec for magic, codec in _PACKED.items() if start.startswith(magic))
    codec = COMPRESSED.get(path.suffix.lower()) or next(by_start, None)
    if codec is None:
        return path
    target = private_folder() / fresh_name()
    try:
        # Opened here, because PyArrow takes only names in UTF-8.
        with (
            temporary_room(),
            path.open("rb") as packed,
            pa.input_stream(packed, compression=codec) as source,
            target.open("wb") as sink,
        ):
            shutil.copyfileobj(source, sink)
    except (OSError, pa.ArrowException):
        raise InputError("{path}: cannot be unpacked as {codec}", path=path, codec=codec) from None
    return target
