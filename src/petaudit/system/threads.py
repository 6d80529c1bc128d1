"""How many threads this process may use."""

from __future__ import annotations

import os


def available_threads() -> int:
    """How many processor cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
