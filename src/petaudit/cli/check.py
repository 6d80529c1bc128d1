"""``petaudit check``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from petaudit.auditing import Audit, audit
from petaudit.cli.arguments import given_roles, option_value, split_names, split_pairs
from petaudit.cli.render import as_json, as_text, emit
from petaudit.errors import OptionError


def run(chosen: argparse.Namespace) -> int:
    """Measure a table and print the result."""
    options = measure_options(chosen)
    found = audit(
        chosen.table,
        measures=split_names(chosen.measures) if chosen.measures is not None else None,
        options=options,
        original=chosen.original,
        roles=given_roles(
            quasi_identifiers=chosen.qi,
            sensitive=chosen.sensitive,
            identifiers=chosen.identifier,
            insensitive=chosen.insensitive,
        ),
        hierarchies=chosen.hierarchies,
        key=chosen.key,
        suppressed=chosen.suppressed,
        reveal_values=chosen.reveal_values,
        delimiter=_delimiter(chosen.delimiter),
        encoding=chosen.encoding,
    )
    return show(found, chosen)


def show(found: Audit, chosen: argparse.Namespace) -> int:
    """Print an audit in the chosen format and say aloud what could not be measured."""
    text = as_json(found) if chosen.format == "json" else as_text(found)
    emit(text, Path(chosen.out) if chosen.out else None, found)
    return found.exit_code


def measure_options(chosen: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Collect the limits and options of all measures."""
    options: dict[str, dict[str, Any]] = {}

    def put(measure: str, name: str, value: Any) -> None:
        own = options.setdefault(measure, {})
        if name in own:
            raise OptionError(f"the {name} of {measure} is given twice")
        own[name] = value

    for measure, limit in (
        ("t-closeness", chosen.t),
        ("precision", chosen.min_precision),
        ("non-uniform-entropy", chosen.min_entropy),
    ):
        if limit is not None:
            put(measure, "limit", limit)
    for name in ("cost", "gain", "loss", "benefit"):
        if getattr(chosen, name) is not None:
            put("profitability", name, getattr(chosen, name))
    if chosen.no_attack:
        put("profitability", "allow_attack", False)
    if chosen.distance:
        put("t-closeness", "distance", _distances(chosen.distance))
    for measure, limit in split_pairs(chosen.limit, "--limit").items():
        put(measure, "limit", limit)
    for path, value in split_pairs(chosen.option, "--option").items():
        measure, dot, name = path.partition(".")
        if not dot:
            raise OptionError(f"--option {path}={value}: MEASURE.NAME=VALUE was expected")
        put(measure, name, option_value(value))
    return options


def _distances(given: list[str]) -> str | dict[str, str]:
    if len(given) == 1 and "=" not in given[0]:
        return given[0].strip()
    return split_pairs(given, "--distance")


def _delimiter(given: str | None) -> str | None:
    return {"tab": "\t", "\\t": "\t"}.get(given, given) if given is not None else None
