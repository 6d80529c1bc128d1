"""What the figures were measured on."""

from __future__ import annotations

import os
import platform
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any


def cores() -> int:
    """Processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def load() -> float | None:
    """Processes that wanted a core in the last minute."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def machine() -> dict[str, Any]:
    """Cores, memory, CPU and system."""
    memory = _field("/proc/meminfo", r"MemTotal:\s+(\d+) kB")
    return {
        "cores": cores(),
        "memory_gib": None if memory is None else round(int(memory) / 2**20, 1),
        "cpu": _field("/proc/cpuinfo", r"model name\s*:\s*(.+)") or platform.processor(),
        "system": platform.platform(),
    }


def versions() -> dict[str, str]:
    """The versions that matter to the figures."""
    packages = ("petaudit", "duckdb", "narwhals", "numba", "numpy", "pyarrow")
    return {"python": platform.python_version()} | {name: version(name) for name in packages}


def _field(path: str, pattern: str) -> str | None:
    try:
        found = re.search(pattern, Path(path).read_text())
    except OSError:
        return None
    return found[1] if found else None
