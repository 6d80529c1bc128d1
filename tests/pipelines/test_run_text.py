"""What ``petaudit run`` prints: figures, breaches with value, limit and place, and the verdict."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from petaudit.cli import main

ROWS = ["zip;age;ill", "1;20;a", "1;20;b", "2;30;a", "2;30;a", "3;40;b", "3;40;a"]
ROLES = "roles: {quasi_identifier: zip, sensitive_attribute: ill}"
ONE = f"""\
Loader:
  t: {{filepath: t.csv, {ROLES}}}
Evaluator:
  close:
    method: t-closeness
    limit: 0.2
"""
EIGHT = """\
Loader:
  t: {filepath: t.csv}
Splitter:
  s: {num_samples: 2, train_split_ratio: 0.5}
Synthesizer:
  a: {method: independent}
  b: {method: gaussian-copula}
Evaluator:
  strict: {method: mpuccs, profile: public}
  loose: {method: mpuccs, limit: 1}
"""
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("COLUMNS", "NO_COLOR", "PETAUDIT_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    Path("t.csv").write_text("\n".join(ROWS) + "\n")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(text: str, *more: str) -> tuple[int, str, str]:
        Path("a.yaml").write_text(text)
        code = main(["run", "a.yaml", "--out", "out", *more])
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


def test_one_run_with_its_breach(run: Run) -> None:
    code, out, err = run(ONE)
    # Class 2 has no b, the table has a third: t is 1/3.
    assert (code, err) == (1, "")
    lines = out.splitlines()
    assert lines[0].endswith(": a.yaml, 1 run on 1 table")
    what = "the limit is breached: t-closeness (line 6) is 0.333, must be at most 0.2"
    assert lines[1:6] == [
        f"Verdict: {what} (exit code 1)",
        "",
        "measure      value  limit        verdict  run",
        "-----------  -----  -----------  -------  --------------------------",
        "t-closeness  0.333  at most 0.2  FAIL     Loader[t] Evaluator[close]",
    ]
    assert "What to do" in lines
    assert "Loader[t]_Evaluator[close]" in lines
    assert lines[-1] == "Written to out: result.json"


def test_eight_runs_are_a_table_that_can_be_read(run: Run) -> None:
    code, out, _ = run(EIGHT)
    assert code == 1
    lines = out.splitlines()
    assert lines[0].endswith(": a.yaml, 8 runs on 1 table")
    table = lines[lines.index("") + 1 :]
    head, line, *rows = table[: table.index("")]
    assert head.split() == ["measure", "value", "limit", "verdict", "run"]
    assert len(rows) == 8
    starts = [head.index(word) for word in head.split()]
    for row in rows:
        # Every cell begins below its title.
        assert all(row[start - 1] == " " and row[start] != " " for start in starts[1:])
        assert row.startswith("mpuccs")
        assert ("below 0.05" in row) == ("[strict]" in row)
        assert ("at most 1" in row) == ("[loose]" in row)
    assert set(line) == {"-", " "}
    assert max(map(len, lines)) <= 100
    assert " ".join(out.split()).count("below 0.05 (profile public)") == 3
    assert lines[1] == "Verdict: 4 of 8 limits breached: mpuccs"
    assert lines[2].startswith("  (Loader[t]_")
    assert len(lines) <= 40
    _, out, _ = run(EIGHT, "--details")
    assert len([entry for entry in out.splitlines() if entry.startswith("Loader[t]_")]) == 8


def test_on_a_narrow_terminal_nothing_is_lost(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    _, out, _ = run(EIGHT)
    assert "".join(out.split()).count("Synthesizer[b]Evaluator[loose]") == 2
    table = out.split("\n\n")[1].splitlines()
    assert max(map(len, table)) <= 60


def test_only_the_verdict_if_nobody_wants_more(run: Run) -> None:
    what = "the limit is breached: t-closeness (line 6) is 0.333, must be at most 0.2"
    assert run(ONE, "--quiet")[1] == f"Verdict: {what} (exit code 1)\n"
    code, out, _ = run(EIGHT, "--quiet", "--only", "loose")
    assert code == 0
    assert out.startswith("Verdict: all 4 limits hold, with open questions: mpuccs (Loader[t]_")
    assert out.endswith("; and 1 more; 4 runs left out by --only (exit code 0)\n")


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (ONE.replace("    limit: 0.2\n", ""), "no limit was given, so nothing was judged"),
        (ONE.partition("Evaluator")[0], "there is no Evaluator, so nothing was measured"),
        (ONE.replace("0.2", "0.4"), "the limit holds, with open questions"),
    ],
)
def test_the_verdict_says_what_was_judged(text: str, verdict: str, run: Run) -> None:
    code, out, _ = run(text)
    assert code == 0
    assert out.splitlines()[1].startswith(f"Verdict: {verdict}")
    assert " (exit code 0)" in " ".join(out.split())


def earlier(run: Run, text: str, change: Callable[[dict[str, Any]], object] | None = None) -> str:
    """Run once, keep the result as the earlier one, and return the text that compares with it."""
    run(text, "--quiet")
    result = json.loads(Path("out/result.json").read_text())
    if change is not None:
        change(result)
    Path("previous.json").write_text(json.dumps(result))
    return f"Executor: {{compare_to: previous.json}}\n{text}"


def test_getting_worse_is_a_breach_with_both_figures(run: Run) -> None:
    text = earlier(run, ONE.replace("    limit: 0.2\n", "    allowed_worsening: 0.01\n"))
    code, out, _ = run(text)
    assert code == 0
    assert "t-closeness is 0.333, must be not worse than 0.333" in " ".join(out.split())
    Path("t.csv").write_text("\n".join(ROWS).replace("1;20;b", "1;20;a") + "\n")
    # Now one in six is a b, and class 3 has half: t is 1/3 - no worse.
    assert run(text)[0] == 0
    Path("t.csv").write_text("\n".join(ROWS).replace("3;40;a", "3;40;b") + "\n")
    # Half are a, and two classes hold one kind only: t is 1/2.
    code, out, _ = run(text)
    assert code == 1
    why = "t-closeness (line 7) is 0.5: it was 0.333333, and only 0.01 worse is allowed"
    assert f"Verdict: the limit is breached: {why}" in " ".join(out.split())
    result = json.loads(Path("out/result.json").read_text())
    assert set(result["compare_to"]) == {
        *("name", "sha256", "petaudit", "verdict", "runs_missing_now")
    }
    assert result["compare_to"]["name"] == "previous.json"
    assert result["compare_to"]["runs_missing_now"] == []
    assert result["results"][0]["comparison"]["previous"] == pytest.approx(1 / 3)


def test_a_new_run_is_warned_about(run: Run) -> None:
    text = earlier(run, ONE) + "  more: {method: t-closeness, limit: 1}\n"
    code, out, _ = run(text)
    assert code == 1
    words = " ".join(out.split())
    assert "Warnings Loader[t]_Evaluator[more] was not compared" in words
    assert "Loader[t]_Evaluator[close] was not compared" not in words


def test_a_run_that_is_gone_cannot_be_compared(run: Run) -> None:
    more = f"{ONE}  more: {{method: t-closeness, limit: 1}}\n"
    text = earlier(run, more)
    both = run(text)[1]
    code, out, err = run(text.replace(more, ONE))
    assert code == 2
    said = "Loader[t]_Evaluator[more]: it is in the earlier result and did not run this time"
    assert said in " ".join(out.split())
    assert said in err
    assert "did not run this time" not in both
    result = json.loads(Path("out/result.json").read_text())
    assert result["compare_to"]["runs_missing_now"] == ["Loader[t]_Evaluator[more]"]
    assert (result["verdict"], result["exit_code"]) == ("error", 2)
    # Left out on purpose.
    assert run(text, "--only", "close")[0] == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda own: own.update(results=[]), "has none of these runs"),
        (lambda own: own["results"][0].update(run="renamed"), "has none of these runs"),
        (lambda own: own["results"][0].update(value=None), "has no figure for this run"),
        (lambda own: own["results"][0].update(suppressed="exclude"), "suppressed differ"),
    ],
)
@pytest.mark.parametrize("limit", ["0.2", "0.9"])
def test_what_cannot_be_compared_never_passes(
    change: Callable[[dict[str, Any]], object], words: str, limit: str, run: Run
) -> None:
    text = earlier(run, ONE.replace("0.2", limit), change)
    code, out, err = run(text)
    assert code == 2
    assert words in " ".join(out.split())
    assert words in err
    assert "ERROR" in out
    # There is a figure; only what it means is open.
    assert "Not decided" in out
    assert "Not measured" not in out
    result = json.loads(Path("out/result.json").read_text())
    assert (result["verdict"], result["exit_code"]) == ("error", 2)
    assert result["errors"][0]["run"] == "Loader[t]_Evaluator[close]"
    # A breached limit is still told.
    assert ("must be at most 0.2" in out) == (limit == "0.2")


def test_an_earlier_result_that_is_not_there_says_how_to_begin(run: Run) -> None:
    code, _, err = run(f"Executor: {{compare_to: old.json}}\n{ONE}")
    assert code == 2
    assert "a.yaml, line 1: Executor: file" in err
    assert "to begin with, run without compare_to" in err


def test_a_name_cannot_write_to_the_terminal(run: Run) -> None:
    hostile = "zip\x1b[31m\u202e"
    Path("t.csv").write_text("\n".join([f"{hostile};ill", *(["1;a"] * 3), "2;b"]) + "\n")
    code, out, err = run(
        ONE.replace("quasi_identifier: zip", 'quasi_identifier: "zip\\e[31m\\u202e"')
    )
    assert code == 1
    assert "\x1b" not in out + err
    assert "\u202e" not in out + err + Path("out/result.json").read_text()
    result = json.loads(Path("out/result.json").read_text())
    assert hostile in result["results"][0]["roles"]
