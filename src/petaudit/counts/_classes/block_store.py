"""Blocks of classes: in memory while there is room for them, else in private files."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from petaudit.counts._database import fresh_name
from petaudit.counts._private_folder import private_folder
from petaudit.counts.class_labels import ClassLabels
from petaudit.counts.class_table import ClassPairs


class BlockStore:
    """Some blocks, to be gone through as often as is wanted.

    >>> block = ClassPairs(*(np.array([7]) for _ in range(5)))
    >>> kept = BlockStore([block, block], room=1)
    >>> kept.is_in_memory, [own.sizes.tolist() for own in kept]
    (False, [[7], [7]])
    """

    def __init__(self, blocks: Iterable[ClassPairs], room: int) -> None:
        self._held: list[ClassPairs] = []
        self._files: list[_StoredBlock] = []
        taken = 0
        for block in blocks:
            taken += size_of(block)
            self._held.append(block)
            if taken > room:
                self._put_away()
        if self._files:
            self._put_away()

    @property
    def is_in_memory(self) -> bool:
        """Whether there was room for all of them."""
        return not self._files

    def __iter__(self) -> Iterator[ClassPairs]:
        yield from self._held
        for stored in self._files:
            yield stored.read()

    def given_away(self) -> list[ClassPairs]:
        """All blocks, for somebody who keeps them: twice they may not fit."""
        blocks = list(self)
        self._held.clear()
        return blocks

    def _put_away(self) -> None:
        for block in self._held:
            stored = _StoredBlock.write(block)
            self._files.append(stored)
            # At exit the whole folder goes.
            weakref.finalize(self, stored.path.unlink, missing_ok=True).atexit = False
        self._held.clear()


def size_of(block: ClassPairs) -> int:
    """The bytes of a block's arrays."""
    arrays = [block.sizes, block.classes, block.entry, block.value, block.counts]
    if isinstance(block.labels, ClassLabels):
        arrays += block.labels.codes
    return sum(own.nbytes for own in arrays)


@dataclass(frozen=True)
class _StoredBlock:
    path: Path
    marked: int | None
    labels: tuple[tuple[str | None, ...], ...] | None

    @classmethod
    def write(cls, block: ClassPairs) -> _StoredBlock:
        path = private_folder() / fresh_name()
        arrays = {
            name: getattr(block, name) for name in ("sizes", "classes", "entry", "value", "counts")
        }
        labels = block.labels if isinstance(block.labels, ClassLabels) else None
        codes = () if labels is None else labels.codes
        # Smaller numbers for the file: sums and keys are made of wider ones again when it is read.
        arrays |= {f"code{index}": own.astype(np.int32) for index, own in enumerate(codes)}
        with path.open("wb") as file:
            np.savez(file, allow_pickle=False, **arrays)
        return cls(path, block.marked, None if labels is None else labels.labels)

    def read(self) -> ClassPairs:
        with self.path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
            labels = None
            if self.labels is not None:
                codes = tuple(
                    kept[f"code{index}"].astype(np.int64) for index in range(len(self.labels))
                )
                labels = ClassLabels(self.labels, codes, len(kept["sizes"]))
            return ClassPairs(
                kept["sizes"],
                kept["classes"],
                kept["entry"],
                kept["value"],
                kept["counts"],
                self.marked,
                labels,
            )
