"""How an audit looks on a terminal: a table of measures, what is behind them, and the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from petaudit.errors import Phrase, argument, counted, joined, listing, phrase, revealed, term
from petaudit.i18n.phrases import translate
from petaudit.i18n.text import terminal_width
from petaudit.judging.document import figure_of
from petaudit.judging.gate import ERROR as UNDECIDED
from petaudit.measures import Family, Result, all_measures, find_measure
from petaudit.measures.limits import limit_rule
from petaudit.reports.advice import advice_lines
from petaudit.reports.terminal import (
    ERROR,
    FAIL,
    PASS,
    as_text,
    figure_text,
    format_table,
    indented,
    section,
    title_line,
    verdict_line,
)

if TYPE_CHECKING:
    from petaudit.auditing.runner import Audit, NotMeasured
    from petaudit.judging.policy import Policy

VERDICTS: Final = {"passed": PASS, "failed": FAIL, "error": ERROR, "measured": "-"}
NO_LIMIT: Final = term("no limit was given, so nothing was judged")
_SUMMARIES: Final = {
    "passed": term("passed"),
    "failed": term("failed"),
    "error": term("undecided"),
    "measured": term("measured"),
}
_MOST_COLUMNS: Final = 100
_FEW: Final = 6


def check_text(audit: Audit, *, details: bool = False, is_command: bool = True) -> str:
    """A table of measures, the reasons below it, and the verdict last."""
    table, roles = audit.inputs.table, audit.inputs.roles
    lines: list[str] = [title_line(Path(table.name).name)]
    lines.append(joined([counted(table.rows, "row"), counted(len(table.columns), "column")]))
    if audit.columns.summary is not None:
        without_role = phrase("columns without a role: {columns}", columns=audit.columns.summary)
        lines.append(indented(without_role))
    for title, columns in (
        (term("quasi-identifiers"), roles.quasi_identifiers),
        (term("sensitive"), roles.sensitive),
        (term("person"), (audit.inputs.person,) if audit.inputs.person is not None else ()),
    ):
        if columns:
            names = listing(columns, _MOST_COLUMNS)
            lines.append(indented(phrase("{title}: {columns}", title=title, columns=names)))
    lines.append("")
    failed = [entry for entry in audit.not_measured if entry.asked_for]
    left_out = [entry for entry in audit.not_measured if not entry.asked_for]
    rows = {result.measure: _measure_row(result) for result in audit.results}
    rows |= {entry.measure: [entry.measure, "-", "-", ERROR, ""] for entry in failed}
    if rows:
        lines += [*_table_by_family(rows), ""]
    few = len(audit.results) <= _FEW or audit.options.get("measures") is not None
    # Judged figures are explained, and all where they are few or were asked for by name.
    explained = [result for result in audit.results if details or few or result.passed is not None]
    for result in explained:
        title = term(find_measure(result.measure).title)
        lines += section(title, [*result.explanation, *_worst_classes(result)])
    if is_command and len(explained) < len(audit.results):
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
    lines += section(term("What to do"), advice_lines(audit.advice, is_command=is_command))
    lines += closing_lines(
        [phrase("warning: {text}", text=text) for text in audit.warnings],
        [] if audit.policy is None else [audit.policy],
        audit.open_questions,
        audit.problems,
    )
    limited = [result for result in audit.results if result.passed is not None]
    breached = sum(result.passed is False for result in limited)
    reason = judgement(
        term("could not be measured as requested") if failed or not audit.results else None,
        phrase("{breached} of {limits} limits breached", breached=breached, limits=len(limited))
        if breached
        else None,
        limits_hold(len(limited), audit.open_questions) if limited else NO_LIMIT,
        problems=audit.problems,
        verdict=audit.verdict,
    )
    lines.append(verdict_line(reason, audit.exit_code))
    return as_text(lines)


def summary_text(audit: Audit) -> str:
    """Return the verdict and what breaks it, in a line."""
    reasons = [
        phrase(
            "{measure} is {value}, must be {rule}", measure=result.measure, value=value, rule=rule
        )
        for result in audit.results
        if result.passed is False
        for value, rule in [figure_and_rule(entry_of(result))]
    ]
    reasons += by_reason(entry for entry in audit.not_measured if entry.asked_for)
    others = [*audit.problems]
    if audit.verdict == UNDECIDED and not reasons:
        others += audit.open_questions
    verdict = _SUMMARIES[audit.verdict]
    if not reasons and not others:
        return translate(verdict)
    return translate(
        phrase("{verdict}: {reasons}", verdict=verdict, reasons=joined([*reasons, *others], "; "))
    )


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


def closing_lines(
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
    return [*lines, *section(term("Reasons not to release"), problems)]


def judgement(
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
        option = argument("strict").rstrip("=")
        return phrase("open questions, which {option} does not allow", option=option)
    return held


def limits_hold(limits: int, questions: Sequence[str]) -> Phrase:
    """Say that all limits hold, and whether anything is open."""
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


def entry_of(result: Result) -> dict[str, Any]:
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
    value, limit = figure_and_rule(entry_of(result))
    return [result.measure, value, limit, VERDICTS[result.status], term(result.better.value)]


def figure_and_rule(entry: Mapping[str, Any]) -> tuple[str, str]:
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
