"""The classes of a table with the values of other columns in them, in blocks of whole classes.

A table may have as many classes as rows. So nobody gets all of them: whoever wants to know
something about classes asks a question, which goes to every block, wherever the classes are, and
puts the answers together. Where classes are few, there is one block, in memory.
"""

from __future__ import annotations

import weakref
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from petaudit.system.memory import working_memory
from petaudit.tables._private_folder import private_folder, temporary_room
from petaudit.tables.classes.grouped import grouped_classes
from petaudit.tables.classes.packed import packed_classes
from petaudit.tables.classes.table import ClassLabels, ClassTable
from petaudit.tables.engines.duckdb import fresh_name
from petaudit.tables.results import ClassHistogram, ClassValueCounts

if TYPE_CHECKING:
    from petaudit.tables.table_counts import TableCounts

Answer_co = TypeVar("Answer_co", covariant=True)

_PAIRS_PER_BLOCK: Final = 1 << 17
"""Of class and value: what is worked out from a block should fit into a processor's cache."""
_SHARE_OF_MEMORY: Final = 4
"""So large a part of it may be filled with classes; the others lie in files."""
_NARROW: Final = (np.int8, np.int16, np.int32)


class BlockQuestion(Protocol[Answer_co]):
    """What can be asked of a block of classes; answers are dataclasses that travel as JSON."""

    def __call__(self, table: ClassTable, /) -> Answer_co:
        """Answer for a block."""

    def from_plain(self, given: Any, /) -> Answer_co:
        """Return the answer whose fields came by way of JSON."""


class ClassBlocks(ABC):
    """Classes, wherever they are."""

    @abstractmethod
    def ask(self, question: BlockQuestion[Answer_co], *, with_suppressed: bool) -> list[Answer_co]:
        """The answers of all blocks that have a class; suppressed rows as ``ClassTable.judged``."""


def ask_tables(
    tables: Iterable[ClassTable], question: BlockQuestion[Answer_co], *, with_suppressed: bool
) -> list[Answer_co]:
    """Ask blocks one at a time, those that have a class."""
    judged = (table.judged(with_suppressed=with_suppressed) for table in tables)
    return [question(table) for table in judged if table.sizes.size]


def find_class_blocks(
    table: TableCounts, quasi_identifiers: Sequence[str], columns: Sequence[str], *, labels: bool
) -> ClassBlocks:
    """Count by packed counters if possible, else by class and value, here or in a remote engine."""
    blocks = None if labels else packed_classes(table, quasi_identifiers, columns)
    if blocks is None and table.is_remote:
        from petaudit.tables.classes.remote_blocks import remote_blocks  # noqa: PLC0415 (it imports this)

        values = {column: table.sensitive_values(column).counts for column in columns}
        return remote_blocks(table, quasi_identifiers, values, labels=labels)
    if blocks is None:
        blocks = grouped_classes(table, quasi_identifiers, columns, labels)
    return HeldBlocks(blocks, room=working_memory() // _SHARE_OF_MEMORY)


class HeldBlocks(ClassBlocks):
    """Classes that this process holds: in memory while there is room, else in private files."""

    def __init__(self, blocks: Iterable[ClassTable], *, room: int) -> None:
        self._blocks: list[_Block] = []
        taken = 0
        for table in blocks:
            for part in table.cut(_PAIRS_PER_BLOCK):
                block = _Block(part)
                self._blocks.append(block)
                taken += block.size
                if taken > room:
                    for held in self._blocks:
                        held.put_away()

    def ask(self, question: BlockQuestion[Answer_co], *, with_suppressed: bool) -> list[Answer_co]:
        """Go through the blocks, one at a time."""
        return ask_tables(self.tables(), question, with_suppressed=with_suppressed)

    @property
    def histogram(self) -> ClassHistogram:
        """How many classes have each size."""
        return ClassHistogram.together([table.histogram for table in self.tables()])

    def tables(self) -> Iterator[ClassTable]:
        """The blocks; what is computed from a single one is kept."""
        if len(self._blocks) == 1:
            yield self._only
        else:
            yield from (block.table() for block in self._blocks)

    @cached_property
    def _only(self) -> ClassTable:
        return self._blocks[0].table()


class _Block:
    """A block in the narrowest integers that hold it: an eighth of its size, more often than not.

    >>> column = ClassValueCounts(None, *(np.array([0]) for _ in range(3)))
    >>> block = _Block(ClassTable(np.array([7]), np.array([1]), {"illness": column}))
    >>> block.put_away()
    >>> block.size, block.table().sizes.tolist()
    (0, [7])
    """

    def __init__(self, table: ClassTable) -> None:
        arrays = [table.sizes, table.classes]
        for column in table.columns.values():
            arrays += [column.class_index, column.value_index, column.counts]
        self._labels: tuple[tuple[str | None, ...], ...] | None = None
        if isinstance(table.labels, ClassLabels):
            arrays += table.labels.codes
            self._labels = table.labels.labels
        self._values = {name: column.values for name, column in table.columns.items()}
        self._marked = table.marked
        self._arrays: list[npt.NDArray[Any]] = [_narrow(array) for array in arrays]
        self._path: Path | None = None

    @property
    def size(self) -> int:
        """The bytes of it in memory."""
        return sum(array.nbytes for array in self._arrays)

    def put_away(self) -> None:
        """Write the block to a private file, unless it is in one."""
        if self._path is None:
            self._path = private_folder() / fresh_name()
            with temporary_room(), self._path.open("wb") as file:
                np.savez(file, *self._arrays, allow_pickle=False)
            self._arrays = []
            # At exit the whole folder goes.
            weakref.finalize(self, self._path.unlink, missing_ok=True).atexit = False

    def table(self) -> ClassTable:
        """Return the block with wide integers again, as sums and keys need them."""
        arrays = iter([array.astype(np.int64) for array in self._read()])
        sizes, classes = next(arrays), next(arrays)
        columns = {
            name: ClassValueCounts(values, next(arrays), next(arrays), next(arrays))
            for name, values in self._values.items()
        }
        labels = None if self._labels is None else ClassLabels(self._labels, tuple(arrays))
        return ClassTable(sizes, classes, columns, self._marked, labels)

    def _read(self) -> list[npt.NDArray[Any]]:
        if self._path is None:
            return self._arrays
        with self._path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            return [stored[name] for name in stored.files]


def _narrow(numbers: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    """The same numbers, none of which is negative, in the narrowest type that holds them."""
    largest = int(numbers.max(initial=0))
    for kind in _NARROW:
        if largest <= np.iinfo(kind).max:
            return numbers.astype(kind)
    return numbers
