"""The search of mpUCCs: against plain DuckDB queries, and on large tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

import pyarrow.parquet as pq
from checks import Check, table
from comparison import Comparison
from measuring import (
    BenchError,
    Measurement,
    Ratio,
    cpu_seconds_of,
    interleaved,
    over_idle_of,
    peaks_of,
    read_through,
    seconds_of,
)
from pairs import bundled_pair, generated_pair

DUCKDB_FACTOR: Final = 5.0
PER_CELL_LIMIT: Final = 1.5
MEMORY_LIMIT_GB: Final = 1.5
GROWTH: Final = 2
TIME_GROWTH_LIMIT: Final = 2.5
MEMORY_GROWTH_LIMIT: Final = 2.1

ADULT: Final = "Adult pair"
DUCKDB: Final = "DuckDB, Adult pair"
UP_TO: Final = 3
SCRIPT: Final = "mpuccs_worker.py"
WARM_UP_ROWS: Final = 100
_ADULT_RUNS: Final = 5
"""One search of Adult takes tenths of a second, so a process takes the median of several."""
_LISTS: Final = ("unique", "collisions", "pairs")
_MIB: Final = 2**20


@dataclass(frozen=True)
class SearchResult:
    """All runs of the search and of the queries, by table."""

    runs: Mapping[str, Sequence[Measurement]]
    cells: Mapping[str, int]
    """Rows of both tables times combinations."""
    half: str
    large: str
    up_to: int

    def checks(self) -> list[Check]:
        """Every ratio that has a target."""
        adult, half, large = self.runs[ADULT], self.runs[self.half], self.runs[self.large]
        ratio = Ratio.of(seconds_of(self.runs[DUCKDB]), seconds_of(adult))
        found = [Check("mpUCCs, Adult", "DuckDB / petaudit, time", ratio, DUCKDB_FACTOR, False)]
        ratio = Ratio.of(self._per_cell(self.large), self._per_cell(ADULT))
        what = "per row and combination / Adult, time"
        found.append(Check("mpUCCs, large", what, ratio, PER_CELL_LIMIT))
        if peaks_of(large):
            ratio = Ratio.of(peaks_of(large), [1e9] * len(large))
            found.append(Check("mpUCCs, large", "peak memory, GB", ratio, MEMORY_LIMIT_GB))
        where = f"mpUCCs, growth x{GROWTH}"
        ratio = Ratio.of(_whole(large), _whole(half))
        found.append(Check(where, "whole call, time", ratio, TIME_GROWTH_LIMIT))
        if over_idle_of(half) and min(over_idle_of(half)) > 0:
            ratio = Ratio.of(over_idle_of(large), over_idle_of(half))
            found.append(Check(where, "memory over idle", ratio, MEMORY_GROWTH_LIMIT))
        return found

    def comparison(self) -> Comparison:
        """The search and the queries on Adult, side by side."""
        own = self.runs[ADULT][0].figures
        facts = {"up_to": self.up_to, "same_figure": True}
        facts |= {key: own[key] for key in ("combinations", "identified")}
        runs = {"DuckDB": self.runs[DUCKDB], "petaudit": self.runs[ADULT]}
        return Comparison("mpuccs-adult", "petaudit", runs, facts)

    def text(self) -> str:
        """Medians as a table, and the ratios that have no target of their own."""
        header = ["", "search, s", "CPU s", "whole call, s", "CPU s", "ns per row and combination"]
        header += ["CPU ns", "peak MiB", "over idle"]
        lines = [table(header, [self._row(name) for name in self.runs])]
        adult, duckdb = self.runs[ADULT], self.runs[DUCKDB]
        half, large = self.runs[self.half], self.runs[self.large]
        per_cell = [self._per_cell(name, cpu=True) for name in (self.large, ADULT)]
        for what, ratio in {
            "DuckDB / petaudit, CPU": Ratio.of(cpu_seconds_of(duckdb), cpu_seconds_of(adult)),
            "DuckDB / petaudit, whole call from files": Ratio.of(seconds_of(duckdb), _whole(adult)),
            f"{self.large} / Adult, per row and combination, CPU": Ratio.of(*per_cell),
            f"{self.large} / half, search": Ratio.of(seconds_of(large), seconds_of(half)),
            f"{self.large} / half, CPU": Ratio.of(cpu_seconds_of(large), cpu_seconds_of(half)),
        }.items():
            lines.append(f"{what}: {ratio}")
        return "\n".join(lines)

    def _row(self, name: str) -> list[str]:
        own = self.runs[name]
        cells = [name, f"{median(seconds_of(own)):.3f}", f"{median(cpu_seconds_of(own)):.3f}"]
        for figure in ("whole_seconds", "whole_cpu_seconds"):
            known = [run.figures[figure] for run in own if figure in run.figures]
            cells.append(f"{median(known):.3f}" if known else "")
        for cpu in (False, True):
            cells.append(f"{1e9 * median(self._per_cell(name, cpu=cpu)):.2f}")
        for values in (peaks_of(own), over_idle_of(own)):
            cells.append(f"{median(values) / _MIB:.0f}" if values else "n/a")
        return cells

    def _per_cell(self, name: str, *, cpu: bool = False) -> list[float]:
        of = cpu_seconds_of if cpu else seconds_of
        return [seconds / self.cells[name] for seconds in of(self.runs[name])]

    def to_dict(self) -> dict[str, Any]:
        """Every single measurement as plain data, without the counts of each combination."""
        return {
            "up_to": self.up_to,
            "cells": dict(self.cells),
            "runs": {name: [_plain(run) for run in own] for name, own in self.runs.items()},
        }


def measure(rows: int, repetitions: int, folder: Path, up_to: int = UP_TO) -> SearchResult:
    """Run the search and the queries in turn, on Adult and on generated pairs of tables."""
    warm_up = file_names(generated_pair(WARM_UP_ROWS, folder))
    half, large = (_title(size) for size in (rows // GROWTH, rows))
    tables = {
        ADULT: bundled_pair(),
        DUCKDB: bundled_pair(),
        half: generated_pair(rows // GROWTH, folder),
        large: generated_pair(rows, folder),
    }
    jobs: dict[str, dict[str, Any]] = {}
    for name, pair in tables.items():
        for path in pair:
            read_through(path)
        jobs[name] = {
            "contender": "DuckDB" if name == DUCKDB else "petaudit",
            "tables": file_names(pair),
            "warm_up": warm_up,
            "up_to": up_to,
            "runs": _ADULT_RUNS if name == ADULT else 1,
        }
    runs = interleaved(jobs, repetitions, SCRIPT)
    for name, pair in tables.items():
        _check_complete(name, runs[name], pair, up_to)
    check_agreement(runs[ADULT], runs[DUCKDB])
    cells = {
        name: sum(map(_rows, pair)) * runs[name][0].figures["combinations"]
        for name, pair in tables.items()
    }
    return SearchResult(runs, cells, half, large, up_to)


def check_agreement(own: Sequence[Measurement], queries: Sequence[Measurement]) -> None:
    """Refuse to compare a search and queries that do not count the same in every combination."""
    for run in own:
        for query in queries:
            if run.threads != query.threads:
                raise BenchError(f"{run.threads} threads against {query.threads} of DuckDB")
            ours, theirs = run.figures["unique"], query.figures["unique"]
            if ours != theirs:
                raise BenchError("petaudit and DuckDB differ in the unique rows of combinations")
            # A row counts once, with the first combination that identifies it.
            first, pairs = run.figures["collisions"], query.figures["pairs"]
            if first[0] != pairs[0] or any(map(int.__gt__, first, pairs)):
                raise BenchError("petaudit and DuckDB differ in the rows that are identified")


def _check_complete(
    name: str, runs: Sequence[Measurement], pair: tuple[Path, Path], up_to: int
) -> None:
    columns = pq.read_schema(pair[0]).names
    wanted = sum(math.comb(len(columns), size) for size in range(1, up_to + 1))
    for run in runs:
        seen = run.figures["combinations"]
        if seen != wanted or not run.figures.get("complete", True):
            raise BenchError(f"{name}: {wanted} combinations were to be looked at, not {seen}")


def _whole(runs: Sequence[Measurement]) -> list[float]:
    return [run.figures["whole_seconds"] for run in runs]


def _plain(run: Measurement) -> dict[str, Any]:
    figures = {name: own for name, own in run.figures.items() if name not in _LISTS}
    return asdict(run) | {"figures": figures}


def _title(rows: int) -> str:
    return f"{rows:,} + {rows:,} rows"


def file_names(pair: tuple[Path, Path]) -> tuple[str, str]:
    """The same as text, for a job."""
    return str(pair[0]), str(pair[1])


def _rows(path: Path) -> int:
    rows: int = pq.read_metadata(path).num_rows
    return rows
