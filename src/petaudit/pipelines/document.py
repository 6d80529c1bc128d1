"""``result.json``: what a run found, in a form that does not change from run to run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from petaudit._version import __version__
from petaudit.auditing.verdict import conclude
from petaudit.errors import phrase
from petaudit.i18n.documents import phrases_in
from petaudit.i18n.text import json_text
from petaudit.pipelines.checking import Checked
from petaudit.pipelines.entries import ERROR, TEXTS
from petaudit.pipelines.events import TimingRecord
from petaudit.pipelines.gate import DOCUMENT, missing_now
from petaudit.pipelines.pipeline import Pipeline
from petaudit.pipelines.plain_data import plain
from petaudit.pipelines.tables import without_folder

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
        TEXTS: phrases_in([judged, policies, list(not_evaluated)]),
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
