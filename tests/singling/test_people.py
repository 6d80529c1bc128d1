"""Who is singled out, counted in people, against an independently written twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import petaudit
from petaudit.singling.control import samples_of
from singling.people_twin import Row, singled_out

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
ways = pytest.mark.parametrize("way", ["memory", "engine"])


def table(rows: list[Row]) -> pa.Table:
    return pa.table(
        {f"c{place}": list(column) for place, column in enumerate(zip(*rows, strict=True))}
    )


def random_rows(chance: np.random.Generator, rows: int, values: list[int]) -> list[Row]:
    return list(zip(*(chance.integers(0, most, rows).tolist() for most in values), strict=True))


def distinct(rows: list[Row]) -> list[Row]:
    return list(dict.fromkeys(rows))


@ways
@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 1 << 30),
    many=st.tuples(*[st.integers(1, 60)] * 3),
    values=st.lists(st.sampled_from([1, 2, 3, 8, 40]), min_size=1, max_size=4),
    sizes=st.sampled_from([[1], [2], [1, 2], [1, 3], [1, 2, 3], [1, 2, 3, 4], [3]]),
    deduplicate=st.booleans(),
)
def test_both_shares(
    way: str,
    seed: int,
    many: tuple[int, int, int],
    values: list[int],
    sizes: list[int],
    deduplicate: bool,
) -> None:
    chance = np.random.default_rng(seed)
    original, synthetic, control = (random_rows(chance, rows, values) for rows in many)
    found = petaudit.mpuccs(
        *map(table, (original, synthetic, control)),
        n_cols=sizes,
        deduplicate=deduplicate,
        search=way,
        seed=seed,
    ).findings.excess
    if deduplicate:
        synthetic = distinct(synthetic)
    size = min(len(distinct(rows) if deduplicate else rows) for rows in (original, control))
    assert found is not None
    for rows, counted in ((original, found.original), (control, found.control)):
        first = [rows.index(row) for row in rows] if deduplicate else list(range(len(rows)))
        samples = samples_of(np.array(first), size, seed)
        exposed = [
            len(singled_out(synthetic, [rows[place] for place in sample], sizes)[0])
            for sample in samples
        ]
        assert (counted.people, counted.exposed) == (size * len(samples), sum(exposed))


def test_a_person_counts_once_however_many_rows_point_at_them() -> None:
    """The first person is pointed at by one row in a, by another in b; the second by one row."""
    target = [(1, 1), (2, 2), (3, 3)]
    synthetic = [(1, 9), (8, 1), (2, 7)]
    assert singled_out(synthetic, target, [1])[0] == {0, 1}
    found = petaudit.mpuccs(
        table(target), table(synthetic), table([(5, 5), (6, 6), (2, 2)]), n_cols=1
    )
    assert found.findings.excess is not None
    assert found.findings.excess.original.exposed == 2
    assert found.findings.excess.control.exposed == 1
    assert found.figures["total_identified"] == 3


def test_a_row_may_point_at_several_people() -> None:
    """With a at the first, with b at the second; as a row it counts once, for a."""
    found = petaudit.mpuccs(
        table([(1, 5), (6, 2), (7, 7)]), table([(1, 2)]), table([(8, 8), (9, 9), (3, 3)]), n_cols=1
    )
    assert found.findings.excess is not None
    assert found.findings.excess.original.exposed == 2
    assert found.figures["total_identified"] == 1


def test_samples_are_of_different_people_and_of_disjoint_rows() -> None:
    entries = np.array([0, 0, 0, 3, 4, 4, 6, 7, 8, 9])
    for seed in range(50):
        samples = samples_of(entries, 3, seed)
        assert 1 <= len(samples) <= 3
        assert all(len(set(sample.tolist())) == 3 for sample in samples)
        used = np.concatenate(samples).tolist()
        assert all(used.count(person) <= entries.tolist().count(person) for person in used)
    assert len(samples_of(np.arange(100), 3, 1)) == 5
    assert [own.tolist() for own in samples_of(np.arange(4), 4, 1)] == [[0, 1, 2, 3]]


def test_people_with_a_frequent_row_are_drawn_as_often_as_they_are() -> None:
    """Of 1,000 people, half have one row: a sample of two has it about three times in four."""
    entries = np.array([0] * 500 + list(range(500, 1000)))
    drawn = [0 in samples_of(entries, 2, seed)[0] for seed in range(400)]
    assert np.mean(drawn) == pytest.approx(2 / 3, abs=0.08)


def test_options_of_the_search_hold_for_people_as_well() -> None:
    """What is pruned exposes nobody, in memory and by the engine."""
    chance = np.random.default_rng(3)
    tables = [table(random_rows(chance, rows, [30, 4, 3])) for rows in (200, 150, 60)]
    answers: list[Any] = [
        petaudit.mpuccs(*tables, min_entropy_delta=0.2, search=way).findings.excess
        for way in ("memory", "engine")
    ]
    assert answers[0] == answers[1]
    complete = petaudit.mpuccs(*tables).findings.excess
    assert complete is not None
    assert answers[0].original.exposed < complete.original.exposed
