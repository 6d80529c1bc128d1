"""Measurements in fresh processes, and the ratios between them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Final

HERE: Final = Path(__file__).resolve().parent
_TIME_LIMIT: Final = 900
_READ: Final = 1 << 24


class BenchError(Exception):
    """A contender failed, or two of them do not agree: no ratio means anything then."""


@dataclass(frozen=True)
class Measurement:
    """What one run in one process took."""

    seconds: float
    cpu_seconds: float
    peak_bytes: int | None
    idle_bytes: int | None
    threads: int | None
    """None where the contender does not say."""
    figures: Mapping[str, Any]
    versions: Mapping[str, str] = field(default_factory=dict)
    """Packages of the contender's environment, where it is another one."""

    @property
    def bytes_over_idle(self) -> int | None:
        """Peak memory without what the process held after imports and warm-up."""
        if self.peak_bytes is None or self.idle_bytes is None:
            return None
        return self.peak_bytes - self.idle_bytes


@dataclass(frozen=True)
class Ratio:
    """A ratio of medians, with the extremes of the ratios round by round.

    >>> Ratio.of([2.0, 3.0, 4.0], [1.0, 2.0, 2.0])
    Ratio(value=1.5, low=1.5, high=2.0)
    """

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, numerators: Sequence[float], denominators: Sequence[float]) -> Ratio:
        """Compare two contenders that ran in turn."""
        rounds = [up / down for up, down in zip(numerators, denominators, strict=True)]
        return cls(median(numerators) / median(denominators), min(rounds), max(rounds))

    @classmethod
    def between(cls, numerators: Sequence[float], denominators: Sequence[float]) -> Ratio:
        """Compare contenders of which one ran more often: the extremes are those of any two runs.

        >>> Ratio.between([8.0], [1.0, 2.0, 4.0])
        Ratio(value=4.0, low=2.0, high=8.0)
        """
        if len(numerators) == len(denominators):
            return cls.of(numerators, denominators)
        return cls(
            median(numerators) / median(denominators),
            min(numerators) / max(denominators),
            max(numerators) / min(denominators),
        )

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}..{self.high:.2f}]"


def run_worker(
    script: str,
    job: Mapping[str, Any],
    python: str = sys.executable,
    time_limit: float = _TIME_LIMIT,
) -> dict[str, Any]:
    """Run a worker script in a new process and read its line of JSON."""
    try:
        finished = subprocess.run(
            [python, str(HERE / script), json.dumps(job)],
            capture_output=True,
            text=True,
            timeout=time_limit,
            check=False,
        )
    except subprocess.TimeoutExpired as problem:
        raise BenchError(f"{job['contender']} took more than {time_limit:g} s") from problem
    if finished.returncode:
        raise BenchError(f"{job['contender']} failed:\n{finished.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(finished.stdout.splitlines()[-1])
    return found


def interleaved(
    jobs: Mapping[str, Mapping[str, Any]],
    repetitions: int,
    script: str = "worker.py",
    pythons: Mapping[str, str] | None = None,
) -> dict[str, list[Measurement]]:
    """Run the jobs in turn, A B C A B C ..., so that a busy minute hits all of them alike.

    Contenders that live in another environment have a Python of their own.
    """
    found: dict[str, list[Measurement]] = {name: [] for name in jobs}
    for _ in range(repetitions):
        for name, job in jobs.items():
            python = (pythons or {}).get(name, sys.executable)
            found[name].append(Measurement(**run_worker(script, job, python)))
    return found


def seconds_of(runs: Sequence[Measurement]) -> list[float]:
    """Wall time of each run."""
    return [run.seconds for run in runs]


def cpu_seconds_of(runs: Sequence[Measurement]) -> list[float]:
    """CPU time of each run, over all threads."""
    return [run.cpu_seconds for run in runs]


def peaks_of(runs: Sequence[Measurement]) -> list[float]:
    """Peak memory of each run; empty where the system does not say."""
    return [float(run.peak_bytes) for run in runs if run.peak_bytes is not None]


def over_idle_of(runs: Sequence[Measurement]) -> list[float]:
    """Peak memory over idle of each run; empty where the system does not say."""
    return [float(run.bytes_over_idle) for run in runs if run.bytes_over_idle is not None]


def read_through(path: Path) -> None:
    """Bring the file into the system's cache, so that nobody pays for the disk."""
    with path.open("rb") as file:
        while file.read(_READ):
            pass
