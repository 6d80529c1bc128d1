"""What generalised labels lost: leaves that they may stand for, levels of a hierarchy, bits."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from petaudit.errors import counted, numbered, phrase
from petaudit.exact.fractions import share_kept
from petaudit.labels.cells import SUPPRESSED
from petaudit.labels.hierarchy import NULL_LABEL, Hierarchy
from petaudit.tables.results import PairCounts, ValueCounts
from petaudit.tables.table_counts import TableCounts


@dataclass(frozen=True)
class Leaves:
    """How many leaves of its hierarchy each label of a column may stand for."""

    numbers: Sequence[int]
    domain: int
    rows: int
    total: int
    """The sum over all rows."""
    warnings: tuple[str, ...]

    @property
    def kept(self) -> Fraction:
        """1 where every cell is a leaf, 0 where every cell may be any."""
        return share_kept(self.total, self.rows, self.rows * self.domain)

    @classmethod
    def under(cls, hierarchy: Hierarchy, values: ValueCounts, unknown: str = "error") -> Leaves:
        """Count the leaves whose path holds a label at any level.

        >>> import numpy as np
        >>> age = Hierarchy("age", [["49", "49-50", "50"], ["50", "49-50", "50"]])
        >>> Leaves.under(age, ValueCounts(("49", "50", "*"), np.array([1, 1, 1]))).numbers
        [1, 2, 2]
        """
        missing = [label for label in values.labels if not hierarchy.holds(label)]
        if missing and unknown == "error":
            raise hierarchy.unknown_labels(missing)
        under: Counter[str] = Counter()
        at_lowest_level: Counter[str] = Counter()
        for leaf in hierarchy.leaves:
            path = hierarchy.path_of(leaf)
            under.update(set(path))
            at_lowest_level.update(
                label for level, label in enumerate(path) if level == hierarchy.level_of(label)
            )
        domain, anything = len(hierarchy.leaves), {SUPPRESSED, *missing}
        numbers = [
            domain if label in anything else under[label or NULL_LABEL] for label in values.labels
        ]
        unclear = sum(
            label is not None and label != SUPPRESSED and under[label] != at_lowest_level[label]
            for label in values.labels
        )
        warnings: tuple[str, ...] = ()
        if unclear:
            warnings = (
                phrase(
                    "column {column!r}: {labels_occur}; each counts as all leaves that it may "
                    "stand for",
                    column=hierarchy.attribute,
                    labels_occur=_occur_twice(unclear),
                ),
            )
        total = sum(map(int.__mul__, numbers, values.counts.tolist()))
        return cls(numbers, domain, values.rows, total, warnings)


def ambiguous_level_warnings(
    counts: TableCounts, hierarchies: Mapping[str, Hierarchy]
) -> list[str]:
    """Say which columns hold labels that occur at several levels of their hierarchy."""
    warnings: list[str] = []
    for column, hierarchy in hierarchies.items():
        present = counts.value_counts(column).index
        ambiguous = sum(label in present for label in hierarchy.ambiguous_labels)
        if ambiguous:
            warnings.append(
                phrase(
                    "column {column!r}: {labels_occur}; each counts at its lowest level",
                    column=column,
                    labels_occur=_occur_twice(ambiguous),
                )
            )
    return warnings


def _occur_twice(labels: int) -> str:
    number = counted(labels, "label")
    if labels == 1:
        return phrase("{labels} occurs at more than one level of the hierarchy", labels=number)
    return phrase("{labels} occur at more than one level of the hierarchy", labels=number)


def mean_level(
    hierarchy: Hierarchy, values: ValueCounts, suppressed_rows: int, unknown: str
) -> Fraction:
    """Average the levels of the cells by the highest; a suppressed row and an unknown label are 1.

    >>> import numpy as np
    >>> place = Hierarchy("place", [["Peru", "America", "*"]])
    >>> mean_level(place, ValueCounts(("Peru", "America"), np.array([1, 1])), 0, "error")
    Fraction(1, 4)
    """
    missing = [label for label in values.labels if not hierarchy.holds(label)]
    if missing and unknown == "error":
        raise hierarchy.unknown_labels(missing)
    highest = max(hierarchy.levels - 1, 1)
    total = Fraction(0)
    for label, count in zip(values.labels, values.counts.tolist(), strict=True):
        level = highest if label in missing else hierarchy.level_of(label)
        in_full = suppressed_rows if label == SUPPRESSED else 0
        total += Fraction(level, highest) * (count - in_full) + in_full
    return total / values.rows


def off_path_warnings(pairs: PairCounts, hierarchy: Hierarchy) -> list[str]:
    """Say how many rows have a label that is not a generalisation of their value.

    Labels that the hierarchy does not have, and values that are not leaves, are errors.
    """
    unknown = {label for label in pairs.released if not hierarchy.holds(label)}
    if unknown:
        raise hierarchy.unknown_labels(sorted(unknown, key=str))
    no_leaves = {value for value in pairs.original if not hierarchy.is_leaf(value)}
    if no_leaves:
        raise hierarchy.unknown_leaves(sorted(no_leaves, key=str))
    number = sum(
        count
        for value, label, count in zip(
            pairs.original, pairs.released, pairs.counts.tolist(), strict=True
        )
        if label != SUPPRESSED and (label or NULL_LABEL) not in hierarchy.path_of(value)
    )
    if not number:
        return []
    fields = {"column": hierarchy.attribute, "rows": counted(number, "row")}
    return [
        numbered(
            number,
            phrase(
                "column {column!r}: {rows} holds a label that is not a generalisation of its "
                "original value; only its level is counted",
                **fields,
            ),
            phrase(
                "column {column!r}: {rows} hold a label that is not a generalisation of their "
                "original value; only its level is counted",
                **fields,
            ),
        )
    ]


def bits_lost(pairs: PairCounts, hierarchy: Hierarchy) -> float:
    """Add up the bits lost level by level: each step is compared with the one before."""
    levels = [hierarchy.level_of(label) for label in pairs.released]
    terms: list[float] = []
    before: int | None = None
    for level in sorted(set(levels)):
        rows: Counter[str | None] = Counter()
        for value, reached, count in zip(
            pairs.original, levels, pairs.counts.tolist(), strict=True
        ):
            if reached >= level:
                rows[value] += count
        earlier = {
            value: value if before is None else hierarchy.generalize(value, before)
            for value in rows
        }
        now = {value: hierarchy.generalize(value, level) for value in rows}
        earlier_size: Counter[str | None] = Counter()
        size: Counter[str | None] = Counter()
        for value, count in rows.items():
            earlier_size[earlier[value]] += count
            size[now[value]] += count
        terms.extend(
            count * (math.log2(size[now[value]]) - math.log2(earlier_size[earlier[value]]))
            for value, count in rows.items()
        )
        before = level
    return math.fsum(terms)


def most_bits(pairs: PairCounts) -> float:
    """Return the bits that are lost where all values become one."""
    rows: Counter[str | None] = Counter()
    for value, count in zip(pairs.original, pairs.counts.tolist(), strict=True):
        rows[value] += count
    total = rows.total()
    return math.fsum(count * (math.log2(total) - math.log2(count)) for count in rows.values())
