"""What cannot be read is refused with a message that helps and quotes no line of the file."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from petaudit.errors import ColumnError, InputError, OptionError, PetauditError
from petaudit.tables import open_source

PRIVATE = "s3cr3t"
"""Stands in the cells of every bad file; no message may repeat it."""


def refusal(table: Any, **options: Any) -> PetauditError:
    """The error of opening a table, or of counting it where opening cannot tell."""
    with pytest.raises(PetauditError) as caught:
        counted(table, **options)
    assert PRIVATE not in str(caught.value)
    return caught.value


def counted(table: Any, **options: Any) -> None:
    source = open_source(table, **options)
    for name in source.columns:
        source.counts.value_counts(name)


def written(folder: Path, content: bytes, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


BAD_CONTENT: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "the file is empty"),
    "only blanks": (b" \n\r\n\t\n", "the file is empty"),
    "only a byte order mark": (b"\xef\xbb\xbf", "the file is empty"),
    "Excel": (b"PK\x03\x04s3cr3t", "looks like an Excel workbook"),
    "old Excel": (b"\xd0\xcf\x11\xe0s3cr3t", "cannot be read as an old Excel workbook"),
    "PDF": (b"%PDF-1.7\ns3cr3t", "looks like a PDF document"),
    "SQLite": (b"SQLite format 3\0s3cr3t", "looks like a SQLite database"),
    "Arrow": (b"ARROW1\0\0s3cr3t", "cannot be read as an Arrow file"),
    "picture": (b"\x89PNG\r\n\x1a\ns3cr3t", "looks like an image"),
    "Avro": (b"Obj\x01s3cr3t", "looks like an Avro file"),
    "ORC": (b"ORCs3cr3t", "looks like an ORC file"),
    "binary": (b"a;b\n\0s3cr3t;2\n", "holds binary data"),
    "a cut gzip": (gzip.compress(b"a;b\ns3cr3t;2\n" * 9)[:30], "cannot be unpacked as gzip"),
    "UTF-16 without its mark": (
        "a;b\ns3cr3t;2\n".encode("utf-16-le"),
        "this looks like UTF-16 without its mark: encoding='utf-16-le'",
    ),
    "JSON": (b'[{"a": "s3cr3t"}]', "looks like JSON, which is not read; write one object per line"),
    "nested JSON lines": (b'{"a": ["s3cr3t"]}\n', "column 'a' holds lists or objects"),
    "broken JSON lines": (b'{"a": "s3cr3t"}\n{"a": \n', "cannot be read as JSON lines"),
    "mixed JSON lines": (b'{"a": "s3cr3t"}\n{"a": 1}\n', "a column mixes values of different"),
    "a web page": (b"<html><table>s3cr3t", "looks like a web page or XML"),
    "SPSS": (b"$FL2@(#) s3cr3t", "cannot be read as an SPSS table"),
    "Stata": (b"<stata_dta>s3cr3t", "cannot be read as a Stata table"),
    "SAS": (b"\0" * 12 + b"\xc2\xea\x81\x60s3cr3t", "cannot be read as a SAS table"),
    "what nobody knows": (
        b"a;b\ns3cr3t;\x81\x8d\xff\n",
        "(for example encoding='big5' or 'cp1252')",
    ),
    "a byte that is no UTF-8": (
        b"a;b\ns3cr3t;2\ns3cr3t;\xe8t\xe9\n",
        "line 3: byte 8 of the line (0xe8) is not UTF-8 text; this looks like Windows-1252: "
        "encoding='cp1252'",
    ),
    "such a byte after many lines": (
        b"a;b\n" + b"s3cr3t;2\n" * 20_000 + b"\xa4;2\n",
        "line 20002: byte 1 of the line (0xa4) is not UTF-8",
    ),
    "a short row": (b"a;b\ns3cr3t;2\ns3cr3t\n", "line 3: 1 cell where the header has 2"),
    "a long row": (b"a;b\ns3cr3t;2\n1;s3cr3t;3\n", "line 3: 3 cells where the header has 2"),
    "a short row after many lines": (
        b"a;b\n" + b"s3cr3t;2\n" * 20_000 + b"s3cr3t\n",
        "line 20002: 1 cell where the header has 2",
    ),
    "a quoted line break": (
        b'a;b\ns3cr3t;2\n"s3cr3t\nx";3\n',
        "line 3: a quoted field holds a line break",
    ),
    "a quoted carriage return": (
        b'a;b\ns3cr3t;2\n"s3cr3t\rx";3\n',
        "line 3: a quoted field holds a line break",
    ),
    "a quoted line break in the header": (
        b'a;"b\nc"\ns3cr3t;2\n',
        "line 1: a quoted column name holds a line break",
    ),
    "a quote never closed": (
        b'a;b\ns3cr3t;2\n"s3cr3t;3\n',
        "line 3: a quote is opened and never closed",
    ),
    "a quote closed too early": (b'a;b\n"s3cr3t"x;2\n', "line 2: a quote is opened"),
    "a name twice": (b"a;b;a\ns3cr3t;2;3\n", "has column 'a' more than once"),
    "a name twice but for blanks": (b"a; a \ns3cr3t;2\n", "has column 'a' more than once"),
    "Parquet in name and start only": (b"PAR1s3cr3t", "cannot be read as Parquet"),
}


@pytest.mark.parametrize("name", BAD_CONTENT)
def test_bad_content_is_refused(name: str, tmp_path: Path) -> None:
    content, complaint = BAD_CONTENT[name]
    path = written(tmp_path, content)
    error = refusal(path)
    assert complaint in str(error)
    assert str(path) in str(error)
    assert isinstance(error, InputError | ColumnError)


@pytest.mark.parametrize("name", ["empty", "binary", "a byte that is no UTF-8", "a short row"])
def test_bad_content_of_a_compressed_file_names_the_file_of_the_user(
    name: str, tmp_path: Path
) -> None:
    content, complaint = BAD_CONTENT[name]
    path = written(tmp_path, gzip.compress(content), "table.csv.gz")
    error = refusal(path)
    assert complaint in str(error)
    assert str(path) in str(error)


def test_a_line_beyond_all_reason_is_called_too_long(tmp_path: Path) -> None:
    content = b"a;b\n1;2\n1;" + b"s3cr3t" * 12_000_000 + b"\n2;b\n"
    assert "line 3: is too long" in str(refusal(written(tmp_path, content)))


def test_a_long_line_hides_no_other_mistake(tmp_path: Path) -> None:
    content = b"a;b\n1;" + b"s3cr3t" * 500_000 + b"\n2;b\ns3cr3t\n"
    assert "line 4: 1 cell where the header has 2" in str(refusal(written(tmp_path, content)))


def test_a_line_break_in_a_quoted_field_is_refused_in_a_large_file_too(tmp_path: Path) -> None:
    content = b"a;b\n" + b"s3cr3t;2\n" * 30_000 + b'"s3cr3t\nx";3\n'
    assert "line 30002: a quoted field holds a line break" in str(
        refusal(written(tmp_path, content))
    )


# Encodings, delimiters, compression --------------------------------------------------------------


def test_a_wrong_encoding_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, b"a;b\ns3cr3t;\xff\xff\n")
    error = refusal(path, encoding="big5")
    assert "cannot be decoded as big5" in str(error)
    assert str(path) in str(error)


def test_a_wrong_encoding_of_a_compressed_file_names_the_file_of_the_user(tmp_path: Path) -> None:
    path = written(tmp_path, gzip.compress(b"a;b\ns3cr3t;\xff\xff\n"), "table.csv.gz")
    assert str(path) in str(refusal(path, encoding="big5"))


@pytest.mark.parametrize("encoding", ["big6", "", "no such thing", "rot13", "base64"])
def test_an_unknown_encoding_is_refused(encoding: str, tmp_path: Path) -> None:
    error = refusal(written(tmp_path, b"a;b\n1;2\n"), encoding=encoding)
    assert isinstance(error, OptionError)
    assert repr(encoding) in str(error)


@pytest.mark.parametrize("delimiter", ["", ";;", "\\t"])
def test_a_delimiter_is_one_character(delimiter: str, tmp_path: Path) -> None:
    error = refusal(written(tmp_path, b"a;b\n1;2\n"), delimiter=delimiter)
    assert isinstance(error, OptionError)
    assert "must be one character" in str(error)


@pytest.mark.parametrize("delimiter", ['"', "\n", "\r"])
def test_a_delimiter_is_no_quote_and_no_line_break(delimiter: str, tmp_path: Path) -> None:
    error = refusal(written(tmp_path, b"a;b\n1;2\n"), delimiter=delimiter)
    assert isinstance(error, OptionError)


@pytest.mark.parametrize(("ending", "kind"), [("gz", "gzip"), ("bz2", "bz2"), ("zst", "zstd")])
def test_a_file_that_is_not_compressed_as_its_name_says(
    ending: str, kind: str, tmp_path: Path
) -> None:
    path = written(tmp_path, b"a;b\ns3cr3t;2\n", f"table.csv.{ending}")
    assert str(refusal(path)) == f"{path}: cannot be unpacked as {kind}"


def test_a_compressed_file_cut_short(tmp_path: Path) -> None:
    whole = gzip.compress(b"a;b\n" + b"s3cr3t;2\n" * 1000)
    path = written(tmp_path, whole[: len(whole) // 2], "table.csv.gz")
    assert "cannot be unpacked as gzip" in str(refusal(path))


# Parquet -----------------------------------------------------------------------------------------


def parquet_file(path: Path, **columns: Any) -> Path:
    parquet.write_table(pa.table(columns), path)
    return path


def test_a_parquet_file_cut_short(tmp_path: Path) -> None:
    path = parquet_file(tmp_path / "t.parquet", a=[PRIVATE] * 1000)
    path.write_bytes(path.read_bytes()[:-100])
    assert f"{path}: cannot be read as Parquet" in str(refusal(path))


def test_a_parquet_file_with_broken_pages(tmp_path: Path) -> None:
    path = parquet_file(tmp_path / "t.parquet", a=[PRIVATE] * 1000, b=list(range(1000)))
    broken = bytearray(path.read_bytes())
    broken[10:60] = b"\xff" * 50
    path.write_bytes(bytes(broken))
    assert str(path) in str(refusal(path))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"a": [PRIVATE]}, {"b": [PRIVATE]}),
        ({"a": [PRIVATE]}, {"a": [PRIVATE], "b": [PRIVATE]}),
        ({"a": [PRIVATE], "b": [PRIVATE]}, {"a": [PRIVATE]}),
        ({"a": [PRIVATE], "b": [PRIVATE]}, {"b": [PRIVATE], "a": [PRIVATE]}),
        ({"a": [1]}, {"a": [PRIVATE]}),
    ],
    ids=["other column", "one more", "one less", "other order", "other kind"],
)
def test_parquet_files_that_do_not_fit_together(
    first: dict[str, Any], second: dict[str, Any], tmp_path: Path
) -> None:
    """A column that only some files have must not vanish without a word."""
    paths = [
        parquet_file(tmp_path / "0.parquet", **first),
        parquet_file(tmp_path / "1.parquet", **second),
    ]
    assert str(tmp_path) in str(refusal(paths))


def test_several_csv_files_are_refused(tmp_path: Path) -> None:
    paths = [written(tmp_path, b"a;b\ns3cr3t;2\n", f"{name}.csv") for name in "xyz"]
    message = str(refusal(paths))
    assert message.startswith(f"{paths[0]} and 2 more")
    assert "only when all are Parquet" in message


def test_csv_among_parquet_is_refused(tmp_path: Path) -> None:
    paths = [parquet_file(tmp_path / "0.parquet", a=[PRIVATE]), written(tmp_path, b"a\ns3cr3t\n")]
    assert "only when all are Parquet" in str(refusal(paths))


# Paths and things that are no table --------------------------------------------------------------


@pytest.mark.parametrize("name", ["missing.csv", "missing-*.parquet", "missing/table.csv"])
def test_a_missing_file(name: str, tmp_path: Path) -> None:
    assert str(refusal(tmp_path / name)) == f"file {str(tmp_path / name)!r} does not exist"


def test_a_missing_file_in_a_list(tmp_path: Path) -> None:
    there = parquet_file(tmp_path / "t.parquet", a=[1])
    assert "missing.parquet' does not exist" in str(refusal([there, tmp_path / "missing.parquet"]))


def test_a_folder_without_parquet(tmp_path: Path) -> None:
    written(tmp_path, b"a;b\ns3cr3t;2\n")
    assert str(refusal(tmp_path)) == f"folder {str(tmp_path)!r} holds no .parquet file"


def test_no_files_at_all() -> None:
    assert str(refusal([])) == "the list of files is empty"


def test_an_empty_path_is_not_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet_file(tmp_path / "t.parquet", a=[PRIVATE])
    monkeypatch.chdir(tmp_path)
    assert isinstance(refusal(""), InputError)


def test_a_device_is_no_table() -> None:
    assert "/dev/null" in str(refusal("/dev/null"))


@pytest.mark.parametrize(
    "thing",
    [None, 7, {"a": [PRIVATE]}, [1, 2], b"a;b\ns3cr3t;2\n", pl.Series([PRIVATE]), object()],
    ids=["none", "number", "dict", "numbers", "bytes", "series", "object"],
)
def test_things_that_are_no_table(thing: Any) -> None:
    message = str(refusal(thing))
    assert message.startswith("a table must be a path or a frame (pandas, Polars")
    assert message.endswith(f"got {type(thing).__name__}")
