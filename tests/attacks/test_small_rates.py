"""Rates of very few people are hidden in reports, in sentences and pictures; so is the excess."""

from __future__ import annotations

import pyarrow as pa
import pytest

import petaudit
from petaudit.i18n.phrases import render
from petaudit.i18n.voice import Voice
from petaudit.measures import Result
from petaudit.pictures.attacks import attacks_of

ORIGINAL = pa.table({"a": range(200)})
CONTROL = pa.table({"a": range(1000, 1100)})
SYNTHETIC = pa.table({"a": [*range(50), 1000, 1001, *range(5000, 5100)]})


@pytest.fixture
def found() -> Result:
    return petaudit.copied_rows(ORIGINAL, SYNTHETIC, CONTROL, exact_figures=True)


@pytest.mark.parametrize("language", ["en", "zh-TW"])
def test_sentences(found: Result, language: str) -> None:
    exact, hidden = (render(found.explanation[0], language, below) for below in (0, 5))
    # Two people of the control: 2 %.
    assert "2.00%" in exact
    assert "0.2347" in exact
    assert "2.00%" not in hidden
    assert "0.2347" not in hidden
    assert "100" in hidden


def test_pictures(found: Result) -> None:
    for picture in attacks_of(None, found):
        exact, hidden = (picture.draw(Voice("en", hide_below=below)) for below in (0, 5))
        assert exact is not None
        assert hidden is not None
        assert ("2 %" in exact.svg) or ("0.23" in exact.svg)
        for text in (hidden.svg, str(hidden.table)):
            assert "0.23" not in text
            assert ">2 %" not in text
            assert "'2 %'" not in text
