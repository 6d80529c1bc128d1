"""Imports between the packages point one way; imports for types and inside functions count, too."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import petaudit

PACKAGE = Path(petaudit.__file__).parent
ORDER = [
    "_version",
    "i18n",
    "errors",
    "exact",
    "system",
    "labels",
    "datasets",
    "tables",
    "learning",
    "synthesizing",
    "singling",
    "roles",
    "starter",
    "inputs",
    "generalizing",
    "pictures",
    "measures",
    "judging",
    "reports",
    "auditing",
    "suppressing",
    "pipelines",
    "cli",
    "__init__",
    "__main__",
]
"""From the bottom to the top: each may import those before it."""
KNOWN: set[tuple[str, str]] = set()
"""Imports against the order."""


def imports() -> Iterator[tuple[str, str, str]]:
    """Yield importing package, imported package, and the line."""
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE)
        importer = place.with_suffix("").parts[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.ImportFrom(module="petaudit", names=names):
                    modules = [name.name for name in names]
                case ast.ImportFrom(module=str(module)) if module.startswith("petaudit."):
                    modules = [module.split(".")[1]]
                case ast.Import(names=names):
                    dotted = [name.name.split(".") for name in names]
                    modules = [parts[1] for parts in dotted if parts[0] == "petaudit" and parts[1:]]
                case _:
                    continue
            for imported in modules:
                if imported != importer:
                    yield importer, imported, f"{place}:{node.lineno}"


def test_every_package_has_its_place() -> None:
    places = {path.with_suffix("").name for path in PACKAGE.glob("*.py")}
    places |= {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert places == set(ORDER)


def test_imports_point_one_way() -> None:
    rank = {name: place for place, name in enumerate(ORDER)}
    upwards = {
        (importer, imported): place
        for importer, imported, place in imports()
        if rank[imported] > rank[importer]
    }
    assert {pair: place for pair, place in upwards.items() if pair not in KNOWN} == {}
