"""Writing results: whole or not at all."""

from __future__ import annotations

import csv
import io
import os
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from petaudit.errors import InputError, OptionError
from petaudit.labels import label_of

if TYPE_CHECKING:
    import pyarrow as pa


def write_whole(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write to a temporary file beside the target and rename it when it is complete."""
    try:
        if _is_special(path):
            with path.open("wb") as file:
                write(file)
        else:
            # Where a link leads: it stays a link.
            _replace(Path(os.path.realpath(path)), write)
    except OSError as problem:
        raise InputError(f"cannot write {str(path)!r} ({problem.strerror or problem})") from None


def refuse_inputs(target: Path, files: Iterable[Path]) -> None:
    """Raise an error if the target is one of the files that were read, by whatever name."""
    for path in files:
        if os.path.exists(target) and path.exists() and target.samefile(path):  # noqa: PTH110
            raise OptionError(
                f"{str(target)!r} is one of the inputs ({path}); choose another file to write"
            )


def _is_special(path: Path) -> bool:
    """Whether a path is no regular file (a pipe, /dev/null) or leads to one only for now.

    /dev/stdout is a link to whatever file the shell opened, which must not be replaced.
    """
    if path.absolute().is_relative_to("/dev") or path.absolute().is_relative_to("/proc"):
        return True
    return os.path.exists(path) and not path.is_file()  # noqa: PTH110 (takes any name)


def _replace(target: Path, write: Callable[[IO[bytes]], object]) -> None:
    # A short name: the target's own name may be as long as the system takes.
    descriptor, name = tempfile.mkstemp(prefix=".petaudit-", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def table_writer(table: pa.Table, format_name: str) -> Callable[[IO[bytes]], object]:
    """How to write a table as ``csv`` (``;`` separated) or ``parquet``."""
    if format_name == "parquet":
        from pyarrow import parquet  # noqa: PLC0415 (loaded when it is used)

        return lambda file: parquet.write_table(table, file, compression="zstd")
    if format_name == "csv":
        return lambda file: _write_csv(table, file)
    raise OptionError(f"unknown format {format_name!r}; tables are written as csv or parquet")


def _write_csv(table: pa.Table, file: IO[bytes]) -> None:
    """Quote only what needs it; a null is an empty cell."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    # The writer quotes the characters of its own line end, and a cell may hold either of them.
    writer = csv.writer(_LineFeeds(text), delimiter=";", lineterminator="\r\n")
    writer.writerow(table.column_names)
    for batch in table.to_batches():
        cells = (_cells(column.to_pylist()) for column in batch.columns)
        writer.writerows(zip(*cells, strict=True))
    text.detach()


def _cells(values: list[Any]) -> list[str | int | None]:
    """Text as it is; other values as labels write them, each distinct one once."""
    if all(type(value) is str or type(value) is int for value in values):
        return values
    known = {(type(value), value): label_of(value) for value in values if type(value) is not str}
    return [value if type(value) is str else known[type(value), value] for value in values]


@dataclass(frozen=True)
class _LineFeeds:
    """Ends lines with a line feed alone."""

    file: IO[str]

    def write(self, line: str) -> int:
        return self.file.write(line.removesuffix("\r\n") + "\n")


def table_format(path: Path) -> str:
    """The format that a file name asks for.

    >>> table_format(Path("released.parquet"))
    'parquet'
    """
    suffix = path.suffix.lower().lstrip(".")
    if suffix not in {"csv", "parquet"}:
        raise OptionError(f"{str(path)!r}: a table is written as .csv or .parquet")
    return suffix


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
