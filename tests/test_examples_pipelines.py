"""The ready-made pipelines end as they say, and what CI and pre-commit are given makes sense."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from petaudit.cli import main
from petaudit.cli.parser import build_parser
from petaudit.pipelines.json_schema import json_schema

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples" / "pipelines"
README = (EXAMPLES / "README.md").read_text(encoding="utf-8")
EXIT_CODES = {
    name: int(code) for name, code in re.findall(r"^\| \[(\S+\.yaml)\].* \| (\d) \|$", README, re.M)
}
JOBS = sorted((EXAMPLES / "ci").glob("*.yml"))


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def ran(name: str, *options: str) -> tuple[int, dict[str, Any]]:
    code = main(["run", str(EXAMPLES / name), "--quiet", "--out", "out", *options])
    return code, json.loads(Path("out/result.json").read_text(encoding="utf-8"))


def test_every_example_is_in_the_table() -> None:
    assert {*EXIT_CODES} == {own.name for own in EXAMPLES.glob("*.yaml")}


@pytest.mark.parametrize("name", EXIT_CODES)
def test_examples_are_valid_and_end_as_the_table_says(name: str) -> None:
    assert main(["validate", str(EXAMPLES / name)]) == 0
    code, document = ran(name)
    assert code == document["exit_code"] == EXIT_CODES[name]
    assert document["errors"] == []
    assert {own.name for own in Path("out").iterdir()} == {*document["files"], "result.json"}
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    said = [float(own) for own in re.findall(r"found: (\d\.\d+)", text)]
    numbers = [own["value"] for own in document["results"] if own["limit"] is not None]
    assert said == [round(own, 3) for own in numbers]
    assert f"xit code {code}" in text.split("\n\n")[0]


@pytest.mark.parametrize("name", EXIT_CODES)
def test_editors_find_nothing_wrong_with_the_examples(name: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    content = yaml.safe_load((EXAMPLES / name).read_text(encoding="utf-8"))
    jsonschema.validate(content, json_schema())


def test_the_synthetic_example_fails_for_the_reason_that_it_gives() -> None:
    _, document = ran("synthetic-adult.yaml")
    assert [own["status"] for own in document["results"]] == ["passed", "failed"]
    shares = [own["details"]["figures"]["identification_rate"] for own in document["results"]]
    assert [f"{own:.0%}" for own in shares] == ["11%", "32%"]
    for own in document["results"]:
        assert own["details"]["figures"]["excess_risk_ci_lower"] < 0


def test_the_baseline_is_what_the_comparison_gives_today() -> None:
    _, document = ran("compare.yaml", "--set", "Executor.compare_to=null")
    baseline = json.loads((EXAMPLES / "compare-baseline.json").read_text(encoding="utf-8"))
    assert baseline["inputs"] == document["inputs"]
    for then, now in zip(baseline["results"], document["results"], strict=True):
        assert [*then] == [*now]
        for key in ("run", "measure", "figure", "value", "options", "roles"):
            assert then[key] == now[key]


def test_the_raw_table_does_not_pass_for_a_release() -> None:
    assert "--set Loader.release.filepath=benchmark://adult" in README
    code, document = ran("compare.yaml", "--set", "Loader.release.filepath=benchmark://adult")
    assert code == 1
    assert [own["measure"] for own in document["breaches"]] == ["k-anonymity", "t-closeness"]


def steps_of(job: Path) -> list[str]:
    content = yaml.safe_load(job.read_text(encoding="utf-8"))
    if "jobs" in content:
        steps = content["jobs"]["audit"]["steps"]
        return [own["run"] for own in steps if "run" in own]
    return list(content["audit"]["script"])


@pytest.mark.parametrize("job", JOBS, ids=lambda path: path.name)
def test_jobs_validate_run_and_fail(job: Path) -> None:
    install, validate, run, *_ = steps_of(job)
    assert install == "pip install -r requirements-audit.txt"
    assert validate == "petaudit validate audit.yaml"
    chosen = build_parser().parse_args(shlex.split(run)[1:])
    assert run.startswith("petaudit run audit.yaml ")
    assert chosen.out == "audit-results"
    assert chosen.report == ["audit.html", "audit.md", "audit.xml", "audit.sarif"]
    # Whatever swallows the exit code opens the gate.
    text = job.read_text(encoding="utf-8")
    assert not re.search(r"\|\||allow_failure|continue-on-error|\btrue\b|;", text)
    assert not chosen.reveal_values


@pytest.mark.long
@pytest.mark.parametrize("job", JOBS, ids=lambda path: path.name)
def test_a_breach_fails_the_job_and_leaves_a_report(job: Path) -> None:
    Path("audit.yaml").write_text((EXAMPLES / "synthetic-adult.yaml").read_text(encoding="utf-8"))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    script = "\n".join(steps_of(job)[1:])
    environment = {**os.environ, "PATH": path}
    done = subprocess.run(["/bin/sh", "-ec", script], env=environment, check=False)
    assert done.returncode == 1
    document = json.loads(Path("audit-results/result.json").read_text(encoding="utf-8"))
    assert document["verdict"] == "failed"
    assert all(Path("audit-results", own).is_file() for own in document["files"])


def test_jobs_keep_what_was_downloaded_until_the_requirements_change() -> None:
    github, gitlab = (yaml.safe_load(own.read_text(encoding="utf-8")) for own in JOBS)
    [python] = [own for own in github["jobs"]["audit"]["steps"] if "setup-python" in str(own)]
    assert python["with"]["cache"] == "pip"
    assert python["with"]["cache-dependency-path"] == "requirements-audit.txt"
    job = gitlab["audit"]
    assert job["cache"]["key"] == {"files": ["requirements-audit.txt"]}
    assert job["variables"]["PIP_CACHE_DIR"].endswith(job["cache"]["paths"][0])


@pytest.mark.parametrize(("method", "is_written"), [("k-map", True), ("k-mapp", False)])
def test_what_exit_code_2_leaves_is_what_the_jobs_say(method: str, is_written: bool) -> None:
    """A measure that cannot run leaves a report that says so; a wrong file leaves nothing."""
    Path("t.csv").write_text("zip\n1\n1\n")
    Path("audit.yaml").write_text(
        "Loader: {t: {filepath: t.csv, roles: {quasi_identifier: zip}}}\n"
        f"Evaluator: {{k: {{method: {method}, population_size: 1, limit: 2}}}}\n"
    )
    [line] = {steps_of(job)[2] for job in JOBS}
    assert main(shlex.split(line)[1:]) == 2
    names = (
        "audit-results/result.json",
        *(f"audit.{end}" for end in ("html", "md", "xml", "sarif")),
    )
    assert [Path(name).exists() for name in names] == [is_written] * len(names)
    if is_written:
        assert "Not decided" in Path("audit.md").read_text(encoding="utf-8")


def test_jobs_publish_the_report_whatever_the_verdict_was() -> None:
    github, gitlab = (yaml.safe_load(own.read_text(encoding="utf-8")) for own in JOBS)
    upload = github["jobs"]["audit"]["steps"][-1]
    assert upload["if"] == "always()"
    assert upload["uses"].startswith("actions/upload-artifact@")
    assert upload["with"]["path"].split() == ["audit-results/", "audit.*", "!audit.yaml"]
    artifacts = gitlab["audit"]["artifacts"]
    assert artifacts["when"] == "always"
    reports = ["audit.html", "audit.md", "audit.sarif"]
    assert artifacts["paths"] == ["audit-results/", *reports]
    assert artifacts["reports"] == {"junit": "audit.xml"}
    # What an interrupted run kept is no report.
    assert artifacts["exclude"] == ["audit-results/.petaudit-run/**/*"]


def hooks() -> dict[str, dict[str, Any]]:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    return {own["id"]: own for own in yaml.safe_load(text)}


def test_the_hook_that_validates_takes_what_pre_commit_gives_it() -> None:
    hook = hooks()["petaudit-validate"]
    build_parser().parse_args([*hook["entry"].split()[1:], "audit.yaml", "b/x.audit.yml"])
    own = ("audit.yaml", "audits/audit-2.yml", "adult.audit.yaml", "a/adult-audit.yaml")
    assert all(re.search(hook["files"], name) for name in own)
    others = ("docker-compose.yaml", "audit.csv", "inaudito.yaml", "audit.yaml.bak", "x/y.yaml")
    assert not any(re.search(hook["files"], name) for name in others)


def test_the_hook_that_runs_takes_the_arguments_of_the_readme() -> None:
    hook = hooks()["petaudit-run"]
    assert hook["pass_filenames"] is False
    [block] = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)
    [repository] = yaml.safe_load(block)["repos"]
    used = {own["id"]: own.get("args", []) for own in repository["hooks"]}
    assert {*used} == {*hooks()}
    build_parser().parse_args([*hook["entry"].split()[1:], *used["petaudit-run"]])


def test_no_file_names_a_registry_of_packages() -> None:
    for own in [*EXAMPLES.rglob("*.*"), ROOT / ".pre-commit-hooks.yaml"]:
        text = own.read_text(encoding="utf-8").lower()
        assert not re.search(r"pypi|index-url|anaconda", text), own
