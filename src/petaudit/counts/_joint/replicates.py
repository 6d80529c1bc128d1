"""Whom synthetic rows single out in a sample of people without each part of it, in DuckDB.

In one pass per combination: what it identifies without any one part can be told from the parts of
the target rows that a synthetic row is alone with. See :mod:`petaudit.singling._replicates`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from petaudit.counts._encoding import arrow_integers, whole_numbers
from petaudit.counts._joint.dictionaries import arrow_codes
from petaudit.counts._joint.levels import Levels, key_names
from petaudit.counts._joint.pair import ORIGINAL, SYNTHETIC, DuckPair
from petaudit.counts.joint_store import Combination, Indices


def replicated_counts(
    pair: DuckPair,
    table: int,
    sample: Any,
    part: Any,
    combinations: Iterable[Combination],
    *,
    keep_matches: bool,
) -> Indices:
    """Identified rows without each part of some target rows, and with all of them, last.

    ``sample`` are the rows by their place among those of the table that are no duplicates,
    ``part`` has a number from 0 for each. Combinations are in the order of the search.
    """
    scratch = pair.scratch
    parts = int(part.max(initial=0)) + 1
    everywhere = (1 << (parts + 1)) - 1
    rows = _given_rows(pair, table)[np.asarray(sample, np.int64)]
    targets = {"r": arrow_integers(rows), "part": arrow_codes(np.asarray(part, np.uint32))}
    scratch.register("sample", pa.table(targets))
    keys = key_names(range(len(pair.facts.columns)))
    source = f"{pair.table} AS target" if table == ORIGINAL else scratch.table("control")
    only = " WHERE target.o" if table == ORIGINAL else ""
    sampled = scratch.make(
        "sampled",
        f"SELECT false AS o, true AS w, r, 0::UINTEGER AS part, {keys} "  # noqa: S608
        f"FROM {pair.table} WHERE NOT o UNION ALL "
        f"SELECT true, false, r, part, {keys} FROM {source} JOIN sample USING (r){only}",
    )
    scratch.unregister("sample")
    scratch.make("seen", "SELECT 0::UBIGINT AS r, 0::UBIGINT AS bits LIMIT 0")
    size = pair.facts.people[SYNTHETIC] + len(rows)
    levels = Levels(scratch, sampled, size, pair.facts.distinct, "r, part")
    try:
        for prefix, batch in itertools.groupby(combinations, lambda own: own[:-1]):
            level = levels.at(prefix, keep_matches=keep_matches)
            if level.rows:
                _look(pair, level.table, list(batch), everywhere)
        figures = ", ".join(
            f"count(*) FILTER (WHERE bits >> {i} & 1 = 1)" for i in range(parts + 1)
        )
        [found] = scratch.run(f"SELECT {figures} FROM {scratch.table('seen')}")  # noqa: S608
        return np.array(found, np.int64)
    finally:
        with scratch.deadline.at(None):
            levels.close()
            for name in ("sampled", "seen"):
                scratch.drop(name)


def _look(pair: DuckPair, table: str, batch: list[Combination], everywhere: int) -> None:
    """Note in which replicates each combination identifies somebody."""
    scratch = pair.scratch
    seen = scratch.table("seen")
    found = " UNION ALL ".join(_identified(table, own, everywhere) for own in batch)
    scratch.make(
        "seen_now",
        f"SELECT r, bit_or(bits) AS bits FROM (SELECT r, bits FROM {seen} "  # noqa: S608
        f"UNION ALL {found}) GROUP BY r",
    )
    scratch.make("seen", f"SELECT * FROM {scratch.table('seen_now')}")  # noqa: S608
    scratch.drop("seen_now")


def _identified(table: str, combination: Combination, everywhere: int) -> str:
    """Synthetic rows that are alone, with a bit for each replicate in which they are identified.

    Of target rows in two parts only, their sum tells how many are in either part.
    """
    return (
        "SELECT r, CASE WHEN t = 1 "  # noqa: S608
        f"THEN {everywhere}::UBIGINT - (1::UBIGINT << low) "
        "ELSE (CASE WHEN of_high = 1 THEN 1::UBIGINT << low ELSE 0 END) "
        "| (CASE WHEN t - of_high = 1 THEN 1::UBIGINT << high ELSE 0 END) END AS bits FROM ("
        "SELECT r, t, low, high, CASE WHEN high > low THEN (total - low * t) // (high - low) "
        "ELSE 0 END AS of_high, parts FROM ("
        "SELECT max(r) FILTER (WHERE NOT o)::UBIGINT AS r, count(*) FILTER (WHERE NOT o) AS s, "
        "count(*) FILTER (WHERE o) AS t, min(part) FILTER (WHERE o)::UBIGINT AS low, "
        "max(part) FILTER (WHERE o)::UBIGINT AS high, "
        "coalesce(sum(part) FILTER (WHERE o), 0)::BIGINT AS total, "
        "bit_count(bit_or(CASE WHEN o THEN 1::BIGINT << part ELSE 0 END)) AS parts "
        f"FROM {table} GROUP BY {key_names(combination)}) "
        "WHERE s = 1 AND (t = 1 OR (t > 1 AND parts = 2)))"
    )


def _given_rows(pair: DuckPair, table: int) -> Indices:
    """The rows of a table that are no duplicates, by their number in it as it was given."""
    rows = np.arange(pair.facts.rows[table])
    if not pair.removed[table]:
        return rows
    gone = pair.scratch.fetch(
        f"SELECT r FROM {pair.scratch.table(f'repeated_{table}')}"  # noqa: S608
    )
    return np.delete(rows, whole_numbers(gone.column("r")))
