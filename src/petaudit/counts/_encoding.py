"""Integer codes for columns and for combinations of columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from petaudit.counts.results import Integers

_LARGEST_KEY = 1 << 62


def dictionary_codes(column: pa.ChunkedArray) -> tuple[Integers, list[Any]]:
    """A code per row and the value of each code; a null is a value.

    >>> codes, values = dictionary_codes(pa.chunked_array([["b", None, "b"]]))
    >>> codes.tolist(), values
    ([0, 1, 0], ['b', None])
    """
    encoded = column.combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = pa.concat_arrays(encoded.chunks) if encoded.num_chunks else pa.array([], "string")
    if not pa.types.is_dictionary(encoded.type):
        encoded = encoded.dictionary_encode(null_encoding="encode")
    return encoded.indices.to_numpy().astype(np.int64), encoded.dictionary.to_pylist()


def class_indices(codes: Sequence[Integers], rows: int) -> Integers:
    """One dense index per distinct combination of codes.

    >>> class_indices([np.array([0, 1, 0]), np.array([5, 5, 5])], 3).tolist()
    [0, 1, 0]
    """
    key = np.zeros(rows, dtype=np.int64)
    if not rows:
        return key
    span = 1
    for column in codes:
        width = int(column.max()) + 1
        if span * width > _LARGEST_KEY:
            key, span = _dense(key)
        key = key * width + column
        span *= width
    return _dense(key)[0]


def _dense(key: Integers) -> tuple[Integers, int]:
    values, inverse = np.unique(key, return_inverse=True)
    return inverse.astype(np.int64), len(values)
