"""The kinds of arrays that the search works on."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Codes: TypeAlias = npt.NDArray[np.uint32]
"""A code per row and column. What is used as an index has no sign: compiled loops would look at it,
and that takes a fifth of the time."""
Rows: TypeAlias = npt.NDArray[np.uint32]
"""Row numbers."""
Places: TypeAlias = npt.NDArray[np.int32]
"""Places in an array of row numbers, and counts."""
Indices: TypeAlias = npt.NDArray[np.int64]
"""Numbers of columns or of combinations."""
Bytes: TypeAlias = npt.NDArray[np.uint8]
"""Flags."""
Words: TypeAlias = npt.NDArray[np.uint64]
"""Sets of columns as bits, 64 to a word."""
Floats: TypeAlias = npt.NDArray[np.float64]
"""Figures."""
