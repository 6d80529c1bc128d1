"""Synthetic tables: drawn with a seed from what was learned of a real one."""

from petaudit.synthesizing.making import METHODS, synthesize, synthesize_private

__all__ = ["METHODS", "synthesize", "synthesize_private"]
