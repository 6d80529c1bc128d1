"""Write docs/yaml-reference.md from the models that pipeline files are checked against.

python scripts/make_yaml_reference.py                       # writes the page in both languages
python scripts/make_yaml_reference.py --language zh-TW      # only the one in Traditional Chinese
python scripts/make_yaml_reference.py --check               # exit code 1 if a page is another one

Descriptions are translated as petaudit itself says them. What only this page says is in
yaml_reference.zh-TW.json; a text that neither of them has is an error.
"""

from __future__ import annotations

import argparse
import inspect
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

import petaudit
from petaudit.errors import Phrase, render
from petaudit.i18n.catalogue import ENGLISH, LANGUAGES, catalogue
from petaudit.measures import Family, Measure, Need, listed_measures
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

DOCS = Path(__file__).resolve().parents[1] / "docs"
REQUIRED = "*required*"
NONE = "none"
HAN_APART = re.compile(r"(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])")
HEADER = ("Option", "Takes", "Default", "Meaning")
MEASURES = ("Measure", *HEADER)

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

- The modules must be in this order: {modules}.
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


@dataclass(frozen=True)
class Reference:
    """The page in a language."""

    language: str = ENGLISH

    def page(self) -> str:
        """The whole page, as Markdown."""
        *others, last = NEVER_EMPTY
        before = self.say(", ").join(map(_code, others))
        parts = [
            self.text(INTRODUCTION).format(
                modules=self.say(", ").join(map(_code, (EXECUTOR, *METHODS))),
                never_empty=self.say(" and ").join([before, _code(last)]),
            ),
            _section(
                EXECUTOR, self.sentences(_summary(ExecutorSettings), "It has no experiments.")
            ),
            self.table(_options(ExecutorSettings)),
        ]
        for module, models in METHODS.items():
            if module == EVALUATOR:
                parts += [
                    _section(EVALUATOR, self.text(EVALUATOR_INTRODUCTION)),
                    self.table(_options(Evaluation)),
                ]
                parts += self.measures()
            else:
                for model in models:
                    parts += self.method(module, model)
        return "\n".join(parts)

    def method(self, module: str, model: type) -> list[str]:
        """The section of one method of a module."""
        method = getattr(model, "method", None)
        summary = _summary(model)
        if method is None:
            return [_section(module, self.sentences(summary)), self.table(_options(model))]
        is_default = DEFAULT_METHODS.get(module) == method
        note = ("This is the method if none is named.",) if is_default else ()
        default = f"`{method}`" if is_default else REQUIRED
        own = ("`method`", f"`{method}`", default, "names the method")
        return [
            _section(f"{module}: {method}", self.sentences(summary, *note)),
            self.table([own, *_options(model)]),
        ]

    def measures(self) -> list[str]:
        """A section per family, with a table of what its measures need and take."""
        parts = []
        for family in Family:
            own = [
                measure
                for measure in listed_measures().values()
                if measure.family is family and type(measure).__module__.startswith("petaudit.")
            ]
            if own:
                colon = self.say(": ")
                parts.append(_section(f"{EVALUATOR}{colon}{self.say(family.value)}", ""))
                parts.append(self.table([row for one in own for row in self.rows(one)], MEASURES))
        return parts

    def rows(self, measure: Measure) -> Iterator[tuple[str, ...]]:
        """A row per option of a measure; the first one says which it is and what it needs."""
        needs = [self.say(NEEDS[need]) for need in measure.needs]
        for need, options in measure.either:
            either = [self.say(NEEDS[need]), *map(_code, options)]
            needs.append(self.say(" or ").join(either))
        first = f"[{measure.name}](measures/{measure.name}.md)"
        if needs:
            first += self.say(": needs {needs}").format(needs=self.say("; ").join(needs))
        for row in list(_options_of(measure)) or [("", "", "", "")]:
            yield first, *row
            first = ""

    def table(self, rows: list[tuple[str, ...]], header: tuple[str, ...] = HEADER) -> str:
        """A table of options."""
        said_rows = [tuple(map(self.say, header)), ("---",) * len(header)]
        said_rows += [tuple(map(self.cell, row)) for row in rows]
        return "".join(f"| {' | '.join(row)} |\n" for row in said_rows)

    def cell(self, text: str) -> str:
        """A cell of a table; code is the same in every language."""
        if not text or text.startswith(("`", "[")):
            return text
        shown = self.say(text)
        return shown if text == REQUIRED else _escaped(shown)

    def sentences(self, *texts: str) -> str:
        """Sentences that follow each other."""
        return (" " if self.language == ENGLISH else "").join(map(self.say, texts)) + "\n"

    def text(self, text: str) -> str:
        """Paragraphs and items of a list, each translated by itself; code stays as it is."""
        if self.language == ENGLISH:
            return text
        parts = re.split(r"(\n\n|\n(?=- )|\n\Z)", text)
        is_code = [part.startswith("```") for part in parts]
        return "".join(
            part if code or not part.strip() else self.say(" ".join(part.split()))
            for part, code in zip(parts, is_code, strict=True)
        )

    def say(self, text: str) -> str:
        """A text in the language, or an error if there is no translation."""
        if self.language == ENGLISH:
            return text
        if isinstance(text, Phrase):
            made: str | None = render(text, self.language)
        else:
            made = own_words(self.language).get(text) or catalogue(self.language).get(text)
        if made is None or made == text:
            raise LookupError(f"no translation into {self.language}: {text!r}")
        return HAN_APART.sub("", made)


@cache
def own_words(language: str) -> dict[str, str]:
    """What only this page says, and petaudit does not."""
    file = Path(__file__).with_name(f"yaml_reference.{language}.json")
    found: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return found


def _options_of(measure: Measure) -> Iterator[tuple[str, ...]]:
    given = dict(inspect.signature(measure.compute).parameters)
    given |= inspect.signature(getattr(petaudit, measure.name.replace("-", "_"))).parameters
    if measure.limit_help is not None:
        yield "`limit`", measure.limit_kind.expected, NONE, measure.limit_help
    for option in measure.options:
        # An option of a file may be none of the function: mpuccs takes a profile only there.
        value = given[option.name].default if option.name in given else None
        default = REQUIRED if option.required else _default(value)
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
        return NONE
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value:g}`" if isinstance(value, int | float) else f"`{value}`"


def _section(heading: str, text: str) -> str:
    return f"## {heading}\n\n{text}" if text else f"## {heading}\n"


def _code(name: str) -> str:
    return f"`{name}`"


def _escaped(text: str) -> str:
    """Text that a cell of a Markdown table can hold.

    >>> _escaped("a|b <c>"), _escaped("all '*'")
    ('a\\\\|b &lt;c>', "all '\\\\*'")
    """
    return text.replace("|", r"\|").replace("<", "&lt;").replace("*", r"\*")


def _summary(model: type) -> str:
    return (model.__doc__ or "").strip().splitlines()[0]


def file_of(language: str) -> Path:
    """Where the page of a language lies."""
    return (DOCS if language == ENGLISH else DOCS / language) / "yaml-reference.md"


def main() -> int:
    """Write the pages, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    parser.add_argument("--language", choices=LANGUAGES, help="only the page in this language")
    given = parser.parse_args()
    code = 0
    for language in [given.language] if given.language else LANGUAGES:
        made, file = Reference(language).page(), file_of(language)
        if not given.check:
            file.write_text(made, encoding="utf-8")
        elif file.read_text(encoding="utf-8") != made:
            where = file.relative_to(DOCS).as_posix()
            sys.stderr.write(f"{where} is not what the models say: run {Path(__file__).name}\n")
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
