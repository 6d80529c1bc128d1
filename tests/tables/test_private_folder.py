"""The private folder goes with its process, also with one that was killed."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from petaudit.tables import _private_folder
from petaudit.tables._private_folder import LOCK, remove_orphans

TWO_DAYS_AGO = time.time() - 2 * 24 * 60 * 60
OWNER = """
import sys
from petaudit.tables._private_folder import private_folder
folder = private_folder()
(folder / "spill").mkdir()
(folder / "spill" / "part").write_text("47677")
(folder / "petaudit_1").symlink_to(sys.argv[1])
print(folder, flush=True)
sys.stdin.read()
"""
CLEANER = """
import sys
from petaudit.tables._private_folder import remove_orphans
print("ready", flush=True)
sys.stdin.readline()
print(remove_orphans())
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder of our own; nothing of the machine's is touched."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.fixture
def started() -> Iterator[Any]:
    running: list[subprocess.Popen[str]] = []

    def start(script: str, *arguments: object) -> subprocess.Popen[str]:
        entry = subprocess.Popen(
            [sys.executable, "-c", script, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        running.append(entry)
        return entry

    yield start
    for process in running:
        process.kill()
        process.communicate()


def owner(started: Any, temporary: Path) -> tuple[subprocess.Popen[str], Path]:
    kept = temporary / "a table of the user"
    kept.touch()
    process = started(OWNER, kept)
    return process, Path(process.stdout.readline().strip())


def killed(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()


def deserted(temporary: Path, name: str = "petaudit-abcdefgh", **files: str) -> Path:
    """A folder as a killed process leaves it."""
    folder = temporary / name
    folder.mkdir(mode=0o700)
    for file, text in files.items():
        (folder / file).write_text(text)
    return folder


def aged(folder: Path) -> Path:
    for path in (*folder.rglob("*"), folder):
        os.utime(path, (TWO_DAYS_AGO, TWO_DAYS_AGO), follow_symlinks=False)
    return folder


def test_the_folder_of_a_killed_process_is_removed(started: Any, temporary: Path) -> None:
    process, folder = owner(started, temporary)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {path.name for path in folder.iterdir()} == {LOCK, "spill", "petaudit_1"}
    killed(process)
    assert (folder / "spill" / "part").read_text() == "47677"
    assert remove_orphans() == 1
    assert not folder.exists()
    assert (temporary / "a table of the user").exists(), "a link is not followed"
    assert remove_orphans() == 0


def test_the_folder_of_a_live_process_stays_however_old_it_is(
    started: Any, temporary: Path
) -> None:
    process, folder = owner(started, temporary)
    aged(folder)
    assert remove_orphans() == 0
    assert (folder / "spill" / "part").exists()
    assert process.communicate("")[0] == ""
    assert not folder.exists(), "and goes when the process ends"


def test_the_next_process_cleans_up(started: Any, temporary: Path) -> None:
    process, folder = owner(started, temporary)
    killed(process)
    _, other = owner(started, temporary)
    assert not folder.exists()
    assert other.exists()


def test_a_forked_child_neither_removes_nor_keeps_the_folder(temporary: Path) -> None:
    """The child runs the exit functions of its parent and inherits its open files."""
    script = """
import os, sys
from petaudit.tables._private_folder import private_folder, remove_orphans
folder = private_folder()
if not (child := os.fork()):
    assert private_folder() != folder
    sys.exit(remove_orphans())
assert os.waitpid(child, 0)[1] == 0
assert list(folder.iterdir())
if not os.fork():
    print(folder, flush=True)
    sys.stdin.read()
    os._exit(0)
os.kill(os.getpid(), 9)
"""
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        process.wait()
        assert folder.exists()
        assert remove_orphans() == 1, "though the second child still lives"
    assert os.listdir(temporary) == []  # noqa: PTH208


def test_a_folder_without_a_lock_stays(temporary: Path) -> None:
    folder = aged(deserted(temporary, petaudit_1="47677"))
    assert remove_orphans() == 0
    assert (folder / "petaudit_1").exists()


@pytest.mark.parametrize(
    "name",
    [
        *("petaudit-abcdefg", "petaudit-abcdefghi", "petaudit-ABCDEFGH", "petaudit_abcdefgh"),
        *("xpetaudit-abcdefgh", "petaudit-abcd.fgh", "petaudit-abcdefgh\n", "petaudit-abcdefg年"),
    ],
)
def test_other_names_stay(name: str, temporary: Path) -> None:
    folder = aged(deserted(temporary, name, **{LOCK: ""}))
    assert remove_orphans() == 0
    assert (folder / LOCK).exists()


def test_what_is_no_private_folder_of_ours_stays(temporary: Path, tmp_path: Path) -> None:
    real = deserted(tmp_path, "elsewhere", **{LOCK: ""})
    (temporary / "petaudit-11111111").symlink_to(real)
    (temporary / "petaudit-22222222").touch()
    shared = deserted(temporary, "petaudit-33333333", **{LOCK: ""})
    shared.chmod(0o750)
    deserted(temporary, "petaudit-examples", results="kept")
    linked = deserted(temporary, "petaudit-44444444")
    (linked / LOCK).symlink_to(real / LOCK)
    os.mkfifo(deserted(temporary, "petaudit-55555555") / LOCK)
    for folder in list(temporary.iterdir()):
        if not folder.is_symlink():
            aged(folder)
    before = sorted(temporary.rglob("*"))
    assert remove_orphans() == 0
    assert sorted(temporary.rglob("*")) == before
    assert (real / LOCK).exists()


def test_the_folders_of_other_users_stay(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = deserted(temporary, **{LOCK: ""})
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    assert remove_orphans() == 0
    monkeypatch.undo()
    assert (folder / LOCK).exists()


def test_nothing_is_raised_and_the_lock_goes_last(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [deserted(temporary, f"petaudit-0000000{n}", **{LOCK: ""}) for n in range(3)]
    for folder in folders:
        (folder / "spill").mkdir()
    with monkeypatch.context() as patched:
        patched.setattr("shutil.rmtree", lambda path, ignore_errors: None)
        assert remove_orphans() == 0
    assert all((folder / LOCK).exists() for folder in folders), "so that the next one tries again"
    with monkeypatch.context() as patched:
        patched.setattr("tempfile.tempdir", str(temporary / "gone"))
        assert remove_orphans() == 0
    assert remove_orphans() == 3


def test_a_file_system_without_locks_is_no_error(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(_private_folder.fcntl, "flock", refuse)
    folder = deserted(temporary)
    assert _private_folder._hold(folder)
    assert remove_orphans() == 0
    assert [path.name for path in folder.iterdir()] == [LOCK]


def test_whoever_makes_a_folder_knows_whether_a_cleaner_took_it(temporary: Path) -> None:
    before = set(_private_folder._held)
    kept: list[Path] = []
    done = threading.Event()
    removed: list[int] = []

    def clean() -> None:
        while not done.is_set():
            removed.append(remove_orphans())

    cleaner = threading.Thread(target=clean)
    cleaner.start()
    try:
        for _ in range(60):
            folder = Path(tempfile.mkdtemp(prefix="petaudit-"))
            if _private_folder._hold(folder):
                kept.append(folder)
            assert all((folder / LOCK).exists() for folder in kept)
    finally:
        done.set()
        cleaner.join()
        for descriptor in _private_folder._held - before:
            os.close(descriptor)
            _private_folder._held.discard(descriptor)
    assert len(removed) > 1
    assert sum(removed) + len(kept) == 60
    assert remove_orphans() == len(kept)


def test_several_cleaners_at_once_remove_each_folder_once(started: Any, temporary: Path) -> None:
    for number in range(300):
        folder = deserted(temporary, f"petaudit-{number:08}", **{LOCK: "", "petaudit_1": "47677"})
        (folder / "spill").mkdir()
    cleaners = [started(CLEANER) for _ in range(4)]
    for cleaner in cleaners:
        assert cleaner.stdout.readline() == "ready\n"
    for cleaner in cleaners:
        cleaner.stdin.write("\n")
        cleaner.stdin.flush()
    counts = [int(cleaner.communicate()[0]) for cleaner in cleaners]
    assert all(cleaner.returncode == 0 for cleaner in cleaners)
    assert sum(counts) == 300
    assert list(temporary.iterdir()) == []
