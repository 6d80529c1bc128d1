"""What a measure declares, and what it returns."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from petaudit.errors import (
    OptionError,
    PetauditWarning,
    Phrase,
    UndecidedError,
    joined,
    listing,
    phrase,
    suggestion,
    term,
)
from petaudit.exact.fractions import exact, exact_nonnegative, quotient_text
from petaudit.i18n.units import Unit
from petaudit.measures._needs import Need
from petaudit.measures._remedy import Remedy
from petaudit.measures.kinds import Anything, Kind, Limit, Number
from petaudit.measures.limits import breakable, is_idle, refuse_unbreakable

if TYPE_CHECKING:
    from petaudit.inputs import Inputs
    from petaudit.pictures import Picture
    from petaudit.tables.result_frames import ResultColumn


__all__ = [
    "GLOBAL",
    "Better",
    "Family",
    "Measure",
    "Need",
    "Option",
    "Remedy",
    "Result",
    "announce",
]

GLOBAL: Final = "global"
"""The table of one row that every result has."""


class Better(StrEnum):
    """Which way is better."""

    LOWER = "lower"
    HIGHER = "higher"
    TRUE = "true"


class Family(StrEnum):
    """What a measure is about; results are shown in this order."""

    PRIVACY = "privacy models"
    RISK = "re-identification risk"
    UTILITY = "utility"
    OTHER = "other measures"


@dataclass(frozen=True)
class Result:
    """A figure with its limit and verdict; ``passed`` is None when no limit was given."""

    measure: ClassVar[str]
    better: ClassVar[Better]

    value: float | bool
    limit: float | None
    passed: bool | None
    warnings: tuple[str, ...]
    unit: Unit = field(default=Unit.ROW, repr=False, kw_only=True)
    """What the figures called rows are numbers of: people, where a column tells them apart."""
    limit_exact: str | None = field(default=None, kw_only=True, repr=False)
    """The limit as a quotient, such as 1/11, where no float shows it as it is."""

    def __post_init__(self) -> None:
        """Refuse a limit that no table could break, whoever gave it."""
        declared = None if self.limit is None else self._declared
        if self.limit is not None and declared is not None:
            refuse_unbreakable(self.limit, self.measure, self.better.value, declared.range)

    @property
    def _declared(self) -> Measure | None:
        """The measure of this result, if it is registered."""
        from petaudit.measures.registry import registered  # noqa: PLC0415 (it knows the results)

        return registered(self.measure)

    @property
    def is_idle_limit(self) -> bool:
        """Whether the verdict says nothing: the limit is at the end of what a figure can be.

        >>> import petaudit
        >>> import pyarrow as pa
        >>> table = pa.table({"zip": ["130**", "148**"]})
        >>> [petaudit.prosecutor_risk(table, quasi_identifiers="zip", limit=limit).is_idle_limit
        ...  for limit in (0.5, 1)]
        [False, True]
        """
        if self.limit is None or self.conditions or self._declared is None:
            return False
        reach = self._declared.range
        return is_idle(self.limit, self.better.value, reach, strict=self.is_strict)

    @property
    def threshold(self) -> float | None:
        """Another word for the limit."""
        return self.limit

    @property
    def other_files(self) -> tuple[Path, ...]:
        """Files that the measure read beside the inputs of the audit."""
        return ()

    @property
    def is_strict(self) -> bool:
        """Whether a figure that equals the limit breaks it."""
        return False

    @property
    def figure(self) -> str:
        """What the value is a figure of; only like is compared with like."""
        return self.measure

    @property
    def conditions(self) -> tuple[str, ...]:
        """What must hold beside the limit for the verdict, for example ``k at least 5``."""
        return ()

    @cached_property
    def remedy(self) -> Remedy | None:
        """Which rows break the limit, and how many to suppress; None without a limit."""
        return None

    @property
    def is_lower_bound(self) -> bool:
        """Whether the figure may be too low because something was not looked at."""
        return False

    @property
    def status(self) -> str:
        """``passed``, ``failed``, or ``measured`` without a limit."""
        return {True: "passed", False: "failed", None: "measured"}[self.passed]

    @property
    def explanation(self) -> tuple[str, ...]:
        """What a person asks next, in sentences without any value of the data."""
        return ()

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, ready for JSON; what ``repr`` leaves out is left out here."""
        own = {item.name: _plain(getattr(self, item.name)) for item in fields(self) if item.repr}
        head = {"measure": self.measure, "status": self.status, "better": self.better.value}
        if self.unit is not Unit.ROW:
            head["counts"] = self.unit.value
        limit = {} if self.limit_exact is None else {"limit_exact": self.limit_exact}
        return head | own | limit

    def table(self, granularity: str, *, with_values: bool = False) -> dict[str, ResultColumn]:
        """The result as a table of one of the measure's granularities.

        Values of the data are in it only where they are asked for.
        """
        from petaudit.tables.result_frames import ResultColumn  # noqa: PLC0415 (brings an engine)

        if granularity != GLOBAL:
            raise OptionError(
                "{measure} has no table {table!r}{near}; it has {known}",
                measure=self.measure,
                table=granularity,
                near=suggestion(str(granularity), [GLOBAL]),
                known=GLOBAL,
            )
        is_truth = isinstance(self.value, bool)
        return {
            "measure": ResultColumn("text", [self.measure]),
            "value": ResultColumn("boolean" if is_truth else "number", [self.value]),
            "limit": ResultColumn("number", [self.limit]),
            "status": ResultColumn("text", [self.status]),
            "better": ResultColumn("text", [self.better.value]),
        }

    def to_entry(
        self, inputs: Inputs | None = None, *, with_pictures: bool = True
    ) -> dict[str, Any]:
        """The result as an entry of a document, with everything that a report shows.

        Most pictures are drawn from the counts that the result was made of, so they need the
        inputs.
        """
        from petaudit.measures.registry import all_measures  # noqa: PLC0415 (it knows the results)
        from petaudit.pictures.optional import pictures_of  # noqa: PLC0415 (it knows counts)

        known = all_measures().get(self.measure)
        if not with_pictures:
            known = None
        pictures, notes = ([], ()) if known is None else pictures_of(known, inputs, self)
        entry = self.to_dict()
        return entry | {
            "warnings": [*entry["warnings"], *notes],
            "figure": self.figure,
            "strict": self.is_strict,
            "conditions": list(self.conditions),
            "lower_bound": self.is_lower_bound,
            "explanation": list(self.explanation),
            "pictures": pictures,
        }

    def _repr_html_(self) -> str:
        from petaudit.reports.notebook import result_html  # noqa: PLC0415 (only to look at)

        return result_html(self)


@dataclass(frozen=True)
class Option:
    """An option of a measure, beside its limit."""

    name: str
    help: str
    required: bool = False
    kind: Kind = field(default_factory=Anything)
    """What it may be, so that a configuration is checked before any work is done."""
    shows_in_figure: bool = True
    """Whether another value may give another figure; threads, for example, do not."""


@dataclass(frozen=True)
class Measure:
    """One measure: what it is called, what it needs, and how it is computed."""

    name: str
    title: str
    question: str
    better: Better
    range: tuple[float, float]
    needs: tuple[Need, ...]
    formula: str
    reference: str
    compute: Callable[..., Result]
    limit_help: str | None = None
    options: tuple[Option, ...] = ()
    family: Family = Family.OTHER
    only_by_name: str | None = None
    """Why the measure runs only when it is named, for example because it suits few tables."""
    when_left_out: Callable[[Inputs], str | None] | None = None
    """Why the measure runs on this table only when it is named, for example because it is large."""
    granularities: tuple[str, ...] = (GLOBAL,)
    """The tables that a result can be laid out as; see :meth:`Result.table`."""
    limit_kind: Kind = field(default_factory=Limit)
    """What a limit may be; if not given, every number that some table could break."""
    has_same_columns: bool = False
    """Whether the original and the control must have the columns of the table."""
    check: Callable[[Mapping[str, Any]], object] | None = None
    """Raises an error for options that contradict each other; computes nothing."""
    either: tuple[tuple[Need, tuple[str, ...]], ...] = ()
    """Needs that an option can stand in for, each with the names of such options."""
    meaning: str = ""
    """What the figure means, in a sentence or two for somebody who never heard of it."""
    does_not_say: str = ""
    """What a reader might wrongly conclude from the figure."""
    meaning_of_people: str = ""
    """The same where people are counted, if a sentence to that effect is not enough."""
    does_not_say_of_people: str = ""
    pictures: Callable[[Inputs | None, Any], tuple[Picture, ...]] | None = None
    """What to draw of a result, from counts that were made for it."""

    def __post_init__(self) -> None:
        """Let the kind of the limit know the range, so that files are checked as options are."""
        if self.limit_kind == Limit():
            kind = Limit(*breakable(self.better.value, self.range))
            object.__setattr__(self, "limit_kind", kind)

    def missing(self, inputs: Inputs, options: Mapping[str, Any]) -> list[Phrase]:
        """What the measure would still need."""
        absent = [need.with_option for need in self.needs if not need.is_met(inputs)]
        absent += [
            phrase(
                "{need} or the option {names}", need=need.with_option, names=joined(names, " or ")
            )
            for need, names in self.neither(inputs, options)
        ]
        required = [option.name for option in self.options if option.required]
        lacking = [name for name in required if options.get(name) is None]
        if len(lacking) == 1:
            absent.append(phrase("the option {name}", name=listing(lacking)))
        elif lacking:
            absent.append(phrase("the options {names}", names=listing(lacking)))
        return absent

    def neither(
        self, inputs: Inputs, options: Mapping[str, Any]
    ) -> list[tuple[Need, tuple[str, ...]]]:
        """The needs that neither the inputs nor the options that can stand in for them meet."""
        return [
            (need, names)
            for need, names in self.either
            if not need.is_met(inputs) and all(options.get(name) is None for name in names)
        ]

    def why_left_out(self, inputs: Inputs) -> str | None:
        """Why the measure should not run on a table unless somebody names it."""
        if self.only_by_name is not None:
            return term(self.only_by_name)
        if self.when_left_out is None or self.missing(inputs, {}):
            return None
        return self.when_left_out(inputs)

    def check_options(self, options: Mapping[str, Any]) -> None:
        """Raise an error for an option that the measure does not have."""
        known = [option.name for option in self.options]
        if self.limit_help is not None:
            known.append("limit")
        for name in options:
            if name not in known:
                raise OptionError(
                    "{measure} has no option {name!r}{near}; its options are {known}",
                    measure=self.name,
                    name=name,
                    near=suggestion(name, known),
                    known=listing(known),
                )
        self.check_limit(options.get("limit"))

    def check_limit(self, limit: Any) -> None:
        """Raise an error for a limit that no table could break."""
        if limit is None or self.limit_help is None or not isinstance(self.limit_kind, Number):
            return
        name = phrase("the limit of {measure}", measure=self.name)
        read = exact if self.range[0] < 0 else exact_nonnegative
        refuse_unbreakable(read(limit, name), self.name, self.better.value, self.range)

    def run(self, inputs: Inputs, options: Mapping[str, Any]) -> Result:
        """Compute the measure from opened inputs; a limit that it ignores is undecided."""
        self.check_options(options)
        result = self.compute(inputs, **options)
        limit = options.get("limit")
        if result.passed is None and limit is not None:
            raise UndecidedError(
                "{measure} did not say whether its limit holds", measure=self.name, result=result
            )
        if limit is None or result.limit is None:
            return result
        return replace(result, limit_exact=quotient_text(exact(limit, "limit")))


def announce(result: Result) -> None:
    """Show the warnings of a result the way Python programs expect them."""
    for message in result.warnings:
        warnings.warn(message, PetauditWarning, stacklevel=3)


def _plain(value: Any) -> Any:
    match value:
        case Fraction():
            return f"{value.numerator}/{value.denominator}"
        case tuple() | list():
            return [_plain(item) for item in value]
        case Mapping():
            return {str(key): _plain(item) for key, item in value.items()}
        case StrEnum():
            return value.value
        case float() if math.isnan(value):
            return None
        case float() if math.isinf(value):
            # JSON has no word for it; this one is a number again in most languages.
            return "inf" if value > 0 else "-inf"
    if hasattr(value, "__dataclass_fields__"):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    return value
