"""How many of some people of a table are singled out by any synthetic row, in DuckDB.

See :mod:`petaudit.singling.control` for why people are counted.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import pyarrow as pa

from petaudit.counts._encoding import arrow_integers
from petaudit.counts._joint.levels import Levels, key_names
from petaudit.counts._joint.pair import ORIGINAL, SYNTHETIC, DuckPair
from petaudit.counts.joint_store import Combination, Indices


def exposed_people(
    pair: DuckPair,
    table: int,
    sample: Indices,
    combinations: Iterable[Combination],
    *,
    keep_matches: bool,
) -> int:
    """Count who of a sample of rows, by their numbers, is alone with a unique synthetic row.

    Combinations are in the order of the search.
    """
    scratch = pair.scratch
    scratch.register("sample", pa.table({"r": arrow_integers(sample)}))
    keys = key_names(range(len(pair.facts.columns)))
    source = f"{pair.table} AS target" if table == ORIGINAL else scratch.table("control")
    only = " WHERE target.o" if table == ORIGINAL else ""
    # No synthetic row is done with: with other columns it may point at somebody else.
    sampled = scratch.make(
        "sampled",
        f"SELECT false AS o, true AS w, r, {keys} "  # noqa: S608
        f"FROM {pair.table} WHERE NOT o UNION ALL "
        f"SELECT true, false, r, {keys} FROM {source} JOIN sample USING (r){only}",
    )
    scratch.unregister("sample")
    exposed = scratch.make("exposed", "SELECT 0::UBIGINT AS r LIMIT 0")
    size = pair.facts.people[SYNTHETIC] + len(sample)
    levels = Levels(scratch, sampled, size, pair.facts.distinct, "r")
    try:
        for prefix, batch in itertools.groupby(combinations, lambda own: own[:-1]):
            level = levels.at(prefix, keep_matches=keep_matches)
            if not level.rows:
                continue
            alone = " UNION ".join(
                f"SELECT max(r) FILTER (WHERE o)::UBIGINT AS r FROM {level.table} "  # noqa: S608
                f"GROUP BY {key_names(combination)} "
                "HAVING count(*) FILTER (WHERE o) = 1 AND count(*) FILTER (WHERE NOT o) = 1"
                for combination in batch
            )
            scratch.run(f"INSERT INTO {exposed} {alone} EXCEPT FROM {exposed}")
        return scratch.number(f"SELECT count(*) FROM {exposed}")  # noqa: S608
    finally:
        with scratch.deadline.at(None):
            levels.close()
            for name in ("sampled", "exposed"):
                scratch.drop(name)
