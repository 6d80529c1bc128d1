"""Synthetic tables with a formal guarantee: differentially private marginals."""

from petaudit.synthesizing.private.guarantee import Guarantee
from petaudit.synthesizing.private.making import Privacy, PrivateTable, private_table

__all__ = ["Guarantee", "Privacy", "PrivateTable", "private_table"]
