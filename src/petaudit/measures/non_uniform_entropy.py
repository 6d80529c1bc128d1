"""Non-Uniform Entropy: how much information is left after generalisation."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

from petaudit.errors import Phrase, counted, numbered, phrase
from petaudit.inputs import Inputs
from petaudit.labels.cells import SUPPRESSED
from petaudit.labels.hierarchies import NULL_LABEL, Hierarchy
from petaudit.measures.base import Need, Result
from petaudit.measures.utility import ROUNDING, ColumnsMeasure
from petaudit.pictures.column_shares import column_shares_of
from petaudit.tables import PairCounts
from petaudit.tables.headers import check_column
from petaudit.tables.leaves import ambiguous_level_warnings


class NonUniformEntropy(ColumnsMeasure):
    """How much of the information is left after generalisation?

    How much of the information in the original cells is left, in bits: 1 means that nothing was
    lost, 0 that every cell became the most general label. Rare values count for more than common
    ones.

    Does not say: It does not say whether what matters to you is left: one column with many
    different values can keep the figure high while another is wiped out. It says nothing about
    privacy.

    Formula: 1 - bits lost by generalising each cell / bits that can be lost at most

    Reference: A. Gionis, T. Tassa: k-Anonymization with Minimal Loss of Information. IEEE TKDE
    21(2), 2009, doi 10.1109/TKDE.2008.129

    >>> import pyarrow as pa
    >>> years = ["1970", "1981", "1983", "1988"]
    >>> decades = {year: [year[:3] + "*", "*"] for year in years}
    >>> released = pa.table({"born": ["197*", "198*", "198*", "198*"]})
    >>> original = pa.table({"born": years})
    >>> result = non_uniform_entropy(original, released, hierarchies={"born": decades})
    >>> round(result.value, 4)
    0.4056
    """

    name = "non-uniform-entropy"
    title = "Non-Uniform Entropy"
    rank = 250
    needs = (Need.HIERARCHIES, Need.ORIGINAL)
    limit_help = "Non-Uniform Entropy must be at least this"
    positional = ("original", "table")
    pictures = staticmethod(column_shares_of)

    def compute(self, inputs: Inputs, limit: Fraction | None) -> Result:
        """Add up the bits that each column lost."""
        hierarchies = {name: inputs.hierarchy(name) for name in inputs.generalized_columns}
        loss: dict[str, float] = {}
        most: dict[str, float] = {}
        warnings: list[str] = []
        for column, hierarchy in hierarchies.items():
            if inputs.original is not None:
                check_column(column, inputs.original.columns, inputs.original.name)
            pairs = inputs.pair_counts(column)
            _check_labels(pairs, hierarchy)
            loss[column], most[column] = _bits_lost(pairs, hierarchy), _most_bits(pairs)
            if rows := _rows_off_their_path(pairs, hierarchy):
                warnings.append(_off_their_path(column, rows))
        value = _share_left(math.fsum(loss.values()), math.fsum(most.values()))
        return self.result(
            Fraction(value),
            limit,
            tolerance=ROUNDING,
            warnings=[*warnings, *ambiguous_level_warnings(inputs.table.counts, hierarchies)],
            breakdown={"columns": {name: _share_left(loss[name], most[name]) for name in loss}},
        )


non_uniform_entropy = NonUniformEntropy.as_function()


def _share_left(loss: float, most: float) -> float:
    # Adding zero keeps a loss of nothing from becoming -0.0.
    return 1.0 if most == 0 else 1 - loss / most + 0.0


def _bits_lost(pairs: PairCounts, hierarchy: Hierarchy) -> float:
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


def _most_bits(pairs: PairCounts) -> float:
    """Return the bits that are lost where all values become one."""
    rows: Counter[str | None] = Counter()
    for value, count in zip(pairs.original, pairs.counts.tolist(), strict=True):
        rows[value] += count
    total = rows.total()
    return math.fsum(count * (math.log2(total) - math.log2(count)) for count in rows.values())


def _check_labels(pairs: PairCounts, hierarchy: Hierarchy) -> None:
    unknown = {label for label in pairs.released if not hierarchy.holds(label)}
    if unknown:
        raise hierarchy.unknown_labels(sorted(unknown, key=str))
    no_leaves = {value for value in pairs.original if not hierarchy.is_leaf(value)}
    if no_leaves:
        raise hierarchy.unknown_leaves(sorted(no_leaves, key=str))


def _rows_off_their_path(pairs: PairCounts, hierarchy: Hierarchy) -> int:
    """Count the rows whose label is no generalisation of their value."""
    return sum(
        count
        for value, label, count in zip(
            pairs.original, pairs.released, pairs.counts.tolist(), strict=True
        )
        if label != SUPPRESSED and (label or NULL_LABEL) not in hierarchy.path_of(value)
    )


def _off_their_path(column: str, number: int) -> Phrase:
    rows = counted(number, "row")
    return numbered(
        number,
        phrase(
            "column {column!r}: {rows} holds a label that is not a generalisation of its original "
            "value; only its level is counted",
            column=column,
            rows=rows,
        ),
        phrase(
            "column {column!r}: {rows} hold a label that is not a generalisation of their original "
            "value; only its level is counted",
            column=column,
            rows=rows,
        ),
    )
