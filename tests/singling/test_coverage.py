"""The 95 % interval of the excess risk: how often it holds the truth, found by simulation.

The original and the synthetic table are fixed; people for the control are drawn again and again
from a known population. The true excess follows from the mean rates over many such draws and over
many samples of the original. The jackknife behind the interval tends to find too much variance
rather than too little (Efron and Stein 1981), so coverage above 95 % is expected, and the width is
checked against what it would be if the variance were known.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

import petaudit

Cells = npt.NDArray[np.int64]
TRUTH_DRAWS = 120
INTERVALS = 100
COLUMNS = 3


@dataclass(frozen=True)
class Design:
    """A population, how large each table is, and how many synthetic rows are copies."""

    population: str
    original: int
    control: int
    synthetic: int
    copied: float


DESIGNS = {
    "coincidence alone, a small control": Design("skewed", 400, 100, 300, 0.0),
    "coincidence alone, tables of one size": Design("related", 200, 200, 200, 0.0),
    "rare values, some rows are copies": Design("rare", 800, 800, 400, 0.2),
    "every second row is a copy": Design("skewed", 200, 200, 200, 0.5),
    "copies of a larger original": Design("related", 500, 250, 250, 0.5),
}
every_design = pytest.mark.parametrize("name", DESIGNS)


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
    is_usual = chance.random((4, rows)) < 0.97
    return np.where(is_usual, 0, chance.integers(1, 40, (4, rows)))


def table(cells: Cells) -> pa.Table:
    return pa.table({f"c{index}": column for index, column in enumerate(cells)})


def rate(target: Cells, synthetic: Cells) -> float:
    found = petaudit.mpuccs(table(target), table(synthetic), max_baseline_cols=COLUMNS)
    return float(found.global_.column("identification_rate")[0].as_py())


@cache
def simulated(name: str) -> tuple[float, list[tuple[float, float, float]]]:
    """The true excess, and estimate and interval for many controls."""
    design = DESIGNS[name]
    chance = np.random.default_rng(7)
    original = people(chance, design.original, design.population)
    synthetic = people(chance, design.synthetic, design.population)
    is_copy = chance.random(design.synthetic) < design.copied
    synthetic[:, is_copy] = original[:, chance.integers(0, design.original, is_copy.sum())]

    def control() -> Cells:
        return people(chance, design.control, design.population)

    by_chance, exposed = [], []
    for _ in range(TRUTH_DRAWS):
        # As many different people of each.
        drawn, known = (np.unique(cells, axis=1) for cells in (control(), original))
        size = min(drawn.shape[1], known.shape[1])
        by_chance.append(rate(drawn[:, chance.permutation(drawn.shape[1])[:size]], synthetic))
        exposed.append(rate(known[:, chance.permutation(known.shape[1])[:size]], synthetic))
    true = 1 - (1 - np.mean(exposed)) / (1 - np.mean(by_chance))
    found = []
    for seed in range(INTERVALS):
        result = petaudit.mpuccs(
            table(original),
            table(synthetic),
            table(control()),
            max_baseline_cols=COLUMNS,
            seed=seed,
        )
        [row] = result.global_.to_pylist()
        names = ("excess_risk", "excess_risk_ci_lower", "excess_risk_ci_upper")
        found.append(tuple(row[name] for name in names))
    return float(np.clip(true, 0, 1)), found


@every_design
def test_the_interval_holds_the_true_excess(name: str) -> None:
    true, found = simulated(name)
    assert np.mean([low <= true <= high for _, low, high in found]) >= 0.93


def test_over_all_designs_it_does_so_in_95_percent_of_cases() -> None:
    covered = [
        low <= simulated(name)[0] <= high for name in DESIGNS for _, low, high in simulated(name)[1]
    ]
    assert np.mean(covered) >= 0.95


@every_design
def test_the_estimate_is_near_the_truth_and_inside_its_interval(name: str) -> None:
    true, found = simulated(name)
    assert all(0 <= low <= value <= high <= 1 for value, low, high in found)
    # Cut at 0, an estimate of nothing is on the high side.
    assert np.mean([value for value, _, _ in found]) == pytest.approx(true, abs=0.03)


@every_design
def test_the_interval_is_not_wide_beyond_reason(name: str) -> None:
    """Where nothing is cut off, it is at most twice as wide as with a known variance."""
    _, found = simulated(name)
    whole = [(value, high - low) for value, low, high in found if low > 0 and high < 1]
    if len(whole) > INTERVALS / 2:
        known = 2 * 1.96 * np.std([value for value, _ in whole])
        assert np.mean([width for _, width in whole]) <= 2 * known


@pytest.mark.parametrize("name", [name for name in DESIGNS if not DESIGNS[name].copied])
def test_coincidence_is_hardly_ever_called_more_than_that(name: str) -> None:
    true, found = simulated(name)
    assert np.mean([low > max(true, 0.0) for _, low, _ in found]) <= 0.05


def test_copies_are_told_from_coincidence() -> None:
    _, found = simulated("every second row is a copy")
    assert np.mean([low > 0 for _, low, _ in found]) >= 0.9
