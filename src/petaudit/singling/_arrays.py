"""The kinds of arrays that the search works on."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Codes: TypeAlias = npt.NDArray[np.int32]
"""A code per row and column."""
Rows: TypeAlias = npt.NDArray[np.int32]
"""Row numbers, or places in an array of row numbers."""
Indices: TypeAlias = npt.NDArray[np.int64]
"""Numbers of columns or of combinations."""
Bytes: TypeAlias = npt.NDArray[np.uint8]
"""Flags."""
Words: TypeAlias = npt.NDArray[np.uint64]
"""Sets of columns as bits, 64 to a word."""
Floats: TypeAlias = npt.NDArray[np.float64]
"""Figures."""
