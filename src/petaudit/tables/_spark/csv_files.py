"""CSV files on Spark: our own dialect as its options, so that it reads what DuckDB reads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from petaudit.errors import EngineLostError, InputError
from petaudit.tables._csv_dialect import undecodable
from petaudit.tables._csv_files import csv_dialect, load_csv
from petaudit.tables._csv_scan import CsvScan, scan_csv
from petaudit.tables._spark.jobs import spark_result

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_ONLY_COLUMN = ";"


@dataclass(frozen=True)
class SparkCsv:
    """The frame, and what the header calls its columns."""

    frame: DataFrame
    columns: tuple[str, ...]


def open_csv(
    session: SparkSession, address: str, path: Path, shown: Path, delimiter: str | None
) -> SparkCsv:
    """Read a UTF-8 file, every cell as text; messages call it by the name that the user gave."""
    mark, columns = csv_dialect(path, shown, delimiter)
    seen = scan_csv(path, mark or _ONLY_COLUMN)
    if not seen.is_utf8:
        raise undecodable(path, shown)
    if len(seen.line_ends) > 1:
        raise InputError(
            "{path}: its lines end in different ways; save it with one kind of line ends",
            path=shown,
        )
    if _is_beyond_spark(seen, len(columns)):
        raise _refusal(path, shown, delimiter)
    frame = session.read.csv(
        address,
        schema=", ".join(f"c{index} STRING" for index in range(len(columns))),
        sep=mark or _ONLY_COLUMN,
        encoding="UTF-8",
        quote='"',
        escape='"',
        header=True,
        # A quote may hold a line break; lines are read one by one only where there is none.
        multiLine=seen.has_quotes,
        mode="FAILFAST",
        unescapedQuoteHandling="RAISE_ERROR",
        ignoreLeadingWhiteSpace=seen.has_blanks_before_quotes,
        nullValue="",
        emptyValue="",
        maxColumns=len(columns) + 1,
        maxCharsPerColumn=-1,
    )
    if not _holds_labels(frame):
        raise _refusal(path, shown, delimiter)
    return SparkCsv(frame, tuple(columns))


def _is_beyond_spark(seen: CsvScan, width: int) -> bool:
    """Whether Spark would pass over rows, or trim more than blanks."""
    if seen.has_blank_lines or (width == 1 and seen.has_empty_lines):
        return True
    return seen.has_blanks_before_quotes and seen.has_controls


def _holds_labels(frame: DataFrame) -> bool:
    """Whether every line has its cells and every cell is one line: one pass, as when loading."""
    from pyspark.sql import functions  # noqa: PLC0415 (only where there is Spark)

    row = functions.concat_ws("", *(functions.col(name) for name in frame.columns))
    try:
        found = spark_result(frame.agg(functions.max(row.rlike("[\\r\\n]")).alias("broken")))
    except EngineLostError:
        raise
    except Exception:
        # Spark's message quotes the line.
        return False
    return not found.column("broken")[0].as_py()


def _refusal(path: Path, shown: Path, delimiter: str | None) -> InputError:
    """What is wrong with the file, as DuckDB finds it."""
    try:
        load_csv(path, shown, delimiter).close()
    except InputError as problem:
        return problem
    return InputError("{path}: Spark cannot read it as CSV; save it as Parquet first", path=shown)
