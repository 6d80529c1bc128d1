"""Classes of tables whose rows live elsewhere: questions go there, or nameless classes come."""

from __future__ import annotations

import json
import warnings
import weakref
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from petaudit.labels.cells import label_of
from petaudit.tables._cell_labels import plain
from petaudit.tables._classes.keys import trimmed_keys
from petaudit.tables._classes.pairs import class_pairs
from petaudit.tables.class_blocks import AnyAnswer, BlockQuestion, ClassBlocks
from petaudit.tables.class_labels import ClassLabels, Labels
from petaudit.tables.class_table import ClassPairs
from petaudit.tables.results import Integers, ValueCounts

if TYPE_CHECKING:
    from petaudit.tables.table_counts import TableCounts


@dataclass(frozen=True)
class RemotePairs:
    """Pairs of class and value, counted by the engine and still there."""

    table: TableCounts
    groups: nw.LazyFrame[Any]
    """Keys, cells, ``n`` and, where rows can be suppressed, ``s``."""
    keys: tuple[str, ...]
    cells: tuple[str, ...]
    values: Mapping[str, ValueCounts]

    @property
    def flags(self) -> tuple[str, ...]:
        """The columns that say what a class is."""
        known = {*self.keys, *self.cells, "n"}
        return tuple(name for name in self.groups.collect_schema().names() if name not in known)


def remote_blocks(
    table: TableCounts,
    quasi_identifiers: tuple[str, ...],
    values: Mapping[str, ValueCounts],
    *,
    labels: bool,
) -> ClassBlocks:
    """The classes, to be asked where they are."""
    cells = tuple(dict.fromkeys(table.position(column) for column in values))
    keys = trimmed_keys(table, quasi_identifiers, carried=cells)
    groups = keys.rows.group_by(*keys.keys, *cells).agg(nw.len().alias("n"))
    flags = [flag.alias(name) for name, flag in keys.flags.items()]
    pairs = RemotePairs(
        table, groups.with_columns(*flags) if flags else groups, tuple(keys.keys), cells, values
    )
    if table.frame.implementation.is_ibis():
        from petaudit.tables.engines.remote_blocks import NumberedBlocks  # noqa: PLC0415 (an extra)

        return NumberedBlocks(pairs, labels=labels)
    from petaudit.tables.engines.remote_blocks import SparkBlocks  # noqa: PLC0415 (an extra)

    return SparkBlocks(pairs, labels=labels)


PAIRS_AT_ONCE: Final = 500_000
_NUMBER: Final = "class_number"


class NumberedBlocks(ClassBlocks):
    """Classes by number, in slices; the database tells their labels only one by one."""

    def __init__(self, pairs: RemotePairs, *, labels: bool) -> None:
        self._pairs = pairs
        self._labels = labels

    def ask(self, question: BlockQuestion[AnyAnswer], *, with_suppressed: bool) -> list[AnyAnswer]:
        """Fetch a slice of the classes, without their labels, and ask it."""
        answers = []
        for block in self._blocks():
            table = block.split(self._pairs.values)
            asked = table.judged(with_suppressed=with_suppressed)
            if asked.sizes.size:
                answers.append(question(asked))
        return answers

    @cached_property
    def _slices(self) -> int:
        number = self._pairs.table.number(self._pairs.groups.select(nw.len().alias("pairs")))
        return max(-(-number // PAIRS_AT_ONCE), 1)

    @cached_property
    def _numbered(self) -> nw.LazyFrame[Any]:
        """The pairs with the number of their class, in the order of the keys."""
        import ibis  # noqa: PLC0415 (an extra)

        native = self._pairs.groups.to_native()
        order = [native[key] for key in self._pairs.keys]
        number = ibis.dense_rank().over(ibis.window(order_by=order)) if order else ibis.literal(0)
        found: nw.LazyFrame[Any] = nw.from_native(native.mutate(**{_NUMBER: number.cast("int64")}))
        return found

    def _blocks(self) -> Iterator[ClassPairs]:
        pairs = self._pairs
        wanted = [_NUMBER, *pairs.cells, "n", *pairs.flags]
        for place in range(self._slices):
            rows = self._numbered
            if self._slices > 1:
                rows = rows.filter(nw.col(_NUMBER) % self._slices == place)
            counted = pairs.table.collected(rows.select(*wanted))
            if not counted.num_rows:
                continue
            found = class_pairs(
                counted, [_NUMBER], pairs.cells, list(pairs.values.values()), labels=self._labels
            )
            if isinstance(found.labels, ClassLabels):
                yield replace(found, labels=_FetchedLabels.of(self, found.labels))
            else:
                yield found.folded(sum(len(own.labels) for own in pairs.values.values()))

    def labels_of(self, number: int) -> Labels:
        """What the class of a number is called."""
        named = self._numbered.filter(nw.col(_NUMBER) == number).select(*self._pairs.keys)
        [row] = self._pairs.table.collected(named.unique()).to_pylist()
        return tuple(label_of(plain(row[key])) for key in self._pairs.keys)


@dataclass(frozen=True)
class _FetchedLabels:
    blocks: NumberedBlocks
    numbers: Integers

    @classmethod
    def of(cls, blocks: NumberedBlocks, named: ClassLabels) -> _FetchedLabels:
        """From classes that are called by their numbers."""
        [texts], [codes] = named.labels, named.codes
        return cls(blocks, np.array([int(text or 0) for text in texts], dtype=np.int64)[codes])

    def __getitem__(self, entry: int) -> Labels:
        return self.blocks.labels_of(int(self.numbers[entry]))

    def taken(self, entries: npt.NDArray[np.integer]) -> _FetchedLabels:
        return _FetchedLabels(self.blocks, self.numbers[entries])


_ANSWER = "answer string"


class SparkBlocks(ClassBlocks):
    """Classes in the memory and on the disks of the workers."""

    def __init__(self, pairs: RemotePairs, *, labels: bool) -> None:
        self._pairs = pairs
        self._labels = labels
        native = pairs.groups.to_native()
        # All pairs of a class on one worker, counted once for all questions.
        native = native.repartition(*pairs.keys) if pairs.keys else native.repartition(1)
        self._native = native.persist()
        weakref.finalize(self, _let_go, self._native).atexit = False

    def ask(self, question: BlockQuestion[AnyAnswer], *, with_suppressed: bool) -> list[AnyAnswer]:
        """Let the workers answer."""
        asked = _Asked(
            question,
            self._pairs.keys,
            self._pairs.cells,
            dict(self._pairs.values),
            self._labels,
            with_suppressed,
        )
        with warnings.catch_warnings():
            # PySpark has something to say about pandas, which is not used.
            warnings.simplefilter("ignore", FutureWarning)
            told_there = self._native.mapInArrow(asked, _ANSWER)
        answers: nw.LazyFrame[Any] = nw.from_native(told_there)
        table = self._pairs.table.collected(answers)
        # Spark gives them in any order, and equal classes of two workers must come out alike.
        told = sorted(table.column("answer").to_pylist())
        return [question.from_plain(json.loads(own)) for own in told]


@dataclass(frozen=True)
class _Asked:
    """What goes to a worker."""

    question: BlockQuestion[Any]
    keys: tuple[str, ...]
    cells: tuple[str, ...]
    values: Mapping[str, ValueCounts]
    labels: bool
    with_suppressed: bool

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Answer for all classes of a partition at once."""
        held = [batch for batch in batches if batch.num_rows]
        if not held:
            return
        counted = pa.Table.from_batches(held)
        values = list(self.values.values())
        found = class_pairs(counted, self.keys, self.cells, values, labels=self.labels)
        if not self.labels:
            found = found.folded(sum(len(own.labels) for own in values))
        table = found.split(self.values)
        asked = table.judged(with_suppressed=self.with_suppressed)
        if asked.sizes.size:
            told = json.dumps(self.question.to_plain(self.question(asked)))
            yield pa.RecordBatch.from_pydict({"answer": [told]})


def _let_go(native: Any) -> None:
    # The session may have ended before.
    with suppress(Exception):
        native.unpersist()
