"""``petaudit check``, and ``petaudit demo`` on a bundled table."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from petaudit.auditing import Audit, audit
from petaudit.auditing.text import by_reason
from petaudit.cli.arguments import inputs_of, option_value, split_names, split_options, split_pairs
from petaudit.cli.breaking_rows import write_rows
from petaudit.cli.options import engine_of
from petaudit.cli.report import Reports, write_text
from petaudit.cli.streams import complain_of_error, printed_warnings, say
from petaudit.datasets import load
from petaudit.errors import OptionError
from petaudit.judging.gate import ERROR
from petaudit.measures import find_measure
from petaudit.reports.terminal import coloured
from petaudit.reports.text import screen_text
from petaudit.reports.verdict import verdict_text
from petaudit.reports.writing import FORMATS
from petaudit.system.output import refuse_inputs

_DEMO: Final[Mapping[str, Mapping[str, Any]]] = {
    "k-anonymity": {"limit": 5},
    "t-closeness": {"limit": "0.7"},
    "precision": {"limit": "0.4"},
    "non-uniform-entropy": {"limit": "0.4"},
    "profitability": {"cost": 4, "gain": 300, "loss": 300, "benefit": 1200},
}


def check(chosen: argparse.Namespace) -> int:
    """Measure a table and print the result."""
    options = measure_options(chosen)
    reports = Reports.of(chosen)
    with printed_warnings():
        engine = engine_of(chosen)
        release = audit(
            chosen.table,
            measures=split_names(chosen.measures) if chosen.measures is not None else None,
            options=options,
            policy=chosen.policy,
            strict=chosen.strict,
            person_is_pseudonym=chosen.person_is_pseudonym or None,
            advice=not chosen.no_advice,
            reveal_values=chosen.reveal_values,
            **engine,
            **inputs_of(chosen),
        )
    if chosen.rows is not None:
        write_rows(release, Path(chosen.rows))
    return show(release, chosen, reports)


def demo(chosen: argparse.Namespace) -> int:
    """Audit the bundled de-identified Adult table with all measures."""
    reports = Reports.of(chosen)
    adult = load("adult-deidentified")
    release = audit(
        adult.path,
        original=adult.original,
        hierarchies=adult.hierarchies,
        quasi_identifiers=adult.quasi_identifiers,
        sensitive=adult.sensitive,
        options=_DEMO,
        reveal_values=chosen.reveal_values,
    )
    return show(release, chosen, reports)


def show(release: Audit, chosen: argparse.Namespace, reports: Reports) -> int:
    """Print an audit in the chosen format, or write it if everything asked for was measured."""
    target = Path(chosen.out) if chosen.out else None
    location = getattr(chosen, "table", None)
    if target is not None:
        refuse_inputs(target, release.files)
    if chosen.format == "text":
        view = release.view
        text = verdict_text(view)
        if not chosen.quiet:
            below = 0 if target is not None else len(reports.files)
            tables = release.screen_tables
            text = screen_text(view, offered=tables, details=chosen.details, below=below)
        text = text if target is not None else coloured(text)
    else:
        to_file = target is not None
        text = reports.shown(release.to_dict(), chosen.format, location, to_file=to_file)
    document = release.to_dict() if reports.files else {}
    # Words and pictures may come from a look at the table, too.
    release.check_unchanged()
    if target is None:
        say(text)
    elif chosen.format in FORMATS or release.verdict != ERROR:
        # A report says that nothing was decided; a table of figures could be taken for more.
        write_text(target, text)
    if reports.files:
        reports.write(document, release.files, location)
        if target is None and chosen.format == "text" and not chosen.quiet:
            reports.say_written()
    if release.verdict == ERROR:
        asked_for = [entry for entry in release.not_measured if entry.asked_for]
        reasons: Sequence[str] = by_reason(
            asked_for or release.not_measured, with_rows=True, reveal=chosen.reveal_values
        )
        if release.results and not asked_for:
            # Everything was measured, and --strict wants every question answered.
            reasons = release.open_questions
        for reason in reasons:
            complain_of_error(reason)
    return release.exit_code


def measure_options(chosen: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Collect the limits and options of all measures."""
    options: dict[str, dict[str, Any]] = {}

    def put(measure_name: str, name: str, value: Any) -> None:
        measure = find_measure(measure_name).name
        chosen_options = options.setdefault(measure, {})
        if name in chosen_options:
            raise OptionError("the {name} of {measure} is given twice", name=name, measure=measure)
        chosen_options[name] = value

    for measure, limit in (
        ("k-anonymity", chosen.k),
        ("l-diversity", chosen.l),
        ("t-closeness", chosen.t),
        ("precision", chosen.min_precision),
        ("non-uniform-entropy", chosen.min_entropy),
    ):
        if limit is not None:
            put(measure, "limit", limit)
    if chosen.max_risk is not None:
        put("prosecutor-risk", "limit", chosen.max_risk)
        put("prosecutor-risk", "figure", "highest")
    for name in ("cost", "gain", "loss", "benefit"):
        if getattr(chosen, name) is not None:
            put("profitability", name, getattr(chosen, name))
    if chosen.no_attack:
        put("profitability", "allow_attack", False)
    if chosen.distance:
        first, *others = chosen.distance
        is_for_all = not others and "=" not in first
        pairs = {} if is_for_all else split_pairs(chosen.distance, "--distance")
        put("t-closeness", "distance", first.strip() if is_for_all else pairs)
    for measure, limit in split_pairs(chosen.limit, "--limit").items():
        put(measure, "limit", limit)
    for path, value in split_options(chosen.option, "--option").items():
        measure, dot, name = path.partition(".")
        if not dot:
            raise OptionError(
                "--option {path}={value}: expected MEASURE.NAME=VALUE", path=path, value=value
            )
        put(measure, name, option_value(value))
    return options
