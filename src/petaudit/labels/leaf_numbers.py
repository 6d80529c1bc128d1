"""The numbers that labels of a hierarchy stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from petaudit.exact.fractions import parse_number
from petaudit.labels.hierarchies import Hierarchy
from petaudit.labels.numbers import in_common_units, read_numbers

Interval: TypeAlias = tuple[Fraction, Fraction]


def numbers_above(hierarchy: Hierarchy) -> dict[Fraction | None, set[str]]:
    """The labels above the leaves that spell a number, by that number.

    >>> numbers_above(Hierarchy("age", [["49", "50"], ["51", "50"]]))
    {Fraction(50, 1): {'50'}}
    """
    above: dict[Fraction | None, set[str]] = {}
    for label in {label for leaf in hierarchy.leaves for label in hierarchy.path_of(leaf)[1:]}:
        number = parse_number(label)
        if number is not None:
            above.setdefault(number, set()).add(label)
    return above


def leaf_intervals(hierarchy: Hierarchy, labels: Sequence[str]) -> Mapping[str, Interval]:
    """The smallest and the largest number among the leaves under each of some labels.

    >>> ages = Hierarchy("age", [["1", "low"], ["2", "low"]])
    >>> [str(end) for end in leaf_intervals(ages, ["low"])["low"]]
    ['1', '2']
    """
    leaves = hierarchy.leaves
    numbers = read_numbers(leaves)
    [whole], places = in_common_units(numbers)
    above = numbers_above(hierarchy)
    # The table may write 50.0 where the hierarchy has 50.
    spellings = {label: {label, *above.get(parse_number(label), ())} for label in labels}
    wanted = set[str]().union(*spellings.values())
    numbers_under: dict[str, list[int]] = {}
    for leaf, is_number, number in zip(
        leaves, numbers.is_number.tolist(), whole.tolist(), strict=True
    ):
        if is_number:
            for label in wanted.intersection(hierarchy.path_of(leaf)):
                numbers_under.setdefault(label, []).append(number)
    unit = 10**places
    intervals: dict[str, Interval] = {}
    for label, spelled in spellings.items():
        under = [number for text in spelled for number in numbers_under.get(text, ())]
        if under:
            intervals[label] = (Fraction(min(under), unit), Fraction(max(under), unit))
    return intervals
