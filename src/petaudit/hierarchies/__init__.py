"""Hierarchies: how the values of a column become more general, step by step."""

from petaudit.hierarchies.collection import Hierarchies, HierarchySpec
from petaudit.hierarchies.hierarchy import Hierarchy
from petaudit.hierarchies.rules import Rule, dates, mask_right, ordered, ranges

__all__ = [
    "Hierarchies",
    "Hierarchy",
    "HierarchySpec",
    "Rule",
    "dates",
    "mask_right",
    "ordered",
    "ranges",
]
