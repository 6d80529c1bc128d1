"""What a search found, in figures."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from petaudit.errors import Phrase, phrase
from petaudit.exact.excess import Excess
from petaudit.singling._prepare import ORIGINAL, SYNTHETIC
from petaudit.singling._stored import AnyPrepared, StoredTables
from petaudit.singling.finding_tables import CONTROL_FIGURES
from petaudit.singling.options import Options
from petaudit.singling.size_findings import SizeFindings
from petaudit.singling.way import Way

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Findings:
    """The findings of all sizes, and how they compare with the control."""

    prepared: AnyPrepared
    options: Options
    sizes: tuple[SizeFindings, ...]
    has_control: bool = False
    excess: Excess | None = None
    way: Way = field(default_factory=Way.by_default)
    warnings: tuple[str, ...] = ()
    """What is odd about the tables."""

    @cached_property
    def doubts(self) -> tuple[Phrase, ...]:
        """Why the figures may be too low: values that are written in different ways."""
        return self.prepared.doubts

    @property
    def is_empty(self) -> bool:
        """Whether there was nothing to look at: a table without rows."""
        return not (self.rows and self.prepared.people[ORIGINAL])

    @property
    def rows(self) -> int:
        """Synthetic rows without duplicates."""
        return self.prepared.people[SYNTHETIC]

    @property
    def original_people(self) -> int:
        """The original's people."""
        return self.prepared.people[ORIGINAL]

    @property
    def identified(self) -> int:
        """Synthetic rows that single out exactly one original row."""
        return sum(own.identified for own in self.sizes)

    @property
    def combinations(self) -> int:
        """How many combinations were looked at or pruned."""
        return sum(len(own.repeated) for own in self.sizes)

    @property
    def pruned(self) -> int:
        """How many combinations were pruned."""
        return sum(int((own.repeated < 0).sum()) for own in self.sizes)

    @cached_property
    def identification_rate(self) -> Fraction:
        """The share of synthetic rows that are identified."""
        return Fraction(self.identified, self.rows)

    @cached_property
    def baseline(self) -> Fraction:
        """What the original's structure alone protects: whole numbers, so nothing overflows."""
        return 1 - Fraction(1, math.prod(self.prepared.distinct))

    @cached_property
    def overall(self) -> Fraction:
        """The share of the baseline's protection that is kept."""
        main = 1 - self.identification_rate
        return min(main / self.baseline, Fraction(1)) if self.baseline else main

    @property
    def risk(self) -> Fraction:
        """The privacy risk score."""
        return 1 - self.overall

    @property
    def lists_rows(self) -> bool:
        """Whether identified rows can be listed: from a cluster only counts come."""
        return not isinstance(self.prepared, StoredTables) or self.prepared.lists_rows

    @property
    def why_no_changes(self) -> Phrase | None:
        """Why changes of single columns were not tried, where they were not."""
        if self.is_empty or self.way.way == "memory":
            return None
        return phrase("what changing one column would do was left out: it is found in memory only")

    @property
    def why_no_excess(self) -> Phrase:
        """Why there is no comparison with the control."""
        if isinstance(self.prepared, StoredTables) and not self.prepared.lists_rows:
            return phrase(
                "the comparison with the control was left out: it samples rows by their number, "
                "and rows on a cluster have none"
            )
        if isinstance(self.prepared, StoredTables) and not self.prepared.can_be_sampled:
            return phrase(
                "the comparison with the control was left out: drawing samples of so many rows "
                "takes more memory than there is"
            )
        return phrase("there was no time, or no row, for the comparison with the control")

    def figures(self) -> dict[str, float | int | None]:
        """The figures of the one row, by name."""
        found: dict[str, float | int | None] = {}
        if self.options.calculate_baseline:
            found["privacy_risk_score"] = float(self.risk)
            found["overall_protection"] = float(self.overall)
        found["main_protection"] = float(1 - self.identification_rate)
        if self.options.calculate_baseline:
            found["baseline_protection"] = float(self.baseline)
        found["identification_rate"] = float(self.identification_rate)
        found["total_identified"] = self.identified
        found["total_syn_records"] = self.rows
        if self.has_control:
            excess = self.excess
            known = [math.nan] * 4
            if excess is not None:
                known = [excess.control.share, excess.value, excess.lower, excess.upper]
            found |= {
                name: figure if math.isfinite(figure) else None
                for name, figure in zip(CONTROL_FIGURES, known, strict=True)
            }
        return found

    def rows_helped(self) -> tuple[int, ...]:
        """Per column in search order: identified rows whose combination holds it."""
        helped = np.zeros(len(self.prepared.columns), np.int64)
        for own in self.shown():
            collisions = self.counts_of(own)[2]
            np.add.at(helped, self.combinations_of(own), collisions[:, np.newaxis])
        return tuple(helped.tolist())

    def worst_combinations(self, most: int) -> list[tuple[tuple[str, ...], int, int]]:
        """The combinations that identify most rows: names, rows identified, rows unique."""
        found = [
            (
                self.names_of(combinations[number].tolist()),
                int(collisions[number]),
                int(unique[number]),
            )
            for own in self.shown()
            for _, unique, collisions in [self.counts_of(own)]
            for combinations in [self.combinations_of(own)]
            for number in np.flatnonzero(collisions)
        ]
        return sorted(found, key=lambda entry: (-entry[1], len(entry[0])))[:most]

    def shown(self) -> Iterator[SizeFindings]:
        """The findings of each size; none if a table is empty."""
        return iter(() if self.is_empty else self.sizes)

    def combinations_of(self, own: SizeFindings) -> npt.NDArray[np.int32]:
        """The columns of each combination, by their place in the search."""
        many = len(own.repeated)
        every = itertools.combinations(range(len(self.prepared.columns)), own.size)
        columns = itertools.chain.from_iterable(itertools.islice(every, many))
        return np.fromiter(columns, np.int32, many * own.size).reshape(many, own.size)

    def names_of(self, combination: Sequence[int]) -> tuple[str, ...]:
        """What the columns of a combination are called."""
        return tuple(self.prepared.columns[column] for column in combination)

    def baseline_of(self, combinations: npt.NDArray[np.int32]) -> Floats:
        """What the original's structure protects in each combination."""
        distinct = np.array(self.prepared.distinct, np.float64)
        with np.errstate(over="ignore"):
            # A product that is too large for a float leaves a baseline of 1, as it should.
            baseline: Floats = 1 - 1 / distinct[combinations].prod(axis=1)
        return baseline

    def counts_of(
        self, own: SizeFindings
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Per combination: whether it was pruned, rows that are unique, rows identified."""
        pruned = own.repeated < 0
        unique = np.where(pruned, 0, self.rows - own.repeated)
        return pruned, unique, own.collisions

    def overall_of(self, own: SizeFindings, baseline: Floats) -> Floats:
        """The share of each baseline's protection that is kept; NaN where pruned."""
        pruned, unique, collisions = self.counts_of(own)
        main = 1 - collisions / np.maximum(unique, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            overall = np.where(baseline > 0, np.minimum(main / baseline, 1.0), main)
        return np.where(pruned, np.nan, overall)
