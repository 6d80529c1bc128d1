"""How a run of a pipeline and a search for mpUCCs look on a terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from petaudit.auditing.text import (
    NO_LIMIT,
    VERDICTS,
    as_text,
    closing_lines,
    entry_of,
    figure_and_rule,
    judgement,
)
from petaudit.errors import Phrase, counted, joined, listing, phrase, term
from petaudit.judging.document import figure_of
from petaudit.reports.terminal import (
    ERROR,
    figure_text,
    format_table,
    indented,
    section,
    title_line,
    verdict_line,
)

if TYPE_CHECKING:
    from petaudit.measures.mpuccs import MpuccsResult
    from petaudit.pipelines.executor import Executor
    from petaudit.tables import Source

_MOST_EXPLAINED: Final = 10
_MOST_COMBINATIONS: Final = 10
_MOST_CHANGES: Final = 8


def run_text(executor: Executor) -> str:
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
        lines += [*format_table(header, [_run_row(entry, has_earlier) for entry in results]), ""]
    for entry in results[:_MOST_EXPLAINED]:
        lines += section(entry["run"] if len(results) > 1 else term("Why"), entry["explanation"])
    if len(results) > _MOST_EXPLAINED:
        more = counted(len(results) - _MOST_EXPLAINED, "run")
        lines += [phrase("The other {runs}: see explanation in the result.json", runs=more), ""]
    lines += section(term("Breaches"), _breaches(document))
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
        run_warnings(document),
        executor.pipeline.policies,
        document["open_questions"],
        document["problems"],
    )
    if executor.out is not None:
        title = phrase("Written to {folder}", folder=executor.out)
        lines += section(title, executor.file_names)
    return as_text([*lines, _run_verdict(document)])


def short_run_text(document: Mapping[str, Any]) -> str:
    """The breaches and the verdict."""
    lines = [indented(text) for text in (*_breaches(document), *document["problems"])]
    return as_text([*lines, _run_verdict(document)])


def run_warnings(document: Mapping[str, Any]) -> list[Phrase]:
    """What the reader should know about the figures, each thing once."""
    results = document["results"]
    texts = list(dict.fromkeys(text for entry in results for text in entry["warnings"]))
    for entry in results:
        comparison = entry["comparison"] or {}
        if comparison.get("status") == "new":
            reason = comparison["reason"]
            texts.append(
                phrase("{run} was not compared: {reason}", run=entry["run"], reason=reason)
            )
    return [phrase("warning: {text}", text=text) for text in texts]


def _run_row(entry: Mapping[str, Any], has_earlier: bool) -> list[str]:
    value, limit = figure_and_rule(entry)
    # With blanks, so that a narrow terminal breaks it between the modules.
    run = " ".join(f"{module}[{name}]" for module, name in entry["modules"].items())
    previous = figure_of((entry["comparison"] or {}).get("previous"))
    earlier = [figure_text(previous, None)[0]] if has_earlier else []
    return [entry["measure"], value, *earlier, limit, VERDICTS[entry["status"]], run]


def _breaches(document: Mapping[str, Any]) -> list[Phrase]:
    """Breaches of single runs; what is wrong with the table itself is said in a sentence."""
    entries = {entry["run"]: entry for entry in document["results"]}
    found = [breach for breach in document["breaches"] if breach["kind"] != "identifiers"]
    return [_breach_text(breach, entries[breach["run"]]) for breach in found]


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


def _run_verdict(document: Mapping[str, Any]) -> Phrase:
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


def mpuccs_text(
    found: MpuccsResult, sources: Sequence[Source], advice: Sequence[dict[str, Any]], code: int
) -> str:
    """The verdict, then the figures, the worst combinations, and what could be changed."""
    original, synthetic, *control = sources
    both = phrase(
        "{synthetic} against {original}",
        synthetic=Path(synthetic.name).name,
        original=Path(original.name).name,
    )
    sizes = [counted(synthetic.rows, "synthetic row"), counted(original.rows, "original row")]
    lines: list[str] = [title_line(both)]
    lines.append(joined([*sizes, counted(len(found.columns), "column")]))
    lines += [
        phrase(
            "control: {name}, {rows}", name=Path(source.name).name, rows=counted(source.rows, "row")
        )
        for source in control
    ]
    lines += ["", *_mpuccs_verdict(found, code), ""]
    header = [term("figure"), term("value"), term("limit"), term("verdict"), ""]
    lines += [*format_table(header, _mpuccs_figures(found)), ""]
    return as_text([*lines, *_combinations(found), *_changes(advice), *_notes(found)])


def short_mpuccs_text(found: MpuccsResult, code: int) -> str:
    """The verdict alone."""
    return as_text(_mpuccs_verdict(found, code))


def _mpuccs_verdict(found: MpuccsResult, code: int) -> list[str]:
    figure = term("identification rate") if _judges_rate(found) else term("risk score")
    if found.passed is None:
        what = NO_LIMIT
    elif found.undecided:
        what = phrase(
            "undecided: the {figure} is a lower bound, and it is within the limit", figure=figure
        )
    elif found.passed:
        what = phrase("the {figure} keeps the limit", figure=figure)
    else:
        what = phrase("the {figure} breaks the limit", figure=figure)
    return [verdict_line(what, code), *map(indented, found.explanation)]


def _judges_rate(found: MpuccsResult) -> bool:
    return found.figure == "identification_rate"


def _mpuccs_figures(found: MpuccsResult) -> list[list[str]]:
    figures, by_rate, nothing = found.figures, _judges_rate(found), ["-", "-"]
    value, rule = figure_and_rule(entry_of(found))
    judged = nothing
    if found.limit is not None:
        judged = [rule, ERROR if found.undecided else VERDICTS[found.status]]

    def bounded(figure: str) -> str:
        return figure if found.complete else phrase("at least {figure}", figure=figure)

    rows = []
    if found.findings.options.calculate_baseline:
        risk = f"{figures['privacy_risk_score']:.6g}" if by_rate else value
        verdict = nothing if by_rate else judged
        rows.append([term("risk score"), bounded(risk), *verdict, term("lower is better")])
    rate = value if by_rate else f"{figures['identification_rate']:.6g}"
    verdict = judged if by_rate else nothing
    rows.append([term("identification rate"), bounded(rate), *verdict, ""])
    identified = phrase(
        "{part:,} of {whole:,}",
        part=figures["total_identified"],
        whole=figures["total_syn_records"],
    )
    rows.append([term("identified rows"), bounded(identified), *nothing, found.findings.scope])
    excess = found.findings.excess
    if excess is not None and math.isfinite(excess.lower):
        interval = phrase(
            "95 % interval {lower:.4f} to {upper:.4f}", lower=excess.lower, upper=excess.upper
        )
        rows.append([term("excess over the control"), f"{excess.value:.4f}", *nothing, interval])
    return rows


def _combinations(found: MpuccsResult) -> list[str]:
    rows = [
        [f"{identified:,}", f"{unique:,}", " + ".join(columns)]
        for columns, identified, unique in found.findings.worst_combinations(_MOST_COMBINATIONS)
    ]
    title = term("Combinations that expose most rows (a row counts for the first that finds it)")
    header = [term("identified"), term("unique"), term("columns")]
    return [title, *format_table(header, rows), ""] if rows else []


def _changes(advice: Sequence[dict[str, Any]]) -> list[str]:
    if not advice:
        return []
    before, up_to = advice[0]["rows_before"], advice[0]["up_to_columns"]
    helpful = [change for change in advice if change["rows_after"] < before][:_MOST_CHANGES]
    harmful = [change for change in advice if change["rows_after"] > before][-3:]
    rows = [
        [
            f"{change['rows_after']:,}",
            f"{change['rows_after'] - before:+,}",
            change["column"],
            change["change"],
        ]
        for change in (*helpful, *harmful)
    ]
    title = phrase(
        "What changing one column would do (now {rows:,} identified, up to {columns} columns)",
        rows=before,
        columns=up_to,
    )
    header = [term("rows then"), term("difference"), term("column"), term("change")]
    return [title, *format_table(header, rows), ""] if rows else []


def _notes(found: MpuccsResult) -> list[str]:
    removed = [
        phrase("{number:,} in the original", number=found.removed_original),
        phrase("{number:,} in the synthetic table", number=found.removed_synthetic),
        phrase("{number:,} in the control", number=found.removed_control),
    ]
    numbers = (found.removed_original, found.removed_synthetic, found.removed_control)
    tables = listing([told for told, number in zip(removed, numbers, strict=True) if number])
    notes = [phrase("duplicates removed: {tables}", tables=tables)] if any(numbers) else []
    notes += [phrase("warning: {text}", text=text) for text in found.warnings]
    return section(term("Notes"), notes)
