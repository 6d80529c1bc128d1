"""Sums of products of whole numbers: exact at any size, here and in an engine of 64 bits."""

from __future__ import annotations

import math

import ibis
import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import examples
from petaudit.tables import open_source
from petaudit.tables.sums import sum_of_products

labels = st.sampled_from(["a", "b", " b", "", None])
factors = st.lists(st.one_of(st.integers(1, 5), st.integers(1, 2**40)), min_size=3, max_size=3)


@settings(max_examples=examples(15), deadline=None)
@given(
    st.lists(st.tuples(labels, labels, labels), min_size=1, max_size=8), st.tuples(*[factors] * 3)
)
def test_an_engine_elsewhere_adds_up_the_same(
    rows: list[tuple[str | None, ...]], columns: tuple[list[int], ...]
) -> None:
    cells = list(zip(*rows, strict=True))
    table = pa.table(
        {f"x{place}": pa.array(entry, pa.string()) for place, entry in enumerate(cells)}
    )
    # A factor for a, one for b, one for all that says nothing: so the labels are ordered.
    of_label = [dict(zip(["a", "b", None], entry, strict=True)) for entry in columns]
    trimmed = [[(cell or "").strip() or None for cell in row] for row in rows]
    expected = sum(
        math.prod(entry[cell] for entry, cell in zip(of_label, row, strict=True)) for row in trimmed
    )
    for frame in (table, ibis.memtable(table)):
        counts = open_source(frame).counts
        given_factors = {
            name: np.array([entry[label] for label in counts.value_counts(name).labels])
            for name, entry in zip(table.column_names, of_label, strict=True)
        }
        assert sum_of_products(counts, given_factors) == expected


def test_products_of_hundreds_of_bits_are_exact() -> None:
    table = pa.table({f"x{place}": ["a", "b", "b"] for place in range(9)})
    factors = {f"x{place}": np.array([2**62, 3**39]) for place in range(9)}
    for frame in (table, ibis.memtable(table)):
        result = sum_of_products(open_source(frame).counts, factors)
        assert result == 2**558 + 2 * 3**351
