"""What the rows of a table are: people or not, and whether it holds health data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise

from petaudit.starter.names import chinese_words_in, parts_of, sense_of, singulars, words
from petaudit.tables.column_facts import ColumnFacts

_STRONG = 2
"""What only people have counts as much as two things that animals have as well."""


def about_people(columns: Sequence[ColumnFacts]) -> bool:
    """Return whether the rows may be people: False only where the names tell of something else.

    >>> from petaudit.tables.column_facts import Kind
    >>> def facts(*names): return [ColumnFacts(name, 9, Kind.TEXT, 0, 3, 0) for name in names]
    >>> about_people(facts("age", "sex", "zip")), about_people(facts("species", "island", "sex"))
    (True, False)
    """
    if any(column.personal * 2 > column.values for column in columns):
        return True
    told = {says for column in columns if (says := _said(column.name)) is not None}
    for_people = _STRONG * len(told.intersection(words()["of_people"]))
    for_people += len(told.intersection(words()["of_people_or_others"]))
    against = sum(_names_a_thing(column.name) for column in columns)
    return not against or for_people > max(against, 1)


def holds_health_data(columns: Iterable[ColumnFacts]) -> bool:
    """Return whether two columns or more tell of the health of people.

    >>> from petaudit.tables.column_facts import Kind
    >>> names = ("diagnosis", "blood pressure", "age")
    >>> holds_health_data([ColumnFacts(name, 9, Kind.TEXT, 0, 3, 0) for name in names])
    True
    """
    of_health = words()["of_health"]
    return sum(_said(column.name) in of_health for column in columns) >= 2


@cache
def _said(name: str) -> str | None:
    """What a name says of one person."""
    sense = sense_of(name)
    if sense is None or "%" in name or singulars("of_many").intersection(parts_of(name)):
        return None
    return sense.says


@cache
def _names_a_thing(name: str) -> bool:
    parts = parts_of(name)
    # Some things have names of two words.
    said = {*parts, *map(" ".join, pairwise(parts))}
    return bool(said & singulars("things") or chinese_words_in(name, "things_chinese"))
