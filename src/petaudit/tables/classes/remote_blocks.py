"""Classes of tables whose rows stay elsewhere: Spark answers questions, databases send classes."""

from __future__ import annotations

import json
import warnings
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from petaudit.tables._encoding import cell_labels, whole_numbers
from petaudit.tables.classes.blocks import Answer_co, BlockQuestion, ClassBlocks, ask_tables
from petaudit.tables.classes.grouped import class_table
from petaudit.tables.classes.keys import trimmed_keys
from petaudit.tables.classes.table import ClassLabels, ClassTable, Labels
from petaudit.tables.results import Integers, ValueCounts

if TYPE_CHECKING:
    from petaudit.tables.table_counts import TableCounts


PAIRS_AT_ONCE: Final = 500_000
_NUMBER: Final = "class_number"
_ROWS_PER_TASK: Final = 200_000


@dataclass(frozen=True)
class _PairColumns:
    """The columns of counted pairs of class and value: it travels to the workers of Spark."""

    keys: tuple[str, ...]
    cells: tuple[str, ...]
    values: Mapping[str, ValueCounts]
    has_labels: bool

    def classes(self, counted: pa.Table, keys: Sequence[str]) -> ClassTable:
        """The classes of pairs; equal ones are one entry unless they have labels."""
        table = class_table(counted, keys, self.cells, self.values, labels=self.has_labels)
        return table if self.has_labels else table.folded()


def remote_blocks(
    table: TableCounts,
    quasi_identifiers: Sequence[str],
    values: Mapping[str, ValueCounts],
    *,
    labels: bool,
) -> ClassBlocks:
    """The classes, to be asked where they are."""
    cells = tuple(dict.fromkeys(table.position(column) for column in values))
    keys = trimmed_keys(table, quasi_identifiers, carried=cells)
    groups = keys.flagged(table.grouped(keys.rows, [*keys.names, *cells]))
    columns = _PairColumns(tuple(keys.names), cells, dict(values), labels)
    blocks = NumberedBlocks if table.frame.implementation.is_ibis() else SparkBlocks
    return blocks(table, groups, columns)


class NumberedBlocks(ClassBlocks):
    """Classes of a database by number, in slices; their labels are fetched only one by one."""

    def __init__(
        self, table: TableCounts, groups: nw.LazyFrame[Any], columns: _PairColumns
    ) -> None:
        self._table = table
        self._groups = groups
        self._columns = columns

    def ask(self, question: BlockQuestion[Answer_co], *, with_suppressed: bool) -> list[Answer_co]:
        """Fetch a slice of the classes, without their labels, and ask it."""
        return ask_tables(self._blocks(), question, with_suppressed=with_suppressed)

    @cached_property
    def _slices(self) -> int:
        number = self._table.number(self._groups.select(nw.len().alias("pairs")))
        return max(-(-number // PAIRS_AT_ONCE), 1)

    @cached_property
    def _numbered(self) -> nw.LazyFrame[Any]:
        """The pairs with the number of their class, in the order of the keys."""
        import ibis  # noqa: PLC0415 (an extra)

        native = self._groups.to_native()
        order = [native[key] for key in self._columns.keys]
        number = ibis.dense_rank().over(ibis.window(order_by=order)) if order else ibis.literal(0)
        numbered: nw.LazyFrame[Any] = nw.from_native(
            native.mutate(**{_NUMBER: number.cast("int64")})
        )
        return numbered

    def _blocks(self) -> Iterator[ClassTable]:
        names = self._numbered.collect_schema().names()
        keys = {*self._columns.keys}.difference(self._columns.cells)
        rows = self._numbered.select(*(name for name in names if name not in keys))
        for place in range(self._slices):
            part = rows
            if self._slices > 1:
                part = rows.filter(nw.col(_NUMBER) % self._slices == place)
            counted = self._table.collected(part)
            if not counted.num_rows:
                continue
            table = self._columns.classes(counted, [_NUMBER])
            if isinstance(table.labels, ClassLabels):
                # The classes are called by their numbers.
                [texts], [codes] = table.labels.labels, table.labels.codes
                numbers = np.array([int(text or 0) for text in texts], dtype=np.int64)[codes]
                table = replace(table, labels=_FetchedLabels(self, numbers))
            yield table

    def labels_of(self, number: int) -> Labels:
        """What the class of a number is called."""
        keys = self._columns.keys
        named = self._numbered.filter(nw.col(_NUMBER) == number).select(*keys)
        row = self._table.collected(named.unique())
        return tuple(cell_labels(row.column(key))[0] for key in keys)


@dataclass(frozen=True)
class _FetchedLabels:
    blocks: NumberedBlocks
    numbers: Integers

    def __getitem__(self, entry: int) -> Labels:
        return self.blocks.labels_of(int(self.numbers[entry]))

    def taken(self, entries: npt.NDArray[np.integer]) -> _FetchedLabels:
        return _FetchedLabels(self.blocks, self.numbers[entries])


class SparkBlocks(ClassBlocks):
    """Classes in the memory and on the disks of Spark's workers.

    Every worker gets whole classes, counts them as this process would, and answers with the worst
    figure, a few of the worst classes, and sums.
    """

    def __init__(
        self, table: TableCounts, groups: nw.LazyFrame[Any], columns: _PairColumns
    ) -> None:
        self._table = table
        self._columns = columns
        native = groups.to_native()
        # All pairs of a class on one worker, counted once for all questions.
        # As many tasks as there is work for: each starts Python, and Spark's own number is 200.
        number = max(-(-table.rows // _ROWS_PER_TASK), 1) if columns.keys else 1
        native = native.repartition(number, *columns.keys)
        self._native = native.persist()
        weakref.finalize(self, _release, self._native).atexit = False

    def ask(self, question: BlockQuestion[Answer_co], *, with_suppressed: bool) -> list[Answer_co]:
        """Let the workers answer."""
        asked = _AskPartition(question, self._columns, with_suppressed)
        with warnings.catch_warnings():
            # PySpark has something to say about pandas, which is not used.
            warnings.simplefilter("ignore", FutureWarning)
            answers = self._native.mapInArrow(asked, "answer string, rows bigint")
        table = self._table.collected(nw.from_native(answers))
        self._table.agree_on_rows(int(whole_numbers(table.column("rows")).sum()))
        # Spark gives them in any order, and equal classes of two workers must come out alike.
        texts = sorted(filter(None, table.column("answer").to_pylist()))
        return [question.from_plain(json.loads(text)) for text in texts]


@dataclass(frozen=True)
class _AskPartition:
    """What a worker does with its classes."""

    question: BlockQuestion[Any]
    columns: _PairColumns
    with_suppressed: bool

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Answer for all classes of a partition at once."""
        held = [batch for batch in batches if batch.num_rows]
        if not held:
            return
        counted = pa.Table.from_batches(held)
        texts: list[str | None] = [None]
        rows = int(whole_numbers(counted.column("n")).sum())
        try:
            table = self.columns.classes(counted, self.columns.keys)
        except KeyError:
            # A value that the table did not have before: the rows are not those that were counted.
            rows = 0
        else:
            answers = ask_tables([table], self.question, with_suppressed=self.with_suppressed)
            texts += [json.dumps(asdict(answer), default=str) for answer in answers]
        numbers = [rows, *(0 for _ in texts[1:])]
        yield pa.RecordBatch.from_arrays(
            [pa.array(texts, pa.string()), pa.array(numbers, pa.int64())], names=["answer", "rows"]
        )


def _release(native: Any) -> None:
    # The session may have ended before.
    with suppress(Exception):
        native.unpersist()
