"""What measures of samples share: how large the population is that the table was drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from petaudit.errors import InputError, NotMeasurableError, OptionError
from petaudit.exact import Number, exact
from petaudit.inputs import Inputs
from petaudit.kinds import JsonSchema, Kind
from petaudit.kinds import Number as NumberKind
from petaudit.measures._risk import checked_size, whole
from petaudit.measures.base import Option

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
        return "a number above 0 up to 1"

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
    size = round(inputs.table.rows / _part(sampling_fraction))
    if size > _LARGEST:
        raise NotMeasurableError(
            f"a sampling_fraction of {sampling_fraction} would be of more than {_LARGEST:,} "
            "people; give a larger one"
        )
    everybody = _table_size(inputs)
    if everybody not in (None, size):
        raise InputError(
            f"sampling_fraction is {sampling_fraction}, which would be of {size:,} people, but the "
            f"population table has {everybody:,} rows; leave sampling_fraction out"
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
        raise OptionError(f"sampling_fraction is {value}; {_PART.expected} was expected")
    return number


def _table_size(inputs: Inputs) -> int | None:
    """The rows of the population table, which holds everybody."""
    if inputs.population is None:
        return None
    if inputs.population.rows < inputs.table.rows:
        raise InputError(
            f"the population table has {inputs.population.rows:,} rows, fewer than the "
            f"{inputs.table.rows:,} of the table, whose people are all in the population"
        )
    return inputs.population.rows
