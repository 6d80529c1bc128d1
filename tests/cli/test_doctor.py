"""``petaudit doctor``, and ``petaudit`` without a command: the first things that a person types."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import petaudit
from petaudit.cli import doctor
from petaudit.cli.options import GROUPS
from petaudit.cli.parser import build_parser

Run = Callable[..., Any]
BROKEN = """
import sys
sys.modules["numba"] = None
from petaudit.cli import main
sys.exit(main(["doctor"]))
"""


def test_without_a_command_there_is_help_with_three_examples(run: Run) -> None:
    found = run()
    assert (found.code, found.err) == (0, "")
    assert found.out == run("--help").out
    _, _, examples = found.out.partition("\nexamples:\n")
    assert len([line for line in examples.splitlines() if line.startswith("  petaudit ")]) == 3


def test_the_examples_of_the_help_can_be_typed(run: Run) -> None:
    _, _, examples = run().out.partition("\nexamples:\n")
    for line in examples.splitlines():
        if line.startswith("  petaudit "):
            build_parser().parse_args(line.split()[1:])


def test_groups_of_options_are_alike_in_every_command(run: Run) -> None:
    _, _, listed = run().out.partition("  COMMAND\n")
    names = [line.split()[0] for line in listed.partition("\n\n")[0].splitlines() if line[4] != " "]
    assert len(names) > 10
    for name in names:
        lines = run(name, "--help").out.splitlines()
        titles = [line[:-1] for line in lines if line.endswith(":") and not line.startswith(" ")]
        assert titles == [title for title in GROUPS if title in titles], name
        assert titles[-1] == "general"


def test_it_tells_what_is_here(run: Run) -> None:
    found = run("doctor", "--memory", "1GB")
    assert (found.code, found.err) == (0, "")
    for text in (petaudit.__version__, "Python 3.", "duckdb ", "learn ", "memory: at most 1 GB"):
        assert text in found.out
    facts = json.loads(run("doctor", "--memory", "1GB", "--format", "json").out)
    assert facts["healthy"] is True
    assert facts["memory"]["limit"] == 1_000_000_000
    assert {"duckdb", "numpy", "pyarrow"} <= set(facts["packages"])
    assert {"learn", "pandas", "polars", "postgres", "spark"} <= set(facts["extras"])
    assert facts["folders"]["temporary"] == {"path": tempfile.gettempdir(), "writable": True}


def test_it_tells_how_to_get_what_is_missing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = doctor._version
    monkeypatch.setattr(
        doctor, "_version", lambda name: None if name == "polars" else installed(name)
    )
    found = run("doctor")
    assert found.code == 0
    assert "\n  pip install 'petaudit[polars]'\n" in found.out
    extra = json.loads(run("doctor", "--format", "json").out)["extras"]["polars"]
    assert (extra["installed"], extra["packages"]) == (False, {"polars": None})


def test_it_runs_where_something_is_broken_and_says_what() -> None:
    done = subprocess.run(
        [sys.executable, "-c", BROKEN], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 2
    assert done.stderr.startswith("petaudit: error: numba cannot be imported")
    assert len(done.stderr.splitlines()) == 1


def test_a_folder_that_cannot_be_written_to_is_said(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> Path:
        raise FileNotFoundError

    monkeypatch.setattr("petaudit.cli.doctor.tempfile.gettempdir", fail)
    found = run("doctor")
    assert found.code == 2
    assert "TMPDIR" in found.err


def test_every_extra_says_what_it_gives() -> None:
    _, extras = doctor._packages()
    assert {extra.name for extra in extras} <= set(doctor._GIVES)
