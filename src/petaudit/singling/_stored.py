"""Tables that an engine holds, as findings want to see them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from petaudit.errors import NotMeasurableError, Phrase
from petaudit.singling._prepare import Prepared
from petaudit.singling.common_values import ColumnUse, doubts_about
from petaudit.singling.control_overlap import Overlap
from petaudit.singling.size_findings import SizeFindings
from petaudit.system.memory import memory_limit
from petaudit.tables.joint import JointColumn
from petaudit.tables.joint.duck_pair import DuckPair
from petaudit.tables.joint.store import Listed, StoredPair

_DRAWING: Final = 32
"""Bytes per row of a table that samples are drawn from."""


@dataclass(frozen=True)
class StoredTables:
    """The counterpart of :class:`Prepared` in an engine."""

    pair: StoredPair

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns in the order of the search."""
        return self.pair.facts.columns

    @property
    def people(self) -> tuple[int, ...]:
        """How many rows of each table are left without duplicates."""
        return self.pair.facts.people

    @property
    def removed(self) -> tuple[int, ...]:
        """How many duplicates there were."""
        facts = self.pair.facts
        return tuple(own - left for own, left in zip(facts.rows, facts.people, strict=True))

    @property
    def distinct(self) -> tuple[int, ...]:
        """How many values the original has in each column; null is a value."""
        return self.pair.facts.distinct

    @property
    def joined(self) -> Mapping[str, JointColumn]:
        """What the codes mean, by column."""
        return self.pair.facts.joined

    @property
    def lists_rows(self) -> bool:
        """Whether rows have numbers and can be fetched; from a cluster only counts are."""
        return isinstance(self.pair, DuckPair)

    @property
    def can_be_sampled(self) -> bool:
        """Whether rows have numbers, and drawing some of them needs but a part of the memory."""
        return self.lists_rows and _DRAWING * max(self.people) <= memory_limit() // 2

    @property
    def doubts(self) -> tuple[Phrase, ...]:
        """Why it may say nothing that nobody is singled out."""
        uses = self.pair.facts.uses
        spelled = [name for name in uses if self.joined[name].is_spelled_differently]
        return doubts_about({name: ColumnUse(*use) for name, use in uses.items()}, spelled)

    @property
    def overlap(self) -> Overlap:
        """How many rows the control has in common with the original."""
        return Overlap(self.listing.overlap)

    @property
    def listing(self) -> DuckPair:
        """The pair, where it has rows to list."""
        if isinstance(self.pair, DuckPair):
            return self.pair
        raise NotMeasurableError(
            "the tables are counted by {engine}, and only counts leave it: there is no "
            "list of the rows that are identified",
            engine=self.pair.engine,
        )

    def listed(self, own: SizeFindings) -> Iterator[Listed]:
        """The rows that a size identifies, so many at a time."""
        return self.listing.listed(own.size)

    def value_combos(
        self, found: Listed, combinations: Sequence[Sequence[int]]
    ) -> Iterator[tuple[object, ...]]:
        """The values that identify rows, each in the columns of its combination."""
        return self.listing.values(found.given_rows, combinations)


AnyPrepared: TypeAlias = Prepared | StoredTables
