"""Several tables in common integer codes, in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from petaudit.errors import ColumnError, counted, joined, phrase, term
from petaudit.tables.headers import check_column, columns_named
from petaudit.tables.joint.column import (
    Cells,
    JointColumn,
    KindsDifferError,
    Precision,
    SpellingsDifferError,
    join_cells,
)
from petaudit.tables.source import Source

JointCodes: TypeAlias = npt.NDArray[np.uint32]
_MANY_CELLS = 2_000_000


@dataclass(frozen=True)
class JointTables:
    """Tables with the same columns: rows of one after rows of the other, a code per cell."""

    columns: tuple[str, ...]
    codes: JointCodes
    """A row per column; the tables stand side by side."""
    rows: tuple[int, ...]
    """How many rows each table has."""
    joined: Mapping[str, JointColumn]
    person_codes: tuple[JointCodes | None, ...] = ()
    """For each table the person of each row; None where no column tells people apart."""

    @property
    def precision(self) -> dict[str, Precision]:
        """The decimals or the unit of time that each column was brought to."""
        return {name: column.precision for name, column in self.joined.items()}


def joint_tables(
    tables: Sequence[Source],
    *,
    decimals: int | None,
    unit: str | None,
    person: str | None = None,
    array: Callable[[tuple[int, int], Any], npt.NDArray[Any]] = np.empty,
) -> JointTables:
    """Encode tables together, with the columns in the order of the first one.

    Precision is found in the original table, column by column, where it is not given. The column
    of a person is not encoded; its rows come with those of the others. Codes go to an ``array``.
    """
    check_same_columns(tables, person)
    columns = tuple(name for name in tables[0].columns if name != person)
    with_person = [() if person not in table.columns else (person,) for table in tables]
    cells = [
        _cells(table, [*columns, *more]) for table, more in zip(tables, with_person, strict=True)
    ]
    joiner = ColumnJoiner(tables, decimals, unit)
    codes: JointCodes | None = None
    rows: tuple[int, ...] = ()
    by_name: dict[str, JointColumn] = {}
    for index, name in enumerate(columns):
        column_cells = [next(table) for table in cells]
        if codes is None:
            rows = tuple(len(table.places) for table in column_cells)
            codes = array((len(columns), sum(rows)), np.uint32)
        column = joiner.join(name, column_cells)
        del column_cells
        if column is not None:
            np.concatenate(column.codes, out=codes[index])
            by_name[name] = replace(column, codes=[])
            del column
    joiner.check()
    assert codes is not None  # noqa: S101 (a table has a column)
    person_codes = tuple(
        _people(table, more[0], next(rest)) if more else None
        for table, more, rest in zip(tables, with_person, cells, strict=True)
    )
    return JointTables(columns, codes, rows, by_name, person_codes)


def _people(table: Source, person: str, cells: Cells) -> JointCodes:
    """The number of each row's person."""
    missing = int(np.count_nonzero(cells.places == len(cells.values)))
    if missing:
        raise ColumnError(
            "column {column!r} of {table} names no person in {rows}; every row must have one",
            column=person,
            table=table.name,
            rows=counted(missing, "row"),
        )
    return cells.places


@dataclass
class ColumnJoiner:
    """Gives the values of columns common codes, and collects what cannot be compared."""

    tables: Sequence[Source]
    decimals: int | None
    unit: str | None
    problems: list[str] = field(default_factory=list)

    def join(self, name: str, cells: Sequence[Cells]) -> JointColumn | None:
        """Encode a column of all tables; None if its values cannot be compared."""
        try:
            return join_cells(cells, self.decimals, self.unit)
        except KindsDifferError as problem:
            kinds = [
                phrase("{kind} in {table}", kind=term(kind.value), table=table.name)
                for kind, table in zip(problem.kinds, self.tables, strict=True)
            ]
            self.problems.append(
                phrase("column {column!r} holds {what}", column=name, what=joined(kinds, " and "))
            )
        except SpellingsDifferError:
            self.problems.append(
                phrase(
                    "column {column!r} writes the same values in different ways in {tables}",
                    column=name,
                    tables=joined([table.name for table in self.tables]),
                )
            )
        except pa.ArrowException:
            raise ColumnError(
                "column {column!r} holds more text than can be compared: its distinct values "
                "take more than 2 GB",
                column=name,
            ) from None
        return None

    def check(self) -> None:
        """Raise an error if there is a column whose values cannot be compared."""
        if self.problems:
            raise ColumnError(
                "{problems}: they cannot be compared; convert one of them first",
                problems=joined(self.problems[:5], "; "),
            )


def cells_of(table: Source, name: str, column: pa.ChunkedArray) -> Cells:
    """Encode the cells of a column of one table."""
    try:
        return Cells.of(column, is_untyped=table.is_untyped)
    except pa.ArrowException:
        raise ColumnError(
            "column {column!r} of {table} holds more text than can be compared",
            column=name,
            table=table.name,
        ) from None


def reads_column_by_column(table: Source) -> bool:
    """Whether only one column of a table is in memory at a time while it is encoded."""
    return table.counts.keeps_order and table.rows * len(table.columns) > _MANY_CELLS


def _cells(table: Source, columns: Sequence[str]) -> Iterator[Cells]:
    """The columns of a table, one after the other."""
    if reads_column_by_column(table):
        # One at a time: all of them together take more memory than all that follows.
        for name in columns:
            yield cells_of(table, name, table.counts.columns_values([name], raw=True)[0])
        return
    # One query: rows without an order of their own must stay together.
    arrays = table.counts.columns_values(columns, raw=True)
    encoded = []
    for name in columns:
        encoded.append(cells_of(table, name, arrays.pop(0)))
    while encoded:
        yield encoded.pop(0)


def check_same_columns(tables: Sequence[Source], person: str | None = None) -> None:
    """Raise an error that lists the columns which only some of the tables have.

    The column of a person may be missing in the first table, the synthetic one.
    """
    first = tables[0]
    for table in tables[1:]:
        if person is not None:
            check_column(person, table.columns, table.name)
        only_first = [name for name in first.columns if name not in table.columns]
        only_other = [name for name in table.columns if name not in (*first.columns, person)]
        differences = [
            phrase(
                "only in {table}: {columns}",
                table=source.name,
                columns=columns_named(names, source.columns),
            )
            for source, names in ((first, only_first), (table, only_other))
            if names
        ]
        if differences:
            raise ColumnError(
                "{first} and {second} must have the same columns; {differences}",
                first=first.name,
                second=table.name,
                differences=joined(differences, "; "),
            )
