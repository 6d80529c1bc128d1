"""Tables in which a person may have several rows: classes that count people.

Everything follows from one reduced table, which stays in the engine: a row per person and class.
Whoever counts the rows of that table counts people, each once in every class that they are in. A
null in the person column is a value of its own: such rows cannot be told apart, so all of them
count as one person of their class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from petaudit.labels.cells import SUPPRESSED
from petaudit.tables._encoding import dictionary_cells, whole_numbers
from petaudit.tables.classes.blocks import Answer_co, BlockQuestion, ClassBlocks, ask_tables
from petaudit.tables.classes.grouped import labels_of_keys
from petaudit.tables.classes.keys import is_marked
from petaudit.tables.classes.table import ClassLabels, ClassTable
from petaudit.tables.engines.remote import added_up
from petaudit.tables.results import ClassValueCounts, Integers, ValueCounts

if TYPE_CHECKING:
    from petaudit.tables.table_counts import TableCounts

_NOT_THE_MARK = -1
"""Instead of the position of a value that nobody asks for."""


def one_row_per_person(
    table: TableCounts, quasi_identifiers: Sequence[str], person: str
) -> tuple[nw.LazyFrame[Any], tuple[str, ...]]:
    """The different rows of the quasi-identifiers and the person, and their names."""
    names = (*quasi_identifiers, person)
    keys = [f"c{place}" for place in range(len(names))]
    rows = table.renamed(dict(zip(names, keys, strict=True)))
    return table.grouped(rows, keys).select(*keys), names


class PeopleBlocks(ClassBlocks):
    """Classes with their people, and with the people who have the commonest sensitive value.

    A person has a value in a class if any of their rows there has it. Behind a null may be any
    value, so people with one are added to those with the commonest value, all people at most; who
    has both is then counted twice, and the number is an upper bound. Per class and column only
    this number is kept, and how many have the suppression mark; classes that agree on all of this
    are one entry, so that few numbers leave an engine.
    """

    def __init__(
        self,
        table: TableCounts,
        quasi_identifiers: Sequence[str],
        columns: Sequence[str],
        person: str,
        *,
        labels: bool,
    ) -> None:
        values = {column: table.sensitive_values(column).counts for column in columns}
        keys = [f"k{place}" for place in range(len(quasi_identifiers))]
        classes = _classes(table, quasi_identifiers, keys, values, person)
        figures = [name for name in classes.collect_schema().names() if name not in keys]
        suppressed = table.all_suppressed(quasi_identifiers, keys)
        if suppressed is not None:
            classes = classes.with_columns(suppressed.alias("suppressed"))
            figures.append("suppressed")
        if labels and not table.is_remote:
            counted = table.collected(classes)
            times = np.ones(counted.num_rows, dtype=np.int64)
            named = labels_of_keys([dictionary_cells(counted.column(key)) for key in keys])
        else:
            counted = table.collected(classes.group_by(*figures).agg(nw.len().alias("classes")))
            times, named = whole_numbers(counted.column("classes")), None
        self._table = people_class_table(counted, times, values, named)

    def ask(self, question: BlockQuestion[Answer_co], *, with_suppressed: bool) -> list[Answer_co]:
        """Ask the one block that there is."""
        return ask_tables([self._table], question, with_suppressed=with_suppressed)


def _classes(
    table: TableCounts,
    quasi_identifiers: Sequence[str],
    keys: list[str],
    values: Mapping[str, ValueCounts],
    person: str,
) -> nw.LazyFrame[Any]:
    """Every class with its people ``n``, and of each column those with one value in common.

    ``m`` are the people with the commonest value, ``z`` those with a null, ``h`` those with the
    suppression mark.
    """
    cells = {column: f"x{place}" for place, column in enumerate(values)}
    names = dict(zip(quasi_identifiers, keys, strict=True)) | {person: "p"} | cells
    rows = table.renamed(names)
    rows = rows.with_columns(
        *(_as_one(cells[column], counts).alias(cells[column]) for column, counts in values.items())
    )

    def people(some: nw.LazyFrame[Any], *more: str) -> nw.LazyFrame[Any]:
        each = some.group_by(*keys, *more, "p").agg(nw.len().alias("rows"))
        return each.group_by(*keys, *more).agg(nw.len().alias("n"))

    parts = {"n": people(rows)}
    for place, (column, counts) in enumerate(values.items()):
        cell = nw.col(cells[column])
        with_value = people(rows.filter(~cell.is_null()), cells[column])
        parts[f"m{place}"] = with_value.group_by(*keys).agg(nw.col("n").max())
        if None in counts.index:
            parts[f"z{place}"] = people(rows.filter(cell.is_null()))
        if SUPPRESSED in counts.index:
            marked = (cell == SUPPRESSED).fill_null(False)
            parts[f"h{place}"] = people(rows.filter(marked))
    return added_up(keys, parts)


def _as_one(cell: str, values: ValueCounts) -> nw.Expr:
    """The cells of a column with all spellings of a value as one."""
    merged = nw.col(cell)
    for label, spellings in zip(values.labels, values.spellings or (), strict=False):
        others = [spelling for spelling in spellings if spelling != label and spelling is not None]
        if others:
            named = nw.lit(label, dtype=nw.String)
            merged = nw.when(nw.col(cell).is_in(others)).then(named).otherwise(merged)
    return merged


def people_class_table(
    counted: pa.Table,
    times: Integers,
    values: Mapping[str, ValueCounts],
    labels: ClassLabels | None,
) -> ClassTable:
    """The classes from the columns that :func:`_classes` counts."""
    marked = np.flatnonzero(is_marked(counted))
    columns = {}
    entries = np.arange(counted.num_rows, dtype=np.int64)
    for place, (column, value_counts) in enumerate(values.items()):
        index, counts = entries, whole_numbers(counted.column(f"m{place}"))
        value = np.full(len(entries), _NOT_THE_MARK, dtype=np.int64)
        if f"z{place}" in counted.column_names:
            value[counts == 0] = value_counts.index[None]
            nulls = whole_numbers(counted.column(f"z{place}"))
            counts = np.minimum(counts + nulls, whole_numbers(counted.column("n")))
        if f"h{place}" in counted.column_names:
            hidden = whole_numbers(counted.column(f"h{place}"))
            some = np.flatnonzero(hidden)
            mark = np.full(len(some), value_counts.index[SUPPRESSED], dtype=np.int64)
            order = np.argsort(np.concatenate([index, some]), kind="stable")
            index = np.concatenate([index, some])[order]
            value = np.concatenate([value, mark])[order]
            counts = np.concatenate([counts, hidden[some]])[order]
        columns[column] = ClassValueCounts(value_counts, index, value, counts)
    sizes = whole_numbers(counted.column("n"))
    return ClassTable(sizes, times, columns, int(marked[0]) if marked.size else None, labels)
