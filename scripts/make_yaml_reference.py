"""Write docs/yaml-reference.md from the models that pipeline files are checked against.

python scripts/make_yaml_reference.py            # writes the page
python scripts/make_yaml_reference.py --check    # exit code 1 if the page is another one
"""

from __future__ import annotations

import argparse
import inspect
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import petaudit
from petaudit.measures import Family, Measure, Need, all_measures
from petaudit.pipelines.models import (
    DEFAULT_METHODS,
    EVALUATOR,
    EXECUTOR,
    METHODS,
    Evaluation,
    ExecutorSettings,
    settings_of,
)
from petaudit.pipelines.reading import NEVER_EMPTY

PAGE = Path(__file__).resolve().parents[1] / "docs" / "yaml-reference.md"
REQUIRED = "*required*"
WIDTH = 110
HEADER = ("Option", "Takes", "Default", "Meaning")

INTRODUCTION = """\
# YAML reference

Every module, method and option of a pipeline file. `scripts/make_yaml_reference.py` makes this
page from the models that files are checked against, so both say the same; do not edit it by hand.
[Pipelines](pipelines.md) explains how the modules work together, with examples. `petaudit schema`
prints the same for editors.

```yaml
# part of a file
Module:
  name of an experiment:
    option: value
```

- The modules must stand in this order: {modules}.
- *required*: the option must be given. *none*: there is no default, and `null` says the same as
  leaving it out.
- {never_empty} must have a value where they are written: an empty line is an error.
- Types are those of YAML: `5` is a number, `"5"` is text.
- A schema file, which `schema` names, has [keys of its own](pipelines.md#schemas).
"""

EVALUATOR_INTRODUCTION = """\
A measure with its limit. `method` is the name of the measure. All measures take the options of this
table, and those of their own below.
"""

NEEDS = {
    Need.QUASI_IDENTIFIERS: "quasi-identifiers (`roles`)",
    Need.SENSITIVE: "a sensitive attribute (`roles`)",
    Need.HIERARCHIES: "`hierarchies`",
    Need.ORIGINAL: "the original (`original` of the Loader, or a Synthesizer)",
    Need.POPULATION: "a population (`population` of the Loader)",
}


def page() -> str:
    """The whole page, as Markdown."""
    modules = (EXECUTOR, *METHODS)
    never_empty = [f"`{name}`" for name in NEVER_EMPTY]
    parts = [
        INTRODUCTION.format(
            modules=", ".join(f"`{name}`" for name in modules),
            never_empty=f"{', '.join(never_empty[:-1])} and {never_empty[-1]}",
        ),
        _section(EXECUTOR, f"{_summary(ExecutorSettings)} It has no experiments.\n"),
        _table(_options(ExecutorSettings)),
    ]
    for module, models in METHODS.items():
        if module == EVALUATOR:
            parts += [_section(EVALUATOR, EVALUATOR_INTRODUCTION), _table(_options(Evaluation))]
            parts += _measures()
        else:
            for model in models:
                parts += _method(module, model)
    return "\n".join(parts)


def _method(module: str, model: type) -> list[str]:
    """The section of one method of a module."""
    method = getattr(model, "method", None)
    text = _summary(model)
    if method is None:
        return [_section(module, f"{text}\n"), _table(_options(model))]
    is_default = DEFAULT_METHODS.get(module) == method
    note = " This is the method if none is named." if is_default else ""
    own = ("`method`", f"`{method}`", f"`{method}`" if is_default else REQUIRED, "names the method")
    heading = f"{module}: {method}"
    return [_section(heading, f"{text}{note}\n"), _table([own, *_options(model)])]


def _measures() -> list[str]:
    """A section per family, and a part per measure of petaudit itself."""
    parts = []
    for family in Family:
        own = [
            measure
            for measure in all_measures().values()
            if measure.family is family and measure.compute.__module__.startswith("petaudit.")
        ]
        if own:
            parts.append(_section(f"{EVALUATOR}: {family.value}", ""))
            parts += [part for measure in own for part in _measure(measure)]
    return parts


def _measure(measure: Measure) -> Iterator[str]:
    needs = [NEEDS[need] for need in measure.needs]
    for need, options in measure.either:
        needs.append(" or ".join([NEEDS[need], *(f"`{name}`" for name in options)]))
    yield f"### {measure.name}\n"
    yield f"[{measure.title}](measures/{measure.name}.md):\n{measure.question}\n"
    if needs:
        yield textwrap.fill(f"Needs {'; '.join(needs)}.", WIDTH) + "\n"
    rows = list(_options_of(measure))
    yield _table(rows) if rows else "It has no options of its own.\n"


def _options_of(measure: Measure) -> Iterator[tuple[str, ...]]:
    given = dict(inspect.signature(petaudit.mpuccs).parameters) if measure.name == "mpuccs" else {}
    given |= inspect.signature(measure.compute).parameters
    if measure.limit_help is not None:
        yield "`limit`", measure.limit_kind.expected, "none", measure.limit_help
    for option in measure.options:
        default = REQUIRED if option.required else _default(given[option.name].default)
        yield f"`{option.name}`", option.kind.expected, default, option.help


def _options(model: type) -> list[tuple[str, ...]]:
    defaults = {own.name: own.default for own in fields(model)}
    return [
        (f"`{name}`", own.kind.expected, _default(defaults[name]), own.help)
        for name, own in settings_of(model).items()
    ]


def _default(value: Any) -> str:
    """How a default is shown.

    >>> _default(None), _default(True), _default(0.0), _default("csv"), _default(MISSING)
    ('none', '`true`', '`0`', '`csv`', '*required*')
    """
    if value is MISSING or value is inspect.Parameter.empty:
        return REQUIRED
    if value is None:
        return "none"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value:g}`" if isinstance(value, int | float) else f"`{value}`"


def _section(heading: str, text: str) -> str:
    return f"## {heading}\n\n{text}" if text else f"## {heading}\n"


def _table(rows: list[tuple[str, ...]]) -> str:
    lines = [HEADER, ("---",) * len(HEADER), *rows]
    return "".join(f"| {' | '.join(map(_cell, line))} |\n" for line in lines)


def _cell(text: str) -> str:
    """Text that a cell of a Markdown table can hold.

    >>> _cell("a|b <c>"), _cell("`*`"), _cell("all '*'")
    ('a\\\\|b &lt;c>', '`*`', "all '\\\\*'")
    """
    if text.startswith("`") or text == REQUIRED:
        return text
    return text.replace("|", r"\|").replace("<", "&lt;").replace("*", r"\*")


def _summary(model: type) -> str:
    return (model.__doc__ or "").strip().splitlines()[0]


def main() -> int:
    """Write the page, or compare it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    made = page()
    if not parser.parse_args().check:
        PAGE.write_text(made, encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") == made:
        return 0
    sys.stderr.write(f"{PAGE.name} is not what the models say: run {Path(__file__).name}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
