"""mpUCCs beyond memory: `python benchmarks/mpuccs_large.py`.

A pair of 5 + 5 million rows and 15 columns, up to two columns: counted by DuckDB within 2 GB,
against the search in memory. Both count the same in every combination, or there is no ratio. The
exit code is 0 when the targets are met, 1 when one is missed, 2 when something went wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from checks import Check
from comparison import Comparison
from machine import load
from measuring import HERE, BenchError, Measurement, Ratio, peaks_of, read_through, run_worker
from mpuccs_large_pairs import COLUMNS, large_pair
from program import conclude

from petaudit.system.memory import parse_memory

ROWS: Final = 5_000_000
MEMORY: Final = "2GB"
AMPLE: Final = "12GB"
UP_TO: Final = 2
OVER_LIMIT: Final = 1.1
IN_MEMORY: Final = "in memory"
BY_ENGINE: Final = "DuckDB"
SAME: Final = ("complete", "figures", "columns", "unique", "collisions")
_TIME_LIMIT: Final = 2 * 3600


@dataclass(frozen=True)
class Options:
    """What to measure, and where."""

    rows: int
    memory: str
    ample: str
    search: str
    up_to: int
    repetitions: int
    data: Path
    json: Path | None


@dataclass(frozen=True)
class LargeSearch:
    """All runs, by the way of counting."""

    options: Options
    runs: dict[str, list[Measurement]]

    def comparison(self) -> Comparison:
        """Both ways side by side."""
        facts: dict[str, Any] = {
            "rows": self.options.rows,
            "columns": len(COLUMNS),
            "up_to": self.options.up_to,
            "memory": self.options.memory,
            "identified": self.runs[IN_MEMORY][0].figures["figures"]["total_identified"],
        }
        return Comparison("mpuccs-large", IN_MEMORY, self.runs, facts)

    def checks(self) -> list[Check]:
        """Peak memory against each limit; how much longer the engine takes is only shown."""
        where = f"mpUCCs, {self.options.rows:,} + {self.options.rows:,} rows"
        found = []
        for name, limit in ((BY_ENGINE, self.options.memory), (IN_MEMORY, self.options.ample)):
            peaks = peaks_of(self.runs[name])
            if peaks:
                ratio = Ratio.of(peaks, [float(parse_memory(limit))] * len(peaks))
                found.append(Check(where, f"{name}, peak / {limit}", ratio, OVER_LIMIT))
        return found

    def settings(self) -> dict[str, Any]:
        """What was asked for."""
        return {"rows": self.options.rows, "memory": self.options.memory}


def measure_large_search(options: Options) -> LargeSearch:
    """Make the pair unless it is there, and search it in turn."""
    pair = large_pair(options.rows, options.data)
    for path in pair:
        read_through(path)
    ways: Mapping[str, tuple[str, str]] = {
        BY_ENGINE: (options.search, options.memory),
        IN_MEMORY: ("memory", options.ample),
    }
    runs: dict[str, list[Measurement]] = {name: [] for name in ways}
    for _ in range(options.repetitions):
        for name, (search, memory) in ways.items():
            job = {
                "contender": name,
                "tables": [str(path) for path in pair],
                "up_to": options.up_to,
                "search": search,
                "memory": memory,
            }
            found = Measurement(**run_worker("mpuccs_large_worker.py", job, time_limit=_TIME_LIMIT))
            runs[name].append(found)
            print(
                f"{name}: {found.seconds:.1f} s, CPU {found.cpu_seconds:.1f} s, "
                f"peak {(found.peak_bytes or 0) / 1e6:,.0f} MB, {found.figures['search']}",
                flush=True,
            )
    check_same(runs)
    return LargeSearch(options, runs)


def check_same(runs: Mapping[str, Sequence[Measurement]]) -> None:
    """Refuse to compare searches that differ, or that did not go the way they should."""
    first = runs[IN_MEMORY][0].figures
    for name, own in runs.items():
        for run in own:
            if (run.figures["search"]["way"] == "engine") is not (name == BY_ENGINE):
                raise BenchError(f"{name}: the search went on in {run.figures['search']}")
            for figure in SAME:
                if run.figures[figure] != first[figure]:
                    raise BenchError(f"{name}: {figure} differs from the search in memory")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and judge."""
    options = parse(arguments)
    print(f"{options.rows:,} + {options.rows:,} rows within {options.memory}; load {load()}")
    return conclude(lambda: measure_large_search(options), options.json)


def parse(arguments: Sequence[str] | None) -> Options:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--memory", default=MEMORY)
    parser.add_argument("--ample", default=AMPLE, help="for the search in memory")
    parser.add_argument("--search", choices=("auto", "engine"), default="auto")
    parser.add_argument("--up-to", type=int, default=UP_TO)
    parser.add_argument("--repetitions", type=int, default=1)
    parser.add_argument("--data", type=Path, default=HERE / "data")
    parser.add_argument("--json", type=Path)
    return Options(**vars(parser.parse_args(arguments)))


if __name__ == "__main__":
    sys.exit(main())
