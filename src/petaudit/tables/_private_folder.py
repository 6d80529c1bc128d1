"""A folder that only this process can read, gone when it ends, or soon after it was killed.

The process that makes a folder holds a lock on a file in it for as long as it lives; the system
lets go of the lock however the process ends. A folder whose lock can be taken has lost its owner,
or has just been made: then its maker finds it gone, and makes another.
"""

from __future__ import annotations

import atexit
import errno
import math
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from petaudit.errors import EngineError

try:
    import fcntl
except ImportError:  # pragma: no cover (Windows; its temporary folder is the user's own anyway)
    fcntl = None  # type: ignore[assignment]

LOCK: Final = "petaudit.lock"
_PREFIX: Final = "petaudit-"
_FULL: Final = (errno.ENOSPC, errno.EDQUOT)
_LITTLE: Final = 1 << 16
_TRIES: Final = 20
_PAUSE: Final = 0.05
# The names that ``tempfile`` makes: a user's petaudit-results.2026 is none of them.
_FOLDER = re.compile(rf"{_PREFIX}[a-z0-9_]{{8}}", re.ASCII)

_held: set[int] = set()


@contextmanager
def temporary_room() -> Iterator[None]:
    """Have an error that says so where the disk of temporary files is full."""
    try:
        yield
    except OSError as problem:
        raise temporary_folder_full(problem) or problem from None


def temporary_folder_full(problem: Exception) -> EngineError | None:
    """Return the error for a full disk of temporary files; None for other problems."""
    # The words alone would not do: an error of another kind may quote a cell that holds them.
    is_full = isinstance(problem, OSError) and problem.errno in _FULL
    if isinstance(problem, OSError) and problem.errno is None:
        # NumPy and PyArrow do not say why they could not write.
        is_full = shutil.disk_usage(tempfile.gettempdir()).free < _LITTLE
    if type(problem).__name__ == "IOException":
        is_full = any(os.strerror(number) in str(problem) for number in _FULL)
    if not is_full:
        return None
    return EngineError(
        "the folder of temporary files, {folder!r}, is full; free some space, or set the "
        "environment variable TMPDIR to another folder",
        folder=tempfile.gettempdir(),
    )


@cache
def private_folder() -> Path:
    """Create the folder on first use (mode 0700) and remove it at exit."""
    remove_orphans()
    while True:
        with temporary_room():
            folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        if _hold(folder):
            atexit.register(_remove_own, folder, os.getpid())
            return folder


def array_on_disk(shape: tuple[int, ...], kind: Any) -> npt.NDArray[Any]:
    """An array in a file of the folder, which goes with the array, not with the memory."""
    array = np.empty(0, kind)
    size = max(math.prod(shape) * array.itemsize, 1)
    descriptor, name = tempfile.mkstemp(dir=private_folder())
    with os.fdopen(descriptor, "r+b") as file:
        # A full disk is told now; later it would be a signal.
        with temporary_room():
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, size)
            else:  # pragma: no cover (macOS and Windows)
                file.truncate(size)
        held = np.memmap(file, kind, "r+", shape=shape)
    with suppress(OSError):  # Windows keeps it until the end
        Path(name).unlink()
    return np.asarray(held)


def remove_orphans() -> int:
    """Remove the folders of this user's dead processes and return how many there were.

    It never waits and never raises: what cannot be removed now is left for the next time.
    """
    if fcntl is None:  # pragma: no cover (Windows)
        return 0
    removed = 0
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and _FOLDER.fullmatch(entry.name):
                # Whatever is odd about somebody's leftovers, it must not stop an audit.
                with suppress(Exception):
                    removed += _removed_if_deserted(entry)
    return removed


def _hold(folder: Path) -> bool:
    """Lock the folder until this process ends; False if a cleaner was faster."""
    if fcntl is None:  # pragma: no cover (Windows)
        return True
    # On a file system without locks cleaners cannot take this one either, and stay away.
    with suppress(OSError):
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        descriptor = os.open(folder / LOCK, flags, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_ours = os.fstat(descriptor).st_nlink > 0
        except BlockingIOError:
            is_ours = False
        if not is_ours:
            os.close(descriptor)
            return False
        _held.add(descriptor)
    return True


def _remove_own(folder: Path, owner: int) -> None:
    # A forked child runs the exit functions of its parent, whose folder is still in use.
    if os.getpid() == owner:
        remove_folder(folder)


def remove_folder(folder: Path) -> None:
    """Remove a folder of ours with all that is in it."""
    for _ in range(_TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        # An engine that was interrupted may be writing its last block.
        time.sleep(_PAUSE)


def _forget() -> None:
    """A forked child has no part in its parent's folder: it must not keep it locked."""
    while _held:
        with suppress(OSError):
            os.close(_held.pop())
    private_folder.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _removed_if_deserted(entry: os.DirEntry[str]) -> bool:
    status = entry.stat(follow_symlinks=False)
    is_private = stat.S_ISDIR(status.st_mode) and not stat.S_IMODE(status.st_mode) & 0o077
    if not is_private or status.st_uid != os.geteuid():
        return False
    folder = Path(entry.path)
    # A folder of the user's with such a name has no lock.
    with _locked(folder / LOCK) as is_locked:
        return is_locked and _removed(folder)


@contextmanager
def _locked(path: Path) -> Iterator[bool]:
    """Take a lock at once or not at all; whether this process has it now."""
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(path, flags)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
            return
        # Another cleaner may have removed the file between opening and locking it; while this one
        # is locked nobody removes the folder, so its name cannot become another folder's.
        held, there = os.fstat(descriptor), path.lstat()
        yield stat.S_ISREG(held.st_mode) and os.path.samestat(held, there)
    finally:
        os.close(descriptor)


def _removed(folder: Path) -> bool:
    """Remove everything and the lock last: a cleaner that fails or dies leaves an orphan again."""
    for path in [path for path in folder.iterdir() if path.name != LOCK]:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink()
    if [path.name for path in folder.iterdir()] != [LOCK]:
        return False
    (folder / LOCK).unlink()
    folder.rmdir()
    return True
