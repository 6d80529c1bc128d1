"""Non-Uniform Entropy: how much information is left after generalisation."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from petaudit.errors import Phrase, counted, numbered, phrase
from petaudit.exact.fractions import Number
from petaudit.inputs import Inputs, gather
from petaudit.labels.cells import SUPPRESSED
from petaudit.labels.hierarchies import NULL_LABEL, Hierarchy
from petaudit.measures._old import OldMeasure
from petaudit.measures._utility import (
    COLUMN_TABLES,
    ROUNDING,
    ColumnsResult,
    ambiguous_level_warnings,
    utility_limit,
    warn_if_limit_is_out_of_range,
)
from petaudit.measures.base import Better, Family, Need, announce
from petaudit.pictures.column_shares import column_shares_of
from petaudit.tables import PairCounts
from petaudit.tables.headers import check_column


@dataclass(frozen=True)
class NonUniformEntropyResult(ColumnsResult):
    """Share of the information that is left, in the table and in each column."""

    measure: ClassVar[str] = "non-uniform-entropy"
    better: ClassVar[Better] = Better.HIGHER


def non_uniform_entropy(
    original: object, table: object, *, limit: Number | None = None, **given: Any
) -> NonUniformEntropyResult:
    """Measure the Non-Uniform Entropy of a generalised table (Gionis and Tassa 2009).

    >>> import pyarrow as pa
    >>> years = ["1970", "1981", "1983", "1988"]
    >>> decades = {year: [year[:3] + "*", "*"] for year in years}
    >>> released = pa.table({"born": ["197*", "198*", "198*", "198*"]})
    >>> original = pa.table({"born": years})
    >>> found = non_uniform_entropy(original, released, hierarchies={"born": decades})
    >>> round(found.value, 4)
    0.4056
    """
    result = compute(gather(table, original=original, **given), limit=limit)
    announce(result)
    return result


def compute(inputs: Inputs, limit: Number | None = None) -> NonUniformEntropyResult:
    """Measure Non-Uniform Entropy from opened inputs."""
    bound = utility_limit(limit, "non-uniform-entropy")
    columns = inputs.generalized_columns
    warnings = warn_if_limit_is_out_of_range(bound, "non-uniform-entropy")
    hierarchies = {column: inputs.hierarchy(column) for column in columns}
    loss: dict[str, float] = {}
    most: dict[str, float] = {}
    for column in columns:
        if inputs.original is not None:
            check_column(column, inputs.original.columns, inputs.original.name)
        pairs = inputs.pair_counts(column)
        hierarchy = hierarchies[column]
        _check_labels(pairs, hierarchy)
        loss[column] = _loss(pairs, hierarchy)
        most[column] = _most_that_can_be_lost(pairs)
        strangers = _rows_off_their_path(pairs, hierarchy)
        if strangers:
            warnings.append(_strange(column, strangers))
    value = _share_left(math.fsum(loss.values()), math.fsum(most.values()))
    warnings += ambiguous_level_warnings(inputs, hierarchies)
    return NonUniformEntropyResult.of(
        Fraction(value),
        bound,
        warnings,
        rounding=ROUNDING,
        columns={column: _share_left(loss[column], most[column]) for column in columns},
    )


def _strange(column: str, strangers: int) -> Phrase:
    rows = counted(strangers, "row")
    return numbered(
        strangers,
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


def _share_left(loss: float, most: float) -> float:
    # Adding zero keeps a loss of nothing from becoming -0.0.
    return 1.0 if most == 0 else 1 - loss / most + 0.0


def _loss(pairs: PairCounts, hierarchy: Hierarchy) -> float:
    """Bits lost, level by level: each step is compared with the one before, on its own rows."""
    levels = [hierarchy.level_of(label) for label in pairs.released]
    terms: list[float] = []
    before: int | None = None
    for level in sorted(set(levels)):
        rows: Counter[str | None] = Counter()
        for value, own_level, count in zip(
            pairs.original, levels, pairs.counts.tolist(), strict=True
        ):
            if own_level >= level:
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


def _most_that_can_be_lost(pairs: PairCounts) -> float:
    rows: Counter[str | None] = Counter()
    for value, count in zip(pairs.original, pairs.counts.tolist(), strict=True):
        rows[value] += count
    total = rows.total()
    return math.fsum(count * (math.log2(total) - math.log2(count)) for count in rows.values())


def _check_labels(pairs: PairCounts, hierarchy: Hierarchy) -> None:
    unknown = sorted({label for label in pairs.released if not hierarchy.holds(label)}, key=str)
    if unknown:
        raise hierarchy.unknown_labels(unknown)
    strange = sorted({value for value in pairs.original if not hierarchy.is_leaf(value)}, key=str)
    if strange:
        raise hierarchy.unknown_leaves(strange)


def _rows_off_their_path(pairs: PairCounts, hierarchy: Hierarchy) -> int:
    return sum(
        count
        for value, label, count in zip(
            pairs.original, pairs.released, pairs.counts.tolist(), strict=True
        )
        if label != SUPPRESSED and (label or NULL_LABEL) not in hierarchy.path_of(value)
    )


MEASURE = OldMeasure(
    name="non-uniform-entropy",
    title="Non-Uniform Entropy",
    family=Family.UTILITY,
    question="How much of the information is left after generalisation?",
    better=Better.HIGHER,
    range=(0.0, 1.0),
    needs=(Need.HIERARCHIES, Need.ORIGINAL),
    formula="1 - bits lost by generalising each cell / bits that can be lost at most",
    reference=(
        "A. Gionis, T. Tassa: k-Anonymization with Minimal Loss of Information. IEEE TKDE 21(2), "
        "2009, doi 10.1109/TKDE.2008.129"
    ),
    meaning=(
        "How much of the information in the original cells is left, in bits: 1 means that "
        "nothing was lost, 0 that every cell became the most general label. Rare values count "
        "for more than common ones."
    ),
    does_not_say=(
        "It does not say whether what matters to you is left: one column with many different "
        "values can keep the figure high while another is wiped out. It says nothing about "
        "privacy."
    ),
    compute=compute,
    limit_help="Non-Uniform Entropy must be at least this",
    granularities=COLUMN_TABLES,
    pictures=column_shares_of,
)
