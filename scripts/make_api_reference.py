"""Write docs/api.md from the signatures and docstrings of what petaudit exports.

python scripts/make_api_reference.py            # writes the page
python scripts/make_api_reference.py --check    # exit code 1 if the page is another one

Names, arguments and docstrings are English in every language, so there is one page.
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import petaudit
from petaudit import datasets, errors
from petaudit.measures import Family, Measure, all_measures
from petaudit.measures.base import input_parameters

PAGE: Final = Path(__file__).resolve().parents[1] / "docs" / "api.md"
INTRODUCTION: Final = """\
# API reference

Everything that `import petaudit` offers, with its arguments and its docstring.
`scripts/make_api_reference.py` makes this page; do not edit it by hand. [From Python](python.md)
explains how the parts work together.
"""
MEASURES: Final = """\
A measure is a function of a table, or of two, that returns a result with `value`, `limit`,
`passed`, `warnings` and what the measure adds. Beside the arguments below each takes the inputs:
"""
GROUPS: Final = {
    "Audits and reports": ("audit", "Audit", "report", "Policy", "policies"),
    "Pipelines": ("Executor",),
    "De-identifying": (
        *("anonymize", "Anonymized", "apply", "Transformation", "frontier", "Frontier"),
    ),
    "Tables": (
        *("generalize", "suppress", "synthesize", "synthesize_private", "guess_roles"),
        *("Role", "Roles"),
    ),
    "Hierarchies": (
        *("Hierarchy", "Hierarchies", "propose_hierarchies", "ranges", "cuts", "quantiles"),
        *("mask_right", "dates", "ordered", "tree", "rare", "keep"),
    ),
    "Singling out": ("MpuccsResult",),
    "Settings": ("language", "set_language", "set_memory"),
    "Errors and warnings": ("PetauditError", "PetauditWarning"),
}
GIVEN: Final = ("Anonymized", "Audit", "Frontier", "MpuccsResult", "Policy", "Transformation")
"""Classes whose objects petaudit gives, and nobody makes."""


def page() -> str:
    """Make the whole page."""
    named = {name for names in GROUPS.values() for name in names}
    functions = {measure.name.replace("-", "_") for measure in all_measures().values()}
    missing = {*dir(petaudit)} - named - functions - {"__version__", "datasets"}
    if missing:
        raise LookupError(f"{', '.join(sorted(missing))}: name it in GROUPS")
    parts = [INTRODUCTION, *_groups(), *_measures(), *_datasets(), *_kinds_of_errors()]
    return "\n".join(parts)


def _groups() -> Iterator[str]:
    for title, names in GROUPS.items():
        yield f"## {title}\n"
        for name in names:
            thing = getattr(petaudit, name)
            yield from (_class(name, thing) if inspect.isclass(thing) else _function(name, thing))


def _function(name: str, function: Any, level: str = "###") -> Iterator[str]:
    yield f"{level} `{name}`\n"
    yield f"```text\n{_call(name, function)}\n```\n"
    yield _docstring(function)


def _class(name: str, thing: type) -> Iterator[str]:
    yield f"### `{name}`\n"
    if name not in GIVEN and not issubclass(thing, Exception) and not hasattr(thing, "__members__"):
        yield f"```text\n{_call(name, thing)}\n```\n"
    yield _docstring(thing)
    if hasattr(thing, "__members__"):
        yield "Members: " + ", ".join(f"`{own}`" for own in thing.__members__) + ".\n"
    rows = [*_members(thing)]
    if rows:
        yield "| Member | What it is |\n| --- | --- |\n" + "\n".join(rows) + "\n"


def _members(thing: type) -> Iterator[str]:
    """The public methods and properties that a class defines itself, in a table."""
    for name, member in sorted(vars(thing).items()):
        function = getattr(member, "__func__", member)
        is_property = isinstance(member, property) or hasattr(member, "attrname")
        summary = _summary(member.fget if isinstance(member, property) else function)
        if name.startswith("_") or not summary:
            continue
        if is_property:
            yield f"| `{name}` | {summary} |"
        elif callable(function):
            arguments = ", ".join(_arguments(function, without=("self", "cls")))
            yield f"| `{name}({arguments})` | {summary} |"


def _measures() -> Iterator[str]:
    yield "## Measures\n"
    yield MEASURES
    yield f"```text\n{_wrapped('', [_short(own) for own in input_parameters().values()])}\n```\n"
    for family in (Family.PRIVACY, Family.RISK, Family.UTILITY):
        yield f"### {family.value.capitalize()}\n"
        yield "| Function | Arguments of its own | Question |\n| --- | --- | --- |"
        for measure in all_measures().values():
            if measure.family is family:
                yield _measure(measure)
        yield ""


def _measure(measure: Measure) -> str:
    name = measure.name.replace("-", "_")
    known = inspect.signature(getattr(petaudit, name)).parameters.values()
    own = [f"`{_short(one)}`" for one in known if one.name not in input_parameters()]
    shown = ", ".join(own) or "none"
    return f"| [`{name}`](measures/{measure.name}.md) | {shown} | {measure.question} |"


def _datasets() -> Iterator[str]:
    yield "## Bundled tables: `petaudit.datasets`\n"
    for name in datasets.__all__:
        thing = getattr(datasets, name)
        if inspect.isfunction(thing):
            yield from _function(name, thing)


def _kinds_of_errors() -> Iterator[str]:
    yield "## Kinds of errors: `petaudit.errors`\n"
    yield "| Error | When |\n| --- | --- |"
    for name, thing in sorted(vars(errors).items()):
        if inspect.isclass(thing) and issubclass(thing, petaudit.PetauditError):
            yield f"| `{name}` | {_summary(thing)} |"
    yield ""


def _docstring(thing: Any) -> str:
    r"""A docstring as Markdown: double backticks are single, examples are blocks.

    >>> def twice(x):
    ...     '''Double ``x``.
    ...
    ...     >>> 1 + 1
    ...     2
    ...     '''
    >>> _docstring(twice).split("\n")
    ['Double `x`.', '', '```python', '>>> 1 + 1', '2', '```', '']
    """
    paragraphs = []
    for own in re.split(r"\n\s*\n", inspect.getdoc(thing) or ""):
        if own.startswith(">>>"):
            paragraphs.append(f"```python\n{own}\n```")
        elif own.startswith(" "):
            paragraphs.append(f"```text\n{inspect.cleandoc(own)}\n```")
        else:
            paragraphs.append(_plain(own))
    return "\n\n".join(paragraphs) + "\n"


def _summary(thing: Any) -> str:
    first = (inspect.getdoc(thing) or "").partition("\n\n")[0]
    return _plain(" ".join(first.split())).replace("|", "\\|")


def _plain(text: str) -> str:
    return re.sub(r":\w+:`~?(?:\w+\.)*(\w+)`", r"`\1`", text.replace("``", "`"))


def _call(name: str, thing: Any) -> str:
    """A call with its arguments, wrapped to the width of a page."""
    return _wrapped(name, _arguments(thing, without=("self",)))


def _arguments(thing: Any, without: tuple[str, ...]) -> list[str]:
    found = []
    starred = False
    for own in inspect.signature(thing).parameters.values():
        if own.name in without:
            continue
        if own.kind is inspect.Parameter.KEYWORD_ONLY and not starred:
            found.append("*")
        starred |= own.kind in (own.KEYWORD_ONLY, own.VAR_POSITIONAL)
        found.append(_short(own))
    return found


def _short(parameter: inspect.Parameter) -> str:
    """An argument with its default and without its type.

    >>> _short(inspect.Parameter("k", inspect.Parameter.KEYWORD_ONLY, default=5))
    'k=5'
    """
    if parameter.default is inspect.Parameter.empty:
        return str(parameter.replace(annotation=inspect.Parameter.empty))
    return f"{parameter.name}={parameter.default!r}"


def _wrapped(name: str, arguments: list[str], width: int = 98) -> str:
    """Fill lines with arguments.

    >>> print(_wrapped("f", ["a", "b=1"]))
    f(a, b=1)
    """
    start = f"{name}("
    lines = [start]
    for place, own in enumerate(arguments):
        piece = own + ("" if place == len(arguments) - 1 else ",")
        if len(lines[-1]) + len(piece) + 1 > width:
            lines.append("    ")
        is_first = lines[-1].endswith("(") or not lines[-1].strip()
        lines[-1] += piece if is_first else f" {piece}"
    return "\n".join(lines) + ")"


def main() -> int:
    """Write or check the page."""
    parser = argparse.ArgumentParser(description="Write docs/api.md.")
    parser.add_argument("--check", action="store_true", help="only say whether it is up to date")
    options = parser.parse_args()
    made = page()
    if not options.check:
        PAGE.write_text(made, encoding="utf-8")
        return 0
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == made:
        return 0
    sys.stderr.write("docs/api.md is not what the docstrings say: run make_api_reference.py\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
