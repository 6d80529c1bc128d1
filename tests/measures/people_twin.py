"""Classes that count people, worked out row by row without any code of petaudit."""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

Row = dict[str, Any]
QIS = ("age", "zip", "sex")
PERSON = "who"
SENSITIVE = "illness"


def random_rows(seed: int, *, rows: int = 40, nulls: bool = True) -> list[Row]:
    """Rows of few people, of whom some are in several classes."""
    chance = random.Random(seed)  # noqa: S311
    people = [f"p{number}" for number in range(chance.randint(3, 20))]
    missing: list[Any] = [None] if nulls else []
    marks = ["*"] if nulls else []
    homes = {entry: [chance.choice("abc") for _ in QIS] for entry in people}
    result = []
    for _ in range(rows):
        who = chance.choice([*people, *missing])
        cells = [
            entry if chance.random() < 0.7 else chance.choice(["a", "b", *missing, *marks])
            for entry in homes.get(who, ["a"] * len(QIS))
        ]
        if nulls and chance.random() < 0.1:
            cells = ["*"] * len(QIS)
        result.append(
            dict(zip(QIS, cells, strict=True))
            | {
                PERSON: who,
                SENSITIVE: chance.choice(["flu", "Flu", "cold", "gout", *missing, *marks]),
            }
        )
    return result


def columns(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """The rows as a table has them."""
    return {name: [row[name] for row in rows] for name in (*QIS, PERSON, SENSITIVE)}


def class_of(row: Row, names: Sequence[str] = QIS) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)


def is_suppressed(entry: tuple[Any, ...]) -> bool:
    return all(cell == "*" for cell in entry)


def classes(rows: Sequence[Row], *, as_class: bool) -> dict[tuple[Any, ...], set[Any]]:
    """The different people of each class."""
    result: dict[tuple[Any, ...], set[Any]] = defaultdict(set)
    for row in rows:
        if as_class or not is_suppressed(class_of(row)):
            result[class_of(row)].add(row[PERSON])
    return dict(result)


def sizes(rows: Sequence[Row], *, as_class: bool) -> list[int]:
    return sorted(len(row) for row in classes(rows, as_class=as_class).values())


def alpha(rows: Sequence[Row], *, as_class: bool) -> Fraction:
    """The largest share of the people of a class who have one value in any of their rows.

    A null may be that value, too. Suppressed rows without any value are no class.
    """
    shares = []
    for entry, people in classes(rows, as_class=as_class).items():
        inside = [row for row in rows if class_of(row) == entry]
        having: dict[Any, set[Any]] = defaultdict(set)
        for row in inside:
            value = row[SENSITIVE]
            having[value if value is None else value.strip().lower()].add(row[PERSON])
        nulls = len(having.pop(None, set()))
        if is_suppressed(entry) and not having:
            continue
        commonest = max(map(len, having.values()), default=0)
        shares.append(Fraction(min(commonest + nulls, len(people)), len(people)))
    return max(shares)


def minimal_sets(rows: Sequence[Row], *, as_class: bool) -> dict[Any, set[frozenset[str]]]:
    """Of every person in every class: the smallest sets of columns that only they have so."""
    pairs = {
        (entry, who) for entry, many in classes(rows, as_class=as_class).items() for who in many
    }
    result: dict[Any, set[frozenset[str]]] = {pair: set() for pair in pairs}
    for size in range(1, len(QIS) + 1):
        for names in itertools.combinations(range(len(QIS)), size):
            people: dict[tuple[Any, ...], set[Any]] = defaultdict(set)
            for entry, who in pairs:
                people[tuple(entry[place] for place in names)].add(who)
            for pair in pairs:
                is_alone = people[tuple(pair[0][place] for place in names)] == {pair[1]}
                chosen = frozenset(QIS[place] for place in names)
                if is_alone and not any(entry <= chosen for entry in result[pair]):
                    result[pair].add(chosen)
    return result
