"""``petaudit mpuccs``."""

from __future__ import annotations

import argparse
import re
from dataclasses import replace
from typing import Any, cast

from petaudit.auditing import run_measure
from petaudit.cli.arguments import delimiter_mark, whole_number
from petaudit.cli.mpuccs_files import checked_folder, write_tables
from petaudit.cli.options import engine_of
from petaudit.cli.progress import search_progress
from petaudit.cli.report_files import Reports
from petaudit.cli.result_text import mpuccs_text, short_mpuccs_text
from petaudit.cli.streams import say, warnings_said
from petaudit.errors import OptionError, joined, listing, phrase, shortened, term
from petaudit.exact.fractions import exact
from petaudit.i18n.phrases import translate
from petaudit.inputs import Inputs, gather
from petaudit.judging.document import MPUCCS, new_document, plain
from petaudit.judging.policy import Policy, find_policy
from petaudit.measures import find_measure
from petaudit.measures.mpuccs import NAME, MpuccsResult, checked_limit
from petaudit.reports.terminal import coloured, finished, section
from petaudit.singling.options import Options
from petaudit.system.files import Watch, unchanged
from petaudit.system.kinds import Integer, Number

NO_DETAILS = phrase("there is no table of details: from a cluster only counts come")
_MOST_COMBINATIONS = 100


def run(chosen: argparse.Namespace) -> int:
    """Search, print the verdict and what is behind it, and write the tables."""
    with unchanged() as watch:
        return _run(chosen, watch)


def _run(chosen: argparse.Namespace, watch: Watch) -> int:
    options = _given_options(chosen)
    _check(options)
    reports = Reports.of(chosen)
    paths = [path for path in (chosen.original, chosen.synthetic, chosen.control) if path]
    folder = None if chosen.out is None else checked_folder(chosen.out, paths)
    policy = None if chosen.policy is None else _applied(chosen)
    limits = {"limit": chosen.limit, "profile": chosen.profile}
    if any(value is not None for value in limits.values()):
        checked_limit(*limits.values(), has_baseline=options["calculate_baseline"])
    inputs = _opened(chosen)
    with warnings_said(), search_progress(quiet=chosen.quiet) as progress:
        outcome = run_measure(
            find_measure(NAME), replace(inputs, progress=progress), options | limits
        )
        if outcome.problem is not None and outcome.result is None:
            raise outcome.problem
        found = cast(MpuccsResult, outcome.result)
        is_wanted = folder is not None or reports.files or not chosen.quiet
        has_advice = not chosen.no_advice and is_wanted
        left_out = found.findings.why_no_changes if has_advice else None
        if left_out is not None:
            found = replace(found, warnings=(*found.warnings, left_out))
            has_advice = False
        if folder is not None and not found.findings.lists_rows:
            found = replace(found, warnings=(*found.warnings, NO_DETAILS))
        advice = found.changes if has_advice else []
    tables = {"original": inputs.original, "synthetic": inputs.table, "control": inputs.control}
    sources = {name: source for name, source in tables.items() if source is not None}
    content = {
        "inputs": {name: source.fingerprint() for name, source in sources.items()},
        "options": plain(options),
        **({} if policy is None else {"policies": [policy.to_dict()]}),
        "result": found.to_entry(),
        "combinations": [
            {"columns": list(columns), "rows_identified": identified, "rows_unique": unique}
            for columns, identified, unique in found.findings.worst_combinations(_MOST_COMBINATIONS)
        ],
        "changes": list(advice),
        "warnings": list(found.warnings),
    }
    document = new_document(MPUCCS, found.status, content)
    code: int = document["exit_code"]
    watch.check()
    read = [path for source in sources.values() for path in source.files]
    if folder is not None:
        written = write_tables(found, folder, read, document, reveal=chosen.reveal_values)
    read += [] if policy is None or policy.path is None else [policy.path]
    reports.write(document, read, chosen.synthetic)
    if chosen.format != "text":
        say(reports.shown(document, chosen.format, chosen.synthetic))
        return code
    if chosen.quiet:
        text = short_mpuccs_text(found, code)
    else:
        text = mpuccs_text(found, [*sources.values()], advice, code)
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


def _opened(chosen: argparse.Namespace) -> Inputs:
    with warnings_said():
        engine = engine_of(chosen)
    return gather(
        chosen.synthetic,
        original=chosen.original,
        control=chosen.control,
        delimiter=delimiter_mark(chosen.delimiter),
        encoding=chosen.encoding,
        use_side_car=False,
        announce_notes=False,
        **engine,
    )


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


def _check(options: dict[str, Any]) -> None:
    """Check the options; a message calls them by the names that were typed."""
    try:
        Options.checked(**options)
    except OptionError as problem:
        name = problem.text.partition(" ")[0]
        if name not in options:
            raise
        typed = Options.declared()[name].flag
        # No translation changes the name of an option.
        raise OptionError(term(translate(problem.text).replace(name, typed, 1))) from None
