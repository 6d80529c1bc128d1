"""Special uniques (SUDA): rows that few columns suffice to single out."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Annotated, Final

from petaudit.errors import OptionError, Phrase, counted, joined, phrase, tally
from petaudit.exact.sampling import disclosure_risks
from petaudit.inputs import Inputs
from petaudit.measures.base import Columns, Remedy, Result
from petaudit.measures.population import PopulationSize, SampleMeasure, SamplingFraction
from petaudit.measures.result import columns_of
from petaudit.measures.risk_classes import RiskClasses
from petaudit.singling.column_sets import minimal_uniques, set_score
from petaudit.system import kinds
from petaudit.tables.result_frames import ResultColumn
from petaudit.tables.set_counts import number_of_sets

_FEW_COLUMNS: Final = 10
"""Up to this many columns, all their sets are searched unless a cap is given: at most 1,023."""
_USUAL_CAP: Final = 3
_MOST_WORK: Final = 100_000_000
"""Rows times sets of columns that a complete audit looks at without being asked."""
_LARGEST_SCORE: Final = 10**300
"""Larger ones do not fit into a float."""
_MOST_SHOWN: Final = 5
_COLUMNS_HELP: Final = (
    "search minimal sets of up to this many columns; default: all, or 3 for more than "
    f"{_FEW_COLUMNS} quasi-identifiers (the share is always exact)"
)


class SpecialUniques(SampleMeasure):
    """What share of the rows is already unique on some of the quasi-identifiers?

    The share of rows that are unique on fewer than all quasi-identifiers. Such rows stick out, as a
    very young widow does, and are the first to look at. With 0, nobody is unique unless all
    quasi-identifiers are known.

    Does not say: Rows that are unique only on all quasi-identifiers together are not counted, nor
    are pairs: look at sample uniques as well. A row that sticks out need not be a person who is
    unique in the population.

    Formula: rows that are unique on a proper subset of the m quasi-identifiers / rows; the score of
    a row is the sum over its minimal such sets, of s columns, of the product of (m - i) for i from
    s to min(max_columns, m - 1) - 1

    Reference: M. J. Elliot, A. M. Manning, R. W. Ford: A Computational Algorithm for Handling the
    Special Uniques Problem. IJUFKS 10(5), 2002, doi 10.1142/S0218488502001600; A. M. Manning, D. J.
    Haglin, J. A. Keane: A recursive search algorithm for statistical disclosure assessment. Data
    Mining and Knowledge Discovery 16, 2008, doi 10.1007/s10618-007-0078-6; M. J. Elliot, A. M.
    Manning, K. Mayes, J. Gurd, M. Bane: SUDA: A Program for Detecting Special Uniques

    >>> import pyarrow as pa
    >>> table = pa.table({"sex": ["f", "f", "m", "m"], "age": ["30", "99", "30", "30"]})
    >>> result = special_uniques(table, quasi_identifiers=["sex", "age"])
    >>> result.value, result.unique_rows, [size.minimal_uniques for size in result.sizes]
    (0.25, 2, [1, 1])
    """

    name = "special-uniques"
    title = "Special uniques (SUDA)"
    rank = 180
    figure_ignores = ("max_columns",)

    def compute(
        self,
        inputs: Inputs,
        limit: Fraction | None,
        *,
        max_columns: Annotated[int | None, kinds.Integer(1), _COLUMNS_HELP] = None,
        population_size: PopulationSize = None,
        sampling_fraction: SamplingFraction = None,
    ) -> Result:
        """Search for the minimal sets, and score the rows by them."""
        names = inputs.quasi_identifiers
        columns = len(names)
        cap = _usual_cap(columns) if max_columns is None else min(max_columns, columns)
        score = partial(set_score, columns=columns, up_to=cap)
        if score(1) > _LARGEST_SCORE:
            raise OptionError(
                "max_columns is {cap}, which gives scores of {columns} quasi-identifiers more than "
                "300 digits; a smaller one does not change the share",
                cap=cap,
                columns=columns,
            )
        people = self.people(inputs, population_size, sampling_fraction)
        classes = RiskClasses.of_table(inputs)
        uniques = minimal_uniques(
            inputs.table,
            names,
            cap,
            inputs.class_histogram,
            with_suppressed=inputs.suppressed == "class",
            person=inputs.person,
        )
        alone, in_pairs = (int(classes.classes[classes.sizes == size].sum()) for size in (1, 2))
        scores, rows_of_score = uniques.scores, uniques.rows_of_score
        highest_dis = mean_dis = None
        if people is not None:
            # Some people may be in several classes, and some in none.
            fraction = min(classes.rows, inputs.individuals) / people
            risks = disclosure_risks(scores, rows_of_score, 2 * in_pairs, fraction, columns)
            highest_dis = float(risks.max(initial=0))
            mean_dis = float(risks @ rows_of_score) / max(int(rows_of_score.sum()), 1)
        breakdown = {
            "special_rows": uniques.special,
            "unique_rows": alone,
            "rows": classes.rows,
            "suppressed_rows": classes.suppressed_rows,
            "max_columns": cap,
            # Larger minimal sets were not looked for: all but the value may be too low.
            "is_capped": cap < columns,
            "sizes": tuple(uniques.by_size(score)),
            "columns": tuple(uniques.by_column(names, score)),
            "highest_score": float(scores.max(initial=0)),
            "mean_score": float(scores @ rows_of_score / classes.rows),
            # The estimated chance that a match with a row is correct.
            "highest_dis": highest_dis,
            "mean_dis": mean_dis,
        }
        return self.judge(
            classes,
            Fraction(uniques.special, classes.rows),
            limit,
            lambda _: Remedy.of(uniques.special, None, inputs.counted.rows, inputs.unit),
            breakdown,
        )

    def when_left_out(self, inputs: Inputs) -> str | None:
        """Say why a large table waits until somebody asks."""
        columns = len(inputs.quasi_identifiers)
        sets = number_of_sets(columns, _usual_cap(columns))
        histogram = inputs.class_histogram
        alone = int(histogram.classes[histogram.sizes == 1].sum())
        if sets * alone <= _MOST_WORK:
            return None
        return phrase(
            "checks {sets:,} sets of columns for {rows:,} unique rows, which takes a while",
            sets=sets,
            rows=alone,
        )

    def explain(self, result: Result) -> Iterator[str]:
        """How many rows are unique, by how many columns, and which columns matter."""
        yield phrase(
            "{unique} of {rows} unique, {special} of them on fewer than all {columns}",
            unique=result.tally(result.unique_rows),
            rows=result.counted(result.rows),
            special=result.tally(result.special_rows),
            columns=counted(len(result.columns), "quasi-identifier"),
        )
        most, sizes = result.max_columns, result.sizes
        by_size = [
            phrase("{columns}: {number}", columns=size.columns, number=tally(size.minimal_uniques))
            for size in sizes
        ]
        fields = {"most": most, "numbers": joined(by_size)}
        if result.is_capped and sizes:
            yield phrase(
                "minimal unique sets of up to {most} columns only, by number of columns: {numbers}",
                **fields,
            )
        elif result.is_capped:
            yield phrase("no minimal unique set of up to {most} columns only", **fields)
        elif sizes:
            yield phrase("minimal unique sets, by number of columns: {numbers}", **fields)
        if sizes:
            ordered = sorted(result.columns, key=lambda part: -part.contribution)
            shown = [f"{part.attribute} {part.contribution:.3g}" for part in ordered[:_MOST_SHOWN]]
            parts: Phrase = joined(shown)
            if more := len(ordered) - len(shown):
                parts = phrase("{shown} and {number} more", shown=parts, number=more)
            yield phrase("contribution to the scores: {parts}", parts=parts)
        yield from result.remedy_lines

    def columnwise(self, result: Result) -> Columns:
        """Lay out the part of each column in the scores."""
        columns = columns_of(
            result.columns, attribute="text", contribution="number", minimal_uniques="integer"
        )
        renamed = {"contribution": "value"}
        return {renamed.get(name, name): column for name, column in columns.items()}

    def details(self, result: Result, *, with_values: bool) -> Columns:
        """Lay out the minimal sets by size."""
        counts = columns_of(
            result.sizes, columns="integer", sets="integer", minimal_uniques="integer"
        )
        # A product may be larger than any integer of a file.
        scores = ResultColumn("number", [float(size.score) for size in result.sizes])
        return {**counts, "score": scores}


special_uniques = SpecialUniques.as_function()


def _usual_cap(columns: int) -> int:
    return columns if columns <= _FEW_COLUMNS else _USUAL_CAP
