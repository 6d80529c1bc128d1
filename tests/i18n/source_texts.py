"""Every text in the source that a person may read, found by looking at the code itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from petaudit import errors
from petaudit.i18n.phrases import parse_template
from petaudit.pipelines.petsard import petsard_words

SOURCES = Path(__file__).resolve().parents[2] / "src"
SOURCE = SOURCES / "petaudit"
ERRORS = {name for name in vars(errors) if name.endswith("Error")}
ERRORS |= {"NotInPetauditError", "_RefusedError"}
OPTION_HELP = {"group": 0, "value": 2, "names": 1, "flag": 1, "choice": 2}
"""Where the methods of ``cli.options.Options`` take a text."""
NOWHERE = ast.Constant(None)
_IN_PAGE = re.compile(r"""\bt\(\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')""")


def trees() -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(SOURCES.rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def calls(tree: ast.AST, *names: str) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            yield node


def notes(tree: ast.AST) -> Iterator[ast.Call]:
    """Templates in ``problems.add(at, template, ...)``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_note = node.func.attr in ("add", "note") and len(node.args) > 1
            if is_note and written(node.args[1]) is not None:
                yield node


def written(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def phrases_of(tree: ast.AST) -> Iterator[tuple[int, str | None]]:
    """The line and text of every phrase; None where it is not written out."""
    for call in calls(tree, "phrase"):
        text = written(call.args[0]) if call.args else None
        yield call.lineno, None if text is None else parse_template(text)[0]
    for call in calls(tree, *ERRORS):
        # What is not written out is a phrase that was made elsewhere.
        text = written(call.args[0]) if call.args else None
        if text is not None:
            yield call.lineno, parse_template(text)[0]
    for call in notes(tree):
        yield call.lineno, parse_template(str(written(call.args[1])))[0]
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            place = OPTION_HELP.get(call.func.attr)
            text = None if place is None else written((call.args + [NOWHERE] * 3)[place])
            if text is not None:
                yield call.lineno, text.replace("{", "{{").replace("}", "}}")
    for call in calls(tree, "term", "setting", "required"):
        # Not written out means declared elsewhere, and checked there.
        place = 0 if ast.unparse(call.func) == "term" else 1
        text = written((call.args + [NOWHERE] * 2)[place])
        if text is not None:
            yield call.lineno, text.replace("{", "{{").replace("}", "}}")
    for call in calls(tree, "counted"):
        noun = written(call.args[-1])
        if noun is not None:
            noun = "{number} " + (noun if len(call.args) == 3 else f"{noun}s")
        yield call.lineno, noun
    for call in calls(tree, "joined"):
        given = [*call.args[1:], *(word.value for word in call.keywords)]
        yield call.lineno, written(given[0]) if given else ", "


def petsard_texts(words: object = None) -> Iterator[str]:
    """What to do instead of names of PETsARD; those of types and options are no sentences."""
    if words is None:
        others = ("types", "understood")
        words = {name: own for name, own in petsard_words().items() if name not in others}
    for own in words.values() if isinstance(words, dict) else ():
        if isinstance(own, str):
            yield own
        else:
            yield from petsard_texts(own)


def texts_of_pages() -> Iterator[str]:
    for path in sorted(SOURCE.rglob("*.j2")):
        for found in _IN_PAGE.finditer(path.read_text(encoding="utf-8")):
            yield ast.literal_eval(found[1])
