"""What a search found, laid out as the tables that people know from the seed of the method."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from petaudit.counts.made_frames import Kind, MadeColumn
from petaudit.errors import Phrase, phrase
from petaudit.singling._prepare import ORIGINAL, SYNTHETIC
from petaudit.singling._stored import AnyPrepared, StoredTables
from petaudit.singling.control import Excess
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

    @property
    def is_empty(self) -> bool:
        """Whether there was nothing to look at: a table without rows."""
        return not (self.rows and self.prepared.people[ORIGINAL])

    @property
    def rows(self) -> int:
        """Synthetic rows without duplicates."""
        return self.prepared.people[SYNTHETIC]

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

    def global_columns(self) -> dict[str, MadeColumn]:
        """One row of figures; none if a table is empty."""
        figures = {} if self.is_empty else self.figures()
        names = _GLOBAL if self.options.calculate_baseline else _GLOBAL_WITHOUT_BASELINE
        if self.has_control:
            names = (*names, *_GLOBAL_CONTROL)
        return {
            name: MadeColumn(
                "integer" if name.startswith("total_") else "number",
                [figures[name]] if figures else [],
            )
            for name in names
        }

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
            own = self.excess
            known = (
                (None,) * 4 if own is None else (own.control_rate, own.value, own.lower, own.upper)
            )
            found |= dict(zip(_GLOBAL_CONTROL, known, strict=True))
        return found

    def details_columns(self, *, with_values: bool = True) -> dict[str, MadeColumn]:
        """A row per identified synthetic row, in the order in which they were found."""
        columns: dict[str, list[object]] = {name: [] for name in _DETAILS}
        for own in self._shown():
            combinations = self._combinations(own)
            baseline = self._baseline_of(combinations)
            levels = self._risk_levels(own, baseline)
            found = self.prepared.listed(own)
            numbers = found.combinations.tolist()
            by_number = {number: combinations[number].tolist() for number in set(numbers)}
            columns["risk_level"] += [levels[number] for number in numbers]
            columns["syn_idx"] += found.rows.tolist()
            columns["ori_idx"] += found.targets.tolist()
            columns["combo_size"] += [own.size] * len(numbers)
            names = {number: self._names(own) for number, own in by_number.items()}
            columns["field_combo"] += [names[number] for number in numbers]
            columns["value_combo"] += (
                self.prepared.value_combos(found, [by_number[number] for number in numbers])
                if with_values
                else [None] * len(numbers)
            )
            columns["baseline_protection"] += baseline[found.combinations].tolist()
            columns["syn_row"] += found.given_rows.tolist()
            columns["ori_row"] += found.given_targets.tolist()
        if not self.options.calculate_baseline:
            del columns["baseline_protection"]
        return {name: MadeColumn(_DETAILS[name], values) for name, values in columns.items()}

    def tree_columns(self) -> dict[str, MadeColumn]:
        """A row per combination, in the order in which they were looked at."""
        columns: dict[str, list[object]] = {name: [] for name in _TREE}
        for own in self._shown():
            combinations = self._combinations(own)
            baseline = self._baseline_of(combinations)
            pruned, unique, collisions = self._counts(own)
            weight = self._weight(own.size)
            names = itertools.combinations(self.prepared.columns, own.size)
            columns["field_combo"] += itertools.islice(names, len(combinations))
            columns["combo_size"] += [own.size] * len(combinations)
            columns["is_pruned"] += pruned.tolist()
            columns["mpuccs_cnt"] += unique.tolist()
            columns["mpuccs_collision_cnt"] += collisions.tolist()
            columns["baseline_protection"] += baseline.tolist()
            columns["overall_protection"] += _nulls(self._overall_of(own, baseline))
            if self.options.has_technical_columns:
                columns["entropy"] += _nulls(own.entropy)
                columns["entropy_gain"] += _nulls(own.gain)
                columns["field_weight"] += [weight] * len(combinations)
                columns["weighted_collision"] += [
                    weight * many if many else 0.0 for many in collisions.tolist()
                ]
        columns["check_order"] = list(range(1, len(columns["combo_size"]) + 1))
        left_out = () if self.options.calculate_baseline else _TREE_BASELINE
        if not self.options.has_technical_columns:
            left_out = (*left_out, *_TREE_TECHNICAL)
        return {
            name: MadeColumn(_TREE[name], values)
            for name, values in columns.items()
            if name not in left_out
        }

    def rows_helped(self) -> tuple[int, ...]:
        """Per column in search order: identified rows whose combination holds it."""
        helped = np.zeros(len(self.prepared.columns), np.int64)
        for own in self._shown():
            collisions = self._counts(own)[2]
            np.add.at(helped, self._combinations(own), collisions[:, np.newaxis])
        return tuple(helped.tolist())

    def worst_combinations(self, most: int) -> list[tuple[tuple[str, ...], int, int]]:
        """The combinations that identify most rows: names, rows identified, rows unique."""
        found = [
            (
                self._names(combinations[number].tolist()),
                int(collisions[number]),
                int(unique[number]),
            )
            for own in self._shown()
            for _, unique, collisions in [self._counts(own)]
            for combinations in [self._combinations(own)]
            for number in np.flatnonzero(collisions)
        ]
        return sorted(found, key=lambda entry: (-entry[1], len(entry[0])))[:most]

    def _weight(self, size: int) -> float:
        try:
            return self.options.field_decay_factor ** (size - 1)
        except OverflowError:
            return math.inf

    def _shown(self) -> Iterator[SizeFindings]:
        return iter(() if self.is_empty else self.sizes)

    def _combinations(self, own: SizeFindings) -> npt.NDArray[np.int32]:
        """The columns of each combination, by their place in the search."""
        many = len(own.repeated)
        every = itertools.combinations(range(len(self.prepared.columns)), own.size)
        columns = itertools.chain.from_iterable(itertools.islice(every, many))
        return np.fromiter(columns, np.int32, many * own.size).reshape(many, own.size)

    def _names(self, combination: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.prepared.columns[column] for column in combination)

    def _baseline_of(self, combinations: npt.NDArray[np.int32]) -> Floats:
        distinct = np.array(self.prepared.distinct, np.float64)
        with np.errstate(over="ignore"):
            # A product that is too large for a float leaves a baseline of 1, as it should.
            baseline: Floats = 1 - 1 / distinct[combinations].prod(axis=1)
        return baseline

    def _counts(
        self, own: SizeFindings
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        pruned = own.repeated < 0
        unique = np.where(pruned, 0, self.rows - own.repeated)
        return pruned, unique, own.collisions

    def _overall_of(self, own: SizeFindings, baseline: Floats) -> Floats:
        pruned, unique, collisions = self._counts(own)
        main = 1 - collisions / np.maximum(unique, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            overall = np.where(baseline > 0, np.minimum(main / baseline, 1.0), main)
        return np.where(pruned, np.nan, overall)

    def _risk_levels(self, own: SizeFindings, baseline: Floats) -> list[str]:
        if not self.options.calculate_baseline:
            return [_risk_level(own.size, None)] * len(own.repeated)
        return [_risk_level(own.size, ratio) for ratio in self._overall_of(own, baseline).tolist()]


def _risk_level(size: int, ratio: float | None) -> str:
    """``high``, ``medium`` or ``low``: the first that holds.

    >>> _risk_level(2, 1.0), _risk_level(5, 0.29), _risk_level(5, 0.7), _risk_level(5, None)
    ('high', 'high', 'medium', 'low')
    """
    if size <= 2 or (ratio is not None and ratio < 0.3):
        return "high"
    if size <= 4 or (ratio is not None and ratio <= 0.7):
        return "medium"
    return "low"


def _nulls(values: Floats | None) -> list[float | None]:
    if values is None:
        return []
    return [None if math.isnan(value) else value for value in values.tolist()]


_GLOBAL = (
    "privacy_risk_score",
    "overall_protection",
    "main_protection",
    "baseline_protection",
    "identification_rate",
    "total_identified",
    "total_syn_records",
)
_GLOBAL_WITHOUT_BASELINE = (
    "identification_rate",
    "main_protection",
    "total_identified",
    "total_syn_records",
)
_GLOBAL_CONTROL = (
    "control_identification_rate",
    "excess_risk",
    "excess_risk_ci_lower",
    "excess_risk_ci_upper",
)
_DETAILS: Mapping[str, Kind] = {
    "risk_level": "text",
    "syn_idx": "integer",
    "ori_idx": "integer",
    "combo_size": "integer",
    "field_combo": "tuple",
    "value_combo": "tuple",
    "baseline_protection": "number",
    "syn_row": "integer",
    "ori_row": "integer",
}
_TREE_BASELINE = ("baseline_protection", "overall_protection")
_TREE_TECHNICAL = ("entropy", "entropy_gain", "field_weight", "weighted_collision")
_TREE: Mapping[str, Kind] = {
    "check_order": "integer",
    "field_combo": "tuple",
    "combo_size": "integer",
    "is_pruned": "boolean",
    "mpuccs_cnt": "integer",
    "mpuccs_collision_cnt": "integer",
    "baseline_protection": "number",
    "overall_protection": "number",
    "entropy": "number",
    "entropy_gain": "number",
    "field_weight": "number",
    "weighted_collision": "number",
}
