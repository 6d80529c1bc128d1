"""Sample uniques: rows that share their quasi-identifiers with no other row."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

from petaudit.errors import joined, phrase, tally
from petaudit.exact.fractions import Number
from petaudit.inputs import Inputs, gather
from petaudit.measures._old import OldMeasure
from petaudit.measures._risk import RiskClasses, judged_fields, remedy_lines, upper_limit
from petaudit.measures.base import Better, Family, Need, Remedy, Result, announce

_ALONE = Fraction(2)


@dataclass(frozen=True)
class SampleUniquesResult(Result):
    """The share of rows that are alone in their class."""

    measure: ClassVar[str] = "sample-uniques"
    better: ClassVar[Better] = Better.LOWER

    exact_value: Fraction = field(repr=False)
    uniques: int
    rows: int
    suppressed_rows: int
    remedy: Remedy | None = field()

    @property
    def explanation(self) -> tuple[str, ...]:
        """How many rows are alone, and what the limit takes."""
        total = self.rows + self.suppressed_rows
        said = [
            phrase(
                "{number} of {rows} alone in their class",
                number=tally(self.uniques, of=total),
                rows=self.unit.counted(self.rows, of=total),
            )
        ]
        if self.suppressed_rows:
            suppressed = self.unit.counted(self.suppressed_rows, of=total)
            said.append(phrase("{rows} suppressed", rows=suppressed))
        return (joined(said, "; "), *remedy_lines(self.remedy))


def sample_uniques(
    table: object, *, limit: Number | None = None, **given: Any
) -> SampleUniquesResult:
    """Measure the share of rows that are unique in the table (Skinner and Elliot 2002).

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**"] * 3 + ["148**"]})
    >>> found = sample_uniques(table, quasi_identifiers="zip")
    >>> found.value, found.uniques
    (0.25, 1)
    """
    result = compute(gather(table, **given), limit=limit)
    announce(result)
    return result


def compute(inputs: Inputs, limit: Number | None = None) -> SampleUniquesResult:
    """Measure the share of unique rows from opened inputs."""
    bound = upper_limit(limit, SampleUniquesResult.measure)
    classes = RiskClasses.of_table(inputs)
    uniques = classes.rows_with_fewer(_ALONE)
    judged = judged_fields(
        Fraction(uniques, classes.rows),
        bound,
        lambda least: classes.remedy(uniques, classes.enough_for_share_above(1 / _ALONE, least)),
        suppressed_rows=classes.suppressed_rows,
        unit=classes.unit,
    )
    return SampleUniquesResult(
        **judged,
        uniques=uniques,
        rows=classes.rows,
        suppressed_rows=classes.suppressed_rows,
        unit=classes.unit,
    )


MEASURE = OldMeasure(
    name="sample-uniques",
    title="Sample uniques",
    family=Family.RISK,
    question="What share of the rows shares its quasi-identifiers with no other row?",
    better=Better.LOWER,
    range=(0.0, 1.0),
    needs=(Need.QUASI_IDENTIFIERS,),
    formula="rows in classes of one row / rows in classes",
    reference=(
        "C. J. Skinner, M. J. Elliot: A Measure of Disclosure Risk for Microdata. Journal of the "
        "Royal Statistical Society B 64(4), 2002, doi 10.1111/1467-9868.00365"
    ),
    meaning=(
        "The share of rows that have their quasi-identifiers for themselves. With 0.02, two "
        "rows in a hundred are alone, and whoever knows these people and that they are in the "
        "table finds them."
    ),
    does_not_say=(
        "A row that is alone in the table need not be alone in the population, and 0 does not "
        "mean safe: with pairs only, a guess is right every second time. Compare tables of one "
        "size only."
    ),
    compute=compute,
    limit_help="the share may be at most this",
)
