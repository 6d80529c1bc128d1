"""``petaudit hierarchies``, and what ``check`` says to do where no hierarchy is given."""

from __future__ import annotations

import json
import shlex
import stat
from pathlib import Path

import pytest

from in_process import run
from petaudit.datasets import load

MESSY = {
    "hospital.csv": ("性別,出生日期,郵遞區號,科別", "診斷", ()),
    "hospital.xlsx": ("性別,出生日期,郵遞區號,科別", "診斷", ("--sheet", "病人")),
    "hospital-big5.csv": ("性別,出生日期,科別", "診斷", ()),
    "western.csv": ("Ort,Größe,Kosten", "Diagnose", ("--encoding", "cp1252")),
    "missing.csv": ("sex,born,zip,ward", "smoker", ("--null", "NA,N/A,unknown,?,9999,-")),
    "numbers.csv": ("zip,age,income,copayment", "illness", ()),
    "dates.csv": ("born,zip", "illness", ()),
    "visits.tsv": ("sex,born,zip,admitted", "ward", ()),
    "visits.parquet": ("sex,born,zip,admitted,glucose", "ward", ()),
}


def advised(shown: str) -> list[list[str]]:
    """The commands that are printed, in their order, as a shell takes them."""
    lines = [line.strip() for line in shown.splitlines() if line.startswith("      ")]
    return [shlex.split(line)[1:] for line in lines if line.startswith("petaudit ")]


@pytest.mark.parametrize(
    ("name", "language"),
    [*((name, "en") for name in MESSY), ("hospital.csv", "zh-TW"), ("numbers.csv", "zh-TW")],
)
def test_the_commands_that_check_prints_reach_the_limits(
    name: str, language: str, messy: dict[str, Path], tmp_path: Path
) -> None:
    columns, sensitive, reading = MESSY[name]
    table = tmp_path / name
    table.write_bytes(messy[name].read_bytes())
    spoken = {"PETAUDIT_LANG": language}
    limits = ["--qi", columns, "--sensitive", sensitive, "--k", "3", "--t", "0.6"]
    checked = run(["check", name, *limits, *reading], tmp_path, spoken)
    assert checked.returncode == 1, checked.stderr
    told = json.loads(
        run(["check", name, *limits, *reading, "--format", "json"], tmp_path, spoken).stdout
    )["what_to_do"]
    advice = [each for each in told if each["kind"] == "command"]
    commands = [each[key][1:] for each in advice for key in ("first", "command") if each[key]]
    assert advised(checked.stdout) == commands
    assert [command[0] for command in commands][:2] == ["hierarchies", "generalize"]
    assert set(advice[0]["reaches"]) >= set(advice[-1]["reaches"])
    for command in commands:
        done = run(command, tmp_path, spoken)
        assert done.returncode == 0, done.stderr
    for each in advice:
        written = each["command"][-1]
        again = run(["check", written, *limits, "--format", "json"], tmp_path, spoken)
        # Names of people may still be there; the limits hold that should.
        broken = {breach.get("measure") for breach in json.loads(again.stdout)["breaches"]}
        assert not broken & set(each["reaches"])
        assert "generalize" not in each["command"] or broken <= {None}


def test_bundled_tables_without_their_hierarchies(tmp_path: Path) -> None:
    for name, columns, sensitive, limit in (
        ("adult", "age,sex,race,education,native-country", "salary-class", "50"),
        ("patient", "ZIPCode,Age", "Disease", "3"),
    ):
        # Beside the copy there is no side-car that names hierarchies.
        (tmp_path / f"{name}.csv").write_bytes(Path(load(name)).read_bytes())
        limits = ["--qi", columns, "--sensitive", sensitive, "--k", limit]
        checked = run(["check", f"{name}.csv", *limits], tmp_path, {})
        commands = advised(checked.stdout)
        assert {command[0] for command in commands} >= {"hierarchies", "generalize"}
        for command in commands:
            assert run(command, tmp_path, {}).returncode == 0
            if command[0] == "generalize":
                assert run(["check", command[-1], *limits], tmp_path, {}).returncode == 0


def test_levels_are_shown_with_counts_and_without_values(
    messy: dict[str, Path], tmp_path: Path
) -> None:
    asked = ["hierarchies", str(messy["hospital.csv"]), "--qi", "性別,郵遞區號,科別"]
    shown = run(asked, tmp_path, {})
    assert shown.returncode == 0, shown.stderr
    assert "0: 5 (7), 1: 4 (14), 2: 2 (15), 3: 1 (60)" in shown.stdout
    assert not any(value in shown.stdout + shown.stderr for value in ("男", "106", "外科"))
    assert not list(tmp_path.glob("*.yaml"))
    revealed = run([*asked, "--reveal-values"], tmp_path, {}).stdout
    assert "婦產科" in revealed
    entries = json.loads(run([*asked, "--format", "json"], tmp_path, {}).stdout)
    assert entries[1]["rule"] == {"mask": "right", "levels": 2}
    assert entries[1]["levels"][1] == {"level": 1, "groups": 7, "smallest": 5}
    assert entries[2]["rule"] is None
    writing, searching = advised(shown.stdout)
    assert run(writing, tmp_path, {}).returncode == 0
    result = run([*searching[:-1], "found.csv"], tmp_path, {})
    assert result.returncode == 0, result.stderr
    assert stat.S_IMODE((tmp_path / "hierarchies.yaml").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--qi", "agee"], "'age'"),
        ([], "no quasi-identifier"),
        (["--qi", "age", "--out", "t.csv"], "'t.csv' is a file"),
        (["--qi", "age", "--out", "kept.yaml"], "--force"),
        (["--qi", "age", "--hierarchies", "wrong.yaml"], "other: true"),
        (["--qi", "age", "--hierarchies", "torn.yaml"], "not nested"),
    ],
)
def test_wrong_input_is_one_line_and_nothing_is_written(
    words: list[str], said: str, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text("age,sex\n1,f\n2,m\n3,f\n")
    (tmp_path / "kept.yaml").write_text("mine")
    (tmp_path / "wrong.yaml").write_text("age: {'1': '*'}\n")
    (tmp_path / "torn.yaml").write_text(
        "age: [['1', low, a], ['2', low, b], ['3', high, b]]\n", encoding="utf-8"
    )
    before = {path: path.read_bytes() for path in tmp_path.glob("*.*")}
    done = run(["hierarchies", "t.csv", *words], tmp_path, {})
    assert done.returncode == 2, done.stdout
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not done.stdout
    assert before == {path: path.read_bytes() for path in tmp_path.glob("*.*")}


def test_a_folder_of_files_can_be_edited_and_used(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age,sex\n" + "".join(f"{n},f\n" for n in range(20, 60)))
    asked = ["hierarchies", "t.csv", "--qi", "age,sex", "--out", "h"]
    assert run(asked, tmp_path, {}).returncode == 0
    ages = tmp_path / "h" / "hierarchy_age.csv"
    ages.write_text(ages.read_text().replace("<40", "young"))
    words = ["generalize", "t.csv", "--hierarchies", "h", "--qi", "age,sex", "--levels", "age=3"]
    out = run(words, tmp_path, {}).stdout
    assert out.count("young") == 20
    assert run(asked, tmp_path, {}).returncode == 2
    assert run([*asked, "--force"], tmp_path, {}).returncode == 0
