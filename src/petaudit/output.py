"""Writing results: whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING

from petaudit.errors import InputError, OptionError

if TYPE_CHECKING:
    import pyarrow as pa


def write_whole(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write to a temporary file beside the target and rename it when it is complete."""
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as problem:
        raise InputError(f"cannot write {str(path)!r} ({problem.strerror})") from None
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as problem:
        raise InputError(f"cannot write {str(path)!r} ({problem.strerror or problem})") from None
    finally:
        temporary.unlink(missing_ok=True)


def table_writer(table: pa.Table, format_name: str) -> Callable[[IO[bytes]], object]:
    """How to write a table as ``csv`` (``;`` separated) or ``parquet``."""
    if format_name == "parquet":
        from pyarrow import parquet  # noqa: PLC0415 (loaded when it is used)

        return lambda file: parquet.write_table(table, file, compression="zstd")
    if format_name == "csv":
        from pyarrow import csv  # noqa: PLC0415

        options = csv.WriteOptions(delimiter=";", quoting_style="needed", quoting_header="needed")
        return lambda file: csv.write_csv(table, file, options)
    raise OptionError(f"unknown format {format_name!r}; tables are written as csv or parquet")


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
