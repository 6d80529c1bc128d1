"""The API reference is what signatures and docstrings say."""

from __future__ import annotations

import doctest

import pytest

import petaudit
from docs.pages import text_of
from docs.test_yaml_reference import script


def test_the_page_is_what_the_script_makes() -> None:
    made = script("make_api_reference").page()
    assert text_of("api.md") == made, "run scripts/make_api_reference.py"


def test_every_public_name_is_on_the_page() -> None:
    page = text_of("api.md")
    missing = [name for name in petaudit.__all__ if f"`{name}`" not in page]
    assert missing == ["__version__", "datasets"]


def test_a_new_name_must_be_put_somewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [*petaudit.__all__, "brand_new"]
    monkeypatch.setattr(petaudit, "__dir__", lambda: names)
    with pytest.raises(LookupError, match="brand_new"):
        script("make_api_reference").page()


def test_a_page_that_is_behind_is_noticed(tmp_path, monkeypatch, capsys) -> None:
    module = script("make_api_reference")
    monkeypatch.setattr(module, "PAGE", tmp_path / "api.md")
    monkeypatch.setattr("sys.argv", ["make_api_reference.py", "--check"])
    assert module.main() == 1
    assert "run make_api_reference.py" in capsys.readouterr().err
    monkeypatch.setattr("sys.argv", ["make_api_reference.py"])
    assert module.main() == 0
    monkeypatch.setattr("sys.argv", ["make_api_reference.py", "--check"])
    assert module.main() == 0


def test_the_examples_of_the_script() -> None:
    result = doctest.testmod(script("make_api_reference"))
    assert result.failed == 0
    assert result.attempted >= 4
