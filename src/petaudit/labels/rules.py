"""Hierarchies built from a rule and the values of a column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from typing import Any, Protocol

from petaudit.errors import DataValues, HierarchyError, OptionError, joined, phrase, suggestion
from petaudit.exact.fractions import Number, exact, parse_number
from petaudit.labels.cells import SUPPRESSED, trim
from petaudit.labels.hierarchy import NULL_LABEL, Hierarchy

_DIGITS = 400
"""Enough for the decimal form of any float, and so of any bound that a person writes."""


class Rule(Protocol):
    """Anything that makes a hierarchy once the values of the column are known."""

    def build(self, attribute: str, values: Iterable[str | None]) -> Hierarchy:
        """Make the hierarchy of an attribute that holds these values."""
        ...


@dataclass(frozen=True)
class _PathRule:
    """A rule that maps each value to the labels above it, below a common root."""

    name: str
    labels_above: Callable[[str], Sequence[str]]

    def build(self, attribute: str, values: Iterable[str | None]) -> Hierarchy:
        def path(leaf: str) -> Sequence[str]:
            return [*self.labels_above(leaf), SUPPRESSED]

        return _hierarchy(self.name, attribute, set(values), path, SUPPRESSED)


def _hierarchy(
    rule: str,
    attribute: str,
    values: Set[str | None],
    labels_above: Callable[[str], Sequence[str]],
    above_null: str,
) -> Hierarchy:
    """Build a hierarchy; a null stays one up to its last label."""
    origin = phrase("rule {name} for {column!r}", name=rule, column=attribute)
    rows: list[list[str]] = []
    for leaf in sorted(value for value in values if value is not None):
        try:
            rows.append([leaf, *labels_above(leaf)])
        except ValueError as problem:
            raise HierarchyError(
                "{origin}: a value {problem}",
                origin=origin,
                problem=problem.args[0],
                data=DataValues([leaf], attribute, are_leaves=True),
            ) from None
    if None in values:
        labels = len(rows[0]) if rows else 2
        rows.append([*[NULL_LABEL] * (labels - 1), above_null])
    return Hierarchy(attribute, rows, origin=origin)


def ranges(
    *widths: Number, origin: Number = 0, bottom: Number | None = None, top: Number | None = None
) -> Rule:
    """Numbers to half-open ranges of growing width, ``[20,25[``; tails can be coded.

    >>> ranges(5, 10, top=80).build("age", ["23", "91"]).path_of("23")
    ('23', '[20,25[', '[20,30[', '*')
    >>> ranges(5, 10, top=80).build("age", ["23", "91"]).path_of("91")
    ('91', '>=80', '>=80', '*')
    """
    steps = [exact(width, phrase("a range width")) for width in widths]
    if not steps or any(step <= 0 for step in steps):
        raise OptionError("ranges need at least one width, each above 0")
    for narrow, wide in pairwise(steps):
        if wide <= narrow or wide % narrow != 0:
            raise OptionError(
                "range width {wide} is not a larger multiple of {narrow}: ranges must nest",
                wide=_plain(wide),
                narrow=_plain(narrow),
            )
    start = exact(origin, phrase("the ranges' origin"))
    lower = None if bottom is None else exact(bottom, phrase("the ranges' bottom"))
    upper = None if top is None else exact(top, phrase("the ranges' top"))
    if lower is not None and upper is not None and lower > upper:
        raise OptionError(
            "the ranges' bottom {bottom} is above their top {top}",
            bottom=_plain(lower),
            top=_plain(upper),
        )

    def labels_above(leaf: str) -> list[str]:
        number = parse_number(leaf)
        if number is None:
            raise ValueError(phrase("is not a number"))
        if lower is not None and number < lower:
            return [f"<{_plain(lower)}"] * len(steps)
        if upper is not None and number >= upper:
            return [f">={_plain(upper)}"] * len(steps)
        lows = [start + (number - start) // step * step for step in steps]
        return [
            f"[{_plain(low)},{_plain(low + step)}[" for low, step in zip(lows, steps, strict=True)
        ]

    return _PathRule("ranges", labels_above)


@dataclass(frozen=True)
class _Masking:
    mark: str
    levels: int | None

    def build(self, attribute: str, values: Iterable[str | None]) -> Hierarchy:
        distinct = set(values)
        longest = max((len(value) for value in distinct if value is not None), default=1)
        depth = longest if self.levels is None else min(self.levels, longest)

        def masked(leaf: str) -> list[str]:
            if self.mark in leaf:
                raise ValueError(phrase("contains the mask character {mark!r}", mark=self.mark))
            return [leaf[: max(len(leaf) - n, 0)] + self.mark * n for n in range(1, depth + 1)]

        return _hierarchy("mask", attribute, distinct, masked, self.mark * depth)


def mask_right(mark: str = "*", levels: int | None = None) -> Rule:
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
    return _Masking(mark, levels)


_DATE_STEPS: dict[str, Callable[[date], str]] = {
    "day": lambda day: day.isoformat(),
    "month": lambda day: f"{day.year:04d}-{day.month:02d}",
    "quarter": lambda day: f"{day.year:04d}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04d}",
    "decade": lambda day: f"{day.year // 10:03d}*",
}


def dates(*steps: str) -> Rule:
    """Dates to ``day`` (for values with a time), ``month``, ``quarter``, ``year``, ``decade``.

    >>> dates("month", "year").build("birth", ["1977-03-09"]).path_of("1977-03-09")
    ('1977-03-09', '1977-03', '1977', '*')
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

    def labels_above(leaf: str) -> list[str]:
        try:
            day = datetime.fromisoformat(leaf.replace("/", "-")).date()
        except ValueError:
            raise ValueError(phrase("is not a date like 1977-03-09")) from None
        return [_DATE_STEPS[step](day) for step in chosen]

    return _PathRule("dates", labels_above)


def ordered(order: Sequence[str], *sizes: int) -> Rule:
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

    def labels_above(leaf: str) -> list[str]:
        if leaf not in position:
            raise ValueError(phrase("is not in the ordered list"))
        starts = [position[leaf] // size * size for size in sizes]
        return [
            f"{values[start]}..{values[min(start + size, len(values)) - 1]}"
            for start, size in zip(starts, sizes, strict=True)
        ]

    return _PathRule("ordered", labels_above)


def _plain(number: Fraction) -> str:
    """A number in full, so that no two bounds look the same: a decimal if it has an end."""
    if number.denominator == 1:
        return str(number)
    with localcontext(prec=_DIGITS):
        decimal = Decimal(number.numerator) / number.denominator
    return format(decimal, "f") if Fraction(decimal) == number else str(number)


def usable_labels(rule: Rule, column: str, labels: Sequence[str | None]) -> list[str | None]:
    """The labels that a rule knows: building each alone takes far longer than all together."""
    try:
        rule.build(column, labels)
    except HierarchyError:
        half = len(labels) // 2
        if not half:
            return []
        return usable_labels(rule, column, labels[:half]) + usable_labels(
            rule, column, labels[half:]
        )
    return list(labels)


_RULE_OPTIONS: dict[str, frozenset[str]] = {
    "ranges": frozenset({"origin", "bottom", "top"}),
    "mask": frozenset({"mark", "levels"}),
    "dates": frozenset(),
    "ordered": frozenset({"groups"}),
}


def parse_rule(attribute: str, entry: Mapping[Any, Any]) -> Rule | None:
    """Read a rule in its text form; None where the entry maps leaves to labels."""
    name = next((key for key in _RULE_OPTIONS if key in entry), None)
    if name is None:
        return None
    options = {key: value for key, value in entry.items() if key != name}
    unknown = [str(key) for key in options if key not in _RULE_OPTIONS[name]]
    try:
        if unknown and not _is_rule(name, entry[name]):
            # A leaf that happens to have the name of a rule, among other leaves.
            return None
        if unknown:
            raise OptionError(
                "unknown option {name!r}{near}",
                name=unknown[0],
                near=suggestion(unknown[0], _RULE_OPTIONS[name]),
            )
        return _make_rule(name, entry[name], options)
    except OptionError as problem:
        raise HierarchyError(
            "rule {name} for {column!r}: {problem}",
            name=name,
            column=attribute,
            problem=problem.text,
        ) from None


def _is_rule(name: str, argument: object) -> bool:
    try:
        _make_rule(name, argument, {})
    except OptionError:
        return False
    return True


def _make_rule(name: str, argument: object, options: Mapping[str, Any]) -> Rule:
    if name == "ranges":
        return ranges(*_as_list(argument), **options)
    if name == "dates":
        return dates(*_as_list(argument))
    if name == "ordered":
        return ordered(_as_list(argument), *_as_list(options.get("groups", [])))
    if argument != "right":
        raise OptionError("mask must be 'right', got {mask!r}", mask=argument)
    return mask_right(**options)


def _as_list(value: object) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]
