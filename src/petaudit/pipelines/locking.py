"""Holding a folder for one process; the system lets go of it when the process ends, however."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from petaudit.errors import InputError

LOCK: Final = "lock"
_TRIES: Final = 10
_FLAGS: Final = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)


@contextlib.contextmanager
def locked(folder: Path, shown: Path) -> Iterator[None]:
    """Hold a folder, or raise an error if another process does.

    The process that held it before may remove the folder with the lock file in it just when this
    one takes the lock; what counts is the file that has the name afterwards.
    """
    for _ in range(_TRIES):
        try:
            # Not exist_ok: that looks a second time, when the folder may be gone again.
            with contextlib.suppress(FileExistsError):
                folder.mkdir(mode=0o700)
            descriptor = os.open(folder / LOCK, _FLAGS, 0o600)
        except FileNotFoundError:
            continue
        except OSError as problem:
            raise InputError(
                "cannot write to {path!r} ({reason})",
                path=str(shown),
                reason=problem.strerror or problem,
            ) from None
        try:
            if not _taken(descriptor, shown):
                raise InputError(
                    "another run is writing to {path!r}; wait for it, or choose another "
                    "folder (--out)",
                    path=str(shown),
                )
            if _is_current(descriptor, folder / LOCK):
                yield
                return
        finally:
            os.close(descriptor)
    raise InputError(
        "other runs write to {path!r} all the time; choose another (--out)", path=str(shown)
    )


def _taken(descriptor: int, shown: Path) -> bool:
    try:
        return _take(descriptor)
    except OSError as problem:
        raise InputError(
            "{path!r} cannot be held for one run ({reason}); choose a folder on another disk "
            "(--out)",
            path=str(shown),
            reason=problem.strerror or problem,
        ) from None


def _is_current(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False


if os.name == "nt":  # pragma: no cover (no such machine in CI)
    import msvcrt

    def _take(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        return True
else:
    import fcntl

    def _take(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
