"""Blocks of classes: in memory while there is room for them, else in private files."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from petaudit.tables._private_folder import private_folder, temporary_room
from petaudit.tables.class_labels import ClassLabels
from petaudit.tables.class_table import ClassPairs
from petaudit.tables.engines.duckdb import fresh_name

MOST_PAIRS: Final = 1 << 17
"""Of class and value in a block: what is worked out from it should fit into a processor's cache."""
_ARRAYS: Final = ("sizes", "classes", "entry", "value", "counts")
_NARROW: Final = (np.int8, np.int16, np.int32)
_Narrow: TypeAlias = Mapping[str, npt.NDArray[Any]]


class BlockStore:
    """Some blocks, to be gone through as often as is wanted.

    >>> block = ClassPairs(*(np.array([7]) for _ in range(5)))
    >>> kept = BlockStore([block, block], room=1)
    >>> kept.is_in_memory, len(kept), [own.sizes.tolist() for own in kept]
    (False, 2, [[7], [7]])
    """

    def __init__(self, blocks: Iterable[ClassPairs], room: int) -> None:
        self._held: list[_Packed] = []
        self._files: list[_Stored] = []
        taken = 0
        for block in blocks:
            for part in block.cut(MOST_PAIRS):
                packed = _Packed.of(part)
                taken += packed.size
                self._held.append(packed)
                if taken > room:
                    self._put_away()
        if self._files:
            self._put_away()

    @property
    def is_in_memory(self) -> bool:
        """Whether there was room for all of them."""
        return not self._files

    def __len__(self) -> int:
        return len(self._held) + len(self._files)

    def __iter__(self) -> Iterator[ClassPairs]:
        for packed in self._held:
            yield packed.unpacked()
        for stored in self._files:
            yield stored.read().unpacked()

    def _put_away(self) -> None:
        for packed in self._held:
            stored = _Stored.write(packed)
            self._files.append(stored)
            # At exit the whole folder goes.
            weakref.finalize(self, stored.path.unlink, missing_ok=True).atexit = False
        self._held.clear()


@dataclass(frozen=True)
class _Packed:
    """A block in the narrowest numbers that hold it: an eighth of its size, more often than not."""

    arrays: _Narrow
    marked: int | None
    labels: tuple[tuple[str | None, ...], ...] | None

    @classmethod
    def of(cls, block: ClassPairs) -> _Packed:
        arrays = {name: _narrow(getattr(block, name)) for name in _ARRAYS}
        labels = block.labels if isinstance(block.labels, ClassLabels) else None
        if labels is None:
            return cls(arrays, block.marked, None)
        arrays |= {f"code{place}": _narrow(own) for place, own in enumerate(labels.codes)}
        return cls(arrays, block.marked, labels.labels)

    @property
    def size(self) -> int:
        return sum(own.nbytes for own in self.arrays.values())

    def unpacked(self) -> ClassPairs:
        # Sums and keys need wide numbers.
        wide = {name: own.astype(np.int64) for name, own in self.arrays.items()}
        labels = None
        if self.labels is not None:
            codes = tuple(wide[f"code{place}"] for place in range(len(self.labels)))
            labels = ClassLabels(self.labels, codes, len(wide["sizes"]))
        return ClassPairs(
            wide["sizes"],
            wide["classes"],
            wide["entry"],
            wide["value"],
            wide["counts"],
            self.marked,
            labels,
        )


def _narrow(numbers: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    """The same numbers, none of which is negative, in the narrowest kind that holds them."""
    largest = int(numbers.max(initial=0))
    for kind in _NARROW:
        if largest <= np.iinfo(kind).max:
            return numbers.astype(kind)
    return numbers


@dataclass(frozen=True)
class _Stored:
    path: Path
    marked: int | None
    labels: tuple[tuple[str | None, ...], ...] | None

    @classmethod
    def write(cls, packed: _Packed) -> _Stored:
        path = private_folder() / fresh_name()
        with temporary_room(), path.open("wb") as file:
            np.savez(file, allow_pickle=False, **packed.arrays)
        return cls(path, packed.marked, packed.labels)

    def read(self) -> _Packed:
        with self.path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
            return _Packed({name: kept[name] for name in kept.files}, self.marked, self.labels)
