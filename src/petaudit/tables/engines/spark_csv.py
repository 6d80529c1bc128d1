"""CSV files of this machine that Spark reads, in the dialect that petaudit finds: DuckDB's rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from petaudit.errors import EngineLostError, InputError
from petaudit.labels.cells import BLANKS
from petaudit.system.reading import Reading
from petaudit.tables._private_folder import private_folder
from petaudit.tables.csv_files import csv_dialect, load_csv, mixed_line_ends
from petaudit.tables.engines.duckdb import fresh_name
from petaudit.tables.engines.spark_jobs import spark_result
from petaudit.tables.engines.spark_settings import is_local
from petaudit.tables.text_encoding import undecodable

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

# Spark takes other signs for patterns, and hidden files for none at all.
_PLAIN_PATH = re.compile(r"(?:/(?![._])[\w .+=,@%-]+)+")
_BLOCK: Final = 4 << 20
_BLANKS: Final = rb"[\x01-\x09\x0b\x0c\x0e-\x20]"
_EMPTY_LINE = re.compile(rb"\A[\r\n]|\n\n|\r\r|\n\r")
_BLANK_LINE = re.compile(rb"(?:\A|[\r\n])[\x00-\x09\x0b\x0c\x0e-\x20]+(?=[\r\n]|\Z)")
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")


def spark_address(session: SparkSession, path: Path, shown: Path, *, is_text: bool = False) -> str:
    """A file as Spark finds it: its name is never a pattern."""
    absolute = path.absolute()
    master = str(session.sparkContext.master)
    if is_local(master):
        if not _PLAIN_PATH.fullmatch(str(absolute)) or absolute.name[0] in "._":
            link = private_folder() / f"{fresh_name()}{'.csv' if is_text else ''}"
            link.symlink_to(absolute)
            absolute = link
    elif path != shown or not _PLAIN_PATH.fullmatch(str(absolute)):
        raise InputError(
            "{path}: on {master} every machine must be able to read the file: not compressed, in "
            "UTF-8, and with a plain name",
            path=shown,
            master=master,
        )
    return f"file://{absolute}"


def csv_on_spark(
    session: SparkSession, path: Path, shown: Path, reading: Reading
) -> tuple[DataFrame, tuple[str, ...], int]:
    """A UTF-8 file, every cell as text, in our own dialect: Spark reads what DuckDB reads.

    The last of the three is the number of rows without any value, which are left out.
    """
    if reading.header_row not in (None, 1):
        raise InputError(
            "{path}: Spark reads CSV whose first line holds the names; remove what is above them",
            path=shown,
        )
    address = spark_address(session, path, shown, is_text=True)
    mark, columns = csv_dialect(path, shown, reading)
    marks = scan_csv(path, mark)
    if "broken" in marks:
        raise undecodable(path, shown)
    if len(marks & {"\r\n", "\n", "\r"}) > 1:
        raise mixed_line_ends(shown)
    # Spark would pass over rows, or trim more than blanks.
    is_beyond_spark = (
        "blank lines" in marks
        or ("empty lines" in marks and len(columns) == 1)
        or {"blanks before quotes", "controls"} <= marks
    )
    if is_beyond_spark:
        raise _refusal(path, shown, reading)
    frame = session.read.csv(
        address,
        schema=", ".join(f"c{index} STRING" for index in range(len(columns))),
        sep=mark,
        encoding="UTF-8",
        quote='"',
        escape='"',
        header=True,
        # A quote may hold a line break; lines are read one by one only where there is none.
        multiLine="quotes" in marks,
        mode="FAILFAST",
        unescapedQuoteHandling="RAISE_ERROR",
        ignoreLeadingWhiteSpace="blanks before quotes" in marks,
        nullValue="",
        emptyValue="",
        maxColumns=len(columns) + 1,
        maxCharsPerColumn=-1,
    )
    blank = _blank_rows(frame)
    if blank is None:
        raise _refusal(path, shown, reading)
    if reading.keeps_blank_rows or len(columns) == 1 or not blank:
        return frame, columns, 0
    return frame.filter(~_is_blank(frame)), columns, blank


def _is_blank(frame: DataFrame) -> Column:
    """Whether a row has no value at all."""
    from pyspark.sql import functions  # noqa: PLC0415 (only where there is Spark)

    row = functions.concat_ws("", *(functions.col(name) for name in frame.columns))
    return row.rlike(f"^[{BLANKS}]*$")


def _blank_rows(frame: DataFrame) -> int | None:
    """How many rows have no value, in one pass; None unless every cell is one line of text."""
    from pyspark.sql import functions  # noqa: PLC0415 (only where there is Spark)

    row = functions.concat_ws("", *(functions.col(name) for name in frame.columns))
    try:
        result = spark_result(
            frame.agg(
                functions.max(row.rlike("[\\r\\n]")).alias("broken"),
                functions.sum(_is_blank(frame).cast("long")).alias("blank"),
            )
        )
    except EngineLostError:
        raise
    except Exception:
        # Spark's message quotes the line.
        return None
    is_broken = result.column("broken")[0].as_py()
    return None if is_broken else int(result.column("blank")[0].as_py() or 0)


def _refusal(path: Path, shown: Path, reading: Reading) -> InputError:
    """What is wrong with the file, as DuckDB finds it."""
    try:
        load_csv(path, shown, reading).relation.close()
    except InputError as problem:
        return problem
    return InputError("{path}: Spark cannot read it as CSV; save it as Parquet first", path=shown)


def scan_csv(path: Path, delimiter: str) -> set[str]:
    r"""What the bytes of a CSV file show that Spark would pass over, and how its lines end.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b'a;b\r\n1; "2"\r\n')
    ...     file.flush()
    ...     sorted(scan_csv(Path(file.name), ";"))
    ['\r\n', 'blanks before quotes', 'quotes']
    """
    mark = re.escape(delimiter.encode())
    patterns = {
        "quotes": re.compile(b'"'),
        "blanks before quotes": re.compile(rb"(?:\A|[\r\n]|" + mark + rb")" + _BLANKS + rb'+"'),
        "controls": _CONTROL,
        "empty lines": _EMPTY_LINE,
        # Lines of nothing but blanks or control characters.
        "blank lines": _BLANK_LINE,
    }
    marks: set[str] = set()
    for block in _blocks(path):
        try:
            block.decode("utf-8")
        except UnicodeDecodeError:
            marks.add("broken")
        marks |= {
            name
            for name, pattern in patterns.items()
            if name not in marks and pattern.search(block)
        }
        pairs = block.count(b"\r\n")
        ends = {"\r\n": pairs, "\n": block.count(b"\n") - pairs, "\r": block.count(b"\r") - pairs}
        marks |= {end for end, number in ends.items() if number}
    return marks


def _blocks(path: Path) -> Iterator[bytes]:
    """The file in blocks that end where a line does."""
    rest = b""
    with path.open("rb") as file:
        while more := file.read(_BLOCK):
            rest += more
            # A CR at the very end may be half of a line end.
            cut = rest.rfind(b"\n") + 1 or rest.rfind(b"\r", 0, -1) + 1
            if cut:
                yield rest[:cut]
                rest = rest[cut:]
    if rest:
        yield rest
