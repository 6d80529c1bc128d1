"""Strict average risk: the mean risk of a row, where no class may be too small."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

from petaudit.errors import OptionError, Phrase, joined, phrase
from petaudit.exact.fractions import Number
from petaudit.inputs import Inputs, gather
from petaudit.measures._assumed_population import USUAL_SIGNIFICANCE, AssumedPopulation
from petaudit.measures._estimated_risk import EstimatedRisks
from petaudit.measures._old import OldMeasure
from petaudit.measures._risk import (
    PEOPLE,
    SIZE_OPTION,
    TIE,
    RiskClasses,
    checked_size,
    judged_fields,
    remedy_lines,
    rows_in_classes,
    upper_limit,
    whole,
)
from petaudit.measures.base import Better, Family, Need, Option, Remedy, Result, announce


@dataclass(frozen=True)
class StrictAverageRiskResult(Result):
    """The mean risk of a row, and the fewest people in a class."""

    measure: ClassVar[str] = "strict-average-risk"
    better: ClassVar[Better] = Better.LOWER

    exact_value: Fraction = field(repr=False)
    """As near as floats come where the risk is an estimate."""
    highest: float
    """The risk of the riskiest row."""
    k: int | None
    fewest_people: float
    """Where only their total is known: as many as k-map takes a class to have."""
    people_from: str
    is_estimate: bool
    """Whether the risk is estimated from the size of the population."""
    classes: int
    rows: int
    suppressed_rows: int
    remedy: Remedy | None = field()

    @property
    def conditions(self) -> tuple[str, ...]:
        """The k that was asked for."""
        return () if self.k is None else (phrase("k at least {k:,}", k=self.k),)

    @property
    def figure(self) -> str:
        """The measure and what the people of a class are told from."""
        return f"{self.measure}, {self.people_from}"

    @property
    def explanation(self) -> tuple[str, ...]:
        """Where the figure comes from, whether classes are large enough, and what it takes."""
        lines = [
            rows_in_classes(self.rows, self.classes, self.suppressed_rows, self.unit),
            joined([self._fewest(), self._highest()], "; "),
        ]
        if self.is_estimate:
            lines.append(
                phrase(
                    "an estimate, which assumes that the table is a random sample of the "
                    "population: by its rows a class has a negative binomial number of people, and "
                    "the fewest are those of k-map (significance {significance:g})",
                    significance=float(USUAL_SIGNIFICANCE),
                )
            )
        return (*lines, *remedy_lines(self.remedy))

    def _fewest(self) -> Phrase:
        shown = phrase("people that every class is shown to have")
        what = shown if self.is_estimate else phrase("fewest people in a class")
        source, people = self.people_from, self.fewest_people
        if self.k is None:
            return phrase(
                "{what} ({source}): {people:.6g}", what=what, source=source, people=people
            )
        return phrase(
            "{what} ({source}): {people:.6g}, of {k:,} that there must be",
            what=what,
            source=source,
            people=people,
            k=self.k,
        )

    def _highest(self) -> Phrase:
        risk: str = f"{self.highest:.4g}"
        if self.is_estimate:
            risk = phrase("about {number}", number=risk)
        if self.k is None and self.limit is not None:
            return phrase(
                "the highest risk of a row is {risk}, which the limit does not judge: give k, too",
                risk=risk,
            )
        return phrase("the highest risk of a row is {risk}", risk=risk)


def strict_average_risk(
    table: object,
    *,
    limit: Number | None = None,
    k: int | None = None,
    population_size: int | None = None,
    **given: Any,
) -> StrictAverageRiskResult:
    """Measure the average risk of a table whose classes must all have k people (El Emam 2013).

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**"] * 3 + ["148**"]})
    >>> found = strict_average_risk(table, quasi_identifiers="zip", limit=0.5, k=2)
    >>> found.value, found.fewest_people, found.passed
    (0.5, 1.0, False)
    """
    result = compute(gather(table, **given), limit=limit, k=k, population_size=population_size)
    announce(result)
    return result


def compute(
    inputs: Inputs,
    limit: Number | None = None,
    k: int | None = None,
    population_size: int | None = None,
) -> StrictAverageRiskResult:
    """Measure the average risk from opened inputs.

    Where only the size of the population is known, the average is an estimate without an exact
    value: one that is above the limit by a millionth of a millionth of it still keeps it.
    """
    name = StrictAverageRiskResult.measure
    check({"limit": limit, "k": k})
    bound = upper_limit(limit, name)
    least = None if k is None else whole(k, "k")
    size = checked_size(inputs, population_size)
    with_table = inputs.population is not None
    classes = (RiskClasses.of_population if with_table else RiskClasses.of_table)(inputs)
    # Where everybody is in the table, nothing is to be estimated.
    is_estimate = size is not None and size > inputs.individuals
    risks: RiskClasses | EstimatedRisks = classes
    if size is not None and is_estimate:
        risks = EstimatedRisks(classes, AssumedPopulation(inputs.individuals, size))

    def remedy(limit: Fraction) -> Remedy:
        average_holds = risks.average <= limit
        breaking = 0 if average_holds else risks.rows_above(limit)
        enough = 0 if average_holds else risks.enough_for_average(limit)
        if least is not None:
            # Both take the riskiest classes first, so the longer list has the other in it.
            too_few = risks.rows_with_fewer(Fraction(least))
            breaking, enough = max(breaking, too_few), max(enough, too_few)
        return risks.remedy(breaking, enough)

    tie = TIE if is_estimate else Fraction(0)
    judged = judged_fields(
        risks.average,
        bound,
        remedy,
        suppressed_rows=classes.suppressed_rows,
        tie=tie,
        unit=inputs.unit,
    )
    if bound is not None and least is not None and risks.fewest_people < least:
        judged |= {"passed": False, "remedy": remedy(bound * (1 + tie))}
    if is_estimate:
        judged["exact_value"] = Fraction(judged["value"])
    return StrictAverageRiskResult(
        **judged,
        highest=float(risks.highest),
        k=least,
        fewest_people=float(risks.fewest_people),
        people_from=(
            phrase("in the population table")
            if with_table
            else phrase("in the table itself")
            if size is None
            else phrase("estimated from a population of {size:,}", size=size)
        ),
        is_estimate=is_estimate,
        classes=classes.number,
        rows=classes.rows,
        suppressed_rows=classes.suppressed_rows,
        unit=inputs.unit,
    )


def check(given: Mapping[str, Any]) -> None:
    """Raise an error for options that make no sense, and for a k without a limit."""
    for name in ("k", "population_size"):
        if given.get(name) is not None:
            whole(given[name], name)
    if given.get("k") is not None and given.get("limit") is None:
        raise OptionError(
            "k is judged together with the limit of {measure}; give a limit, too",
            measure=StrictAverageRiskResult.measure,
        )


MEASURE = OldMeasure(
    name="strict-average-risk",
    title="Strict average risk",
    family=Family.PRIVACY,
    question="What is the mean risk of a row, where every class has people enough?",
    better=Better.LOWER,
    range=(0.0, 1.0),
    needs=(Need.QUASI_IDENTIFIERS,),
    formula=(
        "(1/n) * sum over classes of f/F, with f rows in the table and F people in the population "
        "table; F = f without one; for a population of P the mean of 1/F given f in place of 1/F, "
        "F - f being negative binomial with the sampling fraction p = rows/P: p^f/f * 2F1(f, f; "
        "f+1; 1-p); with k also F >= k for every class, for a population of P as k-map judges it"
    ),
    reference=(
        "K. El Emam: Guide to the De-Identification of Personal Health Information. CRC Press, "
        "2013, doi 10.1201/b14764; R. Benedetti, L. Franconi: Statistical and Technological "
        "Solutions for Controlled Data Dissemination. Pre-proceedings of New Techniques and "
        "Technologies for Statistics, Sorrento, 1998"
    ),
    meaning=(
        "The chance that a row is matched with the right person, on average over all rows. With "
        "0.05, that is one in twenty. If k was given, every class must have at least k people, "
        "too."
    ),
    does_not_say=(
        "The average alone protects nobody in particular: without k, single people may be found "
        "with certainty though the figure is low. Where only the size of the population is "
        "known, it is an estimate for a random sample."
    ),
    compute=compute,
    limit_help="the average may be at most this",
    options=(
        Option("k", "how many people every class must have; needs a limit", kind=PEOPLE),
        SIZE_OPTION,
    ),
    check=check,
)
