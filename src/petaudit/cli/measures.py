"""``petaudit measures``."""

from __future__ import annotations

import argparse
import math

from petaudit.cli.streams import as_json, say, takes_unicode
from petaudit.errors import Phrase, joined, phrase, term
from petaudit.measures import Better, Family, Measure, find_measure, listed_measures
from petaudit.reports.terminal import finished, format_table, indented


def run(chosen: argparse.Namespace) -> int:
    """List the measures and what each needs, or tell all about some."""
    named = [find_measure(name) for name in chosen.names]
    measures = named or list(listed_measures().values())
    if chosen.format == "json":
        entries = [_entry(measure) for measure in measures]
        say(as_json(entries, ascii_only=not takes_unicode()) + "\n")
        return 0
    if named:
        lines = [line for own in named for line in (*finished([own.name, *_about(own)]), "")]
        say("\n".join(lines[:-1]) + "\n")
        return 0
    lines = []
    header = [term("measure"), term("better"), term("needs")]
    for family in Family:
        rows = [
            [measure.name, term(measure.better.value), joined(_all_needs(measure))]
            for measure in measures
            if measure.family is family
        ]
        if rows:
            lines += [term(family.value), *format_table(header, rows), ""]
    lines.append(term("Formula, options and reference: petaudit measures NAME"))
    say("\n".join(finished(lines)) + "\n")
    return 0


def _about(measure: Measure) -> list[str]:
    lines = [] if measure.title.casefold() == measure.name else [term(measure.title)]
    lines += [term(measure.question), term(measure.formula), _better(measure)]
    needs = _all_needs(measure)
    lines.append(phrase("needs: {needs}", needs=joined(needs) if needs else term("nothing else")))
    if measure.only_by_name:
        lines.append(phrase("left out unless named: {why}", why=term(measure.only_by_name)))
    if measure.limit_help:
        lines.append(phrase("limit: {meaning}", meaning=term(measure.limit_help)))
    lines += [
        phrase(
            "option {name}: {meaning}",
            name=f"{measure.name}.{option.name}",
            meaning=term(option.help),
        )
        for option in measure.options
    ]
    return [indented(line) for line in (*lines, measure.reference)]


def _better(measure: Measure) -> Phrase:
    better = term(measure.better.value)
    if measure.better is Better.TRUE:
        return phrase("better: {better}", better=better)
    least, most = (f"{bound:g}" for bound in measure.range)
    return phrase("better: {better}, from {least} to {most}", better=better, least=least, most=most)


def _all_needs(measure: Measure) -> list[str]:
    return [*_needs(measure), *(option.name for option in measure.options if option.required)]


def _needs(measure: Measure) -> list[str]:
    either = [
        joined([term(need.value), joined(names, " or ")], " or ") for need, names in measure.either
    ]
    return [*(term(need.value) for need in measure.needs), *either]


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
