"""How many different values sets of columns have, and how many pairs of rows agree on them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import narwhals.stable.v2 as nw

from petaudit.errors import OptionError
from petaudit.tables.classes.keys import trimmed_keys

if TYPE_CHECKING:
    from petaudit.tables.table_counts import TableCounts

USUAL_SETS: Final = 1_000
"""Sets are smaller where there would be more of them, unless somebody says otherwise."""
_USUAL_SIZE: Final = 3
_MOST_SETS: Final = 50_000
PERSON: Final = "p"
"""What the column of the person is called in the engine."""
_AT_ONCE: Final = 16
"""Sets that one query counts: each takes a while to reach an engine elsewhere."""


@dataclass(frozen=True)
class SetCounts:
    """The classes of the rows of a table by one set of columns."""

    columns: tuple[int, ...]
    """Their positions among the quasi-identifiers, ascending."""
    rows: int
    classes: int
    equal_pairs: int
    """Unordered pairs of rows that agree on all of the columns."""

    @property
    def distinction(self) -> Fraction:
        """The share of rows that can stay if the set is to be a key (Motwani and Xu).

        >>> SetCounts((0,), 5, 3, 2).distinction
        Fraction(3, 5)
        """
        return Fraction(self.classes, self.rows)

    @property
    def separation(self) -> Fraction:
        """The share of pairs of rows that the set tells apart; 1 where there is no pair.

        >>> SetCounts((0,), 5, 3, 2).separation, SetCounts((0,), 1, 1, 0).separation
        (Fraction(4, 5), Fraction(1, 1))
        """
        return 1 - Fraction(self.equal_pairs, max(math.comb(self.rows, 2), 1))


def usual_size(columns: int) -> int:
    """How large sets are if nobody says: 3 columns, or fewer where there are very many sets.

    >>> [usual_size(columns) for columns in (2, 13, 18, 19, 44, 45)]
    [2, 3, 3, 2, 2, 1]
    """
    size = min(_USUAL_SIZE, columns)
    while size > 1 and number_of_sets(columns, size) > USUAL_SETS:
        size -= 1
    return size


def size_of_sets(columns: int, asked: int | None) -> int:
    """How large sets are: as large as is asked for, unless that makes too many of them."""
    if asked is None:
        return usual_size(columns)
    up_to = min(asked, columns)
    sets = number_of_sets(columns, up_to)
    # Sets of one column are always looked at: the table has them all.
    if up_to > 1 and sets > _MOST_SETS:
        raise OptionError(
            "max_columns is {up_to}, which gives {sets:,} sets of {columns} quasi-identifiers; at "
            "most {most:,} sets are checked",
            up_to=up_to,
            sets=sets,
            columns=columns,
            most=_MOST_SETS,
        )
    return up_to


def number_of_sets(columns: int, up_to: int) -> int:
    """The number of sets of up to ``up_to`` of the columns.

    >>> number_of_sets(13, 3)
    377
    """
    return sum(math.comb(columns, size) for size in range(1, up_to + 1))


def key_rows(
    table: TableCounts,
    quasi_identifiers: Sequence[str],
    *,
    with_suppressed: bool,
    person: str | None,
) -> nw.LazyFrame[Any]:
    """The rows with their quasi-identifiers as k0, k1, ...; suppressed rows as is asked for.

    With a person column there is a row per person and class, and the person is ``PERSON``.
    """
    carried: list[str] = []
    if person is not None:
        table = table.by_person(quasi_identifiers, person)
        carried = [table.position(person)]
    keys = trimmed_keys(table, quasi_identifiers, carried=carried)
    rows = keys.rows
    if keys.suppressed is not None and not with_suppressed:
        rows = rows.filter(keys.suppressed == 0)
    return rows.select(*keys.names, *(nw.col(name).alias(PERSON) for name in carried))


def count_sets(
    table: TableCounts,
    quasi_identifiers: Sequence[str],
    sets: Sequence[tuple[int, ...]],
    *,
    with_suppressed: bool,
    person: str | None = None,
) -> list[SetCounts]:
    """Count by every set where the rows are; only numbers of classes by size leave the engine.

    With a person column, rows of one person that agree on a set are one row there.
    """
    rows = key_rows(table, quasi_identifiers, with_suppressed=with_suppressed, person=person)

    def sizes(number: int) -> nw.LazyFrame[Any]:
        names = [f"k{column}" for column in sets[number]]
        members = rows
        if person is not None:
            members = table.grouped(rows, [*names, PERSON]).select(*names)
        by_size = table.grouped(members, names).group_by("n").agg(nw.len().alias("classes"))
        return by_size.select(
            nw.lit(number).cast(nw.Int64).alias("set"),
            *(nw.col(name).cast(nw.Int64) for name in ("n", "classes")),
        )

    histograms: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for start in range(0, len(sets), _AT_ONCE):
        batch = [sizes(number) for number in range(start, min(start + _AT_ONCE, len(sets)))]
        for entry in table.collected(nw.concat(batch, how="vertical")).to_pylist():
            histograms[entry["set"]].append((int(entry["n"]), int(entry["classes"])))
    return [
        SetCounts(
            columns,
            sum(size * classes for size, classes in histograms[number]),
            sum(classes for _, classes in histograms[number]),
            sum(math.comb(size, 2) * classes for size, classes in histograms[number]),
        )
        for number, columns in enumerate(sets)
    ]
