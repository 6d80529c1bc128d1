"""The smallest sets of columns on which a row is alone, found by DuckDB in a file."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

from petaudit.tables._encoding import floats, whole_numbers
from petaudit.tables.joint.scratch import Scratch
from petaudit.tables.minimal_uniques import AS_GOOD_AS_MORE, Floats, MinimalSearch
from petaudit.tables.results import Integers
from petaudit.tables.set_counts import PERSON, key_rows
from petaudit.tables.table_counts import TableCounts


class DuckSearch(MinimalSearch[str]):
    """Classes have a code per column and an id, and lie in a file, as the pairs do."""

    def __init__(
        self,
        table: TableCounts,
        quasi_identifiers: Sequence[str],
        *,
        with_suppressed: bool,
        person: str | None = None,
    ) -> None:
        super().__init__(len(quasi_identifiers))
        self._scratch = Scratch()
        self._made = itertools.count()
        self._by_person = person is not None
        rows = key_rows(table, quasi_identifiers, with_suppressed=with_suppressed, person=person)
        rows = rows if self._by_person else table.grouped(rows, self.keys)
        if table.load is not None:
            self._labelled = self._scratch.make("labelled", rows.to_native().sql_query())
        else:
            rows_given = table.collected(rows)
            self._labelled = self._scratch.make(
                "labelled", "FROM rows_given", rows_given=rows_given
            )
        coded = [*self.keys, *([PERSON] if self._by_person else [])]
        self._classes = self._scratch.make("classes", self._coded(coded))
        self._scratch.drop("labelled")
        for name in coded:
            self._scratch.drop(f"codes_{name}")

    def minimal(self, found: str | None, sets: Iterable[Sequence[int]]) -> str:
        """See the base class."""
        if found is None:
            nothing = "SELECT 0::BIGINT AS id, 0::BIGINT AS bits LIMIT 0"
            found = self._scratch.make(f"pairs_{next(self._made)}", nothing)
        new = self._scratch.make("new", f"FROM {found} LIMIT 0")
        for columns in sets:
            bits = self.bits_of(columns)
            keys = ", ".join(f"k{column}" for column in columns)
            self._scratch.run(
                f"INSERT INTO {new} SELECT id, {bits} FROM ({self._alone(keys)}) AS alone "  # noqa: S608
                f"WHERE NOT EXISTS (FROM {found} AS known "
                f"WHERE known.id = alone.id AND {bits} & known.bits = known.bits)"
            )
        self._scratch.run(f"INSERT INTO {found} FROM {new}")
        self._scratch.drop("new")
        return found

    def _alone(self, keys: str) -> str:
        """The ids of the rows that share these cells with nobody else."""
        if self._by_person:
            return (
                f"SELECT id FROM {self._classes} SEMI JOIN (SELECT {keys} "  # noqa: S608
                f"FROM {self._classes} GROUP BY {keys} HAVING min(p) = max(p)) USING ({keys})"
            )
        return (
            f"SELECT id FROM (SELECT sum(n) AS n, max(id) FILTER (n = 1) AS id "  # noqa: S608
            f"FROM {self._classes} GROUP BY {keys}) WHERE n = 1"
        )

    def rows_of(self, found: str) -> int:
        """See the base class."""
        return self._scratch.number(
            f"SELECT count(DISTINCT id) FROM {found} WHERE bits <> {self.every}"  # noqa: S608
        )

    def by_set(self, found: str) -> tuple[Integers, Integers]:
        """See the base class."""
        table = self._scratch.fetch(
            f"SELECT bits, count(*) AS rows FROM {found} GROUP BY bits ORDER BY bits"  # noqa: S608
        )
        return whole_numbers(table.column("bits")), whole_numbers(table.column("rows"))

    def by_score(self, found: str, scores: Mapping[int, float]) -> tuple[Floats, Integers]:
        """See the base class."""
        cases = "".join(f" WHEN {size} THEN {score!r}::DOUBLE" for size, score in scores.items())
        score = f"CASE bit_count(bits){cases} ELSE 0 END"
        table = self._scratch.fetch(
            f"SELECT score, count(*) AS rows FROM (SELECT sum({score}) AS score "  # noqa: S608
            f"FROM {found} GROUP BY id) GROUP BY score ORDER BY score"
        )
        return floats(table.column("score")), whole_numbers(table.column("rows"))

    def _coded(self, names: Sequence[str]) -> str:
        """How classes get their codes: whole numbers are grouped much faster than text."""
        for name in names:
            self._scratch.make(
                f"codes_{name}",
                f"SELECT {name} AS cell, (row_number() OVER ())::INTEGER AS code "  # noqa: S608
                f"FROM (SELECT DISTINCT {name} FROM {self._labelled})",
            )
        codes = ", ".join(f"own_{name}.code AS {name}" for name in names)
        joins = " ".join(
            f"JOIN {self._scratch.table(f'codes_{name}')} AS own_{name} "
            f"ON own_{name}.cell IS NOT DISTINCT FROM labelled.{name}"
            for name in names
        )
        size = f"least(n, {AS_GOOD_AS_MORE})::TINYINT AS n, " if not self._by_person else ""
        return (
            f"SELECT {size}row_number() OVER () AS id, {codes} "  # noqa: S608
            f"FROM {self._labelled} AS labelled {joins}"
        )
