"""100 million rows within 4 GB: `python benchmarks/large.py`.

The class histogram, Profitability and t-closeness against the bare DuckDB query, each in a process
of its own and within the same limit of memory. The exit code is 0 when the targets are met, 1 when
one is missed, 2 when something could not be measured.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from checks import Check
from comparison import Comparison
from generated import BARE, WARM_UP_ROWS, check_agreement
from machine import load
from measuring import (
    HERE,
    BenchError,
    Measurement,
    Ratio,
    cpu_seconds_of,
    peaks_of,
    read_through,
    run_worker,
    seconds_of,
)
from program import conclude
from shapes import QUASI_IDENTIFIERS, SENSITIVE, SHAPES, shape, table_file
from worker import CONTENDERS, threads

from petaudit.system.memory import parse_memory, set_memory

ROWS: Final = 100_000_000
MEMORY: Final = "4GB"
SHAPE: Final = "text"
TIME_LIMITS: Final = {"class histogram": 1.5, "Profitability": 1.5, "t-closeness": 2.2}
OVER_LIMIT: Final = 1.1
_TIME_LIMIT: Final = 3 * 3600
_BYTES_PER_ROW: Final = 60
"""On disk, generously: the file, and what is spilled of it."""


@dataclass(frozen=True)
class Options:
    """What to measure, and where."""

    rows: int
    shape: str
    memory: str
    repetitions: int
    data: Path
    json: Path | None

    @property
    def is_whole(self) -> bool:
        """Whether this is what the targets are about; other runs are judged by memory only."""
        return self.rows >= ROWS and self.shape == SHAPE and self.memory == MEMORY


@dataclass(frozen=True)
class LargeResult:
    """All runs, by contender."""

    options: Options
    runs: dict[str, list[Measurement]]

    def comparison(self) -> Comparison:
        """The contenders side by side."""
        facts = {"rows": self.options.rows, "memory": self.options.memory}
        facts |= {"classes": self.runs[BARE][0].figures["classes"]}
        return Comparison(f"large-{self.options.shape}", BARE, self.runs, facts)

    def checks(self) -> list[Check]:
        """Every ratio that has a target."""
        found = []
        where, gate = f"{self.options.shape}, {self.options.rows:,} rows", self.options.is_whole
        limit = float(parse_memory(self.options.memory))
        bare = self.runs[BARE]
        for name, most in TIME_LIMITS.items():
            own = self.runs[name]
            time = Ratio.of(seconds_of(own), seconds_of(bare))
            found.append(Check(where, f"{name}, time", time, most, is_gate=gate))
            cpu = Ratio.of(cpu_seconds_of(own), cpu_seconds_of(bare))
            found.append(Check(where, f"{name}, CPU", cpu, most, is_gate=False))
            if peaks_of(own):
                peak = Ratio.of(peaks_of(own), [limit] * len(own))
                found.append(Check(where, f"{name}, peak / limit", peak, OVER_LIMIT))
        return found

    def settings(self) -> dict[str, Any]:
        """What was asked for."""
        own = self.options
        return {"rows": own.rows, "shape": own.shape, "memory": own.memory}


def measure_large_table(options: Options) -> LargeResult:
    """Make the table unless it is there, and run the contenders in turn."""
    warm_up = table_file(shape(options.shape), WARM_UP_ROWS, options.data)
    needed = options.rows * _BYTES_PER_ROW
    if shutil.disk_usage(options.data).free < needed:
        raise BenchError(f"{options.data} has too little room: about {needed / 1e9:.0f} GB needed")
    path = table_file(shape(options.shape), options.rows, options.data)
    read_through(path)
    set_memory(options.memory)
    job: dict[str, Any] = {
        "path": str(path),
        "warm_up": str(warm_up),
        "quasi_identifiers": QUASI_IDENTIFIERS,
        "sensitive": SENSITIVE,
        "memory": options.memory,
        # Within little memory petaudit uses fewer threads; so does the bare query then.
        "threads": threads("petaudit"),
    }
    runs: dict[str, list[Measurement]] = {name: [] for name in CONTENDERS}
    for _ in range(options.repetitions):
        for name, own in runs.items():
            found = run_worker(
                "large_worker.py", {**job, "contender": name}, time_limit=_TIME_LIMIT
            )
            own.append(Measurement(**found))
            print(
                f"{name}: {own[-1].seconds:.1f} s, CPU {own[-1].cpu_seconds:.1f} s, "
                f"peak {(own[-1].peak_bytes or 0) / 1e6:,.0f} MB",
                flush=True,
            )
    check_agreement(runs, options.rows)
    return LargeResult(options, runs)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and judge."""
    options = parse(arguments)
    print(f"{options.shape}: {options.rows:,} rows within {options.memory}; load {load()}")
    return conclude(lambda: measure_large_table(options), options.json)


def parse(arguments: Sequence[str] | None) -> Options:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--shape", choices=list(SHAPES), default=SHAPE)
    parser.add_argument("--memory", default=MEMORY)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--data", type=Path, default=HERE / "data")
    parser.add_argument("--json", type=Path)
    return Options(**vars(parser.parse_args(arguments)))


if __name__ == "__main__":
    sys.exit(main())
