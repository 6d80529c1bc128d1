"""A measure is one short file, and nothing else in the source knows it by name."""

from __future__ import annotations

import ast
import inspect
import statistics
from collections.abc import Iterator
from pathlib import Path

import petaudit
from petaudit.measures import all_measures

SOURCE = Path(petaudit.__file__).parent
NAMED_ELSEWHERE = {
    "anonymizing/conditions.py": "how a search rules out levels by a limit",
    "anonymizing/infeasible.py": "limits of which the nearest possible one follows from the rows",
    "anonymizing/local.py": "limits that a part of the table is judged by without the whole",
    "anonymizing/releasing.py": "the figures of use that are shown of a release",
    "auditing/advice.py": "the same options in the commands that it writes",
    "cli/attack.py": "the command of these measures: what the columns allow",
    "cli/check.py": "options of their own for the limits that are set most often: --k, --l, --t",
    "cli/mpuccs.py": "the command of this measure",
    "cli/parser.py": "the name of that command",
    "judging/document.py": "the name of that command, in documents",
    "judging/version1.py": "a document that the command mpuccs wrote before 0.11.0",
    "judging/gate.py": "the open question whether a class shares one sensitive value",
    "reports/html.py": "a document of the command mpuccs",
    "reports/sentences.py": "a document of the command mpuccs",
    "studio/session.py": "the limits that are proposed",
    "studio/small_classes.py": "the classes that are smaller than k",
    "studio/trio.py": "the attacks that are proposed",
    "studio/views/common.py": "the picture of the search is over k",
    "studio/views/deidentify.py": "the picture of the search is over k",
    "studio/views/limits.py": "the limits that are set most often stand first",
}
_OBJECTIVES = {"precision", "granularity", "discernibility"}
OTHER_MEANINGS = {
    "anonymizing/choices.py": _OBJECTIVES,
    "anonymizing/local.py": _OBJECTIVES,
    "anonymizing/objectives.py": _OBJECTIVES,
    "anonymizing/problem.py": _OBJECTIVES,
    "cli/init.py": {"distinction"},
    "pipelines/reporting.py": {"granularity"},
    "pipelines/table_schema.py": {"precision"},
}
"""Words that are names of measures, too."""


def named() -> Iterator[tuple[str, str]]:
    """Files outside the measures, and the measures that they name or import."""
    names = set(all_measures())
    for path in sorted(SOURCE.rglob("*.py")):
        file = path.relative_to(SOURCE).as_posix()
        if file.startswith("measures/"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Constant(value=str(text)) if text in names:
                    found = text
                case ast.ImportFrom(module=str(module)) if module.startswith("petaudit.measures."):
                    found = module.split(".")[2].replace("_", "-")
                case _:
                    continue
            if found in names - OTHER_MEANINGS.get(file, set()):
                yield file, found


def test_no_other_place_names_a_measure() -> None:
    assert [(file, name) for file, name in named() if file not in NAMED_ELSEWHERE] == []


def test_every_exception_is_needed() -> None:
    used = {file for file, _ in named()}
    assert set(NAMED_ELSEWHERE) == used


def test_measures_are_short() -> None:
    files = [inspect.getsourcefile(type(measure)) for measure in all_measures().values()]
    lines = [len(Path(str(file)).read_text(encoding="utf-8").splitlines()) for file in files]
    assert statistics.median(lines) < 90
