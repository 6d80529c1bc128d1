"""Classes of a table in a database: they come without their labels, so many at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from petaudit.labels.cells import label_of
from petaudit.tables._cell_labels import plain
from petaudit.tables._remote.blocks import RemotePairs
from petaudit.tables.classes.blocks import AnyAnswer, BlockQuestion, ClassBlocks, ask_tables
from petaudit.tables.classes.grouped import class_table
from petaudit.tables.classes.table import ClassLabels, ClassTable, Labels
from petaudit.tables.results import Integers

PAIRS_AT_ONCE: Final = 500_000
_NUMBER: Final = "class_number"


class NumberedBlocks(ClassBlocks):
    """Classes by number, in slices; the database tells their labels only one by one."""

    def __init__(self, pairs: RemotePairs, *, labels: bool) -> None:
        self._pairs = pairs
        self._labels = labels

    def ask(self, question: BlockQuestion[AnyAnswer], *, with_suppressed: bool) -> list[AnyAnswer]:
        """Fetch a slice of the classes, without their labels, and ask it."""
        return ask_tables(self._blocks(), question, with_suppressed=with_suppressed)

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

    def _blocks(self) -> Iterator[ClassTable]:
        pairs = self._pairs
        wanted = [_NUMBER, *pairs.cells, "n", *pairs.flags]
        for place in range(self._slices):
            rows = self._numbered
            if self._slices > 1:
                rows = rows.filter(nw.col(_NUMBER) % self._slices == place)
            counted = pairs.table.collected(rows.select(*wanted))
            if not counted.num_rows:
                continue
            found = class_table(counted, [_NUMBER], pairs.cells, pairs.values, labels=self._labels)
            if isinstance(found.labels, ClassLabels):
                yield replace(found, labels=_FetchedLabels.of(self, found.labels))
            else:
                yield found.folded()

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
