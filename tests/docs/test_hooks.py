"""Links between the languages, as paths on GitHub and as addresses on the sites."""

from __future__ import annotations

import doctest
import importlib.util
import logging
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def hooks() -> ModuleType:
    path = ROOT / "scripts" / "docs_hooks.py"
    spec = importlib.util.spec_from_file_location("docs_hooks", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    for name in ("tables.md", "measures/k.md", "zh-TW/tables.md", "zh-TW/measures/k.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("# Page\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("page", "written", "made"),
    [
        ("tables.md", "[k](measures/k.md)", "[k](measures/k.md)"),
        ("tables.md", "[k](zh-TW/measures/k.md)", '<a href="zh-TW/measures/k.html">k</a>'),
        ("zh-TW/tables.md", "[t](../tables.md#a)", '<a href="../tables.html#a">t</a>'),
        ("zh-TW/measures/k.md", "[t](../../tables.md)", '<a href="../../tables.html">t</a>'),
        ("zh-TW/tables.md", "[a\nb](../tables.md)", '<a href="../tables.html">a\nb</a>'),
        ("zh-TW/measures/k.md", "[`t`](../tables.md)", "[`t`](../tables.md)"),
        ("zh-TW/tables.md", "`[t](../tables.md)`", "`[t](../tables.md)`"),
        ("zh-TW/tables.md", "```md\n[t](../tables.md)\n```", "```md\n[t](../tables.md)\n```"),
        ("tables.md", "[out](https://example.org/a.md)", "[out](https://example.org/a.md)"),
        ("tables.md", "[here](#a)", "[here](#a)"),
    ],
)
def test_links_to_the_other_language_become_addresses(
    hooks: ModuleType, docs: Path, page: str, written: str, made: str
) -> None:
    assert hooks.relinked(written, docs / page, docs) == made


@pytest.mark.parametrize("target", ["../README.md", "zh-TW/nowhere.md"])
def test_a_link_to_no_page_is_a_warning(
    hooks: ModuleType, docs: Path, target: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, logger="mkdocs"):
        hooks.relinked(f"[x]({target})", docs / "tables.md", docs)
    assert target in caplog.text


def test_a_formula_is_drawn_without_a_script(hooks: ModuleType) -> None:
    pytest.importorskip("latex2mathml")
    made = hooks.formula(r"\frac{t - c}{1 - c}", "math", "math", {}, None)
    assert made.startswith('<div class="math"><math xmlns="http://www.w3.org/1998/Math/MathML"')
    assert made.count("<mfrac>") == 1
    settings = hooks.on_config({"mdx_configs": {}})["mdx_configs"]
    assert settings["pymdownx.superfences"]["custom_fences"][0]["format"] is hooks.formula


def test_the_examples_of_the_hooks(hooks: ModuleType) -> None:
    assert doctest.testmod(hooks) == (0, 4)
