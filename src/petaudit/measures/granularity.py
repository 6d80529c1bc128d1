"""Granularity: how small a part of its domain a generalised cell still stands for."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from petaudit.exact.fractions import Number
from petaudit.inputs import Inputs, gather
from petaudit.measures._old import OldMeasure
from petaudit.measures._utility import (
    COLUMN_TABLES,
    ColumnsResult,
    LeafNumbers,
    check_unknown,
    share_kept,
    suppressed_text,
    unknown_option,
    utility_limit,
    warn_if_limit_is_out_of_range,
)
from petaudit.measures.base import Better, Family, Need, announce
from petaudit.pictures.column_shares import column_shares_of


@dataclass(frozen=True)
class GranularityResult(ColumnsResult):
    """Granularity of the table and of each column."""

    measure: ClassVar[str] = "granularity"
    better: ClassVar[Better] = Better.HIGHER

    suppressed_rows: int

    @property
    def explanation(self) -> tuple[str, ...]:
        """The figure per column, lowest first."""
        return (*super().explanation, *suppressed_text(self.suppressed_rows))


def granularity(
    table: object, *, limit: Number | None = None, unknown: str = "error", **given: Any
) -> GranularityResult:
    """Measure how fine-grained generalised cells still are (the loss of Iyengar 2002).

    >>> import pyarrow as pa
    >>> places = {"Germany": ["Europe", "*"], "France": ["Europe", "*"], "Peru": ["America", "*"]}
    >>> table = pa.table({"place": ["Europe", "Peru"]})
    >>> granularity(table, hierarchies={"place": places}).value  # 1 - (1/2 - 1/3) / (1 - 1/3)
    0.75
    """
    result = compute(gather(table, **given), limit=limit, unknown=unknown)
    announce(result)
    return result


def compute(
    inputs: Inputs, limit: Number | None = None, unknown: str = "error"
) -> GranularityResult:
    """Measure granularity from opened inputs.

    Cells of suppressed rows are all ``*``, and this stands for the whole domain anyway.
    """
    bound = utility_limit(limit, "granularity")
    check_unknown(unknown)
    warnings = warn_if_limit_is_out_of_range(bound, "granularity")
    names = inputs.generalized_columns
    columns: dict[str, float] = {}
    shares, least = Fraction(0), Fraction(0)
    for name in names:
        numbers = LeafNumbers(inputs.hierarchy(name))
        values = inputs.table.counts.value_counts(name)
        leaves = numbers.of(values.labels, unknown)
        warnings += numbers.warnings(values.labels)
        total = sum(map(int.__mul__, leaves, values.counts.tolist()))
        share, smallest = Fraction(total, values.rows * numbers.domain), Fraction(1, numbers.domain)
        columns[name] = float(share_kept(share, smallest, 1))
        shares += share
        least += smallest
    return GranularityResult.of(
        share_kept(shares, least, len(names)),
        bound,
        warnings,
        columns=columns,
        suppressed_rows=inputs.table.counts.suppressed_rows(names),
    )


MEASURE = OldMeasure(
    name="granularity",
    title="Granularity",
    family=Family.UTILITY,
    question="How small a part of its domain does a cell still stand for?",
    better=Better.HIGHER,
    range=(0.0, 1.0),
    needs=(Need.HIERARCHIES,),
    formula=(
        "1 - (r - m) / (1 - m), r = mean over columns of the mean share of the domain under the "
        "label (1 where suppressed), m = mean over columns of 1 / domain size"
    ),
    reference=(
        "V. S. Iyengar: Transforming Data to Satisfy Privacy Constraints. ACM KDD 2002, "
        "doi 10.1145/775047.775089; normalised as in ARX"
    ),
    compute=compute,
    limit_help="granularity must be at least this",
    options=(
        unknown_option("labels in no hierarchy: error, or maximal (as if it were any value)"),
    ),
    granularities=COLUMN_TABLES,
    pictures=column_shares_of,
    meaning=(
        "How small a part of all possible values a cell still stands for. With 1, every cell is "
        "an original value; with 0, every cell may be anything."
    ),
    does_not_say=(
        "It depends on the hierarchies: many values in them that never occur in the data make "
        "coarse labels look precise. Compare only tables with the same hierarchies."
    ),
)
