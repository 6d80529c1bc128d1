"""The folder of results: one run at a time, everything published at the end or not at all.

While a run lasts, whatever it writes lies in a hidden folder inside the folder of results: the
results of finished experiments, so that an interrupted run can go on, and files that are not
complete yet. Published files are renamed into place, the result document last of all.

Others may be able to write to the folder. So a kept result is taken only if the user's key signed
it, and nothing is ever written through a link that lies there.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

from petaudit.errors import InputError
from petaudit.pipelines.kept_key import user_key
from petaudit.pipelines.locking import LOCK, locked
from petaudit.system.output import refuse_inputs, write_whole

STATE: Final = ".petaudit-run"
RESULT: Final = "result.json"
_KEPT: Final = ".kept"
_SIGNED: Final = b"petaudit: a kept result, form 1"
_TEMPORARY: Final = ".petaudit-"


@dataclass
class ResultFolder:
    """A folder that this run alone writes to; see :func:`opened_folder`."""

    path: Path
    signing_key: bytes | None = field(default=None, repr=False)
    """None where the user has none: then nothing is kept."""
    is_finished: bool = False
    has_foreign_results: bool = False
    """Whether something was kept here that this user did not keep, or that changed since."""

    @property
    def _state(self) -> Path:
        return self.path / STATE

    def keep(self, key: str, data: Mapping[str, Any]) -> bool:
        """Keep the result of a finished experiment for a call that goes on later, if possible."""
        if self.signing_key is None:
            return False
        text = json.dumps(data, ensure_ascii=True, allow_nan=True).encode()
        content = _signature(self.signing_key, key, text) + b"\n" + text
        path = self._state / f"{key}{_KEPT}"
        write_whole(path, lambda file: file.write(content), follow_links=False)
        return True

    def kept(self, key: str) -> dict[str, Any] | None:
        """What an interrupted run of this user kept of an experiment; None without it."""
        try:
            content = (self._state / f"{key}{_KEPT}").read_bytes()
        except FileNotFoundError:
            return None
        except OSError:
            content = b""
        signature, _, text = content.partition(b"\n")
        if self.signing_key is None or not hmac.compare_digest(
            signature, _signature(self.signing_key, key, text)
        ):
            self.has_foreign_results = True
            return None
        data: dict[str, Any] = json.loads(text)
        return data

    def stage(self, name: str, write: Callable[[IO[bytes]], object]) -> None:
        """Write a file that is published later."""
        staged = self._state / "staged"
        with _writing(self.path):
            staged.mkdir(exist_ok=True)
        write_whole(staged / name, write, follow_links=False)

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
            "{path!r} is a link; remove it, or choose another folder (--out)", path=str(state)
        )
    with locked(state, path):
        with _writing(state):
            _empty(state, only=_is_unfinished if resume else lambda _: True)
        folder = ResultFolder(path, user_key(path))
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
    """Anything but a file that was kept: a link or a pipe was put there by somebody else."""
    return own.is_symlink() or not own.is_file() or own.name.startswith(_TEMPORARY)


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


def _signature(signing_key: bytes, key: str, text: bytes) -> bytes:
    """Binds a result to what it was measured on, which its key stands for."""
    message = b"\n".join((_SIGNED, key.encode(), text))
    return hmac.new(signing_key, message, hashlib.sha256).hexdigest().encode()


def check_targets(path: Path, names: Sequence[str], inputs: Sequence[Path]) -> None:
    """Say before the work begins that results cannot be written, or would replace an input."""
    with _writing(path):
        if path.exists() and not path.is_dir():
            raise InputError(
                "{path!r} is no folder; the results need one of their own", path=str(path)
            )
        nearest = next((own for own in (path, *path.absolute().parents) if own.exists()), None)
        if nearest is None or not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
            raise InputError("cannot write to {path!r}", path=str(path))
        for name in names:
            if (path / name).is_dir():
                raise InputError(
                    "{path!r} is a folder, and no file can replace it", path=str(path / name)
                )
            refuse_inputs(path / name, inputs)


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        raise InputError(
            "cannot write to {path!r} ({reason})",
            path=str(path),
            reason=problem.strerror or problem,
        ) from None
