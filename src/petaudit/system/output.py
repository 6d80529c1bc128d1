"""Writing results: whole or not at all."""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from petaudit.errors import InputError, OptionError
from petaudit.system.files import refuse_impossible
from petaudit.system.os_reasons import os_reason
from petaudit.tables.table_files import is_formula, refuse_equal_names, write_csv, write_json

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS_AT_ONCE: Final = 1 << 16
_UMASK = re.compile(rb"^Umask:\s*([0-7]+)\s*$", re.MULTILINE)


def write_whole(
    path: Path, write: Callable[[IO[bytes]], object], *, follow_links: bool = True
) -> None:
    """Write to a temporary file beside the target and rename it when it is complete.

    Without ``follow_links``, whatever has the name is replaced, and nothing else is written.
    """
    try:
        refuse_impossible(path)
        if not follow_links:
            _replace(path, write)
        elif _is_special(path):
            with path.open("wb") as file:
                write(file)
        else:
            # Where a link leads: it stays a link.
            _replace(Path(os.path.realpath(path)), write)
    except OSError as problem:
        raise InputError(
            "cannot write {path!r} ({reason})", path=str(path), reason=os_reason(problem)
        ) from None


def refuse_inputs(target: Path, files: Iterable[Path]) -> None:
    """Raise an error if the target is one of the files that were read, by whatever name."""
    for path in files:
        if os.path.exists(target) and path.exists() and target.samefile(path):  # noqa: PTH110
            raise OptionError(
                "{target!r} is one of the inputs ({path}); choose another file to write",
                target=str(target),
                path=path,
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
        temporary.chmod(_mode_of_new_files())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


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
    table: pa.Table | TableInParts, format_name: str, *, formula_safe: bool = False
) -> Callable[[IO[bytes]], object]:
    """How to write a table as ``csv`` (``;`` separated), ``parquet`` or ``json``.

    A CSV that is ``formula_safe`` holds nothing that a spreadsheet would run; see
    :func:`petaudit.tables.table_files.without_formula`.

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
        case "csv":
            return lambda file: write_csv(names, _batches(table), file, formula_safe=formula_safe)
        case "json":
            refuse_equal_names(names)
            return lambda file: write_json(names, _batches(table), file)
    raise OptionError(
        "unknown format {format!r}; tables are written as csv, parquet or json", format=format_name
    )


def formula_cells(table: pa.Table) -> dict[str, int]:
    """How many cells and names of each column a spreadsheet would take for a formula.

    >>> import pyarrow as pa
    >>> formula_cells(pa.table({"a": ["=1", "-5", "x"], "b": [-1, 2, 3]}))
    {'a': 1}
    """
    from pyarrow import types  # noqa: PLC0415 (loaded when it is used)

    found: dict[str, int] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        number = int(is_formula(name))
        kind = column.type.value_type if types.is_dictionary(column.type) else column.type
        if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
            for entry in column.drop_null().value_counts().to_pylist():
                number += entry["counts"] if is_formula(entry["values"]) else 0
        if number:
            found[name] = number
    return found


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
        yield [column.to_pylist() for column in batch.columns]


def table_format(path: Path) -> str:
    """The format that the name of a table asks for; reports are JSON, tables by name are not.

    >>> table_format(Path("released.parquet"))
    'parquet'
    """
    suffix = path.suffix.lower().lstrip(".")
    if suffix not in {"csv", "parquet"}:
        raise OptionError("{path!r}: a table is written as .csv or .parquet", path=str(path))
    return suffix


def _mode_of_new_files() -> int:
    """The rights that the user gives new files.

    Asking the system for the umask means setting it, for all threads at once: another thread could
    make a file that everybody may write. So it is read where it can be read, or tried out.
    """
    with suppress(OSError):
        found = _UMASK.search(Path("/proc/self/status").read_bytes())
        if found:
            return 0o666 & ~int(found[1], 8)
    with tempfile.TemporaryDirectory(prefix=".petaudit-") as folder:
        descriptor = os.open(Path(folder) / "tried", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        os.close(descriptor)
        return stat.S_IMODE((Path(folder) / "tried").stat().st_mode)
