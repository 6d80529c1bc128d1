"""Writing results: whole or not at all."""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO

from petaudit.errors import InputError, OptionError
from petaudit.system.files import os_reason, refuse_impossible

_UMASK = re.compile(rb"^Umask:\s*([0-7]+)\s*$", re.MULTILINE)


def write_whole(
    path: Path,
    write: Callable[[IO[bytes]], object],
    *,
    follow_links: bool = True,
    private: bool = False,
) -> None:
    """Write to a temporary file beside the target and rename it when it is complete.

    Without ``follow_links``, whatever has the name is replaced, and nothing else is written. Only
    the user may read what is ``private``.
    """
    try:
        refuse_impossible(path)
        if not follow_links:
            _replace(path, write, private=private)
        elif _is_special(path):
            with path.open("wb") as file:
                write(file)
        else:
            # Where a link leads: it stays a link.
            _replace(Path(os.path.realpath(path)), write, private=private)
    except OSError as problem:
        raise InputError(
            "cannot write {path!r} ({reason})", path=str(path), reason=os_reason(problem)
        ) from None


def refuse_inputs(target: Path, files: Iterable[Path]) -> None:
    """Raise an error if the target is one of the files that were read, by whatever name."""
    for path in files:
        if os.path.exists(target) and path.exists() and target.samefile(path):  # noqa: PTH110
            raise OptionError(
                "{target!r} is one of the inputs ({path}); choose another output file",
                target=str(target),
                path=path,
            )


def _is_special(path: Path) -> bool:
    """Whether a path is no regular file (a pipe, /dev/null) or leads to one only for now.

    /dev/stdout is a link to whatever file the shell opened, which must not be replaced.
    """
    if path.absolute().is_relative_to("/dev") or path.absolute().is_relative_to("/proc"):
        return True
    return os.path.exists(path) and not path.is_file()  # noqa: PTH110 (takes any name)


def _replace(target: Path, write: Callable[[IO[bytes]], object], *, private: bool) -> None:
    # A short name: the target's own name may be as long as the system takes.
    descriptor, name = tempfile.mkstemp(prefix=".petaudit-", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        if not private:
            temporary.chmod(_mode_of_new_files())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _mode_of_new_files() -> int:
    """The rights that the user gives new files.

    Asking the system for the umask means setting it, for all threads at once: another thread could
    make a file that everybody may write. So it is read where it can be read, or tried out.
    """
    with suppress(OSError):
        umask = _UMASK.search(Path("/proc/self/status").read_bytes())
        if umask:
            return 0o666 & ~int(umask[1], 8)
    with tempfile.TemporaryDirectory(prefix=".petaudit-") as folder:
        descriptor = os.open(Path(folder) / "tried", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        os.close(descriptor)
        return stat.S_IMODE((Path(folder) / "tried").stat().st_mode)
