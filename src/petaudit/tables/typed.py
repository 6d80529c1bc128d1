"""A table brought to declared types, and what of it does not fit them."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import duckdb
import narwhals.stable.v2 as nw

from petaudit.errors import EngineError, counted, phrase, term
from petaudit.labels.cells import BLANKS
from petaudit.tables._conversions import (
    Conversion,
    Kind,
    Sql,
    TypeName,
    conversions,
    has_zone,
    lost_digits,
    too_fine,
)
from petaudit.tables.engines.duckdb import (
    Relation,
    cursor,
    fresh_name,
    is_interrupt,
    out_of_memory,
    quote_text,
    run,
)
from petaudit.tables.source import Source
from petaudit.tables.table_counts import TableCounts

__all__ = ["Break", "ColumnType", "TypeName", "format_problem", "typed_source"]

_COLUMNS_AT_ONCE = 500


@dataclass(frozen=True)
class ColumnType:
    """What the cells of a column must be; a column without a name of a type may be anything."""

    name: TypeName | None = None
    nullable: bool = True
    precision: int | None = None
    """The most decimals of a float, in its shortest form."""
    format: str | None = None
    """How text spells a date, as ``strptime`` reads it; ISO without one."""


@dataclass(frozen=True)
class _Column:
    name: str
    position: str
    kind: Kind
    wanted: ColumnType

    @property
    def ways(self) -> tuple[Conversion, ...]:
        return conversions(self.wanted.name, self.kind, self.wanted.format)

    @property
    def is_text(self) -> bool:
        return self.kind is Kind.TEXT

    @property
    def needs_count(self) -> bool:
        """Whether its cells have to be looked at."""
        wanted = self.wanted
        stays = len(self.ways) == 1 and self.ways[0].sql is None
        return not (stays and wanted.nullable and wanted.precision is None)


@dataclass(frozen=True)
class _Checked:
    column: _Column
    way: Conversion | None
    breaks: tuple[Break, ...]


def typed_source(
    source: Source, types: Mapping[str, ColumnType]
) -> tuple[Source, tuple[Break, ...]]:
    """Bring every column to its type; with breaks, the table comes back as it is.

    Text becomes what it spells. Numbers that are whole may be int; any number may be float
    if it loses no digits, as ``lost_digits`` says; integers may be str, as they are written, and 0
    and 1 may be bool; date-times at midnight may be date, dates may be datetime. Anything else
    breaks the type. Text of a column is in one form: with a time zone in all cells or in none.

    >>> import pyarrow as pa
    >>> from petaudit.tables.source import open_source
    >>> ages = open_source(pa.table({"age": ["39", "5.0", "old", None]}))
    >>> [found] = typed_source(ages, {"age": ColumnType("int")})[1]
    >>> found.cells, found.problem
    (1, '1 cell that is no int')
    >>> few = open_source(pa.table({"age": ["39", "5.0", None]}))
    >>> typed_source(few, {"age": ColumnType("int")})[0].to_arrow().column("age").to_pylist()
    [39, 5, None]
    """
    columns = [
        _Column(name, f"c{index}", Kind.of(source.counts.schema[f"c{index}"]), types[name])
        for index, name in enumerate(source.columns)
    ]
    in_duckdb = source.counts.frame.implementation is nw.Implementation.DUCKDB
    loaded = None
    if not in_duckdb and any(column.needs_count for column in columns):
        loaded = _loaded(source)
    checked = _checked(source, columns, loaded)
    breaks = tuple(found for own in checked for found in own.breaks)
    if breaks:
        return source, breaks
    # Text of a file without types stays what it may be read as, where nothing is declared.
    is_untyped = source.is_untyped and any(column.wanted.name is None for column in columns)
    ways = [None if own.way is None else own.way.sql for own in checked]
    if not any(ways):
        same = is_untyped == source.is_untyped
        return source if same else replace(source, is_untyped=is_untyped), ()
    if loaded is not None or source.is_untyped:
        relation = source.counts.frame.to_native() if loaded is None else loaded
        counts = _stored(source, _project(relation, columns, ways))
    else:
        counts = _converted_where_it_lies(source, columns, ways)
    return replace(source, counts=counts, is_untyped=is_untyped), ()


def format_problem(wanted: str, format_: str) -> str | None:
    """What is wrong with the format of a date or datetime, if anything.

    >>> format_problem("date", "%d.%m.%Y")
    >>> format_problem("date", "%Q")
    "format is '%Q'; it is not one that strptime knows"
    """
    problem: str | None = None
    try:
        run(cursor(), f"SELECT typeof(try_strptime('', {quote_text(format_)}))")
    except duckdb.Error:
        problem = phrase("it is not one that strptime knows")
    if problem is None and "%" not in format_.replace("%%", ""):
        problem = phrase("it reads nothing; %Y, %m and %d, for example, would")
    if problem is None and wanted == "date" and has_zone(format_):
        problem = phrase("it reads a time zone, which a date does not have")
    if problem is None:
        return None
    return phrase("format is {format!r}; {problem}", format=format_, problem=problem)


def _checked(
    source: Source, columns: Sequence[_Column], loaded: duckdb.DuckDBPyRelation | None
) -> list[_Checked]:
    found: list[_Checked] = []
    is_raw = loaded is None and source.counts.has_raw_frame
    # Planning takes longer than twice as long for twice the columns.
    for start in range(0, len(columns), _COLUMNS_AT_ONCE):
        block = columns[start : start + _COLUMNS_AT_ONCE]
        counts = _answers(source, loaded, _questions(block, is_raw=is_raw))
        # Few columns are in the other form of a float, and it takes long to tell.
        lossy = [column for column in block if counts.get(f"lost0_{column.position}")]
        others = {f"lost1_{own.position}": _lost(own, 1, is_raw=is_raw) for own in lossy}
        counts |= _answers(source, loaded, others)
        found += [_check(column, counts) for column in block]
    return found


def _answers(
    source: Source, loaded: duckdb.DuckDBPyRelation | None, asked: Mapping[str, str]
) -> dict[str, int]:
    if not asked:
        return {}
    rows = source.counts.raw_frame.to_native() if loaded is None else loaded
    named = ", ".join(f"{sql} AS {name}" for name, sql in asked.items())
    answers = source.counts.collected(nw.from_native(rows.aggregate(f"count(*) AS total, {named}")))
    return {name: int(answers.column(name)[0].as_py()) for name in answers.column_names}


def _lost(column: _Column, form: int, *, is_raw: bool) -> str:
    cell = _trimmed(column.position) if is_raw and column.is_text else column.position
    sql = column.ways[0].sql or str
    return f"count_if({lost_digits(column.kind)[form](cell, f'({sql(cell)})')})"


def _questions(columns: Sequence[_Column], *, is_raw: bool) -> dict[str, str]:
    asked: dict[str, str] = {}
    for column in columns:
        if not column.needs_count:
            continue
        place = column.position
        trims = is_raw and column.is_text
        asked[f"known_{place}"] = f"count_if({_is_there(place)})" if trims else f"count({place})"
        for index, way in enumerate(column.ways):
            cell = _trimmed(place) if trims else place
            converted = cell if way.sql is None else f"({way.sql(cell)})"
            if way.sql is not None:
                asked[f"way{index}_{place}"] = f"count({converted})"
                if column.wanted.name == "float":
                    asked[f"lost0_{place}"] = _lost(column, 0, is_raw=is_raw)
            if column.wanted.precision is not None:
                kind = Kind.FLOAT if column.is_text else column.kind
                fine = too_fine(kind, column.wanted.precision)
                if fine is not None:
                    measured = converted if column.is_text else cell
                    asked[f"fine_{place}"] = f"count_if({fine(measured)})"
    return asked


def _check(column: _Column, counts: Mapping[str, int]) -> _Checked:
    if not column.needs_count:
        return _Checked(column, column.ways[0], ())
    place, wanted = column.position, column.wanted
    known = counts[f"known_{place}"]
    fitting = [counts.get(f"way{index}_{place}", known) for index in range(len(column.ways))]
    most = max(fitting, default=0)
    best = fitting.index(most) if fitting else None
    breaks = []
    if most < known:
        expected = wanted.name if best is None else column.ways[best].expected
        if best is not None and best < len(fitting) - 1 and fitting[-1]:
            expected = phrase("{type} without a time zone", type=expected)
        breaks.append(
            Break(column.name, known - most, misfits(column.kind, known - most, expected))
        )
    lost = min(counts.get(f"lost{form}_{place}", 0) for form in range(2))
    if lost:
        breaks.append(Break(column.name, lost, digits_lost(column.kind, lost)))
    nulls = counts["total"] - known
    if nulls and not wanted.nullable:
        breaks.append(Break(column.name, nulls, not_nullable(nulls)))
    fine = counts.get(f"fine_{place}", 0)
    if fine:
        breaks.append(Break(column.name, fine, with_more_decimals(fine, wanted.precision or 0)))
    return _Checked(column, None if best is None else column.ways[best], tuple(breaks))


def _is_there(cell: str) -> str:
    # Trimming takes five times as long as looking for anything but blanks, and most text begins
    # with a character that is none: all up to the space are below "!", the others above "~".
    return (
        f"CASE WHEN {cell} BETWEEN '!' AND '~' THEN true "
        f"ELSE regexp_matches({cell}, {quote_text(f'[^{BLANKS}]')}) END"
    )


def _trimmed(cell: str) -> str:
    return f"nullif(trim({cell}, {quote_text(BLANKS)}), '')"


def _loaded(source: Source) -> duckdb.DuckDBPyRelation:
    source.counts.require_local()
    table = source.counts.collected(source.counts.frame)
    try:
        return cursor().from_arrow(table)
    except duckdb.Error as problem:
        raise EngineError(
            "{table}: DuckDB cannot hold all of its columns ({reason})",
            table=source.name,
            reason=type(problem).__name__,
        ) from None


def _project(
    relation: duckdb.DuckDBPyRelation,
    columns: Sequence[_Column],
    ways: Sequence[Sql | None],
    *,
    is_raw: bool = False,
) -> duckdb.DuckDBPyRelation:
    cells = []
    for column, sql in zip(columns, ways, strict=True):
        place = column.position
        cell = _trimmed(place) if is_raw and column.is_text else place
        cells.append(place if sql is None else f"{sql(cell)} AS {place}")
    return relation.project(", ".join(cells))


def _stored(source: Source, converted: duckdb.DuckDBPyRelation) -> TableCounts:
    """Keep the converted table: text is slow to convert again for every count."""
    name = fresh_name()
    try:
        converted.create(name)
    except Exception as problem:
        if is_interrupt(problem):
            raise KeyboardInterrupt from None
        raise out_of_memory(problem) or EngineError(
            "{table}: cannot be converted to its types ({reason})",
            table=source.name,
            reason=type(problem).__name__,
        ) from None
    stored = Relation(cursor(), name, len(source.columns), is_view=False)
    counts = TableCounts(stored.frame, source.columns, source.name, load=stored.load)
    # At exit the whole database goes, so there is nothing to drop then.
    weakref.finalize(counts, stored.close).atexit = False
    return counts


def _converted_where_it_lies(
    source: Source, columns: Sequence[_Column], ways: Sequence[Sql | None]
) -> TableCounts:
    """Convert while counting: the files may be far larger than memory."""
    below = source.counts
    frame: nw.LazyFrame[Any] = nw.from_native(_project(below.frame.to_native(), columns, ways))
    untrimmed = None
    if below.has_raw_frame:
        raw = _project(below.raw_frame.to_native(), columns, ways, is_raw=True)
        untrimmed = nw.from_native(raw)
    counts = TableCounts(frame, source.columns, source.name, load=below.load, untrimmed=untrimmed)
    # The view of the files is dropped with the counts below, so they live as long as these.
    weakref.finalize(counts, _let_go, below).atexit = False
    return counts


def _let_go(_: TableCounts) -> None:
    """Hold on to something until this is called."""


_INSTEAD_OF_FLOAT = {
    Kind.TEXT: phrase("use int or str"),
    Kind.INTEGER: phrase("use int or str"),
    Kind.HUGE: phrase("use str"),
    Kind.DECIMAL: phrase("leave its type away"),
}


@dataclass(frozen=True)
class Break:
    """What is wrong with the cells of a column."""

    column: str
    cells: int
    problem: str
    """``3 cells that are no int``"""


def misfits(kind: Kind, wrong: int, expected: str | None) -> str:
    """Cells of a column that are no such thing as was expected.

    >>> misfits(Kind.TEXT, 2, "int"), misfits(Kind.FLOAT, 1, "bool")
    ('2 cells that are no int', '1 cell that is no bool (the column holds floats)')
    """
    cells, holds = counted(wrong, "cell"), ""
    if kind is not Kind.TEXT:
        holds = phrase(" (the column holds {kind})", kind=term(kind.value))
    if wrong == 1:
        return phrase("{cells} that is no {type}{holds}", cells=cells, type=expected, holds=holds)
    return phrase("{cells} that are no {type}{holds}", cells=cells, type=expected, holds=holds)


def digits_lost(kind: Kind, lost: int) -> str:
    """Cells that have more digits than a float can hold.

    >>> digits_lost(Kind.HUGE, 1)
    '1 cell that loses digits as float (use str)'
    """
    cells, advice = counted(lost, "cell"), _INSTEAD_OF_FLOAT[kind]
    if lost == 1:
        return phrase("{cells} that loses digits as float ({advice})", cells=cells, advice=advice)
    return phrase("{cells} that lose digits as float ({advice})", cells=cells, advice=advice)


def not_nullable(nulls: int) -> str:
    """Nulls in a column that may have none."""
    if nulls == 1:
        return phrase("1 null and is not nullable")
    return phrase("{number:,} nulls and is not nullable", number=nulls)


def with_more_decimals(cells: int, most: int) -> str:
    """Cells that have more decimals than they may have."""
    return phrase(
        "{cells} with more than {decimals}",
        cells=counted(cells, "cell"),
        decimals=counted(most, "decimal"),
    )
