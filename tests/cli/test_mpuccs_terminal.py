"""Long commands on a terminal: a line that comes and goes, and a search that can be ended."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import petaudit
from cli.conftest import command, environment
from petaudit.cli.progress import ProgressLine
from petaudit.system.progress import Stage, is_watched, watched

Run = Callable[..., Any]
Start = Callable[..., "subprocess.Popen[bytes]"]

ALL_OF_60 = "1,152,921,504,606,846,975 combinations"
PATIENCE = 20
"""Far more than it takes, for machines that are busy with other tests; far less than the search."""


@pytest.fixture(scope="session")
def long_search(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """40 columns of 20,000 rows: all combinations would take years."""
    folder = tmp_path_factory.mktemp("long")
    chance = np.random.default_rng(1)
    original, synthetic = folder / "original.csv", folder / "synthetic.parquet"
    tables = [
        pa.table({f"c{n}": chance.integers(0, 6, 20_000) for n in range(40)}) for _ in range(2)
    ]
    # A file in another encoding is copied to a private folder first.
    pc.write_csv(tables[0], original)
    pq.write_table(tables[1], synthetic)
    return original, synthetic


@pytest.fixture(scope="session")
def wide(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """60 columns of 30 rows."""
    folder = tmp_path_factory.mktemp("wide")
    chance = np.random.default_rng(1)
    paths = []
    for name in ("original", "synthetic"):
        table = pa.table({f"c{n}": chance.integers(0, 3, 30) for n in range(60)})
        paths.append(folder / f"{name}.parquet")
        pq.write_table(table, paths[-1])
    return paths[0], paths[1]


@pytest.fixture
def small() -> tuple[str, str]:
    for name, first in (("original", 0), ("synthetic", 2)):
        columns = {f"c{n}": list(range(first * n, first * n + 9)) for n in range(6)}
        pq.write_table(pa.table(columns), f"{name}.parquet")
    return "original.parquet", "synthetic.parquet"


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> type[Terminal]:
    """Terminals of 100 columns, as a person has them."""
    for name in ("CI", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("LINES", "30")

    return Terminal


class Terminal:
    """A pseudo-terminal for a command to write to, and all that was written."""

    def __enter__(self) -> Self:
        self._outside, self.inside = pty.openpty()
        self._parts: list[bytes] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.all_text()
        os.close(self._outside)

    def _read(self) -> None:
        # A terminal whose other end is closed gives an error.
        with contextlib.suppress(OSError):
            while part := os.read(self._outside, 65_536):
                self._parts.append(part)

    def text(self) -> str:
        """What was written so far."""
        return b"".join(self._parts).decode(errors="replace")

    def all_text(self) -> str:
        """What was written, once nobody can write any more."""
        if self.inside >= 0:
            os.close(self.inside)
            self.inside = -1
        self._reader.join(timeout=30)
        return self.text()


def screen(text: str) -> list[str]:
    """What a terminal shows after all this was written to it."""
    lines, row, column = [""], 0, 0
    for sequence, mark in re.findall(r"(\x1b\[[?0-9;]*[A-Za-z])|([^\x1b])", text):
        if sequence:
            number, action = sequence[2:-1], sequence[-1]
            if action == "A":
                row = max(row - int(number or 1), 0)
            elif action == "K":
                lines[row] = "" if number == "2" else lines[row][:column]
            else:
                assert action in "mhl", sequence
        elif mark == "\r":
            column = 0
        elif mark == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        else:
            lines[row] = lines[row].ljust(column)[:column] + mark + lines[row][column + 1 :]
            column += 1
    return [line.rstrip() for line in lines if line.strip()]


def test_the_screen_of_these_tests_is_right() -> None:
    bars = "one\r\ntwo\r\x1b[2K\x1b[1A\x1b[2K\x1b[32mONE\x1b[0m\r\nTWO"
    assert screen(bars) == ["ONE", "TWO"]
    assert screen(f"{bars}\r\n\r\x1b[1A\x1b[2K\x1b[1A\x1b[2Kend\r\n") == ["end"]


def run_on(run: Run, monkeypatch: pytest.MonkeyPatch, inside: int, *arguments: object) -> Any:
    """Run a command in this process, with the terminal as its standard error."""
    with os.fdopen(os.dup(inside), "w", encoding="utf-8") as err, monkeypatch.context() as now:
        now.setattr(sys, "stderr", err)
        return run(*arguments)


# Progress.


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("petaudit.cli.progress._PATIENCE", 0)


SOME_TIME = ("--max-cols", "all", "--time-limit", "1.5", "--no-advice")


@pytest.mark.usefixtures("impatient")
def test_a_line_comes_and_goes(
    wide: tuple[Path, Path], run: Run, terminal: type[Terminal], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = ("mpuccs", *wide, *SOME_TIME)
    with terminal() as opened:
        result = run_on(run, monkeypatch, opened.inside, *given, "--format", "json")
        text = opened.all_text()
    assert re.search(r"[\d,]+ of [\d,]+: combinations of \d+ columns", text)
    # A warning stays, and the line does not.
    left = " ".join(screen(text))
    assert left.startswith("petaudit: warning: 60 columns have ")
    assert ALL_OF_60 in left
    assert "/s" not in left
    assert "\x1b" not in text
    assert json.loads(result.out)["results"][0]["details"]["combinations"] > 0


def test_a_quick_command_shows_no_line(
    small: tuple[str, str], run: Run, terminal: type[Terminal], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("petaudit.cli.progress._PATIENCE", 600)
    with terminal() as opened:
        assert run_on(run, monkeypatch, opened.inside, "mpuccs", *small).code == 0
        assert opened.all_text() == ""


def test_a_line_is_erased_before_anything_else_is_written() -> None:
    written = io.StringIO()
    line = ProgressLine(written, patience=0)
    line.watch((Stage("reading"), Stage("k-anonymity", 3, 27)))
    line.start()
    deadline = time.monotonic() + PATIENCE
    while "27" not in written.getvalue() and time.monotonic() < deadline:
        time.sleep(0.01)
    with line.lock:
        line.erase()
        assert written.getvalue().startswith("\rreading, 3 of 27: k-anonymity, 0 s")
        assert screen(written.getvalue()) == []
    line.stop()
    assert screen(written.getvalue()) == []
    combinations = (Stage("combinations", 100, 1000),)
    line.watch(combinations)
    line._since -= 10
    assert line._text(combinations) == "100 of 1,000: combinations, 10/s, 90 s left"


def test_every_stage_of_an_audit_is_told(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("zip;ill\n1;a\n1;b\n2;a\n")
    told: list[tuple[Stage, ...]] = []
    with watched(told.append):
        petaudit.audit(table, quasi_identifiers="zip", sensitive="ill")
    last = [each[-1] for each in told if each]
    assert {own.engine for own in last} == {"", "duckdb"}
    # After a query the stage around it goes on.
    stages = [*dict.fromkeys(own for own in last if not own.engine)]
    assert [own.what for own in stages[:2]] == ["reading t.csv", "grouping rows into classes"]
    measures = [own for own in stages if own.total is not None]
    assert [own.done for own in measures] == [*range(1, len(measures) + 1)]
    assert {own.total for own in measures} == {len(measures)}
    assert "t-closeness" in [own.what for own in measures]
    # Values and what somebody watches are nobody else's.
    assert not is_watched()


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("where", ["no terminal", "quiet", "CI"])
def test_nobody_looks_so_nothing_is_drawn(
    where: str,
    small: tuple[str, str],
    run: Run,
    terminal: type[Terminal],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    more = ("--quiet",) if where == "quiet" else ()
    if where == "CI":
        monkeypatch.setenv("CI", "1")
    with terminal() as opened:
        if where == "no terminal":
            result = run("mpuccs", *small)
            assert result.err == ""
        else:
            result = run_on(run, monkeypatch, opened.inside, "mpuccs", *small, *more)
        assert opened.all_text() == ""
    assert result.code == 0


def test_there_may_be_no_standard_error_at_all(
    small: tuple[str, str], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert run("mpuccs", *small).code == 0


def test_an_error_is_all_that_is_left_on_the_screen(
    run: Run, terminal: type[Terminal], monkeypatch: pytest.MonkeyPatch
) -> None:
    pq.write_table(pa.table({"a": [1]}), "o.parquet")
    pq.write_table(pa.table({"b": [1]}), "s.parquet")
    with terminal() as opened:
        result = run_on(run, monkeypatch, opened.inside, "mpuccs", "o.parquet", "s.parquet")
        lines = screen(opened.all_text())
    assert result.code == 2
    assert lines[0].startswith("petaudit: error: s.parquet and o.parquet must have the same")
    assert len(lines) == 1


# A search that is too long.


def test_the_time_limit_is_a_limit_of_the_command(wide: tuple[Path, Path], run: Run) -> None:
    """Not of a part of it: the tables and the advice come within the time, too, or soon after."""
    limit = 2.0
    run("mpuccs", *wide, "--max-cols", "1")  # what is loaded once is loaded
    start = time.monotonic()
    result = run("mpuccs", *wide, "--max-cols", "all", "--time-limit", limit, "--limit", "0.5")
    took = time.monotonic() - start
    assert result.code == 1
    assert f"petaudit: warning: 60 columns have {ALL_OF_60}" in result.err
    assert f"(stopped after {limit:g} s)" in result.err
    assert len(result.err.splitlines()) == 1
    assert "the time limit was reached after" in result.out
    assert took < limit + PATIENCE


def test_a_stopped_search_writes_what_it_found(wide: tuple[Path, Path], run: Run) -> None:
    run("mpuccs", *wide, "--max-cols", "1")
    given = ("--max-cols", "all", "--time-limit", "1", "--no-advice", "--out", "o")
    document = json.loads(run("mpuccs", *wide, *given, "--format", "json").out)
    assert document["results"][0]["details"]["complete"] is False
    tree = pq.read_table("o/tree.parquet")
    assert tree.num_rows == document["results"][0]["details"]["combinations"] > 60
    assert tree.column("check_order").to_pylist() == list(range(1, tree.num_rows + 1))


# Being told to end.


def wait_for(process: subprocess.Popen[bytes], text: bytes) -> bytes:
    """Read standard error up to a line with this text; a process that never says it is ended."""
    assert process.stderr is not None
    too_late = threading.Timer(30, process.kill)
    too_late.start()
    seen = b""
    try:
        while text not in seen:
            line = process.stderr.readline()
            assert line, seen
            seen += line
    finally:
        too_late.cancel()
        too_late.join()
    return seen


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_long_search_and_leaves_nothing_behind(
    number: signal.Signals, code: int, long_search: tuple[Path, Path], start_process: Start
) -> None:
    Path("temporary").mkdir()
    Path("o").mkdir()
    Path("o/summary.json").write_text("old")
    given = ("mpuccs", *long_search, "--max-cols", "all", "--out", "o", "--encoding", "latin-1")
    process = start_process(*given, env=environment(TMPDIR="temporary"), stdout=subprocess.PIPE)
    warned = wait_for(process, b"1,099,511,627,775 combinations")
    assert warned.count(b"\n") == 1
    assert process.poll() is None
    assert list(Path("temporary").glob("petaudit-*/*-utf8.csv"))
    time.sleep(0.3)
    start = time.monotonic()
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert time.monotonic() - start < PATIENCE
    assert (process.returncode, out, err) == (code, b"", b"petaudit: interrupted\n")
    assert [path.name for path in Path("o").iterdir()] == ["summary.json"]
    assert Path("o/summary.json").read_text() == "old"
    assert list(Path("temporary").iterdir()) == []


def test_ctrl_c_on_a_terminal_takes_the_line_away(
    long_search: tuple[Path, Path], terminal: type[Terminal]
) -> None:
    with terminal() as opened:
        with subprocess.Popen(
            command("mpuccs", *long_search, "--max-cols", "all", "--out", "o"),
            stderr=opened.inside,
            stdout=subprocess.PIPE,
            env={name: value for name, value in environment().items() if name != "CI"},
        ) as process:
            too_late = time.monotonic() + 30
            while ": combinations of" not in opened.text() and time.monotonic() < too_late:
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=60)
        text = opened.all_text()
    assert (process.returncode, out) == (130, b"")
    lines = screen(text)
    assert lines[-1] == "petaudit: interrupted"
    assert ": combinations of" not in "".join(lines)
    assert "Traceback" not in text
    assert not Path("o").exists()


def test_ctrl_c_while_files_are_written_leaves_whole_ones(
    small: tuple[str, str], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync, calls = os.fsync, 0

    def interrupt(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 4:
            raise KeyboardInterrupt
        sync(descriptor)

    monkeypatch.setattr("petaudit.system.output.os.fsync", interrupt)
    result = run("mpuccs", *small, "--out", "o")
    assert (result.code, result.out, result.err) == (130, "", "petaudit: interrupted\n")
    left = {path.name for path in Path("o").iterdir()}
    assert len(left) == 3
    assert not any(name.startswith(".") for name in left)
    for name in left:
        path = Path("o", name)
        rows = pq.read_table(path).num_rows if path.suffix == ".parquet" else path.read_text()
        assert rows


def test_a_reader_that_leaves_early_is_no_error_to_report(
    small: tuple[str, str], start_process: Start
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = start_process("mpuccs", *small, stdout=writing)
    os.close(writing)
    _, err = process.communicate(timeout=60)
    assert err == b""
    assert process.returncode in {0, 2}
