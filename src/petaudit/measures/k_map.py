"""k-map: how many people of the population every row could be, at the least."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Final

from petaudit.errors import NotMeasurableError, OptionError, counted, phrase, steps
from petaudit.exact.fractions import Number, exact, exact_nonnegative
from petaudit.inputs import Inputs, gather
from petaudit.measures import kinds
from petaudit.measures._assumed_population import USUAL_SIGNIFICANCE, AssumedPopulation
from petaudit.measures._old import OldMeasure
from petaudit.measures._risk import SIZE_OPTION, RiskClasses, checked_size, rows_in_classes, whole
from petaudit.measures._suppressed import left_out
from petaudit.measures._tables import DETAILS, no_such_table
from petaudit.measures.base import GLOBAL, Better, Family, Need, Option, Remedy, Result, announce
from petaudit.tables.result_frames import ResultColumn

_TABLES = (GLOBAL, DETAILS)
_CURVE: Final = (2, 3, 5, 10, 15, 20, 25, 50, 100)
_SIGNIFICANCE: Final = kinds.Number(0, 1, excludes_bounds=True)


@dataclass(frozen=True)
class MapPoint:
    """What a k would take: the rows that could be fewer people, and their share of the table."""

    k: int
    rows: int
    share: float


@dataclass(frozen=True)
class KMapResult(Result):
    """The fewest people that a row could be."""

    measure: ClassVar[str] = "k-map"
    better: ClassVar[Better] = Better.HIGHER

    population_size: int
    is_estimate: bool
    """Whether only the size of the population is known."""
    significance: float | None
    classes: int
    rows: int
    suppressed_rows: int
    smallest_class: int
    curve: tuple[MapPoint, ...]
    remedy: Remedy | None = field()

    @property
    def figure(self) -> str:
        """The measure, and whether it is an estimate."""
        return f"{self.measure}, estimated" if self.is_estimate else self.measure

    @property
    def explanation(self) -> tuple[str, ...]:
        """Where the figure comes from, what the limit takes, and the curve."""
        total = self.rows + self.suppressed_rows
        lines = [
            phrase(
                "{rows}; a population of {people}",
                rows=rows_in_classes(self.rows, self.classes, self.suppressed_rows, self.unit),
                people=counted(self.population_size, "person", "people", of=self.population_size),
            )
        ]
        if self.is_estimate:
            lines.append(
                phrase(
                    "an estimate from the smallest class of the table, which has {rows} "
                    "(significance {significance:g})",
                    rows=self.unit.counted(
                        self.smallest_class, of=self.rows + self.suppressed_rows
                    ),
                    significance=self.significance,
                )
            )
        if self.remedy is not None:
            lines.append(self.remedy.text)
        points = steps([(point.k, point.rows) for point in self.curve], total)
        lines.append(
            self.unit.choose(
                phrase("rows that could be fewer than k people: {points}", points=points),
                phrase(
                    "people of classes with fewer than k people of the population: {points}",
                    points=points,
                ),
            )
        )
        return tuple(lines)

    def table(self, granularity: str, *, with_values: bool = False) -> dict[str, ResultColumn]:
        """``details`` has the curve: for each k the rows that could be fewer people."""
        if granularity == DETAILS:
            return {
                "k": ResultColumn("integer", [point.k for point in self.curve]),
                "rows": ResultColumn("integer", [point.rows for point in self.curve]),
                "share": ResultColumn("number", [point.share for point in self.curve]),
            }
        if granularity == GLOBAL:
            return super().table(granularity)
        raise no_such_table(self.measure, granularity, _TABLES)


def k_map(
    table: object,
    *,
    limit: Number | None = None,
    population_size: int | None = None,
    significance: Number | None = None,
    **given: Any,
) -> KMapResult:
    """Measure k-map against a population table, or against a population of a known size.

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**", "148**"]})
    >>> population = pa.table({"zip": ["130**"] * 2 + ["148**"] * 4 + ["150**"]})
    >>> k_map(table, population=population, quasi_identifiers="zip").value
    2.0
    >>> table = pa.table({"zip": ["130**"] * 4 + ["148**"] * 96})
    >>> k_map(table, population_size=1000, quasi_identifiers="zip").value
    6.0
    """
    result = compute(
        gather(table, **given),
        limit=limit,
        population_size=population_size,
        significance=significance,
    )
    announce(result)
    return result


def compute(
    inputs: Inputs,
    limit: Number | None = None,
    population_size: int | None = None,
    significance: Number | None = None,
) -> KMapResult:
    """Measure k-map from opened inputs."""
    name = phrase("the limit of {measure}", measure=KMapResult.measure)
    bound = None if limit is None else exact_nonnegative(limit, name)
    level = _level(USUAL_SIGNIFICANCE if significance is None else significance)
    size = checked_size(inputs, population_size)
    warnings: tuple[str, ...] = ()
    if size is not None:
        classes = RiskClasses.of_table(inputs)
        assumed = AssumedPopulation(inputs.individuals, size, level)
        k = assumed.most_people(int(classes.sizes[0]))

        def rows_below(people: int) -> int:
            return assumed.rows_below(classes, people)

    elif inputs.population is not None:
        classes = RiskClasses.of_population(inputs)
        size, k = inputs.population_individuals, int(classes.people[0])
        if significance is not None:
            warnings = (
                phrase("significance is not used: the population table says how many people are"),
            )

        def rows_below(people: int) -> int:
            return classes.rows_with_fewer(Fraction(people))

    else:
        raise NotMeasurableError("k-map needs a population table or the option population_size")
    remedy = None
    if bound is not None:
        broken = rows_below(math.ceil(bound))
        remedy = classes.remedy(broken, broken)
    curve = [(number, rows_below(number)) for number in _CURVE]
    return KMapResult(
        value=float(k),
        limit=None if bound is None else float(bound),
        passed=None if bound is None else k >= bound,
        warnings=(*warnings, *left_out(classes.suppressed_rows, inputs.unit)),
        population_size=size,
        is_estimate=inputs.population is None,
        significance=float(level) if inputs.population is None else None,
        classes=classes.number,
        rows=classes.rows,
        suppressed_rows=classes.suppressed_rows,
        smallest_class=int(classes.sizes.min()),
        curve=tuple(MapPoint(k, rows, rows / inputs.counted.rows) for k, rows in curve),
        remedy=remedy,
        unit=inputs.unit,
    )


def check(given: Mapping[str, Any]) -> None:
    """Raise an error for options that make no sense."""
    if given.get("population_size") is not None:
        whole(given["population_size"], "population_size")
    if given.get("significance") is not None:
        _level(given["significance"])


def _level(significance: Number) -> Fraction:
    level = exact(significance, "significance")
    if not 0 < level < 1:
        raise OptionError(
            "{name} is {value}; {expected} was expected",
            name="significance",
            value=significance,
            expected=_SIGNIFICANCE.expected,
        )
    return level


MEASURE = OldMeasure(
    name="k-map",
    title="k-map",
    family=Family.PRIVACY,
    question="How many people of the population could every row be, at the least?",
    better=Better.HIGHER,
    range=(1.0, float("inf")),
    needs=(Need.QUASI_IDENTIFIERS,),
    formula=(
        "smallest number of people in the population in a class of the table; for a population of "
        "P people the largest k such that Poisson(k*n/P), truncated at zero, is as large as the "
        "smallest class with a probability of the significance at most, or that class itself has "
        "k rows"
    ),
    reference=(
        "L. Sweeney: Computational Disclosure Control, PhD thesis, MIT, 2001; K. El Emam, F. K. "
        "Dankar: Protecting Privacy Using k-Anonymity. JAMIA 15(5), 2008, doi 10.1197/jamia.M2716"
    ),
    compute=compute,
    limit_help="every row must be one of at least this many people",
    options=(
        SIZE_OPTION,
        Option(
            "significance",
            "where only population_size is known: how probable as many rows as a class has may be "
            "if only k people were in it (0.01 if not given)",
            kind=_SIGNIFICANCE,
        ),
    ),
    granularities=_TABLES,
    check=check,
    either=((Need.POPULATION, ("population_size",)),),
    meaning=(
        "Every row could be any of at least this many people of the population. With 50, an "
        "attacker who has a register of the population can narrow a row down to 50 people at "
        "best."
    ),
    does_not_say=(
        "It does not hold where somebody knows that a person is in the table: then k-anonymity is "
        "the honest figure. Nor does it hold if the attacker's list of people is smaller than the "
        "population that was given."
    ),
)
