"""Discernibility: how many rows each row can still be told apart from."""

from __future__ import annotations

from fractions import Fraction

from petaudit.errors import phrase
from petaudit.exact.fractions import share_kept
from petaudit.inputs import Inputs
from petaudit.measures.base import Columns, Need, Result
from petaudit.measures.limits import rounded_texts
from petaudit.measures.utility import UtilityMeasure, classes_of_both, suppressed_text
from petaudit.tables import ClassHistogram
from petaudit.tables.result_frames import ResultColumn


class Discernibility(UtilityMeasure):
    """How well can rows still be told apart?

    How well rows can still be told apart, compared with the original. With 1, as well as before;
    with 0, all rows look alike or are suppressed.

    Does not say: It never looks at the labels, so random values in place of the real ones score 1.
    In large tables it is nearly always close to 1: compare tables with each other rather than with
    a fixed limit.

    Formula: 1 - (d - d of the original) / (n^2 - d of the original), d = sum of squared class sizes
    + suppressed rows * n

    Reference: R. J. Bayardo, R. Agrawal: Data Privacy Through Optimal k-Anonymization. IEEE ICDE
    2005, doi 10.1109/ICDE.2005.42; normalised as in ARX

    >>> import pyarrow as pa
    >>> original = pa.table({"born": [1970, 1971, 1983, 1984, 1984]})
    >>> released = pa.table({"born": ["197*", "197*", "198*", "198*", "*"]})
    >>> result = discernibility(original, released, quasi_identifiers="born")
    >>> result.penalty, result.original_penalty  # 2 * 2 + 2 * 2 + 1 * 5, and 1 + 1 + 1 + 2 * 2
    (13, 7)
    >>> round(result.value, 4)  # 1 - (13 - 7) / (5 * 5 - 7)
    0.6667
    """

    name = "discernibility"
    rank = 280
    needs = (Need.QUASI_IDENTIFIERS, Need.ORIGINAL)
    limit_help = "discernibility must be at least this (1: as in the original)"

    def compute(self, inputs: Inputs, limit: Fraction | None) -> Result:
        """Measure discernibility."""
        both, rows = classes_of_both(inputs), inputs.table.rows
        penalty, before = (_penalty(classes, rows) for classes in both)
        return self.result(
            share_kept(penalty, before, rows**2),
            limit,
            breakdown={
                "rows": rows,
                "penalty": penalty,
                "original_penalty": before,
                "suppressed_rows": both[0].suppressed_rows,
            },
        )

    def explain(self, result: Result) -> tuple[str, ...]:
        """Say how many rows look like a row, before and after."""
        penalties = (result.penalty, result.original_penalty)
        alike, before = (float(penalty / result.rows) for penalty in penalties)
        shown, _, shown_before = rounded_texts(alike, None, before)
        line = phrase(
            "on average a row is indistinguishable from {alike} rows, itself included; in the "
            "original from {before}",
            alike=shown,
            before=shown_before,
        )
        return (line, *suppressed_text(result.suppressed_rows))

    def details(self, result: Result, *, with_values: bool) -> Columns:
        """Lay out the penalties of both tables."""
        # Squares of large tables do not fit into the integers of every kind of frame.
        penalties = [float(result.penalty), float(result.original_penalty)]
        per_row = [penalty / result.rows for penalty in penalties]
        return {
            "table": ResultColumn("text", ["released", "original"]),
            "penalty": ResultColumn("number", penalties),
            "penalty_per_row": ResultColumn("number", per_row),
        }


discernibility = Discernibility.as_function()


def _penalty(classes: ClassHistogram, rows: int) -> int:
    """Each row costs the size of its class, a suppressed one the size of the table."""
    sizes, number = classes.sizes.astype(object), classes.classes  # exact however large
    return int((sizes**2 * number).sum()) + classes.suppressed_rows * rows
