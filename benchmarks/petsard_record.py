"""mpUCCs against PETsARD, which takes so long that its run is recorded in `petsard.json`."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any, Final

import machine
from checks import Check, table
from comparison import Comparison
from environments import python_with
from measuring import HERE, BenchError, Measurement, Ratio, run_worker
from pairs import bundled_pair, fingerprint

PETSARD: Final = "1.10.1"
ENVIRONMENT: Final = HERE.parent / ".venv-petsard"
RECORD: Final = HERE / "petsard.json"
FACTOR: Final = 300.0
COMPLETE_SHARE: Final = 1 / 3

THEIRS: Final = "PETsARD, 2 columns"
OURS: Final = "petaudit, 2 columns"
OURS_COMPLETE: Final = "petaudit, all 15 columns"
# PETsARD asks for these in its extra "all", together with much that mpUCCs does not need; newer
# versions of PyArrow do without NumPy 1.
_NEEDED: Final = ("numpy>=1.26.4,<2", "pandas>=2.3.2,<3", "pyarrow<21", "pyyaml>=6.0.2,<7", "tqdm")
_JOBS: Final[Mapping[str, Mapping[str, Any]]] = {
    # A call takes a tenth of a second, so a process takes the median of several.
    OURS: {"contender": "petaudit", "columns": 2, "runs": 5},
    THEIRS: {"contender": "PETsARD", "columns": 2, "runs": 1},
    OURS_COMPLETE: {"contender": "petaudit", "columns": None, "runs": 1},
}
TODAY: Final = (OURS, OURS_COMPLETE)
_SCRIPT: Final = "petsard_worker.py"
_TIME_LIMIT: Final = 2400
_FOUND: Final = ("rows", "combinations", "pruned", "identified")
_KEPT: Final = ("seconds", "cpu_seconds", "peak_bytes", "idle_bytes", *_FOUND)


@dataclass(frozen=True)
class Record:
    """A run of both on one machine, and what petaudit takes now."""

    recorded: Mapping[str, Any]
    now: Mapping[str, Sequence[Mapping[str, Any]]]

    def checks(self) -> list[Check]:
        """Ratios inside the recorded run; PETsARD ran once, petaudit before and after it."""
        where = "mpUCCs, recorded"
        theirs, ours = self._both(OURS, "cpu_seconds")
        cpu = Ratio.of(theirs, ours)
        wall = Ratio.of(*self._both(OURS, "seconds"))
        theirs, ours = self._both(OURS_COMPLETE, "cpu_seconds")
        share = Ratio.of(ours, theirs)
        return [
            Check(where, "PETsARD / petaudit, 2 columns, CPU", cpu, FACTOR, at_most=False),
            Check(where, "PETsARD / petaudit, 2 columns, time", wall, FACTOR, at_most=False),
            Check(where, "all columns / PETsARD's 2, CPU", share, COMPLETE_SHARE),
        ]

    def comparison(self) -> Comparison:
        """Both side by side, as recorded, with the date where it is another run than this one."""
        runs = {
            name: [
                Measurement(
                    run["seconds"],
                    run["cpu_seconds"],
                    run.get("peak_bytes"),
                    run.get("idle_bytes"),
                    None,
                    {},
                    self.recorded["versions"]["PETsARD"] if name == THEIRS else {},
                )
                for run in own
            ]
            for name, own in self.recorded["runs"].items()
        }
        facts: dict[str, Any] = {"recorded": self.recorded["date"]}
        for name, who in ((THEIRS, "their"), (OURS, "our")):
            first = self.recorded["runs"][name][0]
            facts |= {f"{who}_{key}": first[key] for key in ("pruned", "identified")}
        return Comparison("petsard", OURS, runs, facts)

    def _both(self, name: str, figure: str) -> tuple[list[float], list[float]]:
        own = [run[figure] for run in self.recorded["runs"][name]]
        slow = [run[figure] for run in self.recorded["runs"][THEIRS]]
        return [median(slow)] * len(own), own

    def text(self) -> str:
        """What was recorded, and petaudit's figures of today beside it."""
        runs = dict(self.recorded["runs"])
        runs |= {f"{name}, today": own for name, own in self.now.items()}
        slow = median(run["cpu_seconds"] for run in runs[THEIRS])
        rows = []
        for name, own in runs.items():
            cpu = median(run["cpu_seconds"] for run in own)
            rows.append(
                [name, f"{median(run['seconds'] for run in own):.3f}", f"{cpu:.3f}"]
                + ["" if name == THEIRS else f"{slow / cpu:.1f}"]
                + [f"{own[0][key]:,}" for key in ("combinations", "pruned", "identified")]
            )
        header = ["", "seconds", "CPU s", "times as fast (CPU)", "combinations", "pruned"]
        noted = self.recorded["machine"]
        return (
            f"recorded on {self.recorded['date']}: {noted['cpu']}, {noted['cores']} cores, "
            f"load {noted['load_before']} before\n{table([*header, 'rows identified'], rows)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The record and today's runs as plain data."""
        return {"recorded": dict(self.recorded), "now": {k: list(v) for k, v in self.now.items()}}


def petsard_python(environment: Path = ENVIRONMENT) -> tuple[str | None, str]:
    """The Python that has PETsARD, made on first use; or None and the reason."""
    return python_with(environment, "petsard", PETSARD, _NEEDED)


def record(python: str, target: Path = RECORD, rows: int | None = None) -> dict[str, Any]:
    """Run PETsARD once with petaudit before and after it, and write down what they took."""
    noted = machine.machine() | {"load_before": machine.load()}
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in (THEIRS, OURS, OURS_COMPLETE)}
    for name in (OURS, OURS_COMPLETE, THEIRS, OURS, OURS_COMPLETE, OURS):
        runs[name].append(_run(name, python if name == THEIRS else sys.executable, rows))
    check_agreement(runs)
    document = {
        "date": datetime.now(UTC).date().isoformat(),
        "tables": fingerprint(),
        "machine": noted | {"load_after": machine.load()},
        "versions": machine.versions() | {"PETsARD": runs[THEIRS][0]["versions"]},
        "runs": {
            name: [{key: run[key] for key in _KEPT} for run in own] for name, own in runs.items()
        },
    }
    target.write_text(json.dumps(document, indent=2) + "\n")
    return document


def read_record(path: Path = RECORD) -> dict[str, Any]:
    """What was recorded; an error if there is nothing, or if it was on other tables."""
    try:
        found: dict[str, Any] = json.loads(path.read_text())
    except OSError as problem:
        raise BenchError(f"no record of PETsARD: {problem}; make one with --petsard") from problem
    if found["tables"] != fingerprint():
        raise BenchError(f"{path.name} was recorded on other tables; renew it with --petsard")
    return found


def run_now(repetitions: int, names: Sequence[str] = TODAY) -> dict[str, Any]:
    """What petaudit takes today; all columns only once, since it takes long."""
    return {
        name: [
            {key: run[key] for key in _KEPT}
            for run in (
                _run(name, sys.executable) for _ in range(repetitions if name == OURS else 1)
            )
        ]
        for name in names
    }


def check_agreement(runs: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Refuse to compare results that differ; PETsARD prunes, so it may miss rows, not find more."""
    [theirs] = runs[THEIRS]
    for name in (OURS, OURS_COMPLETE):
        for run in runs[name]:
            ours = run["unique"]
            wrong = [key for key, count in theirs["unique"].items() if ours.get(key) != count]
            if wrong or run["rows"] != theirs["rows"]:
                raise BenchError(f"PETsARD and {name} differ in {(wrong or ['the rows'])[0]!r}")
            if run["identified"] < theirs["identified"]:
                raise BenchError(f"{name} identifies fewer rows than PETsARD")


def _run(name: str, python: str, rows: int | None = None) -> dict[str, Any]:
    job = {**_JOBS[name], "tables": [str(path) for path in bundled_pair()]}
    if rows is not None:
        job["rows"] = rows
    return run_worker(_SCRIPT, job, python, _TIME_LIMIT)
