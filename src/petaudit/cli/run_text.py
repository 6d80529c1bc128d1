"""How a run of a pipeline looks on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from petaudit.cli import render
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
)
from petaudit.errors import Phrase, counted, joined, phrase, term
from petaudit.i18n.documents import restore_phrases
from petaudit.measures.limits import limit_rule
from petaudit.pipelines.executor import Executor
from petaudit.pipelines.plain_data import figure_of

_VERDICTS = {"passed": PASS, "failed": FAIL, "error": ERROR, "measured": "-"}
_RULES = {
    "at least": ("higher", False),
    "above": ("higher", True),
    "at most": ("lower", False),
    "below": ("lower", True),
}
"""What the words of a breach in a document stand for."""
_HEADER = (term("limit"), term("verdict"), term("run"))
_MOST_EXPLAINED = 10


def as_text(executor: Executor) -> str:
    """A table of runs, what is behind the figures, the breaches, and the verdict last."""
    document = executor.document
    results = _results(document)
    lines: list[str] = [title_line(document["configuration"]["name"])]
    tables = counted(len(document["inputs"]), "table")
    runs = counted(len(executor.runs), "run")
    lines.append(phrase("{runs} on {tables}", runs=runs, tables=tables))
    changes = document["configuration"]["set"]
    lines += [*(f"  --set {change}" for change in changes), ""]
    if results:
        has_earlier = document["compare_to"] is not None
        earlier = [term("before")] if has_earlier else []
        header = [term("measure"), term("value"), *earlier, *_HEADER]
        lines += [*format_table(header, [_row(own, has_earlier) for own in results]), ""]
    for own in results[:_MOST_EXPLAINED]:
        lines += section(own["run"] if len(results) > 1 else term("Why"), own["explanation"])
    if len(results) > _MOST_EXPLAINED:
        more = counted(len(results) - _MOST_EXPLAINED, "run")
        lines += [phrase("The other {runs}: see explanation in the result.json", runs=more), ""]
    lines += section(term("Breaches"), [breach_text(own) for own in _limits_broken(document)])
    failed = [own for own in results if own["status"] == "error"]
    for title, has_figure in ((term("Not measured"), False), (term("Not decided"), True)):
        lines += _reasons(
            title, [own for own in failed if (own["value"] is not None) == has_figure]
        )
    ran = {own["run"] for own in results}
    gone = [own for own in document["errors"] if own["run"] not in ran]
    compared = [own for own in gone if own["run"] not in _rules(document)]
    lines += _reasons(term("Not compared"), compared)
    lines += _reasons(term("Not evaluated"), [own for own in gone if own not in compared])
    lines += section(term("Warnings"), warnings_of(document))
    for policy in executor.pipeline.policies:
        lines += section(term("Policy"), policy.lines)
    lines += section(term("Open questions"), document["open_questions"])
    lines += section(term("Not to be released"), document["problems"])
    if executor.out is not None:
        title = phrase("Written to {folder}", folder=executor.out)
        lines += section(title, executor.file_names)
    lines.append(verdict_line(document))
    return "\n".join(finished(lines)) + "\n"


def _rules(document: Mapping[str, Any]) -> list[str]:
    """What errors call the policies."""
    return [phrase("policy {name}", name=own["name"]) for own in document["policies"]]


def _results(document: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The results; what was kept by an earlier run has its texts beside it."""
    return [restore_phrases(own, own.get("texts", {})) for own in document["results"]]


def _reasons(title: str, entries: Sequence[Mapping[str, Any]]) -> list[str]:
    return section(
        title,
        [phrase("{names}: {reason}", names=own["run"], reason=own["reason"]) for own in entries],
    )


def short_text(document: Mapping[str, Any]) -> str:
    """The breaches and the verdict."""
    lines = [indented(breach_text(own)) for own in _limits_broken(document)]
    lines += [indented(text) for text in document["problems"]]
    return "\n".join(finished([*lines, verdict_line(document)])) + "\n"


def _limits_broken(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Breaches of single runs; what is wrong with the table itself is said in a sentence."""
    return [own for own in document["breaches"] if own["kind"] != "identifiers"]


def _row(entry: Mapping[str, Any], has_earlier: bool) -> list[str]:
    value, bound = figure_text(figure_of(entry["value"]), entry["limit"])
    limit = bound = entry.get("limit_exact") or bound
    if entry["limit"] is not None:
        rule = limit_rule(entry["better"], strict=bool(entry["strict"]), limit=bound)
        limit = joined([rule, *entry["conditions"]])
    elif entry["better"] == "true":
        limit = term("true")
    # With blanks, so that a narrow terminal breaks it between the modules.
    run = " ".join(f"{module}[{name}]" for module, name in entry["modules"].items())
    earlier = [_earlier(entry)] if has_earlier else []
    return [entry["measure"], value, *earlier, limit, _VERDICTS[entry["status"]], run]


def _earlier(entry: Mapping[str, Any]) -> str:
    comparison = entry["comparison"] or {}
    return figure_text(figure_of(comparison.get("previous")), None)[0]


def breach_text(breach: Mapping[str, Any]) -> Phrase:
    """One breach: figure, limit and where."""
    where = breach["run"]
    if breach["line"] is not None:
        where = phrase("{run}, line {line}", run=breach["run"], line=breach["line"])
    value, bound = figure_text(figure_of(breach["value"]), figure_of(breach["limit"]))
    bound = breach.get("limit_exact") or bound
    measure = breach["measure"]
    if breach["kind"] == "limit":
        better, strict = _RULES.get(breach["rule"], ("true", False))
        is_truth = better == "true"
        rule = joined(
            [
                term("true") if is_truth else limit_rule(better, strict=strict, limit=bound),
                *breach["conditions"],
            ]
        )
        if breach["profile"] is None:
            return phrase(
                "{measure} is {value}, must be {rule} ({where})",
                measure=measure,
                value=value,
                rule=rule,
                where=where,
            )
        return phrase(
            "{measure} is {value}, must be {rule} for the profile {profile} ({where})",
            measure=measure,
            value=value,
            rule=rule,
            profile=breach["profile"],
            where=where,
        )
    worse, allowed = figure_text(figure_of(breach["worsening"]), breach["allowed"])
    return phrase(
        "{measure} was {before} and is {value}: worse by {worse}, allowed is {allowed} ({where})",
        measure=measure,
        before=bound,
        value=value,
        worse=worse,
        allowed=allowed,
        where=where,
    )


def warnings_of(document: Mapping[str, Any]) -> list[Phrase]:
    """What the reader should know about the figures, each thing once."""
    results = _results(document)
    said = {text: None for own in results for text in own["warnings"]}
    found = [phrase("warning: {text}", text=text) for text in said]
    for own in results:
        comparison = own["comparison"]
        if comparison is not None and comparison["status"] == "new":
            text = phrase(
                "{run} was not compared: {reason}", run=own["run"], reason=comparison["reason"]
            )
            found.append(phrase("warning: {text}", text=text))
    return found


def verdict_line(document: Mapping[str, Any]) -> Phrase:
    """What the gate says."""
    results = document["results"]
    new = sum((own["comparison"] or {}).get("status") == "new" for own in results)
    parts = [_judgement(document)]
    if new:
        parts.append(phrase("{runs} without an earlier figure", runs=counted(new, "run")))
    left_out = document["configuration"]["runs_left_out"]
    if left_out:
        parts.append(phrase("{runs} left out by --only", runs=counted(left_out, "run")))
    return render.verdict_line(joined(parts, "; "), document["exit_code"])


def _judgement(document: Mapping[str, Any]) -> Phrase:
    results, errors = document["results"], counted(len(document["errors"]), "run")
    broken = _limits_broken(document)
    breaches = counted(len(broken), "breach", "breaches")
    judged = [own for own in results if own["status"] != "measured"]
    if not results:
        return term("there is no Evaluator, so nothing was measured")
    if document["errors"] and broken:
        return phrase(
            "{runs} could not be measured or compared, {breaches}", runs=errors, breaches=breaches
        )
    if document["errors"]:
        return phrase("{runs} could not be measured or compared", runs=errors)
    names_people = [term("the table still names people")] if document["problems"] else []
    if broken:
        in_runs = phrase(
            "{breaches} in {runs}", breaches=breaches, runs=counted(len(results), "run")
        )
        return joined([*names_people, in_runs])
    if names_people:
        return names_people[0]
    if document["verdict"] == "error":
        return term("open questions, which --strict does not allow")
    if not judged:
        return term("no limit was given, so nothing was judged")
    runs = counted(len(judged), "run")
    held = phrase("no breach in {runs} with a limit", runs=runs)
    if document["compare_to"] is not None:
        held = phrase("no breach in {runs} with a limit or an earlier figure", runs=runs)
    if document["open_questions"]:
        return phrase("{held}, with open questions", held=held)
    return held
