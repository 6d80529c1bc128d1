"""Only the tables layer talks to an engine."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

import petaudit

PACKAGE = Path(petaudit.__file__).parent
SOURCE = PACKAGE.parent
ENGINES = {"duckdb", "polars", "pandas", "narwhals", "pyspark", "dask", "ibis", "modin", "cudf"}
EXCHANGE = {
    "petaudit/anonymizing/applying.py",
    "petaudit/anonymizing/releasing.py",
    "petaudit/datasets/_catalogue.py",
    "petaudit/generalizing.py",
    "petaudit/synthesizing/exchange.py",
    "petaudit/synthesizing/making.py",
    "petaudit/synthesizing/private/domains.py",
    "petaudit/synthesizing/private/making.py",
    "petaudit/synthesizing/private/observed.py",
}
"""Above the tables layer, pyarrow tables only pass through: read from or written to a file."""


def above_the_tables_layer() -> list[Path]:
    modules = [*PACKAGE.rglob("*.py"), *(SOURCE / "PETWorks").rglob("*.py")]
    return [path for path in modules if PACKAGE / "tables" not in path.parents]


def imported(path: Path) -> Iterator[str]:
    """The top-level packages that a module imports anywhere, inside functions too.

    What only type checkers see is not imported.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for block in ast.walk(tree):
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING":
            block.body = []
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                yield from (name.name.partition(".")[0] for name in node.names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module.partition(".")[0]
            case ast.Call(func=ast.Name(id="__import__") | ast.Attribute(attr="import_module")):
                for argument in node.args[:1]:
                    if isinstance(argument, ast.Constant):
                        yield str(argument.value).partition(".")[0]


def importers_of(package: str) -> set[str]:
    return {
        path.relative_to(SOURCE).as_posix()
        for path in above_the_tables_layer()
        if package in imported(path)
    }


def test_the_search_sees_all_layers() -> None:
    names = {path.relative_to(SOURCE).as_posix() for path in above_the_tables_layer()}
    assert {"petaudit/exact/fractions.py", "petaudit/cli/check.py", "PETWorks/__init__.py"} <= names
    assert "numpy" in set(imported(PACKAGE / "exact" / "class_figures.py"))
    below = {name for path in (PACKAGE / "tables").glob("*.py") for name in imported(path)}
    assert {"duckdb", "narwhals", "pyarrow"} <= below


@pytest.mark.parametrize("engine", sorted(ENGINES))
def test_nothing_above_the_tables_layer_imports_an_engine(engine: str) -> None:
    assert importers_of(engine) == set()


def test_pyarrow_above_the_tables_layer_is_only_for_exchange() -> None:
    assert importers_of("pyarrow") == EXCHANGE


def test_nothing_above_reaches_into_the_private_modules_of_the_counts_layer() -> None:
    for path in above_the_tables_layer():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                "petaudit.tables"
            ):
                private = [part for part in (node.module or "").split(".") if part[0] == "_"]
                assert not private, path


COUNT_A_FILE = """
import sys
from petaudit.tables import open_source
source = open_source(sys.argv[1])
source.counts.class_histogram(["a"])
source.counts.class_blocks(["a"], ["b"])
source.counts.class_blocks(["a"], ["b"], labels=True)
"""


# DuckDB 1 itself loads pandas, if it is there, for every constant in a query.
@pytest.mark.parametrize(
    ("code", "unwanted"),
    [
        ("import petaudit", {"duckdb", "narwhals", "pandas", "polars", "pyarrow", "numpy"}),
        (COUNT_A_FILE, {"polars"} if duckdb.__version__ < "2" else {"pandas", "polars"}),
    ],
    ids=["importing petaudit", "counting a file"],
)
def test_engines_are_loaded_only_when_they_are_used(
    code: str, unwanted: set[str], tmp_path: Path
) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a;b\n1;2\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)", str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(done.stdout.split()) & unwanted == set()
    assert done.stderr == ""
