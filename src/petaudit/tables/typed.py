"""A table brought to declared types, and what of it does not fit them."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

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

__all__ = ["ColumnType", "TypeName", "format_problem", "typed_source"]

_COLUMNS_AT_ONCE: Final = 500
_INSTEAD_OF_FLOAT: Final = {
    Kind.TEXT: phrase("use int or str"),
    Kind.INTEGER: phrase("use int or str"),
    Kind.HUGE: phrase("use str"),
    Kind.DECIMAL: phrase("leave out its type"),
}


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
class Break:
    """What is wrong with the cells of a column."""

    column: str
    cells: int
    problem: str
    """``3 cells that are not int``"""


@dataclass(frozen=True)
class _Column:
    name: str
    position: str
    kind: Kind
    wanted: ColumnType
    is_raw: bool
    """Whether blanks around its text are still to be trimmed."""

    @cached_property
    def ways(self) -> tuple[Conversion, ...]:
        return conversions(self.wanted.name, self.kind, self.wanted.format)

    @property
    def needs_count(self) -> bool:
        """Whether its cells have to be looked at."""
        wanted = self.wanted
        stays = len(self.ways) == 1 and self.ways[0].sql is None
        return not (stays and wanted.nullable and wanted.precision is None)

    @property
    def cell(self) -> str:
        if not self.is_raw:
            return self.position
        return f"nullif(trim({self.position}, {quote_text(BLANKS)}), '')"

    def converted(self, way: Conversion) -> str:
        return self.cell if way.sql is None else f"({way.sql(self.cell)})"

    def questions(self) -> dict[str, str]:
        """What has to be counted, by names of its own."""
        if not self.needs_count:
            return {}
        place, wanted = self.position, self.wanted
        is_known = f"count_if({_is_there(place)})" if self.is_raw else f"count({place})"
        asked = {f"known_{place}": is_known}
        for index, way in enumerate(self.ways):
            if way.sql is not None:
                asked[f"way{index}_{place}"] = f"count({self.converted(way)})"
        if wanted.name == "float" and self.ways and self.ways[0].sql is not None:
            asked[f"lost0_{place}"] = self.lost_digits(0)
        if wanted.precision is not None and self.ways:
            is_text = self.kind is Kind.TEXT
            fine = too_fine(Kind.FLOAT if is_text else self.kind, wanted.precision)
            if fine is not None:
                measured = self.converted(self.ways[-1]) if is_text else self.cell
                asked[f"fine_{place}"] = f"count_if({fine(measured)})"
        return asked

    def lost_digits(self, form: int) -> str:
        is_lost = lost_digits(self.kind)[form]
        return f"count_if({is_lost(self.cell, self.converted(self.ways[0]))})"

    def judged(self, counts: Mapping[str, int]) -> tuple[Sql | None, list[Break]]:
        """How most cells are converted, and what is wrong with the others."""
        if not self.needs_count:
            return self.ways[0].sql, []
        place, wanted = self.position, self.wanted
        known = counts[f"known_{place}"]
        fitting = [counts.get(f"way{index}_{place}", known) for index in range(len(self.ways))]
        most = max(fitting, default=0)
        best = fitting.index(most) if fitting else None
        problems: list[tuple[int, str]] = []
        if most < known:
            expected = wanted.name if best is None else self.ways[best].expected
            if best is not None and best < len(fitting) - 1 and fitting[-1]:
                expected = phrase("{type} without a time zone", type=expected)
            problems.append((known - most, _misfits(self.kind, known - most, expected)))
        lost = min(counts.get(f"lost{form}_{place}", 0) for form in range(2))
        if lost:
            problems.append((lost, _digits_lost(self.kind, lost)))
        nulls = counts["total"] - known
        if nulls and not wanted.nullable:
            problem = phrase("1 null and is not nullable")
            if nulls > 1:
                problem = phrase("{number:,} nulls and is not nullable", number=nulls)
            problems.append((nulls, problem))
        fine = counts.get(f"fine_{place}", 0)
        if fine:
            problem = phrase(
                "{cells} with more than {decimals}",
                cells=counted(fine, "cell"),
                decimals=counted(wanted.precision or 0, "decimal"),
            )
            problems.append((fine, problem))
        sql = None if best is None else self.ways[best].sql
        return sql, [Break(self.name, cells, problem) for cells, problem in problems]


def _misfits(kind: Kind, wrong: int, expected: str | None) -> str:
    """Describe the cells of a column that are not of the expected type.

    >>> _misfits(Kind.TEXT, 2, "int"), _misfits(Kind.FLOAT, 1, "bool")
    ('2 cells that are not int', '1 cell that is not bool (the column holds floats)')
    """
    cells, holds = counted(wrong, "cell"), ""
    if kind is not Kind.TEXT:
        holds = phrase(" (the column holds {kind})", kind=term(kind.value))
    if wrong == 1:
        return phrase("{cells} that is not {type}{holds}", cells=cells, type=expected, holds=holds)
    return phrase("{cells} that are not {type}{holds}", cells=cells, type=expected, holds=holds)


def _digits_lost(kind: Kind, lost: int) -> str:
    """Cells that have more digits than a float can hold.

    >>> _digits_lost(Kind.HUGE, 1)
    '1 cell that loses digits as float (use str)'
    """
    cells, advice = counted(lost, "cell"), _INSTEAD_OF_FLOAT[kind]
    if lost == 1:
        return phrase("{cells} that loses digits as float ({advice})", cells=cells, advice=advice)
    return phrase("{cells} that lose digits as float ({advice})", cells=cells, advice=advice)


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
    >>> [violation] = typed_source(ages, {"age": ColumnType("int")})[1]
    >>> violation.cells, violation.problem
    (1, '1 cell that is not int')
    >>> few = open_source(pa.table({"age": ["39", "5.0", None]}))
    >>> typed_source(few, {"age": ColumnType("int")})[0].to_arrow().column("age").to_pylist()
    [39, 5, None]
    """
    counts = source.counts
    kinds = [Kind.of(dtype) for dtype in counts.schema.values()]
    columns = [
        _Column(name, f"c{index}", kind, types[name], counts.has_raw_frame and kind is Kind.TEXT)
        for index, (name, kind) in enumerate(zip(source.columns, kinds, strict=True))
    ]
    loaded = None
    if counts.frame.implementation is not nw.Implementation.DUCKDB and any(
        column.needs_count for column in columns
    ):
        loaded = _loaded(source)
    judged = _judged(source, columns, loaded)
    breaks = tuple(problem for _, problems in judged for problem in problems)
    if breaks:
        return source, breaks
    # Text of a file without types stays what it may be read as, where nothing is declared.
    is_untyped = source.is_untyped and any(column.wanted.name is None for column in columns)
    ways = [way for way, _ in judged]
    if not any(ways):
        same = is_untyped == source.is_untyped
        return source if same else replace(source, is_untyped=is_untyped), ()
    if loaded is not None or source.is_untyped:
        relation = counts.frame.to_native() if loaded is None else loaded
        converted = _stored(source, _project(relation, columns, ways))
    else:
        converted = _converted_where_it_lies(source, columns, ways)
    return replace(source, counts=converted, is_untyped=is_untyped), ()


def format_problem(wanted: str, format_: str) -> str | None:
    """What is wrong with the format of a date or datetime, if anything.

    >>> format_problem("date", "%d.%m.%Y")
    >>> format_problem("date", "%Q")
    "invalid format '%Q': strptime does not know it"
    """
    problem: str | None = None
    try:
        run(cursor(), f"SELECT typeof(try_strptime('', {quote_text(format_)}))")
    except duckdb.Error:
        problem = phrase("strptime does not know it")
    if problem is None and "%" not in format_.replace("%%", ""):
        problem = phrase("it parses nothing; use %Y, %m and %d, for example")
    if problem is None and wanted == "date" and has_zone(format_):
        problem = phrase("it has a time zone, which a date does not have")
    if problem is None:
        return None
    return phrase("invalid format {format!r}: {problem}", format=format_, problem=problem)


def _judged(
    source: Source, columns: Sequence[_Column], loaded: duckdb.DuckDBPyRelation | None
) -> list[tuple[Sql | None, list[Break]]]:
    def answers(asked: Mapping[str, str]) -> dict[str, int]:
        if not asked:
            return {}
        rows = source.counts.raw_frame.to_native() if loaded is None else loaded
        named = ", ".join(f"{sql} AS {name}" for name, sql in asked.items())
        query = nw.from_native(rows.aggregate(f"count(*) AS total, {named}"))
        [row] = source.counts.collected(query).to_pylist()
        return {name: int(number) for name, number in row.items()}

    judged = []
    # Planning takes longer than twice as long for twice the columns.
    for start in range(0, len(columns), _COLUMNS_AT_ONCE):
        block = columns[start : start + _COLUMNS_AT_ONCE]
        counts = answers(dict(item for column in block for item in column.questions().items()))
        # Few columns are in the other form of a float, and it takes long to tell.
        lossy = [column for column in block if counts.get(f"lost0_{column.position}")]
        counts |= answers({f"lost1_{column.position}": column.lost_digits(1) for column in lossy})
        judged += [column.judged(counts) for column in block]
    return judged


def _is_there(cell: str) -> str:
    # Trimming takes five times as long as looking for anything but blanks, and most text begins
    # with a character that is none: all up to the space are below "!", the others above "~".
    return (
        f"CASE WHEN {cell} BETWEEN '!' AND '~' THEN true "
        f"ELSE regexp_matches({cell}, {quote_text(f'[^{BLANKS}]')}) END"
    )


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
    cells = [
        column.position
        if way is None
        else f"{way(column.cell if is_raw else column.position)} AS {column.position}"
        for column, way in zip(columns, ways, strict=True)
    ]
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
    weakref.finalize(counts, lambda _: None, below).atexit = False
    return counts
