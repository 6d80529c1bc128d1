"""Files that are read: delimiters, quotes, encodings, compression, folders, odd paths."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import json
import os
import random
import re
import stat
import subprocess
import sys
import warnings
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import parquet

import petaudit
from petaudit.cli import main
from petaudit.errors import ColumnError, InputError, PetauditWarning
from petaudit.labels.cells import BLANKS, trim
from petaudit.tables import Source, open_source
from petaudit.tables.csv_files import _MANY_COLUMNS, _trimmed
from tables.engines import label

Rows = list[tuple[str | None, ...]]


def rows(source: Source) -> Rows:
    columns = [source.counts.columns_values([name])[0].to_pylist() for name in source.columns]
    return [tuple(map(label, row)) for row in zip(*columns, strict=True)]


def written(folder: Path, content: str | bytes, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return path


# Delimiters --------------------------------------------------------------------------------------

MARKS = [";", ",", "\t", "|"]


@pytest.mark.parametrize("mark", MARKS)
def test_delimiter_is_found(mark: str, tmp_path: Path) -> None:
    path = written(tmp_path, f"zip{mark}age\n476**{mark}2*\n479**{mark}>=40\n")
    source = open_source(path)
    assert source.columns == ("zip", "age")
    assert rows(source) == [("476**", "2*"), ("479**", ">=40")]


@pytest.mark.parametrize("mark", [*MARKS, ":", " ", "；"])
def test_delimiter_can_be_given(mark: str, tmp_path: Path) -> None:
    path = written(tmp_path, f"zip{mark}age\n476**{mark}2*\n")
    assert rows(open_source(path, delimiter=mark)) == [("476**", "2*")]


@pytest.mark.parametrize("mark", MARKS)
def test_labels_may_hold_the_other_delimiters(mark: str, tmp_path: Path) -> None:
    cells = [other for other in MARKS if other != mark]
    text = f"age{mark}city\n" + "".join(f"[20{other}30[{mark}a{other}b\n" for other in cells)
    source = open_source(written(tmp_path, text))
    assert source.columns == ("age", "city")
    assert rows(source) == [(f"[20{other}30[", f"a{other}b") for other in cells]


@pytest.mark.parametrize("mark", MARKS)
def test_every_line_with_the_same_other_delimiter_misleads_nobody(
    mark: str, tmp_path: Path
) -> None:
    """Ranges in every line, but only the header tells what parts columns."""
    other = "," if mark != "," else ";"
    path = written(tmp_path, f"age{mark}city\n[20{other}30[{mark}x\n[30{other}40[{mark}y\n")
    assert rows(open_source(path)) == [(f"[20{other}30[", "x"), (f"[30{other}40[", "y")]


@pytest.mark.parametrize("delimiter", [None, ";", ","])
def test_a_single_column_has_no_delimiter(delimiter: str | None, tmp_path: Path) -> None:
    source = open_source(written(tmp_path, "age\n2*\n\n>=40\n"), delimiter=delimiter)
    assert source.columns == ("age",)
    assert rows(source) == [("2*",), (None,), (">=40",)]


def test_a_single_column_of_ranges(tmp_path: Path) -> None:
    assert rows(open_source(written(tmp_path, "age\n[20,30[\n[30,40[\n"))) == [
        ("[20,30[",),
        ("[30,40[",),
    ]


def test_a_given_delimiter_wins_over_the_one_found(tmp_path: Path) -> None:
    source = open_source(written(tmp_path, "a;b,c\n1;2,3\n"), delimiter=",")
    assert source.columns == ("a;b", "c")
    assert rows(source) == [("1;2", "3")]


# Cells -------------------------------------------------------------------------------------------


def test_quoted_cells_may_hold_delimiter_and_quotes(tmp_path: Path) -> None:
    path = written(tmp_path, 'a;"b;c"\n"x;y";"say ""z"""\nit\'s;plain "q"\n')
    source = open_source(path)
    assert source.columns == ("a", "b;c")
    assert rows(source) == [("x;y", 'say "z"'), ("it's", 'plain "q"')]


@pytest.mark.parametrize("cell", ["", " ", '""', '" "', "\u3000", "\u00a0\t"])
def test_an_empty_cell_is_a_null(cell: str, tmp_path: Path) -> None:
    assert rows(open_source(written(tmp_path, f"a;b\n{cell};x\n"))) == [(None, "x")]


@pytest.mark.parametrize("word", ["NULL", "null", "NA", "nan", "None", "\\N", "-", "#"])
def test_words_for_nothing_stay_words(word: str, tmp_path: Path) -> None:
    assert rows(open_source(written(tmp_path, f"a;b\n{word};x\n"))) == [(word, "x")]


@pytest.mark.parametrize("cell", ["007", "1.0", "1e3", "2020-01-01", "true", "197*", "+5", "'"])
def test_cells_are_read_as_text(cell: str, tmp_path: Path) -> None:
    assert rows(open_source(written(tmp_path, f"a;b\n{cell};x\n"))) == [(cell, "x")]


def test_headers_are_trimmed(tmp_path: Path) -> None:
    path = written(tmp_path, ' zip ;"age\u3000";\u00a0city\n1;2;3\n')
    assert open_source(path).columns == ("zip", "age", "city")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end: str, tmp_path: Path) -> None:
    lines = ["a;b", "1;2", "3;4"]
    for last in (end, ""):
        path = written(tmp_path, end.join(lines) + last)
        assert rows(open_source(path)) == [("1", "2"), ("3", "4")]


@pytest.mark.parametrize("text", ["a;b\r\n1;2\n3;4\r\n", "a;b\n1;2\r\n3;4\n"])
def test_mixed_line_ends_are_read_or_named(text: str, tmp_path: Path) -> None:
    """Files joined from two systems have them; blaming a quote would lead nowhere."""
    path = written(tmp_path, text)
    try:
        source = open_source(path)
    except InputError as problem:
        assert re.search("line endings|lines .* end", str(problem))  # noqa: PT017 (both serve)
    else:
        assert rows(source) == [("1", "2"), ("3", "4")]


def test_blank_lines_between_rows_of_several_columns_are_no_rows(tmp_path: Path) -> None:
    assert rows(open_source(written(tmp_path, "a;b\n1;2\n\n3;4\n\n"))) == [("1", "2"), ("3", "4")]


def test_rows_of_nulls_are_kept_if_asked(tmp_path: Path) -> None:
    path = written(tmp_path, "a;b\n;\n1;2\n;\n")
    assert rows(open_source(path)) == [("1", "2")]
    kept = open_source(path, blank_rows="keep")
    assert rows(kept) == [(None, None), ("1", "2"), (None, None)]
    assert rows(open_source(written(tmp_path, "a\n\n1\n"))) == [(None,), ("1",)]


@pytest.mark.parametrize("text", ["\n\na;b\n1;2\n", "\r\na;b\r\n1;2\r\n", "\na\n1\n"])
def test_blank_lines_before_the_header_are_passed_over_or_named(text: str, tmp_path: Path) -> None:
    """Else a blank line becomes the header, and the header a row."""
    path = written(tmp_path, text)
    try:
        source = open_source(path)
    except InputError as problem:
        assert re.search("line 1.*(blank|empty)", str(problem))  # noqa: PT017 (both serve)
    else:
        assert source.columns[0] == "a"
        assert source.rows == 1


def test_a_row_number_column_without_a_name_is_kept(tmp_path: Path) -> None:
    """What ``DataFrame.to_csv`` and R write by default."""
    source = open_source(written(tmp_path, ",zip\n0,476**\n1,479**\n"))
    assert source.columns == ("", "zip")
    assert rows(source) == [("0", "476**"), ("1", "479**")]


def test_names_that_differ_in_case_are_two_columns(tmp_path: Path) -> None:
    source = open_source(written(tmp_path, "Zip;zip\n1;2\n"))
    assert source.columns == ("Zip", "zip")
    assert rows(source) == [("1", "2")]


@pytest.mark.parametrize("letter", ["x", "名"])
def test_a_header_longer_than_any_sample(letter: str, tmp_path: Path) -> None:
    names = [f"{letter * 8000} {place}" for place in range(10)]
    path = written(tmp_path, ";".join(names) + "\n" + ";".join("0123456789") + "\n")
    source = open_source(path)
    assert source.columns == tuple(names)
    assert rows(source) == [tuple("0123456789")]


def test_a_cell_of_megabytes(tmp_path: Path) -> None:
    """Beyond DuckDB's usual limit of 2 MiB for a line."""
    source = open_source(written(tmp_path, "a;b\n1;" + "x" * 3_000_000 + "\n2;y\n"))
    assert rows(source) == [("1", "x" * 3_000_000), ("2", "y")]


def test_thousands_of_columns(tmp_path: Path) -> None:
    names = [f"n{number}" for number in range(5_000)]
    path = written(tmp_path, ";".join(names) + "\n" + ";".join(f"v{name}" for name in names) + "\n")
    source = open_source(path)
    assert source.columns == tuple(names)
    assert source.counts.value_counts("n4999").labels == ("vn4999",)


def test_parquet_names_that_differ_in_case_keep_their_names(tmp_path: Path) -> None:
    """DuckDB calls the second of them A_1, which may be the name of another column."""
    names = ["a", "A", "A_1", "a_1", "x_1"]
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({name: [name] for name in names}), path)
    for given in (path, [path, path]):
        source = open_source(given)
        assert source.columns == tuple(names)
        assert set(rows(source)) == {tuple(names)}


@pytest.mark.parametrize("column", ["list", "bytes"])
def test_a_column_that_nobody_counts_may_be_of_any_kind(column: str, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"a": ["x"], "list": [[1]], "bytes": [b"1"]}), path)
    source = open_source(path)
    assert source.counts.value_counts("a").labels == ("x",)
    with pytest.raises(ColumnError, match=f"'{column}' is of kind"):
        source.counts.value_counts(column)


def test_many_rows_keep_their_order(tmp_path: Path) -> None:
    expected = [(str(row), str(row * 7919 % 100_003)) for row in range(200_000)]
    text = "id;v\n" + "".join(f"{one};{other}\n" for one, other in expected)
    assert rows(open_source(written(tmp_path, text))) == expected


# Encodings and compression -----------------------------------------------------------------------


@pytest.mark.parametrize("header", ["城市;年", '"城市";年', "城市"])
def test_a_byte_order_mark_is_no_part_of_the_first_name(header: str, tmp_path: Path) -> None:
    width = header.count(";") + 1
    path = written(tmp_path, "\ufeff" + header + "\n" + ";".join(["臺北"] * width) + "\n")
    source = open_source(path)
    assert source.columns[0] == "城市"
    assert rows(source) == [("臺北",) * width]


@pytest.mark.parametrize("encoding", ["big5", "utf-16", "utf-16-le", "gb18030", "UTF-8", "utf_8"])
def test_an_encoding_can_be_given(encoding: str, tmp_path: Path) -> None:
    path = written(tmp_path, "城市;年\n臺北;三十\n".encode(encoding))
    source = open_source(path, encoding=encoding)
    assert source.columns == ("城市", "年")
    assert rows(source) == [("臺北", "三十")]
    assert source.paths == (path,)


def test_latin_1_text(tmp_path: Path) -> None:
    path = written(tmp_path, "ville;n\nBesançon;1\n".encode("latin-1"))
    assert rows(open_source(path, encoding="latin-1")) == [("Besançon", "1")]


def compressed(content: bytes, ending: str) -> bytes:
    if ending == "gz":
        return gzip.compress(content)
    if ending == "bz2":
        return bz2.compress(content)
    return pa.compress(content, codec="zstd", asbytes=True)


@pytest.mark.parametrize("ending", ["gz", "bz2", "zst", "GZ"])
def test_compressed_csv(ending: str, tmp_path: Path) -> None:
    content = compressed("城市;年\n臺北;30\n".encode(), ending.lower())
    path = written(tmp_path, content, f"table.csv.{ending}")
    source = open_source(path)
    assert rows(source) == [("臺北", "30")]
    assert source.name == str(path)


def test_compressed_csv_in_another_encoding(tmp_path: Path) -> None:
    path = written(tmp_path, gzip.compress("城市\n臺北\n".encode("big5")), "table.csv.gz")
    assert rows(open_source(path, encoding="big5")) == [("臺北",)]


@pytest.mark.parametrize("ending", ["gz", "bz2", "zst"])
def test_compressed_parquet(ending: str, tmp_path: Path) -> None:
    plain = tmp_path / "table.parquet"
    parquet.write_table(pa.table({"a": ["x", None], "n": [1, 2]}), plain)
    content = compressed(plain.read_bytes(), ending)
    path = written(tmp_path, content, f"other.parquet.{ending}")
    assert rows(open_source(path)) == [("x", "1"), (None, "2")]


@pytest.mark.parametrize("codec", ["snappy", "zstd", "gzip", "none"])
def test_parquet_of_any_page_compression(codec: str, tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    parquet.write_table(pa.table({"a": ["x"] * 100}), path, compression=codec)
    assert open_source(path).rows == 100


def test_the_kind_of_a_file_is_in_its_bytes_not_in_its_name(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"a": ["x"]}), tmp_path / "table.csv")
    assert rows(open_source(tmp_path / "table.csv")) == [("x",)]
    assert rows(open_source(written(tmp_path, "a;b\n1;2\n", "table.dat"))) == [("1", "2")]


# Folders, patterns and odd paths -----------------------------------------------------------------


def parts(folder: Path) -> list[Path]:
    folder.mkdir(exist_ok=True)
    made = []
    for name, value in (("part-0", "x"), ("part-1", "y"), ("part-2", "x")):
        made.append(folder / f"{name}.parquet")
        parquet.write_table(pa.table({"a": [value, value]}), made[-1])
    return made


def test_a_folder_of_parquet_files_is_one_table(tmp_path: Path) -> None:
    made = parts(tmp_path / "parts")
    (tmp_path / "parts" / "_SUCCESS").touch()
    source = open_source(tmp_path / "parts")
    assert source.counts.value_counts("a").counts.tolist() == [4, 2]
    assert source.paths == tuple(made)
    assert source.name == str(tmp_path / "parts")


def test_a_pattern_of_parquet_files_is_one_table(tmp_path: Path) -> None:
    made = parts(tmp_path)
    source = open_source(str(tmp_path / "part-[01].parquet"))
    assert source.counts.value_counts("a").counts.tolist() == [2, 2]
    assert source.paths == tuple(made[:2])


def test_a_list_of_parquet_files_is_one_table(tmp_path: Path) -> None:
    made = parts(tmp_path)
    source = open_source([str(made[2]), made[0]])
    assert rows(source) == [("x",)] * 4
    assert source.paths == (made[2], made[0])


ODD_NAMES = [
    "it's",
    'say "x"',
    "two  words",
    "表格",
    "naïve 😀",
    "a;b,c",
    "100%",
    "$HOME",
    "-dash",
    "year=2020",
    "back\\slash",
    "back\\slash[1]",
    os.fsdecode(b"caf\xe9"),
    "a[1]",
    "what?",
    "all*",
    "{a,b}",
]


@pytest.mark.parametrize("name", ODD_NAMES)
@pytest.mark.parametrize("ending", ["csv", "parquet", "csv.gz"])
def test_paths_of_any_name(name: str, ending: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    folder.mkdir()
    path = folder / f"{name}.{ending}"
    if ending == "parquet":
        with path.open("wb") as file:
            parquet.write_table(pa.table({"a": ["right"], "b": ["1"]}), file)
    else:
        content = b"a;b\nright;1\n"
        path.write_bytes(gzip.compress(content) if ending.endswith("gz") else content)
    for given in (path, str(path)):
        source = open_source(given)
        assert source.columns == ("a", "b")
        assert rows(source) == [("right", "1")]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize(("name", "decoy"), [("a[1]", "a1"), ("b?", "bx"), ("c*", "cc")])
def test_a_name_like_a_pattern_is_the_file_of_that_name(
    name: str, decoy: str, ending: str, tmp_path: Path
) -> None:
    """An audit of the neighbour's table would be a verdict about the wrong data."""
    for stem in (name, decoy):
        if ending == "csv":
            written(tmp_path, f"a;b\n{stem};1\n", f"{stem}.csv")
        else:
            parquet.write_table(pa.table({"a": [stem]}), tmp_path / f"{stem}.parquet")
    source = open_source(tmp_path / f"{name}.{ending}")
    assert source.counts.value_counts("a").labels == (name,)


def test_a_home_folder_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, "a;b\n1;2\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert open_source("~/table.csv").rows == 1


def test_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, "a;b\n1;2\n")
    monkeypatch.chdir(tmp_path)
    assert open_source("table.csv").rows == 1


# What a source tells -----------------------------------------------------------------------------


def test_a_fingerprint_identifies_a_file_and_shows_no_cell(tmp_path: Path) -> None:
    path = written(tmp_path, "a;b\nsecret;2\n")
    result = open_source(path).fingerprint()
    assert result == {
        "name": str(path),
        "rows": 1,
        "columns": ["a", "b"],
        "engine": "duckdb",
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }


def test_a_fingerprint_of_a_frame_has_no_hash() -> None:
    result = open_source(pa.table({"a": [1, 2]})).fingerprint()
    assert result == {"name": "the frame", "rows": 2, "columns": ["a"], "engine": "pyarrow"}


def test_a_csv_file_is_counted_as_it_was_when_opened(tmp_path: Path) -> None:
    path = written(tmp_path, "a;b\n1;2\n")
    source = open_source(path)
    path.unlink()
    assert rows(source) == [("1", "2")]


# The private folder ------------------------------------------------------------------------------

SHOW_FOLDER = """
import gzip, pathlib, stat, sys
from petaudit.tables import open_source
from petaudit.tables._private_folder import private_folder
path = pathlib.Path(sys.argv[1])
source = open_source(path, encoding="big5")
assert source.counts.value_counts(source.columns[0]).labels
folder = private_folder()
print(oct(stat.S_IMODE(folder.stat().st_mode)), len(list(folder.iterdir())), folder)
if len(sys.argv) > 2:
    raise SystemExit(int(sys.argv[2]))
"""


@pytest.mark.parametrize("exit_code", [0, 2])
def test_temporary_files_are_private_and_gone_at_exit(exit_code: int, tmp_path: Path) -> None:
    path = written(tmp_path, gzip.compress("城市;年\n臺北;3\n".encode("big5")), "t.csv.gz")
    held = tmp_path / "temporary"
    held.mkdir()
    # A lax umask, so that the mode is not private by luck.
    done = subprocess.run(
        [sys.executable, "-c", SHOW_FOLDER, str(path), str(exit_code)],
        env=os.environ | {"TMPDIR": str(held)},
        umask=0,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == exit_code
    assert done.stderr == ""
    mode, files, folder = done.stdout.split(maxsplit=2)
    assert mode == oct(stat.S_IRWXU)
    assert int(files) >= 2, "the unpacked and the recoded table were there"
    assert Path(folder.strip()).parent == held
    assert list(held.iterdir()) == []


NOTE = (
    "folder 'people': {number} left out, because only .parquet files that are not hidden belong to "
    "the table: {names}"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    made = Path("people")
    made.mkdir()
    for part in range(2):
        pq.write_table(pa.table({"zip": [f"{part}", "7"], "age": [1, 2]}), made / f"{part}.parquet")
    return made


def test_nothing_is_said_of_what_engines_keep_beside_their_files(folder: Path) -> None:
    for name in ("_SUCCESS", "_metadata", "_common_metadata", ".0.parquet.crc", "_committed_17"):
        (folder / name).write_bytes(b"x")
    result = open_source(folder)
    assert (result.rows, result.notes) == (4, ())


def test_strays_are_counted_and_named(folder: Path) -> None:
    (folder / "stray.csv").write_text("zip;age\n1;2\n")
    (folder / "sub").mkdir()
    pq.write_table(pa.table({"zip": ["9"], "age": [9]}), folder / ".hidden.parquet")
    result = open_source(folder)
    assert result.rows == 4
    assert result.notes == (
        NOTE.format(number="3 entries", names=".hidden.parquet, stray.csv, sub/"),
    )


def test_as_many_texts_as_parts_are_refused(folder: Path) -> None:
    (folder / "a.csv").write_text("zip;age\n")
    assert open_source(folder).rows == 4
    (folder / "b.CSV.gz").write_bytes(b"x")
    with pytest.raises(
        InputError, match=r"folder 'people' holds 2 \.parquet and 2 \.csv files; name"
    ):
        open_source(folder)


def test_a_folder_of_hidden_files_holds_no_table(folder: Path) -> None:
    for path in list(folder.iterdir()):
        path.rename(folder / f"._{path.name}")
    with pytest.raises(InputError, match=r"holds no \.parquet file"):
        open_source(folder)


def test_it_is_said_in_python_check_and_run(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "stray.csv").write_text("zip;age\n1;2\n")
    said = NOTE.format(number="1 entry", names="stray.csv")
    with pytest.warns(PetauditWarning, match="stray.csv"):
        petaudit.k_anonymity(folder, quasi_identifiers="zip")
    assert said in petaudit.audit(folder, quasi_identifiers="zip").warnings
    assert main(["check", "people", "--qi", "zip"]) == 0
    assert said in " ".join(capsys.readouterr().out.split())
    assert main(["check", "people", "--qi", "zip", "--format", "json"]) == 0
    assert said in capsys.readouterr().out
    assert main(["mpuccs", "people", "people", "--no-advice"]) == 0
    assert said in " ".join(capsys.readouterr().out.split())
    Path("a.yaml").write_text(
        "Loader: {a: {filepath: people, roles: {quasi_identifier: zip}}}\n"
        "Evaluator: {k: {method: k-anonymity}}\n"
    )
    assert main(["run", "a.yaml", "--out", "o"]) == 0
    document = json.loads(Path("o/result.json").read_text())
    assert "stray.csv" in json.dumps([result["warnings"] for result in document["results"]])


def test_a_table_of_its_own_has_no_notes(folder: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        petaudit.k_anonymity(folder, quasi_identifiers="zip")


# Blanks of ours, one that is none of ours, and letters of one to four bytes; one joins another.
LETTERS = [*BLANKS, "\u2003", "a", "b", "'", "é", "中", "😀", "e\u0301"]


@pytest.mark.parametrize("width", [1, _MANY_COLUMNS + 1])
def test_as_labels_are(width: int) -> None:
    draw = random.Random(7)  # noqa: S311 (no secrets)
    cells = ["".join(draw.choices(LETTERS, k=draw.randrange(6))) for _ in range(20_000)]
    table = pa.table({"c": pa.array([None, *cells], pa.string())})
    connection = duckdb.connect()
    connection.register("given", table)
    result = connection.sql(f"SELECT {_trimmed('c', width)} FROM given").fetchall()  # noqa: S608
    assert [entry for (entry,) in result] == [None, *(trim(cell) or None for cell in cells)]
