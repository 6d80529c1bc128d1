"""Writing a table that is to be released: measured again as it was written, then put in place."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING

from petaudit.errors import OptionError
from petaudit.system.output import write_whole
from petaudit.tables import Source, open_source, private_folder, temporary_room
from petaudit.tables.csv_files import DELIMITERS
from petaudit.tables.engines.duckdb import fresh_name
from petaudit.tables.writing import formula_cells, is_formula, packing, table_format, table_writer

if TYPE_CHECKING:
    import pyarrow as pa


def write_released(
    table: pa.Table,
    target: Path,
    check: Callable[[Source], object],
    *,
    roles: Iterable[str],
    delimiter: str | None,
    is_guarded: bool,
) -> Mapping[str, int]:
    """Write a table if ``check`` raises no error for what was written.

    Returned are the cells that a spreadsheet would run as formulas. ``roles`` are the columns that
    must keep their names.
    """
    kind = table_format(target)
    is_text = kind != "parquet"
    formulas = formula_cells(table) if is_text else {}
    mark = delimiter or DELIMITERS[0]
    named = [name for name in roles if name in formulas and is_formula(name)]
    if is_guarded and named:
        raise OptionError(
            "column {column!r} would get a leading apostrophe, and be another column: write it as "
            "it is (--formulas keep), or to a .parquet file",
            column=named[0],
        )
    write = table_writer(table, kind, formula_safe=is_text and is_guarded, delimiter=mark)
    written = private_folder() / f"{fresh_name()}.{kind}"
    try:
        with temporary_room(), written.open("wb") as file:
            write(file)
        check(open_source(written, delimiter="\t" if kind == "tsv" else mark))
        write_whole(target, packing(target, partial(_copy, written)))
    finally:
        written.unlink(missing_ok=True)
    return formulas


def _copy(written: Path, file: IO[bytes]) -> None:
    with written.open("rb") as checked:
        shutil.copyfileobj(checked, file)
