"""Nearest rows by the definition: Gower's distance in fractions, every row with every row."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

Row = tuple[Any, ...]


def distance(one: Row, other: Row, tables: Sequence[Sequence[Row]]) -> Fraction:
    total = Fraction(0)
    for column, (a, b) in enumerate(zip(one, other, strict=True)):
        values = [row[column] for table in tables for row in table if row[column] is not None]
        if a is None or b is None:
            total += a is not b
        elif isinstance(a, str):
            total += a != b
        elif a != b:
            numbers = [Fraction(str(value)) for value in values]
            total += abs(Fraction(str(a)) - Fraction(str(b))) / (max(numbers) - min(numbers))
    return total


def nearest(
    query: Row, among: Sequence[Row], tables: Sequence[Sequence[Row]]
) -> tuple[Fraction, list[int]]:
    distances = [distance(query, row, tables) for row in among]
    best = min(distances)
    return best, [place for place, each in enumerate(distances) if each == best]
