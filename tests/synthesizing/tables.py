"""Tables with every type, and how much two columns depend on each other."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import pyarrow as pa

ROWS = 4_000
_RANDOM = np.random.default_rng(11)


def with_nulls(values: Sequence[object] | np.ndarray, kind: pa.DataType) -> pa.Array:
    """An array in which about a tenth of the cells are null."""
    listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
    is_null = _RANDOM.random(len(listed)) < 0.1
    cells = [None if null else value for value, null in zip(listed, is_null, strict=True)]
    return pa.array(cells, kind)


def whole(low: int, high: int) -> np.ndarray:
    return _RANDOM.integers(low, high, ROWS)


def every_type() -> dict[str, pa.Array]:
    labels = [f"label {number}" for number in whole(0, 9)]
    seconds = whole(1_500_000_000, 1_700_000_000)
    found = {
        **{
            str(kind): with_nulls(whole(0, 100), kind)
            for kind in (pa.int8(), pa.int16(), pa.int32(), pa.uint8(), pa.uint16(), pa.uint32())
        },
        "int64": with_nulls(whole(-(2**62), 2**62), pa.int64()),
        "uint64": with_nulls([2**64 - 1 - int(x) for x in whole(0, 10**6)], pa.uint64()),
        "float16": with_nulls(whole(0, 9) / 2, pa.float32()).cast(pa.float16()),
        "float32": with_nulls(whole(0, 10**5) / 100, pa.float32()),
        "float64": with_nulls(_RANDOM.standard_normal(ROWS), pa.float64()),
        "decimals": with_nulls(whole(0, 10**6) / 100, pa.float64()),
        "decimal128": with_nulls(
            [Decimal(int(x)).scaleb(-2) for x in whole(0, 10**6)], pa.decimal128(9, 2)
        ),
        "decimal256": with_nulls(
            [Decimal(int(x)).scaleb(40) for x in whole(0, 10**6)], pa.decimal256(60, 3)
        ),
        "string": with_nulls(labels, pa.string()),
        "large_string": with_nulls(labels, pa.large_string()),
        "string_view": with_nulls(labels, pa.string_view()),
        "identifier": with_nulls([f"person {i}" for i in range(ROWS)], pa.string()),
        "bool": with_nulls(whole(0, 2).astype(bool), pa.bool_()),
        "date32": with_nulls(whole(0, 20_000), pa.int32()).cast(pa.date32()),
        "date64": with_nulls(86_400_000 * whole(0, 20_000), pa.int64()).cast(pa.date64()),
        "time32": with_nulls(whole(0, 86_400), pa.int32()).cast(pa.time32("s")),
        "time64": with_nulls(whole(0, 86_400 * 10**9), pa.int64()).cast(pa.time64("ns")),
        "duration": with_nulls(whole(-100, 10**6), pa.int64()).cast(pa.duration("ms")),
        "nothing": pa.nulls(ROWS),
        "all null": pa.nulls(ROWS, pa.int16()),
        "dictionary": with_nulls(labels, pa.string()).dictionary_encode(),
    }
    if hasattr(pa, "decimal64"):
        found["decimal64"] = with_nulls(
            [Decimal(int(x)).scaleb(-2) for x in whole(0, 10**6)], pa.decimal64(9, 2)
        )
    for unit, factor in (("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9)):
        found[f"timestamp {unit}"] = with_nulls(seconds * factor, pa.timestamp(unit))
        zone = "Asia/Taipei" if unit == "s" else "-03:30"
        found[f"timestamp {unit} {zone}"] = with_nulls(
            seconds * factor + 1, pa.timestamp(unit, zone)
        )
    return found


def codes(column: pa.ChunkedArray) -> np.ndarray:
    encoded = column.combine_chunks().dictionary_encode("encode")
    return np.asarray(encoded.indices.to_numpy(zero_copy_only=False))


def cramers_v(x: pa.ChunkedArray, y: pa.ChunkedArray) -> float:
    both = codes(x), codes(y)
    observed = np.zeros([one.max() + 1 for one in both])
    np.add.at(observed, both, 1)
    total = observed.sum()
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0)) / total
    squares = ((observed - expected) ** 2 / expected).sum() / total
    return float(np.sqrt(squares / (min(observed.shape) - 1)))
