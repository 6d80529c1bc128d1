"""Classes on a Spark cluster: questions go to the workers, and only their answers come back.

Every worker gets whole classes, counts them as this process would, and answers with the worst
figure, a few of the worst classes, and sums.
"""

from __future__ import annotations

import json
import warnings
import weakref
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import pyarrow as pa

from petaudit.tables._remote.blocks import RemotePairs
from petaudit.tables.classes.blocks import AnyAnswer, BlockQuestion, ClassBlocks, ask_tables
from petaudit.tables.classes.grouped import class_table
from petaudit.tables.results import ValueCounts

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
        table = class_table(counted, self.keys, self.cells, self.values, labels=self.labels)
        table = table if self.labels else table.folded()
        for answer in ask_tables([table], self.question, with_suppressed=self.with_suppressed):
            told = json.dumps(self.question.to_plain(answer))
            yield pa.RecordBatch.from_pydict({"answer": [told]})


def _let_go(native: Any) -> None:
    # The session may have ended before.
    with suppress(Exception):
        native.unpersist()
