"""Discernibility: how many rows each row can still be told apart from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from petaudit.errors import phrase
from petaudit.exact.fractions import Number
from petaudit.inputs import Inputs, gather
from petaudit.measures._tables import DETAILS, no_such_table
from petaudit.measures._utility import (
    UtilityResult,
    both_tables,
    share_kept,
    suppressed_text,
    utility_limit,
    warn_if_limit_is_out_of_range,
)
from petaudit.measures.base import GLOBAL, Better, Family, Measure, Need, announce
from petaudit.tables import ClassHistogram
from petaudit.tables.result_frames import ResultColumn

_TABLES = (GLOBAL, DETAILS)


@dataclass(frozen=True)
class DiscernibilityResult(UtilityResult):
    """Discernibility, and the penalties that it compares."""

    measure: ClassVar[str] = "discernibility"
    better: ClassVar[Better] = Better.HIGHER

    rows: int
    penalty: int
    original_penalty: int
    suppressed_rows: int

    @property
    def explanation(self) -> tuple[str, ...]:
        """How many rows look like a row, before and after."""
        alike, before = self.penalty / self.rows, self.original_penalty / self.rows
        line = phrase(
            "a row cannot be told from {alike:.6g} rows on average, itself included; in the "
            "original from {before:.6g}",
            alike=alike,
            before=before,
        )
        return (line, *suppressed_text(self.suppressed_rows))

    def table(self, granularity: str, *, with_values: bool = False) -> dict[str, ResultColumn]:
        """``details`` has the penalties of both tables."""
        if granularity == DETAILS:
            # Squares of large tables are no integers of every frame.
            penalties = [float(self.penalty), float(self.original_penalty)]
            return {
                "table": ResultColumn("text", ["released", "original"]),
                "penalty": ResultColumn("number", penalties),
                "penalty_per_row": ResultColumn("number", [own / self.rows for own in penalties]),
            }
        if granularity == GLOBAL:
            return super().table(granularity)
        raise no_such_table(self.measure, granularity, _TABLES)


def discernibility(
    original: object, table: object, *, limit: Number | None = None, **given: Any
) -> DiscernibilityResult:
    """Measure how well rows can still be told apart (Bayardo and Agrawal 2005).

    >>> import pyarrow as pa
    >>> original = pa.table({"born": [1970, 1971, 1983, 1984, 1984]})
    >>> released = pa.table({"born": ["197*", "197*", "198*", "198*", "*"]})
    >>> found = discernibility(original, released, quasi_identifiers="born")
    >>> found.penalty, found.original_penalty  # 2 * 2 + 2 * 2 + 1 * 5, and 1 + 1 + 1 + 2 * 2
    (13, 7)
    >>> round(found.value, 4)  # 1 - (13 - 7) / (5 * 5 - 7)
    0.6667
    """
    result = compute(gather(table, original=original, **given), limit=limit)
    announce(result)
    return result


def compute(inputs: Inputs, limit: Number | None = None) -> DiscernibilityResult:
    """Measure discernibility from opened inputs."""
    bound = utility_limit(limit, "discernibility")
    both = both_tables(inputs)
    penalty, before = (_penalty(own, both.rows) for own in (both.released, both.original))
    return DiscernibilityResult.of(
        share_kept(penalty, before, both.rows**2),
        bound,
        warn_if_limit_is_out_of_range(bound, "discernibility"),
        rows=both.rows,
        penalty=penalty,
        original_penalty=before,
        suppressed_rows=both.released.suppressed_rows,
    )


def _penalty(histogram: ClassHistogram, rows: int) -> int:
    """Each row costs the size of its class, a suppressed one the size of the table."""
    entries = zip(histogram.sizes.tolist(), histogram.classes.tolist(), strict=True)
    in_classes: int = sum(size * size * classes for size, classes in entries)
    return in_classes + histogram.suppressed_rows * rows


MEASURE = Measure(
    name="discernibility",
    title="Discernibility",
    family=Family.UTILITY,
    question="How well can rows still be told apart?",
    better=Better.HIGHER,
    range=(0.0, 1.0),
    needs=(Need.QUASI_IDENTIFIERS, Need.ORIGINAL),
    formula=(
        "1 - (d - d of the original) / (n^2 - d of the original), d = sum of squared class sizes "
        "+ suppressed rows * n"
    ),
    reference=(
        "R. J. Bayardo, R. Agrawal: Data Privacy Through Optimal k-Anonymization. IEEE ICDE 2005, "
        "doi 10.1109/ICDE.2005.42; normalised as in ARX"
    ),
    compute=compute,
    limit_help="discernibility must be at least this (1: as in the original)",
    granularities=_TABLES,
    meaning=(
        "How well rows can still be told apart, compared with the original. With 1, as well as "
        "before; with 0, all rows look alike or are suppressed."
    ),
    does_not_say=(
        "It never looks at the labels, so random values in place of the real ones score 1. In "
        "large tables it is nearly always close to 1: compare tables with each other rather than "
        "with a fixed limit."
    ),
)
