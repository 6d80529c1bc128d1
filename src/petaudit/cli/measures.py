"""``petaudit measures``."""

from __future__ import annotations

import argparse
import json

from petaudit.cli.render import format_table
from petaudit.measures import Measure, all_measures


def run(chosen: argparse.Namespace) -> int:
    """List the measures and what each needs."""
    measures = list(all_measures().values())
    if chosen.format == "json":
        print(json.dumps([_entry(measure) for measure in measures], ensure_ascii=False, indent=2))
        return 0
    rows = [
        [measure.name, measure.better.value, ", ".join(_needs(measure))] for measure in measures
    ]
    print("\n".join(format_table(["measure", "better", "needs"], rows)))
    for measure in measures:
        print(f"\n{measure.title}: {measure.question}")
        print(f"  {measure.formula}")
        for option in measure.options:
            print(f"  {measure.name}.{option.name}: {option.help}")
        if measure.limit_help:
            print(f"  limit: {measure.limit_help}")
        print(f"  {measure.reference}")
    return 0


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
