"""Strict average risk: the mean risk of a row, where no class may be too small."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Annotated, Any

from petaudit.errors import OptionError, Phrase, joined, phrase
from petaudit.exact.sampling import USUAL_SIGNIFICANCE
from petaudit.inputs import Inputs
from petaudit.measures.base import Family, Remedy, Result, Riskiest
from petaudit.measures.population import PopulationSize, assumed_size
from petaudit.measures.risk import RiskMeasure, rows_in_classes
from petaudit.measures.risk_classes import RiskClasses, SampledClasses
from petaudit.system import kinds

_K_HELP = "how many people every class must have; needs a limit"


class StrictAverageRisk(RiskMeasure):
    """What is the mean risk of a row, if every class has enough people?

    The chance that a row is matched with the right person, on average over all rows. With 0.05,
    that is one in twenty. If k is given, every class must also have at least k people.

    Does not say: The average alone protects no individual: without k, some people may be found with
    certainty even if the figure is low. Where only the size of the population is known, it is an
    estimate for a random sample.

    Formula: (1/n) * sum over classes of f/F, with f rows in the table and F people in the
    population table; F = f without one; for a population of P the mean of 1/F given f in place of
    1/F, F - f being negative binomial with the sampling fraction p = rows/P: p^f/f * 2F1(f, f; f+1;
    1-p); with k also F >= k for every class, for a population of P as k-map judges it

    Reference: K. El Emam: Guide to the De-Identification of Personal Health Information. CRC Press,
    2013, doi 10.1201/b14764; R. Benedetti, L. Franconi: Statistical and Technological Solutions for
    Controlled Data Dissemination. Pre-proceedings of New Techniques and Technologies for
    Statistics, Sorrento, 1998

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**"] * 3 + ["148**"]})
    >>> result = strict_average_risk(table, quasi_identifiers="zip", limit=0.5, k=2)
    >>> result.value, result.fewest_people, result.passed
    (0.5, 1.0, False)
    """

    name = "strict-average-risk"
    rank = 120
    riskiest = Riskiest.FEWEST_PEOPLE
    family = Family.PRIVACY
    limit_help = "the average may be at most this"

    def compute(
        self,
        inputs: Inputs,
        limit: Fraction | None,
        *,
        k: Annotated[int | None, kinds.Integer(1), _K_HELP] = None,
        population_size: PopulationSize = None,
    ) -> Result:
        """Measure the average, an estimate where only the size of the population is known."""
        size = assumed_size(inputs, population_size)
        classes = RiskClasses.known(inputs)
        # Where everybody is in the table, nothing is to be estimated.
        is_estimate = size is not None and size > inputs.individuals
        if size is not None and is_estimate:
            classes = SampledClasses.of_sample(inputs, size)
        too_few = 0 if k is None else classes.rows_with_fewer(k)

        def remedy(limit: Fraction) -> Remedy:
            if classes.average <= limit:
                return classes.remedy(too_few, too_few)
            # Both take the riskiest classes first, so the longer list has the other in it.
            breaking = max(classes.rows_above(limit), too_few)
            return classes.remedy(breaking, max(classes.enough_for_average(limit), too_few))

        people_from = phrase("in the table itself")
        if inputs.population is not None:
            people_from = phrase("in the population table")
        elif size is not None:
            people_from = phrase("estimated from a population of {size:,}", size=size)
        breakdown = {
            "highest": float(classes.highest),
            "k": k,
            "fewest_people": float(classes.fewest_people),
            "people_from": people_from,
            "is_estimate": is_estimate,
            "classes": classes.number,
            "rows": classes.rows,
            "suppressed_rows": classes.suppressed_rows,
        }
        return self.judge(
            classes,
            classes.average,
            limit,
            remedy,
            breakdown,
            holds=not too_few,
            is_estimate=is_estimate,
            figure=f"{self.name}, {people_from}",
            # Every class has a person, so that a k of 1 asks nothing.
            conditions=(phrase("k at least {k:,}", k=k),) if k is not None and k > 1 else (),
        )

    def check(self, options: Mapping[str, Any]) -> None:
        """Refuse a k without a limit."""
        if options.get("k") is not None and options.get("limit") is None:
            raise OptionError(
                "k is judged together with the limit of {measure}; give a limit, too",
                measure=self.name,
            )

    def explain(self, result: Result) -> Iterator[str]:
        """Where the figure comes from, whether classes are large enough, and what it takes."""
        yield rows_in_classes(result)
        yield joined([_fewest(result), _highest(result)], "; ")
        if result.is_estimate:
            yield phrase(
                "an estimate, which assumes that the table is a random sample of the population: "
                "by its rows a class has a negative binomial number of people, and the fewest are "
                "those of k-map (significance {significance:g})",
                significance=float(USUAL_SIGNIFICANCE),
            )
        yield from result.remedy_lines


strict_average_risk = StrictAverageRisk.as_function()


def _fewest(result: Result) -> Phrase:
    """Say how many people the riskiest class has, beside the k that was asked for."""
    shown = phrase("people that every class is shown to have")
    fields: dict[str, Any] = {
        "what": shown if result.is_estimate else phrase("fewest people in a class"),
        "source": result.people_from,
        "people": result.fewest_people,
    }
    if result.k is None:
        return phrase("{what} ({source}): {people:.6g}", **fields)
    return phrase("{what} ({source}): {people:.6g} ({k:,} required)", k=result.k, **fields)


def _highest(result: Result) -> Phrase:
    """Name the highest risk, which an average does not judge."""
    risk: str = f"{result.highest:.4g}"
    if result.is_estimate:
        risk = phrase("about {number}", number=risk)
    if result.k is None and result.limit is not None:
        return phrase(
            "the highest risk of a row is {risk}, which the limit does not judge: give k, too",
            risk=risk,
        )
    return phrase("the highest risk of a row is {risk}", risk=risk)
