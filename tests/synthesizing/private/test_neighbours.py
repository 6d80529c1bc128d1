"""Neighbouring tables: how far every query moves, and what an attacker can tell."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

from budget import examples
from petaudit.synthesizing import private
from petaudit.synthesizing.private.accountant import Ledger, rho_for
from petaudit.synthesizing.private.marginals import Counts, Grouping, measure, score
from petaudit.synthesizing.private.noise import RandomBits, key_of
from petaudit.synthesizing.private.tree import draw
from synthesizing.private.attack import epsilon_shown

SIZES = (3, 4, 2)
RUNS = examples(6_000)
EPSILON, DELTA = 1.0, 1e-5


def random_rows(random: np.random.Generator, many: int) -> list[tuple[int, ...]]:
    return [tuple(int(random.integers(0, size)) for size in SIZES) for _ in range(many)]


def counts_of(rows: list[tuple[int, ...]], sensitivity: int = 1) -> Counts:
    columns = np.array(rows, np.int64).reshape(len(rows), len(SIZES)).T
    return Counts(list(columns), SIZES, sensitivity)


def some_groupings(random: np.random.Generator) -> list[Grouping]:
    """Groups that any noise might have made."""
    made = []
    for column, size in enumerate(SIZES):
        groups = np.unique(random.integers(0, size, size), return_inverse=True)[1]
        made.append(Grouping(column, groups.astype(np.int64), random.random(size) * 9))
    return made


def queries(
    rows: list[tuple[int, ...]], groupings: list[Grouping]
) -> dict[object, Counter[object]]:
    """All marginals that may be measured, counted one row after the other."""
    answers: dict[object, Counter[object]] = {
        place: Counter(row[place] for row in rows) for place in range(len(SIZES))
    }
    for a, b in combinations(groupings, 2):
        answers[a.column, b.column] = Counter(
            (int(a.groups[row[a.column]]), int(b.groups[row[b.column]])) for row in rows
        )
    return answers


def test_every_query_moves_by_its_sensitivity_at_most() -> None:
    """Every row of small random tables is left out, and for people every group of rows."""
    random = np.random.default_rng(1)
    for _ in range(examples(60)):
        rows, groupings = random_rows(random, 9), some_groupings(random)
        pairs = list(combinations(groupings, 2))
        for gone in [*combinations(range(9), 1), *combinations(range(9), 3)]:
            fewer = [row for place, row in enumerate(rows) if place not in gone]
            before, after = queries(rows, groupings), queries(fewer, groupings)
            for query, count in before.items():
                moved = np.array([count[cell] - after[query][cell] for cell in count])
                assert moved.sum() == len(gone)
                assert math.sqrt((moved**2).sum()) <= len(gone)
            all_rows, without = counts_of(rows), counts_of(fewer)
            moves = [
                abs(score(all_rows, *pair, 9.3, 2) - score(without, *pair, 9.3, 2))
                for pair in pairs
            ]
            assert max(moves) <= len(gone)


def test_queries_are_what_the_twin_counts() -> None:
    random = np.random.default_rng(2)
    rows, groupings = random_rows(random, 40), some_groupings(random)
    counts, twin = counts_of(rows), queries(rows, groupings)
    for column, size in enumerate(SIZES):
        assert counts.of_column(column).tolist() == [twin[column][cell] for cell in range(size)]
    for a, b in combinations(groupings, 2):
        counted = counts.of_pair(a, b)
        answer = twin[a.column, b.column]
        assert counted.tolist() == [[answer[i, j] for j in range(b.size)] for i in range(a.size)]


def test_a_score_by_hand() -> None:
    """Six rows of which three are expected in each of two cells, and the noise of four cells."""
    one, other = (Grouping(place, np.array([0, 1]), np.array([6.0, 6.0])) for place in range(2))
    counts = Counts([np.repeat([0, 1], 6), np.repeat([0, 1], 6)], [2, 2])
    # 4 cells that are off by 3, less 4 * sqrt(2 * 2 / pi) = 4.51.
    assert score(counts, one, other, 12.0, 2) == 12 - 5


@pytest.mark.parametrize("sensitivity", [1, 3])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
def test_no_more_than_the_budget_is_spent(
    epsilon: float, sensitivity: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen_with = set()
    choice = RandomBits.choice

    def watched(bits: RandomBits, scores: list[int], each: Fraction, moves: int) -> int:
        chosen_with.add((each, moves))
        return choice(bits, scores, each, moves)

    monkeypatch.setattr(RandomBits, "choice", watched)
    rows = random_rows(np.random.default_rng(3), 2000)
    dependent = [(a, a, c) for a, _, c in rows]
    ledger = Ledger(rho_for(epsilon, DELTA))
    measure(counts_of(dependent, sensitivity), ledger, RandomBits(key_of(1), "noise"))
    assert {entry.what for entry in ledger.entries} >= {"one column", "selection"}
    # What is paid for is what was done: with people, the noise grows with their rows.
    for entry in ledger.entries:
        if entry.variance is None:
            assert {(entry.rho, sensitivity)} == {(each**2 / 8, by) for each, by in chosen_with}
        else:
            assert entry.rho == Fraction(sensitivity**2, 2 * entry.variance)
    assert ledger.total <= ledger.budget
    if epsilon >= 1.0:
        assert [entry.what for entry in ledger.entries].count("pair of columns") == 1
        assert ledger.total > ledger.budget * 85 / 100  # variances are whole numbers


def seen(rows: list[tuple[int, ...]], target: tuple[int, ...], run: int) -> float:
    """What noisy counts say about one row: all of the output before it is made worse."""
    bits = RandomBits(key_of(run), "noise")
    measured = measure(counts_of(rows), Ledger(rho_for(EPSILON, DELTA)), bits)
    # Of the columns, counts are left that cannot be negative; of pairs, all noise.
    evidence = sum(
        grouping.counts[target[grouping.column]] / measured.column_variance
        for grouping in measured.groupings
    )
    for pair in measured.pairs:
        one, other = (measured.groupings[at].groups[target[at]] for at in (pair.one, pair.other))
        evidence += pair.counts[one, other] / (measured.pair_variance or 1)
    return float(evidence)


def less_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """A generator that claims its budget and adds a tenth of the noise."""
    right = RandomBits.gaussian
    monkeypatch.setattr(
        RandomBits, "gaussian", lambda bits, variance: right(bits, -(-variance // 100))
    )


@pytest.fixture(scope="module")
def neighbours() -> tuple[list[tuple[int, ...]], tuple[int, ...]]:
    """A table whose columns depend on each other, and somebody who does not fit."""
    rows = [(a, a, 0) for a in range(2) for _ in range(60)]
    return rows, (2, 3, 1)


def test_an_attacker_cannot_tell_neighbours_better_than_promised(
    neighbours: tuple[list[tuple[int, ...]], tuple[int, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, target = neighbours

    def shown() -> float:
        with_row = [seen([*rows, target], target, run) for run in range(RUNS)]
        without = [seen(rows, target, RUNS + run) for run in range(RUNS)]
        return epsilon_shown(with_row, without, DELTA)

    assert shown() <= EPSILON
    # The same attack finds out that the noise is a tenth of what it should be.
    less_noise(monkeypatch)
    assert shown() > EPSILON


def test_the_drawn_table_tells_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """How often a rare value is drawn, where the whole budget goes to one column."""
    epsilon = 0.3

    def drawn(ill: int, run: int) -> int:
        counts = Counts([np.repeat([0, 1], [60, ill])], [2])
        measured = measure(
            counts, Ledger(rho_for(epsilon, DELTA)), RandomBits(key_of(run), "noise")
        )
        return int(draw(measured, max(1, round(measured.rows)), run)[0][0].sum())

    def shown() -> float:
        return epsilon_shown(
            [drawn(20 + 1, run) for run in range(RUNS)],
            [drawn(20, RUNS + run) for run in range(RUNS)],
            DELTA,
        )

    assert shown() <= epsilon
    less_noise(monkeypatch)
    assert shown() > epsilon


def test_people_are_protected_with_all_their_rows() -> None:
    """Of a person with many rows only some are used, whoever else is in the table."""
    privacy = private.Privacy(1.0, "from-data", person="who", rows_per_person=2)
    encoded = [np.zeros(9, np.int64), np.array([0, 0, -1, 0, 0, 0, 0, 0, 0])]
    people = pa.array(["a", "b", "a", "a", None, "a", None, None, "c"])
    with pytest.warns(UserWarning, match="left out"):
        kept = private.making._kept(encoded, people, privacy)
    assert kept.tolist() == [0, 1, 3, 4, 6, 8]
    for gone in ("a", "b", "c", None):
        others = [place for place, who in enumerate(people.to_pylist()) if who != gone]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fewer = private.making._kept(
                [column[others] for column in encoded], people.take(pa.array(others)), privacy
            )
        still = [others[place] for place in fewer]
        assert set(still) <= set(kept.tolist())
        assert 0 < len(kept) - len(still) <= 2
