"""Tables in files: CSV is loaded once into DuckDB, Parquet is queried in place."""

from __future__ import annotations

import codecs
import glob
import io
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import TypeAlias

import duckdb
import pyarrow as pa

from petaudit.errors import (
    LONGEST_PATH,
    InputError,
    OptionError,
    counted,
    listing,
    phrase,
    shortened,
)
from petaudit.system.files import before_reading, os_reason, watch_listing
from petaudit.tables._private_folder import private_folder, temporary_room
from petaudit.tables.addresses import check_no_address
from petaudit.tables.csv_files import is_parquet, load_csv
from petaudit.tables.engines import OpenedTable
from petaudit.tables.engines.duckdb import Relation, cursor, file_in_sql, fresh_name, run

Given: TypeAlias = str | PathLike[str]

COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}
_BENCHMARK = "benchmark://"
_TEXT_FILE = re.compile(r"(?<!^)\.(csv|tsv|txt)(\.\w+)?$", re.IGNORECASE)
_BOOKKEEPING = re.compile(r"_SUCCESS|_(common_)?metadata|_(committed|started)_.*|\..*\.crc")
"""What Spark and others write beside Parquet files."""
_MOST_LEFT_OUT = 5


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
        files = _listed(lambda: _parts(path))
        if not files:
            raise InputError("folder {folder!r} holds no .parquet file", folder=str(path))
        texts = [name for name in _left_out(path) if _TEXT_FILE.search(name)]
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
        files = _listed(lambda: map(Path, glob.glob(str(path))))  # noqa: PTH207
        if files:
            return files
    if os.path.exists(path):  # noqa: PTH110
        raise InputError("{path!r} is not a regular file; save it as a file first", path=str(path))
    check_no_address(name)
    shown = shortened(str(path), LONGEST_PATH)
    raise InputError("file {path!r} does not exist", path=shown)


def _parts(folder: Path) -> list[Path]:
    """The Parquet files of a folder; hidden ones are left out, as Spark and others do."""
    return [path for path in folder.glob("*.parquet") if path.name[0] not in "._"]


def _left_out(folder: Path) -> list[str]:
    """What else is in a folder of Parquet files, but for what engines keep beside them."""
    parts = {path.name for path in _parts(folder)}
    return sorted(
        f"{entry.name}/" if entry.is_dir() else entry.name
        for entry in folder.iterdir()
        if entry.name not in parts and not _BOOKKEEPING.fullmatch(entry.name)
    )


def notes_on_folders(source: object) -> list[str]:
    """Say what folders of Parquet files hold that is not part of the table."""
    named = [source] if isinstance(source, str | PathLike) else source
    notes: list[str] = []
    for item in named if isinstance(named, Sequence) else ():
        path = Path(os.path.expanduser(item)) if isinstance(item, str | PathLike) else None  # noqa: PTH111
        if path is None or not os.path.isdir(path):  # noqa: PTH112
            continue
        left_out = _left_out(path)
        if left_out:
            notes.append(
                phrase(
                    "folder {folder!r}: {number} left out, because only .parquet files that are "
                    "not hidden belong to the table: {names}",
                    folder=str(path),
                    number=counted(len(left_out), "entry", "entries"),
                    names=listing(left_out, _MOST_LEFT_OUT),
                )
            )
    return notes


def _listed(files: Callable[[], Iterable[Path]]) -> tuple[Path, ...]:
    """The files that a folder or a pattern matches; a change before the report is an error."""

    def listing() -> tuple[Path, ...]:
        return tuple(sorted(files()))

    listed = listing()
    if listed:
        watch_listing(listing, listed)
    return listed


@dataclass(frozen=True)
class TableFiles:
    """The files of a table: one CSV file, or one or more Parquet files."""

    name: str
    paths: tuple[Path, ...]
    unpacked: tuple[Path, ...]
    are_parquet: bool


@contextmanager
def files_of_table(source: Given | Sequence[Given]) -> Iterator[TableFiles]:
    """Find and unpack the files of a table; an error of the system within names the first."""
    paths = find_files(source)
    if not paths:
        raise InputError("the list of files is empty")
    name = str(fspath(source)) if isinstance(source, str | PathLike) else str(paths[0])
    try:
        for path in paths:
            before_reading(path)
        unpacked = tuple(decompressed(path) for path in paths)
        are_parquet = all(map(is_parquet, unpacked))
        if len(paths) > 1 and not are_parquet:
            raise InputError(
                "{path} and {number} more: several files are read as one table only when all "
                "are Parquet",
                path=paths[0],
                number=len(paths) - 1,
            )
        yield TableFiles(name, paths, unpacked, are_parquet)
    except OSError as problem:
        raise InputError(
            "{path}: cannot be read ({reason})", path=paths[0], reason=os_reason(problem)
        ) from None


def open_files(
    source: Given | Sequence[Given], delimiter: str | None = None, encoding: str | None = None
) -> OpenedTable:
    """Open a table with DuckDB: CSV is loaded once, Parquet is queried in place."""
    with files_of_table(source) as files:
        if files.are_parquet:
            columns, relation = _view_of_parquet(files)
        else:
            text = as_utf8(files.unpacked[0], files.paths[0], encoding)
            columns, relation = load_csv(text, files.paths[0], delimiter)
    return OpenedTable(
        files.name,
        columns,
        relation.frame,
        files.paths,
        is_untyped=not files.are_parquet,
        is_loaded=not files.are_parquet,
        delimiter=relation.delimiter,
        load=relation.load,
        close=relation.close,
    )


def _view_of_parquet(files: TableFiles) -> tuple[tuple[str, ...], Relation]:
    connection = cursor()
    columns = parquet_columns(files)
    # Renamed by position: no name of a user becomes part of a query.
    aliases = ", ".join(f"c{index}" for index in range(len(columns)))
    paths = ", ".join(map(file_in_sql, files.unpacked))
    name = fresh_name()
    run(
        connection,
        f"CREATE VIEW {name} AS SELECT * "
        f"FROM read_parquet([{paths}], hive_partitioning=false) AS file({aliases})",
    )
    return columns, Relation(connection, name, len(columns), is_view=True)


def parquet_columns(files: TableFiles) -> tuple[str, ...]:
    """The columns that all parts share; DuckDB would notice a bad part only while it counts."""
    names: list[tuple[str, ...]] = []
    for path, shown in zip(files.unpacked, files.paths, strict=True):
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
                "{path}: its columns are not those of {first}", path=shown, first=files.paths[0]
            )
    return names[0]


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
    codec = COMPRESSED.get(path.suffix.lower())
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


def as_utf8(path: Path, shown: Path, encoding: str | None) -> Path:
    """The file, or its text in UTF-8 in a folder of our own."""
    if encoding is None:
        return path
    try:
        wanted = codecs.lookup(encoding)
        # Python's registry also holds transformations, such as base64, that give no text.
        io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    except LookupError:
        raise OptionError(
            "unknown encoding {encoding!r}; for example utf-8 or big5", encoding=encoding
        ) from None
    if wanted.name == "utf-8":
        return path
    target = private_folder() / f"{fresh_name()}-utf8.csv"
    try:
        with (
            temporary_room(),
            path.open(encoding=wanted.name, newline="") as source,
            target.open("w", encoding="utf-8", newline="") as sink,
        ):
            shutil.copyfileobj(source, sink)
    except UnicodeError as problem:
        raise InputError(
            "{path}: cannot be decoded as {encoding} ({reason})",
            path=shown,
            encoding=encoding,
            reason=problem,
        ) from None
    return target
