"""Recursive (c, l)-diversity: the commonest sensitive value must not outweigh the rare ones."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from math import isinf
from typing import Annotated, Any

from petaudit.errors import OptionError, Phrase, phrase
from petaudit.inputs import Inputs
from petaudit.measures.base import Result
from petaudit.measures.l_diversity import LDiversity
from petaudit.measures.limits import refuse_unbreakable, rounded_texts
from petaudit.measures.sensitive import SensitiveMeasure, Worst
from petaudit.system import kinds
from petaudit.tables.shares import commonest_against_rare

_L_HELP = "rank, by frequency, from which values count as rare; required for a limit"


class RecursiveLDiversity(SensitiveMeasure):
    """Does the most common sensitive value of a class outweigh the rare ones?

    How much the most common sensitive value of a class outweighs the rare ones, in the worst case:
    with l = 2, 3 means that one value is three times as frequent as all others of its class
    together. Infinite means that a class lacks rare values altogether.

    Does not say: A low figure does not mean that no value is likely: with 3 one value may still
    hold for three quarters of a class. Rare values that mean the same count as different ones.

    Formula: largest r1 / (rl + ... + rm) of a class with counts r1 >= r2 >= ... >= rm; infinite
    with fewer than l values

    Reference: A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam: l-Diversity: Privacy
    Beyond k-Anonymity. ACM TKDD 1(1), 2007, doi 10.1145/1217299.1217302

    ``limit`` is c and needs ``l``; by default l is the fewest values of a class, at least 2.

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**"] * 4, "illness": ["flu", "flu", "flu", "cancer"]})
    >>> given = {"quasi_identifiers": "zip", "sensitive": "illness"}
    >>> result = recursive_l_diversity(table, limit=3, l=2, **given)
    >>> result.exact_value, result.passed
    (Fraction(3, 1), False)
    """

    name = "recursive-l-diversity"
    title = "l-diversity (recursive)"
    rank = 60
    strict = True
    limit_help = "c: r1 < c (rl + ... + rm) must hold in every class; needs l"

    def compute(
        self,
        inputs: Inputs,
        limit: Fraction | None,
        *,
        l: Annotated[int | None, kinds.Integer(1), _L_HELP] = None,  # noqa: E741 (the paper's name)
        worst: Worst = 5,
    ) -> Result:
        """Measure what c must exceed."""
        if l is None:
            # With l = 1 even a class with a single value would look well.
            l = max(int(LDiversity().compute(inputs, None, worst=0).value), 2)  # noqa: E741
        answer = self.ask(inputs, limit, worst, partial(commonest_against_rare, l))
        return self.judge(inputs, limit, answer, {"l": l}, figure=f"{self.name} (l = {l})")

    def check(self, options: Mapping[str, Any]) -> None:
        """Refuse a limit without l, which would mean something else for every table."""
        limit = self.read_limit(options.get("limit"))
        if limit is not None and options.get("l") is None:
            raise OptionError("a limit of recursive-l-diversity is c for a given l: give l as well")
        if limit is not None and options["l"] == 1:  # r1 is a share of the class
            refuse_unbreakable(limit, self.name, "lower", (0, 1))

    def why_infinite(self, result: Result) -> Phrase:
        """Say that such a class has no rare values at all."""
        return phrase("with fewer than {l:,} values, for which no c suffices", l=result.l)

    def notes(self, result: Result) -> tuple[str, ...]:
        """Say what the figure is."""
        value, *_ = rounded_texts(result.value, result.limit)
        line = phrase("with l = {l:,}, c must be more than {value}", l=result.l, value=value)
        return () if isinf(result.value) else (line,)


recursive_l_diversity = RecursiveLDiversity.as_function()
