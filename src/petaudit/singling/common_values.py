"""Do the values of both tables mean the same? Where hardly any occurs in both, nothing can match.

How many synthetic cells of a column should occur in the original can be told from the original
alone: if they were drawn alike, about as many as its cells whose value it has more than once (Good
and Turing). In a column of measurements that is next to none, in one of categories nearly all. A
column with far fewer is written in another way, or belongs to another table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from petaudit.errors import Phrase, joined, listing, phrase

_FEWEST: Final = 10
"""Fewer expected cells than that may be missing by chance."""
_ALMOST_NONE: Final = 0.05


class ColumnUse(NamedTuple):
    """Cells of a column, without nulls."""

    synthetic: int
    common: int
    """Synthetic cells whose value the original has."""
    original: int
    alone: int
    """Original cells whose value it has nowhere else."""

    @classmethod
    def of(cls, synthetic: npt.NDArray[np.int64], original: npt.NDArray[np.int64]) -> ColumnUse:
        """From how often each value occurs in either table.

        >>> ColumnUse.of(np.array([3, 0, 1]), np.array([2, 1, 0]))
        ColumnUse(synthetic=4, common=3, original=3, alone=1)
        """
        return cls(
            int(synthetic.sum()),
            int(synthetic[original > 0].sum()),
            int(original.sum()),
            int(np.count_nonzero(original == 1)),
        )

    @property
    def expected(self) -> float:
        """How many synthetic cells should have a value of the original."""
        return self.synthetic * (1 - self.alone / self.original) if self.original else 0.0

    @property
    def is_foreign(self) -> bool:
        """Whether far fewer have."""
        return self.expected >= _FEWEST and self.common < _ALMOST_NONE * self.expected


def doubts_about(uses: Mapping[str, ColumnUse], spelled: Iterable[str]) -> tuple[Phrase, ...]:
    """Why it says nothing that nobody is singled out; some columns are spelled differently."""
    known = [use for use in uses.values() if min(use.synthetic, use.original) >= _FEWEST]
    said: list[Phrase] = []
    if known and len(known) == len(uses) and not any(use.common for use in known):
        said.append(
            phrase(
                "no value of any column occurs in both tables: they are written in different ways, "
                "or this is another original; who is singled out cannot be told"
            )
        )
    else:
        foreign = [repr(name) for name, use in uses.items() if use.is_foreign]
        if foreign:
            said.append(
                phrase(
                    "the values of {columns} hardly ever occur in the original, so no combination "
                    "with them can single out anybody: they are written in another way, or belong "
                    "to another table",
                    columns=listing(foreign),
                )
            )
    columns = [repr(name) for name in spelled]
    if said and columns:
        hint = phrase(
            "without case, width, blanks, marks, leading zeros and the order of parts, the values "
            "of {columns} do occur in both",
            columns=listing(columns),
        )
        said = [phrase("{doubt}; {hint}", doubt=joined(said), hint=hint)]
    return tuple(said)
