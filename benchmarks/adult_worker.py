"""t-closeness on Adult in a process of its own: `python adult_worker.py '<job as JSON>'`.

Runs in two environments: petaudit's, and the one that holds pyCANON. Both read the same CSV into a
pandas frame of text, run once on a few of its rows to warm up, and are timed on the frame.
"""

# ruff: noqa: PLC0415 (each environment has only one of the two packages)
from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

import pandas as pd
import worker


def contender(job: Mapping[str, Any]) -> Callable[[Any], float]:
    """The call to be timed."""
    names, sensitive = job["quasi_identifiers"], job["sensitive"]
    if job["contender"] == "pycanon":
        from pycanon import anonymity

        return lambda frame: float(anonymity.t_closeness(frame, names, [sensitive]))
    import petaudit

    # pyCANON knows neither hierarchies nor suppressed rows: text is compared for equality, and
    # suppressed rows are a class like any other.
    return lambda table: float(
        petaudit.t_closeness(
            table,
            quasi_identifiers=names,
            sensitive=sensitive,
            distance="equal",
            suppressed="class",
        ).value
    )


def measure(job: Mapping[str, Any]) -> dict[str, Any]:
    """Time the call on a frame, or on the file where the job names one."""
    run = contender(job)
    frame = pd.read_csv(job["csv"], dtype=str, keep_default_na=False)
    run(frame.head(200))
    table = job.get("path") or frame
    if job.get("path"):
        run(table)
    found = worker.timed(lambda: {"t": run(table)}, job["runs"])
    names = ("pycanon", "pandas", "numpy") if job["contender"] == "pycanon" else ()
    return found | {"versions": {name: version(name) for name in names}}


if __name__ == "__main__":
    print(json.dumps(measure(json.loads(sys.argv[1]))))
