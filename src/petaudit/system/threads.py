"""How many threads this process may use."""

from __future__ import annotations

import os
from typing import Final

_MOST_COPIED: Final = 512 << 20


def available_threads() -> int:
    """How many processor cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def threads_for(codes: int) -> int:
    """How many threads may each copy ``codes`` bytes of codes, at most all cores."""
    return min(available_threads(), max(2, _MOST_COPIED // max(codes, 1)))
