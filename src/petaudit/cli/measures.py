"""``petaudit measures``."""

from __future__ import annotations

import argparse

from petaudit.cli.render import finished, format_table
from petaudit.cli.streams import as_json, say, takes_unicode
from petaudit.measures import Measure, all_measures


def run(chosen: argparse.Namespace) -> int:
    """List the measures and what each needs."""
    measures = list(all_measures().values())
    if chosen.format == "json":
        entries = [_entry(measure) for measure in measures]
        say(as_json(entries, ascii_only=not takes_unicode()) + "\n")
        return 0
    rows = [
        [measure.name, measure.better.value, ", ".join(_needs(measure))] for measure in measures
    ]
    lines = format_table(["measure", "better", "needs"], rows)
    for measure in measures:
        lines += ["", *finished([measure.title, *_about(measure)])]
    say("\n".join(lines) + "\n")
    return 0


def _about(measure: Measure) -> list[str]:
    lines = [measure.question, measure.formula]
    lines += [f"{measure.name}.{option.name}: {option.help}" for option in measure.options]
    if measure.limit_help:
        lines.append(f"limit: {measure.limit_help}")
    return [f"  {line}" for line in (*lines, measure.reference)]


def _needs(measure: Measure) -> list[str]:
    required = [option.name for option in measure.options if option.required]
    return [need.value for need in measure.needs] + required


def _entry(measure: Measure) -> dict[str, object]:
    return {
        "name": measure.name,
        "title": measure.title,
        "question": measure.question,
        "better": measure.better.value,
        "range": list(measure.range),
        "needs": [need.value for need in measure.needs],
        "limit": measure.limit_help,
        "options": {option.name: option.help for option in measure.options},
        "formula": measure.formula,
        "reference": measure.reference,
    }
