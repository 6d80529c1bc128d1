"""What is written is whole, and what cannot be written is said quietly and clearly."""

from __future__ import annotations

import errno
import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import environment

Run = Callable[..., Any]
Write = Callable[[str, "str | bytes"], Path]
Start = Callable[..., "subprocess.Popen[bytes]"]

ROLES = ("--qi", "zip,age", "--sensitive", "disease")
FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def files() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def generalize(table: Path, hierarchies: Path, *more: object) -> list[object]:
    return ["generalize", table, "--levels", "zip=1", "--hierarchies", hierarchies, *more]


def test_a_report_goes_to_the_file_and_not_to_the_terminal(table: Path, run: Run) -> None:
    printed = run("check", table, *ROLES, "--t", "0.1")
    written = run("check", table, *ROLES, "--t", "0.1", "--out", "report.txt")
    assert (written.code, written.out, written.err) == (1, "", "")
    assert Path("report.txt").read_text() == printed.out
    assert set(files()) == {"table.csv", "report.txt"}


def test_an_old_report_is_replaced(table: Path, run: Run, write: Write) -> None:
    write("report.txt", "old\n" * 1000)
    assert run("check", table, *ROLES, "--out", "report.txt").code == 0
    assert "old" not in Path("report.txt").read_text()


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("folder", "folder"),
        ("nodir/report.txt", "nodir/report.txt"),
        ("table.csv/report.txt", "table.csv/report.txt"),
        ("n" * 300, "nnn"),
    ],
)
def test_a_target_that_cannot_be_written_is_an_error(
    target: str, says: str, table: Path, run: Run
) -> None:
    Path("folder").mkdir()
    before = files()
    result = run("check", table, *ROLES, "--out", target)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("petaudit: error: cannot write ")
    assert says in result.err
    assert files() == before


def test_a_folder_that_may_not_be_written_is_an_error(
    table: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Permissions do not stop an administrator, so the refusal is played."""

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr("petaudit.system.output.tempfile.mkstemp", refuse)
    result = run("check", table, *ROLES, "--out", "report.txt")
    assert (result.code, result.out) == (2, "")
    assert "Permission denied" in result.err


@pytest.mark.parametrize("command", ["check", "generalize"])
def test_a_full_disk_keeps_the_old_file(
    command: str,
    table: Path,
    hierarchies: Path,
    run: Run,
    write: Write,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write("out.csv", "old")
    before = files()

    def fail(_: int) -> None:
        raise FULL

    monkeypatch.setattr("petaudit.system.output.os.fsync", fail)
    given = ["check", table, *ROLES] if command == "check" else generalize(table, hierarchies)
    result = run(*given, "--out", "out.csv")
    assert (result.code, result.out) == (2, "")
    assert "out.csv" in result.err
    assert "No space left" in result.err
    assert files() == before


@pytest.mark.parametrize("role", ["table", "original", "hierarchy", "side-car"])
def test_a_report_never_overwrites_what_it_read(
    role: str, table: Path, hierarchies: Path, run: Run, write: Write
) -> None:
    """One slip of the hand must not cost the only copy of the data."""
    write("table.yaml", "DATASET: {ATTRIBUTE_TYPE: {quasi_identifier: [zip, age]}}")
    write("original.csv", table.read_text())
    target = {
        "table": "./table.csv",
        "original": "original.csv",
        "hierarchy": "hierarchies/hierarchy_zip.csv",
        "side-car": "table.yaml",
    }[role]
    before = files()
    given = ["check", table, "--hierarchies", hierarchies, "--original", "original.csv"]
    result = run(*given, "--out", target)
    assert result.code == 2
    assert target.removeprefix("./") in result.err
    assert files() == before


def test_generalize_never_overwrites_its_table(table: Path, hierarchies: Path, run: Run) -> None:
    before = files()
    result = run(*generalize(table, hierarchies, "--out", table))
    assert (result.code, result.out) == (2, "")
    assert files() == before


def test_a_link_stays_a_link(table: Path, run: Run, write: Write) -> None:
    real = write("real.txt", "old")
    Path("link.txt").symlink_to(real)
    assert run("check", table, *ROLES, "--out", "link.txt").code == 0
    assert Path("link.txt").is_symlink()
    assert real.read_text().startswith("petaudit")


def test_a_device_is_never_replaced(table: Path, run: Run) -> None:
    """``--out /dev/null`` by an administrator must leave /dev/null a device; a pipe stands in."""
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        result = run("check", table, *ROLES, "--out", "pipe")
        assert result.code == 2 or os.read(reader, 9) == b"petaudit "
    finally:
        os.close(reader)
    assert Path("pipe").is_fifo()


@pytest.mark.parametrize(
    "arguments",
    [
        ["demo"],
        ["measures"],
        ["datasets"],
        ["--help"],
        ["check", "--help"],
        ["--version"],
        ["generalize", "table.csv", "--levels", "zip=1", "--hierarchies", "hierarchies"],
    ],
    ids=" ".join,
)
def test_a_reader_that_leaves_early_is_no_error_to_report(
    arguments: list[str], table: Path, hierarchies: Path, start_process: Start
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = start_process(*arguments, stdout=writing)
    os.close(writing)
    _, err = process.communicate(timeout=60)
    assert err == b""
    assert process.returncode in {0, 2}


class FullDisk(io.StringIO):
    """Standard output on a disk that has no room."""

    def flush(self) -> None:
        raise FULL


@pytest.mark.parametrize("command", ["measures", "datasets", "demo"])
def test_output_that_finds_no_room_is_an_error(
    command: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", FullDisk())
    result = run(command)
    assert result.code == 2
    assert "No space left" in result.err
    assert "internal error" not in result.err


def test_a_full_disk_is_told_once(start_process: Start) -> None:
    """Python would try again at exit and add a complaint; /dev/full is a disk without room."""
    with Path("/dev/full").open("wb") as full:
        process = start_process("measures", stdout=full)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert err == b"petaudit: error: cannot write to standard output (No space left on device)\n"


def test_a_report_is_written_without_any_terminal(
    table: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Services and scheduled jobs may have no standard output at all."""
    monkeypatch.setattr(sys, "stdout", None)
    result = run("check", table, *ROLES, "--out", "report.txt")
    assert (result.code, result.err) == (0, "")
    assert Path("report.txt").exists()


def test_ctrl_c_ends_quietly(table: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("petaudit.cli.check.audit", interrupt)
    result = run("check", table, *ROLES, "--out", "report.txt")
    assert (result.code, result.out, result.err) == (130, "", "petaudit: interrupted\n")
    assert not Path("report.txt").exists()


def test_being_told_to_end_leaves_nothing_behind(start_process: Start, write: Write) -> None:
    """A service or a full queue sends SIGTERM; the recoded copy of the table must go."""
    write("t.csv", "zip;disease\n" + "".join(f"{n};{n % 9}\n" for n in range(300_000)))
    Path("temporary").mkdir()
    given = ("check", "t.csv", "--qi", "zip", "--sensitive", "disease", "--encoding", "latin-1")
    process = start_process(*given, env=environment(TMPDIR="temporary"), stdout=subprocess.DEVNULL)
    while process.poll() is None and not list(Path("temporary").glob("petaudit-*/*-utf8.csv")):
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (143, b"petaudit: interrupted\n")
    assert list(Path("temporary").iterdir()) == []


def test_ctrl_c_while_the_engine_counts_ends_quietly(
    table: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB answers the signal itself and raises this; waiting for a real one takes too long."""

    def interrupt(*_: object, **__: object) -> None:
        raise RuntimeError("Query interrupted")

    monkeypatch.setattr("narwhals.stable.v2.LazyFrame.to_native", interrupt)
    result = run("check", table, *ROLES, "--out", "report.txt")
    assert (result.code, result.out, result.err) == (130, "", "petaudit: interrupted\n")
    assert not Path("report.txt").exists()
