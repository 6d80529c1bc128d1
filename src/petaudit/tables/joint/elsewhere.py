"""Rows of several tables of which at least one is elsewhere, with common codes of their cells.

Every table gets the common codes of :mod:`petaudit.tables.joint`, by its different values, so that
equal means what it means in memory. Rows are grouped by their codes where they are, and what comes
here is how many there are of each kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from petaudit.errors import ColumnError, EngineError, NotMeasurableError, counted
from petaudit.tables._encoding import whole_numbers
from petaudit.tables.engines.remote import added_up, join_numbers, on_one_engine
from petaudit.tables.headers import check_column
from petaudit.tables.joint.column import ORIGINAL, SYNTHETIC, JointColumn
from petaudit.tables.joint.tables import ColumnJoiner, cells_of, check_same_columns
from petaudit.tables.results import Integers
from petaudit.tables.source import Source
from petaudit.tables.table_counts import TableCounts

_MANY_VALUES: Final = 200_000
"""Cells of a column with more different values are compared as they are, where that is the same."""
_LOST: Final = -1
"""The code of a cell that was not there when values were counted."""
_PERSON: Final = "p"
Rows = nw.LazyFrame[Any]


@dataclass(frozen=True)
class Exposed:
    """Keys that expose whoever has them."""

    keys: tuple[str, ...]
    rows: Rows
    """The keys, and as n1, n2, ... a number for the people of each table who have them."""


class RowsElsewhere:
    """The synthetic table, the original and maybe a control, coded where their rows are."""

    def __init__(self, sources: Sequence[Source], person: str | None) -> None:
        check_same_columns(sources, person)
        self.columns = tuple(name for name in sources[SYNTHETIC].columns if name != person)
        self._person = person
        elsewhere = next(source.counts for source in sources if source.counts.is_remote)
        self.engine = elsewhere.engine
        named = [
            [*self.columns, *([person] if person in source.columns else [])] for source in sources
        ]
        self._counts = [
            on_one_engine(elsewhere, source.counts, names)[1]
            for source, names in zip(sources, named, strict=True)
        ]
        self.joined: dict[str, JointColumn] = {}
        self._numbers: dict[str, list[Integers]] = {}
        used = self._encoded(sources)
        self.constant = tuple(name for name in self.columns if used[name] <= 1)
        self._rows = [self._with_codes(table) for table in range(len(sources))]
        self.many: list[int] = []
        """How many rows each table has."""
        self.people = [self._checked(table, source) for table, source in enumerate(sources)]
        """How many people each table has; rows where no column tells them apart."""

    def _encoded(self, sources: Sequence[Source]) -> dict[str, int]:
        """Give columns common codes; how many of them there are in all tables."""
        joiner = ColumnJoiner(sources, None, None)
        used: dict[str, int] = {}
        many = [
            # Where there are few rows, there are few values.
            _different(counts, self.columns)
            if counts.rows > _MANY_VALUES
            else [0] * len(self.columns)
            for counts in self._counts
        ]
        for place, name in enumerate(self.columns):
            used[name] = max(values[place] for values in many)
            if used[name] > _MANY_VALUES and self._is_plain(name):
                continue
            values = [counts.values(name) for counts in self._counts]
            cells = [
                cells_of(source, name, pa.chunked_array([column_values.cells]))
                for source, column_values in zip(sources, values, strict=True)
            ]
            column = joiner.join(name, cells)
            if column is None:
                continue
            used[name] = len(np.unique(np.concatenate(column.codes)))
            self._numbers[name] = []
            for column_values, codes in zip(values, column.codes, strict=True):
                by_label = np.zeros(len(column_values.counts.labels), np.int64)
                by_label[column_values.positions] = codes
                self._numbers[name].append(by_label)
            self.joined[name] = replace(column, codes=[])
        joiner.check()
        return used

    def _is_plain(self, name: str) -> bool:
        """Whether cells of all tables are equal where their values are."""
        kinds = {counts.schema[counts.position(name)] for counts in self._counts}
        (kind, *others) = kinds
        return not others and (isinstance(kind, nw.String | nw.Date) or kind.is_integer())

    def _keys(self, columns: Sequence[str]) -> list[str]:
        """What rows are told apart by: codes, or cells and whether they are null."""
        keys = []
        for name in columns:
            place = self.columns.index(name)
            keys += [f"k{place}"] if name in self._numbers else [f"k{place}", f"z{place}"]
        return keys

    def _with_codes(self, table: int) -> Rows:
        """The rows of a table as codes, with their person."""
        counts = self._counts[table]
        cells = [
            nw.col(counts.position(name)).alias(
                f"k{place}" if name not in self._numbers else f"x{place}"
            )
            for place, name in enumerate(self.columns)
        ]
        if self._has_people(table):
            cells.append(nw.col(counts.position(str(self._person))).alias(_PERSON))
        rows = counts.frame.select(*cells)
        for place, name in enumerate(self.columns):
            key = f"k{place}"
            if name in self._numbers:
                codes = {key: self._numbers[name][table]}
                rows = join_numbers(counts, rows, counts.values(name), f"x{place}", codes)
                rows = rows.with_columns(nw.col(key).fill_null(_LOST))
            else:
                rows = rows.with_columns(nw.col(key).is_null().cast(nw.Int64).alias(f"z{place}"))
                rows = rows.with_columns(nw.col(key).fill_null(_filling(counts, name)))
        return rows

    def _has_people(self, table: int) -> bool:
        return self._person is not None and table != SYNTHETIC

    def _checked(self, table: int, source: Source) -> int:
        """How many people a table has; every cell must have a code, and every row a person."""
        rows = self._rows[table]
        codes = [nw.col(f"k{self.columns.index(name)}") for name in self._numbers]
        lost = [(code == _LOST).cast(nw.Int64).sum().alias(f"n{i}") for i, code in enumerate(codes)]
        figures = [nw.len().alias("rows"), *lost]
        if self._has_people(table):
            check_column(str(self._person), source.columns, source.name)
            person = nw.col(_PERSON)
            figures += [
                person.is_null().cast(nw.Int64).sum().alias("nobody"),
                person.n_unique().alias("people"),
            ]
        [row] = self._counts[table].collected(rows.select(*figures)).to_pylist()
        if any(row[f"n{i}"] for i in range(len(lost))):
            raise EngineError("a table changed while it was being read")
        if row.get("nobody"):
            raise ColumnError(
                "column {column!r} of {table} names no person in {rows}; every row must have one",
                column=self._person,
                table=source.name,
                rows=counted(int(row["nobody"]), "row"),
            )
        self._counts[table].agree_on_rows(int(row["rows"]))
        self.many.append(int(row["rows"]))
        return int(row.get("people", row["rows"]))

    def common(self, first: int, second: int) -> dict[tuple[int, int], int]:
        """How many different rows two tables have so often, by how often each has them."""
        sizes = self._groups(self._keys(self.columns)).group_by(f"t{first}", f"t{second}")
        pairs = self._fetched(sizes.agg(nw.len().alias("n")))
        rows = zip(pairs[f"t{first}"], pairs[f"t{second}"], pairs["n"], strict=True)
        return {(one, other): n for one, other, n in rows if one or other}

    def _groups(self, keys: Sequence[str]) -> Rows:
        """Rows that are equal: how many each table has of them, as t0, t1, ..."""
        counts = self._counts[SYNTHETIC]
        tables = {f"t{table}": counts.grouped(rows, keys) for table, rows in enumerate(self._rows)}
        return added_up(keys, tables)

    def _fetched(self, rows: Rows) -> dict[str, list[int]]:
        fetched = self._counts[SYNTHETIC].collected(rows)
        return {name: whole_numbers(fetched.column(name)).tolist() for name in fetched.column_names}

    def copied(self, columns: Sequence[str]) -> Exposed:
        """The rows of the synthetic table."""
        keys = self._keys(columns)
        there = self._groups(keys).filter(nw.col("t0") > 0)
        return Exposed(tuple(keys), there.select(*keys, *self._always()))

    def single(self, columns: Sequence[str]) -> Exposed:
        """The rows that the synthetic table has once; n1, n2 are the rows that are like them."""
        keys = self._keys(columns)
        once = self._groups(keys).filter(nw.col("t0") == 1)
        sizes = (nw.col(f"t{table}").alias(f"n{table}") for table in self._tables_of_people)
        return Exposed(tuple(keys), once.select(*keys, *sizes))

    def disclosed(self, target: str, columns: Sequence[str], among: int) -> Exposed:
        """The keys with the one target that they have in a table."""
        keys, targets = self._keys(columns), self._keys([target])
        there = self._groups([*keys, *targets]).filter(nw.col(f"t{among}") > 0)
        the_one = [nw.col(name).max() for name in targets]
        by_keys = there.group_by(*keys).agg(nw.len().alias("values"), *the_one)
        only = by_keys.filter(nw.col("values") == 1).select(*keys, *targets, *self._always())
        return Exposed((*keys, *targets), only)

    @property
    def _tables_of_people(self) -> range:
        return range(ORIGINAL, len(self._rows))

    def _always(self) -> list[nw.Expr]:
        return [nw.lit(1).cast(nw.Int64).alias(f"n{table}") for table in self._tables_of_people]

    def having(
        self, exposed: Exposed, table: int, by: str | None
    ) -> Iterator[tuple[int | None, int, int]]:
        """By code of a column: the least n of people, and how many have it."""
        groups, person = self._split(table, by)
        rows = self._counts[table].grouped(
            self._rows[table], [*dict.fromkeys([*exposed.keys, *groups])]
        )
        least = exposed.rows.select(*exposed.keys, nw.col(f"n{table}").alias("least"))
        met = rows.join(least, on=list(exposed.keys), how="inner")
        by_code = [name for name in groups if name != _PERSON]
        if person:
            people = met.group_by(*groups).agg(nw.col("least").min())
            met = people.with_columns(nw.lit(1).cast(nw.Int64).alias("n"))
        fetched = self._fetched(met.group_by(*by_code, "least").agg(nw.col("n").sum()))
        codes = fetched[by_code[0]] if by_code else [None] * len(fetched["n"])
        yield from zip(codes, fetched["least"], fetched["n"], strict=True)

    def people_by(self, table: int, by: str | None) -> dict[int | None, int]:
        """How many people there are by the code of a column."""
        if by is None:
            return {None: self.people[table]}
        groups, person = self._split(table, by)
        rows = self._counts[table].grouped(self._rows[table], groups)
        if person:
            rows = rows.with_columns(nw.lit(1).cast(nw.Int64).alias("n"))
        fetched = self._fetched(rows.group_by(groups[0]).agg(nw.col("n").sum()))
        return dict(sorted(zip(fetched[groups[0]], fetched["n"], strict=True)))

    def _split(self, table: int, by: str | None) -> tuple[list[str], bool]:
        """What people are told apart by: the code of a column, and who they are."""
        if by is not None and by not in self._numbers:
            raise NotMeasurableError(
                "column {column!r} has too many values for groups of people", column=by
            )
        person = self._has_people(table)
        return [*(self._keys([by]) if by else ()), *([_PERSON] if person else ())], person


def _different(counts: TableCounts, columns: Sequence[str]) -> list[int]:
    """How many different values each column has."""
    cells = [nw.col(counts.position(name)).n_unique().alias(name) for name in columns]
    names = [f"n{place}" for place in range(len(columns))]
    figures = (cell.alias(name) for cell, name in zip(cells, names, strict=True))
    [row] = counts.collected(counts.frame.select(*figures)).to_pylist()
    return [int(row[name] or 0) for name in names]


def _filling(counts: TableCounts, name: str) -> Any:
    """A cell in the place of a null, which has a column of its own."""
    kind = counts.schema[counts.position(name)]
    if isinstance(kind, nw.String):
        return ""
    return date.min if isinstance(kind, nw.Date) else 0
