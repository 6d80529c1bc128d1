"""k-map: how many people of the population every row could be, at the least."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated

from petaudit.errors import NotMeasurableError, counted, phrase
from petaudit.exact.sampling import USUAL_SIGNIFICANCE
from petaudit.inputs import Inputs
from petaudit.measures.base import (
    Better,
    Family,
    Measure,
    Need,
    Result,
    Riskiest,
    left_out,
    rows_of,
)
from petaudit.measures.k_anonymity import CURVE, CurvePoint, points_of
from petaudit.measures.population import PopulationSize, assumed_size
from petaudit.measures.risk import rows_in_classes
from petaudit.measures.risk_classes import RiskClasses, SampledClasses
from petaudit.system import kinds

_SIGNIFICANCE_HELP = (
    "where only population_size is known: the highest probability of as many rows as a class has "
    "if only k people were in it (default: 0.01)"
)


class KMap(Measure):
    """How few people in the population could a row belong to?

    Every row could be any of at least this many people in the population. With 50, an attacker who
    has a register of the population can at best narrow a row down to 50 people.

    Does not say: It does not apply where somebody knows that a person is in the table: use
    k-anonymity there. Nor does it apply if the attacker's list of people is smaller than the given
    population.

    Formula: smallest number of people in the population in a class of the table; for a population
    of P people the largest k such that Poisson(k*n/P), truncated at zero, is as large as the
    smallest class with a probability of the significance at most, or that class itself has k rows

    Reference: L. Sweeney: Computational Disclosure Control, PhD thesis, MIT, 2001; K. El Emam, F.
    K. Dankar: Protecting Privacy Using k-Anonymity. JAMIA 15(5), 2008, doi 10.1197/jamia.M2716

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**", "148**"]})
    >>> population = pa.table({"zip": ["130**"] * 2 + ["148**"] * 4 + ["150**"]})
    >>> k_map(table, population=population, quasi_identifiers="zip").value
    2.0
    >>> table = pa.table({"zip": ["130**"] * 4 + ["148**"] * 96})
    >>> k_map(table, population_size=1000, quasi_identifiers="zip").value
    6.0
    """

    name = "k-map"
    title = "k-map"
    rank = 20
    riskiest = Riskiest.FEWEST_PEOPLE
    family = Family.PRIVACY
    better = Better.HIGHER
    range = (1.0, float("inf"))
    needs = (Need.QUASI_IDENTIFIERS,)
    either = ((Need.POPULATION, ("population_size",)),)
    limit_help = "every row must be one of at least this many people"
    details = rows_of(CurvePoint, "curve")

    def compute(
        self,
        inputs: Inputs,
        limit: Fraction | None,
        *,
        population_size: PopulationSize = None,
        significance: Annotated[
            Fraction | None, kinds.Number(0, 1, excludes_bounds=True), _SIGNIFICANCE_HELP
        ] = None,
    ) -> Result:
        """Count people in a population table, or estimate how many a class has."""
        warnings: list[str] = []
        size = assumed_size(inputs, population_size)
        level = USUAL_SIGNIFICANCE if significance is None else significance
        if size is not None:
            classes: RiskClasses = SampledClasses.of_sample(inputs, size, level)
        elif inputs.population is not None:
            classes, size = RiskClasses.of_population(inputs), inputs.population_individuals
            if significance is not None:
                warnings.append(
                    phrase(
                        "significance is not used: the population table gives the number of people"
                    )
                )
        else:
            raise NotMeasurableError("k-map needs a population table or the option population_size")
        is_estimate = inputs.population is None
        breaking = 0 if limit is None else classes.rows_with_fewer(limit)
        below, total = [(k, classes.rows_with_fewer(k)) for k in CURVE], inputs.counted.rows
        return self.result(
            Fraction(classes.fewest_people),
            limit,
            warnings=(*warnings, *left_out(classes.suppressed_rows, inputs.unit)),
            breakdown={
                "population_size": size,
                "is_estimate": is_estimate,
                "significance": float(level) if is_estimate else None,
                "classes": classes.number,
                "rows": classes.rows,
                "suppressed_rows": classes.suppressed_rows,
                "smallest_class": int(classes.sizes.min()),
                "curve": tuple(CurvePoint(k, rows, rows / total) for k, rows in below),
                "remedy": None if limit is None else classes.remedy(breaking, breaking),
            },
            figure=f"{self.name}, estimated" if is_estimate else self.name,
            unit=inputs.unit,
        )

    def _limit_warnings(self, limit: Fraction | None) -> Iterator[str]:
        """Say nothing of a limit of 1."""
        return iter(())

    def explain(self, result: Result) -> Iterator[str]:
        """Where the figure comes from, what the limit takes, and the curve."""
        rows, people = rows_in_classes(result), result.population_size
        people = counted(people, "person", "people", of=people)
        yield phrase("{rows}; a population of {people}", rows=rows, people=people)
        if result.is_estimate:
            yield phrase(
                "an estimate from the smallest class of the table, which has {rows} "
                "(significance {significance:g})",
                rows=result.counted(result.smallest_class),
                significance=result.significance,
            )
        if result.remedy is not None:
            yield result.remedy.text
        points = points_of(result)
        yield result.unit.choose(
            phrase("rows that could be fewer than k people: {points}", points=points),
            phrase(
                "people in classes with fewer than k people in the population: {points}",
                points=points,
            ),
        )


k_map = KMap.as_function()
