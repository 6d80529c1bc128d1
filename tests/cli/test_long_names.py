"""Names of files that no system takes: one clear line, wherever the name comes from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Run

Write = Callable[[str, str], Path]

LONG, TOO_LONG, ZERO = "x" * 300, "y/" + "x" * 5000, "a\0b"
NAMES = {"long": LONG, "too long": TOO_LONG, "zero": ZERO}
OPTIONS = (
    ("check", "{name}", "--qi", "zip"),
    ("check", "t.csv", "--qi", "zip", "--hierarchies", "{name}"),
    ("check", "t.csv", "--qi", "zip", "--hierarchies", "{name}.yaml"),
    ("check", "t.csv", "--qi", "zip", "--original", "{name}"),
    ("check", "t.csv", "--qi", "zip", "--population", "{name}"),
    ("check", "t.csv", "--qi", "zip", "--policy", "{name}.yaml"),
    ("check", "t.csv", "--qi", "zip", "--baseline", "{name}", "--report", "r.html"),
    ("check", "t.csv", "--qi", "zip", "--report", "{name}.html"),
    ("check", "t.csv", "--qi", "zip", "--out", "{name}"),
    ("generalize", "t.csv", "--levels", "zip=1", "--hierarchies", "{name}"),
    ("generalize", "t.csv", "--levels", "zip=1", "--hierarchies", "h", "--out", "{name}.csv"),
    ("mpuccs", "t.csv", "{name}"),
    ("mpuccs", "t.csv", "t2.csv", "--control", "{name}"),
    ("mpuccs", "t.csv", "t2.csv", "--out", "{name}"),
    ("run", "{name}"),
    ("run", "good.yaml", "--out", "{name}"),
    ("run", "good.yaml", "--report", "{name}.html"),
    ("run", "good.yaml", "--out", "o", "--set", "Executor.compare_to={name}"),
    ("validate", "{name}"),
    ("report", "{name}"),
    ("report", "r.json", "--out", "{name}"),
    ("init", "{name}"),
    ("init", "t.csv", "--original", "{name}", "--out", "-"),
    ("init", "t.csv", "--out", "{name}"),
    ("schema", "--out", "{name}"),
)
GOOD = """\
Loader: {a: {filepath: t.csv, roles: {quasi_identifier: zip}}}
Evaluator: {k: {method: k-anonymity}}
"""
SETTINGS = {
    "filepath": "Loader: {{a: {{filepath: {name}}}}}",
    "original": "Loader: {{a: {{filepath: t.csv, original: {name}}}}}",
    "schema": "Loader: {{a: {{filepath: t.csv, schema: {name}}}}}",
    "hierarchies": "Loader: {{a: {{filepath: t.csv, hierarchies: {name}}}}}",
    "a hierarchy": "Loader: {{a: {{filepath: t.csv, hierarchies: {{zip: {name}}}}}}}",
    "log_dir": "Executor: {{log_dir: {name}}}\nLoader: {{a: {{filepath: t.csv}}}}",
    "log_filename": "Executor: {{log_filename: {name}}}\nLoader: {{a: {{filepath: t.csv}}}}",
}
SIDE_CARS = {
    "folder": "DATASET:\n  ATTRIBUTE_TYPE: {{QUASI_IDENTIFIER: [zip]}}\n  HIERARCHY: {name}\n",
    "file": "DATASET:\n  ATTRIBUTE_TYPE: {{QUASI_IDENTIFIER: [zip]}}\n  HIERARCHY:\n"
    "    zip: {name}\n",
}


@pytest.fixture
def write() -> Write:
    def put(name: str, text: str) -> Path:
        path = Path(name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    return put


@pytest.fixture(autouse=True)
def files(write: Write, run: Run) -> None:
    write("t.csv", "zip;age\n1;2\n1;3\n")
    write("t2.csv", "zip;age\n1;2\n1;4\n")
    write("h/hierarchy_zip.csv", "1;*\n")
    write("good.yaml", GOOD)
    assert run("check", "t.csv", "--qi", "zip", "--format", "json", "--out", "r.json").code == 0


def refused(run: Run, *command: str) -> str:
    result = run(*command)
    assert result.code == 2, command
    assert "internal error" not in result.err, command
    assert result.err.startswith("petaudit: error: "), command
    assert len(result.err.splitlines()) <= 3, command
    return result.err


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("command", OPTIONS, ids=" ".join)
def test_a_name_in_an_option(command: tuple[str, ...], kind: str, run: Run) -> None:
    refused(run, *(part.format(name=NAMES[kind]) for part in command))


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("setting", SETTINGS)
def test_a_name_in_a_pipeline(setting: str, kind: str, write: Write, run: Run) -> None:
    quoted = '"' + NAMES[kind].replace("\0", "\\0") + '"'
    text = SETTINGS[setting].format(name=quoted)
    write("bad.yaml", f"{text}\nEvaluator: {{k: {{method: k-anonymity}}}}\n")
    refused(run, "run", "bad.yaml", "--out", "o")


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("place", SIDE_CARS)
def test_a_name_in_a_side_car(place: str, kind: str, write: Write, run: Run) -> None:
    quoted = '"' + NAMES[kind].replace("\0", "\\0") + '"'
    write("t.yaml", SIDE_CARS[place].format(name=quoted))
    assert "t.yaml" in refused(run, "check", "t.csv")
    assert not Path("o").exists()
