"""mpUCCs as a measure of ``petaudit check``: by name only, with limits and options as all."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
Write = Callable[[str, "str | bytes"], Path]

ORIGINAL = "name;age;city\nann;31;Rome\nbob;32;Rome\ncyd;33;Oslo\ndee;34;Oslo\n"
SYNTHETIC = "name;age;city\nann;41;Rome\nxxx;32;Oslo\nyyy;55;Oslo\nzzz;56;Rome\n"
CHECK = ("check", "syn.csv", "--original", "ori.csv")
BY_NAME = (*CHECK, "--measures", "mpuccs")


@pytest.fixture(autouse=True)
def tables(write: Write) -> None:
    write("ori.csv", ORIGINAL)
    write("syn.csv", SYNTHETIC)


@pytest.mark.parametrize(("limit", "code"), [("0.5", 0), ("0.4", 1)])
def test_it_needs_no_roles(limit: str, code: int, run: Run) -> None:
    given = ("--option", "mpuccs.max_baseline_cols=2", "--limit", f"mpuccs={limit}")
    found = run(*BY_NAME, *given)
    assert (found.code, found.err) == (code, "")
    assert "with up to 2 of 3 columns" in found.out
    assert ["mpuccs", "0.484", "at", "most", limit] in [
        line.split()[:5] for line in found.out.splitlines()
    ]
    loaded = json.loads(run(*BY_NAME, *given, "--format", "json").out)
    [result] = loaded["results"]
    assert (loaded["exit_code"], result["measure"]) == (code, "mpuccs")
    assert result["details"]["sizes"] == [1, 2]
    assert result["details"]["figures"]["total_identified"] == 2


def test_it_agrees_with_its_own_command(run: Run) -> None:
    """They are runs of the same thing: only what was set, and how long it took, may differ."""
    checked = json.loads(run(*BY_NAME, "--format", "json").out)
    given = ("--max-cols", "all", "--no-advice", "--format", "json")
    searched = json.loads(run("mpuccs", "ori.csv", "syn.csv", *given).out)
    assert list(checked) == list(searched)
    differ = [name for name, value in checked.items() if value != searched[name]]
    assert differ == ["command", "options", "timings"]


def test_it_is_left_out_unless_named(run: Run) -> None:
    roles = ("--qi", "city", "--sensitive", "name")
    found = run(*CHECK, *roles, "--details")
    assert (found.code, found.err) == (0, "")
    left_out = found.out.partition("Left out\n")[2]
    assert "mpuccs: is for synthetic tables" in left_out
    assert "(--measures mpuccs)" in left_out
    loaded = json.loads(run(*CHECK, *roles, "--format", "json").out)
    reasons = {entry["measure"]: entry["reason"] for entry in loaded["left_out"]}
    assert "synthetic tables" in reasons["mpuccs"]
    assert "mpuccs" not in [result["measure"] for result in loaded["results"]]


def test_a_limit_names_it_too(run: Run) -> None:
    result = run(*CHECK, "--limit", "mpuccs=0.1")
    assert result.code == 1
    assert "FAIL" in result.out


def test_without_the_original_it_says_what_it_needs(run: Run) -> None:
    result = run("check", "syn.csv", "--measures", "mpuccs")
    assert result.code == 2
    assert result.err == "petaudit: error: mpuccs: needs the original table (--original)\n"


@pytest.mark.parametrize(("limit", "code"), [("0.9", 2), ("0.1", 1)])
def test_a_lower_bound_passes_no_limit(limit: str, code: int, run: Run) -> None:
    given = ("--option", "mpuccs.min_entropy_delta=0.9", "--limit", f"mpuccs={limit}")
    result = run(*BY_NAME, *given)
    assert result.code == code
    assert "at least 2 of 4 synthetic rows" in result.out
    if code == 2:
        assert "not complete" in result.err


@pytest.mark.parametrize(("profile", "code"), [("public", 1), ("acceptable", 1)])
def test_profiles_are_an_option(profile: str, code: int, run: Run) -> None:
    assert run(*BY_NAME, "--option", f"mpuccs.profile={profile}").code == code


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("max_baseline_cols=0", ("max_baseline_cols", "0")),
        ("max_baseline_cols=x", ("max_baseline_cols", "'x'")),
        ("profil=public", ("'profil'", "did you mean 'profile'")),
        ("profile=pubilc", ("'pubilc'", "did you mean 'public'")),
        ("deduplicate=maybe", ("deduplicate", "'maybe'")),
        ("datetime_precision=fortnight", ("'fortnight'", "D, H, T")),
        ("control=nofile.csv", ("'nofile.csv'", "does not exist")),
        ("progress=1", ("'progress'", "its options are")),
    ],
)
def test_a_wrong_option_is_told(option: str, says: tuple[str, ...], run: Run) -> None:
    result = run(*BY_NAME, "--option", f"mpuccs.{option}", "--out", "report")
    assert (result.code, result.out) == (2, "")
    [line] = result.err.splitlines()
    assert line.startswith("petaudit: error: ")
    assert all(part in line for part in says)
    assert not Path("report").exists()


def test_the_control_is_an_option(run: Run, write: Write) -> None:
    write("ctl.csv", "name;age;city\neve;71;Rome\nfay;72;Rome\n")
    result = run(*BY_NAME, "--option", "mpuccs.control=ctl.csv")
    assert (result.code, result.err) == (0, "")
    assert "and 0.00% of 2 of the control" in " ".join(result.out.split())


def test_a_report_never_overwrites_the_control(run: Run, write: Write) -> None:
    """It is read, so it must not be written: it may be the only copy."""
    others = ORIGINAL.replace("3", "6").replace("n", "m")
    control = write("ctl.csv", others)
    result = run(*BY_NAME, "--option", "mpuccs.control=ctl.csv", "--out", "ctl.csv")
    assert control.read_text() == others
    assert result.code == 2
    assert "ctl.csv" in result.err


def test_a_long_search_is_announced_at_once_and_in_our_words(
    write: Write, start_process: Callable[..., subprocess.Popen[bytes]]
) -> None:
    names = ";".join(f"c{number}" for number in range(60))
    for table, first in (("ori.csv", 1), ("syn.csv", 100)):
        rows = [";".join(str(first + row + place % 2) for place in range(60)) for row in range(6)]
        write(table, "\n".join([names, *rows, ""]))
    process = start_process(*BY_NAME, stdout=subprocess.PIPE)
    assert process.stderr is not None
    too_late = threading.Timer(30, process.kill)
    too_late.start()
    line = process.stderr.readline().decode()
    too_late.cancel()
    assert process.poll() is None
    process.terminate()
    out, rest = process.communicate(timeout=30)
    assert "1,152,921,504,606,846,975 combinations" in line
    assert line.startswith("petaudit: warning: ")
    assert (process.returncode, out, rest) == (143, b"", b"petaudit: interrupted\n")


def test_the_measure_is_listed(run: Run) -> None:
    text = run("measures").out
    assert "mpuccs" in [line.split()[0] for line in text.splitlines() if line.strip()]
    about = run("measures", "mpuccs").out
    assert about.startswith("mpuccs\n  Which rows of a synthetic table single out exactly one real")
    loaded = json.loads(run("measures", "--format", "json").out)
    assert '"mpuccs"' in json.dumps(loaded)
