"""The YAML reference is what the models say."""

from __future__ import annotations

import importlib.util
import re
import sys
from types import ModuleType

import pytest

from docs.pages import CHINESE, LANGUAGES, ROOT, text_of
from petaudit.i18n.catalogue import catalogue
from petaudit.measures import listed_measures
from petaudit.pipelines import models
from petaudit.pipelines.json_schema import json_schema
from petaudit.system.settings import settings_of

in_both_languages = pytest.mark.parametrize("language", LANGUAGES, ids=["en", "zh-TW"])
PAGE = "yaml-reference.md"


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where its dataclasses look for their types
    spec.loader.exec_module(module)
    return module


def options_by_heading(page: str) -> dict[str, list[str]]:
    result: dict[str, list[str]] = {}
    heading = ""
    for line in page.splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif measure := re.match(r"\| \[[\w-]+\]\(measures/([\w-]+)\.md\)", line):
            heading = measure[1]
        if option := re.match(r"\| (?:(?:\[.*?)? \| )?`(\w+)` \|", line):
            result.setdefault(heading, []).append(option[1])
    return result


@in_both_languages
def test_the_page_is_what_the_script_makes(language: str) -> None:
    """A text without a translation would be an error here."""
    made = script("make_yaml_reference").Reference(language.strip("/") or "en").page()
    assert text_of(language + PAGE) == made, "run scripts/make_yaml_reference.py"


def test_a_text_without_a_translation_is_an_error() -> None:
    chinese = script("make_yaml_reference").Reference("zh-TW")
    with pytest.raises(LookupError, match="a new description"):
        chinese.say("a new description")


def test_every_translation_of_the_script_is_used_and_new() -> None:
    module = script("make_yaml_reference")
    entry = module.own_words("zh-TW")
    asked: set[str] = set()

    class Listening(module.Reference):  # type: ignore[misc, name-defined]
        def say(self, text: str) -> str:
            asked.add(text)
            return str(super().say(text))

    Listening("zh-TW").page()
    assert {*entry} <= asked
    assert [text for text, made in entry.items() if catalogue("zh-TW").get(text) == made] == []


@in_both_languages
def test_every_model_is_on_the_page(language: str) -> None:
    result = options_by_heading(text_of(language + PAGE))
    assert result["Executor"] == [*settings_of(models.ExecutorSettings)]
    for module, entry in models.METHODS.items():
        for model in entry:
            method = vars(model).get("method")
            is_named = isinstance(method, str)
            heading = f"{module}: {method}" if is_named else module
            expected = [*settings_of(model)]
            assert result[heading] == (["method", *expected] if is_named else expected)


@in_both_languages
@pytest.mark.parametrize("measure", listed_measures().values(), ids=lambda own: own.name)
def test_every_option_of_a_measure_is_on_the_page(measure, language: str) -> None:
    result = options_by_heading(text_of(language + PAGE))
    limit = ["limit"] if measure.limit_help is not None else []
    assert result.get(measure.name, []) == [*limit, *(own.name for own in measure.options)]


def test_the_page_and_the_json_schema_know_the_same_options() -> None:
    """Two ways from one model must not come apart."""
    result = options_by_heading(text_of("yaml-reference.md"))
    evaluator = json_schema()["properties"]["Evaluator"]["additionalProperties"]["anyOf"]
    for variant in evaluator:
        name = variant["properties"]["method"].get("const")
        if name is not None:
            expected = {*result["Evaluator"], *result.get(name, [])}
            assert {*variant["properties"]} == expected


@in_both_languages
def test_a_page_that_is_behind_is_noticed(language: str, tmp_path, monkeypatch, capsys) -> None:
    module = script("make_yaml_reference")
    (tmp_path / CHINESE).mkdir()
    for entry in LANGUAGES:
        made = module.Reference(entry.strip("/") or "en").page()
        (tmp_path / entry / PAGE).write_text(made, encoding="utf-8")
    page = tmp_path / language / PAGE
    right = page.read_text(encoding="utf-8")
    page.write_text("old\n", encoding="utf-8")
    monkeypatch.setattr(module, "DOCS", tmp_path)
    monkeypatch.setattr("sys.argv", ["make_yaml_reference.py", "--check"])
    assert module.main() == 1
    said = capsys.readouterr().err
    assert said == f"{language}{PAGE} is not what the models say: run make_yaml_reference.py\n"
    only = ["make_yaml_reference.py", "--language", language.strip("/") or "en"]
    monkeypatch.setattr("sys.argv", only)
    assert module.main() == 0
    assert page.read_text(encoding="utf-8") == right
    monkeypatch.setattr("sys.argv", ["make_yaml_reference.py", "--check"])
    assert module.main() == 0
