"""What measures of samples share: how large the population is that the table was drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from petaudit.errors import InputError, NotMeasurableError, OptionError, phrase
from petaudit.exact.fractions import Number, exact
from petaudit.inputs import Inputs
from petaudit.measures._risk import checked_size, whole
from petaudit.measures.base import Option
from petaudit.measures.kinds import JsonSchema, Kind
from petaudit.measures.kinds import Number as NumberKind

_LARGEST: Final = 2**63 - 1


@dataclass(frozen=True)
class PartOfAll(NumberKind):
    """A number above 0 up to 1: a part, or all of it.

    >>> PartOfAll().takes(0), PartOfAll().takes(0.1), PartOfAll().takes(1)
    (False, True, True)
    """

    most: float | None = 1.0

    @property
    def expected(self) -> str:
        """What is taken."""
        return phrase("a number above 0 up to 1")

    def takes(self, value: Any) -> bool:
        """Numbers up to 1, without 0."""
        return super().takes(value) and value > 0

    def schema(self) -> JsonSchema:
        """The same as JSON Schema."""
        return {"type": "number", "exclusiveMinimum": 0, "maximum": self.most}


_PART: Final[Kind] = PartOfAll()
FRACTION_OPTION: Final = Option(
    "sampling_fraction",
    "instead of population_size: the share of the population that the table has",
    kind=_PART,
)


def population_of(
    inputs: Inputs, population_size: int | None, sampling_fraction: Number | None
) -> int | None:
    """How many people the population has; None where nothing says it.

    All rows of the table were drawn from it, suppressed ones as well.
    """
    check_one({"population_size": population_size, "sampling_fraction": sampling_fraction})
    if sampling_fraction is None:
        size = checked_size(inputs, population_size)
        return _table_size(inputs) if size is None else size
    size = round(inputs.individuals / _part(sampling_fraction))
    if size > _LARGEST:
        raise NotMeasurableError(
            "a sampling_fraction of {fraction} would be of more than {people:,} people; give "
            "a larger one",
            fraction=sampling_fraction,
            people=_LARGEST,
        )
    everybody = _table_size(inputs)
    if everybody is not None and everybody != size:
        raise InputError(
            "sampling_fraction is {fraction}, which would be of {size:,} people, but the "
            "population table has {rows:,} rows; leave sampling_fraction out",
            fraction=sampling_fraction,
            size=size,
            rows=everybody,
        )
    return size


def check_one(given: Mapping[str, Any]) -> None:
    """Raise an error for options that make no sense or contradict each other."""
    size, fraction = given.get("population_size"), given.get("sampling_fraction")
    if size is not None:
        whole(size, "population_size")
    if fraction is not None:
        _part(fraction)
    if size is not None and fraction is not None:
        raise OptionError("give either population_size or sampling_fraction, not both")


def _part(value: Number) -> Fraction:
    number = exact(value, "sampling_fraction")
    if not 0 < number <= 1:
        raise OptionError(
            "{name} is {value}; {expected} was expected",
            name="sampling_fraction",
            value=value,
            expected=_PART.expected,
        )
    return number


def _table_size(inputs: Inputs) -> int | None:
    """The rows of the population table, which holds everybody."""
    if inputs.population is None:
        return None
    everybody = inputs.population_individuals
    if everybody < inputs.individuals:
        raise InputError(
            "the population table has {population:,} rows, fewer than the {rows:,} of the "
            "table, whose people are all in the population",
            population=everybody,
            rows=inputs.individuals,
        )
    return everybody
