"""Rules for groups that somebody chose, or that the counts of a table give: the latter are fixed.

Groups by counts are those of one table. What they are there is a rule of the former kind, which
can be written to a file, edited, and used on other tables.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from petaudit.errors import DataValues, HierarchyError, OptionError, error_context, phrase
from petaudit.exact.fractions import Number, exact
from petaudit.labels.cells import SUPPRESSED, label_of
from petaudit.labels.hierarchy import OTHER
from petaudit.labels.notation import NUMBER_FORMS, check_form, number_reading
from petaudit.labels.rules import (
    PathRule,
    Plan,
    number_rule,
    other_label,
    plain_number,
    range_label,
)
from petaudit.system.yaml_files import read_yaml

Groups: TypeAlias = "Mapping[Any, Any] | Sequence[Any]"
"""A tree: labels with what is below them, or a list of values."""
_LEAST = 2
"""Fewer groups, or rows of a value, would change nothing."""


def cuts(
    *levels: Sequence[Number] | Number,
    closed: bool = False,
    written: str | None = None,
    other: bool | str | None = None,
) -> PathRule:
    """Numbers to ranges between chosen cuts, a list per level: ``<18``, ``[18,40[``, ``>=40``.

    A coarser level has some of the cuts of the level before. ``closed``, ``written`` and ``other``
    are those of :func:`ranges`.

    >>> rule = cuts([18, 40, 65], [40])
    >>> rule.build("age", ["23", "71"]).path_of("23")
    ('23', '[18,40[', '<40', '*')
    >>> cuts(18, 65).build("age", ["71"]).path_of("71")
    ('71', '>=65', '*')
    """
    given = [levels] if levels and not any(map(_is_list, levels)) else levels
    points = [
        [exact(cut, phrase("a cut")) for cut in (level if _is_list(level) else [level])]  # type: ignore[union-attr]
        for level in given
    ]
    if not points or not all(points):
        raise OptionError("cuts need at least one number per level")
    for level in points:
        if any(low >= high for low, high in pairwise(level)):
            raise OptionError("the cuts of a level must grow, each above the one before")
    for fine, coarse in pairwise(points):
        strange = [cut for cut in coarse if cut not in fine]
        if strange:
            raise OptionError(
                "cut {cut} is not one of the level before: ranges must nest",
                cut=plain_number(strange[0]),
            )
    narrow = any(high - low < _LEAST for low, high in pairwise(points[0]))
    if closed is True and (narrow or any(cut.denominator > 1 for cut in points[0])):
        raise OptionError("closed ranges are of integers: cuts must be integers, 2 or more apart")

    def labels_of(number: Fraction) -> list[str]:
        return [_between(level, number, closed) for level in points]

    rule = number_rule("cuts", labels_of, len(points), closed, written, other)
    form: dict[str, Any] = {"cuts": [[_written(cut) for cut in level] for level in points]}
    options = {"closed": closed or None, "written": written, "other": other or None}
    form |= {name: value for name, value in options.items() if value is not None}
    return replace(rule, form=form)


def _is_list(given: object) -> bool:
    return isinstance(given, Sequence) and not isinstance(given, str)


def _between(points: Sequence[Fraction], number: Fraction, closed: bool) -> str:
    place = bisect_right(points, number)
    if place == 0:
        return f"<{plain_number(points[0])}"
    if place == len(points):
        return f">={plain_number(points[-1])}"
    return range_label(points[place - 1], points[place], closed)


def _written(number: Fraction) -> int | float | str:
    """A number as YAML has it, if it reads back as the same one."""
    if number.denominator == 1:
        return int(number)
    text = plain_number(number)
    return float(text) if "/" not in text and repr(float(text)) == text else text


def quantiles(
    *groups: int, closed: bool = False, written: str | None = None, other: bool | str | None = None
) -> PathRule:
    """Numbers to groups of about equally many rows, so many per level; each divides the one before.

    Cuts are round numbers, as far as they separate the same rows. Equal numbers stay together, so
    that there may be fewer groups; a level that would not be coarser is left out. Which cuts a
    table gives is :func:`cuts` for other tables: ``petaudit hierarchies --hierarchies`` writes it.

    >>> ages = quantiles(4, 2).build("age", ["18", "23", "31", "40", "52", "60", "66", "71"])
    >>> ages.path_of("23"), ages.path_of("52")
    (('23', '<30', '<50', '*'), ('52', '[50,65[', '>=50', '*'))
    """
    if not groups or any(not _is_whole(number) or number < _LEAST for number in groups):
        raise OptionError("quantiles need at least one number of groups, each an integer >= 2")
    for many, few in pairwise(groups):
        if few >= many or many % few:
            raise OptionError(
                "{few} groups do not come of {many}: groups must nest", few=few, many=many
            )
    check_form(written, NUMBER_FORMS)

    def fixed(counts: Mapping[str, int]) -> PathRule:
        read = number_reading(counts, written).read
        rows: dict[Fraction, int] = {}
        for label, times in counts.items():
            number = read(label)
            if number is not None and not (closed and number.denominator > 1):
                rows[number] = rows.get(number, 0) + times
        points = quantile_cuts(rows, groups)
        if not points:
            return keep(other=other)
        return cuts(*points, closed=closed, written=written, other=other)

    rule = number_rule("quantiles", lambda _: (), len(groups), closed, written, other)
    return replace(rule, plan=lambda counts: fixed(counts).plan(counts), fixed=fixed)


def _is_whole(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


def quantile_cuts(rows: Mapping[Fraction, int], groups: Sequence[int]) -> list[list[Fraction]]:
    """Cuts for groups of about equally many rows, a list per level that is coarser than before.

    >>> from fractions import Fraction as F
    >>> [[str(cut) for cut in level] for level in quantile_cuts({F(1): 2, F(7): 1, F(9): 1}, [2])]
    [['5']]
    """
    numbers = sorted(rows)
    if len(numbers) < _LEAST:
        return []
    below = [0]
    for number in numbers[:-1]:
        below.append(below[-1] + rows[number])
    total = sum(rows.values())
    levels: list[list[Fraction]] = []
    for many in groups:
        places = {_nearest(below, Fraction(total * part, many)) for part in range(1, many)}
        level = [round_between(numbers[place - 1], numbers[place]) for place in sorted(places)]
        if level and (not levels or len(level) < len(levels[-1])):
            levels.append(level)
    return levels


def _nearest(below: Sequence[int], rows: Fraction) -> int:
    """The place, other than the first, with the number of rows below it that is nearest."""
    place = bisect_left(below, rows, lo=1, hi=len(below) - 1)
    is_nearer = place > 1 and rows - below[place - 1] <= below[place] - rows
    return place - 1 if is_nearer else place


def round_between(low: Fraction, high: Fraction) -> Fraction:
    """The roundest number above one and up to another, so that a cut quotes no value.

    >>> [str(round_between(Fraction(a), Fraction(b))) for a, b in [("23", "31"), ("0.21", "0.24")]]
    ['30', '6/25']
    """
    step = Fraction(10) ** (len(str(int(max(abs(low), abs(high))))) + 1)
    while True:
        for part in (step, step / 2):
            if high // part * part > low:
                return high // part * part
        step /= 10


def rare(*least: int | str | float, other: bool | str | None = None) -> PathRule:
    """Categories of which the rare ones become ``other``: those in fewer rows than so many.

    Every level has its number of rows, or its share of those with a value (0.05, "5%"), each larger
    than the one before. What is merged so is ``other``, at the next level ``other 2``. Which values
    a table keeps is :func:`keep` for other tables.

    >>> wards = ["surgery"] * 5 + ["eyes"] * 2 + ["skin", "teeth"]
    >>> [rare(2, "50%").build("ward", wards).path_of(ward) for ward in ("eyes", "skin")]
    [('eyes', 'eyes', 'other 2', '*'), ('skin', 'other', 'other 2', '*')]
    """
    bounds = [_least_rows(number) for number in least]
    if not bounds:
        raise OptionError("rare needs at least one number or share of rows")
    if any((low[0] == high[0]) and low[1] >= high[1] for low, high in pairwise(bounds)):
        raise OptionError("the numbers of rare must grow, each above the one before")
    label = other_label(other) or OTHER

    def fixed(given: Mapping[str, int]) -> PathRule:
        counts = {value: rows for value, rows in given.items() if value != SUPPRESSED}
        total = sum(counts.values())
        kept: list[list[str]] = []
        for is_share, bound in bounds:
            rows = bound * total if is_share else bound
            before = kept[-1] if kept else sorted(counts, key=lambda value: (-counts[value], value))
            kept.append([value for value in before if counts[value] >= rows])
        return keep(*kept, other=label)

    return replace(keep(other=label), name="rare", plan=lambda it: fixed(it).plan(it), fixed=fixed)


def _least_rows(given: object) -> tuple[bool, Fraction]:
    """Whether a bound is a share, and what it is."""
    text = given.strip() if isinstance(given, str) else given
    name = phrase("a number of rare")
    if isinstance(text, str) and text.endswith("%"):
        bound, is_share = exact(text[:-1].strip(), name) / 100, True
    else:
        bound = exact(text, name)
        is_share = bound < 1
    if bound <= 0 or (bound > 1 and is_share) or (not is_share and bound < _LEAST):
        raise OptionError(
            "rare takes numbers of rows from 2 on, or shares such as 0.05 or 5%, got {value!r}",
            value=given,
        )
    return is_share, bound


def keep(*levels: Sequence[object], other: bool | str | None = None) -> PathRule:
    """Categories of which some stay as they are, a list per level; all others become ``other``.

    A coarser level keeps some of the values of the level before; its others are ``other 2``.
    Without any level, every value becomes ``*``.

    >>> keep(["eyes", "skin"], ["skin"]).build("ward", ["teeth", "eyes", "skin"]).path_of("eyes")
    ('eyes', 'eyes', 'other 2', '*')
    >>> keep().build("sex", ["F", "M"]).path_of("F")
    ('F', '*')
    """
    given = [levels] if levels and not any(map(_is_list, levels)) else levels
    kept = [[label_of(value) or "" for value in level] for level in given]
    for fine, coarse in pairwise(kept):
        if not set(coarse) <= set(fine):
            raise OptionError(
                "a value is kept that the level before does not keep: levels must nest"
            )
    label = other_label(other) or OTHER
    others = [label if level == 0 else f"{label} {level + 1}" for level in range(len(kept))]
    if {SUPPRESSED, *others} & {value for level in kept for value in level}:
        raise OptionError(
            "{label!r} cannot be kept: it is the label of other values (other: LABEL gives them "
            "another one)",
            label=label,
        )
    sets = [set(level) for level in kept]

    def labels_above(leaf: str) -> list[str] | None:
        if leaf == SUPPRESSED or leaf in others:
            return None
        named = [leaf if leaf in level else to for level, to in zip(sets, others, strict=True)]
        return [*named, SUPPRESSED]

    plan = Plan(labels_above, len(kept) + 1)
    form: dict[str, Any] = {"keep": kept} | ({"other": label} if label != OTHER else {})
    problem = phrase("cannot be kept")
    return PathRule("keep", lambda _: plan, problem, others.__contains__, label, form=form)


def tree(groups: Groups | str | PathLike[str], *, other: bool | str | None = None) -> PathRule:
    """Categories by a tree: labels with what is below them, down to lists of values.

    A value that is less deep than others stays itself until its own group begins. A list in a list
    is a group that is called after its values. A path is a YAML file that holds the tree.

    >>> towns = tree({"Europe": {"France": ["Paris", "Lyon"], "Italy": ["Rome"]}, "Peru": ["Lima"]})
    >>> towns.build("town", ["Lyon", "Lima"]).path_of("Lyon")
    ('Lyon', 'France', 'Europe', '*')
    >>> towns.build("town", ["Lyon", "Lima"]).path_of("Lima")
    ('Lima', 'Lima', 'Peru', '*')
    """
    file = Path(groups) if isinstance(groups, str | PathLike) else None
    content = groups if file is None else read_yaml(file, is_hierarchy=True)
    with error_context(file or phrase("the tree")):
        paths = _paths(content)
    depth = max(map(len, paths.values()))
    above = {
        leaf: [*[leaf] * (depth - len(path)), *path, SUPPRESSED] for leaf, path in paths.items()
    }
    plan = Plan(above.get, depth + 1)
    made = {label for path in paths.values() for label in path}
    problem = phrase("cannot be found in the tree")
    return PathRule(
        "tree", lambda _: plan, problem, made.__contains__, other_label(other), file=file
    )


def _paths(content: object) -> dict[str, list[str]]:
    """The labels above every value, the nearest first."""
    if not isinstance(content, Mapping | list | tuple):
        raise HierarchyError("a tree is a mapping from label to what is below it, or a list")
    paths: dict[str, list[str]] = {}
    homes: dict[str, tuple[str, ...]] = {}
    for leaf, path in _walked(content, ()):
        if leaf in paths:
            raise HierarchyError("the tree has a value in two places", data=DataValues([leaf]))
        paths[leaf] = list(path)
        for place, label in enumerate(path):
            if homes.setdefault(label, path[place:]) != path[place:]:
                raise HierarchyError("the tree has a label in two places", data=DataValues([label]))
    if not paths:
        raise HierarchyError("the tree holds no value")
    both = sorted(paths.keys() & homes.keys())
    if both:
        raise HierarchyError("the tree has a label that is a value as well", data=DataValues(both))
    return paths


def _walked(node: object, above: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    if isinstance(node, Mapping):
        for name, below in node.items():
            label = label_of(name)
            if label is None or label == SUPPRESSED:
                raise HierarchyError("a label of the tree is empty or '*'")
            if below is None:
                raise HierarchyError(
                    "a label of the tree has nothing below it", data=DataValues([label])
                )
            yield from _walked(below, (label, *above))
    elif isinstance(node, list | tuple):
        for item in node:
            if isinstance(item, list | tuple):
                leaves = [leaf for leaf, _ in _walked(item, ())]
                # A group of one value would be called like the value.
                name = (" | ".join(leaves),) if len(leaves) > 1 else ()
                yield from _walked(item, (*name, *above))
            else:
                yield from _walked(item, above)
    else:
        leaf = label_of(node)
        if leaf is not None and leaf != SUPPRESSED:
            yield leaf, above
