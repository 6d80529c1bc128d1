"""Hierarchies built from a rule and the values of a column."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

from petaudit.errors import (
    DataValues,
    HierarchyError,
    OptionError,
    Phrase,
    counted,
    error_context,
    joined,
    phrase,
)
from petaudit.exact.fractions import Number, exact
from petaudit.labels.cells import SUPPRESSED, trim
from petaudit.labels.hierarchy import NULL_LABEL, OTHER, Hierarchy
from petaudit.labels.notation import (
    DATE_FORMS,
    NUMBER_FORMS,
    check_form,
    date_reading,
    number_reading,
)
from petaudit.labels.numbers import range_of

_DIGITS = 400
"""Enough for the decimal form of any float, and so of any bound that a person writes."""


class Rule(Protocol):
    """Anything that makes a hierarchy once the values of the column are known."""

    def build(self, attribute: str, values: Iterable[str | None]) -> Hierarchy:
        """Make the hierarchy of an attribute that holds these values.

        Rules that count take them as often as they are given, or as a mapping from value to count.
        """
        ...


def counts_of(values: Iterable[str | None]) -> Mapping[str | None, int]:
    """How often each value is given."""
    return values if isinstance(values, Mapping) else Counter(values)


@dataclass(frozen=True)
class Plan:
    """How the leaves of one column get the labels above them."""

    labels_above: Callable[[str], Sequence[str] | None]
    """None for a value that does not fit."""
    levels: int
    """How many labels are above a leaf."""
    top: str = SUPPRESSED
    is_rooted: bool = True
    """Whether the last label of every leaf is the top."""
    notes: tuple[str, ...] = ()
    """What was recognised about how the column is written."""

    def other(self, label: str) -> list[str]:
        """The labels above a value that does not fit: a level of its own, up to the root."""
        if not self.is_rooted:
            return [label] * self.levels
        return [*[label] * (self.levels - 1), self.top]


@dataclass(frozen=True)
class PathRule:
    """A rule that looks at all values of a column, and then gives each the labels above it."""

    name: str
    plan: Callable[[Mapping[str, int]], Plan]
    """Given the values, each with how often it occurs."""
    problem: str
    """What is wrong with a value that does not fit."""
    is_made: Callable[[str], bool]
    """Whether a label may be one that the rule makes, of a table that is generalised already."""
    other: str | None = None
    """The label of values that do not fit; without one they are an error."""
    fixed: Callable[[Mapping[str, int]], PathRule] | None = None
    """The rule that it is for some values, where the labels depend on how often values occur."""
    form: Mapping[str, Any] | None = None
    """The rule as YAML has it, where that is known."""
    file: Path | None = None
    """The file that the rule stands in, if it is one of its own."""

    def build(self, attribute: str, values: Iterable[str | None]) -> Hierarchy:
        """Make the hierarchy of an attribute that holds these values; a null stays one."""
        return self._built(attribute, counts_of(values))

    def fixed_for(self, attribute: str, values: Iterable[str | None]) -> PathRule:
        """The same labels by a rule that gives other tables these labels, too."""
        if self.fixed is None:
            return self
        with error_context(self._origin(attribute)):
            rule = self.fixed(_present(counts_of(values)))
        return rule if self.other is None else rule.with_other(self.other)

    def build_known(self, attribute: str, values: Iterable[str | None]) -> Hierarchy | None:
        """Do the same without the labels that the rule makes itself, and without what is unknown.

        A population may be generalised already, and its labels are not other ones then.
        """
        counts = counts_of(values)
        plan = self._plan(attribute, counts)
        known = {
            value: number
            for value, number in counts.items()
            if value is None
            or plan.labels_above(value) is not None
            or not (self.other is None or value in (SUPPRESSED, self.other) or self.is_made(value))
        }
        return self._built(attribute, known, plan) if known else None

    def with_other(self, label: str) -> PathRule:
        """The same rule with a level for values that do not fit, unless it has one."""
        if self.other is not None:
            return self
        form = None if self.form is None else {**self.form, "other": label}
        return replace(self, other=label, form=form)

    def _plan(self, attribute: str, values: Mapping[str | None, int]) -> Plan:
        with error_context(self._origin(attribute)):
            return self.plan(_present(values))

    def _origin(self, attribute: str) -> Phrase:
        return phrase("rule {name} for {column!r}", name=self.name, column=attribute)

    def _built(
        self, attribute: str, values: Mapping[str | None, int], plan: Plan | None = None
    ) -> Hierarchy:
        plan = plan or self._plan(attribute, values)
        leaves = sorted(value for value in values if value is not None)
        paths = {leaf: plan.labels_above(leaf) for leaf in leaves}
        misfits = [leaf for leaf, path in paths.items() if path is None]
        refused = misfits
        if self.other is not None:
            # As a leaf, this would make every suppressed cell one of the lowest level.
            refused = [leaf for leaf in misfits if leaf == SUPPRESSED]
        if refused:
            raise HierarchyError(
                "{origin}: {values} {problem} (other: true in the rule puts such values into a "
                "level of their own)",
                origin=self._origin(attribute),
                values=counted(len(refused), "value"),
                problem=self.problem,
                data=DataValues(refused, attribute, are_leaves=True),
            )
        above = plan.other(self.other or "")
        rows = [[leaf, *(above if path is None else path)] for leaf, path in paths.items()]
        if misfits and any(self.other in path for path in paths.values() if path is not None):
            raise HierarchyError(
                "{origin}: the label {label!r} of other values is one of its own labels, too",
                origin=self._origin(attribute),
                label=self.other,
            )
        if None in values:
            rows.append([*[NULL_LABEL] * plan.levels, plan.top])
        hierarchy = Hierarchy(attribute, rows, origin=self._origin(attribute))
        # A tail or a value that is kept says the same at every level that it is a label of.
        hierarchy.ambiguous_labels = hierarchy.changing_labels
        hierarchy.others = tuple(misfits)
        hierarchy.notes = plan.notes
        return hierarchy


def _present(values: Mapping[str | None, int]) -> dict[str, int]:
    return {value: number for value, number in values.items() if value is not None}


def other_label(other: bool | str | None) -> str | None:
    """The label of values that do not fit: as given, or ``other``.

    >>> other_label(True), other_label("misc"), other_label(None)
    ('other', 'misc', None)
    """
    if other is None or isinstance(other, bool):
        return OTHER if other else None
    label = trim(other) if isinstance(other, str) else ""
    if not label or label == SUPPRESSED:
        raise OptionError("other must be true or a label, got {other!r}", other=other)
    return label


def ranges(
    *widths: Number,
    origin: Number = 0,
    bottom: Number | None = None,
    top: Number | None = None,
    closed: bool = False,
    written: str | None = None,
    other: bool | str | None = None,
) -> PathRule:
    """Numbers to half-open ranges of growing width, ``[20,25[``; tails can be coded.

    With ``closed``, ranges of integers are written as people do, ``20-24``. How a column writes its
    numbers is recognised; ``written`` says it: "decimal-point" or "decimal-comma". Values that are
    not numbers are an error, unless ``other`` is the label of their own level.

    >>> ranges(5, 10, top=80).build("age", ["23", "91"]).path_of("23")
    ('23', '[20,25[', '[20,30[', '*')
    >>> ranges(5, 10, top=80).build("age", ["23", "91"]).path_of("91")
    ('91', '>=80', '>=80', '*')
    >>> ranges(20, closed=True, other=True).build("age", ["23", "unknown"]).path_of("unknown")
    ('unknown', 'other', '*')
    >>> ranges(500).build("income", ["1.234,50", "870"]).path_of("1.234,50")
    ('1.234,50', '[1000,1500[', '*')
    """
    steps = [exact(width, phrase("a range width")) for width in widths]
    if not steps or any(step <= 0 for step in steps):
        raise OptionError("ranges need at least one width, each above 0")
    for narrow, wide in pairwise(steps):
        if wide <= narrow or wide % narrow != 0:
            raise OptionError(
                "range width {wide} is not a larger multiple of {narrow}: ranges must nest",
                wide=plain_number(wide),
                narrow=plain_number(narrow),
            )
    start = exact(origin, phrase("the ranges' origin"))
    lower = None if bottom is None else exact(bottom, phrase("the ranges' bottom"))
    upper = None if top is None else exact(top, phrase("the ranges' top"))
    if lower is not None and upper is not None and lower > upper:
        raise OptionError(
            "the ranges' bottom {bottom} is above their top {top}",
            bottom=plain_number(lower),
            top=plain_number(upper),
        )
    if closed and (steps[0] == 1 or any(n.denominator > 1 for n in (start, *steps))):
        raise OptionError("closed ranges are of integers: widths from 2, and an integer origin")

    def labels_of(number: Fraction) -> list[str]:
        if lower is not None and number < lower:
            return [f"<{plain_number(lower)}"] * len(steps)
        if upper is not None and number >= upper:
            return [f">={plain_number(upper)}"] * len(steps)
        lows = [start + (number - start) // step * step for step in steps]
        return [range_label(low, low + step, closed) for low, step in zip(lows, steps, strict=True)]

    return number_rule("ranges", labels_of, len(steps), closed, written, other)


def range_label(low: Fraction, high: Fraction, closed: bool) -> str:
    """A range from a number up to below another one; closed, as people write it of integers."""
    if closed:
        return f"{plain_number(low)}-{plain_number(high - 1)}"
    return f"[{plain_number(low)},{plain_number(high)}["


def number_rule(
    name: str,
    labels_of: Callable[[Fraction], Sequence[str]],
    levels: int,
    closed: bool,
    written: str | None,
    other: bool | str | None,
) -> PathRule:
    """A rule that gives numbers their labels; the root is above them."""
    check_form(written, NUMBER_FORMS)
    if not isinstance(closed, bool):
        raise OptionError("closed must be true or false, got {closed!r}", closed=closed)

    def plan(leaves: Collection[str]) -> Plan:
        reading = number_reading(leaves, written)

        def labels_above(leaf: str) -> list[str] | None:
            number = reading.read(leaf)
            if number is None or (closed and number.denominator > 1):
                return None
            return [*labels_of(number), SUPPRESSED]

        return Plan(labels_above, levels + 1, notes=reading.notes)

    problem = phrase("cannot be read as a number")
    if closed:
        problem = phrase("cannot be read as an integer, and closed ranges are of integers")
    return PathRule(name, plan, problem, _is_range, other_label(other))


def _is_range(label: str) -> bool:
    return range_of(label) is not None


def mask_right(
    mark: str = "*", levels: int | None = None, other: bool | str | None = None
) -> PathRule:
    """Digits or characters hidden one by one from the right.

    >>> mask_right().build("zip", ["47677", "476"]).path_of("47677")
    ('47677', '4767*', '476**', '47***', '4****', '*****')
    """
    if not isinstance(mark, str) or len(mark) != 1:
        raise OptionError("the mask must be one character, got {mark!r}", mark=mark)
    if levels is not None and (isinstance(levels, bool) or not isinstance(levels, int)):
        raise OptionError("the levels of a mask must be an integer, got {levels!r}", levels=levels)
    if levels is not None and levels < 1:
        raise OptionError("a mask of {levels} levels hides nothing; use at least 1", levels=levels)

    def plan(leaves: Collection[str]) -> Plan:
        longest = max((len(leaf) for leaf in leaves if mark not in leaf), default=1)
        depth = longest if levels is None else min(levels, longest)

        def labels_above(leaf: str) -> list[str] | None:
            if mark in leaf:
                return None
            return [leaf[: max(len(leaf) - n, 0)] + mark * n for n in range(1, depth + 1)]

        return Plan(labels_above, depth, mark * depth, is_rooted=depth == longest)

    problem = phrase("cannot be masked, because of the mask character {mark!r} in them", mark=mark)
    return PathRule("mask", plan, problem, lambda label: mark in label, other_label(other))


_DATE_STEPS: dict[str, Callable[[date], str]] = {
    "day": lambda day: day.isoformat(),
    "month": lambda day: f"{day.year:04d}-{day.month:02d}",
    "quarter": lambda day: f"{day.year:04d}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04d}",
    "decade": lambda day: f"{day.year // 10:03d}*",
}
_DATE_LABEL = re.compile(r"[0-9]{4}(-[0-9]{2}|-Q[1-4])?|[0-9]{3}[*]", re.ASCII)


def dates(*steps: str, written: str | None = None, other: bool | str | None = None) -> PathRule:
    """Dates to ``day`` (for values with a time), ``month``, ``quarter``, ``year``, ``decade``.

    How a column writes its dates is recognised; ``written`` says it: "year-first", "day-first",
    "month-first" or "roc", the calendar of the Republic of China. Values that are not dates are an
    error, unless ``other`` is the label of their own level.

    >>> dates("month", "year").build("birth", ["1977-03-09"]).path_of("1977-03-09")
    ('1977-03-09', '1977-03', '1977', '*')
    >>> dates("month", written="day-first").build("birth", ["9/3/1977"]).path_of("9/3/1977")
    ('9/3/1977', '1977-03', '*')
    """
    chosen = steps or ("month", "year")
    for step in chosen:
        if step not in _DATE_STEPS:
            raise OptionError(
                "unknown date step {step!r}; steps are {steps}, in this order",
                step=step,
                steps=joined(list(_DATE_STEPS)),
            )
    order = [list(_DATE_STEPS).index(step) for step in chosen]
    if order != sorted(set(order)):
        raise OptionError("date steps must grow coarser: {steps}", steps=joined(list(_DATE_STEPS)))
    check_form(written, DATE_FORMS)

    def plan(leaves: Collection[str]) -> Plan:
        reading = date_reading(leaves, written)

        def labels_above(leaf: str) -> list[str] | None:
            day = reading.read(leaf)
            if day is None:
                return None
            return [*(_DATE_STEPS[step](day) for step in chosen), SUPPRESSED]

        return Plan(labels_above, len(chosen) + 1, notes=reading.notes)

    def is_made(label: str) -> bool:
        return _DATE_LABEL.fullmatch(label) is not None

    problem = phrase("cannot be read as a date")
    return PathRule("dates", plan, problem, is_made, other_label(other))


def ordered(order: Sequence[str], *sizes: int, other: bool | str | None = None) -> PathRule:
    """An ordered list of values, grouped by neighbours: sizes of the groups per level.

    >>> ordered(["low", "mid", "high", "top"], 2).build("risk", ["low"]).path_of("low")
    ('low', 'low..mid', '*')
    """
    values = [trim(str(value)) for value in order]
    if len(set(values)) != len(values) or not values:
        raise OptionError("an ordered list needs at least one value, and each value once")
    if any(not isinstance(size, int) or size < 2 for size in sizes):
        raise OptionError("group sizes of an ordered list must be integers >= 2")
    for small, large in pairwise(sizes):
        if large <= small or large % small:
            raise OptionError(
                "group size {large} is not a larger multiple of {small}", large=large, small=small
            )
    position = {value: index for index, value in enumerate(values)}

    def labels_above(leaf: str) -> list[str] | None:
        if leaf not in position:
            return None
        starts = [position[leaf] // size * size for size in sizes]
        groups = [
            f"{values[start]}..{values[min(start + size, len(values)) - 1]}"
            for start, size in zip(starts, sizes, strict=True)
        ]
        return [*groups, SUPPRESSED]

    plan = Plan(labels_above, len(sizes) + 1)
    problem = phrase("cannot be found in the ordered list")
    return PathRule("ordered", lambda _: plan, problem, lambda it: ".." in it, other_label(other))


def plain_number(number: Fraction) -> str:
    """A number in full, so that no two bounds look the same: a decimal if it has an end."""
    if number.denominator == 1:
        return str(number)
    with localcontext(prec=_DIGITS):
        decimal = Decimal(number.numerator) / number.denominator
    return format(decimal, "f") if Fraction(decimal) == number else str(number)
