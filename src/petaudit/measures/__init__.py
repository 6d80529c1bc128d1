"""Measures: one file each, found through the registry."""

from petaudit.measures.base import Better, Family, Measure, Need, Option, Remedy, Result
from petaudit.measures.registry import all_measures, find_measure, listed_measures, usual_measures

__all__ = [
    "Better",
    "Family",
    "Measure",
    "Need",
    "Option",
    "Remedy",
    "Result",
    "all_measures",
    "find_measure",
    "listed_measures",
    "usual_measures",
]
