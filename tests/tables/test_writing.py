"""Tables as files: read back as they were, harmless in a spreadsheet, and streamed."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from petaudit.errors import ColumnError
from petaudit.system.output import write_whole
from petaudit.tables import open_source, writing
from petaudit.tables.writing import table_writer

TABLE = pa.table({"a": ["1", None, "q\"u;o'te"], "b": [1, 2, None], "é": ["x", "年", ""]})


def test_parquet_is_read_back_as_it_was(tmp_path: Path) -> None:
    write_whole(tmp_path / "t.parquet", table_writer(TABLE, "parquet"))
    assert pq.read_table(tmp_path / "t.parquet").equals(TABLE)


def test_csv_is_read_back_by_our_own_reader(tmp_path: Path) -> None:
    write_whole(tmp_path / "t.csv", table_writer(TABLE, "csv"))
    source = open_source(tmp_path / "t.csv")
    assert source.columns == ("a", "b", "é")
    read = [source.counts.columns_values([name])[0].to_pylist() for name in source.columns]
    # In CSV a blank and a missing cell are one.
    assert read == [["1", None, "q\"u;o'te"], ["1", "2", None], ["x", "年", None]]


def test_only_cells_that_need_quotes_have_them(tmp_path: Path) -> None:
    cells = ["plain", "a b", "it's", "a;b", 'say "x"', "a\nb", "a\rb", "", None]
    table = pa.table({"a;": cells, "n": [1, 2, 3, 4, 5, 6, 7, 8, 9], "f": [1.0] * 8 + [None]})
    write_whole(tmp_path / "t.csv", table_writer(table, "csv"))
    assert (tmp_path / "t.csv").read_bytes() == (
        b'"a;";n;f\nplain;1;1\na b;2;1\nit\'s;3;1\n"a;b";4;1\n"say ""x""";5;1\n'
        b'"a\nb";6;1\n"a\rb";7;1\n;8;1\n;9;\n'
    )


def test_floats_of_32_bits_are_written_as_they_are_counted(tmp_path: Path) -> None:
    table = pa.table({"dose": pa.array([0.1, None, 2.5], pa.float32())})
    for kind in ("csv", "json"):
        write_whole(tmp_path / "t", table_writer(table, kind))
        text = (tmp_path / "t").read_text(encoding="utf-8")
        assert "0.1" in text
        assert "0.10" not in text


def test_csv_of_one_column_keeps_its_nulls(tmp_path: Path) -> None:
    """A null alone in its line must not become a blank line, which readers skip."""
    write_whole(tmp_path / "t.csv", table_writer(pa.table({"a": ["1", None, "2"]}), "csv"))
    assert open_source(tmp_path / "t.csv").rows == 3


def test_the_same_table_gives_the_same_bytes(tmp_path: Path) -> None:
    for kind in ("csv", "parquet", "json"):
        for name in ("1", "2"):
            write_whole(tmp_path / name, table_writer(TABLE, kind))
        assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


# Any text ----------------------------------------------------------------------------------------

ODD = [
    "a;b",
    'say "x"',
    '"',
    '""',
    "a\nb",
    "a\rb",
    "a\r\nb",
    "\n",
    ";",
    "'",
    "=1",
    "年",
    "a,b",
    "\\",
]
cells = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(ODD)


def written(table: pa.Table, kind: str, **options: bool) -> str:
    file = io.BytesIO()
    table_writer(table, kind, **options)(file)
    return file.getvalue().decode()


def read_csv(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=";", strict=True))


@given(st.lists(st.tuples(cells, cells)), st.tuples(cells, cells), st.booleans())
def test_csv_of_any_text_is_read_back(
    rows: list[tuple[str, str]], names: tuple[str, str], is_safe: bool
) -> None:
    columns = [pa.array([row[place] for row in rows], pa.string()) for place in (0, 1)]
    table = pa.Table.from_arrays(columns, names=list(names))
    read = read_csv(written(table, "csv", formula_safe=is_safe))
    for result, expected in zip(read, [names, *rows], strict=True):
        for cell, entry in zip(result, expected, strict=True):
            assert cell == entry or (is_safe and cell == f"'{entry}")


def test_our_own_reader_reads_odd_cells_back(tmp_path: Path) -> None:
    odd = [cell for cell in ODD if "\n" not in cell and "\r" not in cell]
    table = pa.table({"odd;": odd, "n": list(range(len(odd)))})
    for is_safe in (False, True):
        writer = table_writer(table, "csv", formula_safe=is_safe)
        write_whole(tmp_path / "t.csv", writer)
        source = open_source(tmp_path / "t.csv")
        assert source.columns == ("odd;", "n")
        result = source.counts.columns_values(["odd;"])[0].to_pylist()
        assert result == ["'=1" if is_safe and cell == "=1" else cell for cell in odd]


# Formulas ----------------------------------------------------------------------------------------

FORMULAS = [
    *("=1+1", "=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(A1)", "＝1", "＋1", "－1", "＠x"),
    *("\t=1", "\tx", "\rx", "\nx", "  =1", "\u00a0=1", "\u3000=1", "\ufeff=1", "\u200b=1", " \n x"),
    *("\0=1", "-5 EUR", "+886 2 2345", "--5", "-5-5", "-1,5", "-inf", "=5", "+-5", "-５"),
]
HARMLESS = [
    *("a", "1+1", "a=1", "'=1", "", " ", "x@y.org", "-5", "+3.2e1", "-0.5", "+.5", "-5.", " -5"),
    *("-1e-05", "*", "197*", "(5)", "年=1", "-", "--", "－"),
]


@pytest.mark.parametrize("cell", FORMULAS)
def test_what_a_spreadsheet_would_run_gets_an_apostrophe(cell: str) -> None:
    table = pa.table({cell: [cell], "n": [1]})
    for kind in (pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())):
        entry = table.set_column(0, cell, pa.array([cell], pa.string()).cast(kind))
        assert read_csv(written(entry, "csv", formula_safe=True)) == [
            [f"'{cell}", "n"],
            [f"'{cell}", "1"],
        ]
        assert read_csv(written(entry, "csv")) == [[cell, "n"], [cell, "1"]]


@pytest.mark.parametrize("cell", HARMLESS)
def test_what_no_spreadsheet_would_run_stays(cell: str) -> None:
    table = pa.table({cell: [cell], "n": [1]})
    assert written(table, "csv", formula_safe=True) == written(table, "csv")


def test_numbers_and_dates_stay_what_they_are() -> None:
    table = pa.table(
        {
            "whole": [-5, None],
            "number": [-0.5, -math.inf],
            "exact": [Decimal("-1.50"), None],
            "truth": [True, None],
            "day": [date(2024, 1, 2), None],
            "mixed": ["-5", "-x"],
        }
    )
    assert written(table, "csv", formula_safe=True) == (
        "whole;number;exact;truth;day;mixed\n-5;-0.5;-1.5;True;2024-01-02;-5\n;-inf;;;;'-x\n"
    )


# JSON --------------------------------------------------------------------------------------------


def test_json_has_a_row_on_each_line() -> None:
    assert written(TABLE, "json") == (
        '[\n{"a": "1", "b": 1, "é": "x"},\n{"a": null, "b": 2, "é": "年"},\n'
        '{"a": "q\\"u;o\'te", "b": null, "é": ""}\n]\n'
    )


@pytest.mark.parametrize(
    "table",
    [pa.table({}), TABLE.slice(0, 0), pa.table({"a": pa.chunked_array([[]], pa.string())})],
    ids=["no columns", "no rows", "an empty piece"],
)
def test_json_of_nothing_is_an_empty_list(table: pa.Table) -> None:
    assert written(table, "json") == "[]\n"


def test_json_writes_values_as_the_format_can_hold_them() -> None:
    values: dict[str, tuple[Any, Any]] = {
        "whole": (2**62 + 1, 2**62 + 1),
        "number": (0.1, 0.1),
        "round": (3.0, 3.0),
        "nan": (math.nan, None),
        "infinite": (math.inf, "inf"),
        "negative": (-math.inf, "-inf"),
        "truth": (True, True),
        "exact": (Decimal("0.10000000000000000000000000001"), "0.10000000000000000000000000001"),
        "day": (date(2024, 1, 2), "2024-01-02"),
        "moment": (datetime(2024, 1, 2), "2024-01-02T00:00:00"),
        "hour": (time(3, 4), "03:04:00"),
        "list": (["a", None], ["a", None]),
        "numbers": ([1.5, math.nan], [1.5, None]),
        "struct": ({"x": date(2024, 1, 2)}, {"x": "2024-01-02"}),
        "text": ("=\u2028\0\n", "=\u2028\0\n"),
    }
    table = pa.table({name: [value, None] for name, (value, _) in values.items()})
    expected = {name: result for name, (_, result) in values.items()}
    text = written(table, "json")
    assert strict_json(text) == [expected, dict.fromkeys(expected)]
    assert len(text.split("\n")) == 5


def strict_json(text: str) -> Any:
    def refuse(word: str) -> None:
        raise AssertionError(word)

    return json.loads(text, parse_constant=refuse)


@given(st.lists(st.tuples(cells, st.none() | st.floats() | st.integers(-9, 9).map(float))))
def test_json_of_anything_is_read_back(rows: list[tuple[str, float | None]]) -> None:
    columns = [pa.array([text for text, _ in rows], pa.string())]
    columns.append(pa.array([number for _, number in rows], pa.float64()))
    result = strict_json(written(pa.Table.from_arrays(columns, names=["年\n", '"']), "json"))
    for row, (text, number) in zip(result, rows, strict=True):
        assert row["年\n"] == text
        if number is None or math.isnan(number):
            assert row['"'] is None
        else:
            assert float(row['"']) == number


def test_pieces_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = pa.concat_tables([TABLE.slice(0, 0), TABLE, TABLE.slice(0, 0), TABLE])
    whole = pieces.combine_chunks()
    for kind in ("csv", "json"):
        expected = written(whole, kind)
        with monkeypatch.context() as patched:
            patched.setattr(writing, "_ROWS_AT_ONCE", 2)
            assert written(pieces, kind) == written(whole, kind) == expected
        assert expected.count("\n") == 6 + {"csv": 1, "json": 2}[kind]


def test_a_table_is_written_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are many times larger as Python's own values, so not all of them are made at once."""
    made = 0
    batches = writing._batches

    def counted(table: pa.Table) -> Iterator[list[list[Any]]]:
        nonlocal made
        for batch in batches(table):
            made += len(batch[0])
            yield batch

    class Watching(io.BytesIO):
        most_at_once = 0

        def write(self, text: Any) -> int:
            nonlocal made
            self.most_at_once, made = max(self.most_at_once, made), 0
            return super().write(text)

    monkeypatch.setattr(writing, "_batches", counted)
    monkeypatch.setattr(writing, "_ROWS_AT_ONCE", 10)
    for kind in ("csv", "json"):
        file = Watching()
        table_writer(pa.table({"a": list(range(1000))}), kind)(file)
        assert 0 < file.most_at_once <= 10


def test_two_columns_of_one_name_are_no_json() -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pytest.raises(ColumnError, match="two columns with the same name: a"):
        table_writer(table, "json")
    assert written(table, "csv") == "a;a\n1;2\n"


def test_lists_in_csv_are_json() -> None:
    table = pa.table({"a": [["x", 'y"', None], None], "n": [1, 2]})
    assert read_csv(written(table, "csv")) == [["a", "n"], ['["x", "y\\"", null]', "1"], ["", "2"]]
