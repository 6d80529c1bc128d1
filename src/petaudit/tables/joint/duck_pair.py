"""A pair of tables as codes in DuckDB, counted combination by combination.

As in memory, what cannot matter any more leaves: below a prefix (the columns that combinations
begin with) only groups are followed that a further column can still split to some effect.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from petaudit.tables._encoding import arrow_integers, whole_numbers
from petaudit.tables.engines.scratch import Scratch
from petaudit.tables.joint.column import CONTROL, ORIGINAL, SYNTHETIC
from petaudit.tables.joint.duck_coding import Coded, StoredKeys, code_tables, integer_kind
from petaudit.tables.joint.levels import Level, Levels, key_names
from petaudit.tables.joint.store import (
    LISTED_AT_ONCE,
    Combination,
    Exposed,
    GroupSizes,
    Indices,
    Listed,
    StoredFacts,
    StoredPair,
    column_use,
    rows_by_number,
)
from petaudit.tables.source import Source

_WORTH_FORGETTING: Final = 0.02


class DuckPair(StoredPair):
    """A pair in DuckDB, whose rows have numbers, so that they can be listed and drawn.

    The table ``pair`` has ``o`` for rows of the original, ``w`` for synthetic rows that still wait
    to be identified, the row number ``r`` in the table as given, and the codes ``k0``, ``k1``, ...
    """

    engine = "duckdb"

    def __init__(
        self, tables: Sequence[Source], decimals: int | None, unit: str | None, *, deduplicate: bool
    ) -> None:
        self.scratch = Scratch()
        self.deadline = self.scratch.deadline
        coded = code_tables(self.scratch, tables, decimals, unit)
        order, distinct = self._order(coded)
        self.removed = [
            self._note_duplicates(name, len(order), place) if deduplicate else 0
            for place, name in enumerate(coded.tables)
        ]
        names = tables[0].columns
        self.facts = StoredFacts(
            tuple(names[column] for column in order),
            coded.rows,
            tuple(rows - removed for rows, removed in zip(coded.rows, self.removed, strict=True)),
            distinct,
            coded.joined,
            {names[column]: self._use(coded, column) for column in order},
        )
        self.overlap = self._counted_overlap(coded) if len(tables) > CONTROL else {}
        """How many different rows occur how often in the original, and in the control."""
        self._store(coded, order)
        self._pair = "pair"
        self._levels: Levels | None = None
        self._pair_numbers = itertools.count()
        self.scratch.run(
            f"CREATE TABLE {self.scratch.table('identified')} "
            "(size INTEGER, number BIGINT, r UBIGINT, target UBIGINT)"
        )
        self._settled = 0

    @property
    def table(self) -> str:
        """The table of both, in queries."""
        return self.scratch.table(self._pair)

    def batches(self, size: int) -> Iterator[list[Combination]]:
        """All combinations that differ in their last column alone."""
        columns = range(len(self.facts.columns))
        every = itertools.combinations(columns, size)
        for _, batch in itertools.groupby(every, lambda columns: columns[:-1]):
            yield list(batch)

    def count(self, combinations: Sequence[Combination], *, keep_matches: bool) -> list[GroupSizes]:
        """One pass over the rows that matter for each combination."""
        level = self._levels_now().at(combinations[0][:-1], keep_matches=keep_matches)
        self.scratch.make(
            "held", "SELECT 0 AS place, 0::UBIGINT AS r, 0::UBIGINT AS target LIMIT 0"
        )
        return [
            self._count(level, combination, place) for place, combination in enumerate(combinations)
        ]

    def note(self, size: int, numbers: Mapping[int, int]) -> None:
        """See the base class."""
        if not numbers:
            return
        held, identified = self.scratch.table("held"), self.scratch.table("identified")
        numbered = ", ".join(f"({place}, {number})" for place, number in numbers.items())
        self.scratch.run(
            f"INSERT INTO {identified} SELECT {size}, min(number), r, min_by(target, number) "
            f"FROM {held} JOIN (VALUES {numbered}) AS numbers(place, number) USING (place) "
            f"WHERE NOT EXISTS (FROM {identified} AS known WHERE known.r = {held}.r) GROUP BY r"
        )

    def settle(self, size: int) -> Indices:
        """See the base class."""
        identified = self.scratch.table("identified")
        self._close_levels()
        counted = self.scratch.fetch(
            f"SELECT number, count(*) AS n FROM {identified} WHERE size = {size} GROUP BY number"
        )
        by_number = rows_by_number(counted)
        self._settled += int(by_number.sum())
        return by_number

    def listed(self, size: int) -> Iterator[Listed]:
        """The rows that combinations of a size identify, in batches."""
        ordered = self.scratch.make(
            "ordered",
            "SELECT row_number() OVER (ORDER BY number, r) AS place, number, r, target "
            f"FROM {self.scratch.table('identified')} WHERE size = {size}",
        )
        duplicates = [self._duplicates(place) for place in (SYNTHETIC, ORIGINAL)]
        try:
            for start in range(0, self._number("count(*)", ordered), LISTED_AT_ONCE):
                table = self.scratch.fetch(
                    f"SELECT number, r, target FROM {ordered} WHERE place > {start} "
                    f"AND place <= {start + LISTED_AT_ONCE} ORDER BY place"
                )
                numbers, rows, targets = (
                    whole_numbers(table.column(name)) for name in ("number", "r", "target")
                )
                # Row numbers as they are after duplicates were removed.
                left = [
                    given - np.searchsorted(before, given)
                    for given, before in zip((rows, targets), duplicates, strict=True)
                ]
                yield Listed(left[0], numbers, left[1], rows, targets)
        finally:
            self.scratch.drop("ordered")

    def values(
        self, rows: Indices, combinations: Sequence[Sequence[int]]
    ) -> Iterator[tuple[object, ...]]:
        """The prepared values of synthetic rows, as given, in columns by place in the search."""
        for start in range(0, len(rows), LISTED_AT_ONCE):
            stop = start + LISTED_AT_ONCE
            yield from self._some_values(rows[start:stop], combinations[start:stop])

    def first_rows(self, table: int) -> Indices:
        """For each row of a table as given the first one that is equal to it."""
        rows = np.arange(self.facts.rows[table])
        if self.removed[table]:
            repeated = self.scratch.fetch(
                f"SELECT r, first FROM {self.scratch.table(f'repeated_{table}')}"
            )
            rows[whole_numbers(repeated.column("r"))] = whole_numbers(repeated.column("first"))
        return rows

    def count_exposed(
        self,
        sample: Indices,
        combinations: Iterable[Combination],
        *,
        keep_matches: bool,
        merges_equal: bool,
    ) -> Exposed:
        """Count the rows that are alone with a unique synthetic row.

        Those of the sample, rows of the original by their numbers, are looked at together, those of
        the control one by one beside the sample. Combinations are in the order of the search;
        ``merges_equal`` says that equal rows are one person. See
        :mod:`petaudit.singling.control` for why people are counted.
        """
        keys = key_names(range(len(self.facts.columns)))
        people = self._people(sample)
        # Equal rows are one person, wherever they are.
        twins = self.scratch.make(
            "twins",
            f"SELECT c, r, first FROM (SELECT c, r, max(r) FILTER (WHERE NOT c) OVER (PARTITION BY "
            f"{keys}) AS first FROM {people}) WHERE c AND first IS NOT NULL AND {merges_equal}",
        )
        # No synthetic row is done with: with other columns it may point at somebody else.
        sampled = self.scratch.make(
            "sampled",
            f"SELECT false AS o, true AS w, false AS c, r, {keys} "
            f"FROM {self.table} WHERE NOT o UNION ALL "
            f"SELECT true, false, c, r, {keys} FROM {people} ANTI JOIN {twins} USING (c, r)",
        )
        # With m = 1 they are exposed, with m = 2 they would be without one other person.
        exposed = self.scratch.make("exposed", "SELECT false AS c, 0::UBIGINT AS r, 1 AS m LIMIT 0")
        levels = Levels(self.scratch, sampled, sum(self.facts.people), self.facts.distinct, "c, r")
        try:
            for prefix, batch in itertools.groupby(combinations, lambda columns: columns[:-1]):
                level = levels.at(prefix, keep_matches=keep_matches)
                if not level.rows:
                    continue
                alone = " UNION ".join(
                    # A stranger is one more than the people of the sample who are there.
                    "SELECT who.c, who.r, n + who.c::INT AS m FROM (SELECT n, unnest(whom) AS who "
                    "FROM (SELECT count(*) FILTER (WHERE o AND NOT c) AS n, "
                    "list({'c': c, 'r': r::UBIGINT}) FILTER (WHERE o) AS whom "
                    f"FROM {level.table} GROUP BY {key_names(combination)} "
                    "HAVING count(*) FILTER (WHERE NOT o) = 1)) WHERE m < 3"
                    for combination in batch
                )
                self.scratch.run(f"INSERT INTO {exposed} {alone} EXCEPT FROM {exposed}")
            [counts] = self.scratch.run(
                "SELECT coalesce(sum(n) FILTER (WHERE NOT c AND m = 1), 0), "
                "coalesce(sum(n) FILTER (WHERE NOT c AND m = 2), 0), "
                "coalesce(sum(n) FILTER (WHERE c AND m = 1), 0), "
                "coalesce(sum(n) FILTER (WHERE c AND m = 2), 0) FROM ("
                f"SELECT p.c, n, e.m FROM {people} AS p LEFT JOIN {twins} AS t USING (c, r) JOIN "
                f"(SELECT c, r, min(m) AS m FROM {exposed} GROUP BY c, r) AS e "
                "ON e.c = (p.c AND t.first IS NULL) AND e.r = coalesce(t.first, p.r))"
            )
            return Exposed(*map(int, counts))
        finally:
            with self.scratch.deadline.at(None):
                levels.close()
                for name in ("people", "twins", "sampled", "exposed"):
                    self.scratch.drop(name)

    def finish(self) -> None:
        """See the base class."""
        self._close_levels()
        for name in ("held", "counted"):
            self.scratch.drop(name)

    def _order(self, coded: Coded) -> tuple[list[int], tuple[int, ...]]:
        """Columns by their number of synthetic values, and the original's numbers in that order."""
        columns = range(len(coded.joined))
        many = [
            [self._number(f"count(DISTINCT k{column})", name) for column in columns]
            for name in coded.tables[:2]
        ]
        order = sorted(columns, key=lambda column: -many[SYNTHETIC][column])
        return order, tuple(many[ORIGINAL][column] for column in order)

    def _note_duplicates(self, name: str, columns: int, place: int) -> int:
        """Find the rows that repeat an earlier one; a hash rules out most of them."""
        keys = ", ".join(f"k{column}" for column in range(columns))
        alike = self.scratch.make(
            "alike",
            f"SELECT h FROM (SELECT hash({keys}) AS h FROM {name}) GROUP BY h HAVING count(*) > 1",
        )
        repeated = self.scratch.make(
            f"repeated_{place}",
            f"SELECT r, first FROM (SELECT r, min(r) OVER (PARTITION BY {keys}) AS first "
            f"FROM {name} WHERE hash({keys}) IN (SELECT h FROM {alike})) WHERE r > first",
        )
        self.scratch.drop("alike")
        return self._number("count(*)", repeated)

    def _number(self, figure: str, table: str) -> int:
        return self.scratch.number(f"SELECT {figure} FROM {table}")

    def _use(self, coded: Coded, column: int) -> tuple[int, int, int, int]:
        null = list(coded.joined.values())[column].null
        [(synthetic, common, original, alone)] = self.scratch.run(
            column_use(coded.tables, column, [null])
        )
        return int(synthetic), int(common), int(original), int(alone)

    def _counted_overlap(self, coded: Coded) -> dict[tuple[int, int], int]:
        keys = key_names(range(len(coded.joined)))
        both = " UNION ALL ".join(
            f"SELECT {place} AS place, {keys} FROM {coded.tables[place]}"
            for place in (ORIGINAL, CONTROL)
        )
        counted = self.scratch.run(
            "SELECT a, b, count(*) AS n FROM ("
            f"SELECT count(*) FILTER (WHERE place = {ORIGINAL}) AS a, "
            f"count(*) FILTER (WHERE place = {CONTROL}) AS b FROM ({both}) GROUP BY {keys}"
            ") GROUP BY a, b"
        )
        return {(original, control): rows for original, control, rows in counted}

    def _store(self, coded: Coded, order: Sequence[int]) -> None:
        """Store both tables as one, columns in the order of the search; the control is separate."""
        row = integer_kind(max(coded.rows))
        keys = ", ".join(f"k{column} AS k{place}" for place, column in enumerate(order))
        queries = []
        for place, name in enumerate(coded.tables):
            without_duplicates = ""
            if self.removed[place]:
                repeated = self.scratch.table(f"repeated_{place}")
                without_duplicates = f" WHERE r NOT IN (SELECT r FROM {repeated})"
            queries.append(f"r::{row} AS r, {keys} FROM {name}{without_duplicates}")
        self.scratch.make(
            "pair",
            f"SELECT false AS o, true AS w, {queries[SYNTHETIC]} "
            f"UNION ALL SELECT true, false, {queries[ORIGINAL]}",
        )
        for query in queries[2:]:
            self.scratch.make("control", f"SELECT {query}")
        for name in coded.tables:
            self.scratch.run(f"DROP TABLE {name}")

    def _levels_now(self) -> Levels:
        if self._levels is None:
            self._forget_settled()
            rows = sum(self.facts.people[:2])
            self._levels = Levels(self.scratch, self.table, rows, self.facts.distinct, "r")
        return self._levels

    def _close_levels(self) -> None:
        if self._levels is not None:
            self._levels.close()
            self._levels = None

    def _forget_settled(self) -> None:
        """Stop following rows that are already identified, once there are enough of them."""
        if self._settled < _WORTH_FORGETTING * self.facts.people[SYNTHETIC]:
            return
        before, name = self._pair, f"pair_{next(self._pair_numbers)}"
        pair, identified = self.scratch.table(before), self.scratch.table("identified")
        keys = key_names(range(len(self.facts.columns)))
        self.scratch.make(
            name,
            f"SELECT o, w AND identified.r IS NULL AS w, pair.r, {keys} "
            f"FROM {pair} AS pair LEFT JOIN {identified} AS identified "
            "ON pair.r = identified.r AND NOT pair.o",
        )
        self.scratch.drop(before)
        self._pair, self._settled = name, 0

    def _count(self, level: Level, combination: Combination, place: int) -> GroupSizes:
        """Return group sizes, and store the rows that the combination identifies in ``held``."""
        nothing = np.zeros(0, np.int64)
        if not level.rows:
            return GroupSizes(nothing, nothing)
        counted = self.scratch.make(
            "counted",
            "SELECT CASE WHEN s = 1 THEN r END AS r, CASE WHEN s = 1 THEN target END AS target, "
            "s, count(*) AS n FROM (SELECT count(*) FILTER (WHERE NOT o) AS s, "
            "count(*) FILTER (WHERE o) AS t, max(r) FILTER (WHERE w) AS r, "
            f"max(r) FILTER (WHERE o) AS target FROM {level.table} "
            f"GROUP BY {key_names(combination)}) "
            "WHERE s > 1 OR (s = 1 AND t = 1 AND r IS NOT NULL) GROUP BY ALL",
        )
        self.scratch.run(
            f"INSERT INTO {self.scratch.table('held')} "
            f"SELECT {place}, r, target FROM {counted} WHERE s = 1"
        )
        sizes = self.scratch.fetch(f"SELECT s, n FROM {counted} WHERE s > 1 ORDER BY s")
        return GroupSizes(whole_numbers(sizes.column("s")), whole_numbers(sizes.column("n")))

    def _duplicates(self, place: int) -> Indices:
        """The rows of a table that repeat an earlier one, ascending."""
        if not self.removed[place]:
            return np.zeros(0, np.int64)
        duplicates = self.scratch.fetch(
            f"SELECT r FROM {self.scratch.table(f'repeated_{place}')} ORDER BY r"
        )
        return whole_numbers(duplicates.column("r"))

    def _some_values(
        self, rows: Indices, combinations: Sequence[Sequence[int]]
    ) -> Iterator[tuple[object, ...]]:
        used = sorted({column for combination in combinations for column in combination})
        table = self.scratch.fetch(
            f"SELECT r, {key_names(used)} FROM {self.table} "
            "JOIN rows_wanted USING (r) WHERE NOT o ORDER BY r",
            rows_wanted=pa.table({"r": arrow_integers(rows)}),
        )
        places = np.searchsorted(whole_numbers(table.column("r")), rows)
        cells: dict[int, list[object]] = {}
        for column in used:
            codes = whole_numbers(table.column(f"k{column}"))[places]
            known = self._known_values(column, codes)
            cells[column] = [known[code] for code in codes.tolist()]
        for place, combination in enumerate(combinations):
            yield tuple(cells[column][place] for column in combination)

    def _known_values(self, column: int, codes: Indices) -> dict[int, Any]:
        joined = self.facts.joined[self.facts.columns[column]]
        wanted = [code for code in np.unique(codes).tolist() if code != joined.null]
        known: dict[int, Any] = {joined.null: None}
        if isinstance(joined.keys, StoredKeys):
            return known | joined.keys.of(wanted)
        return known | {code: joined.value(code) for code in wanted}

    def _people(self, sample: Indices) -> str:
        """The rows of a sample of the original, and those of the control, without duplicates.

        Each says how many rows it stands for, ``n``, and whether it is of the control, ``c``.
        """
        keys = key_names(range(len(self.facts.columns)))
        parts, lookups = [], {}
        for name, rows, source in (
            ("inside", self.first_rows(ORIGINAL)[sample], f"(FROM {self.table} WHERE o)"),
            ("outside", self.first_rows(CONTROL), self.scratch.table("control")),
        ):
            numbers, times = np.unique(rows, return_counts=True)
            lookups[name] = pa.table({"r": arrow_integers(numbers), "n": arrow_integers(times)})
            is_control = name == "outside"
            parts.append(
                f"SELECT {is_control} AS c, r, n, {keys} FROM {source} JOIN {name} USING (r)"
            )
        return self.scratch.make("people", " UNION ALL ".join(parts), **lookups)
