"""The key that tells results which this user's petaudit kept from those that anybody wrote.

It lies outside of every folder of results. Who can write to such a folder, but not read the key,
can make no result that ``--resume`` would take.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import tempfile
from pathlib import Path
from typing import Final

from petaudit.system.files import state_folder

KEY_FILE: Final = "resume.key"
_BYTES: Final = 32
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def user_key(results: Path) -> bytes | None:
    """The key of the user, made when there is none; None where none can be kept in private."""
    try:
        folder = state_folder() / "petaudit"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(results)):
            # Whoever gets the results would get the key as well.
            return None
        return _read(folder / KEY_FILE) or _made(folder / KEY_FILE)
    except (OSError, RuntimeError):
        return None


def _read(path: Path) -> bytes | None:
    """The key in a file; None if it is not whole, or if others could have read or written it."""
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        if os.name == "posix" and (about.st_uid != os.geteuid() or about.st_mode & 0o077):
            return None
        key = file.read(_BYTES + 1) if stat.S_ISREG(about.st_mode) else b""
    return key if len(key) == _BYTES else None


def _made(path: Path) -> bytes | None:
    descriptor, name = tempfile.mkstemp(prefix=".petaudit-", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(_BYTES))
        # Of two processes that start at the same time, the first one's key counts for both.
        with contextlib.suppress(OSError):
            os.link(temporary, path)
        if _read(path) is None:
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return _read(path)
