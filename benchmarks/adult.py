"""t-closeness on Adult against pyCANON, which lives in an environment of its own."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from checks import PYCANON_FACTOR, Check
from environments import python_with
from measuring import HERE, BenchError, Ratio, run_worker

from petaudit import datasets

PYCANON: Final = "1.3.6"
ENVIRONMENT: Final = HERE.parent / ".venv-pycanon"
_SAME: Final = 1e-9


@dataclass(frozen=True)
class AdultTable:
    """A bundled table, and how often a process repeats each contender on it."""

    name: str
    runs: Mapping[str, int]


# The raw table has 16,356 classes, which pyCANON needs ten seconds and more for.
TABLES: Final = (
    AdultTable("adult-deidentified", {"pycanon": 3, "petaudit": 9}),
    AdultTable("adult", {"pycanon": 1, "petaudit": 9}),
)


@dataclass(frozen=True)
class AdultResult:
    """Seconds of each contender, round by round, and what they computed."""

    table: str
    seconds: Mapping[str, Sequence[float]]
    values: Mapping[str, float]
    versions: Mapping[str, Mapping[str, str]]

    @property
    def check(self) -> Check:
        """How many times as fast petaudit is on the loaded frame."""
        ratio = Ratio.of(self.seconds["pyCANON"], self.seconds["petaudit"])
        return Check(self.table, "pyCANON / petaudit, time", ratio, PYCANON_FACTOR, at_most=False)

    def rows(self) -> list[list[str]]:
        """The lines of the table: seconds, t, and how many times as fast as pyCANON."""
        slow = self.seconds["pyCANON"]
        return [
            [
                name,
                f"{median(own):.4f}",
                f"{self.values[name]:.15g}",
                "" if name == "pyCANON" else str(Ratio.of(slow, own)),
            ]
            for name, own in self.seconds.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data."""
        return {
            "table": self.table,
            "seconds": {name: list(own) for name, own in self.seconds.items()},
            "t": dict(self.values),
            "versions": {name: dict(own) for name, own in self.versions.items()},
        }


def pycanon_python(environment: Path = ENVIRONMENT) -> tuple[str | None, str]:
    """The Python that has pyCANON, made on first use; or None and the reason."""
    return python_with(environment, "pycanon", PYCANON)


def compare(chosen: AdultTable, python: str, repetitions: int, folder: Path) -> AdultResult:
    """Time pyCANON and petaudit in turn; an error when they do not agree on t."""
    bundled = datasets.load(chosen.name)
    folder.mkdir(parents=True, exist_ok=True)
    csv = folder / f"{chosen.name}.csv"
    pa_csv.write_csv(pq.read_table(bundled.path), csv)
    job = {
        "csv": str(csv),
        "quasi_identifiers": list(bundled.quasi_identifiers),
        "sensitive": bundled.sensitive[0],
    }
    contenders: dict[str, tuple[str, dict[str, Any]]] = {
        "pyCANON": (python, job | {"contender": "pycanon", "runs": chosen.runs["pycanon"]}),
        "petaudit": (
            sys.executable,
            job | {"contender": "petaudit", "runs": chosen.runs["petaudit"]},
        ),
        "petaudit, from the file": (
            sys.executable,
            job
            | {
                "contender": "petaudit",
                "runs": chosen.runs["petaudit"],
                "path": str(bundled.path),
            },
        ),
    }
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    values: dict[str, float] = {}
    versions: dict[str, Mapping[str, str]] = {}
    for _ in range(repetitions):
        for name, (interpreter, own) in contenders.items():
            found = run_worker("adult_worker.py", own, interpreter)
            seconds[name].append(median(found["seconds"]))
            values[name] = found["t"]
            versions[name] = found["versions"]
    for name, t in values.items():
        if not math.isclose(t, values["pyCANON"], rel_tol=0, abs_tol=_SAME):
            raise BenchError(f"{chosen.name}: t is {values['pyCANON']} for pyCANON, {t} for {name}")
    return AdultResult(chosen.name, seconds, values, versions)
