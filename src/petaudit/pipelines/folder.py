"""The folder of results: one run at a time, everything published at the end or not at all.

While a run lasts, whatever it writes is kept in a hidden folder inside the folder of results: the
results of finished experiments, so that an interrupted run can go on, and files that are not
complete yet. Published files are renamed into place, the result document last of all.

Others may be able to write to the folder. So a kept result is taken only if the user's key signed
it, and nothing is ever written through a link in it. The key is stored outside of every
folder of results.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import secrets
import shutil
import stat
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

from petaudit.errors import InputError, PetauditWarning, argument, phrase
from petaudit.system.files import state_folder
from petaudit.system.output import refuse_inputs, write_whole

KEY_FILE: Final = "resume.key"
_BYTES: Final = 32
_KEY_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
LOCK: Final = "lock"
_TRIES: Final = 10
_LOCK_FLAGS: Final = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
STATE: Final = ".petaudit-run"
RESULT: Final = "result.json"
_KEPT: Final = ".kept"
_SIGNED: Final = b"petaudit: a kept result, form 1"
_TEMPORARY: Final = ".petaudit-"


@dataclass
class ResultFolder:
    """A folder that this run alone writes to; see :func:`open_folder`."""

    path: Path
    signing_key: bytes | None = field(default=None, repr=False)
    """None where the user has none: then nothing is kept."""
    is_finished: bool = False
    """Whether nothing is left to go on with: then what was kept is removed in the end."""
    _has_warned: bool = field(default=False, repr=False)

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
        """What an interrupted run of this user kept of an experiment; None without it.

        Once, a warning says that something there is not to be trusted.
        """
        try:
            content = (self._state / f"{key}{_KEPT}").read_bytes()
        except FileNotFoundError:
            return None
        except OSError:
            content = b""
        signature, _, text = content.partition(b"\n")
        if self.signing_key is not None and hmac.compare_digest(
            signature, _signature(self.signing_key, key, text)
        ):
            data: dict[str, Any] = json.loads(text)
            return data
        if not self._has_warned:
            warning = phrase(
                "{path!r} holds saved results that this user did not save on this machine, or that "
                "were changed; they are measured again",
                path=str(self.path),
            )
            warnings.warn(warning, PetauditWarning, stacklevel=2)
        self._has_warned = True
        return None

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


@contextlib.contextmanager
def open_folder(path: Path, *, resume: bool) -> Iterator[ResultFolder]:
    """Make the folder and hold it; another run that holds it is an error.

    Without ``resume``, what an interrupted run kept is removed.
    """
    state = path / STATE
    with _writing(path):
        path.mkdir(parents=True, exist_ok=True)
    if state.is_symlink():
        # Whatever it leads to would be emptied.
        raise InputError(
            "{path!r} is a link; remove it, or choose another folder ({argument})",
            path=str(state),
            argument=argument("out"),
        )
    with locked(state, path):
        with _writing(state):
            _clean(state, keep_results=resume)
        folder = ResultFolder(path, user_key(path))
        try:
            yield folder
        finally:
            # Under the lock: once its file is gone, another run may hold the folder.
            with contextlib.suppress(OSError):
                _clean(state, keep_results=not folder.is_finished)
                if [path.name for path in state.iterdir()] == [LOCK]:
                    (state / LOCK).unlink()
                    state.rmdir()


def _clean(state: Path, *, keep_results: bool) -> None:
    """Remove what is unfinished or was put there by others, and kept results if not wanted."""
    for path in state.iterdir():
        is_file = path.is_file() and not path.is_symlink()
        is_kept = is_file and not path.name.startswith(_TEMPORARY)
        if path.name == LOCK or (is_kept and keep_results):
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


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
                "{path!r} is not a folder; the results need one of their own", path=str(path)
            )
        nearest = next(
            (parent for parent in (path, *path.absolute().parents) if parent.exists()), None
        )
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


@contextlib.contextmanager
def locked(folder: Path, shown: Path) -> Iterator[None]:
    """Hold a folder, or raise an error if another process does.

    The process that held it before may remove the folder with the lock file in it just when this
    one takes the lock; what counts is the file that has the name afterwards.
    """
    for _ in range(_TRIES):
        with _writing(shown):
            try:
                # Not exist_ok: that looks a second time, when the folder may be gone again.
                with contextlib.suppress(FileExistsError):
                    folder.mkdir(mode=0o700)
                descriptor = os.open(folder / LOCK, _LOCK_FLAGS, 0o600)
            except FileNotFoundError:
                continue
        try:
            if not _taken(descriptor, shown):
                raise InputError(
                    "another run is writing to {path!r}; wait for it, or choose another "
                    "folder ({argument})",
                    path=str(shown),
                    argument=argument("out"),
                )
            if _is_current(descriptor, folder / LOCK):
                yield
                return
        finally:
            os.close(descriptor)
    raise InputError(
        "other runs keep writing to {path!r}; choose another ({argument})",
        path=str(shown),
        argument=argument("out"),
    )


def _taken(descriptor: int, shown: Path) -> bool:
    try:
        return _take(descriptor)
    except OSError as problem:
        raise InputError(
            "{path!r} cannot be locked for one run ({reason}); choose a folder on another disk "
            "({argument})",
            path=str(shown),
            argument=argument("out"),
            reason=problem.strerror or problem,
        ) from None


def _is_current(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False


try:
    import fcntl
except ImportError:  # Windows
    import msvcrt

    def _take(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        return True
else:

    def _take(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def user_key(results: Path) -> bytes | None:
    """The key of the user, made when there is none; None where none can be kept in private."""
    try:
        folder = state_folder() / "petaudit"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(results)):
            # Whoever gets the results would get the key as well.
            return None
        return _read_key(folder / KEY_FILE) or _new_key(folder / KEY_FILE)
    except (OSError, RuntimeError):
        return None


def _read_key(path: Path) -> bytes | None:
    """The key in a file; None if it is not whole, or if others could have read or written it."""
    try:
        descriptor = os.open(path, _KEY_FLAGS)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        if hasattr(os, "geteuid") and (about.st_uid != os.geteuid() or about.st_mode & 0o077):
            return None
        key = file.read(_BYTES + 1) if stat.S_ISREG(about.st_mode) else b""
    return key if len(key) == _BYTES else None


def _new_key(path: Path) -> bytes | None:
    descriptor, name = tempfile.mkstemp(prefix=".petaudit-", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(_BYTES))
        # Of two processes that start at the same time, the first one's key counts for both.
        with contextlib.suppress(OSError):
            os.link(temporary, path)
        if _read_key(path) is None:
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return _read_key(path)
