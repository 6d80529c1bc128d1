"""``petaudit anonymize`` and ``apply``: one screen, whole files, and an answer in any case."""

from __future__ import annotations

import hashlib
import json
import stat
from pathlib import Path

import pytest

from cli.conftest import Run
from petaudit.anonymizing import transformation

ROWS = """\
id|age|zip|illness
A-1|23|10115|flu
A-2|24|10115|cold
A-3|27|10117|flu
A-4|61|20095|flu
A-5|62|20095|cold
A-6|68|20095|cold
"""
RULES = "age: {ranges: 10}\nzip: {mask: right}\n"
ROLES = ("--qi", "age,zip", "--sensitive", "illness", "--hierarchies", "rules.yaml")
OUT = ("--out", "released.csv")


@pytest.fixture(autouse=True)
def files() -> None:
    Path("original.csv").write_text(ROWS)
    Path("rules.yaml").write_text(RULES)


def test_the_table_is_written_as_the_original_was(run: Run) -> None:
    done = run("anonymize", "original.csv", *ROLES, "--k", 3, *OUT)
    assert done.code == 0, done.err
    assert Path("released.csv").read_text() == (
        "age|zip|illness\n"
        "[20,30[|1011*|flu\n[20,30[|1011*|cold\n[20,30[|1011*|flu\n"
        "[60,70[|2009*|flu\n[60,70[|2009*|cold\n[60,70[|2009*|cold\n"
    )
    assert "all limits hold" in done.out
    assert "k-anonymity  3      at least 3  pass" in done.out
    assert "only you may read it" in done.out
    assert len(done.out.splitlines()) <= 40
    assert "left out, because of names or values like those of identifiers: 'id'" in done.err
    assert "10115" not in done.out + done.err


def test_the_same_can_be_done_again_byte_for_byte(run: Run) -> None:
    run("anonymize", "original.csv", *ROLES, "--k", 3, *OUT)
    path = Path("released.transformation.json")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    done = run("apply", path, "original.csv", "--out", "again.csv", "--release", "released.csv")
    assert done.code == 0, done.err
    assert Path("again.csv").read_bytes() == Path("released.csv").read_bytes()
    assert "with the earlier release: k-anonymity 6" in done.out


def test_no_release_is_an_answer(run: Run) -> None:
    done = run("anonymize", "original.csv", *ROLES, "--k", 7, *OUT)
    assert done.code == 1
    assert "k-anonymity" in done.err
    assert sorted(path.name for path in Path.cwd().iterdir()) == ["original.csv", "rules.yaml"]


def test_new_rows_that_keep_no_limit_are_not_written(run: Run) -> None:
    run("anonymize", "original.csv", *ROLES, "--k", 3, *OUT)
    Path("new.csv").write_text("id|age|zip|illness\nB-1|23|10115|flu\n")
    done = run("apply", "released.transformation.json", "new.csv", "--out", "new-released.csv")
    assert done.code == 1
    assert "--drop-suppressed" in done.err
    assert not Path("new-released.csv").exists()


def test_open_questions_are_said_and_with_strict_nothing_is_written(run: Run) -> None:
    words = ("anonymize", "original.csv", "--qi", "zip", *ROLES[4:], "--k", 3, *OUT, "--quiet")
    done = run(*words, "--strict")
    assert done.code == 2
    assert "columns without a role, which no measure looked at: age" in done.err
    assert not Path("released.csv").exists()
    assert "with open questions" in run(*words).out


def test_reports_and_json_say_how_it_was_made(run: Run) -> None:
    done = run(
        *("anonymize", "original.csv", *ROLES, "--k", 3, *OUT),
        *("--report", "r.html", "--report", "r.md", "--format", "json"),
    )
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert document["anonymization"]["rows_suppressed"] == 0
    table = document["inputs"]["table"]
    written = hashlib.sha256(Path("released.csv").read_bytes()).hexdigest()
    assert (table["name"], table["sha256"]) == ("released.csv", written)
    assert document["inputs"]["original"]["name"] == "original.csv"
    assert "How the table was made" in Path("r.html").read_text()
    assert "10115" not in Path("r.md").read_text() + done.out
    again = run("report", "released.transformation.json")
    assert again.code == 2
    Path("kept.json").write_text(done.out)
    assert run("report", "kept.json", "--out", "again.html").code == 0


def test_limits_of_a_policy_and_options_of_the_search(run: Run) -> None:
    done = run(
        *("anonymize", "original.csv", *ROLES, "--policy", "cell-3", *OUT, "--quiet"),
        *("--recoding", "global", "--objective", "precision", "--weight", "age=2"),
        *("--level", "zip>=2,age<=1", "--max-suppression", "10%", "--time-limit", "60"),
    )
    assert done.code == 0, done.err
    assert done.out.startswith("Verdict: all limits hold")
    assert "|10***|" in Path("released.csv").read_text().replace("101**", "10***")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (OUT, "no limit is given"),
        (("--k", 3, "--out", "released.xlsx"), "a table is written as .csv, .tsv or .parquet"),
        (("--k", 3, "--out", "original.csv"), "is one of the inputs"),
        (("--k", 3, *OUT, "--transformation", "rules.yaml"), "is one of the inputs"),
        (("--k", 3, *OUT, "--transformation", "released.csv"), "two outputs have the same file"),
        (("--k", 3, *OUT, "--transformation", "../here/released.csv"), "have the same file"),
        (
            ("--k", 3, *OUT, "--transformation", "a.html", "--report", "a.html"),
            "two outputs have the same file",
        ),
        (("--k", 3, *OUT, "--transformation", "none/x.json"), "folder 'none' does not exist"),
        (("--k", 3, *OUT, "--level", "zip<2"), "--level 'zip<2': expected COLUMN=N"),
        (("--k", 3, *OUT, "--level", "zip=9"), "its hierarchy has the levels 0 to 5"),
        (("--k", 3, *OUT, "--level", "zp=1"), "did you mean 'zip'"),
        (("--k", 3, *OUT, "--weight", "age=much"), "--weight age"),
        (("--k", 3, *OUT, "--time-limit", "0"), "--time-limit must be more than 0"),
        (("--k", 3, *OUT, "--max-suppression", "500%"), "max_suppression must be"),
        (("--k", 3, *OUT, "--keep", "ID"), "did you mean 'id'"),
        (("--min-precision", "0.5", *OUT), "precision is not about classes"),
    ],
)
def test_a_mistake_is_one_line_and_nothing_is_written(
    run: Run, options: tuple[object, ...], message: str
) -> None:
    done = run("anonymize", "original.csv", *ROLES, *options)
    assert done.code == 2
    assert message in done.err
    assert len(done.err.splitlines()) == 1
    assert Path("original.csv").read_text() == ROWS
    assert sorted(path.name for path in Path.cwd().iterdir()) == ["original.csv", "rules.yaml"]


def test_an_interrupted_command_leaves_no_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(transformation.Transformation, "levels_of", interrupted)
    done = run("anonymize", "original.csv", *ROLES, "--k", 3, *OUT)
    assert done.code == 130
    assert sorted(path.name for path in Path.cwd().iterdir()) == ["original.csv", "rules.yaml"]


def test_a_parquet_table_comes_out(run: Run) -> None:
    done = run("anonymize", "original.csv", *ROLES, "--k", 3, "--out", "released.parquet")
    assert done.code == 0, done.err
    assert run("check", "released.parquet", "--qi", "age,zip", "--k", 3).code == 0


def test_a_frontier_is_a_table_a_document_and_a_page(run: Run) -> None:
    limits = ("--k", "2,3,7", "--max-suppression", "0,50%")
    done = run("frontier", "original.csv", *ROLES, *limits, "--report", "page.html")
    assert done.code == 0, done.err
    assert done.out.count("no release") == 2
    assert "<svg" in Path("page.html").read_text()
    plain = json.loads(run("frontier", "original.csv", *ROLES, *limits, "--format", "json").out)
    assert [point["limits"]["k-anonymity"] for point in plain["points"]] == [*"223377"]
    assert run("frontier", "original.csv", *ROLES, "--k", "7").code == 1
    wrong = run("frontier", "original.csv", *ROLES, "--k", "2", "--report", "page.pdf")
    assert (wrong.code, "page.pdf" in wrong.err) == (2, True)


def test_distances_of_sensitive_values_are_known_to_apply(run: Run) -> None:
    """By the hierarchy of illnesses classes are close, which they are not without it."""
    rows = [*["f;a1", "f;a1", "f;b1", "f;b1", "m;a2", "m;a2", "m;b1", "m;b1"]]
    Path("ills.csv").write_text("sex;illness\n" + "\n".join(rows) + "\n")
    Path("ills.yaml").write_text(
        "DATASET:\n"
        "  ATTRIBUTE_TYPE: {quasi_identifier: [sex], sensitive_attribute: [illness]}\n"
        "  HIERARCHY:\n"
        "    sex: {f: '*', m: '*'}\n"
        "    illness: {a1: [a, '*'], a2: [a, '*'], b1: [b, '*']}\n"
    )
    done = run("anonymize", "ills.csv", "--t", "0.2", "--out", "out.csv")
    assert done.code == 0, done.err
    assert Path("out.csv").read_text() == Path("ills.csv").read_text()
    done = run("apply", "out.transformation.json", "ills.csv", "--out", "again.csv")
    assert done.code == 0, done.err
    assert Path("again.csv").read_bytes() == Path("out.csv").read_bytes()
