"""What the documents show is run, so that they stay true."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import petaudit
from petaudit.cli.parser import build_parser
from petaudit.hierarchies import Hierarchies
from petaudit.inputs import gather

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("benchmarks/*.md")])


def blocks(document: str, language: str) -> list[str]:
    text = (ROOT / document).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


@pytest.mark.parametrize("script", sorted(ROOT.glob("examples/*.py")), ids=lambda path: path.name)
def test_examples_run_and_say_nothing_on_standard_error(script: Path) -> None:
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert done.stdout
    assert done.stderr == ""


def test_the_measure_of_the_contributing_guide_works() -> None:
    [source] = [block for block in blocks("CONTRIBUTING.md", "python") if "MEASURE" in block]
    defined: dict[str, object] = {"__name__": "own_measure"}
    exec(compile(source, "CONTRIBUTING.md", "exec", dont_inherit=True), defined)  # noqa: S102
    measure = defined["MEASURE"]
    table = pa.table({"zip": ["1", "1", "2"]})
    result = measure.run(gather(table, quasi_identifiers="zip"), {"limit": 2})  # type: ignore[attr-defined]
    assert (result.value, result.passed) == (1.0, False)
    assert result.explanation == ("the smallest class has 1 rows",)


def commands() -> list[str]:
    found = []
    for document in ("README.md", "docs/command-line.md", "docs/singling-out.md"):
        for block in blocks(document, "sh"):
            found += re.findall(r"^petaudit .*", block.replace("\\\n", " "), re.MULTILINE)
    return found


@pytest.mark.parametrize("command", commands())
def test_commands_in_the_documents_parse(command: str) -> None:
    build_parser().parse_args(shlex.split(command)[1:])


SHOWN = re.compile(r"```sh\n(petaudit [^`]*)```\n\n```text\n(.*?)```", re.DOTALL)
PAGE = "docs/singling-out.md"


@pytest.mark.parametrize(
    ("command", "output"), SHOWN.findall((ROOT / PAGE).read_text(encoding="utf-8"))
)
def test_commands_of_the_singling_out_page_print_what_it_shows(command: str, output: str) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "100"}
    done = subprocess.run(
        ["/bin/sh", "-c", command], capture_output=True, text=True, env=environment, check=False
    )
    assert done.stderr == ""
    shown = re.sub(r"^petaudit [0-9.]+:", f"petaudit {petaudit.__version__}:", output)
    assert done.stdout.rstrip("\n") == shown.rstrip("\n")
    assert f"(exit code {done.returncode})" in output


def test_python_of_the_singling_out_page_returns_what_it_shows() -> None:
    source = "\n".join(blocks(PAGE, "python"))
    examples = doctest.DocTestParser().get_doctest(source, {}, PAGE, PAGE, 0)
    assert len(examples.examples) > 10
    said: list[str] = []
    doctest.DocTestRunner().run(examples, out=said.append)
    assert said == []


def test_the_rules_of_the_tables_page_are_the_same_in_python_and_yaml(tmp_path: Path) -> None:
    [python] = [block for block in blocks("docs/tables.md", "python") if "ranges" in block]
    defined: dict[str, object] = {"petaudit": petaudit}
    exec(compile(python, "docs/tables.md", "exec"), defined)  # noqa: S102
    [yaml] = [block for block in blocks("docs/tables.md", "yaml") if "ranges" in block]
    (tmp_path / "city_hierarchy.csv").write_text("Paris;France\n")
    (tmp_path / "rules.yaml").write_text(yaml)
    values = {
        "age": ["23", "91"],
        "zip": ["47677"],
        "born": ["1977-03-09"],
        "risk": ["low", "high"],
    }
    in_python = Hierarchies.of(defined["hierarchies"])  # type: ignore[arg-type]
    in_yaml = Hierarchies.of(tmp_path / "rules.yaml")
    for column, own in values.items():
        for value in own:
            path = in_python.get(column, values.__getitem__).path_of(value)
            assert path == in_yaml.get(column, values.__getitem__).path_of(value)
    assert in_python.get("age", values.__getitem__).path_of("23")[1] == "[20,25["
    assert in_yaml.get("city", None).top == "France"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            assert (document.parent / target).exists(), target
