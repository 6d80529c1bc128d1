"""Every attack against its definition, person by person, on small random tables in fractions."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import petaudit
from attacks import twin
from attacks.test_nearest import source, three_tables
from budget import examples
from petaudit.attacks import methods
from petaudit.attacks.tables import AttackTables

SYNTHETIC, ORIGINAL, CONTROL = range(3)
Table = list[twin.Row]
several = settings(max_examples=examples(90), deadline=None)


def encoded(tables: list[Table]) -> AttackTables:
    return AttackTables.of(*map(source, tables), None)


def names(columns: Any) -> list[str]:
    return [f"x{place}" for place in columns]


def used(tables: AttackTables) -> list[int]:
    return [int(name[1:]) for name in tables.rows.columns]


def part(table: Table, columns: Any) -> Table:
    return [tuple(row[column] for column in columns) for row in table]


def check(attack: Any, training: list[Fraction], control: list[Fraction]) -> None:
    assert attack.training.tolist() == pytest.approx([float(each) for each in training])
    assert attack.control.tolist() == pytest.approx([float(each) for each in control])


@given(three_tables())
@several
def test_copies_uniques_and_disclosed_targets(tables: list[Table]) -> None:
    own = encoded(tables)
    synthetic, original, control = tables
    everything = range(len(tables[0][0]))
    check(
        methods.copied(own, own.columns),
        *([Fraction(row in synthetic) for row in table] for table in (original, control)),
    )
    *keys, target = everything
    if keys:
        by_keys = [part(table, keys) for table in tables]

        def disclosed(row: twin.Row, among: Table) -> Fraction:
            found = {other[target] for other in among if part([other], keys) == part([row], keys)}
            return Fraction(found == {row[target]})

        check(
            methods.disclosed(own, f"x{target}", names(keys)),
            *([disclosed(row, synthetic) for row in table] for table in (original, control)),
        )
        share = methods.disclosed_in_original(own, f"x{target}", names(keys))
        wanted = sum(disclosed(row, original) for row in original) / len(original)
        assert share == pytest.approx(float(wanted))
        smaller = min(len(original), len(control))

        def alone(people: Table, place: int) -> Fraction:
            others = [row for at, row in enumerate(people) if at != place]
            samples = [*itertools.combinations(others, smaller - 1)]
            unique = sum(people[place] not in sample for sample in samples)
            return Fraction(unique, len(samples)) * (by_keys[0].count(people[place]) == 1)

        check(
            methods.replicated(own, names(keys)),
            *(
                [alone(people, place) for place in range(len(people))]
                for people in by_keys[ORIGINAL:]
            ),
        )


@given(three_tables())
@several
def test_guessed_secrets(tables: list[Table]) -> None:
    own = encoded(tables)
    columns = used(own)
    if len(columns) < 2:
        return
    *known, secret = columns
    shown = [part(table, known) for table in tables]

    def success(table: int, place: int) -> Fraction:
        _, ties = twin.nearest(shown[table][place], shown[SYNTHETIC], shown)
        hits = [
            tie for tie in ties if tables[SYNTHETIC][tie][secret] == tables[table][place][secret]
        ]
        return Fraction(len(hits), len(ties))

    attack = methods.guessed(own, f"x{secret}", names(known))
    check(attack, *([success(table, row) for row in range(len(tables[table]))] for table in (1, 2)))
    values = [row[secret] for row in tables[SYNTHETIC]]
    most = max(values.count(value) for value in values)
    modes = {value for value in values if values.count(value) == most}
    wanted = Fraction(sum(row[secret] in modes for row in tables[CONTROL]), len(modes))
    assert attack.base_rate == pytest.approx(float(wanted / len(tables[CONTROL])))


@given(three_tables(), st.integers(1, 3))
@several
def test_linked_rows(tables: list[Table], neighbours: int) -> None:
    own = encoded(tables)
    columns = used(own)
    if len(columns) < 2:
        return
    lists = columns[:1], columns[1:]
    shown = [[part(table, names) for table in tables] for names in lists]
    rows = range(len(tables[SYNTHETIC]))
    many = min(neighbours, len(rows))

    def choices(which: int, table: int, place: int) -> list[set[int]]:
        """Every set of nearest rows that ties leave open, all equally probable."""
        far = [
            twin.distance(shown[which][table][place], shown[which][SYNTHETIC][row], shown[which])
            for row in rows
        ]
        last = sorted(far)[many - 1]
        sure = {row for row in rows if far[row] < last}
        tied = [row for row in rows if far[row] == last]
        return [sure | {*some} for some in itertools.combinations(tied, many - len(sure))]

    def success(table: int, place: int) -> Fraction:
        one, other = (choices(which, table, place) for which in (0, 1))
        return Fraction(sum(bool(a & b) for a in one for b in other), len(one) * len(other))

    check(
        methods.linked(own, names(lists[0]), names(lists[1]), neighbours),
        *([success(table, row) for row in range(len(tables[table]))] for table in (1, 2)),
    )


@given(three_tables(), st.sampled_from([Fraction(1, 100), Fraction(1, 5), Fraction(1, 2)]))
@several
def test_recognised_members(tables: list[Table], wanted_fpr: Fraction) -> None:
    own = encoded(tables)
    columns = used(own)
    if not columns:
        return
    shown = [part(table, columns) for table in tables]
    near = [
        [twin.nearest(row, shown[SYNTHETIC], shown)[0] for row in shown[table]] for table in (1, 2)
    ]
    half = len(near[1]) // 2
    # Fewer people than that have no threshold with so few of them below it.
    fpr = max(wanted_fpr, Fraction(1, half + 1))
    rank = fpr * (half + 1)
    low = math.floor(rank)

    def success(distance: Fraction, others: list[Fraction]) -> Fraction:
        halves = [*itertools.combinations(others, half)]
        total = Fraction(0)
        for some in halves:
            below, tied = (
                sum(each < distance for each in some),
                sum(each == distance for each in some),
            )
            for wanted, weight in ((low, 1 - rank + low), (low + 1, rank - low)):
                # Equally near people come in any order.
                places = sum(below + place < wanted for place in range(tied + 1))
                total += weight * Fraction(places, tied + 1)
        return total / len(halves)

    attack, curve = methods.members(own, names(columns), float(wanted_fpr))
    strangers = [
        success(distance, near[1][:place] + near[1][place + 1 :])
        for place, distance in enumerate(near[1])
    ]
    check(attack, [success(distance, near[1]) for distance in near[0]], strangers)
    # On average over all halves, the false positive rate is what was asked for.
    assert sum(strangers) / len(strangers) == fpr
    pairs = [Fraction((a < b) * 2 + (a == b), 2) for a in near[0] for b in near[1]]
    assert curve.auc == pytest.approx(float(sum(pairs) / len(pairs)))


@given(three_tables())
@settings(max_examples=examples(60), deadline=None)
def test_rows_nearer_to_training_at_equal_sizes(tables: list[Table]) -> None:
    own = encoded(tables)
    columns = used(own)
    if not columns:
        return
    shown = [part(table, columns) for table in tables]
    total = Fraction(0)
    smaller = min(map(len, shown[1:]))
    for row in shown[SYNTHETIC]:
        far = [[twin.distance(row, other, shown) for other in table] for table in shown[1:]]
        draws = [
            (min(a), min(b))
            for a in itertools.combinations(far[0], smaller)
            for b in itertools.combinations(far[1], smaller)
        ]
        total += sum(Fraction((a < b) * 2 + (a == b), 2) for a, b in draws) / len(draws)
    share = methods.nearer_to_training(own, names(columns))
    assert share == pytest.approx(float(total / len(shown[SYNTHETIC])))


@pytest.mark.filterwarnings("ignore::petaudit.PetauditWarning")
def test_people_with_several_rows_count_once() -> None:
    original = pa.table({"id": [7, 7, 8], "a": [1, 2, 3]})
    control = pa.table({"id": [1, 2], "a": [1, 9]})
    found = petaudit.copied_rows(original, pa.table({"a": [1, 2]}), control, person="id")
    assert (found.people, found.control_people) == (2, 2)
    assert (found.attack_rate, found.control_rate) == (0.5, 0.5)
