"""The notebooks of the examples run from top to bottom, and are kept without outputs."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from docs.pages import ROOT

NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda entry: entry.stem)


def cells(path: Path) -> list[dict[str, Any]]:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def test_there_are_notebooks() -> None:
    assert [item.stem for item in NOTEBOOKS] == ["audit", "synthetic"]


@every_notebook
def test_it_is_kept_without_outputs(path: Path) -> None:
    for cell in cells(path):
        assert (cell["outputs"], cell["execution_count"]) == ([], None)


@every_notebook
def test_its_cells_run_in_order(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Jupyter does it: in one namespace, and the last expression of a cell is shown."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for number, cell in enumerate(cells(path)):
        where = f"{path.name}, code cell {number}"
        tree = ast.parse("".join(cell["source"]), where)
        *statements, last = tree.body
        exec(compile(ast.Module(statements, []), where, "exec"), names)  # noqa: S102
        if isinstance(last, ast.Expr):
            shown = eval(compile(ast.Expression(last.value), where, "eval"), names)  # noqa: S307
            assert shown is not None
            assert getattr(shown, "_repr_html_", shown.__repr__)()
        else:
            exec(compile(ast.Module([last], []), where, "exec"), names)  # noqa: S102
    assert not list(tmp_path.iterdir()), "a notebook leaves nothing behind"
