"""``petaudit mpuccs``."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from petaudit._version import __version__
from petaudit.auditing.policy import Policy, find_policy
from petaudit.cli.arguments import delimiter_mark, whole_number
from petaudit.cli.mpuccs_files import checked_folder, write_tables
from petaudit.cli.mpuccs_text import as_text, verdict_text
from petaudit.cli.options import engine_of
from petaudit.cli.progress import search_progress
from petaudit.cli.render import coloured, finished, section
from petaudit.cli.report_files import FORMATS, Reports
from petaudit.cli.streams import as_json, say, takes_unicode, warnings_said
from petaudit.errors import InputError, OptionError, joined, listing, phrase, shortened, term
from petaudit.exact.fractions import exact
from petaudit.i18n.documents import phrases_in
from petaudit.i18n.phrases import translate
from petaudit.measures.mpuccs import NAME, MpuccsResult, checked_limit, find
from petaudit.singling.options import Options
from petaudit.system.files import Watch, unchanged
from petaudit.system.kinds import Integer, Number
from petaudit.tables import Source, open_source

DOCUMENT = "petaudit.mpuccs/1"
NO_DETAILS = phrase("there is no table of details: from a cluster only counts come")
COULD_NOT_MEASURE = 2


def run(chosen: argparse.Namespace) -> int:
    """Search, print the verdict and what is behind it, and write the tables."""
    with unchanged() as watch:
        return _run(chosen, watch)


def _run(chosen: argparse.Namespace, watch: Watch) -> int:
    given = _given_options(chosen)
    checked = _checked(given)
    reports = Reports.of(chosen)
    paths = [path for path in (chosen.original, chosen.synthetic, chosen.control) if path]
    folder = None if chosen.out is None else checked_folder(chosen.out, paths)
    policy = None if chosen.policy is None else _applied(chosen)
    if chosen.limit is not None or chosen.profile is not None:
        checked_limit(chosen.limit, chosen.profile, has_baseline=checked.calculate_baseline)
    tables = _opened(chosen)
    with warnings_said(), search_progress(quiet=chosen.quiet) as progress:
        options = Options.checked(**given, progress=progress)
        found = find(*tables, options=options).judged(limit=chosen.limit, profile=chosen.profile)
        is_wanted = folder is not None or reports.files or not chosen.quiet
        has_advice = not chosen.no_advice and is_wanted
        left_out = found.findings.why_no_changes if has_advice else None
        if left_out is not None:
            found = replace(found, warnings=(*found.warnings, left_out))
            has_advice = False
        if folder is not None and not found.findings.lists_rows:
            found = replace(found, warnings=(*found.warnings, NO_DETAILS))
        advice = found.changes if has_advice else []
    sources = [source for source in tables if source is not None]
    code = _exit_code(found)
    document = _document(found, sources, advice, given, code, policy)
    watch.check()
    if folder is not None:
        written = write_tables(found, folder, sources, document, reveal=chosen.reveal_values)
    read = [path for source in sources for path in source.files]
    read += [] if policy is None or policy.path is None else [policy.path]
    reports.write(document, read, chosen.synthetic)
    if chosen.format == "json":
        say(as_json(document, ascii_only=not takes_unicode()) + "\n")
        return code
    if chosen.format in FORMATS:
        say(reports.text(document, chosen.format, chosen.synthetic))
        return code
    text = verdict_text(found, code) if chosen.quiet else as_text(found, sources, advice, code)
    if policy is not None:
        text += "\n".join(finished(section(term("Policy"), policy.lines)))
    say(coloured(text))
    if not chosen.quiet:
        reports.say_written()
    if folder is not None and not chosen.quiet:
        told = phrase("wrote to {folder}: {files}", folder=folder, files=joined(written))
        say("\n".join(finished([told])) + "\n")
    return code


def _applied(chosen: argparse.Namespace) -> Policy:
    """The policy; its limit becomes the one that was asked for, unless that was tighter."""
    rule = find_policy(chosen.policy)
    others = [name for name in rule.demands if name != NAME]
    if others:
        raise OptionError(
            "the policy {policy} demands {measures}, which this command does not measure; "
            "petaudit check does",
            policy=rule.name,
            measures=listing(others),
        )
    given = {"limit": chosen.limit, "profile": chosen.profile}
    rule, options = rule.applied_to({NAME: given})
    chosen.limit = options[NAME]["limit"]
    return rule


def _opened(chosen: argparse.Namespace) -> tuple[Source, Source, Source | None]:
    with warnings_said():
        engine = engine_of(chosen)

    def opened(path: str) -> Source:
        source = open_source(
            path, delimiter=delimiter_mark(chosen.delimiter), encoding=chosen.encoding, **engine
        )
        if not source.rows:
            raise InputError("{name} has a header but no rows", name=source.name)
        return source

    control = None if chosen.control is None else opened(chosen.control)
    return opened(chosen.original), opened(chosen.synthetic), control


def _given_options(chosen: argparse.Namespace) -> dict[str, Any]:
    """The options of the search by their names in Python."""
    given: dict[str, Any] = {
        "deduplicate": not chosen.keep_duplicates,
        "calculate_baseline": not chosen.no_baseline,
        "datetime_precision": None,
        "search": chosen.search,
    }
    if chosen.max_cols.lower() != "all":
        if not re.fullmatch("0*[1-9][0-9]{0,8}", chosen.max_cols, re.ASCII):
            raise OptionError(
                "--max-cols is {text!r}; a whole number from 1, or all, was expected",
                text=shortened(chosen.max_cols),
            )
        given["max_baseline_cols"] = int(chosen.max_cols)
    for option in Options.declared().values():
        text = None if option.shown is None else getattr(chosen, option.name)
        if text is None:
            continue
        if isinstance(option.kind, Integer):
            given[option.name] = whole_number(text, option.flag)
        elif isinstance(option.kind, Number):
            given[option.name] = _decimal_number(text, option.flag)
        else:
            given[option.name] = text
    return given


def _decimal_number(text: str, option: str) -> float:
    if text.lower() in {"inf", "infinity"}:
        return float("inf")
    return float(exact(text, option))


def _checked(given: dict[str, Any]) -> Options:
    """Check the options; a message calls them by the names that were typed."""
    try:
        return Options.checked(**given)
    except OptionError as problem:
        name = problem.text.partition(" ")[0]
        if name not in given:
            raise
        typed = Options.declared()[name].flag
        # No translation changes the name of an option.
        raise OptionError(term(translate(problem.text).replace(name, typed, 1))) from None


def _exit_code(found: MpuccsResult) -> int:
    if found.undecided:
        return COULD_NOT_MEASURE
    return 1 if found.passed is False else 0


def _document(
    found: MpuccsResult,
    sources: Sequence[Source],
    advice: Sequence[dict[str, Any]],
    given: dict[str, Any],
    code: int,
    policy: Policy | None,
) -> dict[str, Any]:
    """The versioned document of ``--format json`` and ``summary.json``: no value of the data."""
    names = ("original", "synthetic", "control")
    document = {
        "document": DOCUMENT,
        "petaudit": __version__,
        "verdict": found.status,
        "exit_code": code,
        "inputs": {
            name: source.fingerprint() for name, source in zip(names, sources, strict=False)
        },
        "options": {
            # JSON knows no infinity.
            name: str(value) if isinstance(value, float) and math.isinf(value) else value
            for name, value in given.items()
        },
        **({} if policy is None else {"policies": [policy.to_dict()]}),
        "result": found.to_entry(),
        "combinations": [
            {"columns": list(columns), "rows_identified": identified, "rows_unique": unique}
            for columns, identified, unique in found.findings.worst_combinations(_MOST_COMBINATIONS)
        ],
        "changes": list(advice),
        "warnings": list(found.warnings),
    }
    return document | {"texts": phrases_in(document)}


_MOST_COMBINATIONS = 100
