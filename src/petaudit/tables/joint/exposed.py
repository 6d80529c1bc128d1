"""How many of some people are singled out by any synthetic row, in DuckDB.

See :mod:`petaudit.singling.control` for why people are counted.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from petaudit.tables._encoding import arrow_integers
from petaudit.tables.joint.column import CONTROL, ORIGINAL
from petaudit.tables.joint.duck_pair import DuckPair
from petaudit.tables.joint.levels import Levels, key_names
from petaudit.tables.joint.store import Combination, Exposed, Indices


def count_exposed(
    pair: DuckPair,
    sample: Indices,
    combinations: Iterable[Combination],
    *,
    keep_matches: bool,
    merges_equal: bool,
) -> Exposed:
    """Count the rows that are alone with a unique synthetic row.

    Those of the sample, rows of the original by their numbers, are looked at together, those of the
    control one by one beside the sample. Combinations are in the order of the search;
    ``merges_equal`` says that equal rows are one person.
    """
    scratch = pair.scratch
    keys = key_names(range(len(pair.facts.columns)))
    people = _people(pair, sample)
    # Equal rows are one person, wherever they are.
    twins = scratch.make(
        "twins",
        f"SELECT c, r, first FROM (SELECT c, r, max(r) FILTER (WHERE NOT c) OVER (PARTITION BY "  # noqa: S608
        f"{keys}) AS first FROM {people}) WHERE c AND first IS NOT NULL AND {merges_equal}",
    )
    # No synthetic row is done with: with other columns it may point at somebody else.
    sampled = scratch.make(
        "sampled",
        f"SELECT false AS o, true AS w, false AS c, r, {keys} "  # noqa: S608
        f"FROM {pair.table} WHERE NOT o UNION ALL "
        f"SELECT true, false, c, r, {keys} FROM {people} ANTI JOIN {twins} USING (c, r)",
    )
    # With m = 1 they are exposed, with m = 2 they would be without one other person.
    exposed = scratch.make("exposed", "SELECT false AS c, 0::UBIGINT AS r, 1 AS m LIMIT 0")
    levels = Levels(scratch, sampled, sum(pair.facts.people), pair.facts.distinct, "c, r")
    try:
        for prefix, batch in itertools.groupby(combinations, lambda columns: columns[:-1]):
            level = levels.at(prefix, keep_matches=keep_matches)
            if not level.rows:
                continue
            alone = " UNION ".join(
                # A stranger is one more than the people of the sample who are there.
                "SELECT who.c, who.r, n + who.c::INT AS m FROM (SELECT n, unnest(whom) AS who "  # noqa: S608
                "FROM (SELECT count(*) FILTER (WHERE o AND NOT c) AS n, "
                "list({'c': c, 'r': r::UBIGINT}) FILTER (WHERE o) AS whom "
                f"FROM {level.table} GROUP BY {key_names(combination)} "
                "HAVING count(*) FILTER (WHERE NOT o) = 1)) WHERE m < 3"
                for combination in batch
            )
            scratch.run(f"INSERT INTO {exposed} {alone} EXCEPT FROM {exposed}")
        [found] = scratch.run(
            "SELECT coalesce(sum(n) FILTER (WHERE NOT c AND m = 1), 0), "  # noqa: S608
            "coalesce(sum(n) FILTER (WHERE NOT c AND m = 2), 0), "
            "coalesce(sum(n) FILTER (WHERE c AND m = 1), 0), "
            "coalesce(sum(n) FILTER (WHERE c AND m = 2), 0) FROM ("
            f"SELECT p.c, n, e.m FROM {people} AS p LEFT JOIN {twins} AS t USING (c, r) JOIN "
            f"(SELECT c, r, min(m) AS m FROM {exposed} GROUP BY c, r) AS e "
            "ON e.c = (p.c AND t.first IS NULL) AND e.r = coalesce(t.first, p.r))"
        )
        return Exposed(*map(int, found))
    finally:
        with scratch.deadline.at(None):
            levels.close()
            for name in ("people", "twins", "sampled", "exposed"):
                scratch.drop(name)


def _people(pair: DuckPair, sample: Indices) -> str:
    """The rows of a sample of the original, and those of the control, without duplicates.

    Each says how many rows it stands for, ``n``, and whether it is of the control, ``c``.
    """
    scratch = pair.scratch
    keys = key_names(range(len(pair.facts.columns)))
    parts, lookups = [], {}
    for name, rows, source in (
        ("inside", pair.first_rows(ORIGINAL)[sample], f"(FROM {pair.table} WHERE o)"),
        ("outside", pair.first_rows(CONTROL), scratch.table("control")),
    ):
        numbers, times = np.unique(rows, return_counts=True)
        lookups[name] = pa.table({"r": arrow_integers(numbers), "n": arrow_integers(times)})
        is_control = name == "outside"
        parts.append(
            f"SELECT {is_control} AS c, r, n, {keys} FROM {source} JOIN {name} USING (r)"  # noqa: S608
        )
    return scratch.make("people", " UNION ALL ".join(parts), **lookups)
