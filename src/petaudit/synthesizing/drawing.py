"""Drawing rows from marginals, by themselves or tied together by a Gaussian copula.

Every cell of a column stands for a slice of a standard normal variable with the same share. The
correlations of those variables are chosen such that the cells of each pair of columns vary together
as in the table; a draw then goes the way back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from petaudit.synthesizing.correlation import Matrix, cholesky, correlations
from petaudit.synthesizing.marginal import Marginal, Numbers
from petaudit.synthesizing.normal import normal_at, uniform_draws
from petaudit.synthesizing.repair import repaired
from petaudit.synthesizing.slices import Whole

Drawn: TypeAlias = "list[tuple[Whole, Numbers]]"
"""For each column the cells and the values of some rows."""

BLOCK_ROWS: Final = 1 << 16


def spans_of_rows(rows: int) -> Iterator[tuple[int, int]]:
    """The rows in blocks that fit into the cache of a processor."""
    for start in range(0, rows, BLOCK_ROWS):
        yield start, min(BLOCK_ROWS, rows - start)


def draw_independent(marginals: Sequence[Marginal], rows: int, seed: int) -> Iterator[Drawn]:
    """Draw every column by itself."""
    for start, count in spans_of_rows(rows):
        yield [
            marginal.drawn_at_uniform(uniform_draws(count, seed, place * rows + start))
            for place, marginal in enumerate(marginals)
        ]


@dataclass(frozen=True)
class GaussianCopula:
    """Marginals, and the lower triangle that correlates the normal variables behind them."""

    marginals: Sequence[Marginal]
    factor: Matrix

    @classmethod
    def fit(cls, marginals: Sequence[Marginal], cells: Sequence[Whole]) -> GaussianCopula:
        """Learn how each pair of columns varies together, from the cells of the rows."""
        columns = [(own.slices, places) for own, places in zip(marginals, cells, strict=True)]
        return cls(marginals, cholesky(repaired(correlations(columns))))

    def draw(self, rows: int, seed: int) -> Iterator[Drawn]:
        """Draw a table with as many rows as asked for, in blocks of rows."""
        for start, count in spans_of_rows(rows):
            independent = [
                normal_at(uniform_draws(count, seed, place * rows + start))
                for place in range(len(self.marginals))
            ]
            drawn: Drawn = []
            for marginal, weights in zip(self.marginals, self.factor, strict=True):
                points = np.zeros(count)
                for weight, part in zip(weights, independent, strict=False):
                    points += weight * part
                drawn.append(marginal.drawn_at_normal(points))
            yield drawn
