"""The search on tables that an engine holds: the same order, the same answer, by counting there."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from petaudit.errors import NotMeasurableError
from petaudit.singling.control import SYNTHETIC, Overlap
from petaudit.singling.entropy import EntropyRule, entropy_of_counts
from petaudit.singling.kernels import Indices
from petaudit.singling.options import has_gaps_below
from petaudit.singling.prepared import ColumnUse, SearchTables
from petaudit.singling.search import Settings, SizeFindings
from petaudit.system.memory import memory_limit
from petaudit.tables.engines.scratch import OutOfTimeError
from petaudit.tables.joint.duck_pair import DuckPair
from petaudit.tables.joint.store import Exposed, GroupSizes, Listed, StoredPair

_DRAWING: Final = 32
"""Bytes per row of a table that samples are drawn from."""


@dataclass(frozen=True, kw_only=True)
class StoredTables(SearchTables):
    """Tables in an engine."""

    pair: StoredPair

    @classmethod
    def of(cls, pair: StoredPair, *, deduplicate: bool) -> StoredTables:
        """Take over what the engine knows of the tables."""
        facts = pair.facts
        return cls(
            columns=facts.columns,
            rows=facts.rows,
            people=facts.people,
            removed=tuple(rows - left for rows, left in zip(facts.rows, facts.people, strict=True)),
            distinct=facts.distinct,
            joined=facts.joined,
            uses={name: ColumnUse(*use) for name, use in facts.uses.items()},
            merges_equal=deduplicate,
            pair=pair,
        )

    @property
    def lists_rows(self) -> bool:
        """Whether rows have numbers and can be fetched; from a cluster only counts are."""
        return isinstance(self.pair, DuckPair)

    @property
    def can_be_sampled(self) -> bool:
        """Whether rows have numbers, and drawing some of them needs but a part of the memory."""
        return self.lists_rows and _DRAWING * max(self.people) <= memory_limit() // 2

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
            "the tables are counted by {engine}, which returns only counts: there is no list of "
            "the rows that are identified",
            engine=self.pair.engine,
        )

    def listed(self, findings: SizeFindings) -> Iterator[Listed]:
        """List the rows that combinations of a size identify, in batches."""
        return self.listing.listed(findings.size)

    def value_combos(
        self, listed: Listed, combinations: Sequence[Sequence[int]]
    ) -> Iterator[tuple[object, ...]]:
        """Return the values that identify rows, each in the columns of its combination."""
        return self.listing.values(listed.given_rows, combinations)

    def search(self, settings: Settings) -> Iterator[SizeFindings]:
        """Search combinations of the given sizes, one size after the other."""
        return search_in_engine(self.pair, settings)

    def exposed(
        self, sample: Indices, sizes: Sequence[SizeFindings], settings: Settings
    ) -> Exposed | None:
        """Count who of a sample and of the control is singled out; None if out of time.

        What was pruned before depends on the synthetic rows alone.
        """
        looked_at = (
            combination
            for findings in sizes
            for combination, repeated in zip(
                itertools.combinations(range(len(self.columns)), findings.size),
                findings.repeated.tolist(),
                strict=True,
            )
            if repeated >= 0
        )
        try:
            with self.pair.deadline.at(settings.deadline):
                return self.listing.count_exposed(
                    sample,
                    looked_at,
                    keep_matches=has_gaps_below(max(settings.sizes, default=0), settings.sizes),
                    merges_equal=self.merges_equal,
                )
        except OutOfTimeError:
            return None


def search_in_engine(pair: StoredPair, settings: Settings) -> Iterator[SizeFindings]:
    """Search combinations of the given sizes, one size after the other.

    A row counts for the first combination that identifies it: batches of combinations are counted
    in order, and after each the rows that nobody identified before are noted. Stopped by the
    deadline, the combinations that were looked at are the first ones in order. The entropies of a
    size that is not asked for are found all the same, because those of the next one need them.
    """
    columns, rows = len(pair.facts.columns), pair.facts.people[SYNTHETIC]
    entropies: dict[tuple[int, ...], float | None] = {(): 0.0}
    for size in range(1, max(settings.sizes, default=0) + 1):
        is_asked = size in settings.sizes
        counted = _Counted(size, rows, settings.entropy, entropies)
        report = settings.reporter(size, columns) if is_asked else None
        keep_matches = not is_asked or has_gaps_below(size, settings.sizes)
        in_time = _count_size(pair, counted, settings.deadline, report, keep_matches=keep_matches)
        entropies = counted.entropies
        if is_asked:
            yield counted.findings(pair.settle(size), math.comb(columns, size))
        if not in_time:
            return


def _count_size(
    pair: StoredPair,
    counted: _Counted,
    deadline: float | None,
    report: Callable[[int], None] | None,
    *,
    keep_matches: bool,
) -> bool:
    """Count the combinations of a size, and note the rows they identify if that is reported."""
    if report is not None:
        report(0)
    try:
        with pair.deadline.at(deadline):
            for batch in pair.batches(counted.size):
                first = len(counted.figures)
                wanted = [each for each in batch if counted.before[each[:-1]] is not None]
                groups = pair.count(wanted, keep_matches=keep_matches) if wanted else []
                kept = counted.add(batch, dict(zip(wanted, groups, strict=True)))
                if report is None:
                    continue
                places = {each: place for place, each in enumerate(wanted)}
                numbers = {places[each]: first + i for i, each in enumerate(batch) if each in kept}
                try:
                    pair.note(counted.size, numbers)
                except OutOfTimeError:
                    del counted.figures[first:]
                    raise
                report(len(counted.figures))
    except OutOfTimeError:
        return False
    return True


@dataclass
class _Counted:
    """What was counted of the combinations of one size so far."""

    size: int
    rows: int
    rule: EntropyRule
    before: dict[tuple[int, ...], float | None]
    """The entropies of the combinations of the size before, None where they were pruned."""
    figures: list[tuple[int, float, float]] = field(default_factory=list)
    """Repeated rows, entropy and gain of each combination, as in :class:`SizeFindings`."""
    entropies: dict[tuple[int, ...], float | None] = field(default_factory=dict)

    def add(
        self, batch: Sequence[tuple[int, ...]], groups: dict[tuple[int, ...], GroupSizes]
    ) -> set[tuple[int, ...]]:
        """Take a batch in; return the combinations that are not pruned."""
        kept = set()
        for combination in batch:
            sizes, above = groups.get(combination), self.before[combination[:-1]]
            repeated, entropy, gain = -1, math.nan, math.nan
            self.entropies[combination] = None
            if sizes is not None and above is not None:
                entropy = entropy_of_counts(sizes.sizes, sizes.groups, self.rows, self.rule.alpha)
                gain = entropy - above
                if not self.rule.prunes(gain):
                    repeated = sizes.rows
                    self.entropies[combination] = entropy
                    kept.add(combination)
            self.figures.append((repeated, entropy, gain))
        return kept

    def findings(self, by_number: Indices, combinations: int) -> SizeFindings:
        """Return all of it, with the rows that each combination identifies."""
        many = len(self.figures)
        collisions = np.zeros(many, np.int64)
        collisions[: len(by_number)] = by_number
        repeated, entropy, gain = np.array(self.figures, np.float64).reshape(many, 3).T
        is_complete = many == combinations
        return SizeFindings(
            self.size, repeated.astype(np.int64), collisions, entropy, gain, is_complete
        )
