"""Tables in files: CSV is loaded once into DuckDB, Parquet is counted where it lies."""

from __future__ import annotations

import codecs
import glob
import io
import os
import re
import shutil
from collections.abc import Callable, Iterable, Sequence
from os import PathLike, fspath
from pathlib import Path

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
from petaudit.tables._csv_dialect import is_parquet
from petaudit.tables._csv_files import load_csv
from petaudit.tables._database import cursor, fresh_name, run
from petaudit.tables._databases.addresses import check_no_address
from petaudit.tables._opened_file import OpenedFile, file_in_sql
from petaudit.tables._private_folder import private_folder, temporary_room

_COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}
_BENCHMARK = "benchmark://"
_TEXT_FILE = re.compile(r"(?<!^)\.(csv|tsv|txt)(\.\w+)?$", re.IGNORECASE)
_BOOKKEEPING = re.compile(r"_SUCCESS|_(common_)?metadata|_(committed|started)_.*|\..*\.crc")
"""What Spark and others write beside Parquet files."""
_MOST_LEFT_OUT = 5


def find_files(source: str | PathLike[str] | Sequence[str | PathLike[str]]) -> tuple[Path, ...]:
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
        found = _listed(lambda: _parts(path))
        if not found:
            raise InputError("folder {folder!r} holds no .parquet file", folder=str(path))
        texts = [name for name in _left_out(path) if _TEXT_FILE.search(name)]
        if len(texts) >= len(found):
            raise InputError(
                "folder {folder!r} holds {parquet} .parquet and {csv} .csv files; name the "
                "files that are the table",
                folder=str(path),
                parquet=len(found),
                csv=len(texts),
            )
        return found
    if glob.has_magic(str(path)):
        found = _listed(lambda: map(Path, glob.glob(str(path))))  # noqa: PTH207
        if found:
            return found
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
    """Say what folders of Parquet files hold that is no part of the table."""
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
                    "not hidden are the table: {names}",
                    folder=str(path),
                    number=counted(len(left_out), "entry", "entries"),
                    names=listing(left_out, _MOST_LEFT_OUT),
                )
            )
    return notes


def _listed(files: Callable[[], Iterable[Path]]) -> tuple[Path, ...]:
    """The files that a folder or a pattern stands for, and should until all is reported."""

    def listing() -> tuple[Path, ...]:
        return tuple(sorted(files()))

    found = listing()
    if found:
        watch_listing(listing, found)
    return found


def open_files(
    paths: tuple[Path, ...], delimiter: str | None = None, encoding: str | None = None
) -> OpenedFile:
    """Open one CSV file, or one or more Parquet files with the same columns."""
    if not paths:
        raise InputError("the list of files is empty")
    try:
        for path in paths:
            before_reading(path)
        plain = [decompressed(path) for path in paths]
        kinds = {is_parquet(path) for path in plain}
        if kinds == {True}:
            return _open_parquet(plain, paths)
        one_table(paths)
        return load_csv(as_utf8(plain[0], paths[0], encoding), paths[0], delimiter)
    except OSError as problem:
        raise InputError(
            "{path}: cannot be read ({reason})", path=paths[0], reason=os_reason(problem)
        ) from None


def one_table(paths: tuple[Path, ...]) -> None:
    """Refuse several files that are not all Parquet."""
    if len(paths) > 1:
        raise InputError(
            "{path} and {number} more: several files are read as one table only when all "
            "are Parquet",
            path=paths[0],
            number=len(paths) - 1,
        )


def _open_parquet(plain: Sequence[Path], paths: tuple[Path, ...]) -> OpenedFile:
    connection = cursor()
    columns = parquet_columns(connection, plain, paths)
    # Renamed by position: no name of a user becomes part of a query.
    aliases = ", ".join(f"c{index}" for index in range(len(columns)))
    files = ", ".join(map(file_in_sql, plain))
    name = fresh_name()
    run(
        connection,
        f"CREATE VIEW {name} AS SELECT * "  # noqa: S608
        f"FROM read_parquet([{files}], hive_partitioning=false) AS file({aliases})",
    )
    return OpenedFile(connection, name, columns, paths, is_view=True)


def parquet_columns(
    connection: duckdb.DuckDBPyConnection, plain: Sequence[Path], paths: tuple[Path, ...]
) -> tuple[str, ...]:
    """The columns that all parts share; DuckDB would notice a bad part only while it counts."""
    found: list[tuple[str, ...]] = []
    for path, shown in zip(plain, paths, strict=True):
        query = f"DESCRIBE FROM read_parquet({file_in_sql(path)}, hive_partitioning=false)"
        try:
            columns = tuple(row[0] for row in run(connection, query))
        except duckdb.Error:
            raise InputError(
                "{path}: cannot be read as Parquet; it is damaged or has no column", path=shown
            ) from None
        found.append(_true_names(path, columns))
        if found[-1] != found[0]:
            raise InputError(
                "{path}: its columns are not those of {first}", path=shown, first=paths[0]
            )
    return found[0]


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
    codec = _COMPRESSED.get(path.suffix.lower())
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
