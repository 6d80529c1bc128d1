"""The search on tables that an engine holds: the same order, the same answer, by counting there."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from petaudit.singling._arrays import Indices
from petaudit.singling._entropy import entropy_of_counts
from petaudit.singling._prepare import SYNTHETIC
from petaudit.singling._walk import EntropyRule
from petaudit.singling.search import Progress, progress_of
from petaudit.singling.size_findings import SizeFindings
from petaudit.tables.joint.store import GroupSizes, OutOfTimeError, StoredPair


@dataclass
class EngineSearch:
    """A search over the given sizes; iterating gives the findings size by size.

    A row counts for the first combination that identifies it: batches of combinations are counted
    in order, and after each the rows that nobody identified before are noted. Stopped by the
    deadline, the combinations that were looked at are the first ones in order.
    """

    pair: StoredPair
    sizes: Sequence[int]
    entropy: EntropyRule | None = None
    deadline: float | None = None
    progress: Callable[[Progress], object] | None = None
    _entropies: dict[tuple[int, ...], float | None] = field(default_factory=dict)
    """Of the combinations of the size before, None where they were pruned."""

    def __iter__(self) -> Iterator[SizeFindings]:
        columns = len(self.pair.facts.columns)
        sizes = tuple(size for size in self.sizes if size <= columns)
        self._entropies = {(): 0.0}
        for size in range(1, max(sizes, default=0) + 1):
            if size not in sizes:
                if self.entropy is not None and not self._measure(size):
                    return
                continue
            found = self._one_size(size, progress_of(size, sizes, columns, self.progress))
            yield found
            if not found.is_complete:
                return

    def _one_size(self, size: int, report: Callable[[int], None]) -> SizeFindings:
        counted = _Counted(size, self.pair.facts.people[SYNTHETIC], self.entropy, self._entropies)
        keep_matches = not set(range(1, size)) <= set(self.sizes)
        report(0)
        try:
            with self.pair.deadline.at(self.deadline):
                for batch in self.pair.batches(size):
                    wanted = [
                        own for own in batch if self._entropies.get(own[:-1], 0.0) is not None
                    ]
                    groups = self.pair.count(wanted, keep_matches=keep_matches) if wanted else []
                    first = len(counted.repeated)
                    kept = counted.add(batch, dict(zip(wanted, groups, strict=True)))
                    places = {own: place for place, own in enumerate(wanted)}
                    try:
                        self.pair.note(
                            size,
                            {places[own]: first + i for i, own in enumerate(batch) if own in kept},
                        )
                    except OutOfTimeError:
                        counted.forget(len(batch))
                        raise
                    report(len(counted.repeated))
        except OutOfTimeError:
            pass
        columns = len(self.pair.facts.columns)
        is_complete = len(counted.repeated) == math.comb(columns, size)
        self._entropies = counted.entropies
        return counted.findings(self.pair.settle(size), is_complete=is_complete)

    def _measure(self, size: int) -> bool:
        """Find the entropies of a size that is not asked for; False if time ran out."""
        counted = _Counted(size, self.pair.facts.people[SYNTHETIC], self.entropy, self._entropies)
        try:
            with self.pair.deadline.at(self.deadline):
                for batch in self.pair.batches(size):
                    wanted = [own for own in batch if self._entropies[own[:-1]] is not None]
                    groups = self.pair.count(wanted, keep_matches=True) if wanted else []
                    counted.add(batch, dict(zip(wanted, groups, strict=True)))
        except OutOfTimeError:
            return False
        self._entropies = counted.entropies
        return True


@dataclass
class _Counted:
    """What was counted of the combinations of one size so far."""

    size: int
    rows: int
    rule: EntropyRule | None
    before: dict[tuple[int, ...], float | None]
    repeated: list[int] = field(default_factory=list)
    entropy: list[float] = field(default_factory=list)
    gain: list[float] = field(default_factory=list)
    entropies: dict[tuple[int, ...], float | None] = field(default_factory=dict)

    def add(
        self, batch: Sequence[tuple[int, ...]], groups: dict[tuple[int, ...], GroupSizes]
    ) -> set[tuple[int, ...]]:
        """Take a batch in; return the combinations that are not pruned."""
        kept = set()
        for own in batch:
            found, above = groups.get(own), self.before.get(own[:-1], 0.0)
            if found is None or above is None:
                self._append(own, -1, math.nan, math.nan, None)
                continue
            if self.rule is None:
                self.repeated.append(found.rows)
                kept.add(own)
                continue
            entropy = entropy_of_counts(found.sizes, found.groups, self.rows, self.rule.alpha)
            is_pruned = self.rule.prunes(entropy - above)
            self._append(
                own,
                -1 if is_pruned else found.rows,
                entropy,
                entropy - above,
                None if is_pruned else entropy,
            )
            if not is_pruned:
                kept.add(own)
        return kept

    def forget(self, many: int) -> None:
        """Take back the last combinations."""
        for figures in (self.repeated, self.entropy, self.gain):
            del figures[len(figures) - min(many, len(figures)) :]

    def findings(self, by_number: Indices, *, is_complete: bool) -> SizeFindings:
        """All of it, with the rows that each combination identifies."""
        collisions = np.zeros(len(self.repeated), np.int64)
        collisions[: len(by_number)] = by_number
        has_entropy = self.rule is not None and bool(self.repeated)
        return SizeFindings(
            self.size,
            np.array(self.repeated, np.int64),
            collisions,
            is_complete,
            np.array(self.entropy, np.float64) if has_entropy else None,
            np.array(self.gain, np.float64) if has_entropy else None,
        )

    def _append(
        self,
        combination: tuple[int, ...],
        repeated: int,
        entropy: float,
        gain: float,
        kept: float | None,
    ) -> None:
        self.repeated.append(repeated)
        self.entropy.append(entropy)
        self.gain.append(gain)
        self.entropies[combination] = kept
