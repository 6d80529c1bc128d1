"""``--log-format json``: every line of standard error is an object, and nothing else changes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from petaudit.cli import check, logs
from petaudit.errors import PetauditWarning
from petaudit.system.progress import advance, stage, watched

Run = Callable[..., Any]
Write = Callable[[str, "str | bytes"], Path]

CHECK = ("check", "table.csv", "--qi", "zip,age", "--sensitive", "disease", "--k", "2", "--t", "0")
AS_JSON = ("--log-format", "json")
PIPELINE = """\
Loader:
  t: {filepath: table.csv, roles: {quasi_identifier: [zip, age], sensitive_attribute: disease}}
Evaluator:
  close: {method: t-closeness, limit: 0.2}
  classes: {method: k-anonymity, limit: 2}
  order: {method: t-closeness, distance: ordered}
"""
PAGE = Path(__file__).parents[2] / "docs/command-line.md"


def lines_of(err: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in err.splitlines()]


def events(lines: list[dict[str, Any]]) -> list[str]:
    return [line["event"] for line in lines]


def test_standard_output_is_what_it_is_without(table: Path, run: Run) -> None:
    plain, logged = run(*CHECK), run(*CHECK, *AS_JSON)
    assert (logged.code, logged.out) == (plain.code, plain.out) == (1, plain.out)
    lines = lines_of(logged.err)
    assert lines[0].items() >= {"level": "info", "event": "command_started"}.items()
    assert lines[-1].items() >= {"event": "command_finished", "exit_code": 1}.items()
    [began] = [line for line in lines if line.get("stage") == "t-closeness"][:1]
    assert began["event"] == "stage_started"
    assert 1 <= began["done"] <= began["total"]
    for kind in ("stage", "query"):
        assert events(lines).count(f"{kind}_started") == events(lines).count(f"{kind}_finished") > 0
    query = next(line for line in lines if line["event"] == "query_finished")
    assert query.items() >= {"engine": "duckdb", "table": "table.csv", "level": "debug"}.items()
    assert query["rows"] >= 1
    assert query["seconds"] >= 0


def test_the_page_names_every_event_and_key(table: Path, write: Write, run: Run) -> None:
    write("audit.yaml", PIPELINE)
    said = run(*AS_JSON, "run", "audit.yaml").err + run(*AS_JSON, "check", "nix").err
    text = PAGE.read_text()
    section = text[text.index("## Logs") :].split("\n## ")[0]
    for line in lines_of(said):
        missing = [word for word in (line["event"], line["level"], *line) if word not in section]
        assert missing == []


def test_lines_of_a_pipeline_say_which_run(table: Path, write: Write, run: Run) -> None:
    write("audit.yaml", PIPELINE)
    ended = run("run", "audit.yaml", *AS_JSON)
    lines = lines_of(ended.err)
    assert ended.code == lines[-1]["exit_code"] == 2
    finished = {line["run"]: line for line in lines if line["event"] == "run_finished"}
    assert {name: line["status"] for name, line in finished.items()} == {
        "Loader[t]_Evaluator[close]": "failed",
        "Loader[t]_Evaluator[classes]": "passed",
        "Loader[t]_Evaluator[order]": "error",
    }
    assert finished["Loader[t]_Evaluator[order]"]["level"] == "error"
    queries = [line for line in lines if line["event"] == "query_finished"]
    assert {line.get("run") for line in queries} >= {"Loader[t]", "Loader[t]_Evaluator[close]"}
    [error] = [line for line in lines if line["event"] == "error"]
    assert "values that are not numbers" in error["message"]
    assert "run" not in lines[-1]


def test_quiet_leaves_stages_out(table: Path, run: Run) -> None:
    logged = run(*CHECK, "--quiet", *AS_JSON)
    assert logged.out == run(*CHECK, "--quiet").out
    assert events(lines_of(logged.err)) == ["command_started", "command_finished"]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("check", "nix.csv", "--qi", "a"), "file 'nix.csv' does not exist"),
        (("check",), "the following arguments are required: TABLE"),
        ((*CHECK, "--kk=2"), "unknown argument: --kk=2 (did you mean '--k'?)"),
    ],
)
def test_what_is_wrong_is_an_error(
    table: Path, run: Run, command: tuple[str, ...], message: str
) -> None:
    logged = run(*command, "--log-format=json")
    plain = run(*command)
    assert logged.code == plain.code == 2
    [error] = [line for line in lines_of(logged.err) if line["level"] == "error"]
    assert error["message"] == message
    assert f"error: {message}" in plain.err
    assert lines_of(logged.err)[-1]["exit_code"] == 2


def test_messages_are_in_the_language_and_stages_are_not(table: Path, run: Run) -> None:
    lines = lines_of(run("--lang", "zh-TW", "check", "nix.csv", "--qi", "a", *AS_JSON).err)
    [message] = [line["message"] for line in lines if line["event"] == "error"]
    assert message == "檔案 'nix.csv' 不存在"
    assert any(line.get("stage") == "reading nix.csv" for line in lines)


def test_whatever_else_is_written_is_a_line_too(
    table: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = "47677"

    def fail(*_: object, **__: object) -> None:
        import sys  # noqa: PLC0415
        import warnings  # noqa: PLC0415

        warnings.warn(PetauditWarning("a limitation"), stacklevel=1)
        sys.stderr.write('a "half')
        sys.stderr.write(" line\n\nan end without a line break")
        raise KeyError(cell)

    monkeypatch.setenv("PETAUDIT_DEBUG", "1")
    monkeypatch.setattr(check, "audit", fail)
    logged = run(*CHECK, *AS_JSON)
    lines = lines_of(logged.err)
    assert cell not in logged.err
    assert [line["message"] for line in lines if line["level"] == "warning"] == ["a limitation"]
    said = [line["message"] for line in lines if line["event"] == "output"]
    assert said[0] == 'a "half line'
    assert any("in fail" in line for line in said)
    assert [line["message"][:25] for line in lines if line["level"] == "error"] == [
        "internal error (KeyError)"
    ]
    assert logged.code == 2


def test_an_interrupted_command_says_its_exit_code(
    table: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(check, "audit", interrupted)
    lines = lines_of(run(*CHECK, *AS_JSON).err)
    assert [line.get("message") for line in lines[1:]] == ["interrupted", None]
    assert lines[-1]["exit_code"] == 130


def test_stages_inside_of_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that end together, those that go on, and queries, which come from the same place."""
    told: list[tuple[str, Any, Any]] = []
    log = logs.JsonLog(None)
    monkeypatch.setattr(
        log,
        "put",
        lambda _, event, **of: told.append(
            (event, of.get("stage"), of.get("done", of.get("rows")))
        ),
    )
    monkeypatch.setattr(logs, "_PAUSE", 0)
    with watched(log.watch), stage("outer"), stage("inner", 0, 2):
        advance("inner", 1, 2)
        with stage("a.csv", engine="duckdb"):
            advance("a.csv", 7)
    with watched(log.watch), stage("next"):
        pass
    assert told == [
        ("stage_started", "outer", None),
        ("stage_started", "inner", 0),
        ("stage_progress", "inner", 1),
        ("query_started", None, None),
        ("query_finished", None, 7),
        ("stage_finished", "inner", 1),
        ("stage_finished", "outer", None),
        ("stage_started", "next", None),
        ("stage_finished", "next", None),
    ]
