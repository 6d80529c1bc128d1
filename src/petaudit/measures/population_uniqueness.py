"""Population uniqueness: how many people are unique not only in the table but among all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Final

from petaudit.errors import NotMeasurableError, counted, joined, phrase, tally
from petaudit.exact.fractions import Number
from petaudit.exact.uniqueness import dankar, pitman, snb, zayatz
from petaudit.exact.uniqueness._sample import Sample
from petaudit.exact.uniqueness.dankar import Estimate
from petaudit.inputs import Inputs, gather
from petaudit.measures._old import OldMeasure
from petaudit.measures._risk import (
    ALL_SUPPRESSED,
    SIZE_OPTION,
    TIE,
    remedy_lines,
    upper_limit,
    word,
)
from petaudit.measures._sampled import FRACTION_OPTION, check_one, population_of
from petaudit.measures._suppressed import left_out
from petaudit.measures._tables import DETAILS, no_such_table
from petaudit.measures.base import GLOBAL, Better, Family, Need, Option, Remedy, Result, announce
from petaudit.measures.kinds import Choice
from petaudit.tables.population import PopulationClasses
from petaudit.tables.result_frames import ResultColumn

if TYPE_CHECKING:
    from collections.abc import Sequence

_TABLES = (GLOBAL, DETAILS)
_MODELS: Final = Choice((dankar.NAME, *dankar.MODELS))
COUNTED: Final = "counted"


@dataclass(frozen=True)
class PopulationUniquenessResult(Result):
    """The share of the population that is unique: counted in its table, or else estimated."""

    measure: ClassVar[str] = "population-uniqueness"
    better: ClassVar[Better] = Better.LOWER

    model: str
    """As asked for; "counted" where a population table tells and no model was asked for."""
    used_model: str
    uniques: float
    """People of the population who are unique, or are estimated to be."""
    population_size: int
    sampling_fraction: float
    sample_uniques: int
    rows: int
    suppressed_rows: int
    estimates: tuple[Estimate, ...]
    remedy: Remedy | None = field()

    @property
    def figure(self) -> str:
        """The measure, and the model that was asked for or that the people were counted."""
        return f"{self.measure}, {self.model}"

    @property
    def explanation(self) -> tuple[str, ...]:
        """How many people are unique, by which model, and what the others say."""
        people = counted(self.population_size, "person", "people", of=self.population_size)
        alone = self.unit.counted(self.sample_uniques, of=self.rows + self.suppressed_rows)
        if self.used_model == COUNTED:
            said = [
                phrase(
                    "{number} of {people} alone in a class, counted in the population table",
                    number=tally(round(self.uniques), of=self.population_size),
                    people=people,
                )
            ]
            if self.passed is False:
                said.append(phrase("suppressing rows of the table does not change that"))
            broken = self.remedy is not None and (self.remedy.rows_breaking or self.passed)
            return (joined(said, "; "), *remedy_lines(self.remedy if broken else None))
        if self.rows == self.population_size:
            everybody = phrase(
                "the table is the whole population: {alone} of {people} alone in a class",
                alone=alone,
                people=people,
            )
            return (everybody, *remedy_lines(self.remedy))
        estimated = phrase(
            "about {number} of {people} unique by {model}; the table has {percent:.3g} % of them, "
            "{alone} alone in their class",
            number=f"{self.uniques:,.0f}" if self.uniques >= 100 else f"{self.uniques:.3g}",
            people=people,
            model=self.used_model,
            percent=100 * self.sampling_fraction,
            alone=alone,
        )
        shares = [
            phrase("{model} none", model=own.model)
            if own.share is None
            else f"{own.model} {own.share:.4g}"
            for own in self.estimates
        ]
        others = phrase("estimates: {shares}", shares=joined(shares))
        return (estimated, others, *remedy_lines(self.remedy))

    def table(self, granularity: str, *, with_values: bool = False) -> dict[str, ResultColumn]:
        """``details`` has the models, each with its estimate or the reason why it has none."""
        if granularity == DETAILS:
            own = self.estimates
            return {
                "model": ResultColumn("text", [each.model for each in own]),
                "uniques": ResultColumn("number", [each.uniques for each in own]),
                "value": ResultColumn("number", [each.share for each in own]),
                "reason": ResultColumn("text", [each.reason for each in own]),
            }
        if granularity == GLOBAL:
            return super().table(granularity)
        raise no_such_table(self.measure, granularity, _TABLES)


def population_uniqueness(
    table: object,
    *,
    limit: Number | None = None,
    population_size: int | None = None,
    sampling_fraction: Number | None = None,
    model: str | None = None,
    **given: Any,
) -> PopulationUniquenessResult:
    """Count the share of a population that is unique, or estimate it from a sample.

    A population table is counted unless a model is named; where only its size is known, the
    model is dankar if none is named.

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**", "131**", "148**", "148**"]})
    >>> found = population_uniqueness(
    ...     table, population_size=8, model="zayatz", quasi_identifiers="zip")
    >>> round(found.uniques, 3), round(found.value, 3)
    (2.545, 0.318)
    """
    result = compute(
        gather(table, **given),
        limit=limit,
        population_size=population_size,
        sampling_fraction=sampling_fraction,
        model=model,
    )
    announce(result)
    return result


def compute(
    inputs: Inputs,
    limit: Number | None = None,
    population_size: int | None = None,
    sampling_fraction: Number | None = None,
    model: str | None = None,
) -> PopulationUniquenessResult:
    """Count or estimate from opened inputs.

    An estimate has no exact value: one that is above the limit by a millionth of a millionth of it
    still keeps it.
    """
    name = PopulationUniquenessResult.measure
    bound = upper_limit(limit, name)
    asked = None if model is None else word(model, "model", _MODELS)
    size = population_of(inputs, population_size, sampling_fraction)
    if size is None:
        raise NotMeasurableError(
            "{measure} needs the size of the population: a population table, or one of the "
            "options population_size and sampling_fraction",
            measure=name,
        )
    histogram = inputs.class_histogram
    if not histogram.sizes.size:
        raise NotMeasurableError(ALL_SUPPRESSED)
    if inputs.person is not None:
        _require_one_class_each(phrase("the table"), inputs.counted.rows, inputs.individuals)
    sample = Sample(histogram.sizes, histogram.classes, size)
    warnings: Sequence[str] = ()
    if asked is None and inputs.population is not None:
        people = inputs.population_classes
        if inputs.population_person is not None:
            _require_one_class_each(phrase("the population"), people.memberships, size)
        uniques = people.uniques_with_rows + people.uniques_without_rows
        used = Estimate(COUNTED, float(uniques), uniques / size)
        asked, estimates = COUNTED, {COUNTED: used}
        passed = None if bound is None else Fraction(uniques, size) <= bound
        remedy = None if passed is None else _counted_remedy(inputs, people, passed=passed)
    else:
        asked = asked or dankar.NAME
        estimates = dankar.all_estimates(sample)
        used, warnings = _chosen(asked, sample, estimates)
        suppressed = histogram.suppressed_rows + histogram.suppressed_class
        warnings = (*warnings, *_missing_classes(suppressed))
        passed = None if bound is None else Fraction(used.share or 0) <= bound * (1 + TIE)
        remedy = None if passed is None else _remedy(inputs, sample, passed=passed)
    assert used.uniques is not None and used.share is not None  # noqa: S101, PT018 (see _chosen)
    return PopulationUniquenessResult(
        value=used.share,
        limit=None if bound is None else float(bound),
        passed=passed,
        warnings=(*warnings, *left_out(histogram.suppressed_rows, inputs.unit)),
        model=asked,
        used_model=used.model,
        uniques=used.uniques,
        population_size=size,
        sampling_fraction=sample.fraction,
        sample_uniques=sample.uniques,
        rows=sample.rows,
        suppressed_rows=histogram.suppressed_rows,
        estimates=tuple(estimates.values()),
        remedy=remedy,
        unit=inputs.unit,
    )


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


def _chosen(
    asked: str, sample: Sample, estimates: Mapping[str, Estimate]
) -> tuple[Estimate, Sequence[str]]:
    if asked != dankar.NAME:
        own = estimates[asked]
        if own.uniques is None:
            raise NotMeasurableError(own.reason or asked)
        return own, ()
    own, wanted = dankar.chosen(sample, estimates)
    if wanted is None:
        return own, ()
    said = phrase(
        "{model} stands in for {wanted}, which the rule of Dankar et al. prefers here: {reason}",
        model=own.model,
        wanted=wanted,
        reason=estimates[wanted].reason,
    )
    return own, (said,)


def _missing_classes(suppressed: int) -> tuple[str, ...]:
    """Say that the estimate is of a sample whose small classes are gone."""
    if not suppressed:
        return ()
    return (
        phrase(
            "{rows} with '*' in every quasi-identifier: if they were small classes, unique people "
            "are among them, and the estimate is too low; estimate before suppressing",
            rows=counted(suppressed, "row"),
        ),
    )


def _remedy(inputs: Inputs, sample: Sample, *, passed: bool) -> Remedy:
    """Without a row that is alone there is nobody to be unique, whatever the model says."""
    alone = 0 if passed else sample.uniques
    helps = not alone or alone < sample.rows
    return Remedy.of(
        alone,
        alone if helps else None,
        inputs.counted.rows,
        inputs.unit,
        by_dropping=inputs.suppressed == "class",
    )


def _counted_remedy(inputs: Inputs, people: PopulationClasses, *, passed: bool) -> Remedy:
    """People are as unique as before when rows of the table are suppressed."""
    broken, enough = (0, 0) if passed else (people.uniques_with_rows, None)
    return Remedy.of(broken, enough, inputs.counted.rows, inputs.unit)


MEASURE = OldMeasure(
    name=PopulationUniquenessResult.measure,
    title="Population uniqueness",
    family=Family.RISK,
    question="What share of the population is unique, judged by the table as a sample of it?",
    better=Better.LOWER,
    range=(0.0, 1.0),
    needs=(Need.QUASI_IDENTIFIERS,),
    formula=(
        "people who are unique in the population / P: counted in a population table at the labels "
        "of the released one, else estimated from the class sizes of a sample of n: Pitman's model "
        "for n/P <= 0.1, else the smaller of the estimates of Zayatz and of the slide negative "
        "binomial model"
    ),
    reference="; ".join(own.REFERENCE for own in (dankar, zayatz, pitman, snb)),
    meaning=(
        "The share of all people in the population whom their quasi-identifiers single out. "
        "Whoever has a register of everybody can find these people with certainty. With 0.01, "
        "that is one person in a hundred."
    ),
    does_not_say=(
        "Unless a population table was counted, it is an estimate, and it takes the table for a "
        "random sample. If the people were chosen otherwise, or the population is smaller than "
        "said, the true share may be much higher."
    ),
    compute=compute,
    limit_help="the share may be at most this",
    options=(
        SIZE_OPTION,
        FRACTION_OPTION,
        Option(
            "model",
            "dankar (the rule), zayatz, pitman or snb; if not given, a population table is "
            "counted, and dankar is for where there is none",
            kind=_MODELS,
        ),
    ),
    granularities=_TABLES,
    check=check_one,
    either=((Need.POPULATION, (SIZE_OPTION.name, FRACTION_OPTION.name)),),
)
