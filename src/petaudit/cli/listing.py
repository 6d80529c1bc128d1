"""``petaudit measures``, ``policies``, ``datasets`` and ``schema``: what there is."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from petaudit.cli.report import write_text
from petaudit.cli.streams import say, say_json, say_lines
from petaudit.datasets import catalogue, load
from petaudit.errors import InputError, joined, phrase, term
from petaudit.i18n.text import json_text
from petaudit.judging import policy as known_policies
from petaudit.measures import Better, Family, Measure, find_measure, listed_measures
from petaudit.measures.limits import short
from petaudit.reports.terminal import format_table, indented, section


def measures(chosen: argparse.Namespace) -> int:
    """List the measures and what each needs, or tell all about some."""
    named = [find_measure(name) for name in chosen.names]
    shown = named or list(listed_measures().values())
    if chosen.format == "json":
        say_json([_entry(measure) for measure in shown])
        return 0
    lines: list[str] = []
    for measure in named:
        title = [] if measure.title.casefold() == measure.name else [term(measure.title)]
        lines += [measure.name, *map(indented, [*title, *about(measure)]), ""]
    if named:
        say_lines(lines[:-1])
        return 0
    header = [term("measure"), term("better"), term("needs")]
    for family in Family:
        rows = [
            [measure.name, term(measure.better.value), joined(_all_needs(measure))]
            for measure in shown
            if measure.family is family
        ]
        if rows:
            lines += [term(family.value), *format_table(header, rows), ""]
    say_lines([*lines, term("Formula, options and reference: petaudit measures NAME")])
    return 0


def about(measure: Measure) -> list[str]:
    """Return what its class says of a measure; the head of its page in the documentation."""
    lines: list[str] = [term(measure.question), term(measure.meaning)]
    if measure.does_not_say:
        lines.append(phrase("does not say: {text}", text=term(measure.does_not_say)))
    lines.append(phrase("formula: {text}", text=term(measure.formula)))
    better = term(measure.better.value)
    if measure.better is Better.TRUE:
        lines.append(phrase("better: {better}", better=better))
    else:
        ends = dict(zip(("least", "most"), map(short, measure.range), strict=True))
        lines.append(phrase("better: {better}, from {least} to {most}", better=better, **ends))
    needs = _all_needs(measure)
    lines.append(phrase("needs: {needs}", needs=joined(needs) if needs else term("nothing else")))
    if measure.only_by_name:
        lines.append(phrase("left out unless named: {why}", why=term(measure.only_by_name)))
    if measure.limit_help:
        lines.append(phrase("limit: {meaning}", meaning=term(measure.limit_help)))
    for option in measure.options:
        name = f"{measure.name}.{option.name}"
        lines.append(phrase("option {name}: {meaning}", name=name, meaning=term(option.help)))
    return [*lines, phrase("reference: {text}", text=measure.reference)]


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


def policies(chosen: argparse.Namespace) -> int:
    """List the policies and what they demand, or tell all about some."""
    named = [known_policies.find_policy(name) for name in chosen.names]
    shown = named or [*known_policies.policies().values()]
    if chosen.format == "json":
        say_json([policy.to_dict() for policy in shown])
        return 0
    lines: list[str] = []
    for policy in named:
        explained = [policy.explanation] if policy.explanation else []
        lines += section(policy.name, [*policy.head, *explained, *policy.open_demands])
    if named:
        say_lines(lines[:-1])
        return 0
    rows = []
    for policy in shown:
        demands = joined([demand.rule for demand in policy.demands.values()], "; ")
        rows.append([policy.name, policy.date or "-", demands])
    say_lines(
        [
            *format_table([term("policy"), term("date"), term("demands")], rows),
            "",
            term("Source, scope and what is not measured: petaudit policies NAME"),
            term("Named limits for synthetic tables: petaudit mpuccs --profile"),
        ]
    )
    return 0


def datasets(chosen: argparse.Namespace) -> int:
    """List the bundled tables, or print where one lies."""
    if chosen.name is None:
        rows = [[dataset.name, f"{dataset.rows:,}", term(dataset.title)] for dataset in catalogue()]
        header = [term("name"), term("rows"), term("what it is")]
        say("\n".join(format_table(header, rows)) + "\n")
        return 0
    dataset = load(chosen.name)
    path: Path | None = dataset.path
    if chosen.hierarchies:
        path = dataset.hierarchies
        if path is None:
            raise InputError("{name} has no hierarchies", name=dataset.name)
    elif chosen.original:
        path = dataset.original
        if path is None:
            raise InputError("{name} has no original", name=dataset.name)
    # As it is: a shell passes it on.
    say(f"{path}\n")
    return 0


def schema(chosen: argparse.Namespace) -> int:
    """Print the JSON Schema of pipeline files, with the measures that are installed."""
    from petaudit.pipelines.json_schema import json_schema  # noqa: PLC0415 (brings pipelines)

    if chosen.out:
        write_text(Path(chosen.out), json_text(json_schema()) + "\n")
    else:
        say_json(json_schema())
    return 0
