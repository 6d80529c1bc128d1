"""Imports between the packages point one way; imports for types and inside functions count, too."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import petaudit

PACKAGE = Path(petaudit.__file__).parent
ORDER = {
    "": [
        *("_version", "i18n", "errors", "exact", "system", "labels", "datasets", "tables"),
        *("learning", "synthesizing", "singling", "attacks", "roles", "starter", "inputs"),
        *("generalizing", "proposing", "pictures", "measures", "judging", "reports", "auditing"),
        *("suppressing", "anonymizing"),
        *("pipelines", "studio", "cli"),
        *("__init__", "__main__"),
    ],
    # The modules beside them open tables and hand out counts: they call them, and serve them.
    "tables": ["engines", "classes", "joint"],
}
"""From the bottom to the top: each may import those before it."""


def modules_in(node: ast.AST) -> list[str]:
    """The modules that an import statement names, as far as they are ours."""
    match node:
        case ast.ImportFrom(module=str(module), names=names):
            named = [f"{module}.{name.name}" for name in names]
        case ast.Import(names=names):
            named = [name.name for name in names]
        case _:
            return []
    return [name.removeprefix("petaudit.") for name in named if name.startswith("petaudit.")]


def imports(folder: str) -> Iterator[tuple[str, str, str]]:
    """Yield importing package, imported package, and the line, of the packages in a folder."""
    depth = len(Path(folder).parts)
    for path in sorted((PACKAGE / folder).rglob("*.py")):
        place = path.relative_to(PACKAGE)
        importer = place.with_suffix("").parts[depth]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for module in modules_in(node):
                parts = module.split(".")
                if parts[:depth] != list(Path(folder).parts) or len(parts) == depth:
                    continue
                if parts[depth] != importer:
                    yield importer, parts[depth], f"{place}:{getattr(node, 'lineno', 0)}"


def drawn(found: Sequence[tuple[str, str, str]], order: Sequence[str]) -> str:
    """Draw the graph: a line per package with those that it imports, the wrong ones with a place.

    >>> print(drawn([("a", "b", "a.py:1"), ("b", "a", "b.py:2")], ["a", "b"]))
    b -> a
    a -> b (UPWARDS: a.py:1)
    """
    wrong, graph = upwards(found, order), defaultdict(dict)
    for importer, imported, _ in found:
        place = wrong.get((importer, imported))
        graph[importer][imported] = "" if place is None else f" (UPWARDS: {place})"
    return "\n".join(
        f"{name} -> {', '.join(other + mark for other, mark in graph[name].items())}"
        for name in reversed(order)
        if name in graph
    )


def upwards(
    found: Sequence[tuple[str, str, str]], order: Sequence[str]
) -> dict[tuple[str, str], str]:
    """The imports against the order, each with a place where it stands."""
    rank = {name: place for place, name in enumerate(order)}
    return {
        (importer, imported): place
        for importer, imported, place in found
        if rank[imported] > rank[importer]
    }


def test_every_package_has_its_place() -> None:
    places = {path.with_suffix("").name for path in PACKAGE.glob("*.py")}
    places |= {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert places == set(ORDER[""])
    inner = {path.parent.name for path in (PACKAGE / "tables").glob("*/__init__.py")}
    assert inner == set(ORDER["tables"])


@pytest.mark.parametrize("folder", ORDER)
def test_imports_point_one_way(folder: str) -> None:
    order = ORDER[folder]
    found = [(own, other, at) for own, other, at in imports(folder) if {own, other} <= {*order}]
    assert found
    assert not upwards(found, order), f"\n{drawn(found, order)}"
