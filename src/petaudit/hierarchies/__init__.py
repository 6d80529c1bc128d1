"""Hierarchies: how the values of a column become more general, step by step."""

from petaudit.hierarchies.collection import Hierarchies, HierarchySpec
from petaudit.hierarchies.hierarchy import NULL_LABEL, Hierarchy
from petaudit.hierarchies.rules import Rule, dates, mask_right, ordered, ranges

__all__ = [
    "NULL_LABEL",
    "Hierarchies",
    "Hierarchy",
    "HierarchySpec",
    "Rule",
    "dates",
    "mask_right",
    "ordered",
    "ranges",
]
