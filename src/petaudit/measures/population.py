"""How large the population is that a table was drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Final, TypeAlias

from petaudit.errors import InputError, NotMeasurableError, OptionError, phrase
from petaudit.i18n.numbers import Unit
from petaudit.inputs import Inputs
from petaudit.measures.risk import RiskMeasure
from petaudit.system import kinds

_MOST_PEOPLE: Final = 2**63 - 1


@dataclass(frozen=True)
class PartOfAll(kinds.Number):
    """A number above 0 up to 1: a part, or all of it.

    >>> PartOfAll().takes(0), PartOfAll().takes(0.1), PartOfAll().takes(1)
    (False, True, True)
    """

    most: float | None = 1.0

    @property
    def expected(self) -> str:
        """What is taken."""
        return phrase("a number > 0 and <= 1")

    def has_within(self, number: Fraction | float) -> bool:
        """Whether a number is within the bounds, without 0."""
        return number != 0 and super().has_within(number)

    def schema(self) -> kinds.JsonSchema:
        """The same as JSON Schema."""
        return {"type": "number", "exclusiveMinimum": 0, "maximum": self.most}


PopulationSize: TypeAlias = Annotated[
    int | None,
    kinds.Integer(1),
    "number of people in the population, if there is no population table",
]
SamplingFraction: TypeAlias = Annotated[
    Fraction | None,
    PartOfAll(),
    "instead of population_size: the share of the population that is in the table",
]


class SampleMeasure(RiskMeasure):
    """A measure of a sample: options say how large the population is, where no table does."""

    def check(self, options: Mapping[str, Any]) -> None:
        """Refuse two answers to one question."""
        if all(options.get(name) is not None for name in ("population_size", "sampling_fraction")):
            raise OptionError("give either population_size or sampling_fraction, not both")

    def people(
        self, inputs: Inputs, population_size: int | None, sampling_fraction: Fraction | None
    ) -> int | None:
        """Return how many people the population has; None where nothing says it.

        All rows of the table were drawn from it, suppressed ones as well.
        """
        if sampling_fraction is None:
            size = assumed_size(inputs, population_size)
            return _table_size(inputs) if size is None else size
        size = round(inputs.individuals / sampling_fraction)
        if size > _MOST_PEOPLE:
            raise NotMeasurableError(
                "a sampling_fraction of {fraction} implies more than {people:,} people; give a "
                "larger one",
                fraction=float(sampling_fraction),
                people=_MOST_PEOPLE,
            )
        table_size = _table_size(inputs)
        if table_size is not None and table_size != size:
            raise InputError(
                "sampling_fraction is {fraction}, which would be of {size:,} people, but the "
                "population table has {rows:,} rows; leave sampling_fraction out",
                fraction=float(sampling_fraction),
                size=size,
                rows=table_size,
            )
        return size


def assumed_size(inputs: Inputs, population_size: int | None) -> int | None:
    """Return how many people are assumed; None where a table tells or nothing was said."""
    if population_size is None:
        return None
    if inputs.population is not None:
        table_size = inputs.population_individuals
        if table_size != population_size:
            unit = Unit.ROW if inputs.population_person is None else Unit.PERSON
            raise InputError(
                "population_size is {size:,}, but the population table has {rows}; leave "
                "population_size out",
                size=population_size,
                rows=unit.counted(table_size, of=table_size),
            )
        return None
    if population_size < inputs.individuals:
        raise InputError(
            "population_size is {size:,}, fewer than the {rows} of the table, whose people are "
            "all in the population",
            size=population_size,
            rows=inputs.unit.counted(inputs.individuals, of=inputs.individuals),
        )
    return population_size


def _table_size(inputs: Inputs) -> int | None:
    """Return the rows of the population table, which holds everybody."""
    if inputs.population is None:
        return None
    table_size = inputs.population_individuals
    if table_size < inputs.individuals:
        raise InputError(
            "the population table has {population:,} rows, fewer than the {rows:,} of the "
            "table, whose people are all in the population",
            population=table_size,
            rows=inputs.individuals,
        )
    return table_size
