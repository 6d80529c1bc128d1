"""Labels of one table told in those of another that is generalised further."""

from __future__ import annotations

from collections.abc import Sequence

from petaudit.errors import HierarchyError, NotMeasurableError
from petaudit.labels.hierarchies import Hierarchies, Hierarchy
from petaudit.labels.hierarchies.rules import Rule


def labels_in_common(
    column: str, hierarchy: Hierarchy, released: Sequence[str | None], labels: Sequence[str | None]
) -> list[str | None]:
    """Replace each label by the released one on its path, if there is one; others stay.

    A label that occurs at several levels is that of its lowest level: if the leaf 50 and the root
    of a hierarchy are both called 50, a released 50 is the leaf, and 49 does not become it.

    >>> city = Hierarchy("city", [["Paris", "Europe"], ["Rome", "Europe"], ["Lima", "America"]])
    >>> labels_in_common("city", city, ["Europe", "Oslo"], ["Paris", "Lima", "Oslo", "Bonn"])
    ['Europe', 'Lima', 'Oslo', 'Bonn']
    """
    known = set(released)
    return [
        label if label in known else _above(column, hierarchy, known, label) for label in labels
    ]


def _above(
    column: str, hierarchy: Hierarchy, known: set[str | None], label: str | None
) -> str | None:
    if hierarchy.is_leaf(label):
        path = hierarchy.path_of(label)
    elif hierarchy.holds(label):
        path = hierarchy.path_from(label)
    else:
        return label
    first = hierarchy.levels - len(path)
    found = dict.fromkeys(
        above or None
        for level, above in enumerate(path, start=first)
        if (above or None) in known and hierarchy.level_of(above or None) == level
    )
    if len(found) > 1:
        raise NotMeasurableError(
            "column {column!r} is generalised to overlapping labels, so that a value of the "
            "population may belong to several of them: give the population generalised the "
            "same way",
            column=column,
        )
    return next(iter(found), label)


def rule_hierarchy(
    hierarchies: Hierarchies, column: str, labels: Sequence[str | None]
) -> Hierarchy | None:
    """The hierarchy that a rule gives these labels; None where no rule makes the hierarchy.

    It is kept nowhere: measures of the original have one for the values of the original. Labels
    that the rule does not know are left out, since a population may be generalised already.
    """
    rule = hierarchies.rule(column)
    if rule is None:
        return None
    usable = _usable(rule, column, labels)
    return rule.build(column, usable) if usable else Hierarchy(column, [["*"]])


def _usable(rule: Rule, column: str, labels: Sequence[str | None]) -> list[str | None]:
    """The labels that a rule knows: building each alone takes far longer than all together."""
    try:
        rule.build(column, labels)
    except HierarchyError:
        half = len(labels) // 2
        if not half:
            return []
        return _usable(rule, column, labels[:half]) + _usable(rule, column, labels[half:])
    return list(labels)
