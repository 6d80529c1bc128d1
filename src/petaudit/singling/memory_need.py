"""How much memory a search in memory takes: estimated before, and measured in the benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from petaudit.counts import Source
from petaudit.counts.joint import reads_column_by_column
from petaudit.singling.search import threads_for

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
        # An estimate is no promise.
        return most + most // 10
