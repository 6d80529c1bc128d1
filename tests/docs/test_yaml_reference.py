"""The YAML reference is what the models say."""

from __future__ import annotations

import importlib.util
import re
from types import ModuleType

import pytest

from docs.pages import ROOT, text_of
from petaudit.measures import all_measures
from petaudit.pipelines import models
from petaudit.pipelines.schema import json_schema


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def options_by_heading(page: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    heading = ""
    for line in page.splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif option := re.match(r"\| `(\w+)` \|", line):
            found.setdefault(heading, []).append(option[1])
    return found


def test_the_page_is_what_the_script_makes() -> None:
    made = script("make_yaml_reference").page()
    assert text_of("yaml-reference.md") == made, "run scripts/make_yaml_reference.py"


def test_every_model_is_on_the_page() -> None:
    found = options_by_heading(text_of("yaml-reference.md"))
    assert found["Executor"] == [*models.settings_of(models.ExecutorSettings)]
    for module, own in models.METHODS.items():
        for model in own:
            method = vars(model).get("method")
            is_named = isinstance(method, str)
            heading = f"{module}: {method}" if is_named else module
            expected = [*models.settings_of(model)]
            assert found[heading] == (["method", *expected] if is_named else expected)


@pytest.mark.parametrize("measure", all_measures().values(), ids=lambda own: own.name)
def test_every_option_of_a_measure_is_on_the_page(measure) -> None:
    found = options_by_heading(text_of("yaml-reference.md"))
    limit = ["limit"] if measure.limit_help is not None else []
    assert found.get(measure.name, []) == [*limit, *(own.name for own in measure.options)]


def test_the_page_and_the_json_schema_know_the_same_options() -> None:
    """Two ways from one model must not come apart."""
    found = options_by_heading(text_of("yaml-reference.md"))
    evaluator = json_schema()["properties"]["Evaluator"]["additionalProperties"]["anyOf"]
    for variant in evaluator:
        name = variant["properties"]["method"].get("const")
        if name is not None:
            expected = {*found["Evaluator"], *found.get(name, [])}
            assert {*variant["properties"]} == expected


def test_a_page_that_is_behind_is_noticed(tmp_path, monkeypatch, capsys) -> None:
    module = script("make_yaml_reference")
    page = tmp_path / "yaml-reference.md"
    page.write_text("old\n", encoding="utf-8")
    monkeypatch.setattr(module, "PAGE", page)
    monkeypatch.setattr("sys.argv", ["make_yaml_reference.py", "--check"])
    assert module.main() == 1
    assert "run make_yaml_reference.py" in capsys.readouterr().err
    monkeypatch.setattr("sys.argv", ["make_yaml_reference.py"])
    assert module.main() == 0
    assert page.read_text(encoding="utf-8") == text_of("yaml-reference.md")
