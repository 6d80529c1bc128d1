"""The generated tables: seeded, written in blocks, kept for the next run."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

Codes: TypeAlias = npt.NDArray[np.int64]
Block: TypeAlias = list[pa.Array]

SEED: Final = 20240607
VERSION: Final = 1
"""Counted up when the generator changes, so that no old file is taken for a new one."""
ROW_GROUP: Final = 100_000
"""Row groups are what DuckDB's threads share out: enough of them that two threads end together."""
BLOCK: Final = 500_000
"""Each block has its own seed, so a smaller table is the beginning of a larger one."""

QUASI_IDENTIFIERS: Final = (
    "sex",
    "age",
    "zip",
    "country",
    "education",
    "marital-status",
    "occupation",
    "race",
)
SENSITIVE: Final = "sensitive"
CLASSES: Final = 200_000

# Labels as they stand in released tables: some fit into DuckDB's 12 inlined bytes, some do not.
_LABELS: Final[Mapping[str, list[str]]] = {
    "sex": ["Female", "Male"],
    "age": [f"[{start},{start + 5}[" for start in range(15, 95, 5)],
    "zip": [f"{prefix:03d}**" for prefix in range(1000)],
    "country": [f"Country no. {number:02d}" for number in range(40)],
    "education": [f"Education level {number:02d}" for number in range(16)],
    "marital-status": [f"Marital status {number}" for number in range(7)],
    "occupation": [f"Occupation group {number:02d}" for number in range(14)],
    "race": [f"Race {number}" for number in range(5)],
}
_UNIQUE_LABELS: Final[Mapping[str, list[str]]] = dict(_LABELS) | {
    "age": [str(date) for date in np.arange("1930-01-01", "2010-01-01", dtype="datetime64[D]")],
    "zip": [f"{code:05d}" for code in range(100_000)],
}
_ADULT_SHARES: Final[Mapping[str, Mapping[str, float]]] = {
    "sex": {"Male": 0.67, "Female": 0.33},
    "age": {
        "[10,20[": 0.05,
        "[20,30[": 0.25,
        "[30,40[": 0.27,
        "[40,50[": 0.22,
        "[50,60[": 0.13,
        "[60,70[": 0.06,
        "[70,80[": 0.015,
        "[80,90[": 0.005,
    },
    "zip": {"1****": 0.5, "2****": 0.3, "3****": 0.15, "4****": 0.05},
    "country": {"North America": 0.92, "Latin America": 0.04, "Asia": 0.02, "Europe": 0.02},
    "education": {
        "Secondary education": 0.45,
        "Higher education": 0.25,
        "Primary School": 0.05,
        "Undergraduate": 0.25,
    },
    "marital-status": {"spouse present": 0.5, "spouse not present": 0.5},
    "occupation": {"Nontechnical": 0.35, "Technical": 0.35, "Other": 0.3},
    "race": {
        "White": 0.86,
        "Black": 0.09,
        "Asian-Pac-Islander": 0.03,
        "Amer-Indian-Eskimo": 0.01,
        "Other": 0.01,
    },
}
_SUPPRESSED_SHARE: Final = 0.02
_REPEATED_SHARE: Final = 0.01


@dataclass(frozen=True)
class Shape:
    """One kind of table: what it shows, and how a block of its rows is drawn."""

    name: str
    title: str
    draw: Callable[[np.random.Generator, int], Block]
    columns: Sequence[str] = (*QUASI_IDENTIFIERS, SENSITIVE)
    made_from: str = ""
    """A fingerprint of the data that rows are drawn from, if they are drawn from any."""


def shape(name: str) -> Shape:
    """The shape of that name."""
    return SHAPES[name]


def table_file(chosen: Shape, rows: int, folder: Path) -> Path:
    """The Parquet file of a shape; made unless the folder holds it with the same parameters."""
    path = folder / f"{chosen.name}-{rows}.parquet"
    note = path.with_suffix(".json")
    wanted = {"shape": chosen.name, "rows": rows, "seed": SEED, "version": VERSION}
    if chosen.made_from:
        wanted["made_from"] = chosen.made_from
    if path.is_file() and note.is_file() and json.loads(note.read_text()) == wanted:
        return path
    folder.mkdir(parents=True, exist_ok=True)
    note.unlink(missing_ok=True)
    _write(chosen, rows, path)
    note.write_text(json.dumps(wanted))
    return path


def _write(chosen: Shape, rows: int, path: Path) -> None:
    writer: pq.ParquetWriter | None = None
    for block, start in enumerate(range(0, rows, BLOCK)):
        columns = chosen.draw(np.random.default_rng([SEED, block]), BLOCK)
        table = pa.table(dict(zip(chosen.columns, columns, strict=True)))
        table = table.slice(0, min(BLOCK, rows - start))
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table, row_group_size=ROW_GROUP)
    if writer is not None:
        writer.close()


def _text(codes: Codes, labels: list[str]) -> pa.Array:
    return pa.array(labels, pa.string()).take(pa.array(codes))


def _prototypes(classes: int = CLASSES) -> Mapping[str, Codes]:
    """The quasi-identifiers of each class, the same for every block."""
    generator = np.random.default_rng([SEED, 0xC1A55])
    return {
        column: generator.integers(0, len(labels), classes) for column, labels in _LABELS.items()
    }


def _classes(generator: np.random.Generator, rows: int) -> Codes:
    return generator.integers(0, CLASSES, rows)


def _diseases(generator: np.random.Generator, rows: int, values: int) -> pa.Array:
    shares = 1 / np.arange(1, values + 1)
    codes = generator.choice(values, rows, p=shares / shares.sum())
    return _text(codes, [f"Disease {number:02d}" for number in range(values)])


def _text_block(generator: np.random.Generator, rows: int, classes: int = CLASSES) -> Block:
    chosen, prototypes = generator.integers(0, classes, rows), _prototypes(classes)
    keys = [_text(prototypes[column][chosen], labels) for column, labels in _LABELS.items()]
    return [*keys, _diseases(generator, rows, 20)]


def _unique_block(generator: np.random.Generator, rows: int) -> Block:
    repeated = generator.random(rows - 1) < _REPEATED_SHARE
    person = np.cumsum(np.concatenate([[0], ~repeated]))
    keys = [
        _text(generator.integers(0, len(labels), rows)[person], labels)
        for labels in _UNIQUE_LABELS.values()
    ]
    return [*keys, _diseases(generator, rows, 20)]


def _integer_block(generator: np.random.Generator, rows: int) -> Block:
    chosen, prototypes = _classes(generator, rows), _prototypes()
    keys = [pa.array(prototypes[column][chosen]) for column in _LABELS]
    return [*keys, _diseases(generator, rows, 20)]


def _skewed_block(generator: np.random.Generator, rows: int) -> Block:
    suppressed = generator.random(rows) < _SUPPRESSED_SHARE
    keys = []
    for shares in _ADULT_SHARES.values():
        codes = generator.choice(len(shares), rows, p=list(shares.values()))
        keys.append(_text(np.where(suppressed, len(shares), codes), [*shares, "*"]))
    return [*keys, _diseases(generator, rows, 10)]


def _numeric_block(generator: np.random.Generator, rows: int) -> Block:
    keys = _text_block(generator, rows)[:-1]
    return [*keys, pa.array(1_000 + 50 * generator.integers(0, 2_000, rows))]


SHAPES: Final[Mapping[str, Shape]] = {
    own.name: own
    for own in (
        Shape("text", "text QIs, 200k classes, 20 sensitive values", _text_block),
        Shape("unique", "text QIs, nearly every row a class, 20 sensitive values", _unique_block),
        Shape("integer", "integer QIs, 200k classes, 20 sensitive values", _integer_block),
        Shape("skewed", "Adult-like text QIs, huge classes, 10 sensitive values", _skewed_block),
        Shape("numeric", "text QIs, 200k classes, 2,000 sensitive numbers", _numeric_block),
    )
}


def many() -> Shape:
    """The table `text` with some 615,000 classes in 5 million rows."""
    draw = partial(_text_block, classes=615_800)
    return Shape("many", "text QIs, 615k classes, 20 sensitive values", draw)


WIDE_COLUMNS: Final = 40
WIDE_NAMES: Final = tuple(
    f"{name} {again}" if again > 1 else name
    for again in range(1, WIDE_COLUMNS // len(QUASI_IDENTIFIERS) + 1)
    for name in QUASI_IDENTIFIERS
)


def wide() -> Shape:
    """The table `text` with 40 quasi-identifiers; with the first five it has as many classes."""
    return Shape("wide", "40 text QIs, 200k classes", _wide_block, columns=(*WIDE_NAMES, SENSITIVE))


def _wide_block(generator: np.random.Generator, rows: int) -> Block:
    chosen = _classes(generator, rows)
    own = np.random.default_rng([SEED, 0x31DE])
    keys: Block = []
    for _ in range(WIDE_COLUMNS // len(QUASI_IDENTIFIERS)):
        for labels in _LABELS.values():
            keys.append(_text(own.integers(0, len(labels), CLASSES)[chosen], labels))
    return [*keys, _diseases(generator, rows, 20)]


def describe(path: Path) -> dict[str, Any]:
    """Size and layout of a generated file."""
    metadata = pq.ParquetFile(path).metadata
    return {
        "rows": metadata.num_rows,
        "columns": metadata.num_columns,
        "row_groups": metadata.num_row_groups,
        "bytes": path.stat().st_size,
    }
