"""``petaudit measures``."""

from __future__ import annotations

import argparse
import math

from petaudit.cli.render import finished, format_table
from petaudit.cli.streams import as_json, say, takes_unicode
from petaudit.measures import Better, Family, Measure, all_measures, find_measure


def run(chosen: argparse.Namespace) -> int:
    """List the measures and what each needs, or tell all about some."""
    named = [find_measure(name) for name in chosen.names]
    measures = named or list(all_measures().values())
    if chosen.format == "json":
        entries = [_entry(measure) for measure in measures]
        say(as_json(entries, ascii_only=not takes_unicode()) + "\n")
        return 0
    if named:
        lines = [line for own in named for line in (*finished([own.name, *_about(own)]), "")]
        say("\n".join(lines[:-1]) + "\n")
        return 0
    lines = []
    for family in Family:
        rows = [
            [measure.name, measure.better.value, ", ".join(_needs(measure) + _required(measure))]
            for measure in measures
            if measure.family is family
        ]
        if rows:
            lines += [family.value, *format_table(["measure", "better", "needs"], rows), ""]
    lines.append("Formula, options and reference: petaudit measures NAME")
    say("\n".join(lines) + "\n")
    return 0


def _about(measure: Measure) -> list[str]:
    lines = [] if measure.title.casefold() == measure.name else [measure.title]
    lines += [measure.question, measure.formula, f"better: {_better(measure)}"]
    lines.append(f"needs: {', '.join(_needs(measure) + _required(measure)) or 'nothing else'}")
    if measure.only_by_name:
        lines.append(f"left out unless named: {measure.only_by_name}")
    if measure.limit_help:
        lines.append(f"limit: {measure.limit_help}")
    lines += [f"option {measure.name}.{option.name}: {option.help}" for option in measure.options]
    return [f"  {line}" for line in (*lines, measure.reference)]


def _better(measure: Measure) -> str:
    if measure.better is Better.TRUE:
        return "true"
    least, most = (f"{bound:g}" for bound in measure.range)
    return f"{measure.better.value}, from {least} to {most}"


def _needs(measure: Measure) -> list[str]:
    either = [f"{need.value} or {' or '.join(names)}" for need, names in measure.either]
    return [*(need.value for need in measure.needs), *either]


def _required(measure: Measure) -> list[str]:
    return [option.name for option in measure.options if option.required]


def _entry(measure: Measure) -> dict[str, object]:
    return {
        "name": measure.name,
        "title": measure.title,
        "question": measure.question,
        "better": measure.better.value,
        "family": measure.family.value,
        # JSON has no word for "without bound".
        "range": [None if math.isinf(bound) else bound for bound in measure.range],
        "needs": _needs(measure),
        "limit": measure.limit_help,
        "options": {option.name: option.help for option in measure.options},
        "formula": measure.formula,
        "reference": measure.reference,
    }
