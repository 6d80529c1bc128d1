"""Measures: one file each, found through the registry."""

from petaudit.measures.base import Better, Measure, Need, Option, Result
from petaudit.measures.registry import all_measures, find_measure

__all__ = ["Better", "Measure", "Need", "Option", "Result", "all_measures", "find_measure"]
