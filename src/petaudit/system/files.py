"""Reading files: regular ones, watched for changes; errors of the system; folders of the user."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final, TypeAlias

from petaudit.errors import LONGEST_PATH, InputError, phrase, shortened, term

_COARSEST_CLOCK: Final = 2_000_000_000
"""Nanoseconds within which some file system gives two changes the same time."""

State: TypeAlias = tuple[int, ...] | None


class Watch:
    """Files as they were before they were read, to notice when somebody changes them.

    Whoever writes to a file or puts another in its place changes its size, times or inode. Only
    the time of the last change (ctime) cannot be put back; and where it is so close to the
    moment of looking that the clock may not tell a later change apart, contents are compared.
    """

    def __init__(self) -> None:
        self._states: dict[Path, State] = {}
        self._hashes: dict[Path, str] = {}
        self._recent: set[Path] = set()
        self._listings: list[tuple[Callable[[], tuple[Path, ...]], tuple[Path, ...], Path]] = []

    @property
    def paths(self) -> tuple[Path, ...]:
        """Every file that was looked at."""
        return tuple(self._states)

    def note(self, path: Path) -> None:
        """Remember a file as it is, or that there is none; the first look counts."""
        if path in self._states:
            return
        state = self._states[path] = _state(path)
        if state is not None and _is_recent(state):
            self._recent.add(path)
            self._hashes[path] = _sha256(path)

    def note_listing(
        self, listing: Callable[[], tuple[Path, ...]], paths: tuple[Path, ...], folder: Path
    ) -> None:
        """Remember which files a folder or a pattern matches."""
        self._listings.append((listing, paths, folder))

    def sha256(self, paths: Iterable[Path]) -> str:
        """One fingerprint of files; it holds for what was read if :meth:`check` passes after it."""
        return _joined([self._hash(path) for path in paths])

    def _hash(self, path: Path) -> str:
        self.note(path)
        if path not in self._hashes:
            try:
                self._hashes[path] = _sha256(path)
            except OSError:
                raise _changed(path) from None
        return self._hashes[path]

    def check(self, only: Iterable[Path] | None = None) -> None:
        """Raise an error if a file is not what it was when it was noted."""
        for path in self._states if only is None else self._states.keys() & set(only):
            self._check(path)
        for listing, paths, folder in self._listings if only is None else ():
            try:
                is_same = listing() == paths
            except InputError:
                is_same = False
            if not is_same:
                raise _changed(folder)

    def _check(self, path: Path) -> None:
        try:
            state = _state(path)
            is_same = state == self._states[path]
            if is_same and path in self._recent:
                is_same = _sha256(path) == self._hashes[path]
                if state is not None and not _is_recent(state):
                    # From now on the clock tells every change apart.
                    self._recent.discard(path)
        except OSError:
            is_same = False
        if not is_same:
            raise _changed(path)


_current: ContextVar[Watch | None] = ContextVar("_current", default=None)


@contextmanager
def watching(watch: Watch) -> Iterator[None]:
    """Have every file noted that is read within; the caller checks."""
    token = _current.set(watch)
    try:
        yield
    finally:
        _current.reset(token)


@contextmanager
def unchanged() -> Iterator[Watch]:
    """What is read within must still be the same at the end; if not, that is the error.

    Within another such block, that one watches.
    """
    watch = _current.get() or Watch()
    try:
        with watching(watch):
            yield watch
    except Exception:
        # Who reads two tables for one may stumble over anything.
        watch.check()
        raise
    watch.check()


def before_reading(path: Path) -> None:
    """Refuse pipes and devices, whose reading may never end; remember what the file is now."""
    refuse_impossible(path)
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, phrase("it is not a regular file"), str(path))
    watch_file(path)


def text_of(path: Path, most: int) -> str:
    """Read a file of UTF-8, which may have so many bytes at most."""
    try:
        before_reading(path)
        if path.stat().st_size > most:
            raise InputError("{path}: larger than {size:,} bytes; not read", path=path, size=most)
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError("file {path!r} does not exist", path=str(path)) from None
    except OSError as problem:
        raise InputError(
            "{path}: cannot be read ({reason})", path=path, reason=os_reason(problem)
        ) from None


def json_of(path: Path, most: int) -> Any:
    """Read a file of JSON, which may have so many bytes at most."""
    try:
        return json.loads(text_of(path, most))
    except (ValueError, RecursionError):
        raise InputError("{path}: is not valid JSON", path=path) from None


def refuse_impossible(path: Path) -> None:
    """Raise an error for a name that holds a zero: Python says of it what is no error of files."""
    if "\0" in str(path):
        raise OSError(errno.EINVAL, phrase("a name cannot contain a NUL character"), str(path))


def watch_file(path: Path) -> None:
    """Note a file, or that there is none, in the block that watches."""
    watch = _current.get()
    if watch is not None:
        watch.note(path)


def watch_listing(
    listing: Callable[[], tuple[Path, ...]], paths: tuple[Path, ...], folder: Path
) -> None:
    """Note which files a folder or a pattern matches, in the block that watches."""
    watch = _current.get()
    if watch is not None:
        watch.note_listing(listing, paths, folder)


def sha256_of(paths: Iterable[Path]) -> str:
    """One fingerprint of the contents of files, in the order given.

    That of a single file is the one that every tool computes.
    """
    return _joined([_sha256(path) for path in paths])


def fingerprint_of(paths: Iterable[Path]) -> str:
    """The same of files that were read, from the block that watches them if there is one."""
    watch = _current.get()
    return sha256_of(paths) if watch is None else watch.sha256(paths)


def _joined(hashes: list[str]) -> str:
    if len(hashes) == 1:
        return hashes[0]
    # Of the fingerprints, so that nothing can move unseen from one file to the next.
    return hashlib.sha256("\n".join(hashes).encode()).hexdigest()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _state(path: Path) -> State:
    try:
        of = path.stat()
    except FileNotFoundError:
        return None
    return (of.st_dev, of.st_ino, of.st_size, of.st_mtime_ns, of.st_ctime_ns)


def _is_recent(state: tuple[int, ...]) -> bool:
    return time.time_ns() - max(state[-2:]) < _COARSEST_CLOCK


def _changed(path: Path) -> InputError:
    return InputError("{file} changed while it was being read; run again", file=path.name)


_REASONS: Final[Mapping[str, str]] = {
    text: text
    for text in (
        term("No such file or directory"),
        term("Permission denied"),
        term("Operation not permitted"),
        term("Is a directory"),
        term("Not a directory"),
        term("Directory not empty"),
        term("File name too long"),
        term("No space left on device"),
        term("Read-only file system"),
        term("File exists"),
        term("Too many levels of symbolic links"),
        term("Too many open files"),
        term("Input/output error"),
        term("Connection refused"),
        term("Connection reset by peer"),
        term("Network is unreachable"),
        term("No route to host"),
        term("Name or service not known"),
        term("Temporary failure in name resolution"),
    )
}


def file_problem(problem: OSError) -> str:
    """What is wrong with a file that nobody expected to be wrong.

    >>> file_problem(OSError(36, "File name too long", "a.csv"))
    'a.csv: cannot be used (File name too long)'
    """
    name = problem.filename if isinstance(problem.filename, str) else phrase("a file")
    return phrase(
        "{path}: cannot be used ({reason})",
        path=shortened(name, LONGEST_PATH),
        reason=os_reason(problem),
    )


def os_reason(problem: OSError) -> str:
    """Why a file could not be read or written; what is not known here stays in English.

    >>> os_reason(FileNotFoundError(2, "No such file or directory"))
    'No such file or directory'
    """
    reason = problem.strerror or str(problem)
    return _REASONS.get(reason, reason)


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
