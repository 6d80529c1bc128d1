"""How a run of a pipeline looks on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from petaudit._version import __version__
from petaudit.cli.render import figure_text, finished, format_table
from petaudit.errors import counted
from petaudit.pipelines.executor import Executor
from petaudit.pipelines.gate import rule_of
from petaudit.pipelines.plain_data import figure_of

_VERDICTS = {"passed": "pass", "failed": "FAIL", "error": "ERROR", "measured": "-"}
_HEADER = ("limit", "verdict", "run")
_MOST_EXPLAINED = 10


def as_text(executor: Executor) -> str:
    """A table of runs, what is behind the figures, the breaches, and the verdict last."""
    document = executor.document
    results: Sequence[Mapping[str, Any]] = document["results"]
    lines = [f"petaudit {__version__}: {document['configuration']['name']}"]
    tables = counted(len(document["inputs"]), "table")
    lines.append(f"{counted(len(executor.runs), 'run')} on {tables}")
    changes = document["configuration"]["set"]
    lines += [*(f"  --set {change}" for change in changes), ""]
    if results:
        has_earlier = document["compare_to"] is not None
        header = ["measure", "value", *(["before"] if has_earlier else []), *_HEADER]
        lines += [*format_table(header, [_row(own, has_earlier) for own in results]), ""]
    for own in results[:_MOST_EXPLAINED]:
        lines += _section(own["run"] if len(results) > 1 else "Why", own["explanation"])
    if len(results) > _MOST_EXPLAINED:
        more = len(results) - _MOST_EXPLAINED
        lines += [f"The other {counted(more, 'run')}: see explanation in the result.json", ""]
    lines += _section("Breaches", [breach_text(own) for own in document["breaches"]])
    failed = [own for own in results if own["status"] == "error"]
    for title, has_figure in (("Not measured", False), ("Not decided", True)):
        own_lines = [
            f"{own['run']}: {own['reason']}"
            for own in failed
            if (own["value"] is not None) == has_figure
        ]
        lines += _section(title, own_lines)
    ran = {own["run"] for own in results}
    gone = [own for own in document["errors"] if own["run"] not in ran]
    lines += _section("Not compared", [f"{own['run']}: {own['reason']}" for own in gone])
    lines += _section("Warnings", warnings_of(document))
    if executor.out is not None:
        lines += _section(f"Written to {executor.out}", executor.file_names)
    lines.append(verdict_line(document))
    return "\n".join(finished(lines)) + "\n"


def short_text(document: Mapping[str, Any]) -> str:
    """The breaches and the verdict."""
    lines = [f"  {breach_text(own)}" for own in document["breaches"]]
    return "\n".join(finished([*lines, verdict_line(document)])) + "\n"


def _row(entry: Mapping[str, Any], has_earlier: bool) -> list[str]:
    value, bound = figure_text(figure_of(entry["value"]), entry["limit"])
    limit = bound
    if entry["limit"] is not None:
        limit = ", ".join((f"{rule_of(entry)} {bound}", *entry["conditions"]))
    elif entry["better"] == "true":
        limit = "true"
    # With blanks, so that a narrow terminal breaks it between the modules.
    run = " ".join(f"{module}[{name}]" for module, name in entry["modules"].items())
    earlier = [_earlier(entry)] if has_earlier else []
    return [entry["measure"], value, *earlier, limit, _VERDICTS[entry["status"]], run]


def _earlier(entry: Mapping[str, Any]) -> str:
    comparison = entry["comparison"] or {}
    return figure_text(figure_of(comparison.get("previous")), None)[0]


def breach_text(breach: Mapping[str, Any]) -> str:
    """One breach: figure, limit and where."""
    where = breach["run"] if breach["line"] is None else f"{breach['run']}, line {breach['line']}"
    value, bound = figure_text(figure_of(breach["value"]), figure_of(breach["limit"]))
    measure = breach["measure"]
    if breach["kind"] == "limit":
        rule = "true" if breach["rule"] == "true" else f"{breach['rule']} {bound}"
        rule = ", ".join((rule, *breach["conditions"]))
        profile = "" if breach["profile"] is None else f" for the profile {breach['profile']}"
        return f"{measure} is {value}, must be {rule}{profile} ({where})"
    worse, allowed = figure_text(figure_of(breach["worsening"]), breach["allowed"])
    return f"{measure} was {bound} and is {value}: worse by {worse}, allowed is {allowed} ({where})"


def warnings_of(document: Mapping[str, Any]) -> list[str]:
    """What the reader should know about the figures, each thing once."""
    results = document["results"]
    said = {text: None for own in results for text in own["warnings"]}
    found = [f"warning: {text}" for text in said]
    for own in results:
        comparison = own["comparison"]
        if comparison is not None and comparison["status"] == "new":
            found.append(f"warning: {own['run']} was not compared: {comparison['reason']}")
    return found


def verdict_line(document: Mapping[str, Any]) -> str:
    """What the gate says."""
    results = document["results"]
    new = sum((own["comparison"] or {}).get("status") == "new" for own in results)
    code = document["exit_code"]
    breaches, errors = len(document["breaches"]), len(document["errors"])
    judged = [own for own in results if own["status"] != "measured"]
    if not results:
        what = "there is no Evaluator, so nothing was measured"
    elif errors:
        what = f"{counted(errors, 'run')} could not be measured or compared"
        what += f", {counted(breaches, 'breach', 'breaches')}" if breaches else ""
    elif breaches:
        what = f"{counted(breaches, 'breach', 'breaches')} in {counted(len(results), 'run')}"
    elif judged:
        what = f"no breach in {counted(len(judged), 'run')} with a limit"
        what += "" if document["compare_to"] is None else " or an earlier figure"
    else:
        what = "no limit was given, so nothing was judged"
    what += f"; {counted(new, 'run')} without an earlier figure" if new else ""
    left_out = document["configuration"]["runs_left_out"]
    what += f"; {counted(left_out, 'run')} left out by --only" if left_out else ""
    return f"Verdict: {what} (exit code {code})"


def _section(title: str, entries: Sequence[str]) -> list[str]:
    return [title, *(f"  {entry}" for entry in entries), ""] if entries else []
