"""A pair of tables with 15 columns of mixed kinds, some with millions of different values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from shapes import Block, Shape, table_file

Draw: TypeAlias = Callable[[np.random.Generator, int], pa.Array]


def large_pair(rows: int, folder: Path) -> tuple[Path, Path]:
    """An original and a synthetic table of so many rows each."""
    original, synthetic = (
        Shape(
            f"mpuccs-{name}", "15 columns of mixed kinds", partial(_draw, place), (*COLUMNS,), "1"
        )
        for place, name in enumerate(("original", "synthetic"))
    )
    return table_file(original, rows, folder), table_file(synthetic, rows, folder)


def _draw(place: int, generator: np.random.Generator, rows: int) -> Block:
    # The same seed for both tables would give them the same rows.
    own = generator.spawn(2)[place]
    return [draw(own, rows) for draw in COLUMNS.values()]


def _ids(generator: np.random.Generator, rows: int) -> pa.Array:
    numbers = generator.integers(0, 40_000_000, rows)
    return pa.array(np.char.add("P", numbers.astype("U9")))


def _amounts(generator: np.random.Generator, rows: int) -> pa.Array:
    return pa.array(np.round(generator.lognormal(9, 1.2, rows), 2))


def _whole(low: int, high: int, generator: np.random.Generator, rows: int) -> pa.Array:
    return pa.array(generator.integers(low, high, rows))


def _shares(generator: np.random.Generator, rows: int) -> pa.Array:
    return pa.array(np.round(generator.random(rows), 3))


def _days(generator: np.random.Generator, rows: int) -> pa.Array:
    return pa.array(generator.integers(-10_000, 15_000, rows).astype("datetime64[D]"))


def _seconds(generator: np.random.Generator, rows: int) -> pa.Array:
    moments: npt.NDArray[np.int64] = 1_600_000_000 + generator.integers(0, 3_000_000, rows)
    return pa.array(moments.astype("datetime64[s]"))


def _labels(label: str, many: int, generator: np.random.Generator, rows: int) -> pa.Array:
    codes = pa.array(generator.integers(0, many, rows))
    return pa.array([f"{label} {number}" for number in range(many)]).take(codes)


def _truths(generator: np.random.Generator, rows: int) -> pa.Array:
    return pa.array(generator.random(rows) < 0.3, mask=generator.random(rows) < 0.01)


COLUMNS: Final[Mapping[str, Draw]] = {
    "id": _ids,
    "amount": _amounts,
    "weight": partial(_whole, 10_000, 1_500_000),
    "born": _days,
    "seen": _seconds,
    "job": partial(_labels, "Job", 800),
    "zip": partial(_labels, "Zip", 3_000),
    "age": partial(_whole, 17, 91),
    "hours": partial(_whole, 1, 99),
    "rate": _shares,
    "region": partial(_labels, "Region", 51),
    "month": partial(_whole, 1, 13),
    "sex": partial(_labels, "Sex", 2),
    "flag": _truths,
    "education": partial(_labels, "Education", 16),
}
