"""What a search found: the figures, and the tables that people know from the seed of the method."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from petaudit.errors import Phrase, counted, listing, phrase, share, tally
from petaudit.exact.excess import Excess
from petaudit.singling.control import ORIGINAL, SYNTHETIC
from petaudit.singling.engine import StoredTables
from petaudit.singling.kernels import Floats
from petaudit.singling.options import Figure, Options
from petaudit.singling.prepared import Prepared
from petaudit.singling.search import SizeFindings
from petaudit.singling.strategy import SearchStrategy
from petaudit.tables.result_frames import Kind, ResultColumn

_CONTROL_FIGURES: Final = (
    "control_identification_rate",
    "excess_risk",
    "excess_risk_ci_lower",
    "excess_risk_ci_upper",
)
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
_TREE_TECHNICAL = ("entropy", "field_weight", "weighted_collision")
_TREE: Mapping[str, Kind] = {
    "check_order": "integer",
    "field_combo": "tuple",
    "combo_size": "integer",
    "is_pruned": "boolean",
    "mpuccs_cnt": "integer",
    "mpuccs_collision_cnt": "integer",
    "baseline_protection": "number",
    "entropy_gain": "number",
    "overall_protection": "number",
    "entropy": "number",
    "field_weight": "number",
    "weighted_collision": "number",
}


@dataclass(frozen=True)
class Findings:
    """The findings of all sizes, and how they compare with the control."""

    prepared: Prepared | StoredTables
    options: Options
    sizes: tuple[SizeFindings, ...]
    has_control: bool
    excess: Excess | None
    strategy: SearchStrategy
    warnings: tuple[str, ...]
    """What is odd about the tables."""

    @cached_property
    def doubts(self) -> tuple[Phrase, ...]:
        """Why the figures may be too low: values that are written in different ways."""
        return self.prepared.doubts

    @property
    def is_empty(self) -> bool:
        """Whether there was nothing to look at: a table without rows."""
        return not (self.rows and self.original_people)

    @property
    def is_stopped(self) -> bool:
        """Whether the time limit came before all combinations were looked at."""
        asked = self.options.sizes(len(self.prepared.columns))
        is_complete = len(self.sizes) == len(asked) and all(size.is_complete for size in self.sizes)
        return not self.is_empty and not is_complete

    @property
    def is_complete(self) -> bool:
        """Whether every combination of the sizes was looked at."""
        return not self.is_stopped and not self.pruned

    @property
    def is_lower_bound(self) -> bool:
        """Whether rows may have been missed that combinations of the largest size or less find."""
        has_gaps = self.options.has_gaps(len(self.prepared.columns))
        return not self.is_complete or has_gaps or bool(self.doubts)

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
        return sum(size.identified for size in self.sizes)

    @property
    def combinations(self) -> int:
        """How many combinations were looked at or pruned."""
        return sum(len(size.repeated) for size in self.sizes)

    @property
    def pruned(self) -> int:
        """How many combinations were pruned."""
        return sum(int((size.repeated < 0).sum()) for size in self.sizes)

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
    def usual_figure(self) -> Figure:
        """The figure that is the value unless a profile names another."""
        return "privacy_risk_score" if self.options.calculate_baseline else "identification_rate"

    def exact(self, figure: Figure) -> Fraction:
        """Return a figure that can be judged."""
        return self.risk if figure == "privacy_risk_score" else self.identification_rate

    @property
    def lists_rows(self) -> bool:
        """Whether identified rows can be listed: from a cluster only counts come."""
        return self.prepared.lists_rows

    @property
    def why_no_changes(self) -> Phrase | None:
        """Why changes of single columns were not tried, where they were not."""
        if self.is_empty or self.strategy.place == "memory":
            return None
        return phrase(
            "the effect of changing one column was left out: it is computed in memory only"
        )

    @property
    def why_no_excess(self) -> Phrase:
        """Why there is no comparison with the control."""
        if not self.prepared.lists_rows:
            return phrase(
                "the comparison with the control was left out: it samples rows by their number, "
                "and rows on a cluster have none"
            )
        if not self.prepared.can_be_sampled:
            return phrase(
                "the comparison with the control was left out: drawing samples of that many rows "
                "takes more memory than is available"
            )
        return phrase("there was no time, or no row, for the comparison with the control")

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader should know about the figures."""
        notes: list[str] = [*self.doubts, *self.warnings]
        if self.is_stopped:
            combinations = counted(self.combinations, "combination")
            notes.append(
                phrase(
                    "the time limit was reached after {combinations}: the figures are lower bounds",
                    combinations=combinations,
                )
            )
        if self.pruned:
            notes.append(
                phrase(
                    "{combinations} pruned by min_entropy_delta: the figures are lower bounds, "
                    "rows that only these identify are missed",
                    combinations=counted(self.pruned, "combination"),
                )
            )
        if self.has_control and self.excess is None and not self.is_empty:
            notes.append(self.why_no_excess)
        wanted = self.options.n_cols
        if isinstance(wanted, tuple) and self.options.has_gaps(len(self.prepared.columns)):
            notes.append(
                phrase(
                    "only combinations of {sizes} columns were searched: a row that a smaller "
                    "combination identifies may be missed",
                    sizes=listing([str(size) for size in wanted]),
                )
            )
        return tuple(notes)

    @property
    def explanation(self) -> tuple[str, ...]:
        """How many rows are identified, how that compares with the control, where it was found."""
        if self.is_empty:
            return (phrase("a table without rows singles out nobody, and nothing was measured"),)
        number: str = tally(self.identified, of=self.rows)
        if not self.is_complete:
            number = phrase("at least {number}", number=number)
        lines = [
            phrase(
                "{number} of {rows} ({rate}) single out exactly one original row, {scope}",
                number=number,
                rows=counted(self.rows, "synthetic row", of=self.rows),
                rate=share(self.identified, self.rows, 2),
                scope=self.scope,
            )
        ]
        if self.options.person is not None:
            people = self.original_people
            lines.append(
                phrase(
                    "the original's rows belong to {people}, by the column {column!r}; rows of one "
                    "person do not compete",
                    people=counted(people, "person", "people", of=people),
                    column=self.options.person,
                )
            )
        if self.excess is not None:
            lines.append(self.excess.text)
        if not self.strategy.is_usual:
            lines.append(self.strategy.text)
        return tuple(lines)

    @property
    def scope(self) -> Phrase:
        """Which combinations were looked at, in words."""
        columns = len(self.prepared.columns)
        sizes = self.options.sizes(columns)
        total = sum(math.comb(columns, size) for size in sizes)
        fields: dict[str, str] = {
            "sizes": listing([str(size) for size in sizes]),
            "columns": counted(columns, "column"),
            "combinations": counted(total, "combination"),
        }
        if sizes == tuple(range(1, len(sizes) + 1)):
            fields["sizes"] = phrase("up to {most}", most=len(sizes))
        if self.combinations < total:
            return phrase(
                "in the first {number:,} of {combinations} of {sizes} of {columns}",
                number=self.combinations,
                **fields,
            )
        return phrase("with {sizes} of {columns} ({combinations})", **fields)

    def figures(self) -> dict[str, float | int | None]:
        """Return the figures by name; none if a table is empty."""
        if self.is_empty:
            return {}
        figures: dict[str, float | int | None] = {}
        if self.options.calculate_baseline:
            figures["privacy_risk_score"] = float(self.risk)
            figures["overall_protection"] = float(self.overall)
        figures["main_protection"] = float(1 - self.identification_rate)
        if self.options.calculate_baseline:
            figures["baseline_protection"] = float(self.baseline)
        figures["identification_rate"] = float(self.identification_rate)
        figures["total_identified"] = self.identified
        figures["total_syn_records"] = self.rows
        if self.has_control:
            excess = self.excess
            known = [math.nan] * 4
            if excess is not None:
                known = [excess.control.share, excess.value, excess.lower, excess.upper]
            figures |= {
                name: figure if math.isfinite(figure) else None
                for name, figure in zip(_CONTROL_FIGURES, known, strict=True)
            }
        return figures

    def rows_helped(self) -> tuple[int, ...]:
        """Count per column in search order the identified rows whose combination holds it."""
        helped = np.zeros(len(self.prepared.columns), np.int64)
        for counts in self._counted():
            np.add.at(helped, counts.combinations, counts.collisions[:, np.newaxis])
        return tuple(helped.tolist())

    def worst_combinations(self, most: int) -> list[tuple[tuple[str, ...], int, int]]:
        """List the combinations that identify most rows: names, rows identified, rows unique."""
        entries = [
            (
                self._names_of(counts.combinations[number].tolist()),
                int(counts.collisions[number]),
                int(counts.unique[number]),
            )
            for counts in self._counted()
            for number in np.flatnonzero(counts.collisions)
        ]
        return sorted(entries, key=lambda entry: (-entry[1], len(entry[0])))[:most]

    def global_columns(self) -> dict[str, ResultColumn]:
        """Return the table of one row of figures; no row if a table is empty."""
        figures = self.figures()
        names = _GLOBAL if self.options.calculate_baseline else _GLOBAL_WITHOUT_BASELINE
        if self.has_control:
            names = (*names, *_CONTROL_FIGURES)
        return {
            name: ResultColumn(
                "integer" if name.startswith("total_") else "number",
                [figures[name]] if figures else [],
            )
            for name in names
        }

    def details_columns(self, *, with_values: bool) -> dict[str, ResultColumn]:
        """Return a row per identified synthetic row, in the order of the search."""
        columns: dict[str, list[object]] = {name: [] for name in _DETAILS}
        for block in self.details_blocks(with_values=with_values):
            for name, column in block.items():
                columns[name] += column.values
        return self._details(columns)

    def no_details(self) -> dict[str, ResultColumn]:
        """Return the same without a row."""
        return self._details({name: [] for name in _DETAILS})

    def details_blocks(self, *, with_values: bool) -> Iterator[dict[str, ResultColumn]]:
        """Return the same, some rows at a time: there may be more of them than memory holds."""
        for counts in self._counted():
            size = counts.findings.size
            ratios: list[float | None] = [None] * len(counts.collisions)
            if self.options.calculate_baseline:
                ratios = counts.overall.tolist()
            levels = [_risk_level(size, ratio) for ratio in ratios]
            for listed in self.prepared.listed(counts.findings):
                numbers = listed.combinations.tolist()
                columns = {number: counts.combinations[number].tolist() for number in set(numbers)}
                names = {number: self._names_of(places) for number, places in columns.items()}
                values: Iterable[object] = itertools.repeat(None, len(numbers))
                if with_values:
                    combinations = [columns[number] for number in numbers]
                    values = self.prepared.value_combos(listed, combinations)
                yield self._details(
                    {
                        "risk_level": [levels[number] for number in numbers],
                        "syn_idx": listed.rows.tolist(),
                        "ori_idx": listed.targets.tolist(),
                        "combo_size": [size] * len(numbers),
                        "field_combo": [names[number] for number in numbers],
                        "value_combo": list(values),
                        "baseline_protection": counts.baseline[listed.combinations].tolist(),
                        "syn_row": listed.given_rows.tolist(),
                        "ori_row": listed.given_targets.tolist(),
                    }
                )

    def tree_columns(self) -> dict[str, ResultColumn]:
        """Return a row per combination, in the order in which they were looked at."""
        columns: dict[str, list[object]] = {name: [] for name in _TREE}
        for counts in self._counted():
            findings, many = counts.findings, len(counts.combinations)
            weight = self._weight(findings.size)
            names = itertools.combinations(self.prepared.columns, findings.size)
            columns["field_combo"] += itertools.islice(names, many)
            columns["combo_size"] += [findings.size] * many
            columns["is_pruned"] += counts.pruned.tolist()
            columns["mpuccs_cnt"] += counts.unique.tolist()
            columns["mpuccs_collision_cnt"] += counts.collisions.tolist()
            columns["baseline_protection"] += counts.baseline.tolist()
            columns["overall_protection"] += _nulls(counts.overall)
            columns["entropy_gain"] += _nulls(findings.gain)
            columns["entropy"] += _nulls(findings.entropy)
            columns["field_weight"] += [weight] * many
            columns["weighted_collision"] += [
                weight * rows if rows else 0.0 for rows in counts.collisions.tolist()
            ]
        columns["check_order"] = list(range(1, len(columns["combo_size"]) + 1))
        left_out = () if self.options.calculate_baseline else _TREE_BASELINE
        if not self.options.has_technical_columns:
            left_out = (*left_out, *_TREE_TECHNICAL)
        return {
            name: ResultColumn(_TREE[name], values)
            for name, values in columns.items()
            if name not in left_out
        }

    def _counted(self) -> Iterator[_Counts]:
        """Count by combination, size by size; nothing if a table is empty."""
        for findings in () if self.is_empty else self.sizes:
            yield _Counts(findings, self.prepared.distinct, self.rows)

    def _names_of(self, combination: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.prepared.columns[column] for column in combination)

    def _weight(self, size: int) -> float:
        try:
            return self.options.field_decay_factor ** (size - 1)
        except OverflowError:
            return math.inf

    def _details(self, columns: Mapping[str, list[object]]) -> dict[str, ResultColumn]:
        return {
            name: ResultColumn(_DETAILS[name], values)
            for name, values in columns.items()
            if self.options.calculate_baseline or name != "baseline_protection"
        }


@dataclass(frozen=True)
class _Counts:
    """The combinations of one size in order, and what is counted of each."""

    findings: SizeFindings
    distinct: Sequence[int]
    """How many values the original has in each column."""
    rows: int

    @cached_property
    def combinations(self) -> npt.NDArray[np.int32]:
        """The columns of each combination, by their place in the search."""
        size, many = self.findings.size, len(self.findings.repeated)
        every = itertools.combinations(range(len(self.distinct)), size)
        columns = itertools.chain.from_iterable(itertools.islice(every, many))
        return np.fromiter(columns, np.int32, many * size).reshape(many, size)

    @property
    def pruned(self) -> npt.NDArray[np.bool_]:
        """Which ones were pruned."""
        return self.findings.repeated < 0

    @property
    def unique(self) -> npt.NDArray[np.int64]:
        """Rows that are unique."""
        return np.where(self.pruned, 0, self.rows - self.findings.repeated)

    @property
    def collisions(self) -> npt.NDArray[np.int64]:
        """Rows that are identified, by nothing smaller or earlier."""
        return self.findings.collisions

    @cached_property
    def baseline(self) -> Floats:
        """What the original's structure protects."""
        distinct = np.array(self.distinct, np.float64)
        with np.errstate(over="ignore"):
            # A product that is too large for a float leaves a baseline of 1, as it should.
            baseline: Floats = 1 - 1 / distinct[self.combinations].prod(axis=1)
        return baseline

    @cached_property
    def overall(self) -> Floats:
        """The share of the baseline's protection that is kept; NaN where pruned."""
        main = 1 - self.collisions / np.maximum(self.unique, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            overall = np.where(self.baseline > 0, np.minimum(main / self.baseline, 1.0), main)
        return np.where(self.pruned, np.nan, overall)


def _risk_level(size: int, ratio: float | None) -> str:
    """Return ``high``, ``medium`` or ``low``: the first that holds.

    >>> _risk_level(2, 1.0), _risk_level(5, 0.29), _risk_level(5, 0.7), _risk_level(5, None)
    ('high', 'high', 'medium', 'low')
    """
    if size <= 2 or (ratio is not None and ratio < 0.3):
        return "high"
    if size <= 4 or (ratio is not None and ratio <= 0.7):
        return "medium"
    return "low"


def _nulls(values: Floats) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values.tolist()]
