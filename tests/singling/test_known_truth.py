"""Copies of real people: the excess is the share that was copied."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import petaudit
from petaudit.exact.excess import Excess, Finding

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
only_long = pytest.mark.long
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
    result = petaudit.mpuccs(
        original, synthetic, strangers, max_baseline_cols=columns, seed=seed
    ).findings.excess
    assert result is not None
    return result


@pytest.mark.parametrize(
    "share", [0.0, 0.05, 1.0, *(pytest.param(share, marks=only_long) for share in (0.01, 0.3))]
)
def test_three_columns(share: float) -> None:
    result = copied(share, 3, control=4_000)
    assert result.value == pytest.approx(share, abs=0.04)
    # With 3 columns one copy in some ten thousand is not unique.
    assert result.lower <= share <= result.upper + 0.001
    assert (result.finding is Finding.EXCESS) == (share >= 0.05)


@pytest.mark.parametrize("share", [0.3, pytest.param(1.0, marks=only_long)])
def test_four_columns(share: float) -> None:
    result = copied(share, 4, control=4_000)
    assert result.value == pytest.approx(share, abs=0.04)
    assert result.finding is Finding.EXCESS


@pytest.mark.parametrize(
    ("share", "columns"), [(0.0, 3), (0.3, 4), pytest.param(0.1, 4, marks=only_long)]
)
def test_the_whole_control(share: float, columns: int) -> None:
    result = copied(share, columns, control=9_766)
    assert result.value == pytest.approx(share, abs=0.04)
    assert result.lower <= share <= result.upper + 0.001
    assert result.finding is (Finding.EXCESS if share else Finding.COINCIDENCE)


def test_a_control_of_the_size_of_the_original() -> None:
    """Strangers are looked at beside the original: among themselves 30 % looked like 15 %."""
    rows = np.random.default_rng(5).permutation(39_074)
    train, others = (adult("ori").take(row) for row in (rows[:9_766], rows[9_766:]))
    synthetic = pa.concat_tables([train.slice(0, 2_930), others.slice(0, 9_766 - 2_930)])
    result = petaudit.mpuccs(train, synthetic, adult("control"), max_baseline_cols=4)
    assert result.figures["excess_risk"] == pytest.approx(0.3, abs=0.04)


def test_the_original_itself() -> None:
    """It was called coincidence: a copy keeps rows like it from being unique."""
    result = petaudit.mpuccs(adult("ori"), adult("ori"), adult("control"), max_baseline_cols=3)
    assert result.figures["excess_risk"] > 0.999
    assert result.figures["excess_risk_ci_lower"] > 0.99
    assert "more than coincidence" in result.explanation[1]
