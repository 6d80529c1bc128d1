"""Tables in common codes that DuckDB holds on disk: joins bring the codes of values to the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from petaudit.errors import EngineError
from petaudit.tables._encoding import arrow_integers
from petaudit.tables._joint.column import JointColumn
from petaudit.tables._joint.dictionaries import (
    Dictionary,
    RawTable,
    arrow_codes,
    joined_values,
    numbered_values,
    raw_table,
    trimmed_cell,
)
from petaudit.tables._joint.scratch import Scratch
from petaudit.tables.joint import ColumnJoiner
from petaudit.tables.source import Source

_LARGE_DICTIONARY: Final = 300_000
"""A dictionary of so many values is joined in a query of its own."""
_INTEGERS: Final = ((1 << 8, "UTINYINT"), (1 << 16, "USMALLINT"), (1 << 32, "UINTEGER"))


@dataclass(frozen=True)
class Coded:
    """A table (r, k0, k1, ...) per source: the row number, and a code per column."""

    joined: Mapping[str, JointColumn]
    tables: tuple[str, ...]
    rows: tuple[int, ...]


def code_tables(
    scratch: Scratch,
    tables: Sequence[Source],
    reference: int,
    decimals: int | None,
    unit: str | None,
) -> Coded:
    """Encode the columns of the first table in all tables."""
    columns = tables[0].columns
    joiner = ColumnJoiner(tables, reference, decimals, unit)
    raws = [raw_table(scratch, table, columns, f"raw_{i}") for i, table in enumerate(tables)]
    joined: dict[str, JointColumn] = {}
    dictionaries: list[list[Dictionary]] = []
    for place, name in enumerate(columns):
        found = numbered_values(scratch, raws, place, joiner)
        found = found or joined_values(scratch, raws, place, name, joiner)
        if found is not None:
            joined[name] = found[0]
            dictionaries.append(found[1])
    joiner.check()
    names = []
    for place, raw in enumerate(raws):
        own = [by_table[place] for by_table in dictionaries]
        if raw.query is None:
            names.append(_coded_here(scratch, own, f"coded_{place}"))
        else:
            names.append(_Coding(scratch, raw, own, f"coded_{place}").run(raw.query))
            scratch.drop(f"raw_{place}")
    rows = tuple(scratch.number(f"SELECT count(*) FROM {name}") for name in names)  # noqa: S608
    return Coded(joined, tuple(names), rows)


def integer_kind(codes: int) -> str:
    """The smallest whole numbers of DuckDB that so many codes fit into.

    >>> integer_kind(256), integer_kind(257)
    ('UTINYINT', 'USMALLINT')
    """
    return next((kind for most, kind in _INTEGERS if codes <= most), "UBIGINT")


def _coded_here(scratch: Scratch, dictionaries: Sequence[Dictionary], name: str) -> str:
    """The codes of a table whose rows are in this process anyway."""
    rows = len(dictionaries[0].codes) if dictionaries[0].codes is not None else 0
    arrays: list[pa.Array] = [arrow_integers(np.arange(rows))]
    cells = ["r"]
    for place, own in enumerate(dictionaries):
        assert own.codes is not None  # noqa: S101 (of a table in this process)
        arrays.append(arrow_codes(own.codes))
        cells.append(f"k{place}::{integer_kind(own.size)} AS k{place}")
    names = ["r", *(f"k{place}" for place in range(len(dictionaries)))]
    scratch.register("rows_coded", pa.Table.from_arrays(arrays, names=names))
    made = scratch.make(name, f"SELECT {', '.join(cells)} FROM rows_coded")  # noqa: S608
    scratch.unregister("rows_coded")
    return made


@dataclass
class _Coding:
    """Brings codes to the rows of a table: small dictionaries together, large ones one by one."""

    scratch: Scratch
    raw: RawTable
    dictionaries: Sequence[Dictionary]
    name: str

    def run(self, query: str) -> str:
        """Return the name of the coded table."""
        rows = f"SELECT row_number() OVER () - 1 AS r, * FROM ({query})"  # noqa: S608
        waiting = list(range(len(self.dictionaries)))
        done: list[int] = []
        made = ""
        for step, now in enumerate(self._steps()):
            waiting = [place for place in waiting if place not in now]
            cells = ["r", *(f"k{place}" for place in done), *(f"x{place}" for place in waiting)]
            cells += map(self._code, now)
            joins = " ".join(map(self._join, now))
            done += now
            made = self.scratch.make(
                f"{self.name}_{step}",
                f"SELECT {', '.join(cells)} FROM ({rows}) AS given {joins}",  # noqa: S608
            )
            if step:
                self.scratch.drop(f"{self.name}_{step - 1}")
            rows = f"SELECT * FROM {made}"  # noqa: S608
        self._check(made)
        for own in self.dictionaries:
            if own.table is not None and not own.is_shared:
                self.scratch.run(f"DROP TABLE {own.table}")
        return made

    def _steps(self) -> list[list[int]]:
        small = [i for i, own in enumerate(self.dictionaries) if own.size <= _LARGE_DICTIONARY]
        large = [[i] for i, own in enumerate(self.dictionaries) if own.size > _LARGE_DICTIONARY]
        return [small, *large] if small or not large else large

    def _cell(self, place: int) -> str:
        is_trimmed = self.dictionaries[place].is_trimmed
        return trimmed_cell(f"x{place}") if is_trimmed else f"x{place}"

    def _code(self, place: int) -> str:
        own = self.dictionaries[place]
        code = f"CASE WHEN {self._cell(place)} IS NULL THEN {own.null} ELSE d{place}.k END"
        return f"({code})::{integer_kind(own.size)} AS k{place}"

    def _join(self, place: int) -> str:
        own = self.dictionaries[place]
        return f"LEFT JOIN {own.table} AS d{place} ON {self._cell(place)} = d{place}.v"

    def _check(self, made: str) -> None:
        """Every value has a code, or the file was changed between two looks at it."""
        missing = " OR ".join(f"k{place} IS NULL" for place in range(len(self.dictionaries)))
        if self.scratch.number(f"SELECT count(*) FROM {made} WHERE {missing}"):  # noqa: S608
            raise EngineError("{table} was changed while it was read", table=self.raw.source.name)
