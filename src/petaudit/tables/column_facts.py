"""What can be said about a column without showing any of its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import narwhals.stable.v2 as nw
import pyarrow as pa
import pyarrow.compute as pc

from petaudit.errors import term
from petaudit.labels.cells import SUPPRESSED
from petaudit.tables.engines.frames import label_text
from petaudit.tables.source import Source


class Kind(StrEnum):
    """What the values of a column are, whether or not the file says so."""

    NOTHING = term("nothing")
    WHOLE = term("whole numbers")
    DECIMAL = term("decimal numbers")
    DATE = term("dates")
    DATETIME = term("date-times")
    TIME = term("times of day")
    BOOLEAN = term("yes or no")
    TEXT = term("text")
    OTHER = term("lists, records or bytes")


@dataclass(frozen=True)
class ColumnFacts:
    """Counts of one column."""

    name: str
    rows: int
    kind: Kind
    nulls: int
    distinct: int
    """How many different values there are; null is none of them."""
    once: int
    """How many of them occur in one row only."""
    suppressed: int = 0
    """Cells that are ``*``."""
    generalized: int = 0
    """Other cells that are a range, a bound or a mask, such as ``[20,30[``, ``>=40``, ``197*``."""
    personal: int = 0
    """Cells in the form of an e-mail address, or of a mobile or identity number of Taiwan."""

    @property
    def values(self) -> int:
        """How many cells hold a value."""
        return self.rows - self.nulls


_DAY: Final = (
    "([0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{4}"
    # Years of the Republic of China have two or three digits.
    "|[0-9]{2,3}[-/][0-9]{1,2}[-/][0-9]{1,2}|[0-9]{2,4} ?年 ?[0-9]{1,2} ?月 ?[0-9]{1,2} ?日)"
)
_CLOCK: Final = r"[0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?"
_PATTERNS: Final = {
    Kind.WHOLE: "^[+-]?[0-9]+$",
    Kind.DECIMAL: r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$",
    Kind.DATE: f"^{_DAY}$",
    Kind.DATETIME: f"^{_DAY}([ T]{_CLOCK}(Z|[+-][0-9]{{2}}:?[0-9]{{2}})?)?$",
    Kind.TIME: f"^{_CLOCK}$",
    # Spelled out: PostgreSQL cannot leave upper and lower case aside in a part of a pattern.
    Kind.BOOLEAN: "^([tT]([rR][uU][eE])?|[fF]([aA][lL][sS][eE])?|[yY]([eE][sS])?|[nN][oO]?|是|否)$",
}
_GENERALIZED: Final = (
    r"[^*]\*+$|^\*+[^*]|^[\[\](].*[0-9].*[,;~-].*[\[\])]$|^[<>≤≥]=? ?[0-9]"
    r"|^[0-9]+(\.[0-9]+)? ?[-–~] ?[0-9]+(\.[0-9]+)?$"
)
_PERSONAL: Final = (
    r"^[^@ ]+@[^@ ]+\.[A-Za-z]{2,}$|^[A-Z][1289A-D][0-9]{8}$"
    r"|^([+]886[- ]?|0)9[0-9]{2}[- ]?[0-9]{3}[- ]?[0-9]{3}$"
)
_MANY_COLUMNS: Final = 100
_CELLS_AT_ONCE: Final = 20_000_000


def column_facts(source: Source, columns: Sequence[str] | None = None) -> tuple[ColumnFacts, ...]:
    """Look at some columns, or all: one grouping each, and only its counts leave the engine.

    >>> from petaudit.tables import open_source
    >>> source = open_source(pa.table({"zip": ["476**", "4790*", "*"], "age": [29.0, 22.0, None]}))
    >>> [(fact.kind.value, fact.distinct, fact.generalized) for fact in column_facts(source)]
    [('text', 3, 2), ('whole numbers', 2, 0)]
    """
    wanted = source.columns if columns is None else tuple(columns)
    kinds = dict(zip(source.columns, source.counts.schema.values(), strict=True))
    types = {name: kinds[name] for name in wanted}
    countable = [name for name in types if source.counts.is_countable(name)]
    facts = {
        name: ColumnFacts(name, source.rows, Kind.OTHER, 0, 0, 0)
        for name in set(types).difference(countable)
    }
    if len(countable) <= _MANY_COLUMNS or not source.rows or source.counts.is_remote:
        facts |= {name: _facts(source, name) for name in countable}
        return tuple(facts[name] for name in wanted)
    # A query takes the longer to plan the more columns a file has, so many are fetched at once.
    step = max(_CELLS_AT_ONCE // source.rows, 1)
    for start in range(0, len(countable), step):
        names = countable[start : start + step]
        cells = source.counts.columns_values(names)
        for name, column in zip(names, cells, strict=True):
            facts[name] = _facts_of_cells(name, column, types[name])
    return tuple(facts[name] for name in wanted)


def _facts(source: Source, name: str) -> ColumnFacts:
    counts = source.counts
    key = counts.position(name)
    dtype = counts.schema[key]
    cell, times = nw.col(key), nw.col("n")
    grouped = counts.raw_frame.select(key).group_by(key).agg(nw.len().alias("n"))
    if counts.has_raw_frame and counts.is_text(key):
        # Trimming the distinct values is far less work than trimming every cell.
        labels = grouped.select(label_text(cell, grouped.implementation).alias(key), "n")
        grouped = labels.group_by(key).agg(times.sum())
    wanted = {
        "distinct": cell.count(),
        "present": nw.when(~cell.is_null()).then(times).sum(),
        "once": nw.when(~cell.is_null() & (times == 1)).then(times).sum(),
    }
    if counts.is_text(key):
        for kind, pattern in _PATTERNS.items():
            wanted[kind.name] = cell.str.contains(pattern).cast(nw.Int64).sum()
        wanted["suppressed"] = nw.when(cell == SUPPRESSED).then(times).sum()
        wanted["personal"] = nw.when(cell.str.contains(_PERSONAL)).then(times).sum()
        wanted["generalized"] = nw.when(cell.str.contains(_GENERALIZED)).then(times).sum()
    elif dtype.is_float() or isinstance(dtype, nw.Decimal):
        # pandas writes whole numbers with gaps as floats.
        wanted[Kind.WHOLE.name] = (cell == cell.round(0)).cast(nw.Int64).sum()
    query = grouped.select(*(figure.alias(title) for title, figure in wanted.items()))
    row = {
        title: int(figure or 0) for title, figure in counts.collected(query).to_pylist()[0].items()
    }
    return _facts_from(name, source.rows, dtype, row)


def _facts_of_cells(name: str, cells: pa.ChunkedArray, dtype: Any) -> ColumnFacts:
    """The same of cells that are here already, without a query: that takes ten times as long."""
    counted = pc.value_counts(cells.combine_chunks())
    present = pc.is_valid(counted.field("values"))
    values = counted.field("values").filter(present)
    times = counted.field("counts").filter(present)

    def rows(is_meant: pa.Array) -> int:
        return pc.sum(times.filter(is_meant)).as_py() or 0

    row = {
        "distinct": len(values),
        "present": pc.sum(times).as_py() or 0,
        "once": rows(pc.equal(times, 1)),
    }
    if isinstance(dtype, nw.String):
        texts = values.cast(pa.string())
        for kind, pattern in _PATTERNS.items():
            row[kind.name] = pc.sum(pc.match_substring_regex(texts, pattern)).as_py() or 0
        row["suppressed"] = rows(pc.equal(texts, SUPPRESSED))
        row["personal"] = rows(pc.match_substring_regex(texts, _PERSONAL))
        row["generalized"] = rows(pc.match_substring_regex(texts, _GENERALIZED))
    elif dtype.is_float() or isinstance(dtype, nw.Decimal):
        row[Kind.WHOLE.name] = pc.sum(pc.equal(values, pc.round(values))).as_py() or 0
    return _facts_from(name, len(cells), dtype, row)


def _facts_from(name: str, rows: int, dtype: Any, row: dict[str, int]) -> ColumnFacts:
    return ColumnFacts(
        name,
        rows,
        _kind(dtype, row),
        rows - row["present"],
        row["distinct"],
        row["once"],
        row.get("suppressed", 0),
        row.get("generalized", 0),
        row.get("personal", 0),
    )


def _kind(dtype: Any, row: dict[str, int]) -> Kind:
    if not row["distinct"]:
        return Kind.NOTHING
    fits = [kind for kind in _PATTERNS if row.get(kind.name) == row["distinct"]]
    if isinstance(dtype, nw.String):
        return fits[0] if fits else Kind.TEXT
    if dtype.is_float() or isinstance(dtype, nw.Decimal):
        return Kind.WHOLE if fits else Kind.DECIMAL
    if isinstance(dtype, nw.Duration):
        return Kind.DECIMAL
    for known, kind in (
        (nw.Boolean, Kind.BOOLEAN),
        (nw.Date, Kind.DATE),
        (nw.Datetime, Kind.DATETIME),
        (nw.Time, Kind.TIME),
    ):
        if isinstance(dtype, known):
            return kind
    return Kind.WHOLE
