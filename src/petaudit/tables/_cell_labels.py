"""The labels of many cells at once, and the order that labels come in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from petaudit.labels.cells import BLANKS, label_of
from petaudit.tables._encoding import dictionary_cells, python_values
from petaudit.tables.results import Integers


def cell_labels(cells: pa.Array | pa.ChunkedArray) -> list[str | None]:
    """What ``label_of`` says of each cell, without its questions: a column may have very many.

    >>> cell_labels(pa.array([2.0, 0.5, None, float("nan")])), cell_labels(pa.array([" a", " "]))
    (['2', '0.5', None, None], ['a', None])
    """
    values = python_values(cells)
    kind = cells.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return [None if text is None else text.strip(BLANKS) or None for text in values]
    if pa.types.is_integer(kind):
        return [None if number is None else str(number) for number in values]
    if pa.types.is_floating(kind):
        return [
            label_of(plain(number))
            if number is None or number.is_integer() or math.isnan(number)
            else repr(number)
            for number in values
        ]
    return [label_of(plain(value)) for value in values]


def label_codes(column: pa.ChunkedArray) -> tuple[Integers, list[str | None]]:
    """A code per row and the label of each code.

    >>> codes, labels = label_codes(pa.chunked_array([[2.0, None, 2.0]]))
    >>> codes.tolist(), labels
    ([0, 1, 0], ['2', None])
    """
    codes, cells = dictionary_cells(column)
    return codes, cell_labels(cells)


def in_order(labels: Sequence[str | None]) -> Integers:
    """Where the labels stand that come first, second and so on: numbers by value, texts, null.

    Labels of the same number come in the order of their texts.

    >>> labels = ["b", "10", None, "9", "a", "1e1"]
    >>> [labels[place] for place in in_order(labels).tolist()]
    ['9', '10', '1e1', 'a', 'b', None]
    """
    values = _values(labels)
    order = np.argsort(values, kind="stable").astype(np.int64)
    # NaN, in its own spelling too, is no number, and sorting leaves all of them at the end.
    numbers = len(labels) - int(np.count_nonzero(np.isnan(values)))
    ascending = values[order[:numbers]]
    begins = np.concatenate(([True], ascending[1:] != ascending[:-1])) if numbers else ascending
    if not begins.all():
        group = np.cumsum(begins)
        tied = np.flatnonzero(np.bincount(group)[group] > 1)
        keys = {
            place: (rank, labels[place] or "")
            for place, rank in zip(order[tied].tolist(), group[tied].tolist(), strict=True)
        }
        order[tied] = sorted(keys, key=keys.__getitem__)
    texts = {place: label for place in order[numbers:].tolist() if (label := labels[place])}
    by_text = sorted(texts, key=texts.__getitem__)
    order[numbers : numbers + len(by_text)] = by_text
    order[numbers + len(by_text) :] = [place for place, label in enumerate(labels) if not label]
    return order


def _values(labels: Sequence[str | None]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    try:
        values = [float(label or "nan") for label in labels]
    except ValueError:
        values = [_value(label) for label in labels]
    return np.array(values, dtype=np.float64)


def _value(label: str | None) -> float:
    # Most ranges begin so, and asking first is cheaper than a conversion that fails.
    if not label or label[0] in "[]({<>":
        return math.nan
    try:
        return float(label)
    except ValueError:
        return math.nan


def plain(value: Any) -> Any:
    """Make the engines' own nulls (NaN, NaT, NA) a None."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return None
    return None if isinstance(value, float) and value != value else value  # noqa: PLR0124
