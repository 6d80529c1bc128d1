"""The classes of a table on Spark as numbers that say which cells are equal, and nothing else."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from petaudit.tables._encoding import whole_numbers
from petaudit.tables.classes.keys import ClassKeys, class_keys, is_marked
from petaudit.tables.engines.remote import MOST_ROWS
from petaudit.tables.results import Integers

if TYPE_CHECKING:
    from petaudit.tables.table_counts import TableCounts

_SALT: Final = 1 << 62


def hashed_classes(
    table: TableCounts, quasi_identifiers: Sequence[str]
) -> tuple[npt.NDArray[np.uint32], Integers, npt.NDArray[np.bool_]] | None:
    """A line of codes per column, the sizes of classes, and which is that of suppressed rows.

    Workers hash the cells with a number that was just drawn, so what is fetched says which
    classes have a cell in common and not which cell it is. That no two values of a column share a
    hash is checked; None where two do, or where classes or values are too many to be fetched.
    """
    if int(table.class_histogram(quasi_identifiers).classes.sum()) >= MOST_ROWS:
        return None
    from pyspark.sql import functions as sql  # noqa: PLC0415 (an extra)

    salt = secrets.randbelow(_SALT)

    def query(keys: ClassKeys) -> nw.LazyFrame[Any]:
        classes = keys.flagged(table.grouped(keys.rows, keys.names)).to_native()
        # A null leaves a hash as it is, so whether there is one goes into it, too.
        hashes = [
            sql.xxhash64(sql.lit(salt), sql.isnull(name), sql.col(name)).alias(name)
            for name in keys.names
        ]
        hashed: nw.LazyFrame[Any] = nw.from_native(classes.select(*hashes, "n", *keys.flags))
        return hashed

    fetched = class_keys(table, quasi_identifiers).collected(query)
    codes = []
    for place, name in enumerate(quasi_identifiers):
        hashes, code = np.unique(whole_numbers(fetched.column(place)), return_inverse=True)
        if len(hashes) != len(table.value_counts(name).labels):
            return None
        codes.append(code.astype(np.uint32))
    sizes = whole_numbers(fetched.column("n"))
    table.agree_on_rows(int(sizes.sum()))
    return np.array(codes, np.uint32), sizes, is_marked(fetched)
