"""Synthetic tables: drawn with a seed from what was learned of a real one."""

from petaudit.synthesizing.making import METHODS, synthesize

__all__ = ["METHODS", "synthesize"]
