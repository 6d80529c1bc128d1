"""What the tests of the command line share: ways to run it, and a small table."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from petaudit import datasets
from petaudit.cli import main

ROWS = """\
zip;age;disease
47677;29;flu
47677;29;cold
47602;22;flu
47602;22;flu
"""


@dataclass(frozen=True)
class Outcome:
    """What a person gets from a command."""

    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages name files as they were given, so tests use short relative names."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    # A terminal's settings of the person who runs the tests must not change what is printed.
    for name in ("COLUMNS", "NO_COLOR", "PETAUDIT_DEBUG"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process, which is fast."""

    def call(*arguments: object) -> Outcome:
        capsys.readouterr()
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 1
        caught = capsys.readouterr()
        return Outcome(code, caught.out, caught.err)

    return call


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "petaudit", *map(str, arguments)]


def environment(**more: str) -> dict[str, str]:
    """The environment of a plain shell: output is buffered, as it is for a person."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return inherited | more


@pytest.fixture
def run_process() -> Run:
    """Run a command in a process of its own, as a person would."""

    def call(*arguments: object, env: dict[str, str] | None = None, timeout: float = 60) -> Outcome:
        done = subprocess.run(
            command(*arguments),
            capture_output=True,
            check=False,
            timeout=timeout,
            env=environment(**(env or {})),
        )
        return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())

    return call


@pytest.fixture
def start_process() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start a command without waiting; whatever still runs at the end of the test is ended."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: object, **options: Any) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            command(*arguments), stderr=subprocess.PIPE, **{"env": environment(), **options}
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def write() -> Callable[[str, str | bytes], Path]:
    """Write a file of the test's folder."""

    def to(name: str, content: str | bytes) -> Path:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return to


@pytest.fixture
def table(write: Callable[[str, str | bytes], Path]) -> Path:
    """Two classes of two rows: t of disease is 1/4."""
    return write("table.csv", ROWS)


@pytest.fixture
def hierarchies(write: Callable[[str, str | bytes], Path]) -> Path:
    """Hierarchies of zip and age that cover the table."""
    write("hierarchies/hierarchy_zip.csv", "47677;4767*;476**;*\n47602;4760*;476**;*\n")
    write("hierarchies/hierarchy_age.csv", "29;2*;*\n22;2*;*\n")
    return Path("hierarchies")


@pytest.fixture
def adult() -> datasets.Dataset:
    """The bundled de-identified table of 30,162 rows."""
    return datasets.load("adult-deidentified")
