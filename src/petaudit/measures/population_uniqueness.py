"""Population uniqueness: how many people are unique not only in the table but among all."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, Final

from petaudit.errors import NotMeasurableError, counted, joined, phrase, tally
from petaudit.exact.uniqueness import MODELS, RULE, Estimate, Sample, all_estimates, chosen
from petaudit.inputs import Inputs
from petaudit.measures.base import Need, Remedy, Result, rows_of
from petaudit.measures.population import PopulationSize, SampleMeasure, SamplingFraction
from petaudit.measures.risk_classes import RiskClasses
from petaudit.system import kinds

_COUNTED: Final = "counted"
_MODEL_HELP: Final = (
    "dankar (the rule), zayatz, pitman or snb; default: count the population table, or dankar "
    "without one"
)


class PopulationUniqueness(SampleMeasure):
    """What share of the population is unique?

    The share of people in the population who are unique on the quasi-identifiers. Whoever has a
    register of everybody can find these people with certainty. With 0.01, that is one person in a
    hundred.

    Does not say: Unless a population table was counted, it is an estimate which assumes that the
    table is a random sample. If people were selected otherwise, or the population is smaller than
    stated, the true share may be much higher.

    Formula: people who are unique in the population / P: counted in a population table at the
    labels of the released one, else estimated from the class sizes of a sample of n: Pitman's model
    for n/P <= 0.1, else the smaller of the estimates of Zayatz and of the slide negative binomial
    model

    Reference: F. K. Dankar, K. El Emam, A. Neisa, T. Roffey: Estimating the re-identification risk
    of clinical data sets. BMC Medical Informatics and Decision Making 12:66, 2012, doi
    10.1186/1472-6947-12-66; L. Zayatz: Estimation of the Percent of Unique Population Elements on a
    Microdata File Using the Sample. US Bureau of the Census, report RR-91/08, 1991; N. Hoshino:
    Applying Pitman's Sampling Formula to Microdata Disclosure Risk Assessment. Journal of Official
    Statistics 17(4), 2001; G. Chen, S. Keller-McNulty: Estimation of Identification Disclosure Risk
    in Microdata. Journal of Official Statistics 14(1), 1998

    A population table is counted unless a model is named; where only its size is known, the
    model is dankar if none is named.

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**", "131**", "148**", "148**"]})
    >>> result = population_uniqueness(
    ...     table, population_size=8, model="zayatz", quasi_identifiers="zip")
    >>> round(result.uniques, 3), round(result.value, 3)
    (2.545, 0.318)
    """

    name = "population-uniqueness"
    rank = 200
    either = ((Need.POPULATION, ("population_size", "sampling_fraction")),)
    details = rows_of(Estimate, "estimates", share="value")

    def compute(
        self,
        inputs: Inputs,
        limit: Fraction | None,
        *,
        population_size: PopulationSize = None,
        sampling_fraction: SamplingFraction = None,
        model: Annotated[str | None, kinds.Choice((RULE, *MODELS)), _MODEL_HELP] = None,
    ) -> Result:
        """Count unique people in a population table, or estimate from the table as a sample."""
        size = self.people(inputs, population_size, sampling_fraction)
        if size is None:
            raise NotMeasurableError(
                "{measure} needs the size of the population: a population table, or one of the "
                "options population_size and sampling_fraction",
                measure=self.name,
            )
        classes = RiskClasses.of_table(inputs)
        if inputs.person is not None:
            _require_one_class_each(phrase("the table"), inputs.counted.rows, inputs.individuals)
        sample = Sample(classes.sizes, classes.classes, size)
        warnings: list[str] = []
        is_counted = model is None and inputs.population is not None
        if is_counted:
            model, uniques = _COUNTED, _unique_people(inputs, size)
            value = Fraction(uniques, size)
            used = Estimate(_COUNTED, float(uniques), float(value))
            estimates = {_COUNTED: used}
        else:
            model, estimates = model or RULE, all_estimates(sample)
            used, warnings = chosen(model, sample, estimates)
            value = Fraction(used.share or 0)
            histogram = inputs.class_histogram
            if suppressed := histogram.suppressed_rows + histogram.suppressed_class:
                warnings.append(
                    phrase(
                        "{rows} with '*' in every quasi-identifier: if they were small classes, "
                        "unique people are among them, and the estimate is too low; estimate "
                        "before suppressing",
                        rows=counted(suppressed, "row"),
                    )
                )

        def remedy(limit: Fraction) -> Remedy:
            if is_counted:
                # People are as unique as before when rows of the table are suppressed.
                alone = inputs.population_classes.uniques_with_rows
                return Remedy.of(alone, None, inputs.counted.rows, inputs.unit)
            # Without a row that is alone there is nobody to be unique, whatever the model says.
            return classes.remedy(sample.uniques, sample.uniques)

        breakdown = {
            "model": model,
            "used_model": used.model,
            "uniques": used.uniques,
            "population_size": size,
            "sampling_fraction": sample.fraction,
            "sample_uniques": sample.uniques,
            "rows": sample.rows,
            "suppressed_rows": classes.suppressed_rows,
            "estimates": tuple(estimates.values()),
        }
        return self.judge(
            classes,
            value,
            limit,
            remedy,
            breakdown,
            is_estimate=not is_counted,
            warnings=warnings,
            figure=f"{self.name}, {model}",
        )

    def explain(self, result: Result) -> Iterator[str]:
        """How many people are unique, by which model, and what the others say."""
        people = counted(result.population_size, "person", "people", of=result.population_size)
        alone = result.counted(result.sample_uniques)
        if result.used_model == _COUNTED:
            number = tally(round(result.uniques), of=result.population_size)
            parts = [
                phrase(
                    "{number} of {people} alone in a class, counted in the population table",
                    number=number,
                    people=people,
                )
            ]
            if result.passed is False:
                parts.append(phrase("suppressing rows of the table does not change that"))
            yield joined(parts, "; ")
            if result.remedy is not None and not (result.remedy.rows_breaking or result.passed):
                return
        elif result.rows == result.population_size:
            yield phrase(
                "the table is the whole population: {alone} of {people} alone in a class",
                alone=alone,
                people=people,
            )
        else:
            uniques = result.uniques
            yield phrase(
                "about {number} of {people} unique by {model}; the table has {percent:.3g} % of "
                "them, {alone} alone in their class",
                number=f"{uniques:,.0f}" if uniques >= 100 else f"{uniques:.3g}",
                people=people,
                model=result.used_model,
                percent=100 * result.sampling_fraction,
                alone=alone,
            )
            shares = [
                phrase("{model} none", model=estimate.model)
                if estimate.share is None
                else f"{estimate.model} {estimate.share:.4g}"
                for estimate in result.estimates
            ]
            yield phrase("estimates: {shares}", shares=joined(shares))
        yield from result.remedy_lines


population_uniqueness = PopulationUniqueness.as_function()


def _unique_people(inputs: Inputs, size: int) -> int:
    """Count the people of the population table who are alone in their class."""
    people = inputs.population_classes
    if inputs.population_person is not None:
        _require_one_class_each(phrase("the population"), people.memberships, size)
    return people.uniques_with_rows + people.uniques_without_rows


def _require_one_class_each(table: str, memberships: int, people: int) -> None:
    """Who is in several classes may be unique in one and not in the other: no share of people."""
    if memberships > people:
        raise NotMeasurableError(
            "some people of {table} are in several classes ({memberships:,} for {people}), so "
            "there is no share of people who are unique; sample-uniques counts them in each "
            "class",
            table=table,
            memberships=memberships,
            people=counted(people, "person", "people", of=people),
        )
