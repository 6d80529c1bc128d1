"""What the combinations of one size identify, however they were counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from petaudit.singling._arrays import Indices, Rows


@dataclass(frozen=True)
class IdentifiedRows:
    """The synthetic rows that a size identifies, by combination and row."""

    rows: Rows
    combinations: Indices
    """The combination that identifies each of them, counted from 0 within the size."""
    targets: Rows
    """The target row that each of them points at, counted from the first target row."""


@dataclass(frozen=True)
class SizeFindings:
    """What the combinations of one size identify."""

    size: int
    repeated: Indices
    """Per combination in order: synthetic rows that are not unique; -1 where it was pruned."""
    collisions: Indices
    """Per combination: rows that it identifies, and nothing smaller or earlier does."""
    is_complete: bool
    entropy: npt.NDArray[np.float64] | None = None
    gain: npt.NDArray[np.float64] | None = None
    listed: IdentifiedRows | None = None
    """The identified rows, where they are in memory."""

    @property
    def identified(self) -> int:
        """How many rows are identified."""
        return int(self.collisions.sum())
