"""Whole columns as small numbers, for figures that look at rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from petaudit.labels.cells import SUPPRESSED
from petaudit.tables.source import Source

Codes: TypeAlias = npt.NDArray[np.int32]


def column_codes(source: Source, columns: Sequence[str]) -> dict[str, Codes]:
    """For every row the position of its value among the labels of ``value_counts``.

    All columns come from one query, so rows without an order of their own stay together.

    >>> import pyarrow as pa
    >>> from petaudit.tables import open_source
    >>> source = open_source(pa.table({"age": [30, None, 5, 30]}))
    >>> source.counts.value_counts("age").labels, column_codes(source, ["age"])["age"].tolist()
    (('5', '30', None), [1, 2, 0, 1])
    """
    found = source.counts.row_codes(columns)
    return {name: own.astype(np.int32) for name, own in zip(columns, found, strict=True)}


def codes_of_rows(
    source: Source, columns: Sequence[str], *, with_suppressed: bool
) -> npt.NDArray[np.uint32]:
    """The same as one array, a line per column; rows with ``*`` in all of them may be left out.

    >>> import pyarrow as pa
    >>> from petaudit.tables import open_source
    >>> source = open_source(pa.table({"zip": ["1", "*", "2"], "age": ["7", "*", "*"]}))
    >>> codes_of_rows(source, ["zip", "age"], with_suppressed=False).tolist()
    [[0, 1], [0, 1]]
    """
    by_name = column_codes(source, columns)
    codes = np.array([by_name[name] for name in columns], np.uint32)
    if with_suppressed:
        return codes
    marks = [source.counts.value_counts(name).index.get(SUPPRESSED, -1) for name in columns]
    says_something = codes != np.array(marks)[:, np.newaxis]
    return codes[:, says_something.any(axis=0)]
