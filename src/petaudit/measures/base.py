"""What a measure is: a class whose docstring explains it and whose ``compute`` measures."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from functools import cache, cached_property
from types import SimpleNamespace, UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Final,
    Protocol,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from petaudit.errors import (
    OptionError,
    PetauditWarning,
    Phrase,
    UndecidedError,
    argument,
    joined,
    listing,
    phrase,
    suggestion,
    term,
)
from petaudit.exact.fractions import as_float, exact, exact_nonnegative, quotient_text
from petaudit.i18n.numbers import Unit
from petaudit.measures.limits import breakable, refuse_unbreakable
from petaudit.measures.needs import Need
from petaudit.measures.remedy import Remedy, left_out
from petaudit.measures.result import (
    COLUMNWISE,
    DETAILS,
    ENTRY_KEYS,
    GLOBAL,
    Columns,
    Result,
    plain_data,
    rows_of,
)
from petaudit.system import kinds
from petaudit.system.reading import Reading

if TYPE_CHECKING:
    from petaudit.exact.class_figures import Exact
    from petaudit.inputs import Inputs
    from petaudit.pictures import Picture

__all__ = [
    "Better",
    "Columns",
    "Family",
    "Measure",
    "Need",
    "Option",
    "Remedy",
    "ReportedFigure",
    "Result",
    "announce",
    "left_out",
    "rows_of",
]

_SECTIONS: Final = {
    "Does not say": "does_not_say",
    "Formula": "formula",
    "Reference": "reference",
    "Of people": "meaning_of_people",
    "Does not say of people": "does_not_say_of_people",
}
JUDGING: Final = ("limit", "profile")
"""The options that a figure is judged by."""
_INTERNAL_ARGUMENTS: Final = ("use_side_car", "announce_notes")


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


class ReportedFigure(Protocol):
    """What a report knows of a figure."""

    @property
    def value(self) -> float:
        """The figure."""

    @property
    def value_text(self) -> str:
        """The figure as people read it."""

    @property
    def status(self) -> str:
        """``passed``, ``failed``, ``undecided``, or ``measured`` without a limit."""

    @property
    def explanation(self) -> Sequence[str]:
        """What the measure explained."""

    @property
    def suppressed_left_out(self) -> bool:
        """Whether the figure is of a table that has suppressed rows as well."""


class Riskiest(StrEnum):
    """Which classes are the riskiest, where classes have no figure of their own."""

    SMALLEST = "the smallest"
    FEWEST_PEOPLE = "those with the fewest people in the population, if there is one"
    LARGEST_SHARE = "those with the largest share of the population"


@dataclass(frozen=True)
class Option:
    """An option of a measure, beside its limit."""

    name: str
    help: str
    required: bool = False
    kind: kinds.Kind = field(default_factory=kinds.Anything)
    """What it may be, so that a configuration is checked before any work is done."""
    shows_in_figure: bool = True
    """Whether another value may give another figure; threads, for example, do not."""

    def read(self, value: Any) -> Any:
        """Check a value; numbers that are not integers become exact.

        >>> Option("threshold", "", kind=kinds.Number(0, 1)).read("0.2")
        Fraction(1, 5)
        """
        if isinstance(self.kind, kinds.Number):
            number = exact(value, self.name)
            if not self.kind.has_within(number):
                raise OptionError(
                    "{name} must be {expected}, got {value}",
                    name=self.name,
                    value=value,
                    expected=self.kind.expected,
                )
            return number
        problems = kinds.Problems()
        self.kind.check(value, (self.name,), problems)
        for _, message in problems:
            raise OptionError(message)
        return value


class Measure:
    """One measure: subclass it, say what it is called and needs, and write ``compute``.

    The docstring of the subclass is its documentation: the first line is the question that it
    answers, the second paragraph what the figure means; paragraphs that begin with ``Formula:``,
    ``Reference:``, ``Does not say:`` and, where people are counted, ``Of people:`` and ``Does not
    say of people:`` follow. Options are the keyword-only parameters of ``compute``, each
    ``Annotated`` with its kind and its help.
    """

    name: str
    title: str
    """Its name as people write it; by default the name without hyphens."""
    family: Family = Family.OTHER
    rank: int = 1000
    """Its place within the family: what people ask first has the lowest."""
    better: Better
    range: tuple[float, float]
    needs: tuple[Need, ...]
    either: tuple[tuple[Need, tuple[str, ...]], ...] = ()
    """Needs that an option can stand in for, each with the names of such options."""
    limit_help: str | None = None
    """What a limit says; None where there can be none."""
    strict: bool = False
    """Whether a figure that equals the limit breaks it."""
    figure_ignores: tuple[str, ...] = ()
    """Options that never change the figure."""
    only_by_name: str | None = None
    """Why the measure runs only when it is named, for example because it suits few tables."""
    is_mentioned: bool = True
    """Whether an audit of everything names it among what was left out."""
    riskiest: Riskiest = Riskiest.SMALLEST
    """Which classes go first when some are dropped to reach a limit."""
    decides_by_interval: bool = False
    """Whether an interval keeps or breaks a limit, and otherwise nothing is decided."""
    has_same_columns: bool = False
    """Whether the original and the control must have the columns of the table."""
    positional: ClassVar[tuple[str, ...]]
    """The tables that the function takes by position: the original, too, where it is needed."""

    question: str = ""
    meaning: str = ""
    """What the figure means, in a sentence or two for somebody who never heard of it."""
    does_not_say: str = ""
    """What a reader might wrongly conclude from the figure."""
    formula: str = ""
    reference: str = ""
    meaning_of_people: str = ""
    """The same where people are counted, if a sentence to that effect is not enough."""
    does_not_say_of_people: str = ""

    def __init_subclass__(cls) -> None:
        """Read the docstring of a measure; a base of several measures has no name."""
        if "name" not in cls.__dict__:
            return
        question, meaning, *others = (
            " ".join(paragraph.split()) for paragraph in (inspect.getdoc(cls) or "").split("\n\n")
        )
        cls.question, cls.meaning = question, meaning
        if "title" not in cls.__dict__:
            cls.title = cls.name.capitalize().replace("-", " ")
        cls.positional = ("original", "table") if Need.ORIGINAL in cls.needs else ("table",)
        for paragraph in others:
            section = re.match(f"({'|'.join(_SECTIONS)}): ", paragraph)
            if section is not None:
                setattr(cls, _SECTIONS[section[1]], paragraph[section.end() :])

    def compute(self, inputs: Inputs, limit: Fraction | None) -> Result:
        """Measure opened inputs; options are keyword-only parameters of their own."""
        raise NotImplementedError

    def published(self, result: Result) -> Result:
        """The result as it is shown and written: coarser where it would tell about people."""
        return result

    def explain(self, result: Result) -> Iterable[str]:
        """Say what a person asks next, in sentences without any value of the data."""
        return ()

    def plain_words(self, figure: ReportedFigure) -> str | None:
        """Say the figure without jargon, for the summary of a report; None where there is no need.

        It is read from a document, maybe of an earlier version: there is no :class:`Result`.
        """
        return None

    def more_columns(self, result: Result) -> Columns:
        """What the table of one row has beside the figure and its verdict."""
        return {}

    def columnwise(self, result: Result) -> Columns:
        """Lay out the result as a table with a row per column of the data."""
        raise NotImplementedError

    def details(self, result: Result, *, with_values: bool) -> Columns:
        """Lay out what the figure comes from as a table."""
        raise NotImplementedError

    def pictures(self, inputs: Inputs | None, result: Any) -> tuple[Picture, ...]:
        """Say what to draw of a result, from counts that were made for it."""
        return ()

    def check(self, options: Mapping[str, Any]) -> None:
        """Raise an error for options that contradict each other; compute nothing."""

    def when_left_out(self, inputs: Inputs) -> str | None:
        """Say why the measure runs on this table only when it is named, if it does."""
        return None

    def result(
        self,
        value: Exact,
        limit: Fraction | None,
        *,
        passed: bool | None = None,
        tolerance: Fraction | int = 0,
        warnings: Iterable[str] = (),
        breakdown: Mapping[str, Any] | None = None,
        **internal: Any,
    ) -> Result:
        """Judge a figure; ``tolerance`` is what rounding may be off in favour of the limit.

        What is in ``internal`` is an attribute of the result, too, but is not written to JSON;
        ``figure``, ``conditions`` and ``unit`` are what the result says of itself.
        """
        if limit is not None and passed is None:
            distance = value - limit if self.better is Better.HIGHER else limit - value
            passed = distance > -tolerance or (distance == -tolerance and not self.strict)
        return Result(
            value if isinstance(value, bool) else as_float(value),
            None if limit is None else float(limit),
            passed,
            (*self._limit_warnings(limit), *warnings),
            by=self,
            breakdown=breakdown or {},
            unit=internal.pop("unit", Unit.ROW),
            internal={"exact_value": value} | internal,
        )

    def _limit_warnings(self, limit: Fraction | None) -> Iterator[str]:
        """Say that every table holds a limit, or that none can."""
        low, high = self.range
        if limit is None or self.better is not Better.HIGHER:
            return
        if limit <= low and low > 0:
            yield phrase(
                "the limit of {measure} is {limit:g}; the figure is never below 1, so every table "
                "meets it",
                measure=self.name,
                limit=float(limit),
            )
        if limit > high:
            yield phrase(
                "the limit of {measure} is {limit:g}; the figure never exceeds 1, so no table "
                "meets it",
                measure=self.name,
                limit=float(limit),
            )

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """The options beside the limit, from the signature of ``compute``."""
        return tuple(
            Option(
                parameter.name,
                help_text,
                parameter.default is parameter.empty,
                kind,
                parameter.name not in self.figure_ignores,
            )
            for parameter, (kind, help_text) in self._parameters
        )

    @cached_property
    def _parameters(self) -> list[tuple[inspect.Parameter, tuple[kinds.Kind, str]]]:
        """The options as parameters, with their types, kinds and helps."""
        return keywords_of(type(self).compute)

    @property
    def needs_code(self) -> bool:
        """Whether an option is a function, which no command line and no file can name."""
        return any(isinstance(option.kind, kinds.PythonFunction) for option in self.options)

    @cached_property
    def granularities(self) -> tuple[str, ...]:
        """The tables that a result can be laid out as; see :meth:`Result.table`."""
        tables = (COLUMNWISE, DETAILS)
        has = [name for name in tables if getattr(type(self), name) is not getattr(Measure, name)]
        return (GLOBAL, *has)

    @cached_property
    def limit_kind(self) -> kinds.Limit:
        """What a limit may be: every number that some table could break."""
        return kinds.Limit(*breakable(self.better.value, self.range))

    def missing(self, inputs: Inputs, options: Mapping[str, Any]) -> list[Phrase]:
        """What the measure would still need."""
        absent = [need.with_option for need in self.needs if not need.is_met(inputs)]
        absent += [
            phrase(
                "{need} or the option {names}", need=need.with_option, names=joined(names, " or ")
            )
            for need, names in self.neither(inputs, options)
        ]
        required = [
            option
            for option in self.options
            if option.required and options.get(option.name) is None
        ]
        absent += [
            phrase("the option {name}, a function that only Python can give", name=option.name)
            for option in required
            if isinstance(option.kind, kinds.PythonFunction)
        ]
        lacking = [
            option.name for option in required if not isinstance(option.kind, kinds.PythonFunction)
        ]
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
            why: str | None = term(self.only_by_name)
        else:
            why = None if self.missing(inputs, {}) else self.when_left_out(inputs)
        if why is None:
            return None
        option = argument("measures", self.name)
        return phrase("{why}; name it to run it ({option})", why=why, option=option)

    def empty_entry(self, **options: Any) -> dict[str, Any]:
        """Return the entry of a document where there is no figure."""
        limit = options.get("limit")
        known: dict[str, Any] = {
            "measure": self.name,
            "status": "error",
            "limit": float(exact(limit, "limit")) if isinstance(limit, str) else plain_data(limit),
            "conditions": [],
            "profile": options.get("profile"),
            "better": self.better.value,
            "explanation": [],
            "warnings": [],
            "details": {},
            "pictures": [],
            "breaches": [],
        }
        return dict.fromkeys(ENTRY_KEYS) | known

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
        self.read_limit(options.get("limit"))

    def read_limit(self, limit: Any) -> Fraction | None:
        """Return a limit as an exact number; one that no table could break is an error."""
        if limit is None or self.limit_help is None:
            return None
        name = phrase("the limit of {measure}", measure=self.name)
        number = (exact if self.limit_kind.least < 0 else exact_nonnegative)(limit, name)
        refuse_unbreakable(number, self.name, self.better.value, self.range)
        return number

    def run(self, inputs: Inputs, options: Mapping[str, Any]) -> Result:
        """Compute the measure from opened inputs; a limit that it ignores is undecided."""
        self.check_options(options)
        result = self._computed(inputs, options)
        limit = options.get("limit")
        if result.passed is None and any(options.get(name) is not None for name in JUDGING):
            # A limit that a measure ignores must not look like one that holds.
            raise UndecidedError(
                "{measure} did not say whether its limit holds", measure=self.name, result=result
            )
        if limit is None or result.limit is None:
            return result
        return replace(result, limit_exact=quotient_text(exact(limit, "limit")))

    def _computed(self, inputs: Inputs, options: Mapping[str, Any]) -> Result:
        defaults = {parameter.name: parameter.default for parameter, _ in self._parameters}
        values = {
            option.name: option.read(options[option.name])
            for option in self.options
            # None means that an option is not set, unless it is its default.
            if options.get(option.name, defaults[option.name]) is not defaults[option.name]
        }
        self.check(options)
        return self.compute(inputs, self.read_limit(options.get("limit")), **values)

    @classmethod
    def as_function(cls) -> Callable[..., Result]:
        """Return the function that opens tables and measures them."""
        from petaudit.inputs import gather  # noqa: PLC0415 (it brings an engine)

        measure, signature = cls(), cls.signature()

        def function(*tables: object, **arguments: Any) -> Result:
            refuse_unknown(arguments, cls.function_name(), signature)
            try:
                given = signature.bind(*tables, **arguments).arguments
            except TypeError as problem:
                raise TypeError(f"{cls.function_name()}(): {problem}") from None
            inputs, options = cls.split_arguments(given)
            result = measure.run(gather(**inputs), options)
            announce(result)
            return result

        function.__name__ = function.__qualname__ = cls.function_name()
        function.__module__, function.__doc__ = cls.__module__, cls.__doc__
        function.__signature__ = signature  # type: ignore[attr-defined]
        return function

    @classmethod
    def split_arguments(cls, given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the function was given for :func:`~petaudit.inputs.gather`, and the options."""
        inputs = {name: value for name, value in given.items() if name in input_parameters()}
        return inputs, {name: value for name, value in given.items() if name not in inputs}

    @classmethod
    def function_name(cls) -> str:
        """The name of the measure as Python writes it, which is that of its module, too."""
        return cls.name.replace("-", "_")

    @classmethod
    def option_parameters(cls) -> list[inspect.Parameter]:
        """The options as parameters of the function, required ones first."""
        options = []
        for option, _ in cls()._parameters:
            exact_default = isinstance(option.default, Fraction)
            default = float(option.default) if exact_default else option.default
            annotation = Annotation.of(option.annotation)
            options.append(option.replace(annotation=annotation, default=default))
        return sorted(options, key=lambda parameter: parameter.default is not parameter.empty)

    @classmethod
    def signature(cls) -> inspect.Signature:
        """The parameters of the function: tables, the limit, options, and what roles there are."""
        tables = [
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=object)
            for name in cls.positional
        ]
        options = cls.option_parameters()
        shared = input_parameters().items()
        others = [parameter for name, parameter in shared if name not in cls.positional]
        limits = [] if cls.limit_help is None else [limit_parameter()]
        return inspect.Signature(
            [*tables, *limits, *options, *others], return_annotation=Annotation("Result")
        )


class Annotation(str):
    """A type as it is written, without quotes where a signature is shown."""

    __slots__ = ()
    __repr__ = str.__str__

    @classmethod
    def of(cls, annotation: Any) -> Annotation:
        """Write a type; what is read as an exact number may be given as any."""
        if get_origin(annotation) in (Union, UnionType):
            return cls(" | ".join(map(cls.of, get_args(annotation))))
        text = re.sub(r"\b(collections\.abc|typing)\.", "", inspect.formatannotation(annotation))
        return cls({"fractions.Fraction": "Number", "NoneType": "None"}.get(text, text))


def keywords_of(function: Any) -> list[tuple[inspect.Parameter, tuple[kinds.Kind, str]]]:
    """The keyword-only parameters of a function, with their types, kinds and helps."""
    parameters = [
        parameter
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY
    ]
    # What other parameters are may be known to a type checker only.
    annotated = SimpleNamespace(__annotations__={one.name: one.annotation for one in parameters})
    hints = get_type_hints(annotated, function.__globals__, include_extras=True)
    return [
        (parameter.replace(annotation=hint.__origin__), hint.__metadata__)
        for parameter, hint in zip(parameters, hints.values(), strict=True)
    ]


def limit_parameter() -> inspect.Parameter:
    """The argument that sets a limit."""
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter("limit", kind, default=None, annotation=Annotation("Number | None"))


@cache
def input_parameters() -> dict[str, inspect.Parameter]:
    """The arguments that all measures share, as :func:`petaudit.inputs.gather` has them."""
    from petaudit.inputs import gather  # noqa: PLC0415 (it brings an engine)

    common = inspect.signature(gather).parameters.values()
    reading = inspect.signature(Reading).parameters.values()
    return {
        parameter.name: parameter.replace(
            kind=parameter.KEYWORD_ONLY if parameter in reading else parameter.kind,
            annotation=Annotation(parameter.annotation),
        )
        for parameter in (*common, *reading)
        if parameter.kind is not parameter.VAR_KEYWORD and parameter.name not in _INTERNAL_ARGUMENTS
    }


def refuse_unknown(names: Iterable[str], function: str, signature: inspect.Signature) -> None:
    """Raise an error for an argument that a function does not have."""
    known = list(signature.parameters)
    for name in names:
        if name not in known:
            raise OptionError(
                "{function} has no argument {name!r}{near}; its arguments are {known}",
                function=function,
                name=name,
                near=suggestion(name, known),
                known=listing(known, len(known)),
            )


def spelled_out(function: Callable[..., Any], without: Collection[str] = ()) -> inspect.Signature:
    """Return the signature of a function with the shared arguments in place of ``**inputs``."""
    signature = inspect.signature(function)
    named = {
        name: parameter.replace(annotation=Annotation(parameter.annotation))
        for name, parameter in signature.parameters.items()
        if parameter.kind is not parameter.VAR_KEYWORD
    }
    others = [
        parameter
        for name, parameter in input_parameters().items()
        if name not in named and name not in without
    ]
    return signature.replace(parameters=[*named.values(), *others])


def announce(result: Result) -> None:
    """Show the warnings of a result the way Python programs expect them."""
    for message in result.warnings:
        warnings.warn(message, PetauditWarning, stacklevel=3)
