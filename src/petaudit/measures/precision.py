"""Precision: how little the cells of a table were generalised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from petaudit.counts.made_frames import MadeColumn
from petaudit.errors import OptionError, counted, suggestion
from petaudit.exact import Number
from petaudit.hierarchies import Hierarchy
from petaudit.inputs import Inputs, gather
from petaudit.kinds import Choice
from petaudit.labels import SUPPRESSED
from petaudit.measures._tables import COLUMNWISE, figures_by_attribute, no_such_table
from petaudit.measures._utility import (
    ambiguous_level_warnings,
    column_explanation,
    utility_limit,
    warn_if_limit_is_out_of_range,
)
from petaudit.measures.base import GLOBAL, Better, Family, Measure, Need, Option, Result, announce

_TABLES = (GLOBAL, COLUMNWISE)
_UNKNOWN = ("error", "maximal")


@dataclass(frozen=True)
class PrecisionResult(Result):
    """Precision of the table and of each column."""

    measure: ClassVar[str] = "precision"
    better: ClassVar[Better] = Better.HIGHER

    columns: Mapping[str, float]
    suppressed_rows: int

    @property
    def explanation(self) -> tuple[str, ...]:
        """The figure per column, lowest first."""
        are = "is" if self.suppressed_rows == 1 else "are"
        suppressed = (f"{counted(self.suppressed_rows, 'row')} {are} suppressed",)
        return column_explanation(self.columns) + (suppressed if self.suppressed_rows else ())

    def table(self, granularity: str, *, with_values: bool = False) -> dict[str, MadeColumn]:
        """``columnwise`` has the figure of each column."""
        if granularity == COLUMNWISE:
            return figures_by_attribute(self.columns)
        if granularity == GLOBAL:
            return super().table(granularity)
        raise no_such_table(self.measure, granularity, _TABLES)


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
    if unknown not in _UNKNOWN:
        raise OptionError(
            f"unknown is {unknown!r}{suggestion(str(unknown), _UNKNOWN)}; it is "
            "'error' or 'maximal'"
        )
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
    return PrecisionResult(
        value=float(value),
        limit=None if bound is None else float(bound),
        passed=None if bound is None else value >= bound,
        warnings=tuple(warnings),
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


MEASURE = Measure(
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
    compute=compute,
    limit_help="Precision must be at least this",
    options=(
        Option(
            "unknown",
            "labels in no hierarchy: error, or maximal (such a cell costs 1)",
            kind=Choice(_UNKNOWN),
        ),
    ),
    granularities=_TABLES,
)
