"""Attacks in an engine elsewhere must have the figures that they have here."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pyarrow as pa
import pytest

import petaudit
from petaudit.attacks import methods
from petaudit.attacks.counted import CountedTables
from petaudit.attacks.people import Attack, by_group
from petaudit.errors import NotMeasurableError
from petaudit.inputs import gather

Put = Callable[[str, pa.Table], Any]


def tables_of_people(seed: int, rows: tuple[int, int, int]) -> list[pa.Table]:
    """A synthetic table, an original with copies in it, and a control; people have some rows."""
    draw = random.Random(seed)  # noqa: S311

    def row() -> dict[str, Any]:
        return {
            "age": draw.choice([None, *range(20, 26)]),
            "pay": draw.choice([None, 1.5, 2.25, 3.0]),
            "town": draw.choice([None, " Yilan", "Taipei", "O'Hara"]),
            "born": date(2000, 1, 1) + timedelta(days=draw.randrange(3)),
            "ill": draw.choice(["yes", "no"]),
        }

    synthetic, original, control = ([row() for _ in range(many)] for many in rows)
    original[: rows[1] // 4] = synthetic[: rows[1] // 4]
    for table in (original, control):
        for place, one in enumerate(table):
            one |= {"who": f"p{place // 2 if place % 3 else place}"}
    # Finer numbers than the original's: they are rounded to its decimals.
    synthetic[0]["pay"] = 1.5000001
    kinds = {"age": pa.int32(), "pay": pa.float64(), "town": pa.string(), "born": pa.date32()}
    return [
        pa.table(
            {
                name: pa.array([one[name] for one in table], kinds.get(name, pa.string()))
                for name in table[0]
                if not (table is synthetic and name == "who")
            }
        )
        for table in (synthetic, original, control)
    ]


def check_figures(put: Put) -> None:
    """Compare the rates of each attack, for everybody and by group, and what rows they share."""
    own = tables_of_people(3, (60, 80, 70))
    theirs = [put(name, table) for name, table in zip("soc", own, strict=True)]
    here, there = (
        gather(tables[0], original=tables[1], control=tables[2]).attack_tables(
            "who", by_counts=True
        )
        for tables in (own, theirs)
    )
    assert isinstance(there, CountedTables)
    assert there.constant == here.constant
    assert [there.people(table) for table in (1, 2)] == [here.people(table) for table in (1, 2)]
    for pair in ((0, 1), (1, 2)):
        assert there.overlap(*pair) == here.overlap(*pair)
    keys, by = ["age", "town", "pay"], "town"
    tried: list[Callable[[Any], Attack]] = [
        lambda tables: methods.copied(tables, tables.columns),
        lambda tables: methods.replicated(tables, keys),
        lambda tables: methods.disclosed(tables, "pay", ["age", "born", "town"]),
    ]
    for attack in tried:
        ours, counted = attack(here), attack(there)
        assert counted.rates(there) == ours.rates(here)
        assert ours.rates(here)[0].exposed > 0
    # Groups are counted alike, whatever the attack.
    groups = [
        {tables.value(by, code): group for code, group in by_group(tables, known, by)}
        for tables, known in ((here, ours), (there, counted))
    ]
    assert groups[0] == groups[1]
    shares = [methods.disclosed_in_original(tables, "ill", keys) for tables in (here, there)]
    assert shares[0] == shares[1] > 0


def check_measure(put: Put) -> None:
    """A measure has the same result; in an engine only the rarest people are left out."""
    synthetic, original, control = tables_of_people(5, (40, 60, 50))
    elsewhere = put("o", original)
    results = []
    for tables in ((synthetic, original, control), (synthetic, elsewhere, control)):
        options = {"person": "who", "by": "ill", "limit": 0.5, "reveal_values": True}
        keys = {"keys": ["age", "born"], "target": "pay", "exact_figures": True}
        results.append(petaudit.disco(tables[1], tables[0], tables[2], **options, **keys))
    own, theirs = results
    assert (own.value, own.passed) == (theirs.value, theirs.passed)
    assert own.attack_rate > 0
    known = [note for note in map(str, theirs.warnings) if "rarest" not in note]
    assert len(known) < len(theirs.warnings)
    assert known == [*map(str, own.warnings)]
    for name in own.breakdown.keys() - {"exposed"}:
        assert theirs.breakdown[name] == own.breakdown[name], name
    groups = [group for group in own.exposed if "rarest" not in str(group.group)]
    assert sorted(map(repr, groups)) == sorted(map(repr, theirs.exposed))
    with pytest.raises(NotMeasurableError, match="only counts"):
        petaudit.membership(elsewhere, synthetic, control, person="who")
