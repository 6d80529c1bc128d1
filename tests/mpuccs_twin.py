"""A slow twin of mpuccs, written straight from the definitions: loops, Counter and fractions.

Nothing here may share a short cut with petaudit: every combination counts every row again.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Any

from singling.cells_twin import Cell, Columns, Line, Prepared, distinct, prepare

Row = dict[str, Any]

# Gains are differences of logarithms: this close to the threshold, they are not below it.
TIE = 1e-12


@dataclass(frozen=True)
class Answer:
    """The three tables as rows, each with its columns in order, and what else is reported."""

    global_: list[Row]
    details: list[Row]
    tree: list[Row]
    complete: bool
    prepared: Prepared


# --- figures of one combination -------------------------------------------------------------


def values_on(line: Line, places: Sequence[int]) -> Line:
    """Return the cells of a row in some columns."""
    return tuple(line[place] for place in places)


def counted(table: Sequence[Line], places: Sequence[int]) -> Counter[Line]:
    """Count how many rows of the table have the same values in these columns."""
    return Counter(values_on(line, places) for line in table)


def renyi_bits(counts: Sequence[int], alpha: float) -> float:
    """Return the Renyi entropy of these group sizes, in bits."""
    shares = [Fraction(count, sum(counts)) for count in counts]
    if alpha == 0:
        return math.log2(len(shares))
    if alpha == 1:
        return math.fsum(-float(share) * math.log2(share) for share in shares)
    if math.isinf(alpha):
        return -math.log2(max(shares))
    return math.log2(math.fsum(float(share) ** alpha for share in shares)) / (1 - alpha)


def entropy(table: Sequence[Line], places: Sequence[int], alpha: float) -> float:
    """Return the entropy of the groups from 0 (one group) to 1 (every row its own)."""
    if len(table) <= 1 or not places:
        return 0.0
    return renyi_bits(list(counted(table, places).values()), alpha) / math.log2(len(table))


def entropy_gain(table: Sequence[Line], places: Sequence[int], alpha: float) -> float:
    """Return by how much the last column raises the entropy."""
    return entropy(table, places, alpha) - entropy(table, places[:-1], alpha)


def baseline(original: Sequence[Line], places: Sequence[int]) -> Fraction:
    """Return the protection that a random choice of values would give."""
    return 1 - Fraction(1, math.prod(distinct(original, place) for place in places))


def against_baseline(protection: Fraction, base: Fraction) -> Fraction:
    """Return the protection in relation to that of random values, at most 1."""
    return protection if base == 0 else min(protection / base, Fraction(1))


def risk_level(size: int, ratio: Fraction | None) -> str:
    """Return the first level that holds; without a ratio, only the size counts."""
    if size <= 2 or (ratio is not None and ratio < Fraction(3, 10)):
        return "high"
    if size <= 4 or (ratio is not None and ratio <= Fraction(7, 10)):
        return "medium"
    return "low"


def sizes_asked(
    columns: int, max_baseline_cols: int | None, n_cols: int | Sequence[int] | None
) -> list[int]:
    """Return the sizes to evaluate that the table has combinations of."""
    if isinstance(n_cols, Sequence):
        return [size for size in range(1, columns + 1) if size in n_cols]
    most = max_baseline_cols if n_cols is None else n_cols
    return list(range(1, columns + 1 if most is None else min(most, columns) + 1))


# --- the search -----------------------------------------------------------------------------


def evaluate(
    original: Columns,
    synthetic: Columns,
    *,
    max_baseline_cols: int | None = None,
    n_cols: int | Sequence[int] | None = None,
    min_entropy_delta: float = 0.0,
    field_decay_factor: float = 0.5,
    renyi_alpha: float = 2.0,
    numeric_precision: int | None = None,
    datetime_precision: str | None = None,
    calculate_baseline: bool = True,
    deduplicate: bool = True,
) -> Answer:
    """Return everything that petaudit.mpuccs says about these tables without a control."""
    data = prepare(
        original,
        synthetic,
        numeric_precision=numeric_precision,
        datetime_precision=datetime_precision,
        deduplicate=deduplicate,
    )
    if not data.original or not data.synthetic:
        return Answer([], [], [], True, data)
    technical = (min_entropy_delta, field_decay_factor, renyi_alpha) != (0.0, 0.5, 2.0)
    identified: set[int] = set()
    details: list[Row] = []
    tree: list[Row] = []
    combos = [
        combo
        for size in sizes_asked(len(data.columns), max_baseline_cols, n_cols)
        for combo in combinations(range(len(data.columns)), size)
    ]

    def below(combo: Sequence[int]) -> bool:
        return min_entropy_delta > 0 and (
            entropy_gain(data.synthetic, combo, renyi_alpha) < min_entropy_delta - TIE
        )

    for order, combo in enumerate(combos, start=1):
        size = len(combo)
        under_pruned = any(below(combo[:shorter]) for shorter in range(1, size))
        pruned = under_pruned or below(combo)
        in_synthetic = counted(data.synthetic, combo)
        in_original = counted(data.original, combo)
        found = [
            index
            for index, line in enumerate(data.synthetic)
            if not pruned
            and index not in identified
            and in_synthetic[values_on(line, combo)] == 1
            and in_original[values_on(line, combo)] == 1
        ]
        identified.update(found)
        unique = 0 if pruned else sum(count == 1 for count in in_synthetic.values())
        names = tuple(data.columns[place] for place in combo)
        base = baseline(data.original, combo)
        main = 1 - Fraction(len(found), unique) if unique else Fraction(1)
        ratio = against_baseline(main, base) if unique else Fraction(1)

        row: Row = {"check_order": order, "field_combo": names, "combo_size": size}
        row |= {"is_pruned": pruned, "mpuccs_cnt": unique, "mpuccs_collision_cnt": len(found)}
        if calculate_baseline:
            row["baseline_protection"] = float(base)
        gain = entropy_gain(data.synthetic, combo, renyi_alpha)
        row["entropy_gain"] = None if under_pruned else gain
        if calculate_baseline:
            row["overall_protection"] = None if pruned else float(ratio)
        if technical:
            weight = float(field_decay_factor) ** (size - 1)
            row["entropy"] = None if under_pruned else entropy(data.synthetic, combo, renyi_alpha)
            row["field_weight"] = weight
            row["weighted_collision"] = len(found) * weight
        tree.append(row)

        for index in found:
            values = values_on(data.synthetic[index], combo)
            match = [values_on(line, combo) for line in data.original].index(values)
            detail: Row = {"risk_level": risk_level(size, ratio if calculate_baseline else None)}
            detail |= {"syn_idx": index, "ori_idx": match, "combo_size": size}
            detail |= {"field_combo": names, "value_combo": values}
            if calculate_baseline:
                detail["baseline_protection"] = float(base)
            detail["syn_row"] = data.synthetic_rows[index]
            detail["ori_row"] = data.original_rows[match]
            details.append(detail)

    rate = Fraction(len(details), len(data.synthetic))
    whole = baseline(data.original, range(len(data.columns)))
    overall = against_baseline(1 - rate, whole)
    figures: Row = {}
    if calculate_baseline:
        figures = {"privacy_risk_score": float(1 - overall), "overall_protection": float(overall)}
        figures |= {"main_protection": float(1 - rate), "baseline_protection": float(whole)}
    figures["identification_rate"] = float(rate)
    if not calculate_baseline:
        figures["main_protection"] = float(1 - rate)
    figures |= {"total_identified": len(details), "total_syn_records": len(data.synthetic)}
    complete = not any(row["is_pruned"] for row in tree)
    return Answer([figures], details, tree, complete, data)


# --- what if --------------------------------------------------------------------------------


def identified_rows(data: Prepared, most: int) -> set[int]:
    """Return the synthetic rows that some combination of up to so many columns identifies."""
    found = set()
    for size in range(1, min(most, len(data.columns)) + 1):
        for combo in combinations(range(len(data.columns)), size):
            in_original = counted(data.original, combo)
            in_synthetic = counted(data.synthetic, combo)
            for index, line in enumerate(data.synthetic):
                values = values_on(line, combo)
                if in_original[values] == in_synthetic[values] == 1:
                    found.add(index)
    return found


def left_out(data: Prepared, column: str) -> Prepared:
    """Return the tables without a column; rows that are now alike all stay."""
    places = [place for place, name in enumerate(data.columns) if name != column]
    return replace(
        data,
        columns=tuple(data.columns[place] for place in places),
        original=[values_on(line, places) for line in data.original],
        synthetic=[values_on(line, places) for line in data.synthetic],
    )


def coarsened(data: Prepared, column: str, coarser: Mapping[Cell, Cell]) -> Prepared:
    """Return the tables with every value of a column replaced; rows that are now alike all stay."""
    place = data.columns.index(column)

    def changed(table: Sequence[Line]) -> list[Line]:
        return [(*line[:place], coarser[line[place]], *line[place + 1 :]) for line in table]

    return replace(data, original=changed(data.original), synthetic=changed(data.synthetic))
