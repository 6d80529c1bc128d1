"""What the documents show is run, so that they stay true."""

from __future__ import annotations

import doctest
import json
import re
import shlex
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml

import petaudit
from docs.pages import of_this_version, perform
from measures.registry_cases import PASSING, passing_inputs
from petaudit import datasets
from petaudit.cli.parser import build_parser
from petaudit.inputs import Inputs, gather
from petaudit.labels.hierarchies import Hierarchies
from petaudit.measures import Family, all_measures, listed_measures
from petaudit.pipelines.plan import planned_runs
from petaudit.pipelines.table_schema import read_schema
from petaudit.system.yaml_files import parse_yaml
from PETWorks import _NOT_HERE, _TECHNIQUES, PETValidation
from pipelines.configs import read_pipeline

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted(
    own for place in ("*.md", "docs/**/*.md", "benchmarks/*.md", "examples/**/*.md")
    for own in ROOT.glob(place)
)  # fmt: skip


CHINESE = "docs/zh-TW/"


def in_both_languages(*pages: str) -> list[str]:
    """English pages and their twins in Traditional Chinese, whose code is the same.

    tests/docs/test_translations.py compares the code, so only what stands around it is tested here.
    """
    return [own for page in pages for own in (page, page.replace("docs/", CHINESE))]


def word(page: str, english: str) -> str:
    """A word of the tables and headings of a page, in its language."""
    return WORDS[english] if page.startswith(CHINESE) else english


WORDS = {
    "Option": "選項",
    "Key": "鍵",
    "none": "無",
    "*required*": "*必填*",
    "Options of the command line": "命令列選項",
    "Evaluator: privacy models": "Evaluator：隱私模型",
    "Evaluator: re-identification risk": "Evaluator：再識別風險",
    "Evaluator: utility": "Evaluator：資料效用",
    "Granularities": "資料表（granularity）",
    "Measures": "指標",
    "The document": "文件",
    "What it takes": "需要什麼",
}


def blocks(document: str, language: str) -> list[str]:
    text = (ROOT / document).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


@pytest.mark.parametrize("script", sorted(ROOT.glob("examples/*.py")), ids=lambda path: path.name)
def test_examples_run_and_say_nothing_on_standard_error(script: Path) -> None:
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert done.stdout
    assert done.stderr == ""


def test_the_contributing_guide_names_what_there_is() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    folders = ("src", "tests", "docs", "scripts")
    paths = {path for folder in folders for path in (ROOT / folder).rglob("*")}
    paths |= {ROOT / folder for folder in folders}
    known = [f"{path.as_posix()}{'/' * path.is_dir()}" for path in paths]
    named = re.findall(r"`((?:[\w-]+/)*[\w-]+(?:\.py|/))`", text)
    assert [name for name in named if not any(own.endswith(f"/{name}") for own in known)] == []
    attributes = set(re.findall(r"\binputs\.(\w+)", text)) - {"py"}
    assert attributes <= set(dir(Inputs)) | {item.name for item in fields(Inputs)}


def measure_of_the_contributing_guide() -> Any:
    [source] = [block for block in blocks("CONTRIBUTING.md", "python") if "as_function" in block]
    defined: dict[str, object] = {"__name__": "own_measure"}
    exec(compile(source, "CONTRIBUTING.md", "exec", dont_inherit=True), defined)  # noqa: S102
    return defined["SmallestClass"]()  # type: ignore[operator]


def test_the_measure_of_the_contributing_guide_works_in_a_pipeline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    measure = measure_of_the_contributing_guide()
    monkeypatch.setitem(all_measures(), measure.name, measure)
    [evaluator] = blocks("CONTRIBUTING.md", "yaml")
    loader = "Loader: {patient: {filepath: 'benchmark://patient-deidentified'}}"
    executor = petaudit.Executor(f"{loader}\n{evaluator}")
    assert executor.run() == "failed"
    [found] = executor.get_result().values()
    assert (found.value, found["global"].num_rows) == (3.0, 1)


def test_the_measure_of_the_contributing_guide_works() -> None:
    measure = measure_of_the_contributing_guide()
    table = pa.table({"zip": ["1", "1", "2"]})
    result = measure.run(gather(table, quasi_identifiers="zip"), {"limit": 2})
    assert (result.value, result.passed) == (1.0, False)
    assert result.explanation == (
        "the smallest class has 1 rows",
        "1 row breaks the limit; dropping 1 row (33.3 %) from the table reaches it",
    )
    assert result.to_dict()["remedy"]["rows_to_drop"] == 1
    held = measure.run(gather(table, quasi_identifiers="zip"), {})
    assert (held.passed, held.remedy) == (None, None)
    nobody = gather(pa.table({"zip": ["*"]}), quasi_identifiers="zip", suppressed="exclude")
    with pytest.raises(petaudit.PetauditError, match="every row is suppressed"):
        measure.run(nobody, {})


def commands() -> list[str]:
    found = []
    for document in (
        "README.md", "examples/pipelines/README.md", *in_both_languages(
            "docs/command-line.md", "docs/data.md", "docs/pipelines.md", "docs/singling-out.md"
        ),
    ):  # fmt: skip
        for block in blocks(document, "sh"):
            found += re.findall(r"^petaudit .*", block.replace("\\\n", " "), re.MULTILINE)
    return list(dict.fromkeys(found))


@pytest.mark.parametrize("command", commands())
def test_commands_in_the_documents_parse(command: str) -> None:
    of_petaudit = re.sub(r" 2?> \S+$", "", command)  # where the shell writes it
    build_parser().parse_args(shlex.split(of_petaudit, comments=True)[1:])


SHOWN = re.compile(r"```sh\n(petaudit [^`]*)```\n\n```text\n(.*?)```", re.DOTALL)
PAGE = "docs/singling-out.md"


@pytest.mark.long
@pytest.mark.parametrize(
    ("command", "output"), SHOWN.findall((ROOT / PAGE).read_text(encoding="utf-8"))
)
def test_commands_of_the_singling_out_page_print_what_it_shows(command: str, output: str) -> None:
    done = perform(command, Path.cwd())
    assert done.stderr == ""
    assert done.stdout.rstrip("\n") == of_this_version(output).rstrip("\n")
    assert f"(exit code {done.returncode})" in output


@pytest.mark.parametrize(
    "page", [PAGE, "docs/singling-out-statistics.md", "docs/pipelines.md", "docs/python.md"]
)
def test_python_of_the_pages_returns_what_they_show(page: str) -> None:
    source = "\n".join(blocks(page, "python"))
    examples = doctest.DocTestParser().get_doctest(source, {}, page, page, 0)
    assert len(examples.examples) > 8
    said: list[str] = []
    doctest.DocTestRunner().run(examples, out=said.append)
    assert said == []


def test_the_rules_of_the_tables_page_are_the_same_in_python_and_yaml(tmp_path: Path) -> None:
    [python] = [block for block in blocks("docs/tables.md", "python") if "hierarchies = " in block]
    defined: dict[str, object] = {"petaudit": petaudit}
    exec(compile(python, "docs/tables.md", "exec"), defined)  # noqa: S102
    yaml, more = (block for block in blocks("docs/tables.md", "yaml") if "ranges" in block)
    for name in ("city", "town"):
        (tmp_path / f"{name}_hierarchy.csv").write_text("Paris;France\n")
    (tmp_path / "countries.yaml").write_text("Europe: [France]\n")
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
    assert in_yaml.get("town", lambda _: ["Lima"]).others == ("Lima",)
    (tmp_path / "more.yaml").write_text(more)
    messy = Hierarchies.of(tmp_path / "more.yaml")
    columns = {"income": ["1.234", "?"], "age": ["23", "?"], "born": ["1130305"]}
    assert [
        messy.get(column, columns.__getitem__).generalize(value, 1)
        for column, own in columns.items()
        for value in own
    ] == ["[1000,2000[", "other", "20-39", "unknown age", "2024-03"]


PIPELINES = "docs/pipelines.md"
PART = "# part of "
pipelines_pages = pytest.mark.parametrize("page", in_both_languages(PIPELINES))


@pytest.mark.long
def test_a_newcomer_who_follows_the_pipelines_page_sees_what_it_shows(tmp_path: Path) -> None:
    [table] = blocks(PIPELINES, "csv")
    (tmp_path / "people.csv").write_text(table, encoding="utf-8")
    files = {name: text for name, text in files_of(PIPELINES).items() if "attributes:" not in text}
    started = files.pop("audit.yaml")
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    page = (ROOT / PIPELINES).read_text(encoding="utf-8")
    shown = re.findall(r"```sh\n(petaudit .*?)```(?:\n\n```text\n(.*?)```)?", page, re.DOTALL)
    assert sum(bool(output) for _, output in shown) >= 5
    for command, output in shown:
        done = perform(command, tmp_path)
        assert done.stderr == "", command
        if output:
            assert without_lines(done.stdout) == without_lines(of_this_version(output)), command
            assert done.returncode == int((re.findall(r"\(exit code (\d)\)", output) or "0")[-1])
    made = (tmp_path / "audit.yaml").read_text(encoding="utf-8")
    assert yaml.safe_load(made) == yaml.safe_load(started)
    assert f"```text\n{made.splitlines()[0]}\n```" in page


def without_lines(output: str) -> str:
    """The comments of a starter file may become more or fewer."""
    return re.sub(r"\bline\s+\d+", "line N", output).rstrip("\n")


def files_of(page: str) -> dict[str, str]:
    """The YAML files of a page, by the name in their first line."""
    found = {}
    for block in blocks(page, "yaml"):
        if not block.startswith(PART):
            found[block.splitlines()[0].removeprefix("# ")] = block
    return found


@pytest.mark.parametrize("page", in_both_languages(PIPELINES, "docs/result-document.md"))
def test_yaml_of_the_pages_is_read(page: str, tmp_path: Path) -> None:
    for block in blocks(page, "yaml"):
        if block.startswith(PART):
            assert yaml.safe_load(block)
    for name, text in files_of(page).items():
        assert re.fullmatch(r"[a-z_]+\.yaml", name), name
        if "attributes:" in text:
            (tmp_path / name).write_text(text, encoding="utf-8")
            assert read_schema(tmp_path / name).attributes
        else:
            assert planned_runs(read_pipeline(parse_yaml(text, name), name))


def tables_of(page: str, first: str) -> dict[str, list[list[str]]]:
    """By heading: the rows of its first table whose header begins with a word."""
    found: dict[str, list[list[str]]] = {}
    heading, inside = "", False
    for line in (ROOT / page).read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            heading, inside = line.lstrip("# "), False
        elif line.startswith(f"| {first} |"):
            inside = heading not in found
            found.setdefault(heading, [])
        elif inside and line.startswith("| `"):
            found[heading].append([cell.strip() for cell in line.strip("|").split(" | ")])
        elif not line.startswith("|"):
            inside = False
    return found


def names_in(rows: list[list[str]]) -> list[str]:
    return [row[0].strip("` ") for row in rows]


def test_measures_that_keep_their_limit_strictly_are_named() -> None:
    """The page names two, and the profiles of mpUCCs."""
    strict = {
        name
        for name, own in all_measures().items()
        if own.family is Family.PRIVACY and own.run(passing_inputs(), PASSING[name]).is_strict
    }
    english, chinese = (
        " ".join((ROOT / page).read_text(encoding="utf-8").split())
        for page in in_both_languages(PIPELINES)
    )
    assert strict == {"recursive-l-diversity", "delta-disclosure"}
    names = sorted(strict, reverse=True)
    assert f"only those of {' and '.join(names)} must be kept" in english
    assert f"只有 {' 與 '.join(names)} 的門檻是嚴格的" in chinese


@pipelines_pages
def test_the_granularities_of_all_measures_are_listed(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    header = f"| {word(page, 'Granularities')} | {word(page, 'Measures')} |"
    [rows] = re.findall(rf"{re.escape(header)}\n.*\n((?:\|.*\n)+)", text)
    found = {}
    for row in rows.splitlines():
        tables, names = row.strip("| ").split(" | ")
        own = tuple(re.findall(r"`(\w+)`", tables))
        found |= dict.fromkeys(names.split(", "), own)
    assert found == {name: own.granularities for name, own in listed_measures().items()}


def test_the_techniques_of_the_petworks_page_are_those_that_there_are() -> None:
    found = {
        row[0].strip("`"): (re.findall(r"`(\w+)`", row[1]), re.findall(r"`([^`]+)`", row[2]))
        for rows in tables_of("docs/petworks.md", "Technique").values()
        for row in rows
    }
    assert {*found} == {*_TECHNIQUES}
    for name, own in _TECHNIQUES.items():
        if name != "mpUCCs":
            assert {*found[name][0]} == {*own.required, *own.optional}


def test_what_the_petworks_page_says_is_not_here_is_what_says_so() -> None:
    [rows] = tables_of("docs/petworks.md", "In PETWorks").values()
    assert {name for row in rows for name in re.findall(r"`([^`]+)`", row[0])} == {*_NOT_HERE}


def test_keys_of_the_petworks_page_are_those_of_the_results() -> None:
    """Every technique on the bundled tables; the five inputs of the game are not spelt out."""
    delta, patient = (datasets.load(f"{name}-deidentified") for name in ("delta", "patient"))
    roles = {"ZIPCode": "quasi_identifier", "Age": "quasi_identifier"}
    given: dict[str, Any] = {"dataHierarchy": patient.hierarchies, "attributeTypes": roles}
    private = given | {"attributeTypes": roles | {"Disease": "sensitive_attribute"}}
    before, after = patient.original, patient.path
    ran = {
        "k-anonymity": (None, after, given | {"k": 3}),
        "l-diversity": (None, after, private | {"l": 2}),
        "t-closeness": (None, after, private | {"tLimit": 0.4}),
        "d-presence": (delta.population, delta.path, {"dMin": 0.5, "dMax": 0.7}),
        "ReidentificationRisk": (None, after, {}),
        "Non-Uniform Entropy": (before, after, given),
        "Precision": (before, after, given),
        "Ambiguity": (before, after, given),
        "AECS": (before, after, given),
        "UtilityBias": (before, after, {"processingFunc": lambda _: 1.0, "maxBias": 0}),
    }
    shown = {
        row[0].strip("`"): re.findall(r"`([^`]+)`", row[2])
        for rows in tables_of("docs/petworks.md", "Technique").values()
        for row in rows
    }
    assert {*ran} == {*shown} - {"mpUCCs", "profitability"}
    for name, (original, anonymized, keywords) in ran.items():
        assert [*PETValidation(original, anonymized, name, **keywords)] == shown[name]


RESULT_PAGE = "docs/result-document.md"


def run_text(text: str, folder: Path, name: str, **options: Any) -> dict[str, Any]:
    (folder / name).write_text(text, encoding="utf-8")
    executor = petaudit.Executor(folder / name, **options)
    executor.run()
    return executor.document


def test_the_example_of_the_result_page_is_part_of_a_real_one(tmp_path: Path) -> None:
    real = run_text(files_of(RESULT_PAGE)["patient.yaml"], tmp_path, "patient.yaml")
    [shown] = [json.loads(block) for block in blocks(RESULT_PAGE, "json")]
    assert_part(shown | {"petaudit": petaudit.__version__}, real)


def assert_part(shown: Any, real: Any) -> None:
    if isinstance(shown, dict):
        assert {*shown} <= {*real}
        for key, value in shown.items():
            assert_part(value, real[key])
    elif isinstance(shown, list):
        assert len(shown) == len(real)
        for one, other in zip(shown, real, strict=True):
            assert_part(one, other)
    else:
        assert shown == real


def test_every_key_of_a_result_is_documented(tmp_path: Path) -> None:
    """One document with a schema, a comparison, both kinds of breach, and an error."""
    files = files_of(PIPELINES)
    table = (
        "zip;born;height;disease\n1*;01.02.1990;1.82;flu\n1*;01.02.1990;1.82;flu\n2*;;1.7;gout\n"
    )
    (tmp_path / "people.csv").write_text(table)
    (tmp_path / "people_schema.yaml").write_text(files["people_schema.yaml"])
    text = """
Executor: {compare_to: before.json}
Loader:
  people:
    filepath: people.csv
    schema: people_schema.yaml
    roles: {quasi_identifier: zip, sensitive_attribute: disease}
    hierarchies: {zip: {"1*": "*"}}
Evaluator:
  closeness: {method: t-closeness, limit: 0.1, policy: house.yaml}
  precision: {method: precision}
"""
    (tmp_path / "house.yaml").write_text("name: a\ntitle: b\nlimits: {t-closeness: 1/9}\n")
    before = run_text(text.replace("compare_to: before.json", ""), tmp_path, "first.yaml")
    before["results"][0]["value"] = 0.2
    (tmp_path / "before.json").write_text(json.dumps(before))
    real = run_text(text, tmp_path, "second.yaml")
    assert {own["kind"] for own in real["breaches"]} == {"limit", "worsening"}
    assert [own["status"] for own in real["results"]] == ["failed", "error"]
    for page in in_both_languages(RESULT_PAGE):
        tables = tables_of(page, word(page, "Key"))
        assert_documented(real, {name: names_in(rows) for name, rows in tables.items()}, page)


def assert_documented(real: dict[str, Any], documented: dict[str, list[str]], page: str) -> None:
    def keys(entries: list[dict[str, Any]]) -> list[str]:
        return list(dict.fromkeys(key for own in entries for key in own))

    keys_of_document, of_pipelines = documented[word(page, "The document")], [*real]
    checked = [*petaudit.audit(pa.table({"zip": ["1", "2"]}), quasi_identifiers=["zip"]).to_dict()]
    assert [name for name in keys_of_document if name in of_pipelines] == of_pipelines
    assert [name for name in keys_of_document if name in checked] == checked
    assert {*keys_of_document} == {*of_pipelines, *checked}
    assert documented["configuration"] == [*real["configuration"]]
    assert documented["compare_to"] == [*real["compare_to"]]
    assert documented["policies"] == keys(real["policies"])
    assert documented["inputs"] == keys([*real["inputs"].values()])
    for entry in real["results"]:
        assert {*documented["results"], *documented["results: run"]} == {*entry}
        assert documented["comparison"] == [*entry["comparison"]]
    assert {*documented["breaches"]} == {*keys(real["breaches"])}
    assert keys(real["errors"]) == ["run", "measure", "reason"]
    assert [*real["timings"]] == ["steps", "stages"]
    assert documented["timings"] == keys(real["timings"]["steps"])
    assert documented[word(page, "What it takes")] == [*real["results"][0]["details"]["remedy"]]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for target, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", text):
        if not target.startswith("http"):
            page = document.parent / target if target else document
            assert page.exists(), target
            assert not anchor or anchor in anchors_of(page), f"{target}#{anchor}"


def anchors_of(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", own.lower()).replace(" ", "-") for own in headings}
