"""Which columns of a new table, alone or a few together, are nearly an identifier."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from petaudit.errors import Phrase, counted, joined, phrase
from petaudit.singling.column_sets import sets_of_columns
from petaudit.starter.yaml_text import remark
from petaudit.tables.set_counts import SetCounts, number_of_sets, usual_size
from petaudit.tables.source import Source

NEARLY: Final = Fraction(9, 10)
"""The distinction from which on columns are nearly an identifier."""
_MOST_SHOWN: Final = 5
_MOST_WORK: Final = 20_000_000
"""Rows times sets: somebody waits for the file."""
_MOST_WORK_ELSEWHERE: Final = 2_000_000


@dataclass(frozen=True)
class Identifying:
    """How well columns tell rows apart; holds no value of the data."""

    columns: Mapping[str, SetCounts] = field(default_factory=dict)
    """Each single column; empty where the table is too large for that."""
    up_to: int = 0
    """How large the sets are that were looked at."""
    sets: Sequence[tuple[tuple[str, ...], SetCounts]] = ()
    """The smallest sets that are nearly an identifier, or else the strongest one."""

    @property
    def text(self) -> Phrase | None:
        """The sets in a sentence."""
        if not self.sets:
            return None
        sets: Phrase = joined([_named(*each) for each in self.sets[:_MOST_SHOWN]], "; ")
        if self.sets[0][1].distinction < NEARLY:
            return phrase(
                "No set of up to {columns} is nearly an identifier. The strongest: {set}.",
                columns=counted(self.up_to, "column"),
                set=sets,
            )
        if len(self.sets) > _MOST_SHOWN:
            more = len(self.sets) - _MOST_SHOWN
            sets = phrase("{shown} and {number} more", shown=sets, number=more)
        return phrase(
            "Nearly an identifier (distinction 0.9 or more), alone or together: {sets}.", sets=sets
        )


def _named(columns: Sequence[str], counts: SetCounts) -> Phrase:
    return phrase(
        "{columns} ({figure:.3g})",
        columns=joined([remark(name.strip()) for name in columns]),
        figure=float(counts.distinction),
    )


def identifying(source: Source, identifiers: Collection[str]) -> Identifying:
    """Count by every column, and by sets of few of those that are not identifiers.

    >>> import pyarrow as pa
    >>> from petaudit.tables import open_source
    >>> table = pa.table({"zip": ["1", "1", "2", "2"], "age": ["7", "8", "7", "8"]})
    >>> str(identifying(open_source(table), ()).text)
    'Nearly an identifier (distinction 0.9 or more), alone or together: zip, age (1).'
    """
    names = [name for name in source.columns if source.counts.is_countable(name)]
    most = _MOST_WORK_ELSEWHERE if source.counts.is_remote else _MOST_WORK
    up_to = usual_size(len(names))
    while up_to and number_of_sets(len(names), up_to) * source.rows > most:
        up_to -= 1
    if not names or not up_to:
        return Identifying()
    every = [
        (tuple(names[place] for place in counts.columns), counts)
        for counts in sets_of_columns(source, names, up_to)
    ]
    single = {columns[0]: counts for columns, counts in every if len(columns) == 1}
    told = [each for each in every if not set(identifiers).intersection(each[0])]
    nearly: list[tuple[tuple[str, ...], SetCounts]] = []
    for columns, counts in sorted(told, key=_rank):
        is_minimal = not any(set(smaller) <= set(columns) for smaller, _ in nearly)
        if counts.distinction >= NEARLY and is_minimal:
            nearly.append((columns, counts))
    strongest = sorted(told, key=lambda each: (-each[1].distinction, -each[1].separation))[:1]
    return Identifying(single, up_to, nearly or strongest)


def _rank(each: tuple[tuple[str, ...], SetCounts]) -> tuple[int, Fraction]:
    columns, counts = each
    return len(columns), -counts.distinction
