"""The label of every row as a small number, kept for all that look at rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from petaudit.errors import EngineError
from petaudit.tables._cell_labels import cell_labels
from petaudit.tables._classes.keys import ColumnValues
from petaudit.tables._encoding import dictionary_cells, whole_numbers
from petaudit.tables.results import Integers

if TYPE_CHECKING:
    from petaudit.tables.table_counts import TableCounts

RowCodes: TypeAlias = npt.NDArray[np.integer]

_MANY_CELLS: Final = 10_000


def read_row_codes(table: TableCounts, columns: Sequence[str]) -> list[RowCodes]:
    """The position of each row's label among the values of its column, from one query."""
    cells = table.columns_values(columns, raw=True)
    found: list[RowCodes] = []
    for column in columns:
        codes, distinct = dictionary_cells(cells.pop(0))
        table.note_values(column, distinct, codes)
        values = table.values(column)
        places = values.positions if values.cells is distinct else _positions(distinct, values)
        # They are kept for every row, so they are as small as they can be.
        kind = np.min_scalar_type(max(len(values.counts.labels) - 1, 0))
        found.append(places.astype(kind)[codes])
    return found


def _positions(cells: pa.Array, values: ColumnValues) -> Integers:
    """The position of each cell's label; many cells are found in Arrow, without their labels."""
    kind = cells.type
    simple = pa.types.is_string(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind)
    if len(cells) > _MANY_CELLS and simple and kind == values.cells.type:
        from pyarrow import compute  # noqa: PLC0415 (slow to load, and small tables do without)

        known = compute.index_in(cells, value_set=values.cells)
        if not known.null_count:
            return values.positions[whole_numbers(pa.chunked_array([known]))]
    index = values.counts.index
    # Several cells may have one label: blanks around text do not count.
    try:
        return np.array([index[label] for label in cell_labels(cells)], dtype=np.int64)
    except KeyError:
        raise EngineError(
            "the table gives other values each time it is asked; store its rows first"
        ) from None
