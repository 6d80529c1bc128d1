"""t-closeness on Adult against pyCANON, which lives in an environment of its own."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from checks import PYCANON_FACTOR, Check
from comparison import Comparison
from environments import python_with
from measuring import HERE, BenchError, Measurement, Ratio, interleaved, seconds_of

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
    """What each contender took, round by round, and computed."""

    table: str
    runs: Mapping[str, Sequence[Measurement]]

    @property
    def check(self) -> Check:
        """How many times as fast petaudit is on the loaded frame."""
        ratio = Ratio.of(seconds_of(self.runs["pyCANON"]), seconds_of(self.runs["petaudit"]))
        return Check(self.table, "pyCANON / petaudit, time", ratio, PYCANON_FACTOR, at_most=False)

    @property
    def values(self) -> dict[str, float]:
        """t as each contender has it."""
        return {name: own[0].figures["t"] for name, own in self.runs.items()}

    def comparison(self) -> Comparison:
        """The contenders side by side."""
        facts = {"t": self.values["petaudit"], "same_figure": True}
        return Comparison(f"pycanon-{self.table}", "petaudit", self.runs, facts)


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
            | {"contender": "petaudit", "runs": chosen.runs["petaudit"], "path": str(bundled.path)},
        ),
    }
    jobs = {name: own for name, (_, own) in contenders.items()}
    pythons = {name: interpreter for name, (interpreter, _) in contenders.items()}
    found = AdultResult(chosen.name, interleaved(jobs, repetitions, "adult_worker.py", pythons))
    for name, own in found.runs.items():
        for t in (run.figures["t"] for run in own):
            if not math.isclose(t, found.values["pyCANON"], rel_tol=0, abs_tol=_SAME):
                theirs = found.values["pyCANON"]
                raise BenchError(f"{chosen.name}: t is {theirs} for pyCANON, {t} for {name}")
    return found
