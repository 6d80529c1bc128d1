"""``result.json``: every run judged by its limit and by an earlier result, and the verdict."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from petaudit._version import __version__
from petaudit.auditing.document import figure_of, plain
from petaudit.auditing.gate import conclude
from petaudit.errors import InputError, joined, phrase
from petaudit.exact.fractions import exact
from petaudit.i18n.kept import texts_of
from petaudit.i18n.text import json_text
from petaudit.measures import Better, find_measure
from petaudit.pipelines.checking import Checked
from petaudit.pipelines.evaluating import ERROR, TEXTS, with_texts
from petaudit.pipelines.events import TimingRecord
from petaudit.pipelines.models import EVALUATOR
from petaudit.pipelines.plan import PlannedRun, name_of
from petaudit.pipelines.reading import Pipeline
from petaudit.pipelines.tables import without_folder
from petaudit.system.files import before_reading

DOCUMENT: Final = "petaudit.result/1"
_LARGEST: Final = 256 << 20
_WITHOUT_ROLES: Final = ("mpuccs",)
"""Measures that take all columns, whatever their roles; of others nobody knows."""
_NO_RUN_IN_COMMON: Final = phrase(
    "the earlier result has none of these runs, so nothing was compared"
)


def read_result(path: Path) -> dict[str, Any]:
    """Read the result.json of an earlier run."""
    try:
        before_reading(path)
        if path.stat().st_size > _LARGEST:
            raise InputError(
                "{origin}: larger than {most:,} bytes; not read", origin=str(path), most=_LARGEST
            )
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(
            "file {path!r} does not exist; to begin with, run without compare_to and keep the "
            "result.json",
            path=str(path),
        ) from None
    except OSError as problem:
        raise InputError(
            "{path}: cannot be read ({reason})", path=str(path), reason=problem.strerror
        ) from None
    except (ValueError, RecursionError):
        raise InputError("{path}: is no JSON", path=str(path)) from None
    if not isinstance(content, dict) or content.get("document") != DOCUMENT:
        raise InputError(
            "{path}: is no result of petaudit run (document {document!r})",
            path=str(path),
            document=DOCUMENT,
        )
    results = content.get("results")
    if not isinstance(results, list) or not all(isinstance(own, dict) for own in results):
        raise InputError("{path}: its results cannot be read", path=str(path))
    return content


def judged(
    entries: Sequence[dict[str, Any]], pipeline: Pipeline, previous: Mapping[str, Any] | None
) -> list[dict[str, Any]]:
    """Add comparison and breaches to the entries, and settle their status."""
    earlier = {} if previous is None else _by_run(previous["results"])
    # Without a single run in common nothing was compared, and that must not pass for a comparison.
    is_another = previous is not None and not any(own["run"] in earlier for own in entries)
    allowances = {own.name: own.model.allowed_worsening for own in pipeline.of("Evaluator")}
    done = []
    for entry in entries:
        allowed = allowances[entry["modules"]["Evaluator"]]
        comparison = None
        if previous is not None:
            comparison = _compared(entry, earlier.get(entry["run"]), allowed)
            if is_another:
                comparison |= {"status": ERROR, "reason": _NO_RUN_IN_COMMON}
        status = _settled(str(entry["status"]), comparison)
        reason = entry["reason"]
        if comparison is not None and comparison["status"] == ERROR and reason is None:
            reason = comparison["reason"]
        breaches = _breaches(entry, comparison, pipeline)
        settled = {"status": status, "reason": reason, "comparison": comparison}
        done.append(with_texts({**entry, **settled, "breaches": breaches}))
    return done


def _by_run(results: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    return {own["run"]: own for own in results if isinstance(own.get("run"), str)}


def _settled(status: str, comparison: Mapping[str, Any] | None) -> str:
    """An error stays one; a breach of either kind fails."""
    other = "new" if comparison is None else comparison["status"]
    if ERROR in (status, other):
        return ERROR
    if "failed" in (status, other):
        return "failed"
    return "passed" if "passed" in (status, other) else status


def _compared(
    entry: Mapping[str, Any], before: Mapping[str, Any] | None, allowed: float
) -> dict[str, Any]:
    found: dict[str, Any] = {
        "status": ERROR,
        "previous": None,
        "worsening": None,
        "allowed": allowed,
        "reason": None,
    }
    if before is None:
        return found | {
            "status": "new",
            "reason": phrase("the earlier result has no run of this name"),
        }
    if entry["status"] == ERROR:
        return found | {"reason": phrase("there is no figure to compare")}
    if not _is_figure(before.get("value")):
        return found | {"reason": phrase("the earlier result has no figure for this run")}
    value = figure_of(before["value"])
    found["previous"] = plain(value)
    different = _differences(entry, before)
    if different:
        return found | {
            "reason": phrase(
                "the earlier figure was measured otherwise ({settings} differ)",
                settings=joined(different),
            )
        }
    worse = _worsening(entry, value)
    if worse is None:
        return found | {"reason": phrase("the earlier figure is of another kind")}
    is_worse = worse > exact(allowed, "allowed_worsening")
    found["worsening"] = plain(float(worse))
    # A lower bound above the old figure is worse for sure; one below it says nothing.
    now, then = bool(entry["lower_bound"]), bool(before.get("lower_bound"))
    if (now and not is_worse) or (then and is_worse) or (now and then):
        return found | {
            "reason": phrase("a search was not complete, so the figures cannot be compared")
        }
    return found | {"status": "failed" if is_worse else "passed"}


def _is_figure(value: object) -> bool:
    """True, false, a number, or the word for infinity: a file may say anything."""
    if isinstance(value, bool) or value == "inf":
        return True
    try:
        return isinstance(value, int | float) and math.isfinite(float(value))
    except OverflowError:
        return False


def _differences(entry: Mapping[str, Any], before: Mapping[str, Any]) -> list[str]:
    """What was set differently, of that which the figure depends on."""
    measure = find_measure(entry["measure"])
    silent = {option.name for option in measure.options if not option.shows_in_figure}

    def options(own: Mapping[str, Any]) -> dict[str, Any]:
        given = own.get("options")
        if not isinstance(given, Mapping):
            return {}
        return {name: value for name, value in given.items() if name not in silent}

    now, then = plain(options(entry)), plain(options(before))
    found = [name for name in {**now, **then} if now.get(name) != then.get(name)]
    common = ["measure", "figure", "steps"]
    if measure.name not in _WITHOUT_ROLES:
        common += ["suppressed", "roles", "hierarchies", "person"]
    return found + [name for name in common if entry.get(name) != before.get(name)]


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
    found = []
    about = {"run": entry["run"], "measure": entry["measure"], "profile": entry["profile"]}

    def line(option: str) -> int | None:
        return pipeline.line_of("Evaluator", entry["modules"]["Evaluator"], option)

    if entry["status"] == "failed":
        limit = True if isinstance(entry["value"], bool) else entry["limit"]
        option = "limit" if entry["profile"] is None else "profile"
        found.append(
            {"kind": "limit", **about, "value": entry["value"], "limit": limit,
             "limit_exact": entry.get("limit_exact"), "rule": rule_of(entry),
             "conditions": entry["conditions"], "line": line(option)}
        )  # fmt: skip
    if comparison is not None and comparison["status"] == "failed":
        found.append(
            {
                "kind": "worsening",
                **about,
                "value": entry["value"],
                "limit": comparison["previous"],
                "worsening": comparison["worsening"],
                "allowed": comparison["allowed"],
                "line": line("allowed_worsening"),
            }
        )
    return found


def rule_of(entry: Mapping[str, Any]) -> str:
    """What a figure must be, in relation to its limit."""
    if isinstance(entry["value"], bool):
        return phrase("true")
    if entry["better"] == Better.HIGHER.value:
        return phrase("above") if entry["strict"] else phrase("at least")
    return phrase("below") if entry["strict"] else phrase("at most")


def missing_now(
    results: Sequence[Mapping[str, Any]], previous: Mapping[str, Any] | None
) -> list[str]:
    """Runs of the earlier result that nobody looked at this time."""
    now = {own["run"] for own in results}
    before = [] if previous is None else [own.get("run") for own in previous["results"]]
    return [name for name in before if isinstance(name, str) and name not in now]


_NOT_NOW = phrase("it is in the earlier result and did not run this time, so it cannot be compared")


def result_document(
    *,
    pipeline: Pipeline,
    text: str,
    settings: Mapping[str, Sequence[str]],
    strict: bool,
    checked: Checked,
    results: Sequence[Mapping[str, Any]],
    not_evaluated: Sequence[Mapping[str, str]],
    left_out: int,
    previous: Mapping[str, Any] | None,
    previous_sha256: str | None,
    files: Sequence[str],
    seconds: Mapping[str, Mapping[str, float]],
    records: Sequence[TimingRecord],
) -> dict[str, Any]:
    """Everything about a run; only ``timings`` differs between two runs on the same inputs."""
    compare_to = pipeline.executor.compare_to
    gone = missing_now(results, previous)
    # What --only leaves out is left out on purpose.
    missing = [] if settings["only"] else gone
    undone = [*missing, *(own["run"] for own in not_evaluated)]
    conclusion = conclude(
        results, undone, strict=strict, demands=[own.open_question for own in pipeline.policies]
    )
    judged = {
        "problems": list(conclusion.problems),
        "open_questions": list(conclusion.open_questions),
    }
    policies = [policy.to_dict() for policy in pipeline.policies]
    return {
        "document": DOCUMENT,
        "petaudit": __version__,
        "verdict": conclusion.verdict,
        "exit_code": conclusion.exit_code,
        **judged,
        "configuration": {
            "name": pipeline.origin.replace("\\", "/").rpartition("/")[2],
            "sha256": _sha256(text),
            "effective_sha256": _sha256(json.dumps(plain(pipeline.document.value), sort_keys=True)),
            **settings,
            "strict": strict,
            "runs_left_out": left_out,
        },
        "compare_to": None
        if previous is None
        else {
            "name": None if compare_to is None else without_folder(compare_to),
            "sha256": previous_sha256,
            "petaudit": previous.get("petaudit"),
            "verdict": previous.get("verdict"),
            "runs_missing_now": gone,
        },
        "policies": policies,
        "inputs": dict(checked.fingerprints),
        "results": list(results),
        "breaches": [
            *conclusion.breaches,
            *(own for entry in results for own in entry["breaches"]),
        ],
        "errors": [
            {"run": own["run"], "reason": own["reason"]}
            for own in results
            if own["status"] == ERROR
        ]
        + [{"run": name, "reason": _NOT_NOW} for name in missing]
        + [dict(own) for own in not_evaluated],
        "files": list(files),
        TEXTS: texts_of([judged, policies, list(not_evaluated)]),
        "timings": {
            "steps": [own.to_dict() for own in records],
            "stages": {run: own for run, own in seconds.items() if own},
        },
    }


def document_text(document: Mapping[str, Any]) -> bytes:
    """The document as it is written."""
    return (json_text(document) + "\n").encode(errors="backslashreplace")


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def not_evaluated(pipeline: Pipeline, runs: Iterable[PlannedRun]) -> list[dict[str, str]]:
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
            "reason": phrase(
                "it limits {measure}, and not every table was measured by an Evaluator of that",
                measure=measure,
            ),
        }
        for measure, policy in pipeline.demanded.items()
        if measure not in everywhere
    ]
