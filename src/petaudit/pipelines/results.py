"""``result.json``: every run judged by its limit and by an earlier result, and the verdict."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from petaudit.errors import InputError, joined, phrase
from petaudit.exact.fractions import exact
from petaudit.i18n.text import json_text
from petaudit.judging.document import RUN, figure_of, new_document, plain, read_document, with_texts
from petaudit.judging.gate import ERROR, FAILED, PASSED, conclude, limit_breach, tables_of
from petaudit.measures import Better, find_measure
from petaudit.pipelines.models import ANONYMIZER, EVALUATOR
from petaudit.pipelines.plan import PlannedRun, name_of
from petaudit.pipelines.reading import Pipeline
from petaudit.pipelines.tables import without_folder
from petaudit.system.plain import is_finite

_NOT_NOW = phrase("it is in the earlier result and did not run this time, so it cannot be compared")


def read_previous(path: Path) -> dict[str, Any]:
    """Read the result.json of an earlier run."""
    try:
        document = read_document(path, RUN)
    except InputError:
        if os.path.lexists(path):
            raise
        raise InputError(
            "file {path!r} does not exist; to begin with, run without compare_to and keep the "
            "result.json",
            path=str(path),
        ) from None
    results = document.get("results")
    if not isinstance(results, list) or not all(isinstance(entry, dict) for entry in results):
        raise InputError("{path}: its results cannot be read", path=str(path))
    return document


def judge_entries(
    entries: Sequence[Mapping[str, Any]], pipeline: Pipeline, previous: Mapping[str, Any] | None
) -> list[dict[str, Any]]:
    """Add comparison and breaches to the entries, and settle their status."""
    earlier = {} if previous is None else _by_run(previous["results"])
    allowed = {
        evaluator.name: evaluator.model.allowed_worsening for evaluator in pipeline.evaluators
    }
    has_common_runs = any(entry["run"] in earlier for entry in entries)
    judged = []
    for entry in entries:
        comparison, reason, status = None, entry["reason"], entry["status"]
        has_release = status != FAILED or entry["value"] is not None
        if previous is not None and has_release:
            worsening = allowed[entry["modules"][EVALUATOR]]
            comparison = _compared(entry, earlier.get(entry["run"]), worsening)
            if not has_common_runs:
                # Nothing was compared, and that must not pass for a comparison.
                comparison |= {
                    "status": ERROR,
                    "reason": phrase(
                        "the earlier result has none of these runs, so nothing was compared"
                    ),
                }
            if comparison["status"] == ERROR and reason is None:
                reason = comparison["reason"]
            # An error stays one; a breach of either kind fails.
            both = (status, comparison["status"])
            status = next((word for word in (ERROR, FAILED, PASSED) if word in both), status)
        settled = {
            "status": status,
            "reason": reason,
            "comparison": comparison,
            "breaches": _breaches(entry, comparison, pipeline),
        }
        judged.append(with_texts({**entry, **settled}))
    return judged


def _by_run(results: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    return {entry["run"]: entry for entry in results if isinstance(entry.get("run"), str)}


def _compared(
    entry: Mapping[str, Any], before: Mapping[str, Any] | None, allowed: float
) -> dict[str, Any]:
    comparison: dict[str, Any] = {
        "status": ERROR,
        "previous": None,
        "worsening": None,
        "allowed": allowed,
        "reason": None,
    }
    if before is None:
        reason = phrase("the earlier result has no run of this name")
        return comparison | {"status": "new", "reason": reason}
    if entry["status"] == ERROR:
        return comparison | {"reason": phrase("there is no figure to compare")}
    if not _is_figure(before.get("value")):
        return comparison | {"reason": phrase("the earlier result has no figure for this run")}
    value = figure_of(before["value"])
    comparison["previous"] = plain(value)
    different = _differences(entry, before)
    if different:
        reason = phrase(
            "the earlier figure was measured differently ({settings} differ)",
            settings=joined(different),
        )
        return comparison | {"reason": reason}
    worse = _worsening(entry, value)
    if worse is None:
        return comparison | {"reason": phrase("the earlier figure is of another kind")}
    is_worse = worse > exact(allowed, "allowed_worsening")
    comparison["worsening"] = plain(float(worse))
    # A lower bound above the old figure is worse for sure; one below it says nothing.
    now, then = bool(entry["lower_bound"]), bool(before.get("lower_bound"))
    if (now and not is_worse) or (then and is_worse) or (now and then):
        reason = phrase("a search was not complete, so the figures cannot be compared")
        return comparison | {"reason": reason}
    return comparison | {"status": FAILED if is_worse else PASSED}


def _is_figure(value: object) -> bool:
    """True, false, a number, or the word for infinity: a file may say anything."""
    return value == "inf" or (isinstance(value, int | float) and is_finite(value))


def _differences(entry: Mapping[str, Any], before: Mapping[str, Any]) -> list[str]:
    """What was set differently, of that which the figure depends on."""
    measure = find_measure(entry["measure"])
    silent = {option.name for option in measure.options if not option.shows_in_figure}

    def options(entry: Mapping[str, Any]) -> dict[str, Any]:
        given = entry.get("options")
        if not isinstance(given, Mapping):
            return {}
        return {name: value for name, value in given.items() if name not in silent}

    now, then = plain(options(entry)), plain(options(before))
    different = [name for name in {**now, **then} if now.get(name) != then.get(name)]
    common = ["measure", "figure", "steps"]
    if not measure.has_same_columns:
        common += ["suppressed", "roles", "hierarchies", "person"]
    return different + [name for name in common if entry.get(name) != before.get(name)]


def _worsening(entry: Mapping[str, Any], before: bool | float) -> Fraction | float | None:
    """How much worse the figure is now; negative if it is better."""
    value = figure_of(entry["value"])
    if isinstance(value, bool) or isinstance(before, bool):
        if not (isinstance(value, bool) and isinstance(before, bool)):
            return None
        return Fraction(int(before) - int(value))
    change: Fraction | float
    if math.isinf(value) or math.isinf(before):
        change = 0.0 if value == before else value - before
    else:
        change = exact(value, phrase("the figure")) - exact(before, phrase("the earlier figure"))
    return -change if entry["better"] == Better.HIGHER.value else change


def _breaches(
    entry: Mapping[str, Any], comparison: Mapping[str, Any] | None, pipeline: Pipeline
) -> list[dict[str, Any]]:
    run, evaluator = entry["run"], entry["modules"][EVALUATOR]

    def line(option: str) -> int | None:
        return pipeline.line_of(EVALUATOR, evaluator, option)

    breaches = []
    if entry["status"] == FAILED and entry["value"] is None:
        at = pipeline.line_of(ANONYMIZER, entry["modules"][ANONYMIZER], "limits")
        named = {name: entry[name] for name in ("run", "measure", "profile")}
        breaches.append({"kind": "no-release", **named, "line": at})
    elif entry["status"] == FAILED:
        option = "limit" if entry["profile"] is None else "profile"
        breaches.append(limit_breach(entry) | {"run": run, "line": line(option)})
    if comparison is not None and comparison["status"] == FAILED:
        breaches.append(
            {
                "kind": "worsening",
                **{name: entry[name] for name in ("run", "measure", "profile", "value")},
                "limit": comparison["previous"],
                "worsening": comparison["worsening"],
                "allowed": comparison["allowed"],
                "line": line("allowed_worsening"),
            }
        )
    return breaches


def result_document(
    *,
    pipeline: Pipeline,
    runs: Sequence[PlannedRun],
    configuration: Mapping[str, Any],
    compare_to: tuple[Mapping[str, Any], str] | None,
    inputs: Mapping[str, Mapping[str, Any]],
    results: Sequence[Mapping[str, Any]],
    strict: bool,
    what_to_do: Sequence[Mapping[str, Any]],
    files: Sequence[str],
    notes: Sequence[str],
    timings: Mapping[str, Any],
) -> dict[str, Any]:
    """Everything about a run; only ``timings`` differs between two runs on the same inputs.

    ``compare_to`` is the earlier result with the hash of its file.
    """
    errors: list[dict[str, Any]] = []
    compared = None
    if compare_to is not None and pipeline.executor.compare_to is not None:
        previous, sha256 = compare_to
        missing = [name for name in _by_run(previous["results"]) if name not in _by_run(results)]
        compared = {
            "name": without_folder(pipeline.executor.compare_to),
            "sha256": sha256,
            "petaudit": previous.get("petaudit"),
            "verdict": previous.get("verdict"),
            "runs_missing_now": missing,
        }
        # What --only leaves out is left out on purpose.
        if not configuration["only"]:
            errors += [{"run": name, "measure": None, "reason": _NOT_NOW} for name in missing]
    errors += _not_evaluated(pipeline, runs)
    conclusion = conclude(
        tables_of(results),
        is_incomplete=bool(errors),
        strict=strict,
        demands=[policy.open_question for policy in pipeline.policies],
    )
    return new_document(
        RUN,
        conclusion,
        inputs=inputs,
        results=results,
        strict=strict,
        configuration={
            "name": pipeline.origin.replace("\\", "/").rpartition("/")[2],
            **configuration,
        },
        compare_to=compared,
        files=list(files),
        policies=[policy.to_dict() for policy in pipeline.policies],
        errors=errors,
        warnings=[*dict.fromkeys(text for entry in results for text in entry["warnings"]), *notes],
        what_to_do=what_to_do,
        timings=timings,
    )


def _not_evaluated(pipeline: Pipeline, runs: Iterable[PlannedRun]) -> list[dict[str, Any]]:
    """What a policy demands and no run measures: nothing shows that the policy is kept."""
    measured: dict[str, set[str]] = {}
    for run in runs:
        if run.evaluator is not None:
            # Of each table: --only may leave out an Evaluator of one of them.
            table = name_of(step for step in run.steps if step.module != EVALUATOR)
            measured.setdefault(table, set()).add(run.evaluator.model.method)
    everywhere = set.intersection(*measured.values()) if measured else set()
    return [
        {
            "run": phrase("policy {name}", name=policy),
            "measure": measure,
            "reason": phrase(
                "it limits {measure}, but not every table was measured by an Evaluator for it",
                measure=measure,
            ),
        }
        for measure, policy in pipeline.demanded.items()
        if measure not in everywhere
    ]


def document_text(document: Mapping[str, Any]) -> bytes:
    """The document as it is written."""
    return (json_text(document) + "\n").encode(errors="backslashreplace")


def sha256_of(text: str) -> str:
    """The hash of a text."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
