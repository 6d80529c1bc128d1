"""Hierarchies: how the values of a column become more general, step by step."""

from petaudit.labels.hierarchies.collection import Hierarchies, HierarchySpec
from petaudit.labels.hierarchies.hierarchy import (
    NULL_LABEL,
    Hierarchy,
    LeavesUnder,
    labels_in_common,
)
from petaudit.labels.hierarchies.rules import Rule, dates, mask_right, ordered, ranges

__all__ = [
    "NULL_LABEL",
    "Hierarchies",
    "Hierarchy",
    "HierarchySpec",
    "LeavesUnder",
    "Rule",
    "dates",
    "labels_in_common",
    "mask_right",
    "ordered",
    "ranges",
]
