"""Folders of Parquet files: which files are the table, and what the names of folders say of them.

In a partitioned folder (``part=M/a.parquet``) the folders hold a column. Values of people stand in
paths then, so whoever shows a path takes :func:`Partitions.shown`.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from os import PathLike
from pathlib import Path, PurePath
from typing import Final, NamedTuple, TypeAlias, TypeVar
from urllib.parse import unquote

from petaudit.errors import ColumnError, InputError, argument, counted, listing, phrase, term
from petaudit.system.files import os_reason

SomePath = TypeVar("SomePath", bound=PurePath)
Value: TypeAlias = str | int | date | None

_BOOKKEEPING: Final = re.compile(r"_SUCCESS|_(common_)?metadata|_(committed|started)_.*|\..*\.crc")
"""What Spark and others write beside Parquet files."""
_MOST_LEFT_OUT: Final = 5
_PARTITION: Final = re.compile(r"(?!\.)([^=]+)=(.*)", re.DOTALL)
_NO_VALUE: Final = "__HIVE_DEFAULT_PARTITION__"
_INTEGER: Final = re.compile(r"0|-?[1-9][0-9]{0,18}", re.ASCII)
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_BYTE: Final = re.compile("%([0-9A-Fa-f]{2})")


class Lake(NamedTuple):
    """A kind of table that keeps a log beside its Parquet files, which are not just its rows."""

    form: str
    """Spark's name for it."""
    kind: str


_LAKES: Final = {
    "_delta_log": Lake("delta", term("a Delta table")),
    "metadata/*.metadata.json": Lake("iceberg", term("an Iceberg table")),
    ".hoodie": Lake("hudi", term("a Hudi table")),
}
"""By what lies in their folders."""


@dataclass(frozen=True)
class Partitions:
    """The columns that are in the names of folders, after those of the files."""

    root: PurePath
    keys: tuple[str, ...]
    folders: tuple[tuple[str, ...], ...]
    """For each file the folders that it lies in, below the root."""

    @property
    def cells(self) -> tuple[tuple[Value, ...], ...]:
        """For each file its cells: whole numbers and days where all values of a key are such.

        >>> from pathlib import PurePosixPath
        >>> files = [f"t/m={m}/d={d}/a" for m, d in [("01", "2"), ("F%2FM", "-3")]]
        >>> partitions(PurePosixPath("t"), map(PurePosixPath, files)).cells
        (('01', 2), ('F/M', -3))
        """
        columns = (
            _typed([_value(folder[place]) for folder in self.folders])
            for place in range(len(self.keys))
        )
        return tuple(zip(*columns, strict=True))

    @property
    def kinds(self) -> tuple[type, ...]:
        """The kind of each key's values."""
        return tuple(
            next((type(value) for value in values if value is not None), str)
            for values in zip(*self.cells, strict=True)
        )

    @property
    def keys_on_spark(self) -> tuple[str, ...]:
        """The names of the columns as Spark reads them, which takes a byte for a letter."""
        return tuple(_bytewise(folder.partition("=")[0]) for folder in self.folders[0])

    def misread_by_spark(self, place: int) -> dict[str, str]:
        """What Spark reads where a key's value has letters that are written as bytes.

        >>> from pathlib import PurePosixPath
        >>> files = [PurePosixPath("t/city=%E8%87%BA%20A/a"), PurePosixPath("t/city=B%20C/a")]
        >>> partitions(PurePosixPath("t"), files).misread_by_spark(0)
        {'è\x87º A': '臺 A'}
        """
        meant: dict[str, str] = {}
        for folder in {folder[place] for folder in self.folders}:
            value = _value(folder)
            if value is None:
                continue
            read = _bytewise(folder.partition("=")[2])
            if meant.setdefault(read, value) != value:
                raise InputError(
                    "folder {folder!r}: Spark takes different values of {key} for one; leave the "
                    "engine out",
                    folder=str(self.root),
                    key=self.keys[place],
                )
        return {read: value for read, value in meant.items() if read != value}

    def sha256(self, files: str) -> str:
        """The fingerprint of the table, from that of its files: in other folders it is another."""
        folders = ["/".join(folder) for folder in self.folders]
        return hashlib.sha256("\n".join([files, *folders]).encode()).hexdigest()

    def shown(self, path: PurePath) -> Path:
        """A file as messages show it: without the values in its path.

        >>> from pathlib import PurePosixPath
        >>> files = [PurePosixPath("data/t/m=F/a")]
        >>> print(partitions(PurePosixPath("data/t"), files).shown(files[0]))
        t/m=*/a
        """
        return Path(self.root.name, *(f"{key}=*" for key in self.keys), path.name)


def partitions(root: PurePath, files: Iterable[PurePath]) -> Partitions | None:
    """The columns of a folder of partitions; None of a plain folder."""
    folders = [path.relative_to(root).parts[:-1] for path in files]
    keys = {tuple(map(_key, folder)) for folder in folders}
    if keys == {()}:
        return None
    if len(keys) > 1:
        raise different_keys(str(root))
    [names] = keys
    if len({*names}) < len(names):
        raise ColumnError("{table} has a column name more than once", table=str(root))
    return Partitions(root, names, tuple(folders))


def different_keys(folder: str) -> InputError:
    """The error for a folder whose files are at different depths, or below different keys."""
    return InputError(
        "folder {folder!r}: its Parquet files are in folders of different names "
        "(such as year=... and month=...), or some in none; every file of a "
        "table must be in folders of the same names",
        folder=folder,
    )


def _key(folder: str) -> str:
    match = _PARTITION.fullmatch(folder)
    return "" if match is None else unquote(match[1])


def _value(folder: str) -> str | None:
    text = folder.partition("=")[2]
    if not text:
        raise InputError(
            "the folder of a partition has no value behind {key}=; expected {key}=VALUE, or "
            "{key}={null} for none",
            key=_key(folder),
            null=_NO_VALUE,
        )
    return None if text == _NO_VALUE else unquote(text)


def _bytewise(text: str) -> str:
    return _BYTE.sub(lambda match: chr(int(match[1], 16)), text)


def _typed(texts: Sequence[str | None]) -> list[Value]:
    """Whole numbers and days if all are such and would be written so; text otherwise."""
    known = [text for text in texts if text is not None]
    if known and all(map(_INTEGER.fullmatch, known)):
        numbers = [None if text is None else int(text) for text in texts]
        if all(-(1 << 63) <= number < 1 << 63 for number in numbers if number is not None):
            return [*numbers]
    try:
        if known and all(map(_DAY.fullmatch, known)):
            return [None if text is None else date.fromisoformat(text) for text in texts]
    except ValueError:
        pass
    return [*texts]


def parquet_files(folder: Path) -> list[Path]:
    """The Parquet files of a folder and its partitions; hidden ones are left out, as Spark does."""
    try:
        return _files_below(folder)
    except OSError as problem:
        raise InputError(
            "folder {folder!r}: it, or a folder within it, cannot be read ({reason})",
            folder=str(folder),
            reason=os_reason(problem),
        ) from None


def _files_below(folder: Path) -> list[Path]:
    entries = sorted(folder.iterdir())
    below = [file for entry in entries if _is_partition(entry) for file in _files_below(entry)]
    return [entry for entry in entries if _is_part(entry)] + below


def _is_part(entry: Path) -> bool:
    return entry.name.endswith(".parquet") and entry.name[0] not in "._"


def _is_partition(entry: Path) -> bool:
    return _PARTITION.fullmatch(entry.name) is not None and entry.is_dir()


def left_out(folder: Path) -> list[str]:
    """What else is in a folder of Parquet files, but for what engines keep beside them."""
    names = set()
    for entry in folder.iterdir():
        if _is_partition(entry):
            names |= {f"{_key(entry.name)}=*/{name}" for name in left_out(entry)}
        elif not _is_part(entry) and not _BOOKKEEPING.fullmatch(entry.name):
            names.add(f"{entry.name}/" if entry.is_dir() else entry.name)
    return sorted(names)


def notes_on_folders(source: object) -> list[str]:
    """Say what folders of Parquet files hold that is not part of the table."""
    named = [source] if isinstance(source, str | PathLike) else source
    notes: list[str] = []
    for item in named if isinstance(named, Sequence) else ():
        path = Path(os.path.expanduser(item)) if isinstance(item, str | PathLike) else None  # noqa: PTH111
        if path is None or not os.path.isdir(path) or lake_of(path):  # noqa: PTH112
            continue
        names = left_out(path)
        if names:
            notes.append(
                phrase(
                    "folder {folder!r}: {number} left out, because only .parquet files that are "
                    "not hidden belong to the table: {names}",
                    folder=str(path),
                    number=counted(len(names), "entry", "entries"),
                    names=listing(names, _MOST_LEFT_OUT),
                )
            )
    return notes


def lake_of(folder: Path) -> Lake | None:
    """The kind of table with a log that a folder is, if it is one."""
    return next((lake for mark, lake in _LAKES.items() if any(folder.glob(mark))), None)


def lake_elsewhere(folder: str, holds: Callable[[str], bool]) -> Lake | None:
    """The same of a folder that is not here; somebody says whether a pattern matches anything."""
    return next((lake for mark, lake in _LAKES.items() if holds(f"{folder}/{mark}")), None)


def table_folders(file: SomePath) -> list[SomePath]:
    """The folders that could be the table of which a file is a part.

    >>> from pathlib import PurePosixPath
    >>> [*map(str, table_folders(PurePosixPath("/lake/people/data/m=1/a.parquet")))]
    ['/lake/people/data', '/lake/people']
    """
    folder = file.parent
    while _PARTITION.fullmatch(folder.name):
        folder = folder.parent
    return [folder, folder.parent] if folder.name == "data" else [folder]


def refuse_lakes(folders: Iterable[Path]) -> None:
    """Refuse Parquet files of a table with a log."""
    for folder in folders:
        lake = lake_of(folder)
        if lake is not None:
            raise not_plain(str(folder), lake)


def not_plain(folder: str, lake: Lake) -> InputError:
    """The error for reading the Parquet files alone: deleted rows would come back."""
    return InputError(
        "{folder}: is {kind}, whose Parquet files also hold rows that were deleted or replaced; "
        "read the folder with a Spark that has its package ({argument}), or write the table as "
        "Parquet elsewhere",
        folder=folder,
        kind=lake.kind,
        argument=argument("engine", "spark"),
    )
