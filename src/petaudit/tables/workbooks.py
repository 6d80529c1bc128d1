"""Workbooks: one sheet is loaded into DuckDB, every cell as trimmed text, as from CSV."""

from __future__ import annotations

import io
import os
import re
import statistics
import sys
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from xml.parsers import expat

import pyarrow as pa

from petaudit.errors import InputError, argument, counted, listing, phrase, suggestion
from petaudit.labels.cells import label_of
from petaudit.system.memory import memory_text, working_memory
from petaudit.system.reading import Reading
from petaudit.tables.engines.duckdb import Relation, cursor, fresh_name, run
from petaudit.tables.formats import Format
from petaudit.tables.headers import header_doubt

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

MOST_ROWS: Final = 1_048_576
MOST_COLUMNS: Final = 16_384
MOST_UNPACKED: Final = 4 << 30
"""What the parts of a workbook may take when they are unpacked."""
_CELL_BYTES: Final = 32
"""What the reader takes for each cell of the area in use, whether there is a value in it or not."""
_BLOCK: Final = 4 << 20
_BATCH: Final = 20_000
_FIRST_ROWS: Final = 200
"""Where the names of columns are looked for."""
_SHEET_PART: Final = re.compile(r"xl/worksheets/[^/]+\.xml", re.IGNORECASE)
_TAG: Final = re.compile(rb"<(?:\w+:)?(row|c)\b([^>]*)>")
_PLACE: Final = re.compile(rb"""\br\s*=\s*["']([A-Z]{0,3})([0-9]{1,7})["']""")
_PLACED: Final = re.compile(rb'<(?:row|c) r="([A-Z]*)([0-9]{1,7})')
"""The usual way of writing them, which is fast to find."""
_NO_RESULT: Final = re.compile(
    rb"(?:</(?:\w+:)?f>|<(?:\w+:)?f\b[^>]*/>)\s*(?:<v\s*/>|<v></v>)?\s*</"
)
_LONGEST_FOOTER: Final = 10
_LINE_BREAK: Final = re.compile(r"\s*[\r\n]+\s*")


class LoadedSheet(NamedTuple):
    """A sheet in DuckDB."""

    columns: tuple[str, ...]
    relation: Relation
    left_out: tuple[int, ...]
    """The places of rows without any value, counted from the first below the names."""
    notes: tuple[str, ...]


class _Sizes(NamedTuple):
    """What the parts of a workbook hold, before it is opened."""

    cells: int = 0
    """The cells of the largest area in use."""
    failed: int = 0
    """Formulas that gave an error, or whose result is not in the file."""


def load_workbook(path: Path, shown: Path, kind: Format, reading: Reading) -> LoadedSheet:
    """Load one sheet: the one that is named, or the only one with data."""
    # Loaded where it is needed: few tables are workbooks.
    from python_calamine import CalamineError, PasswordError  # noqa: PLC0415
    from python_calamine import load_workbook as opened  # noqa: PLC0415

    sizes = _checked_sizes(path, shown, kind)
    try:
        # The reader takes only names in UTF-8.
        is_utf8 = str(path).encode(errors="ignore").decode() == str(path)
        with _silently(kind):
            loaded = opened(path if is_utf8 else io.BytesIO(path.read_bytes()))
        with loaded as book:
            sheet, others = _chosen_sheet(book, shown, reading)
            return _loaded(sheet, shown, reading, [*_notes(shown, sizes, sheet, others)])
    except PasswordError:
        raise InputError(
            "{path}: is protected by a password; save a copy without one", path=shown
        ) from None
    except CalamineError:
        # Its message may quote a cell.
        raise _damaged(shown, kind) from None
    except BaseException as problem:
        # What the reader did not foresee is no Exception.
        if type(problem).__name__ != "PanicException":
            raise
        raise _damaged(shown, kind) from None


@contextmanager
def _silently(kind: Format) -> Iterator[None]:
    """Keep the reader from printing where in its source it gave up on a damaged old workbook.

    It does so below Python, and reads all of such a file, of 65,536 rows at most, at once.
    """
    if kind is not Format.OLD_WORKBOOK or sys.stderr is None:
        yield
        return
    sys.stderr.flush()
    stream, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nothing, 2)
        yield
    finally:
        os.dup2(stream, 2)
        os.close(nothing)
        os.close(stream)


def _damaged(shown: Path, kind: Format) -> InputError:
    return InputError(
        "{path}: cannot be read as {kind}; it is damaged or encrypted, or something else",
        path=shown,
        kind=kind.named,
    )


def _checked_sizes(path: Path, shown: Path, kind: Format) -> _Sizes:
    """Look at how large a workbook is: the reader takes memory for all of the area in use."""
    if kind is Format.OLD_WORKBOOK:
        # Such a sheet has at most 65,536 rows of 256 columns.
        return _Sizes()
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(part.file_size for part in archive.infolist())
            if unpacked > MOST_UNPACKED:
                raise InputError(
                    "{path}: takes {size} when it is unpacked, and a workbook may take {most}; "
                    "save the sheet as CSV",
                    path=shown,
                    size=memory_text(unpacked),
                    most=memory_text(MOST_UNPACKED),
                )
            if kind is Format.OPEN_DOCUMENT:
                sizes = _Sizes(_open_document_cells(archive))
            else:
                parts = [name for name in archive.namelist() if _SHEET_PART.fullmatch(name)]
                sheets = [_sheet_sizes(archive, name) for name in parts]
                most = max((each.cells for each in sheets), default=0)
                sizes = _Sizes(most, sum(each.failed for each in sheets))
    except (zipfile.BadZipFile, expat.ExpatError, NotImplementedError, EOFError, ValueError):
        raise _damaged(shown, kind) from None
    if sizes.cells * _CELL_BYTES > working_memory():
        raise InputError(
            "{path}: the area in use has {cells:,} cells, for which there is no "
            "memory; delete what is far from the table, save the sheet as CSV, or "
            "allow more memory",
            path=shown,
            cells=sizes.cells,
        )
    return sizes


def _blocks(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    """A part in blocks that end where a row does, as far as that is possible."""
    rest = b""
    with archive.open(name) as part:
        while more := part.read(_BLOCK):
            rest += more
            cut = rest.rfind(b"<")
            if cut > 0:
                yield rest[:cut]
                rest = rest[cut:]
    yield rest


def _sheet_sizes(archive: zipfile.ZipFile, name: str) -> _Sizes:
    """The area that the cells of a sheet span, whichever way their places are said."""
    row = column = last_row = last_column = failed = 0
    for block in _blocks(archive, name):
        failed += block.count(b't="e"') + block.count(b"t='e'")
        if b"<f" in block or b":f" in block:
            failed += len(_NO_RESULT.findall(block))
        if _is_usual(block):
            placed = _PLACED.findall(block)
            last_row = max(last_row, *map(int, {row for _, row in placed}), 0)
            last_column = max(last_column, *map(_number, {letters for letters, _ in placed}), 0)
            continue
        for tag, attributes in _TAG.findall(block):
            place = _PLACE.search(attributes)
            if tag == b"row":
                row, column = int(place[2]) if place else row + 1, 0
                last_row = max(last_row, row)
            else:
                column = _number(place[1]) if place else column + 1
                last_column = max(last_column, column)
    return _Sizes(last_row * last_column, failed)


def _is_usual(block: bytes) -> bool:
    """Whether all rows and cells say their places first: no other element is called like them."""
    usual = block.count(b'<c r="') + block.count(b'<row r="')
    is_prefixed = b":c" in block or b":row" in block
    return not is_prefixed and usual == block.count(b"<c") + block.count(b"<row")


def _number(letters: bytes) -> int:
    """The number of a column.

    >>> _number(b"A"), _number(b"XFD")
    (1, 16384)
    """
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def _open_document_cells(archive: zipfile.ZipFile) -> int:
    """The area in use of the largest table; one element can stand for many cells or rows."""
    sizes = _OpenDocumentSizes()
    parser = expat.ParserCreate()
    parser.StartElementHandler = sizes.start
    parser.EndElementHandler = sizes.end
    with archive.open("content.xml") as part:
        parser.ParseFile(part)
    return sizes.most


class _OpenDocumentSizes:
    def __init__(self) -> None:
        self.most = self.rows = self.row = self.width = self.column = self.repeated = 0
        self.has_value = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "table:table":
            self.rows = self.row = self.width = 0
        elif name == "table:table-row":
            self.repeated = int(attributes.get("table:number-rows-repeated", 1))
            self.column, self.has_value = 0, False
        elif name in ("table:table-cell", "table:covered-table-cell"):
            self.column += int(attributes.get("table:number-columns-repeated", 1))
            if "office:value-type" in attributes:
                self.has_value, self.width = True, max(self.width, self.column)

    def end(self, name: str) -> None:
        if name == "table:table-row":
            self.row += self.repeated
            self.rows = self.row if self.has_value else self.rows
        elif name == "table:table":
            self.most = max(self.most, self.rows * self.width)


def _chosen_sheet(
    book: CalamineWorkbook, shown: Path, reading: Reading
) -> tuple[CalamineSheet, list[str]]:
    """The sheet to read, and what other sheets are called."""
    from python_calamine import SheetTypeEnum, SheetVisibleEnum  # noqa: PLC0415

    sheets = {
        entry.name: entry.visible == SheetVisibleEnum.Visible
        for entry in book.sheets_metadata
        if entry.typ == SheetTypeEnum.WorkSheet
    }
    names = [*sheets]
    if reading.sheet is not None:
        wanted = str(reading.sheet)
        is_name = wanted in sheets and not isinstance(reading.sheet, int)
        if not is_name and wanted.isdecimal() and 1 <= int(wanted) <= len(names):
            wanted = names[int(wanted) - 1]
        if wanted not in sheets:
            raise InputError(
                "{path}: there is no sheet {sheet!r}{near}; sheets are {sheets}",
                path=shown,
                sheet=wanted,
                near=suggestion(wanted, names),
                sheets=listing([f"{number} {name}" for number, name in enumerate(names, 1)]),
            )
        return book.get_sheet_by_name(wanted), [name for name in names if name != wanted]
    visible = [name for name in names if sheets[name]]
    filled = visible
    if len(visible) > 1:
        filled = [name for name in visible if book.get_sheet_by_name(name).height > 0]
    if len(filled) > 1:
        problem = InputError(
            "{path}: {number} sheets hold data: {sheets}; name one ({argument})",
            path=shown,
            number=len(filled),
            sheets=listing([f"{names.index(name) + 1} {name}" for name in filled]),
            argument=argument("sheet", filled[0]),
        )
        problem.choices = filled
        raise problem
    if not filled:
        raise InputError("{path}: no visible sheet holds data", path=shown)
    return book.get_sheet_by_name(filled[0]), [name for name in names if name != filled[0]]


def _notes(
    shown: Path, sizes: _Sizes, sheet: CalamineSheet, others: Sequence[str]
) -> Iterator[str]:
    if others:
        # Who releases the file releases them as well.
        yield phrase(
            "{file}: only the sheet {sheet!r} was looked at; the file has {number} more: {others}",
            file=shown.name,
            sheet=sheet.name,
            number=counted(len(others), "sheet"),
            others=listing(others),
        )
    if sizes.failed:
        yield phrase(
            "{file}: {cells} in all sheets with a formula that failed or has no stored result, "
            "counted as missing",
            file=shown.name,
            cells=counted(sizes.failed, "cell"),
        )


def _loaded(sheet: CalamineSheet, shown: Path, reading: Reading, notes: list[str]) -> LoadedSheet:
    if sheet.total_height > MOST_ROWS or sheet.width > MOST_COLUMNS:
        raise InputError(
            "{path}: a sheet has at most {rows:,} rows and {columns:,} columns",
            path=shown,
            rows=MOST_ROWS,
            columns=MOST_COLUMNS,
        )
    rows = _rows(sheet)
    first = [*islice(rows, _FIRST_ROWS)]
    ranges = sheet.merged_cell_ranges or []
    merged = {row for (row, left), (_, right) in ranges if left < right}
    top = _header_place(first, merged, shown, reading)
    names, places = _named_columns(first, top, shown)
    above = sum(any(row) for row in first[:top])
    if reading.header_row is None and above:
        titles = counted(above, "title row")
        why = header_doubt(names)
        if why is not None:
            raise InputError(
                "{path}: row {row}, below {titles}, may be data: {why}; say in which row the names "
                "of columns are ({argument})",
                path=shown,
                row=top + 1,
                titles=titles,
                why=why,
                argument=argument("header_row", "N"),
            )
        notes.append(
            phrase(
                "{file}: the names of columns are in row {row}; above it, {titles} left out",
                file=shown.name,
                row=top + 1,
                titles=titles,
            )
        )
    joined = sum(last > top for _, (last, _) in ranges)
    if joined:
        notes.append(
            phrase(
                "{file}: {areas} of merged cells; only the first cell of each has the value, the "
                "others count as missing",
                file=shown.name,
                areas=counted(joined, "area"),
            )
        )
    connection, name = cursor(), fresh_name()
    relation = Relation(connection, name, len(names), is_view=False)
    kinds = ", ".join(f"c{index} VARCHAR" for index in range(len(names)))
    run(connection, f"CREATE TABLE {name} ({kinds})")
    unnamed = [place for place in range(len(first[top])) if place not in places]
    left_out: list[int] = []
    blank: list[int] = []
    number = 0
    footer = _Footer(len(names))
    try:
        for batch in _batches(first[top + 1 :], rows):
            kept: list[list[str | None]] = []
            for row in batch:
                cells = [row[place] for place in places]
                if any(row[place] is not None for place in unnamed):
                    raise InputError(
                        "{path}, row {row}: a value is in a column without a name",
                        path=shown,
                        row=top + number + 2,
                    )
                footer.see(cells)
                if all(cell is None for cell in cells):
                    blank.append(number)
                elif reading.keeps_blank_rows:
                    kept += [[None] * len(cells)] * len(blank)
                    blank = []
                else:
                    # What was formatted or emptied below the table is no row of it.
                    left_out += blank
                    blank = []
                number += 1
                if not blank:
                    kept.append(cells)
            _insert(relation, kept)
    except BaseException:
        relation.close()
        raise
    if footer.rows:
        notes.append(
            phrase(
                "{file}: {rows} at the end, below a blank row, with few values: a total "
                "or a note is not a row of the table, but counts as one until it is "
                "deleted",
                file=shown.name,
                rows=counted(footer.rows, "row"),
            )
        )
    return LoadedSheet(names, relation, tuple(left_out), tuple(notes))


class _Footer:
    """Notices what stands below a table: a few rows with few values, after a blank one."""

    def __init__(self, columns: int) -> None:
        self._most = columns // 2
        self._below: int | None = None

    def see(self, cells: Sequence[str | None]) -> None:
        """Take note of the next row."""
        values = sum(cell is not None for cell in cells)
        if not values:
            self._below = self._below or 0
        elif self._below is not None:
            self._below = self._below + 1 if values <= self._most else None

    @property
    def rows(self) -> int:
        """How many rows it has; none where there is no footer, or what is below is a table."""
        return self._below if self._below and self._below <= _LONGEST_FOOTER else 0


def _insert(relation: Relation, rows: Sequence[Sequence[str | None]]) -> None:
    if not rows:
        return
    columns = [pa.array(cells, pa.string()) for cells in zip(*rows, strict=True)]
    table = pa.Table.from_arrays(columns, names=[f"c{index}" for index in range(len(columns))])
    batch = fresh_name()
    relation.connection.register(batch, table)
    run(relation.connection, f"INSERT INTO {relation.name} FROM {batch}")
    relation.connection.unregister(batch)


def _rows(sheet: CalamineSheet) -> Iterator[list[str | None]]:
    for row in sheet.iter_rows():
        yield [_cell(value) for value in row]


def _cell(value: Any) -> str | None:
    """A cell as it would stand in a CSV file; a line break within it is a blank.

    >>> _cell(7.0), _cell("007"), _cell("two\\nlines"), _cell("")
    ('7', '007', 'two lines', None)
    """
    label = label_of(value)
    if label is not None and isinstance(value, str) and ("\n" in label or "\r" in label):
        return _LINE_BREAK.sub(" ", label)
    return label


def _batches(
    first: Sequence[list[str | None]], rows: Iterator[list[str | None]]
) -> Iterator[Iterable[list[str | None]]]:
    yield first
    while batch := [*islice(rows, _BATCH)]:
        yield batch


def _header_place(
    first: Sequence[Sequence[str | None]], merged: set[int], shown: Path, reading: Reading
) -> int:
    """The row of the names: the first that is neither blank nor a title above them."""
    if reading.header_row is not None:
        if reading.header_row > len(first):
            raise InputError(
                "{path}: there is no row {row} with column names",
                path=shown,
                row=reading.header_row,
            )
        return reading.header_row - 1
    widths = [sum(cell is not None for cell in row) for row in first]
    usual = statistics.median([width for width in widths if width] or [0])
    for place, (row, width) in enumerate(zip(first, widths, strict=True)):
        # Of two columns, a program that numbers its rows names only the second.
        is_numbered = usual == 2 and row[0] is None
        is_title = usual > 1 and ((width == 1 and not is_numbered) or place in merged)
        if width and not is_title:
            return place
    raise InputError("{path}: no row holds the names of columns", path=shown)


def _named_columns(
    first: Sequence[Sequence[str | None]], top: int, shown: Path
) -> tuple[tuple[str, ...], list[int]]:
    """The names, and where their columns are; a column without name and values is none."""
    header = first[top]
    filled = [
        place for place in range(len(header)) if any(row[place] is not None for row in first[top:])
    ]
    unnamed = [place for place in filled if header[place] is None]
    # Programs that number their rows leave the first name empty.
    if len(unnamed) > (1 if unnamed[:1] == filled[:1] else 0):
        raise InputError(
            "{path}: row {row} names {named} of {columns} columns that hold values; if the names "
            "are in another row, say in which ({argument}), otherwise give every column a name",
            path=shown,
            row=top + 1,
            named=len(filled) - len(unnamed),
            columns=len(filled),
            argument=argument("header_row", "N"),
        )
    return tuple(header[place] or "" for place in filled), filled
