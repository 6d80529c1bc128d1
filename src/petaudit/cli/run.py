"""``petaudit run``, and how a run looks on a terminal."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from petaudit.auditing.text import NO_LIMIT, VERDICTS, closing_lines, figure_and_rule, judgement
from petaudit.cli.options import engine_of
from petaudit.cli.progress import run_progress
from petaudit.cli.report import Reports
from petaudit.cli.streams import complain, complain_of_error, printed_warnings, say
from petaudit.errors import (
    OptionError,
    PetauditError,
    Phrase,
    counted,
    joined,
    phrase,
    revealed,
    term,
)
from petaudit.judging.document import figure_of
from petaudit.pipelines.configuration import default_folder
from petaudit.pipelines.executor import Executor
from petaudit.reports.advice import advice_lines, read_advice
from petaudit.reports.terminal import (
    as_text,
    coloured,
    figure_text,
    format_table,
    indented,
    section,
    title_line,
    verdict_line,
)
from petaudit.tables import remove_orphans

_MOST_EXPLAINED: Final = 10


def run(chosen: argparse.Namespace) -> int:
    """Run a pipeline, print what it found, and say by the exit code whether the gate is open."""
    if chosen.out == "":
        raise OptionError("--out is empty; name a folder")
    path = Path(chosen.pipeline)
    reports = Reports.of(chosen)
    remove_orphans()
    with printed_warnings(), run_progress(quiet=chosen.quiet) as listener:
        engine = engine_of(chosen)
        executor = Executor(
            path,
            out=chosen.out or default_folder(path),
            resume=chosen.resume,
            reveal_values=chosen.reveal_values,
            overrides=chosen.set,
            only=chosen.only or (),
            listener=listener,
            log_stream="stderr",
            keep_results=False,
            strict=chosen.strict,
            **engine,
        )
        try:
            executor.run()
        except (KeyboardInterrupt, PetauditError):
            if executor.has_kept_results:
                complain(term("finished runs were kept; continue with --resume"))
            raise
    document = executor.document
    if chosen.format != "text":
        say(reports.shown(document, chosen.format, chosen.pipeline))
    elif chosen.quiet:
        for warning in (*_warnings(document), *document["open_questions"]):
            complain(warning)
        say(coloured(_short_text(document)))
    else:
        say(coloured(_run_text(executor)))
    reports.write(document, [path, *executor.files], chosen.pipeline)
    if chosen.format == "text" and not chosen.quiet:
        reports.say_written()
    for error in document["errors"]:
        reason = executor.messages.get(error["run"], error["reason"])
        if chosen.reveal_values:
            # The terminal may show a few labels, which the document may not.
            reason = revealed(reason)
        complain_of_error(phrase("{names}: {reason}", names=error["run"], reason=reason))
    if document["verdict"] == "error" and not document["errors"]:
        for question in document["open_questions"]:
            complain_of_error(question)
    return int(document["exit_code"])


def _run_text(executor: Executor) -> str:
    """A table of runs, what is behind the figures, the breaches, and the verdict last."""
    document, results = executor.document, executor.document["results"]
    tables = counted(len(document["inputs"]), "table")
    runs = counted(len(executor.runs), "run")
    lines: list[str] = [
        title_line(document["configuration"]["name"]),
        phrase("{runs} on {tables}", runs=runs, tables=tables),
        *(f"  --set {change}" for change in document["configuration"]["set"]),
        "",
    ]
    if results:
        has_earlier = document["compare_to"] is not None
        earlier = [term("before")] if has_earlier else []
        header = [term("measure"), term("value"), *earlier]
        header += [term("limit"), term("verdict"), term("run")]
        lines += [*format_table(header, [_row(entry, has_earlier) for entry in results]), ""]
    for entry in results[:_MOST_EXPLAINED]:
        lines += section(entry["run"] if len(results) > 1 else term("Why"), entry["explanation"])
    if len(results) > _MOST_EXPLAINED:
        more = counted(len(results) - _MOST_EXPLAINED, "run")
        lines += [phrase("The other {runs}: see explanation in the result.json", runs=more), ""]
    lines += section(term("Breaches"), _breaches(document))
    lines += section(term("What to do"), advice_lines(read_advice(document)))
    failed = [entry for entry in results if entry["status"] == "error"]
    rules = [phrase("policy {name}", name=policy["name"]) for policy in document["policies"]]
    runs_measured = {entry["run"] for entry in results}
    gone = [entry for entry in document["errors"] if entry["run"] not in runs_measured]
    for title, entries in (
        (term("Not measured"), [entry for entry in failed if entry["value"] is None]),
        (term("Not decided"), [entry for entry in failed if entry["value"] is not None]),
        (term("Not compared"), [entry for entry in gone if entry["run"] not in rules]),
        (term("Not evaluated"), [entry for entry in gone if entry["run"] in rules]),
    ):
        reasons = [
            phrase("{names}: {reason}", names=entry["run"], reason=entry["reason"])
            for entry in entries
        ]
        lines += section(title, reasons)
    lines += closing_lines(
        _warnings(document),
        executor.pipeline.policies,
        document["open_questions"],
        document["problems"],
    )
    if executor.out is not None:
        title = phrase("Written to {folder}", folder=executor.out)
        lines += section(title, executor.file_names)
    return as_text([*lines, _verdict(document)])


def _short_text(document: Mapping[str, Any]) -> str:
    """The breaches and the verdict."""
    lines = [indented(text) for text in (*_breaches(document), *document["problems"])]
    return as_text([*lines, _verdict(document)])


def _warnings(document: Mapping[str, Any]) -> list[Phrase]:
    """What the reader should know about the figures, each thing once."""
    results = document["results"]
    texts = list(dict.fromkeys(text for entry in results for text in entry["warnings"]))
    texts += [
        phrase("{run} was not compared: {reason}", run=entry["run"], reason=comparison["reason"])
        for entry in results
        for comparison in [entry["comparison"] or {}]
        if comparison.get("status") == "new"
    ]
    return [phrase("warning: {text}", text=text) for text in texts]


def _row(entry: Mapping[str, Any], has_earlier: bool) -> list[str]:
    value, limit = figure_and_rule(entry)
    # With blanks, so that a narrow terminal breaks it between the modules.
    run = " ".join(f"{module}[{name}]" for module, name in entry["modules"].items())
    previous = figure_of((entry["comparison"] or {}).get("previous"))
    earlier = [figure_text(previous, None)[0]] if has_earlier else []
    return [entry["measure"], value, *earlier, limit, VERDICTS[entry["status"]], run]


def _breaches(document: Mapping[str, Any]) -> list[Phrase]:
    """Breaches of single runs; what is wrong with the table itself is said in a sentence."""
    entries = {entry["run"]: entry for entry in document["results"]}
    return [
        _breach_text(breach, entries[breach["run"]])
        for breach in document["breaches"]
        if breach["kind"] != "identifiers"
    ]


def _breach_text(breach: Mapping[str, Any], entry: Mapping[str, Any]) -> Phrase:
    """One breach: figure, limit and where."""
    where = breach["run"]
    if breach["line"] is not None:
        where = phrase("{run}, line {line}", run=breach["run"], line=breach["line"])
    value, rule = figure_and_rule(entry)
    fields = {"measure": breach["measure"], "value": value, "rule": rule, "where": where}
    if breach["kind"] == "limit" and breach["profile"] is None:
        return phrase("{measure} is {value}, must be {rule} ({where})", **fields)
    if breach["kind"] == "limit":
        return phrase(
            "{measure} is {value}, must be {rule} for the profile {profile} ({where})",
            **fields,
            profile=breach["profile"],
        )
    value, before = figure_text(figure_of(breach["value"]), figure_of(breach["limit"]))
    worse, allowed = figure_text(figure_of(breach["worsening"]), breach["allowed"])
    return phrase(
        "{measure} was {before} and is {value}: worse by {worse}, allowed is {allowed} ({where})",
        measure=breach["measure"],
        before=before,
        value=value,
        worse=worse,
        allowed=allowed,
        where=where,
    )


def _verdict(document: Mapping[str, Any]) -> Phrase:
    results, errors = document["results"], document["errors"]
    broken = _breaches(document)
    breaches = counted(len(broken), "breach", "breaches")
    unmeasured = None
    if not results:
        unmeasured = term("there is no Evaluator, so nothing was measured")
    elif errors and broken:
        unmeasured = phrase(
            "{runs} could not be measured or compared, {breaches}",
            runs=counted(len(errors), "run"),
            breaches=breaches,
        )
    elif errors:
        runs = counted(len(errors), "run")
        unmeasured = phrase("{runs} could not be measured or compared", runs=runs)
    in_runs = phrase("{breaches} in {runs}", breaches=breaches, runs=counted(len(results), "run"))
    runs = counted(sum(entry["status"] != "measured" for entry in results), "run")
    held = phrase("no breach in {runs} with a limit", runs=runs)
    if document["compare_to"] is not None:
        held = phrase("no breach in {runs} with a limit or an earlier figure", runs=runs)
    if document["open_questions"]:
        held = phrase("{held}, with open questions", held=held)
    if all(entry["status"] == "measured" for entry in results):
        held = NO_LIMIT
    judged = judgement(
        unmeasured,
        in_runs if broken else None,
        held,
        problems=document["problems"],
        verdict=document["verdict"],
    )
    parts = [judged]
    new = sum((entry["comparison"] or {}).get("status") == "new" for entry in results)
    if new:
        parts.append(phrase("{runs} without an earlier figure", runs=counted(new, "run")))
    left_out = document["configuration"]["runs_left_out"]
    if left_out:
        parts.append(phrase("{runs} left out by --only", runs=counted(left_out, "run")))
    return verdict_line(joined(parts, "; "), document["exit_code"])
