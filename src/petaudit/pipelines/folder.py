"""The folder of results: one run at a time, everything published at the end or not at all.

While a run lasts, whatever it writes lies in a hidden folder inside the folder of results: the
results of finished experiments, so that an interrupted run can go on, and files that are not
complete yet. Published files are renamed into place, the result document last of all.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from petaudit.errors import InputError, phrase
from petaudit.output import refuse_inputs, write_whole
from petaudit.pipelines.locking import LOCK, locked

STATE: Final = ".petaudit-run"
RESULT: Final = "result.json"
_KEPT: Final = ".kept"
_TEMPORARY: Final = ".petaudit-"


@dataclass
class ResultFolder:
    """A folder that this run alone writes to; see :func:`opened_folder`."""

    path: Path
    is_finished: bool = False

    @property
    def _state(self) -> Path:
        return self.path / STATE

    def keep(self, key: str, data: Mapping[str, Any]) -> None:
        """Keep the result of a finished experiment for a call that goes on later."""
        text = json.dumps(data, ensure_ascii=True, allow_nan=True).encode()
        write_whole(
            self._state / f"{key}{_KEPT}", lambda file: file.write(_checksum(text) + b"\n" + text)
        )

    def kept(self, key: str) -> dict[str, Any] | None:
        """What an interrupted run kept of an experiment; None if that is not usable."""
        try:
            checksum, _, text = (self._state / f"{key}{_KEPT}").read_bytes().partition(b"\n")
            # A damaged figure may still be JSON.
            found = json.loads(text) if checksum == _checksum(text) else None
        except (OSError, ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) else None

    def stage(self, name: str, write: Callable[[IO[bytes]], object]) -> None:
        """Write a file that is published later."""
        staged = self._state / "staged"
        with _writing(self.path):
            staged.mkdir(exist_ok=True)
        write_whole(staged / name, write)

    def publish(self, names: Sequence[str]) -> None:
        """Put staged files where they belong, in this order; all of them or, on an error, none."""
        before = self._state / "before"
        done: list[str] = []
        try:
            with _writing(self.path):
                before.mkdir(exist_ok=True)
                for name in names:
                    if os.path.lexists(self.path / name):
                        _duplicate(self.path / name, before / name)
            for name in names:
                with _writing(self.path / name):
                    done.append(name)
                    (self._state / "staged" / name).replace(self.path / name)
        except BaseException:
            for name in reversed(done):
                _put_back(before / name, self.path / name, self._state / "staged" / name)
            raise

    def forget(self) -> None:
        """Nothing is left to go on with: what was kept is removed when the folder is let go."""
        self.is_finished = True


@contextlib.contextmanager
def opened_folder(path: Path, *, resume: bool) -> Iterator[ResultFolder]:
    """Make the folder and hold it; another run that holds it is an error.

    Without ``resume``, what an interrupted run kept is removed.
    """
    state = path / STATE
    with _writing(path):
        path.mkdir(parents=True, exist_ok=True)
    if state.is_symlink():
        # Whatever it leads to would be emptied.
        raise InputError(
            phrase(
                "{path!r} is a link; remove it, or choose another folder (--out)", path=str(state)
            )
        )
    with locked(state, path):
        with _writing(state):
            _empty(state, only=_is_unfinished if resume else lambda _: True)
        folder = ResultFolder(path)
        try:
            yield folder
        finally:
            # Under the lock: once its file is gone, another run may hold the folder.
            with contextlib.suppress(OSError):
                _tidy(state, is_finished=folder.is_finished)


def _tidy(state: Path, *, is_finished: bool) -> None:
    """Leave what a later call can go on with, or nothing at all."""
    _empty(state, only=_is_unfinished)
    if is_finished or not _entries(state):
        _empty(state, only=lambda _: True)
        (state / LOCK).unlink()
        state.rmdir()


def _is_unfinished(own: Path) -> bool:
    return own.is_dir() or own.name.startswith(_TEMPORARY)


def _entries(state: Path) -> list[Path]:
    return [own for own in state.iterdir() if own.name != LOCK]


def _empty(state: Path, only: Callable[[Path], bool]) -> None:
    for own in filter(only, _entries(state)):
        if own.is_dir() and not own.is_symlink():
            shutil.rmtree(own)
        else:
            own.unlink()


def _duplicate(path: Path, copy: Path) -> None:
    """A second name for a file; a copy where the file system has no such thing."""
    try:
        os.link(path, copy, follow_symlinks=False)
    except (OSError, NotImplementedError):
        shutil.copy2(path, copy, follow_symlinks=False)


def _put_back(before: Path, target: Path, staged: Path) -> None:
    """Undo a replacement, if it took place."""
    with contextlib.suppress(OSError):
        if os.path.lexists(before):
            before.replace(target)
        elif not staged.exists():
            target.unlink(missing_ok=True)


def _checksum(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest().encode()


def check_targets(path: Path, names: Sequence[str], inputs: Sequence[Path]) -> None:
    """Say before the work begins that results cannot be written, or would replace an input."""
    with _writing(path):
        if path.exists() and not path.is_dir():
            raise InputError(
                phrase("{path!r} is no folder; the results need one of their own", path=str(path))
            )
        nearest = next((own for own in (path, *path.absolute().parents) if own.exists()), None)
        if nearest is None or not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
            raise InputError(phrase("cannot write to {path!r}", path=str(path)))
        for name in names:
            if (path / name).is_dir():
                raise InputError(
                    phrase(
                        "{path!r} is a folder, and no file can replace it", path=str(path / name)
                    )
                )
            refuse_inputs(path / name, inputs)


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        raise InputError(
            phrase(
                "cannot write to {path!r} ({reason})",
                path=str(path),
                reason=problem.strerror or problem,
            )
        ) from None
