"""Utility bias: how far off an analysis of the user's own is on the released table."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from petaudit.errors import NotMeasurableError, OptionError, phrase
from petaudit.exact.fractions import Number, exact
from petaudit.inputs import Inputs
from petaudit.measures import kinds
from petaudit.measures._comparison import the_original, upper_limit
from petaudit.measures._old import OldMeasure
from petaudit.measures.base import Better, Family, Need, Option, Result, announce
from petaudit.tables import Source


@dataclass(frozen=True)
class UtilityBiasResult(Result):
    """What the function says of both tables, and the difference."""

    measure: ClassVar[str] = "utility-bias"
    better: ClassVar[Better] = Better.LOWER

    function: str
    original_value: float
    released_value: float

    @property
    def figure(self) -> str:
        """The function that the value is a difference of."""
        return f"{self.measure} ({self.function})"

    @property
    def explanation(self) -> tuple[str, ...]:
        """Both values."""
        return (
            phrase(
                "{function}: {original:.6g} for the original, {released:.6g} for the released "
                "table",
                function=self.function,
                original=self.original_value,
                released=self.released_value,
            ),
        )


def utility_bias(
    original: object, table: object, function: Callable[[Any], Any], *, limit: Number | None = None
) -> UtilityBiasResult:
    """Compare what a function of yours says of both tables; it gets them as you give them here.

    >>> def mean_age(table):
    ...     return sum(table["age"]) / len(table["age"])
    >>> utility_bias({"age": [20, 30, 40]}, {"age": [25, 25, 37]}, mean_age, limit=1).value
    1.0
    """
    result = _compared(original, table, function, limit)
    announce(result)
    return result


def compute(inputs: Inputs, limit: Number | None = None, function: Any = None) -> UtilityBiasResult:
    """Compare from opened inputs: the function gets the path of a table, or a PyArrow table."""
    original = the_original(inputs)
    return _compared(_as_given(original), _as_given(inputs.table), function, limit)


def _as_given(source: Source) -> object:
    return str(source.paths[0]) if len(source.paths) == 1 else source.to_arrow()


def _compared(
    original: object, table: object, function: Any, limit: Number | None
) -> UtilityBiasResult:
    bound = upper_limit(limit, "utility-bias")
    kind = kinds.PythonFunction()
    if not kind.takes(function):
        raise OptionError(
            "function is {value}; {expected} was expected",
            value=kinds.shown(function),
            expected=kind.expected,
        )
    name = str(getattr(function, "__name__", type(function).__name__))
    before = _number(function, name, original, phrase("the original"))
    after = _number(function, name, table, phrase("the released table"))
    difference = abs(after - before)
    return UtilityBiasResult(
        value=_as_float(difference),
        limit=None if bound is None else float(bound),
        passed=None if bound is None else difference <= bound,
        warnings=(),
        function=name,
        original_value=float(before),
        released_value=float(after),
    )


def _number(function: Callable[[Any], Any], name: str, table: object, called: str) -> Fraction:
    """What the function returns, read as limits are read: 0.3 is three tenths."""
    try:
        returned = function(table)
    except Exception as problem:
        # What an exception says may quote cells, so only its kind is passed on.
        raise NotMeasurableError(
            "the function {function} failed with {problem} on {table}",
            function=name,
            problem=type(problem).__name__,
            table=called,
        ) from None
    if hasattr(returned, "as_py"):
        returned = returned.as_py()
    elif getattr(returned, "shape", None) == () and hasattr(returned, "item"):
        returned = returned.item()
    # Text is no number here, though the shell may pass numbers as text elsewhere.
    if not isinstance(returned, str | bytes):
        try:
            return exact(returned, name)
        except OptionError:
            pass
    what: str = str(returned)
    if not isinstance(returned, float):
        what = phrase("a {type}", type=type(returned).__name__)
    raise NotMeasurableError(
        "the function {function} returned {what} for {table}; a finite number was expected",
        function=name,
        what=what,
        table=called,
    )


def _as_float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


MEASURE = OldMeasure(
    name="utility-bias",
    title="Utility bias",
    family=Family.UTILITY,
    question="How far off is an analysis of your own when it uses the released table?",
    better=Better.LOWER,
    range=(0.0, float("inf")),
    needs=(Need.ORIGINAL,),
    formula="|f(released table) - f(original)| for a function f of yours",
    reference=(
        "A. F. Karr, C. N. Kohnen, A. Oganian, J. P. Reiter, A. P. Sanil: A Framework for "
        "Evaluating the Utility of Data Altered to Protect Confidentiality. The American "
        "Statistician 60(3), 2006, doi 10.1198/000313006X124640"
    ),
    meaning=(
        "How far the result of your own analysis is off on the released table, in the unit of "
        "that result. 0 means that both tables give the same result."
    ),
    does_not_say=(
        "It is about this one analysis: two tables can have the same mean though every single "
        "value is wrong. Whether a difference is large depends on its unit."
    ),
    compute=compute,
    limit_help="the difference must be at most this",
    options=(
        Option(
            "function",
            "a Python function that takes a table and returns a number",
            required=True,
            kind=kinds.PythonFunction(),
        ),
    ),
    only_by_name="needs a function of yours: petaudit.utility_bias(...) in Python",
)
