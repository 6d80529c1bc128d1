"""The pictures of a terminal show what the command prints today."""

from __future__ import annotations

import html
import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

from petaudit.cli import main

ROOT = Path(__file__).resolve().parents[2]


def terminal() -> Any:
    """The script that draws them."""
    path = ROOT / "scripts" / "draw_terminal.py"
    spec = importlib.util.spec_from_file_location("draw_terminal", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("command", "image"),
    [("demo", "docs/images/demo.svg"), ("--lang zh-TW demo", "docs/zh-TW/images/demo.svg")],
)
def test_the_terminal(
    command: str, image: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert main(command.split()) == 0
    drawn = terminal().draw(f"petaudit {command}", capsys.readouterr().out)

    def lines(svg: str) -> list[str]:
        # A version that changes nothing else needs no other picture.
        return re.sub(r"petaudit \d+\.\d+\.\d+", "petaudit", html.unescape(svg)).splitlines()

    shown = lines((ROOT / image).read_text(encoding="utf-8"))
    assert lines(drawn) == shown, "scripts/draw_terminal.py says how to renew it"
