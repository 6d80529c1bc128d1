"""What holds for every file that is read."""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Iterable
from pathlib import Path

from petaudit.errors import phrase


def require_regular(path: Path) -> None:
    """Refuse pipes and devices: reading them may never end."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, phrase("it is not a regular file"), str(path))


def sha256_of(paths: Iterable[Path]) -> str:
    """One fingerprint of the contents of files, in the order given.

    That of a single file is the one that every tool computes.
    """
    found = [_sha256(path) for path in paths]
    if len(found) == 1:
        return found[0]
    # Of the fingerprints, so that nothing can move unseen from one file to the next.
    return hashlib.sha256("\n".join(found).encode()).hexdigest()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def state_of(paths: Iterable[Path]) -> tuple[tuple[int, int, int], ...]:
    """What changes when somebody writes to files; cheaper than reading them again."""
    found = (path.stat() for path in paths)
    return tuple((own.st_size, own.st_mtime_ns, own.st_ino) for own in found)
