"""Workbooks: the cells that a person sees, titles above the names, several sheets, bombs."""

from __future__ import annotations

import datetime as dt
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from messy.make import COLUMNS, patients, visits
from petaudit.errors import InputError
from petaudit.tables import Source, open_source
from petaudit.tables.formats import Format
from petaudit.tables.workbooks import MOST_UNPACKED, _checked_sizes


def cells(source: Source) -> list[tuple[str | None, ...]]:
    table = source.to_arrow()
    return [tuple(row.values()) for row in table.to_pylist()]


def workbook(path: Path, *rows: Sequence[Any], **more: Sequence[Sequence[Any]]) -> Path:
    book = Workbook()
    sheet: Any = book.active
    for row in rows:
        sheet.append(list(row))
    for title, content in more.items():
        other: Any = book.create_sheet(title)
        for row in content:
            other.append(list(row))
    book.save(path)
    return path


EXPECTED = [tuple(map(str, row.values())) for row in patients()]


@pytest.mark.parametrize("name", ["hospital.xls", "hospital.ods"])
def test_the_cells_are_those_of_the_table(name: str, messy: dict[str, Path]) -> None:
    source = open_source(messy[name])
    assert source.columns == COLUMNS
    assert cells(source) == EXPECTED
    titles = [note for note in source.notes if "title row" in note]
    assert len(titles) == (name == "hospital.xls")


def test_a_hospital_table_with_all_that_is_odd(messy: dict[str, Path]) -> None:
    source = open_source(messy["hospital.xlsx"], sheet="病人")
    assert source.columns == COLUMNS
    expected = [list(row) for row in EXPECTED]
    expected[7][-1] = None  # type: ignore[call-overload]
    assert cells(source) == [tuple(row) for row in expected]
    assert source.left_out == (30,)
    told = " ".join(source.notes)
    assert "only the sheet '病人' was looked at; the file has 1 sheet more: 代碼表" in told
    assert "1 cell in all sheets with a formula that failed" in told
    assert "the names of columns are in row 4; above it, 2 title rows left out" in told
    assert "1 row without any value, left out (else: blank_rows='keep')" in told
    kept = open_source(messy["hospital.xlsx"], sheet=1, blank_rows="keep")
    assert kept.rows == source.rows + 1
    assert cells(kept)[30] == (None,) * len(COLUMNS)
    assert cells(open_source(messy["hospital.xlsx"], sheet="2"))[0] == ("01", "內科")


def test_several_sheets_are_a_question(messy: dict[str, Path]) -> None:
    with pytest.raises(InputError, match="2 sheets hold data: 1 病人, 2 代碼表; name one"):
        open_source(messy["hospital.xlsx"])
    for sheet in ("病患", 3, "0"):
        with pytest.raises(InputError, match="there is no sheet"):
            open_source(messy["hospital.xlsx"], sheet=sheet)


def test_the_kind_is_found_by_content(messy: dict[str, Path]) -> None:
    source = open_source(messy["export.csv"], sheet="病人")
    assert source.columns == COLUMNS
    assert "export.csv is named like text, but it is an Excel workbook" in source.notes[0]


def test_a_name_that_is_not_utf8(messy: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"t\xe9.xlsx")
    path.write_bytes(messy["visits.xlsx"].read_bytes())
    assert open_source(path).rows == len(visits())


def test_cells_are_written_as_people_write_them(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "t.xlsx",
        ("whole", "part", "text", "day", "moment", "clock", "truth", "lines"),
        (7, 0.25, "007", dt.date(2024, 1, 2), dt.datetime(2024, 1, 2, 3, 4, 5), dt.time(10, 5)),
        (10**15, 1e-7, " 7 ", dt.datetime(2024, 1, 2), None, None, True, "two\nlines"),
    )
    assert cells(open_source(path)) == [
        ("7", "0.25", "007", "2024-01-02", "2024-01-02 03:04:05", "10:05:00", None, None),
        ("1000000000000000", "1e-07", "7", "2024-01-02", None, None, "True", "two lines"),
    ]


def test_a_workbook_and_its_csv_give_the_same_cells(messy: dict[str, Path]) -> None:
    book, text = open_source(messy["visits.xlsx"]), open_source(messy["visits.tsv"])
    assert book.columns == text.columns == tuple(visits()[0])
    # CSV has 11.0 where a workbook has the number 11.
    for name in book.columns:
        one, other = (source.counts.value_counts(name) for source in (book, text))
        if name != "glucose":
            assert (one.labels, one.counts.tolist()) == (other.labels, other.counts.tolist())


TITLES: dict[str, tuple[list[list[Any]], tuple[str, ...] | None, int]] = {
    "nothing above": ([["a", "b"], [1, 2]], ("a", "b"), 1),
    "a title and a blank row": ([["Title"], [], ["a", "b"], [1, 2]], ("a", "b"), 1),
    "a column of numbers without a name": ([["", "b"], [0, 2], [1, 3]], ("", "b"), 2),
    "a stray cell beside one column": ([["a"], [1], [2], [3, "x"]], None, 0),
    "one column": ([["a"], [1], [2]], ("a",), 2),
    "an empty column between": ([["a", None, "b"], [1, None, 2]], ("a", "b"), 1),
}


@pytest.mark.parametrize("name", TITLES)
def test_where_the_names_are(name: str, tmp_path: Path) -> None:
    rows, columns, number = TITLES[name]
    path = workbook(tmp_path / "t.xlsx", *rows)
    if columns is None:
        with pytest.raises(InputError, match="names 1 of 2 columns"):
            open_source(path)
        return
    source = open_source(path)
    assert (source.columns, source.rows) == (columns, number)


def test_names_in_doubt_are_a_question(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", ["Hospital", "North"], ["a", "b", "c"], [1, 2, 3])
    with pytest.raises(InputError, match=r"row 1 names 2 of 3 columns .*header_row='N'"):
        open_source(path)
    assert open_source(path, header_row=2).columns == ("a", "b", "c")
    with pytest.raises(InputError, match="there is no row 9 with column names"):
        open_source(path, header_row=9)
    many = [["a", "b"], *([1, 2] for _ in range(300)), [1, 2, "s3cr3t"]]
    with pytest.raises(InputError, match="row 302: a value is in a column without a name"):
        open_source(workbook(tmp_path / "t.xlsx", *many))


def test_group_names_above_the_names_are_titles(tmp_path: Path) -> None:
    book = Workbook()
    sheet: Any = book.active
    for row in (["person", None, "illness"], ["zip", "age", "code"], ["1", "2", "x"]):
        sheet.append(row)
    sheet.merge_cells("A1:B1")
    book.save(tmp_path / "t.xlsx")
    source = open_source(tmp_path / "t.xlsx")
    assert source.columns == ("zip", "age", "code")
    assert "1 title row left out" in source.notes[0]


def test_a_merged_name_does_not_cost_the_first_person(tmp_path: Path) -> None:
    book = Workbook()
    sheet: Any = book.active
    for row in (["name", "born", None], ["s3cr3t", 1980, 3], ["b", 1981, 4]):
        sheet.append(row)
    sheet.merge_cells("B1:C1")
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(InputError, match=r"row 2, below 1 title row, may be data.*header_row"):
        open_source(tmp_path / "t.xlsx")


def test_merged_cells_among_the_rows_are_told_of(tmp_path: Path) -> None:
    book = Workbook()
    sheet: Any = book.active
    for row in (["ward", "age"], ["a", 1], [None, 2], ["b", 3]):
        sheet.append(row)
    sheet.merge_cells("A2:A3")
    book.save(tmp_path / "t.xlsx")
    source = open_source(tmp_path / "t.xlsx")
    assert cells(source) == [("a", "1"), (None, "2"), ("b", "3")]
    assert "1 area of merged cells; only the first cell" in source.notes[0]


def test_formulas_without_a_result_are_counted(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", ["a", "b"], [1, "=A2*2"], [2, "=1/0"])
    source = open_source(path)
    assert cells(source) == [("1", None), ("2", None)]
    assert "2 cells in all sheets with a formula that failed or has no stored" in source.notes[0]


def test_a_hidden_sheet_is_told_of_and_not_taken(tmp_path: Path) -> None:
    book = Workbook()
    sheet: Any = book.active
    sheet.append(["a", "b"])
    sheet.append([1, 2])
    hidden: Any = book.create_sheet("raw")
    hidden.append(["name"])
    hidden.append(["s3cr3t"])
    hidden.sheet_state = "hidden"
    book.save(tmp_path / "t.xlsx")
    source = open_source(tmp_path / "t.xlsx")
    assert source.columns == ("a", "b")
    assert source.notes[0].endswith("the file has 1 sheet more: raw")


def changed(path: Path, part: str, old: bytes, new: bytes) -> Path:
    """The same workbook with something else in one of its parts."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    assert old in parts[part]
    parts[part] = parts[part].replace(old, new)
    target = path.with_name(f"changed-{path.name}")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return target


FAR = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
WITHOUT_PLACES = b'<row r="1048576">' + b"<c/>" * 16_384 + b"</row></sheetData>"


@pytest.mark.parametrize("more", [FAR, WITHOUT_PLACES], ids=["one cell", "cells without places"])
def test_a_sheet_that_spans_too_much_is_refused(
    more: bytes, messy: dict[str, Path], tmp_path: Path
) -> None:
    """The reader would ask for half a terabyte, and end the process."""
    (tmp_path / "t.xlsx").write_bytes(messy["visits.xlsx"].read_bytes())
    path = changed(tmp_path / "t.xlsx", "xl/worksheets/sheet1.xml", b"</sheetData>", more)
    with pytest.raises(InputError, match=r"the area in use has 17,179,869,184 cells"):
        open_source(path)


def test_an_open_document_that_repeats_too_much_is_refused(
    messy: dict[str, Path], tmp_path: Path
) -> None:
    (tmp_path / "t.ods").write_bytes(messy["hospital.ods"].read_bytes())
    row = b'<table:table-row table:number-rows-repeated="1048000">'
    cell = b'<table:table-cell table:number-columns-repeated="16000" office:value-type="string"/>'
    end = b"</table:table-row></table:table>"
    path = changed(tmp_path / "t.ods", "content.xml", b"</table:table>", row + cell + end)
    with pytest.raises(InputError, match=r"the area in use has 16,76[0-9,]+ cells"):
        open_source(path)


def test_what_unpacks_to_too_much_is_refused(
    messy: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("petaudit.tables.workbooks.MOST_UNPACKED", 1_000)
    with pytest.raises(InputError, match="when it is unpacked"):
        _checked_sizes(messy["visits.xlsx"], messy["visits.xlsx"], Format.WORKBOOK)
    assert MOST_UNPACKED == 4 << 30


@pytest.mark.parametrize("name", ["visits.xlsx", "hospital.xls", "hospital.ods"])
def test_a_damaged_workbook_is_refused(name: str, messy: dict[str, Path], tmp_path: Path) -> None:
    content = messy[name].read_bytes()
    for share in (0.3, 0.6, 0.9):
        path = tmp_path / name
        path.write_bytes(content[: int(len(content) * share)])
        with pytest.raises(InputError, match=str(path)):
            open_source(path)


def test_the_reader_prints_nothing_of_its_own(
    messy: dict[str, Path], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """On this part of an old workbook it panics, and says where in its source."""
    path = tmp_path / "hospital.xls"
    path.write_bytes(messy["hospital.xls"].read_bytes()[:13_098])
    with pytest.raises(InputError, match="damaged or encrypted"):
        open_source(path)
    assert capfd.readouterr() == ("", "")


FULL = [[name, "23", "1.75", "flu"] for name in ("Ann", "Bob", "Cy")]


@pytest.mark.parametrize(
    ("below", "rows"),
    [
        ([[], ["Total", None, "5.25"]], 1),
        ([[], [], ["Total", None, "5.25"], [], ["Source: ward 3"]], 2),
        ([["Total", None, "5.25"]], 0),
        ([[], ["Dee", "31", "1.70"]], 0),
        ([[], ["a note"], *FULL], 0),
        ([[], *[["a note"]] * 11], 0),
    ],
)
@pytest.mark.parametrize("blank_rows", ["drop", "keep"])
def test_what_stands_below_the_table_is_told_of(
    below: list[list[Any]], rows: int, blank_rows: str, tmp_path: Path
) -> None:
    path = workbook(tmp_path / "a.xlsx", ["name", "age", "size", "illness"], *FULL, *below)
    source = open_source(path, blank_rows=blank_rows)
    [told] = [note for note in source.notes if "total" in note] or [""]
    assert told.startswith(f"a.xlsx: {rows} row") == bool(rows)
    assert bool(told) == bool(rows)
