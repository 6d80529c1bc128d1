"""A complete audit in a process of its own: `python complete_audit_worker.py '<job as JSON>'`.

Runs in two environments: petaudit's, and the one that holds pyCANON. petaudit itself is imported
before the clock starts, its measures and engines are not: the first audit of a process pays for
them, and is called cold.
"""

# ruff: noqa: PLC0415 (each environment has only one of the two packages)
from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from statistics import median
from typing import Any, TypeAlias

import worker

Job: TypeAlias = Mapping[str, Any]
_HEAD = 200


def cpu_of(run: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of a call over all threads, and what it returned."""
    start = time.process_time()
    found = run()
    return time.process_time() - start, found


def audit(job: Job, table: object, measures: Sequence[str]) -> Any:
    """Audit a table anew: it is opened, and nothing is known of it from an earlier call."""
    import petaudit

    options = {name: own for name, own in job["options"].items() if name in measures}
    if list(measures) != list(job["measures"]):
        return petaudit.audit(table, measures=measures, options=options, **job["inputs"])
    # A complete audit names no measure: what takes too long on a large table is left out then.
    size = "population_size"
    wanted = {name: own for name, own in options.items() if size not in own}
    return petaudit.audit(table, options=wanted, population_size=job[size], **job["inputs"])


def measured(found: Any) -> list[str]:
    """Which measures gave a figure."""
    return [result.measure for result in found.results]


def sharing(job: Job) -> dict[str, Any]:
    """The audit of a file cold and warm, and each of its measures alone, in turn."""
    import petaudit  # noqa: F401 (what a program imports anyway is no part of the audit)

    table, names = job["path"], job["measures"]
    cold, found = cpu_of(partial(audit, job, table, names))
    chosen = measured(found)
    warm: list[float] = []
    alone: dict[str, list[float]] = {name: [] for name in chosen}
    for _ in range(job["runs"]):
        warm.append(cpu_of(partial(audit, job, table, names))[0])
        for name, own in alone.items():
            own.append(cpu_of(partial(audit, job, table, [name]))[0])
    return {
        "cold": cold,
        "warm": median(warm),
        "alone": {name: median(own) for name, own in alone.items()},
        "not_measured": {
            entry.measure: entry.reason for entry in found.not_measured if entry.measure in names
        },
    }


def against_pycanon(job: Job) -> dict[str, Any]:
    """Either side on the same pandas frame of text, after a warm-up on a few of its rows."""
    import pandas as pd

    frame = pd.read_csv(job["csv"], dtype=str, keep_default_na=False)
    report = pycanon_report if job["contender"] == "pyCANON" else petaudit_report
    report(job, frame.head(_HEAD))
    names = ("pycanon", "pandas", "numpy") if job["contender"] == "pyCANON" else ()
    found = worker.timed(partial(report, job, frame), job["runs"])
    return found | {"versions": {name: version(name) for name in names}}


def pycanon_report(job: Job, frame: Any) -> dict[str, float]:
    """The nine figures of pyCANON's report; those that have one definition are compared."""
    from pycanon.report.base import get_report_values

    names, sensitive = job["inputs"]["quasi_identifiers"], job["inputs"]["sensitive"]
    k, (alpha, _), l_distinct, _, _, beta, _, _, t = get_report_values(frame, names, sensitive)
    return {
        "k-anonymity": float(k),
        "alpha-k-anonymity": float(alpha),
        "l-diversity": float(l_distinct),
        "beta-likeness": float(beta),
        "t-closeness": float(t),
    }


def petaudit_report(job: Job, frame: Any) -> dict[str, float]:
    """Every figure of the complete audit."""
    return {own.measure: float(own.value) for own in audit(job, frame, job["measures"]).results}


def complete_audit(job: Job, path: str, keys: Sequence[str], sensitive: str) -> worker.Figures:
    """The audit as a contender of the bare query."""
    del keys, sensitive  # they are among the inputs of the job
    found = audit(job, path, job["measures"])
    smallest, t = found["k-anonymity"], found["t-closeness"]
    return {
        "measures": measured(found),
        "classes": smallest.classes,
        "rows": smallest.rows,
        "t": t.value,
    }


def against_bare_query(job: Job) -> dict[str, Any]:
    """One run on a large file; an audit that was asked to also tells what each measure takes."""
    own = {"complete audit": partial(complete_audit, job)}
    found = worker.measure(job, {**worker.CONTENDERS, **own})
    if job.get("profile"):
        found["figures"]["alone"] = {
            name: cpu_of(partial(audit, job, job["path"], [name]))[0]
            for name in found["figures"]["measures"]
        }
    return found


PARTS: Mapping[str, Callable[[Job], dict[str, Any]]] = {
    "sharing": sharing,
    "bare query": against_bare_query,
    "pyCANON": against_pycanon,
}


def main(arguments: Iterable[str]) -> None:
    """Run the part that the job names, and print one line of JSON."""
    [text] = arguments
    job = json.loads(text)
    # What a measure warns of has been read long ago, and printing it is no part of its work.
    warnings.simplefilter("ignore")
    print(json.dumps(PARTS[job["part"]](job)))


if __name__ == "__main__":
    main(sys.argv[1:])
