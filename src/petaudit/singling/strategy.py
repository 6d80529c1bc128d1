"""Where combinations are counted: in this process's memory, or by an engine that may spill."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from petaudit.errors import NotMeasurableError, OptionError, Phrase, argument, phrase
from petaudit.singling.walk import threads_for
from petaudit.system.memory import memory_limit, memory_text
from petaudit.tables import Source
from petaudit.tables.engines.remote import MOST_ROWS
from petaudit.tables.joint import reads_column_by_column

_PETAUDIT: Final = "petaudit"
_DUCKDB: Final = "DuckDB"
_SPARK: Final = "Spark"
_PART_BESIDE_SPARK: Final = 4
"""Of the memory, so much is for codes: Java has three quarters where it runs on this machine."""
_CODE: Final = 4
_AT_REST: Final = 340_000_000
"""Python, the libraries and the compiled loops."""
_CELL: Final = 60
"""Of a table that is read at once, with room for text."""
_ROW_OF_COLUMN: Final = 130
"""The cells of one column, their distinct values, and what finding these takes."""
_SCRATCH: Final = 6 * 4
"""Per code of the widest column, which has a code per row at most."""
_SYNTHETIC_ROW: Final = 24
"""The first combination, its target, and room for what a column identifies."""
_ROW: Final = 28
"""Partitions of two levels, and their copy."""


@dataclass(frozen=True)
class SearchStrategy:
    """Where a search counts, and why there."""

    place: Literal["memory", "engine"]
    engine: str
    """Who counts: petaudit's own loops, DuckDB or Spark."""
    reason: str
    threads: int | None = None
    """How many threads there is room for, where they are fewer than there are cores."""
    is_usual: bool = False
    """Whether nobody needs to be told."""

    @property
    def text(self) -> Phrase:
        """The same in words."""
        if self.place == "memory":
            return phrase("searched in memory: {reason}", reason=self.reason)
        return phrase("counted by {engine}: {reason}", engine=self.engine, reason=self.reason)

    def to_dict(self) -> dict[str, str]:
        """Return it as an entry of a document."""
        return {"way": self.place, "engine": self.engine, "reason": self.reason}


def choose_strategy(
    tables: Sequence[Source], asked: str, threads: int | None, *, with_people: bool = False
) -> SearchStrategy:
    """Search in memory where there is room, unless something else is asked for."""
    if any(table.counts.is_remote for table in tables):
        return _remote(tables, asked, threads, with_people=with_people)
    if asked == "engine":
        return SearchStrategy("engine", _DUCKDB, phrase("it was requested"))
    if asked == "memory":
        return SearchStrategy("memory", _PETAUDIT, phrase("it was requested"))
    limit = memory_limit()
    need = MemoryNeed.of(tables)
    wanted = need.threads(threads)
    there_is_room = phrase("it fits into memory")
    if need.bytes(wanted) <= limit:
        return SearchStrategy("memory", _PETAUDIT, there_is_room, is_usual=True)
    fewest = 1 if threads is None else wanted
    if need.bytes(fewest) <= limit:
        return SearchStrategy("memory", _PETAUDIT, there_is_room, fewest)
    return SearchStrategy(
        "engine",
        _DUCKDB,
        phrase(
            "it would take about {need} of memory, and the limit is {limit}",
            need=memory_text(need.bytes(fewest)),
            limit=memory_text(limit),
        ),
    )


def _remote(
    tables: Sequence[Source], asked: str, threads: int | None, *, with_people: bool
) -> SearchStrategy:
    """Search here in codes of small tables of Spark: counting there takes many times as long."""
    for table in tables:
        counts = table.counts
        if counts.is_remote and not counts.is_on_spark:
            raise NotMeasurableError(
                "{table} is counted by {engine}, which returns only counts, but mpuccs compares "
                "rows; it can do so in files, in frames and on Spark",
                table=table.name,
                engine=counts.engine,
            )
    there = SearchStrategy("engine", _SPARK, phrase("the rows are on Spark"))
    if asked == "engine" or with_people:
        return there
    need = MemoryNeed.of(tables)
    wanted = need.threads(threads)
    room = memory_limit() // _PART_BESIDE_SPARK
    fits = max(need.rows) <= MOST_ROWS and need.bytes(wanted) - _AT_REST <= room
    if fits:
        return SearchStrategy(
            "memory",
            _PETAUDIT,
            phrase(
                "the rows came from Spark as codes, which fit into memory here "
                "({argument} leaves them there)",
                argument=argument("search", "engine"),
            ),
            wanted,
        )
    if asked == "memory":
        raise OptionError(
            "the search should run in memory, but the rows on Spark are too many to be fetched as "
            "codes: at most {most:,} of a table, in {room} of memory",
            most=MOST_ROWS,
            room=memory_text(room),
        )
    return there


@dataclass(frozen=True)
class MemoryNeed:
    """What a search of some tables needs."""

    rows: tuple[int, ...]
    columns: int
    reading: int
    """The most that reading a table takes beside the codes."""

    @classmethod
    def of(cls, tables: Sequence[Source]) -> MemoryNeed:
        """Look at the sizes of the tables."""
        columns = len(tables[0].columns)
        reading = 0
        for table in tables:
            at_once = _CELL * columns
            if reads_column_by_column(table):
                at_once = _ROW_OF_COLUMN
            reading = max(reading, table.rows * at_once)
        return cls(tuple(table.rows for table in tables), columns, reading)

    @property
    def codes(self) -> int:
        """The codes of all tables; those of a control lie beside a second copy of all."""
        return _CODE * self.columns * sum(self.rows) * (2 if len(self.rows) > 2 else 1)

    def threads(self, asked: int | None) -> int:
        """How many threads the search would use."""
        return asked or threads_for(self.codes)

    def bytes(self, threads: int) -> int:
        """The most memory that is used at any time."""
        rows, largest = sum(self.rows[:2]), max(self.rows)
        preparing = _CODE * self.columns * largest + _ROW * largest + _SCRATCH * rows
        each = _CODE * (self.columns - 1) * rows + (_SCRATCH + _ROW) * rows
        each += _SYNTHETIC_ROW * self.rows[0]
        most = _AT_REST + self.codes + max(self.reading, preparing, threads * each)
        # An estimate may be too low.
        return most + most // 10
