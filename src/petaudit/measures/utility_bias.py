"""Utility bias: how far off an analysis of the user's own is on the released table."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Annotated, Any

from petaudit.errors import NotMeasurableError, OptionError, phrase
from petaudit.exact.fractions import Number, exact
from petaudit.inputs import Inputs
from petaudit.measures.base import Better, Need, Result, announce
from petaudit.measures.limits import rounded_texts
from petaudit.measures.utility import UtilityMeasure
from petaudit.system import kinds
from petaudit.tables import Source

_FUNCTION_HELP = "a Python function that takes a table and returns a number"


class UtilityBias(UtilityMeasure):
    """How far off is your own analysis on the released table?

    How far off the result of your own analysis is on the released table, in the unit of that
    result. 0 means that both tables give the same result.

    Does not say: It is about this one analysis: two tables can have the same mean though every
    single value is wrong. Whether a difference is large depends on its unit.

    Formula: |f(released table) - f(original)| for a user-defined function f

    Reference: A. F. Karr, C. N. Kohnen, A. Oganian, J. P. Reiter, A. P. Sanil: A Framework for
    Evaluating the Utility of Data Altered to Protect Confidentiality. The American Statistician
    60(3), 2006, doi 10.1198/000313006X124640

    >>> def mean_age(table):
    ...     return sum(table["age"]) / len(table["age"])
    >>> utility_bias({"age": [20, 30, 40]}, {"age": [25, 25, 37]}, mean_age, limit=1).value
    1.0
    """

    name = "utility-bias"
    rank = 340
    better = Better.LOWER
    range = (0.0, float("inf"))
    needs = (Need.ORIGINAL,)
    limit_help = "the difference must be at most this"

    def compute(  # type: ignore[override]
        self,
        inputs: Inputs,
        limit: Fraction | None,
        *,
        function: Annotated[Callable[[Any], Any], kinds.PythonFunction(), _FUNCTION_HELP],
    ) -> Result:
        """Pass the path of each table to the function, or a PyArrow table."""
        original, table = map(_path_or_table, (inputs.needed_original, inputs.table))
        return self.compare(original, table, function, limit)

    def compare(
        self,
        original: object,
        table: object,
        function: Callable[[Any], Any],
        limit: Fraction | None,
    ) -> Result:
        """Compare what the function returns for both tables."""
        name = str(getattr(function, "__name__", type(function).__name__))
        before = _number(function, name, original, phrase("the original"))
        after = _number(function, name, table, phrase("the released table"))
        return self.result(
            abs(after - before),
            limit,
            breakdown={
                "function": name,
                "original_value": float(before),
                "released_value": float(after),
            },
            figure=f"{self.name} ({name})",
        )

    def explain(self, result: Result) -> tuple[str, ...]:
        """Name both values."""
        shown, _, before = rounded_texts(result.released_value, None, result.original_value)
        return (
            phrase(
                "{function}: {original} for the original, {released} for the released table",
                function=result.function,
                original=before,
                released=shown,
            ),
        )


def utility_bias(
    original: object, table: object, function: Callable[[Any], Any], *, limit: Number | None = None
) -> Result:
    """Compare what a function of yours says of both tables; it gets them as you give them here.

    >>> utility_bias([20, 30, 40], [25, 25, 40], max, limit=1).passed
    True
    """
    measure = UtilityBias()
    [option] = measure.options
    result = measure.compare(original, table, option.read(function), measure.read_limit(limit))
    announce(result)
    return result


def _path_or_table(source: Source) -> object:
    is_file = len(source.paths) == 1 and source.partitions is None
    return str(source.paths[0]) if is_file else source.to_arrow()


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
    # Text does not count as a number here, though the shell passes numbers as text elsewhere.
    if not isinstance(returned, str | bytes):
        try:
            return exact(returned, name)
        except OptionError:
            pass
    what: str = str(returned)
    if not isinstance(returned, float):
        what = phrase("a {type}", type=type(returned).__name__)
    raise NotMeasurableError(
        "the function {function} must return a finite number, got {what} for {table}",
        function=name,
        what=what,
        table=called,
    )
