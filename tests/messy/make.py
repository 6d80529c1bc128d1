"""Tables as people keep them: a small folder of them, the same every time.

    python tests/messy/make.py FOLDER

Every file is about the same 60 patients of a hospital (``hospital.*``), who are made up, or their
visits (``visits.*``). ``patients()`` is how the table would be if nothing were wrong with it.
"""

from __future__ import annotations

import csv
import io
import json
import random
import sys
import zipfile
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape

import pyarrow as pa
from openpyxl import Workbook
from pyarrow import feather, parquet

SEED: Final = 18
PATIENTS: Final = 60
TITLE: Final = ("示範醫院　住院病人清單", "製表日期：2024-03-01　單位：資訊室")
"""What stands above the header of a workbook, each in a merged cell."""
COLUMNS: Final = ("病歷號", "姓名", "性別", "出生日期", "郵遞區號", "科別", "診斷", "費用")
_FAMILY: Final = "陳林黃張李王吳劉蔡楊許鄭謝郭洪"
_GIVEN: Final = ("淑芬", "俊傑", "怡君", "志明", "雅婷", "家豪", "美玲", "建宏", "佩珊", "冠宇")
_PLACES: Final = ("100", "106", "220", "302", "407", "701", "802", "950")
_WARDS: Final = ("內科", "外科", "小兒科", "婦產科", "精神科")
_ILLNESSES: Final = ("高血壓", "糖尿病", "肺炎", "憂鬱症", "骨折", "氣喘", "胃潰瘍")
_WESTERN: Final = ("Müller", "Núñez", "Lefèvre", "Øster", "Strauß", "O’Neill", "Gonçalves")
_TOWNS: Final = ("Zürich", "Málaga", "Orléans", "Ålborg", "Köln")
_MISSING: Final = ("NA", "N/A", "-", "unknown", "?", "", "不詳")
_WOMEN: Final = ("F", "f", "Female", "Ｆ", "F ")
_OLD_WORKBOOK: Final = Path(__file__).with_name("old.xls")

Row = dict[str, Any]


def patients(seed: int = SEED) -> list[Row]:
    """The patients, with dates as dates, costs as integers and everything else as text."""
    dice = random.Random(seed)  # noqa: S311 (a table to try things with)
    return [
        {
            "病歷號": f"{dice.randrange(1, 99_999):07}",
            "姓名": dice.choice(_FAMILY) + dice.choice(_GIVEN),
            "性別": dice.choice("男女"),
            "出生日期": date(1935, 1, 1) + timedelta(days=dice.randrange(30_000)),
            "郵遞區號": dice.choice(_PLACES),
            "科別": dice.choice(_WARDS),
            "診斷": dice.choice(_ILLNESSES),
            "費用": dice.randrange(800, 250_000),
        }
        for _ in range(PATIENTS)
    ]


def visits(seed: int = SEED) -> list[Row]:
    """Visits in English, as a program of the ward writes them: typed, and with a few nulls."""
    dice = random.Random(seed + 1)  # noqa: S311
    return [
        {
            "id": number,
            "sex": dice.choice("FM"),
            "born": dice.randrange(1935, 2020),
            "zip": dice.choice(_PLACES),
            "admitted": (date(2023, 1, 1) + timedelta(days=dice.randrange(365))).isoformat(),
            "glucose": None if dice.random() < 0.1 else round(dice.uniform(3.5, 12), 1),
            "smoker": dice.random() < 0.3,
            "ward": dice.choice(("surgery", "medicine", "paediatrics")),
        }
        for number in range(1, PATIENTS + 1)
    ]


def make(folder: Path, seed: int = SEED) -> dict[str, Path]:
    """Write all tables into a folder; their paths by file name."""
    folder.mkdir(parents=True, exist_ok=True)
    people, stays = patients(seed), visits(seed)
    texts = [{name: str(value) for name, value in row.items()} for row in people]
    _workbook(folder / "hospital.xlsx", people)
    # A program that names every export alike, and somebody who renames a text to open it in Excel.
    (folder / "export.csv").write_bytes((folder / "hospital.xlsx").read_bytes())
    (folder / "text.xlsx").write_text(_csv(texts, ","), encoding="utf-8-sig", newline="")
    (folder / "hospital.xls").write_bytes(_OLD_WORKBOOK.read_bytes())
    _open_document(folder / "hospital.ods", people)
    plain_sheet(folder / "visits.xlsx", stays)
    for name, encoding, delimiter in (
        ("hospital.csv", "utf-8-sig", ","),
        ("hospital-big5.csv", "cp950", ","),
        ("hospital-gb18030.csv", "gb18030", ","),
        ("hospital-utf16.txt", "utf-16", "\t"),
    ):
        (folder / name).write_text(_csv(texts, delimiter), encoding=encoding, newline="")
    (folder / "western.csv").write_text(_western(seed), encoding="cp1252", newline="")
    (folder / "missing.csv").write_text(_missing(stays, seed), encoding="utf-8", newline="")
    (folder / "numbers.csv").write_text(_numbers(people, seed), encoding="utf-8", newline="")
    (folder / "dates.csv").write_text(_dates(people, seed), encoding="utf-8", newline="")
    (folder / "bands.csv").write_text(_bands(), encoding="utf-8", newline="")
    (folder / "visits.tsv").write_text(_csv(stays, "\t"), encoding="utf-8", newline="")
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in stays]
    (folder / "visits.jsonl").write_text("".join(lines), encoding="utf-8")
    _typed(folder, stays)
    return {path.name: path for path in sorted(folder.iterdir())}


def _csv(rows: Sequence[Mapping[str, Any]], delimiter: str) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(rows[0])
    writer.writerows(["" if value is None else value for value in row.values()] for row in rows)
    return text.getvalue()


def _workbook(path: Path, people: Sequence[Row]) -> None:
    """Two merged titles and a blank row above the header, a formula that failed, a blank row."""
    book = Workbook()
    sheet: Any = book.active
    sheet.title = "病人"
    for number, title in enumerate(TITLE, 1):
        sheet.cell(number, 1, title)
        sheet.merge_cells(start_row=number, start_column=1, end_row=number, end_column=len(COLUMNS))
    sheet.append([])
    sheet.append(list(COLUMNS))
    for number, row in enumerate(people):
        cells = list(row.values())
        if number == 7:
            cells[-1] = "#N/A"
        sheet.append(cells)
        if number == 29:
            sheet.append([None] * len(COLUMNS))
    codes = book.create_sheet("代碼表")
    codes.append(["代碼", "科別"])
    for number, ward in enumerate(_WARDS, 1):
        codes.append([f"{number:02}", ward])
    book.save(path)


def plain_sheet(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """A workbook of one sheet, with a header and nothing odd."""
    book = Workbook()
    sheet: Any = book.active
    sheet.append([*rows[0]])
    for row in rows:
        sheet.append([*row.values()])
    book.save(path)


def write_old_workbook(path: Path, people: Sequence[Row]) -> None:
    """How ``old.xls`` was made, with xlwt, which is not needed otherwise."""
    import xlwt  # noqa: PLC0415

    book = xlwt.Workbook()
    sheet = book.add_sheet("病人")
    as_date = xlwt.easyxf(num_format_str="YYYY-MM-DD")
    sheet.write_merge(0, 0, 0, len(COLUMNS) - 1, TITLE[0])
    for column, name in enumerate(COLUMNS):
        sheet.write(1, column, name)
    for number, row in enumerate(people, 2):
        for column, value in enumerate(row.values()):
            style = (as_date,) if isinstance(value, date) else ()
            sheet.write(number, column, value, *style)
    book.save(str(path))


def _open_document(path: Path, people: Sequence[Row]) -> None:
    def cell(value: Any) -> str:
        kind, attribute = "string", ""
        if isinstance(value, date):
            kind, attribute = "date", f' office:date-value="{value.isoformat()}"'
        elif isinstance(value, int):
            kind, attribute = "float", f' office:value="{value}"'
        text = f"<text:p>{escape(str(value))}</text:p>"
        return f'<table:table-cell office:value-type="{kind}"{attribute}>{text}</table:table-cell>'

    rows = "".join(
        f"<table:table-row>{''.join(map(cell, row))}</table:table-row>"
        for row in (COLUMNS, *(row.values() for row in people))
    )
    space = "urn:oasis:names:tc:opendocument:xmlns"
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", kind)
        archive.writestr(
            "META-INF/manifest.xml",
            f'<manifest:manifest xmlns:manifest="{space}:manifest:1.0">'
            f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
            "</manifest:manifest>",
        )
        archive.writestr(
            "content.xml",
            f'<office:document-content xmlns:office="{space}:office:1.0" '
            f'xmlns:table="{space}:table:1.0" xmlns:text="{space}:text:1.0"><office:body>'
            f'<office:spreadsheet><table:table table:name="病人">{rows}</table:table>'
            "</office:spreadsheet></office:body></office:document-content>",
        )


def _western(seed: int) -> str:
    """Semicolons, decimal commas, and letters of Windows' Western code page."""
    dice = random.Random(seed + 2)  # noqa: S311
    rows = [
        {
            "Name": dice.choice(_WESTERN),
            "Ort": dice.choice(_TOWNS),
            "Größe": f"{dice.uniform(1.5, 2):.2f}".replace(".", ","),
            "Kosten": f"{dice.randrange(100_000, 9_900_000) / 100:,.2f}".translate(
                str.maketrans(",.", ".,")
            ),
            "Diagnose": dice.choice(("Grippe", "Asthma", "Röteln")),
        }
        for _ in range(PATIENTS)
    ]
    return _csv(rows, ";")


def _missing(stays: Sequence[Row], seed: int) -> str:
    """Marks for missing values, spellings of one value, and rows of nothing but delimiters."""
    dice = random.Random(seed + 3)  # noqa: S311
    rows = [dict(row) for row in stays]
    for row in rows:
        row["sex"] = dice.choice(_WOMEN) if row["sex"] == "F" else "M"
        if dice.random() < 0.3:
            row["ward"] = dice.choice(_MISSING)
        if dice.random() < 0.1:
            row["born"] = 9999
        if row["glucose"] is None:
            row["glucose"] = dice.choice(("-99", "NA"))
    lines = _csv(rows, ",").splitlines(keepends=True)
    blank = "," * (len(rows[0]) - 1) + "\r\n"
    return "".join([*lines[:21], blank, *lines[21:41], blank, blank, *lines[41:]])


def _numbers(people: Sequence[Row], seed: int) -> str:
    """Thousands separators, percent signs, full-width digits, amounts with their currency."""
    dice = random.Random(seed + 4)  # noqa: S311
    wide = str.maketrans("0123456789", "０１２３４５６７８９")
    rows = [
        {
            "zip": person["郵遞區號"],
            "age": str(2024 - person["出生日期"].year).translate(
                wide if dice.random() < 0.2 else {}
            ),
            "income": f"{person['費用'] * 7:,}",
            "fee": f"NT${person['費用']:,}",
            "copayment": f"{dice.randrange(0, 300) / 10:.1f}%",
            "illness": person["診斷"],
        }
        for person in people
    ]
    return _csv(rows, ",")


def _dates(people: Sequence[Row], seed: int) -> str:
    """One column of dates in five forms, among them years of the Republic of China."""
    dice = random.Random(seed + 5)  # noqa: S311
    rows = []
    for person in people:
        day: date = person["出生日期"]
        forms = (
            f"{day:%Y-%m-%d}",
            f"{day:%Y/%m/%d}",
            f"{day.year}/{day.month}/{day.day}",
            f"{day.year - 1911:03}/{day:%m/%d}",
            f"{day.year}年{day.month}月{day.day}日",
        )
        rows.append(
            {"born": dice.choice(forms), "zip": person["郵遞區號"], "illness": person["診斷"]}
        )
    return _csv(rows, ",")


def _bands() -> str:
    """A table that somebody made coarser by hand, but for three people and a column of numbers."""
    classes = [("18-39", "1**"), ("40-64", "1**"), ("65+", "2**")]
    rows = [
        {"patient_no": f"P{number:04}", "age": age, "zip": place, "diagnosis": illness}
        for number, ((age, place), illness) in enumerate(
            [(group, illness) for group in classes for illness in _ILLNESSES for _ in range(3)]
            + [(("34", "106"), "氣喘"), (("65+", "1**"), "骨折"), (("65+", "1**"), "肺炎")],
            1,
        )
    ]
    return _csv(rows, ",")


def _typed(folder: Path, stays: Sequence[Row]) -> None:
    table = pa.Table.from_pylist(list(stays))
    days = pa.array([date.fromisoformat(row["admitted"]) for row in stays])
    table = table.set_column(table.column_names.index("admitted"), "admitted", days)
    parquet.write_table(table, folder / "visits.parquet")
    feather.write_feather(table, str(folder / "visits.feather"))


if __name__ == "__main__":
    for written in make(Path(sys.argv[1])).values():
        print(written)
