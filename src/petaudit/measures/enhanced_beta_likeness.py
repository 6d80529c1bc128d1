"""Enhanced beta-likeness: common sensitive values may gain less than rare ones."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import numpy as np

from petaudit.errors import Phrase, phrase
from petaudit.exact.class_figures import ClassFigures, Truths
from petaudit.exact.logarithms import sign_of_logs
from petaudit.measures.base import Result
from petaudit.measures.sensitive import SensitiveMeasure
from petaudit.tables import ClassTable
from petaudit.tables.shares import Shares, gain_figures

_MARGIN: Final = 1e-12


class EnhancedBetaLikeness(SensitiveMeasure):
    """How much more common is a value in a class, if common ones may gain less?

    How much more common a sensitive value is in a class than in the whole table, where common
    values may gain less than rare ones. With 1, one is twice as common; infinite means that a class
    comes too close to certainty about a value.

    Does not say: Infinite does not mean that everything is disclosed: one class in which all people
    have the most common value can be enough. Values that are missing from a class do not count.

    Formula: least beta with (p - q) / q <= min(beta, -ln q) for every class and value, p its share
    in the class and q in the whole table; infinite where there is none

    Reference: J. Cao, P. Karras: Publishing Microdata with a Robust Privacy Guarantee. PVLDB 5(11),
    2012, doi 10.14778/2350229.2350255

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**"] * 2 + ["148**"] * 2,
    ...                   "illness": ["flu", "cancer", "flu", "flu"]})
    >>> enhanced_beta_likeness(table, quasi_identifiers="zip", sensitive="illness").value
    inf
    """

    name = "enhanced-beta-likeness"
    title = "beta-likeness (enhanced)"
    rank = 90
    limit_help = "beta: no value may gain more than this, nor more than -ln q"
    compares_with_table = True

    def figures(self, attribute: str, classes: ClassTable) -> ClassFigures:
        """Return the largest gain; infinite where a value gains more than its own -ln q."""
        shares = Shares.of(classes.columns[attribute])
        is_infinite = np.logical_or.reduceat(_gains_too_much(shares), shares.pairs.class_starts)
        return gain_figures(shares, classes, is_infinite)

    def why_infinite(self, result: Result) -> Phrase:
        """Say that such a class breaks the bound that has nothing to do with beta."""
        return phrase("with a value that gains more than -ln q, for which no beta suffices")


enhanced_beta_likeness = EnhancedBetaLikeness.as_function()


def _gains_too_much(shares: Shares) -> Truths:
    """Whether (p - q) / q > -ln q, exactly, for each value of each class."""
    counts, rows = shares.table_counts, shares.pairs.values.rows
    bounds = np.log1p((rows - counts) / counts)
    exceeds = shares.gains > bounds
    # With q = 1 both are 0. Else they differ: the logarithm of a fraction is none.
    near = (np.abs(shares.gains - bounds) <= _MARGIN * bounds) & (counts < rows)
    for pair in np.flatnonzero(near).tolist():
        gain = Fraction(int(shares.inside[pair]), int(shares.overall[pair])) - 1
        exceeds[pair] = sign_of_logs([(1, Fraction(rows, int(counts[pair])))], gain) < 0
    exceeds[counts == rows] = False
    return exceeds
