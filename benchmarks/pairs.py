"""Pairs of an original and a synthetic table that resemble Adult, with as many rows as wanted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from shapes import Block, Shape, table_file

from petaudit import datasets

ORIGINAL: Final = "adult-income_ori"
SYNTHETIC: Final = "adult-income_syn"
DETAILED: Final = "fnlwgt"
"""The column where most people have a value of their own."""
COLUMNS: Final = 20
FINER: Final = 26
"""Each of its values becomes so many: a million rows then have some 460,000 different ones."""


def bundled_pair() -> tuple[Path, Path]:
    """The original and the synthetic table that come with petaudit."""
    return datasets.load(ORIGINAL).path, datasets.load(SYNTHETIC).path


def fingerprint() -> str:
    """What tells this bundled pair from another."""
    return sha256(b"".join(path.read_bytes() for path in bundled_pair())).hexdigest()[:16]


def generated_pair(rows: int, folder: Path, columns: int = COLUMNS) -> tuple[Path, Path]:
    """An original and a synthetic table of so many rows and columns each.

    Fewer columns are the first ones; after the twentieth they begin anew, drawn once more.
    """
    end = "" if columns == COLUMNS else f"-{columns}"
    original, synthetic = (
        Shape(
            f"pair-{name}{end}",
            f"Adult-like, {columns} columns",
            partial(_draw, place, columns),
            _names(place, columns),
            fingerprint(),
        )
        for place, name in enumerate(("original", "synthetic"))
    )
    return table_file(original, rows, folder), table_file(synthetic, rows, folder)


@cache
def _columns(place: int) -> Mapping[str, pa.Array]:
    table = pq.read_table(bundled_pair()[place])
    return {name: table.column(name).combine_chunks() for name in table.column_names}


def _names(place: int, columns: int) -> tuple[str, ...]:
    known = (*_columns(place), *_MORE)
    names = []
    for number in range(columns):
        again = number // len(known)
        names.append(known[number % len(known)] + (f" {again + 1}" if again else ""))
    return tuple(names)


def _draw(place: int, columns: int, generator: np.random.Generator, rows: int) -> Block:
    """Draw each column of the bundled table on its own, and the further ones."""
    # The same seed for both tables would give them the same rows.
    own = generator.spawn(2)[place]
    known = (*_columns(place), *_MORE)
    return [_column(place, known[number % len(known)], own, rows) for number in range(columns)]


def _column(place: int, name: str, own: np.random.Generator, rows: int) -> pa.Array:
    if name in _MORE:
        return _MORE[name](own, rows)
    values = _columns(place)[name]
    column = values.take(pa.array(own.integers(0, len(values), rows)))
    if name == DETAILED:
        column = pa.array(column.to_numpy() * FINER + own.integers(0, FINER, rows))
    return column


def _labels(label: str, many: int, generator: np.random.Generator, rows: int) -> pa.Array:
    """Labels of which the n-th is n times as rare as the first."""
    shares = 1 / np.arange(1, many + 1)
    codes = generator.choice(many, rows, p=shares / shares.sum())
    return pa.array([f"{label} {number:03d}" for number in range(many)]).take(pa.array(codes))


def _month(generator: np.random.Generator, rows: int) -> pa.Array:
    return pa.array(generator.integers(1, 13, rows))


def _minutes(generator: np.random.Generator, rows: int) -> pa.Array:
    return pa.array(np.minimum(generator.gamma(2, 14, rows), 180).astype(np.int64))


def _savings(generator: np.random.Generator, rows: int) -> pa.Array:
    amounts = np.minimum(generator.lognormal(9, 1, rows), 500_000)
    return pa.array(100 * (amounts // 100).astype(np.int64))


_MORE: Final[Mapping[str, Callable[[np.random.Generator, int], pa.Array]]] = {
    "savings": _savings,
    "job": partial(_labels, "Job", 800),
    "commute-minutes": _minutes,
    "region": partial(_labels, "Region", 51),
    "birth-month": _month,
}
