"""The 95 % interval of the excess risk: how often it holds the truth, found by simulation.

All three tables are drawn again and again from a known population: chance chose the people of the
original as well as those of the control. Some of the original's rows are copied into the synthetic
table, the others there are strangers. The true excess follows from the mean shares over all draws,
and is 0 where nothing was copied. The interval allows for people who are hidden in pairs, so
coverage above 95 % is expected, and its width is checked against that with a known variance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

import petaudit
from petaudit.exact.excess import Excess, Finding

Cells = npt.NDArray[np.int64]
DRAWS = 120


@dataclass(frozen=True)
class Design:
    """A population, how large each table is, how many rows are copied, how many columns tell."""

    population: str
    original: int
    control: int
    copied: float
    columns: int


DESIGNS = [
    Design("skewed", 300, 300, 0.0, 3),
    Design("related", 300, 300, 1.0, 3),
    Design("rare", 800, 400, 0.05, 3),
]
MORE = [
    Design("related", 400, 100, 0.0, 3),
    Design("rare", 800, 200, 0.0, 2),
    Design("skewed", 100, 1000, 0.0, 4),
    Design("skewed", 200, 400, 1.0, 2),
    Design("skewed", 100, 1000, 1.0, 1),
    Design("related", 500, 250, 0.3, 3),
    Design("related", 200, 200, 0.01, 4),
]


def people(chance: np.random.Generator, rows: int, population: str) -> Cells:
    """Rows of a known population, a row per column."""
    if population == "skewed":
        long_tails = [np.minimum(chance.zipf(shape, rows), 200) for shape in (1.6, 1.4)]
        return np.stack([*long_tails, chance.integers(0, 12, rows), chance.integers(0, 3, rows)])
    if population == "related":
        common = chance.normal(size=rows)
        first = np.rint(8 * common + 3 * chance.normal(size=rows)).astype(np.int64)
        second = np.rint(5 * common + 5 * chance.normal(size=rows)).astype(np.int64)
        return np.stack([first, second, chance.integers(0, 6, rows), chance.integers(0, 2, rows)])
    # Most people have one and the same row, and the others hardly any in common.
    is_usual = chance.random((4, rows)) < 0.9
    return np.where(is_usual, 0, chance.integers(1, 40, (4, rows)))


def table(cells: Cells) -> pa.Table:
    return pa.table({f"c{index}": column for index, column in enumerate(cells)})


def drawn(design: Design, chance: np.random.Generator, seed: int) -> Excess:
    """The excess that is found in tables drawn anew."""
    original, strangers, control = (
        people(chance, rows, design.population)
        for rows in (design.original, design.original, design.control)
    )
    copied = round(design.copied * design.original)
    synthetic = np.concatenate(
        [original[:, chance.permutation(design.original)[:copied]], strangers[:, copied:]], axis=1
    )
    result = petaudit.mpuccs(
        *map(table, (original, synthetic, control)),
        max_baseline_cols=design.columns,
        calculate_baseline=False,
        threads=1,
        seed=seed,
    )
    assert result.findings.excess is not None
    return result.findings.excess


def simulated(design: Design) -> tuple[float, list[Excess]]:
    """The true excess, and what was found in many draws."""
    chance = np.random.default_rng(7)
    result = [drawn(design, chance, seed) for seed in range(DRAWS)]
    exposed, by_chance = (
        np.mean([entry.share for entry in side])
        for side in ([entry.original for entry in result], [entry.control for entry in result])
    )
    return float(1 - (1 - exposed) / (1 - by_chance)) if design.copied else 0.0, result


@pytest.mark.parametrize(
    "design", [*DESIGNS, *(pytest.param(each, marks=pytest.mark.long) for each in MORE)], ids=str
)
def test_the_interval_holds_the_true_excess(design: Design) -> None:
    true, result = simulated(design)
    assert np.mean([entry.lower <= true <= entry.upper for entry in result]) >= 0.94
    # It is at most twice as wide as with a known variance, unless hardly anybody is exposed.
    known = 2 * 1.96 * np.std([entry.value for entry in result])
    width = np.mean([entry.upper - entry.lower for entry in result])
    assert width <= 2 * known + 8 / min(design.original, design.control)
    if not design.copied:
        # Coincidence is hardly ever called more than that.
        assert np.mean([own.finding is Finding.EXCESS for own in result]) <= 0.035
        assert np.mean([own.finding is Finding.NOT_COMPARABLE for own in result]) <= 0.035
        # Strangers are exposed as often as the original's people, whatever rows they share.
        difference = np.mean([own.original.share - own.control.share for own in result])
        assert difference == pytest.approx(0, abs=0.015)
    if design.copied == 1 and design.columns > 1:
        assert all(own.finding is Finding.EXCESS for own in result)
