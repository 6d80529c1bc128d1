"""Ambiguity: how many original rows a released row may stand for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from petaudit.errors import phrase
from petaudit.exact.class_figures import Integers
from petaudit.exact.fractions import Number
from petaudit.inputs import Inputs, gather
from petaudit.measures._old import OldMeasure
from petaudit.measures._utility import (
    COLUMN_TABLES,
    ColumnsResult,
    LeafNumbers,
    check_unknown,
    share_kept,
    unknown_option,
    utility_limit,
    warn_if_limit_is_out_of_range,
)
from petaudit.measures.base import Better, Family, Need, announce
from petaudit.pictures.column_shares import column_shares_of
from petaudit.tables.sums import sum_of_products


@dataclass(frozen=True)
class AmbiguityResult(ColumnsResult):
    """How unambiguous the rows are; each column is also judged alone."""

    measure: ClassVar[str] = "ambiguity"
    better: ClassVar[Better] = Better.HIGHER

    mean_combinations: float
    """How many combinations of leaves a row may stand for, on average."""
    possible_combinations: float

    @property
    def explanation(self) -> tuple[str, ...]:
        """What a row may stand for, and the figure per column, lowest first."""
        stands = phrase(
            "on average a row may stand for {mean} of {possible} combinations of values",
            mean=_plainly(self.mean_combinations),
            possible=_plainly(self.possible_combinations),
        )
        return (stands, *super().explanation)


def _plainly(number: float) -> str:
    """A number of combinations, which may be large, without an exponent where people can read it.

    >>> _plainly(1.5), _plainly(6193850.4), _plainly(1e30)
    ('1.5', '6,193,850', '1e+30')
    """
    return f"{number:,.0f}" if 1e4 <= number < 1e15 else f"{number:.6g}"


def ambiguity(
    table: object, *, limit: Number | None = None, unknown: str = "error", **given: Any
) -> AmbiguityResult:
    """Measure how unambiguous generalised rows still are (Goldberger and Tassa 2009).

    >>> import pyarrow as pa
    >>> places = {"Germany": ["Europe", "*"], "France": ["Europe", "*"], "Peru": ["America", "*"]}
    >>> table = pa.table({"place": ["Europe", "Peru"], "sex": ["F", "*"]})
    >>> found = ambiguity(table, hierarchies={"place": places, "sex": {"F": "*", "M": "*"}})
    >>> found.value, found.mean_combinations  # 2 * 1 and 1 * 2 of 3 * 2 combinations
    (0.8, 2.0)
    """
    result = compute(gather(table, **given), limit=limit, unknown=unknown)
    announce(result)
    return result


def compute(inputs: Inputs, limit: Number | None = None, unknown: str = "error") -> AmbiguityResult:
    """Measure ambiguity from opened inputs."""
    bound = utility_limit(limit, "ambiguity")
    check_unknown(unknown)
    warnings = warn_if_limit_is_out_of_range(bound, "ambiguity")
    rows, counts = inputs.table.rows, inputs.table.counts
    names = inputs.generalized_columns
    leaves: dict[str, Integers] = {}
    columns: dict[str, float] = {}
    domain = 1
    for name in names:
        numbers = LeafNumbers(inputs.hierarchy(name))
        values = counts.value_counts(name)
        own = numbers.of(values.labels, unknown)
        warnings += numbers.warnings(values.labels)
        total = sum(map(int.__mul__, own, values.counts.tolist()))
        columns[name] = float(share_kept(total, rows, rows * numbers.domain))
        leaves[name] = np.array(own, dtype=np.int64)
        domain *= numbers.domain
    total = sum_of_products(counts, leaves)
    return AmbiguityResult.of(
        share_kept(total, rows, rows * domain),
        bound,
        warnings,
        columns=columns,
        mean_combinations=_float(Fraction(total, rows)),
        possible_combinations=_float(Fraction(domain)),
    )


def _float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


MEASURE = OldMeasure(
    name="ambiguity",
    title="Ambiguity",
    family=Family.UTILITY,
    question="How few original rows can a released row stand for?",
    better=Better.HIGHER,
    range=(0.0, 1.0),
    needs=(Need.HIERARCHIES,),
    formula=(
        "1 - (sum over rows of the product over columns of the leaves under the label - n) / "
        "(n * product of the domain sizes - n)"
    ),
    reference=(
        "J. Goldberger, T. Tassa: Efficient Anonymizations with Enhanced Utility. IEEE ICDM "
        "Workshops 2009, doi 10.1109/ICDMW.2009.15; normalised as in ARX"
    ),
    compute=compute,
    limit_help="ambiguity must be at least this (1: nothing is ambiguous)",
    options=(
        unknown_option("labels in no hierarchy: error, or maximal (as if it were any value)"),
    ),
    granularities=COLUMN_TABLES,
    pictures=column_shares_of,
    meaning=(
        "How few combinations of original values a released row may stand for. With 1, every row "
        "stands for exactly one; with 0, every row may be anything."
    ),
    does_not_say=(
        "A figure close to 1 does not mean that the table is useful: the more columns there are, "
        "the closer to 1 it is, however coarse the rows. Compare only tables with the same "
        "columns and hierarchies."
    ),
)
