"""Where the system wants programs to keep what belongs to a user."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """For what can be had again; a RuntimeError where the user has no home."""
    return _folder("XDG_CACHE_HOME", "Library/Caches", ".cache")


def state_folder() -> Path:
    """For what stays from run to run."""
    return _folder("XDG_STATE_HOME", "Library/Application Support", ".local/state")


def _folder(variable: str, on_mac: str, elsewhere: str) -> Path:
    # The standard of these variables says that a relative path is to be ignored.
    if (named := os.environ.get(variable)) and Path(named).is_absolute():
        return Path(named)
    if sys.platform == "win32" and (named := os.environ.get("LOCALAPPDATA")):
        return Path(named)
    return Path.home() / (on_mac if sys.platform == "darwin" else elsewhere)
