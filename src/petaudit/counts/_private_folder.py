"""A folder that only this process can read, gone when it ends."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path


@cache
def private_folder() -> Path:
    """Create the folder on first use (mode 0700) and remove it at exit."""
    folder = Path(tempfile.mkdtemp(prefix="petaudit-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
