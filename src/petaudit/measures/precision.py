"""Precision: how little the cells of a table were generalised."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from petaudit.exact.fractions import Number
from petaudit.inputs import Inputs, gather
from petaudit.labels.cells import SUPPRESSED
from petaudit.labels.hierarchies import Hierarchy
from petaudit.measures._old import OldMeasure
from petaudit.measures._utility import (
    COLUMN_TABLES,
    ColumnsResult,
    ambiguous_level_warnings,
    check_unknown,
    suppressed_text,
    unknown_option,
    utility_limit,
    warn_if_limit_is_out_of_range,
)
from petaudit.measures.base import Better, Family, Need, announce
from petaudit.pictures.column_shares import column_shares_of


@dataclass(frozen=True)
class PrecisionResult(ColumnsResult):
    """Precision of the table and of each column."""

    measure: ClassVar[str] = "precision"
    better: ClassVar[Better] = Better.HIGHER

    suppressed_rows: int

    @property
    def explanation(self) -> tuple[str, ...]:
        """The figure per column, lowest first."""
        return (*super().explanation, *suppressed_text(self.suppressed_rows))


def precision(
    table: object, *, limit: Number | None = None, unknown: str = "error", **given: Any
) -> PrecisionResult:
    """Measure the Precision of a generalised table (Sweeney 2002).

    >>> import pyarrow as pa
    >>> table = pa.table({"place": ["Europe"] * 4, "born": ["197*", "197*", "198*", "198*"]})
    >>> place = {"Germany": ["Europe", "*"], "France": ["Europe", "*"]}
    >>> born = {"1970": ["197*", "19**", "*"], "1983": ["198*", "19**", "*"]}
    >>> precision(table, hierarchies={"place": place, "born": born}).value
    0.5833333333333334
    """
    result = compute(gather(table, **given), limit=limit, unknown=unknown)
    announce(result)
    return result


def compute(inputs: Inputs, limit: Number | None = None, unknown: str = "error") -> PrecisionResult:
    """Measure Precision from opened inputs."""
    bound = utility_limit(limit, "precision")
    check_unknown(unknown)
    columns = inputs.generalized_columns
    hierarchies = {column: inputs.hierarchy(column) for column in columns}
    suppressed_rows = inputs.table.counts.suppressed_rows(columns)
    distortion = {
        column: _distortion(inputs, column, hierarchies[column], suppressed_rows, unknown)
        for column in columns
    }
    value = 1 - sum(distortion.values(), start=Fraction(0)) / len(columns)
    warnings = warn_if_limit_is_out_of_range(bound, "precision")
    warnings += ambiguous_level_warnings(inputs, hierarchies)
    return PrecisionResult.of(
        value,
        bound,
        warnings,
        columns={column: float(1 - distortion[column]) for column in columns},
        suppressed_rows=suppressed_rows,
    )


def _distortion(
    inputs: Inputs, column: str, hierarchy: Hierarchy, suppressed_rows: int, unknown: str
) -> Fraction:
    """Average cost of the cells: level over highest level; 1 where the row is suppressed."""
    counts = inputs.table.counts.value_counts(column)
    missing = [label for label in counts.labels if not hierarchy.holds(label)]
    if missing and unknown == "error":
        raise hierarchy.unknown_labels(missing)
    highest = max(hierarchy.levels - 1, 1)
    total = Fraction(0)
    for label, count in zip(counts.labels, counts.counts.tolist(), strict=True):
        if label in missing:
            total += count
        elif label == SUPPRESSED:
            cost = Fraction(hierarchy.level_of(label), highest)
            total += cost * (count - suppressed_rows) + suppressed_rows
        else:
            total += Fraction(hierarchy.level_of(label), highest) * count
    return total / counts.rows


MEASURE = OldMeasure(
    name="precision",
    title="Precision",
    family=Family.UTILITY,
    question="How precise are the generalised cells still?",
    better=Better.HIGHER,
    range=(0.0, 1.0),
    needs=(Need.HIERARCHIES,),
    formula="1 - mean over columns of the mean over cells of level / highest level",
    reference=(
        "L. Sweeney: Achieving k-Anonymity Privacy Protection Using Generalization and "
        "Suppression. IJUFKS 10(5), 2002, doi 10.1142/S021848850200165X"
    ),
    meaning=(
        "How little the cells were generalised: 1 means not at all, 0 means that every cell "
        "became the most general label. Each step of a hierarchy costs the same."
    ),
    does_not_say=(
        "It counts steps, not values, so a hierarchy with more steps gives a better figure for "
        "the same data: compare tables with the same hierarchies only. It says nothing about "
        "privacy."
    ),
    compute=compute,
    limit_help="Precision must be at least this",
    options=(unknown_option("labels in no hierarchy: error, or maximal (such a cell costs 1)"),),
    granularities=COLUMN_TABLES,
    pictures=column_shares_of,
)
