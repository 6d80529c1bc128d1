"""Whoever follows a page of the documentation sees what it shows."""

from __future__ import annotations

import ast
import doctest
import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml

import petaudit
from docs.pages import (
    CHINESE,
    DOCS,
    LANGUAGES,
    ROOT,
    Command,
    blocks,
    commands,
    of_this_version,
    perform,
    text_of,
    write_files,
)
from petaudit import datasets
from petaudit.cli.parser import build_parser
from petaudit.measures import all_measures
from petaudit.system.yaml_files import parse_yaml
from pipelines.configs import read_pipeline

TUTORIALS = ("tutorials/steward.md", "tutorials/ci.md", "tutorials/researcher.md")
MOVING = (
    "petworks.md",
    *(f"migration/{tool}.md" for tool in ("petsard", "pycanon", "arx", "sdcmicro")),
)
OTHERS = (
    *("index.md", "install.md", "quasi-identifiers.md", "reading-the-report.md", "threat-model.md"),
    *("case-study.md", "choosing-measures.md", "comparison.md", "concepts.md", "conventions.md"),
    *("faq.md", "glossary.md", "yaml-reference.md", "private-tables.md"),
)
ENGLISH_PAGES = (*TUTORIALS, *MOVING, *OTHERS)
PAGES = [language + page for language in LANGUAGES for page in ENGLISH_PAGES]

in_both_languages = pytest.mark.parametrize("language", LANGUAGES, ids=["en", "zh-TW"])


def first_in_english(pages: Iterable[str]) -> list[Any]:
    """The pages, of which ``make test`` follows the English ones."""
    later = pytest.mark.long
    return [pytest.param(own, marks=later if own.startswith(CHINESE) else ()) for own in pages]


WITH_COMMANDS = first_in_english(page for page in PAGES if any(commands(page)))


@pytest.mark.parametrize("page", WITH_COMMANDS)
def test_the_commands_of_a_page_do_what_it_says(page: str, tmp_path: Path) -> None:
    """One after the other in one folder, as a reader would; all that go wrong are named."""
    write_files(page, tmp_path)
    wrong = []
    for command in commands(page):
        done = perform(command.line, tmp_path, command.environment)
        problem = what_is_wrong(command, done, tmp_path)
        if problem is not None:
            wrong.append(f"{command.line}\n{problem}")
    assert not wrong, "\n\n".join(wrong)


def what_is_wrong(
    command: Command, done: subprocess.CompletedProcess[str], folder: Path
) -> str | None:
    if done.returncode != command.exit_code:
        said = done.stderr or done.stdout
        return f"exit code {done.returncode}, not {command.exit_code}: {said}"
    is_error = "error" in done.stderr or "錯誤" in done.stderr
    if is_error != (command.exit_code == 2) or "Traceback" in done.stderr:
        return f"standard error is {done.stderr!r}"
    if command.output is not None and plain(done.stdout) != plain(of_this_version(command.output)):
        return f"the page shows something else than {done.stdout}"
    missing = [name for name in command.files if not holds_something(folder / name)]
    return f"not written: {missing}" if missing and command.exit_code != 2 else None


def plain(output: str) -> str:
    return output.rstrip("\n")


def holds_something(path: Path) -> bool:
    return any(path.iterdir()) if path.is_dir() else path.is_file() and path.stat().st_size > 0


@in_both_languages
def test_the_tutorials_show_outputs(language: str) -> None:
    for page in TUTORIALS[:2]:
        assert sum(own.output is not None for own in commands(language + page)) >= 5


@in_both_languages
def test_the_jobs_of_the_tutorial_call_petaudit_rightly(language: str) -> None:
    for block in blocks(f"{language}tutorials/ci.md", "yaml"):
        assert yaml.safe_load(block)
        for line in re.findall(r"^(?:\s*- run: |\s*- |\s+)(petaudit .*)$", block, re.MULTILINE):
            build_parser().parse_args(shlex.split(line)[1:])


def without_comments(code: str) -> str:
    return re.sub(r"[ \t]*(?<!\S)# .*", "", code)


def shown_code(page: str) -> list[str]:
    """What a page shows but what comes of it, the comments, and which language petaudit speaks."""
    found = re.findall(r"^```\w+\n.*?^```$", text_of(page), re.DOTALL | re.MULTILINE)
    kept = [own for own in found if not re.match("```text|```sh\nexport PETAUDIT_LANG", own)]
    spoken = r" --lang [\w-]+|(?<=audit)-(?:zh|en)(?=\.html)"
    return [re.sub(spoken, "", without_comments(own)) for own in kept]


@pytest.mark.parametrize("page", ENGLISH_PAGES)
def test_a_translated_page_shows_the_same_code_under_as_many_headings(page: str) -> None:
    assert shown_code(CHINESE + page) == shown_code(page)
    english, chinese = (
        re.findall(r"^#+(?= )", re.sub(r"(?ms)^```.*?^```$", "", text_of(own)), re.MULTILINE)
        for own in (page, CHINESE + page)
    )
    assert chinese == english


def is_foreign(block: str) -> bool:
    """Whether a block is code for another tool, which is not here."""
    return bool(re.search(r"^(?:>>> )?from (petsard|pycanon) import", block, re.MULTILINE))


WITH_PYTHON = first_in_english(
    page for page in PAGES if any(not is_foreign(own) for own in blocks(page, "python"))
)


@pytest.mark.parametrize("page", WITH_PYTHON)
def test_python_of_a_page_returns_what_it_shows(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(page, tmp_path)
    source = "\n".join(own for own in blocks(page, "python") if not is_foreign(own))
    examples = doctest.DocTestParser().get_doctest(source, {}, page, page, 0)
    assert len(examples.examples) > 4
    said: list[str] = []
    doctest.DocTestRunner().run(examples, out=said.append)
    assert said == []


@pytest.mark.parametrize("page", PAGES)
def test_python_that_is_not_run_is_that_of_another_tool(page: str) -> None:
    for block in blocks(page, "python"):
        if not block.startswith(">>> "):
            assert is_foreign(block) or block.startswith("from PETWorks import")
            ast.parse(block)


@in_both_languages
def test_the_script_of_the_petworks_page_runs_unchanged(
    language: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = f"{language}petworks.md"
    [script] = [own for own in blocks(page, "python") if not own.startswith(">>>")]
    patient = datasets.load("patient-deidentified")
    (tmp_path / "data").mkdir()
    shutil.copy(patient.path, tmp_path / "data" / "patient_anonymized.csv")
    shutil.copytree(str(patient.hierarchies), tmp_path / "data" / "patient_hierarchy")
    monkeypatch.chdir(tmp_path)
    exec(compile(script, "petworks.md", "exec", dont_inherit=True), {})  # noqa: S102
    assert json.loads(capsys.readouterr().out) == {"t": 0.376, "fulfill t-closeness": True}


PYCANON = ROOT / ".venv-pycanon" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
RUNNER = """
import doctest, sys
examples = doctest.DocTestParser().get_doctest(sys.stdin.read(), {}, "page", "page", 0)
sys.exit(doctest.DocTestRunner().run(examples).failed)
"""


@in_both_languages
def test_pycanon_says_what_its_page_shows(language: str) -> None:
    if not PYCANON.exists():
        pytest.skip("the environment with pyCANON (.venv-pycanon) is not here: run the benchmark")
    table, *others = blocks(f"{language}migration/pycanon.md", "python")
    source = "\n".join([table, *filter(is_foreign, others)])
    came = subprocess.run(
        [str(PYCANON), "-W", "ignore", "-c", RUNNER],
        input=source,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert came.returncode == 0, came.stdout + came.stderr


@in_both_languages
def test_the_file_of_petsard_needs_changes_and_petaudit_names_each(language: str) -> None:
    """What the page leaves out or replaces is what petaudit does not take."""
    files = blocks(f"{language}migration/petsard.md", "yaml")
    [theirs] = [own for own in files if "# PETsARD" in own]
    with pytest.raises(petaudit.PetauditError) as raised:
        read_pipeline(parse_yaml(theirs, "theirs.yaml"), "theirs.yaml")
    said = str(raised.value)
    for word in ("Preprocessor", "Postprocessor", "sdmetrics", "mlutility"):
        assert word in said
    for instead in ("gaussian-copula", "distribution-distance", "model-utility"):
        assert instead in said
        assert any(instead in own for own in files[1:])


@in_both_languages
def test_every_public_name_but_measures_is_on_the_python_page(language: str) -> None:
    page = text_of(f"{language}python.md")
    spelt = {*re.findall(r"`(?:petaudit\.)?(\w+)", page)}
    measures = {name.replace("-", "_") for name in all_measures()}
    assert {*petaudit.__all__} - measures - spelt == set()


@in_both_languages
def test_names_of_errors_on_the_python_page_are_there(language: str) -> None:
    for name in re.findall(r"`(\w+Error)`", text_of(f"{language}python.md")):
        if name != "PetauditError":
            assert issubclass(getattr(petaudit.errors, name), petaudit.PetauditError)


@pytest.mark.parametrize("page", sorted(DOCS.glob("**/*.md")), ids=lambda own: own.name)
def test_no_page_leads_out_of_the_documentation(page: Path) -> None:
    """A site has no other files of the repository: their paths are said, not linked."""
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).resolve().is_relative_to(DOCS), target


def leads_to(page: Path) -> set[Path]:
    """The pages that a page links to, in its own language or the other."""
    targets = re.findall(r"\]\(([^)#:\s]+\.md)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    return {(page.parent / target).resolve() for target in targets}


@in_both_languages
def test_every_page_is_two_clicks_from_the_first_one(language: str) -> None:
    first = DOCS / language / "index.md"
    near = leads_to(first)
    reached = {first, *near, *(own for page in near for own in leads_to(page))}
    pages = {own for own in (DOCS / language).rglob("*.md") if language or CHINESE not in str(own)}
    assert {own.relative_to(DOCS).as_posix() for own in pages - reached} == set()
