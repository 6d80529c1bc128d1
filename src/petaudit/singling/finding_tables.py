"""What a search found, laid out as the tables that people know from the seed of the method."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from petaudit.tables.result_frames import Kind, ResultColumn

if TYPE_CHECKING:
    from petaudit.singling.findings import Findings, Floats
    from petaudit.singling.size_findings import SizeFindings

CONTROL_FIGURES: Final = (
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


def global_columns(found: Findings) -> dict[str, ResultColumn]:
    """One row of figures; none if a table is empty."""
    figures = {} if found.is_empty else found.figures()
    names = _GLOBAL if found.options.calculate_baseline else _GLOBAL_WITHOUT_BASELINE
    if found.has_control:
        names = (*names, *CONTROL_FIGURES)
    return {
        name: ResultColumn(
            "integer" if name.startswith("total_") else "number", [figures[name]] if figures else []
        )
        for name in names
    }


def details_columns(found: Findings, *, with_values: bool = True) -> dict[str, ResultColumn]:
    """A row per identified synthetic row, in the order in which they were found."""
    columns: dict[str, list[object]] = {name: [] for name in no_details(found)}
    for block in details_blocks(found, with_values=with_values):
        for name, own in block.items():
            columns[name] += own.values
    return {name: ResultColumn(_DETAILS[name], values) for name, values in columns.items()}


def no_details(found: Findings) -> dict[str, ResultColumn]:
    """The same without a row."""
    return {name: ResultColumn(_DETAILS[name], []) for name in _details_of(found)}


def details_blocks(
    found: Findings, *, with_values: bool = True
) -> Iterator[dict[str, ResultColumn]]:
    """The same, some rows at a time: there may be more of them than memory holds."""
    for own in found.shown():
        combinations = found.combinations_of(own)
        baseline = found.baseline_of(combinations)
        levels = _risk_levels(found, own, baseline)
        for some in found.prepared.listed(own):
            numbers = some.combinations.tolist()
            by_number = {number: combinations[number].tolist() for number in set(numbers)}
            names = {number: found.names_of(places) for number, places in by_number.items()}
            values: Iterable[object] = itertools.repeat(None, len(numbers))
            if with_values:
                values = found.prepared.value_combos(some, [by_number[own] for own in numbers])
            columns: dict[str, list[object]] = {
                "risk_level": [levels[number] for number in numbers],
                "syn_idx": some.rows.tolist(),
                "ori_idx": some.targets.tolist(),
                "combo_size": [own.size] * len(numbers),
                "field_combo": [names[number] for number in numbers],
                "value_combo": list(values),
                "baseline_protection": baseline[some.combinations].tolist(),
                "syn_row": some.given_rows.tolist(),
                "ori_row": some.given_targets.tolist(),
            }
            yield {name: ResultColumn(_DETAILS[name], columns[name]) for name in _details_of(found)}


def _details_of(found: Findings) -> list[str]:
    has_baseline = found.options.calculate_baseline
    return [name for name in _DETAILS if has_baseline or name != "baseline_protection"]


def tree_columns(found: Findings) -> dict[str, ResultColumn]:
    """A row per combination, in the order in which they were looked at."""
    columns: dict[str, list[object]] = {name: [] for name in _TREE}
    for own in found.shown():
        combinations = found.combinations_of(own)
        baseline = found.baseline_of(combinations)
        pruned, unique, collisions = found.counts_of(own)
        weight = _weight(found, own.size)
        names = itertools.combinations(found.prepared.columns, own.size)
        columns["field_combo"] += itertools.islice(names, len(combinations))
        columns["combo_size"] += [own.size] * len(combinations)
        columns["is_pruned"] += pruned.tolist()
        columns["mpuccs_cnt"] += unique.tolist()
        columns["mpuccs_collision_cnt"] += collisions.tolist()
        columns["baseline_protection"] += baseline.tolist()
        columns["overall_protection"] += _nulls(found.overall_of(own, baseline))
        columns["entropy_gain"] += _nulls(own.gain)
        if found.options.has_technical_columns:
            columns["entropy"] += _nulls(own.entropy)
            columns["field_weight"] += [weight] * len(combinations)
            columns["weighted_collision"] += [
                weight * many if many else 0.0 for many in collisions.tolist()
            ]
    columns["check_order"] = list(range(1, len(columns["combo_size"]) + 1))
    left_out = () if found.options.calculate_baseline else _TREE_BASELINE
    if not found.options.has_technical_columns:
        left_out = (*left_out, *_TREE_TECHNICAL)
    return {
        name: ResultColumn(_TREE[name], values)
        for name, values in columns.items()
        if name not in left_out
    }


def _weight(found: Findings, size: int) -> float:
    try:
        return found.options.field_decay_factor ** (size - 1)
    except OverflowError:
        return math.inf


def _risk_levels(found: Findings, own: SizeFindings, baseline: Floats) -> list[str]:
    if not found.options.calculate_baseline:
        return [_risk_level(own.size, None)] * len(own.repeated)
    return [_risk_level(own.size, ratio) for ratio in found.overall_of(own, baseline).tolist()]


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
