"""How many leaves of a hierarchy the labels of a column may stand for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from petaudit.errors import counted, phrase
from petaudit.exact.fractions import share_kept
from petaudit.labels.cells import SUPPRESSED
from petaudit.labels.hierarchies import NULL_LABEL, Hierarchy
from petaudit.tables.results import ValueCounts
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
