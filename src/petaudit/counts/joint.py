"""Several tables in common integer codes, for searches that compare their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from petaudit.counts._joint_column import (
    Cells,
    JointColumn,
    KindsDifferError,
    Precision,
    SpellingsDifferError,
    join_cells,
)
from petaudit.counts._moments import unit_named
from petaudit.counts.source import Source
from petaudit.errors import ColumnError, joined, listing, phrase, term

__all__ = ["JointColumn", "JointTables", "check_same_columns", "joint_tables", "unit_named"]

JointCodes: TypeAlias = npt.NDArray[np.uint32]


@dataclass(frozen=True)
class JointTables:
    """Tables with the same columns: rows of one after rows of the other, a code per cell."""

    columns: tuple[str, ...]
    codes: JointCodes
    """A row per column; the tables stand side by side."""
    rows: tuple[int, ...]
    """How many rows each table has."""
    joined: Mapping[str, JointColumn]

    @property
    def precision(self) -> dict[str, Precision]:
        """The decimals or the unit of time that each column was brought to."""
        return {name: column.precision for name, column in self.joined.items()}


def joint_tables(
    tables: Sequence[Source], *, reference: int, decimals: int | None, unit: str | None
) -> JointTables:
    """Encode tables together, with the columns in the order of the first one.

    Precision is found in the reference table, column by column, where it is not given.
    """
    check_same_columns(tables)
    columns = tables[0].columns
    cells = [_cells(table, columns) for table in tables]
    rows = tuple(len(own[0].places) for own in cells)
    codes = np.empty((len(columns), sum(rows)), np.uint32)
    by_name: dict[str, JointColumn] = {}
    problems: list[str] = []
    for index, name in enumerate(columns):
        try:
            column = join_cells([own.pop(0) for own in cells], reference, decimals, unit)
        except KindsDifferError as problem:
            said = [
                phrase("{kind} in {table}", kind=term(kind.value), table=table.name)
                for kind, table in zip(problem.kinds, tables, strict=True)
            ]
            problems.append(
                phrase("column {column!r} holds {what}", column=name, what=joined(said, " and "))
            )
            continue
        except SpellingsDifferError:
            problems.append(
                phrase(
                    "column {column!r} writes the same values in different ways in {tables}",
                    column=name,
                    tables=joined([table.name for table in tables]),
                )
            )
            continue
        except pa.ArrowException:
            raise ColumnError(
                phrase(
                    "column {column!r} holds more text than can be compared: its distinct values "
                    "take more than 2 GB",
                    column=name,
                )
            ) from None
        np.concatenate(column.codes, out=codes[index])
        by_name[name] = _without_codes(column)
    if problems:
        raise ColumnError(
            phrase(
                "{problems}: they cannot be compared; convert one of them first",
                problems=joined(problems[:5], "; "),
            )
        )
    return JointTables(columns, codes, rows, by_name)


def _without_codes(column: JointColumn) -> JointColumn:
    return JointColumn([], column.size, column.precision, column.kind, column.keys, column.value)


def _cells(table: Source, columns: Sequence[str]) -> list[Cells]:
    # One query: rows without an order of their own must stay together.
    arrays = table.counts.columns_values(columns, raw=True)
    found = []
    for name in columns:
        try:
            found.append(Cells.of(arrays.pop(0), is_untyped=table.is_untyped))
        except pa.ArrowException:
            raise ColumnError(
                phrase(
                    "column {column!r} of {table} holds more text than can be compared",
                    column=name,
                    table=table.name,
                )
            ) from None
    return found


def check_same_columns(tables: Sequence[Source]) -> None:
    """Raise an error that lists the columns which only some of the tables have."""
    first = tables[0]
    for table in tables[1:]:
        only_first = [name for name in first.columns if name not in table.columns]
        only_other = [name for name in table.columns if name not in first.columns]
        said = [
            phrase(
                "only in {table}: {columns}",
                table=own.name,
                columns=listing([repr(name) for name in names]),
            )
            for own, names in ((first, only_first), (table, only_other))
            if names
        ]
        if said:
            raise ColumnError(
                phrase(
                    "{first} and {second} must have the same columns; {differences}",
                    first=first.name,
                    second=table.name,
                    differences=joined(said, "; "),
                )
            )
