"""How results look on a terminal: of a check, of a pipeline, and of a search for mpUCCs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from petaudit.cli.folding import terminal_width
from petaudit.cli.render import (
    ERROR,
    FAIL,
    PASS,
    figure_text,
    finished,
    format_table,
    indented,
    section,
    title_line,
    verdict_line,
)
from petaudit.errors import Phrase, counted, joined, listing, phrase, revealed, term
from petaudit.judging.document import figure_of
from petaudit.judging.gate import ERROR as UNDECIDED
from petaudit.measures import Family, Result, all_measures, find_measure
from petaudit.measures.limits import limit_rule

if TYPE_CHECKING:
    from petaudit.auditing import Audit, NotMeasured
    from petaudit.judging.policy import Policy
    from petaudit.measures.mpuccs import MpuccsResult
    from petaudit.pipelines.executor import Executor
    from petaudit.tables import Source

_VERDICTS: Final = {"passed": PASS, "failed": FAIL, "error": ERROR, "measured": "-"}
_NO_LIMIT: Final = term("no limit was given, so nothing was judged")
_MOST_COLUMNS: Final = 100
_FEW: Final = 6
_MOST_EXPLAINED: Final = 10
_MOST_COMBINATIONS: Final = 10
_MOST_CHANGES: Final = 8


def check_text(found: Audit, *, details: bool = False) -> str:
    """A table of measures, the reasons below it, and the verdict last."""
    table, roles = found.inputs.table, found.inputs.roles
    lines: list[str] = [title_line(Path(table.name).name)]
    lines.append(joined([counted(table.rows, "row"), counted(len(table.columns), "column")]))
    if found.columns.summary is not None:
        without_role = phrase("columns without a role: {columns}", columns=found.columns.summary)
        lines.append(indented(without_role))
    for title, columns in (
        (term("quasi-identifiers"), roles.quasi_identifiers),
        (term("sensitive"), roles.sensitive),
        (term("person"), (found.inputs.person,) if found.inputs.person is not None else ()),
    ):
        if columns:
            names = listing(columns, _MOST_COLUMNS)
            lines.append(indented(phrase("{title}: {columns}", title=title, columns=names)))
    lines.append("")
    failed = [entry for entry in found.not_measured if entry.asked_for]
    left_out = [entry for entry in found.not_measured if not entry.asked_for]
    rows = {result.measure: _measure_row(result) for result in found.results}
    rows |= {entry.measure: [entry.measure, "-", "-", ERROR, ""] for entry in failed}
    if rows:
        lines += [*_table_by_family(rows), ""]
    few = len(found.results) <= _FEW or found.options.get("measures") is not None
    # Judged figures are explained, and all where they are few or were asked for by name.
    explained = [result for result in found.results if details or few or result.passed is not None]
    for result in explained:
        title = term(find_measure(result.measure).title)
        lines += section(title, [*result.explanation, *_worst_classes(result)])
    if len(explained) < len(found.results):
        some = term("What is behind the other figures: --details")
        lines += [some if explained else term("What is behind the figures: --details"), ""]
    lines += section(
        term("Left out"),
        [
            phrase("{names}: {reason}", names=entry.measure, reason=entry.reason)
            for entry in left_out
        ],
    )
    lines += section(term("Not measured"), by_reason(failed))
    lines += _closing(
        [phrase("warning: {text}", text=text) for text in found.warnings],
        [] if found.policy is None else [found.policy],
        found.open_questions,
        found.problems,
    )
    limited = [result for result in found.results if result.passed is not None]
    breached = sum(result.passed is False for result in limited)
    judgement = _judgement(
        term("could not be measured as asked") if failed or not found.results else None,
        phrase("{breached} of {limits} limits breached", breached=breached, limits=len(limited))
        if breached
        else None,
        _holds(len(limited), found.open_questions) if limited else _NO_LIMIT,
        problems=found.problems,
        verdict=found.verdict,
    )
    lines.append(verdict_line(judgement, found.exit_code))
    return _text(lines)


def by_reason(
    entries: Iterable[NotMeasured], *, with_rows: bool = False, reveal: bool = False
) -> list[Phrase]:
    """The names of measures and why they gave no figure, each reason once.

    The numbers of rows and values of the data are for the owner.
    """
    names: dict[str, list[str]] = {}
    for entry in entries:
        reason = entry.problem.text if with_rows else entry.reason
        names.setdefault(revealed(reason) if reveal else reason, []).append(entry.measure)
    return [
        phrase("{names}: {reason}", names=joined(measures), reason=reason)
        for reason, measures in names.items()
    ]


def _text(lines: Iterable[str]) -> str:
    return "\n".join(finished(lines)) + "\n"


def _closing(
    warnings: Sequence[str],
    policies: Iterable[Policy],
    questions: Sequence[str],
    problems: Sequence[str],
) -> list[str]:
    """What the reader should know beside the figures."""
    lines = section(term("Warnings"), warnings)
    for policy in policies:
        lines += section(term("Policy"), policy.lines)
    lines += section(term("Open questions"), questions)
    return [*lines, *section(term("Not to be released"), problems)]


def _judgement(
    unmeasured: Phrase | None,
    broken: Phrase | None,
    held: Phrase,
    *,
    problems: Sequence[str],
    verdict: str,
) -> Phrase:
    """Why the verdict is what it is; the worst counts."""
    if unmeasured is not None:
        return unmeasured
    reasons = [term("the table still names people")] if problems else []
    reasons += [] if broken is None else [broken]
    if reasons:
        return joined(reasons)
    if verdict == UNDECIDED:
        return term("open questions, which --strict does not allow")
    return held


def _holds(limits: int, questions: Sequence[str]) -> Phrase:
    if questions and limits == 1:
        return term("the limit holds, with open questions")
    if questions:
        return phrase("{limits} limits hold, with open questions", limits=limits)
    if limits == 1:
        return term("the limit holds")
    return phrase("all {limits} limits hold", limits=limits)


def _table_by_family(rows: Mapping[str, Sequence[str]]) -> list[str]:
    """One table with a line above each family, where there are several."""
    families: dict[Family, list[Sequence[str]]] = {}
    for name in sorted(rows, key=list(all_measures()).index):
        families.setdefault(find_measure(name).family, []).append(rows[name])
    ordered = [row for group in families.values() for row in group]
    columns = [term("measure"), term("value"), term("limit"), term("verdict"), term("better")]
    header, line, *shown = format_table(columns, ordered)
    if len(line) > terminal_width():
        # A limit tells the direction, too, and `petaudit measures` does.
        header, line, *shown = format_table(columns[:-1], [row[:-1] for row in ordered])
    if len(families) == 1:
        return [header, line, *shown]
    lines = [header, line]
    for family, group in families.items():
        lines += [phrase("{family}:", family=term(family.value)), *shown[: len(group)]]
        del shown[: len(group)]
    return lines


def _entry(result: Result) -> dict[str, Any]:
    """What the table shows of a result, as documents have it."""
    return {
        "value": result.value,
        "exact_value": getattr(result, "exact_value", None),
        "limit": result.limit,
        "limit_exact": result.limit_exact,
        "better": result.better.value,
        "strict": result.is_strict,
        "conditions": result.conditions,
        "status": result.status,
    }


def _measure_row(result: Result) -> list[str]:
    value, limit = _figure(_entry(result))
    return [result.measure, value, limit, _VERDICTS[result.status], term(result.better.value)]


def _figure(entry: Mapping[str, Any]) -> tuple[str, str]:
    """The figure and its rule, with as many digits as it takes to tell them apart."""
    value, bound = figure_text(figure_of(entry["value"]), entry["limit"])
    bound = entry.get("limit_exact") or bound
    if entry["limit"] is None:
        return value, term("true") if entry["better"] == "true" else bound
    if value == bound and entry["status"] != "passed" and entry.get("exact_value") is not None:
        # They differ beyond the last digit of a float.
        value = str(entry["exact_value"])
    rule = limit_rule(entry["better"], strict=bool(entry["strict"]), limit=bound)
    return value, joined([rule, *entry["conditions"]])


def _worst_classes(result: Result) -> list[str]:
    """The quasi-identifier values of the worst classes, where the user asked for them."""
    return [
        phrase(
            "{attribute} {figure:.6g} in {rows}: {labels}",
            attribute=attribute.attribute,
            figure=worst.figure,
            rows=counted(worst.rows, "row"),
            labels=joined([f"{name} = {label}" for name, label in worst.labels.items()]),
        )
        for attribute in getattr(result, "attributes", ())
        for worst in attribute.worst_classes
        if worst.labels is not None
    ]


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
    lines += _closing(
        run_warnings(document),
        executor.pipeline.policies,
        document["open_questions"],
        document["problems"],
    )
    if executor.out is not None:
        title = phrase("Written to {folder}", folder=executor.out)
        lines += section(title, executor.file_names)
    return _text([*lines, _run_verdict(document)])


def short_run_text(document: Mapping[str, Any]) -> str:
    """The breaches and the verdict."""
    lines = [indented(text) for text in (*_breaches(document), *document["problems"])]
    return _text([*lines, _run_verdict(document)])


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
    value, limit = _figure(entry)
    # With blanks, so that a narrow terminal breaks it between the modules.
    run = " ".join(f"{module}[{name}]" for module, name in entry["modules"].items())
    previous = figure_of((entry["comparison"] or {}).get("previous"))
    earlier = [figure_text(previous, None)[0]] if has_earlier else []
    return [entry["measure"], value, *earlier, limit, _VERDICTS[entry["status"]], run]


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
    value, rule = _figure(entry)
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
        held = _NO_LIMIT
    judgement = _judgement(
        unmeasured,
        in_runs if broken else None,
        held,
        problems=document["problems"],
        verdict=document["verdict"],
    )
    parts = [judgement]
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
    return _text([*lines, *_combinations(found), *_changes(advice), *_notes(found)])


def short_mpuccs_text(found: MpuccsResult, code: int) -> str:
    """The verdict alone."""
    return _text(_mpuccs_verdict(found, code))


def _mpuccs_verdict(found: MpuccsResult, code: int) -> list[str]:
    figure = term("identification rate") if _judges_rate(found) else term("risk score")
    if found.passed is None:
        what = _NO_LIMIT
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
    value, rule = _figure(_entry(found))
    judged = nothing
    if found.limit is not None:
        judged = [rule, ERROR if found.undecided else _VERDICTS[found.status]]

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
    rows.append([term("identified rows"), bounded(identified), *nothing, found.scope])
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
