"""Told to end in the middle of the work: the right exit code, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pytest

from cli.conftest import environment
from petaudit.cli import main, termination

Start = Callable[..., "subprocess.Popen[bytes]"]
PATIENCE = 60
ROLES = ("--qi", "a,b,c", "--sensitive", "d")


@pytest.fixture(scope="module")
def wide_table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every row is a class of its own, and together they are more than 512 MB leave the engine."""
    path = tmp_path_factory.mktemp("table") / "t.parquet"
    duckdb.execute(
        "COPY (SELECT md5(range::VARCHAR) AS a, repeat(md5((range + 1)::VARCHAR), 4) AS b, "  # noqa: S608
        f"range::VARCHAR AS c, range % 9 AS d FROM range(800_000)) TO '{path}'"
    )
    return path


def spilled(folder: Path) -> bool:
    return any(path.is_file() for path in folder.glob("petaudit-*/spill/*"))


def started(start_process: Start, *arguments: object) -> tuple[subprocess.Popen[bytes], Path]:
    """Start with a folder of its own for temporary files."""
    folder = Path("temporary")
    folder.mkdir()
    env = environment(TMPDIR=str(folder), PETAUDIT_MEMORY="512MB")
    return start_process(*arguments, env=env, stdout=subprocess.DEVNULL), folder


def wait_for(process: subprocess.Popen[bytes], has_come: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not has_come():
        assert process.poll() is None, "it ended before the moment came"
        assert time.monotonic() < deadline, "the moment never came"
        time.sleep(0.005)


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.long)]
)
def test_while_the_engine_spills(number: int, wide_table: Path, start_process: Start) -> None:
    process, folder = started(start_process, "check", wide_table, *ROLES, "--out", "report.txt")
    wait_for(process, lambda: spilled(folder))
    process.send_signal(number)
    # A service manager tells the whole group of processes once more.
    process.send_signal(number)
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (128 + number, b"petaudit: interrupted\n")
    assert list(folder.iterdir()) == []
    assert {path.name for path in Path().iterdir()} == {"temporary"}


def test_while_a_large_csv_is_loaded(
    wide_table: Path, start_process: Start, tmp_path: Path
) -> None:
    """Its copy lies in a file of the private folder."""
    table = tmp_path / "t.csv"
    duckdb.execute(f"COPY (FROM '{wide_table}') TO '{table}' (HEADER, DELIMITER ';')")
    process, folder = started(start_process, "check", table, *ROLES)
    wait_for(process, lambda: any(folder.glob("petaudit-*/*/table.db")))
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (143, b"petaudit: interrupted\n")
    assert list(folder.iterdir()) == []


@pytest.mark.long
def test_hearing_nothing_where_the_caller_wants_nothing_heard(
    wide_table: Path, start_process: Start
) -> None:
    """``nohup`` lets a program ignore the end of its terminal, and so it stays."""
    folder = Path("temporary")
    folder.mkdir()
    process = start_process(
        "check",
        wide_table,
        "--qi",
        "d",
        "--measures",
        "k-anonymity",
        env=environment(TMPDIR=str(folder)),
        stdout=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    wait_for(process, lambda: any(folder.glob("petaudit-*")))
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert list(folder.iterdir()) == []


def test_a_caller_in_python_gets_its_signals_back(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[Any] = []

    def told_to_end(*_: object) -> int:
        heard.append(signal.getsignal(signal.SIGTERM))
        os.kill(os.getpid(), signal.SIGTERM)
        raise AssertionError

    monkeypatch.setattr("petaudit.cli._run", told_to_end)
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        assert main(["measures"]) == 143
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGTERM, before)
    assert heard != [signal.SIG_DFL]
    assert capfd.readouterr().err == "petaudit: interrupted\n"


def test_another_thread_leaves_the_signals_alone() -> None:
    """Python would refuse to install a handler there."""
    before = signal.getsignal(signal.SIGTERM)
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(main(["--version"])))
    thread.start()
    thread.join()
    assert codes == [0]
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_later_signal_is_heard_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Should the first one have been lost, a second ends the program all the same."""
    now = [0.0]
    monkeypatch.setattr(termination.time, "monotonic", lambda: now[0])
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        with termination.graceful_shutdown(is_program=False):
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGTERM)
            now[0] = 1.0
            signal.raise_signal(signal.SIGTERM)
            now[0] = 60.0
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGTERM)
        assert termination.interrupted_code() == 143
    finally:
        signal.signal(signal.SIGTERM, before)


class ToldInDestructor:
    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0)


def told_while_logging() -> None:
    """Around the start of a program Python holds a lock of logging's, and drops exceptions."""
    tell = partial(os.kill, os.getpid(), signal.SIGTERM)
    try:
        exec("tell()\nfor _ in range(9): pass", {"__name__": "logging", "tell": tell})  # noqa: S102
    except KeyboardInterrupt:
        pytest.fail("raised where the lock is held")


@pytest.mark.parametrize("tell", [ToldInDestructor, told_while_logging])
def test_what_python_drops_is_said_again(
    tell: Callable[[], object], capfd: pytest.CaptureFixture[str]
) -> None:
    def told_in_vain() -> None:
        tell()
        time.sleep(PATIENCE)

    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        with termination.graceful_shutdown(is_program=False), pytest.raises(KeyboardInterrupt):
            told_in_vain()
        assert termination.interrupted_code() == 143
    finally:
        signal.signal(signal.SIGTERM, before)
    assert capfd.readouterr() == ("", "")
