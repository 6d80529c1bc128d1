"""The classes of a table with the values of other columns in them, in blocks of whole classes.

A table may have as many classes as rows. So nobody gets all of them: whoever wants to know
something about classes asks a question, which goes to every block, wherever the classes are, and
puts the answers together. Where classes are few, there is one block, in memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Protocol, TypeVar

from petaudit.tables._classes.block_store import BlockStore
from petaudit.tables.class_table import ClassPairs, ClassTable
from petaudit.tables.results import ClassHistogram, ValueCounts

AnyAnswer = TypeVar("AnyAnswer")


class BlockQuestion(Protocol[AnyAnswer]):
    """What can be asked of a block of classes; answers can travel as plain data."""

    def __call__(self, table: ClassTable, /) -> AnyAnswer:
        """Answer for a block."""

    def to_plain(self, answer: AnyAnswer, /) -> Any:
        """An answer as JSON has it."""

    def from_plain(self, given: Any, /) -> AnyAnswer:
        """The way back."""


class ClassBlocks(ABC):
    """Classes, wherever they are."""

    @abstractmethod
    def ask(self, question: BlockQuestion[AnyAnswer], *, with_suppressed: bool) -> list[AnyAnswer]:
        """The answers of all blocks that have a class; suppressed rows as ``ClassTable.judged``."""


class HeldBlocks(ClassBlocks):
    """Classes that this process holds; equal ones may be one entry, unless labels are known."""

    def __init__(
        self, blocks: Iterable[ClassPairs], values: Mapping[str, ValueCounts], *, room: int
    ) -> None:
        self._values = values
        self._store = BlockStore(blocks, room)

    def ask(self, question: BlockQuestion[AnyAnswer], *, with_suppressed: bool) -> list[AnyAnswer]:
        """Go through the blocks, one at a time."""
        answers = []
        for table in self.tables():
            asked = table.judged(with_suppressed=with_suppressed)
            if asked.sizes.size:
                answers.append(question(asked))
        return answers

    @property
    def histogram(self) -> ClassHistogram:
        """How many classes have each size."""
        return ClassHistogram.together([table.histogram for table in self.tables()])

    def tables(self) -> Iterator[ClassTable]:
        """The blocks; what is known of a single one is kept."""
        if len(self._store) == 1:
            yield self._only
        else:
            yield from (block.split(self._values) for block in self._store)

    @cached_property
    def _only(self) -> ClassTable:
        [block] = self._store
        return block.split(self._values)
