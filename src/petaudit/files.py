"""What holds for every file that is read."""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Iterable
from pathlib import Path

_CHUNK = 1 << 20


def require_regular(path: Path) -> None:
    """Refuse pipes and devices: reading them may never end."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))


def sha256_of(paths: Iterable[Path]) -> str:
    """One fingerprint of the contents of files, in the order given."""
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    return digest.hexdigest()
