"""The rows that can still matter below the columns that combinations begin with.

A group of rows that agree on these columns leaves when a further column cannot split it to any
effect: a synthetic row that is alone is unique with every further column, too.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from petaudit.tables.engines.scratch import Scratch

_ROWS_PER_GROUP: Final = 8
"""Groups that are larger on average have hardly a row that leaves."""
_WORTH_COPYING: Final = 0.7
_level_numbers = itertools.count()


@dataclass(frozen=True)
class Level:
    """A table with these rows; that of the level above if hardly any left."""

    prefix: tuple[int, ...]
    table: str
    rows: int
    table_name: str | None


class Levels:
    """The levels of the prefix that is being looked at; those that two prefixes share are kept.

    A table has ``o`` for target rows, ``w`` for synthetic rows that wait to be identified, the
    codes ``k0``, ``k1``, ..., and further columns.
    """

    def __init__(
        self, scratch: Scratch, table: str, rows: int, distinct: Sequence[int], further: str
    ) -> None:
        self._scratch = scratch
        self._distinct = distinct
        self._further = further
        self._levels = [Level((), table, rows, None)]

    def at(self, prefix: tuple[int, ...], *, keep_matches: bool) -> Level:
        """The level of a prefix."""
        shared = 0
        while (
            shared + 1 < len(self._levels)
            and self._levels[shared + 1].prefix == prefix[: shared + 1]
        ):
            shared += 1
        self._leave(shared + 1)
        for length in range(shared + 1, len(prefix) + 1):
            above = self._levels[-1]
            self._levels.append(self._narrowed(above, prefix[:length], keep_matches=keep_matches))
        return self._levels[-1]

    def close(self) -> None:
        """Drop all tables but the first."""
        self._leave(1)

    def _leave(self, depth: int) -> None:
        for level in self._levels[depth:]:
            if level.table_name is not None:
                self._scratch.drop(level.table_name)
        del self._levels[depth:]

    def _narrowed(self, above: Level, prefix: tuple[int, ...], *, keep_matches: bool) -> Level:
        same = Level(prefix, above.table, above.rows, None)
        groups = math.prod(self._distinct[column] for column in prefix)
        if groups * _ROWS_PER_GROUP < above.rows:
            return same
        keys = key_names(prefix)
        fewest = "1" if keep_matches else "CASE WHEN s = 1 THEN 2 ELSE 1 END"
        kept = self._scratch.make(
            "kept",
            f"SELECT {keys}, s, t, w > 0 AND t >= {fewest} AS is_useful FROM ("
            f"SELECT {keys}, count(*) FILTER (WHERE NOT o) AS s, count(*) FILTER (WHERE o) AS t, "
            f"count(*) FILTER (WHERE w) AS w FROM {above.table} GROUP BY {keys}) "
            f"WHERE s > 1 OR (s = 1 AND w > 0 AND t >= {fewest})",
        )
        rows = self._scratch.number(
            f"SELECT sum(s + CASE WHEN is_useful THEN t ELSE 0 END) FROM {kept}"
        )
        if rows > _WORTH_COPYING * above.rows:
            return same
        name = f"level_{next(_level_numbers)}"
        cells = key_names((*prefix, *range(prefix[-1] + 1, len(self._distinct))))
        table = self._scratch.make(
            name,
            f"SELECT o, w, {self._further}, {cells} FROM {above.table} "
            f"JOIN {kept} USING ({keys}) WHERE NOT o OR is_useful",
        )
        self._scratch.drop("kept")
        return Level(prefix, table, rows, name)


def key_names(columns: Sequence[int]) -> str:
    """The codes of some columns, for a query.

    >>> key_names([0, 2])
    'k0, k2'
    """
    return ", ".join(f"k{column}" for column in columns)
