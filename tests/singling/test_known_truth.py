"""Copies of real people: the excess is about the share that was copied.

A copied row shields others: where its owner is in the sample, it points at nobody else, whom it
might have singled out by chance in the control. So the excess is a little below the share copied,
by more the larger the samples are: with the whole control, a quarter of Adult, 0.25 for 30 %.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import petaudit
from petaudit.excess import Excess, Finding

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
DATA = Path(petaudit.__file__).parent / "datasets" / "data"


@cache
def adult(part: str) -> pa.Table:
    return parquet.read_table(DATA / f"adult-income_{part}.parquet")


def copied(share: float, columns: int, control: int, seed: int = 0) -> Excess:
    """What is found where a share of Adult is copied among synthetic rows."""
    chance = np.random.default_rng(seed)
    original, others = adult("ori"), adult("syn")
    many = round(share * len(original))
    copies = original.take(chance.permutation(len(original))[:many])
    synthetic = pa.concat_tables([copies, others.slice(0, len(original) - many)])
    strangers = adult("control").take(chance.permutation(9_766)[:control])
    found = petaudit.mpuccs(
        original, synthetic, strangers, max_baseline_cols=columns, seed=seed
    ).findings.excess
    assert found is not None
    return found


@pytest.mark.parametrize("share", [0.0, 0.01, 0.05, 0.1, 0.3, 1.0])
def test_three_columns(share: float) -> None:
    found = copied(share, 3, control=4_000)
    assert found.value == pytest.approx(share, abs=0.04)
    # With 3 columns one copy in some ten thousand is not unique.
    assert found.lower <= share <= found.upper + 0.001
    assert (found.finding is Finding.EXCESS) == (share >= 0.05)


@pytest.mark.parametrize("share", [0.1, 0.3, 1.0])
def test_four_columns(share: float) -> None:
    found = copied(share, 4, control=4_000)
    assert found.value == pytest.approx(share, abs=0.04)
    assert found.finding is Finding.EXCESS


@pytest.mark.parametrize(
    ("share", "expected"), [(0.0, 0.0), (0.1, 0.075), (0.3, 0.25), (1.0, 0.999)]
)
def test_the_whole_control(share: float, expected: float) -> None:
    found = copied(share, 3, control=9_766)
    assert found.value == pytest.approx(expected, abs=0.015)
    assert found.finding is (Finding.EXCESS if share else Finding.COINCIDENCE)


def test_the_original_itself() -> None:
    """It was called coincidence: a copy keeps rows like it from being unique."""
    found = petaudit.mpuccs(adult("ori"), adult("ori"), adult("control"), max_baseline_cols=3)
    assert found.figures["excess_risk"] > 0.999
    assert found.figures["excess_risk_ci_lower"] > 0.99
    assert "more than coincidence" in found.explanation[1]
