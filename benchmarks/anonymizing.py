"""The search for the best de-identification: beside the bare query, and beside ARX's figures.

    python benchmarks/anonymizing.py                  # Adult, and 1,000,000 rows like it
    python benchmarks/anonymizing.py --rows 10000000  # as many as the targets are about

Everything runs in turn in one process, in CPU seconds, reading and counting of the file included.
ARX 3.9.2 is quoted, warm and without reading the file, as it was measured on two noisy cores with
the same hierarchies: compare ratios within this run, and those of ARX as an order of magnitude.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from checks import Check, table
from measuring import Ratio

from petaudit import datasets
from petaudit.anonymizing.frontier import frontier, grid
from petaudit.anonymizing.local import recode_locally
from petaudit.anonymizing.problem import Problem
from petaudit.anonymizing.search import search
from petaudit.inputs import gather

NAMES: Final = (
    *("sex", "age", "race", "marital-status", "education", "native-country"),
    *("occupation", "salary-class", "workclass"),
)
HIERARCHIES: Final = Path(datasets.__file__).parent / "data" / "adult_hierarchies"
SETTINGS: Final = {"k-anonymity": {"limit": 5}}
SEVEN: Final = {"k-anonymity": [2, 3, 5, 10, 25, 50, 100]}
ARX_SECONDS: Final = {"0": 0.29, "5%": 4.19}
"""CPU seconds of its search on Adult, by the rows that may be suppressed."""
EXACT_LIMIT: Final = 10.0
LOCAL_LIMIT: Final = 5.0
FRONTIER_LIMIT: Final = 3.0
MEMORY_LIMIT: Final = 1536
_MIXED: Final = 0.12
"""The share of cells that come from another row, so that there are combinations Adult has not."""


def problem_of(file: Path, suppression: str) -> Problem:
    """A file, opened and counted."""
    inputs = gather(
        file, quasi_identifiers=NAMES, hierarchies=HIERARCHIES, use_side_car=False,
        announce_notes=False,
    )  # fmt: skip
    return Problem.of(inputs, SETTINGS, max_suppression=suppression)


def contenders(file: Path) -> dict[str, Callable[[], Any]]:
    """What runs in turn."""
    names = ", ".join(f'"{name}"' for name in NAMES)
    query = f"SELECT count(*) FROM (SELECT count(*) FROM '{file}' GROUP BY {names})"

    def bare() -> None:
        with duckdb.connect() as connection:
            connection.execute("SET threads = 1").execute(query).fetchall()

    def exact(suppression: str) -> Callable[[], Any]:
        return lambda: search(problem_of(file, suppression))

    solved = problem_of(file, "5%")
    best = search(solved)
    return {
        "bare query": bare,
        "exact, 0": exact("0"),
        "exact, 5%": exact("5%"),
        "local, after exact": lambda: recode_locally(solved, best),
        "seven k, 5%": lambda: frontier(problem_of(file, "5%"), grid({}, SEVEN, ["5%"])),
    }


def measured(file: Path, repetitions: int) -> dict[str, list[float]]:
    """CPU seconds of every contender, round by round; the first round is not counted."""
    runs = contenders(file)
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(repetitions + 1):
        for name, run in runs.items():
            started = time.process_time()
            run()
            if turn:
                seconds[name].append(time.process_time() - started)
    return seconds


def mixed_rows(rows: int, folder: Path) -> Path:
    """A table like Adult, with more rows."""
    adult = pq.read_table(datasets.load("adult").path).select(list(NAMES))
    rng = np.random.default_rng(7)
    one, other = rng.integers(0, adult.num_rows, rows), rng.integers(0, adult.num_rows, rows)
    path = folder / "rows.parquet"
    cells = {
        name: adult.column(name)
        .combine_chunks()
        .take(pa.array(np.where(rng.random(rows) < _MIXED, other, one)))
        for name in NAMES
    }
    pq.write_table(pa.table(cells), path)
    return path


def checks(where: str, seconds: dict[str, list[float]], *, is_gate: bool) -> list[Check]:
    """The targets; ratios to the bare query are about many rows."""
    bare = seconds["bare query"]
    found = [
        Check(where, f"{name} / bare query", Ratio.of(seconds[name], bare), limit, is_gate=is_gate)
        for name, limit in (("exact, 5%", EXACT_LIMIT), ("local, after exact", LOCAL_LIMIT))
    ]
    one = Ratio.of(seconds["seven k, 5%"], seconds["exact, 5%"])
    return [*found, Check(where, "seven k / one search", one, FRONTIER_LIMIT, is_gate=False)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; the exit code is 1 where a gated target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repetitions", type=int, default=3)
    options = parser.parse_args(arguments)
    found: list[Check] = []
    with tempfile.TemporaryDirectory() as folder:
        adult = datasets.load("adult").path
        for where, file in (("Adult", adult), ("rows", mixed_rows(options.rows, Path(folder)))):
            seconds = measured(file, options.repetitions)
            rows = [[name, f"{np.median(each):.3f}"] for name, each in seconds.items()]
            if where == "Adult":
                rows += [[f"ARX 3.9.2, {name}", f"{each}"] for name, each in ARX_SECONDS.items()]
                for name, each in ARX_SECONDS.items():
                    ratio = Ratio.of(seconds[f"exact, {name}"], [each] * options.repetitions)
                    found.append(Check(where, f"exact, {name} / ARX", ratio, 1.0 if name == "0" else 1 / 3, is_gate=False))  # fmt: skip  # noqa: E501
            print(f"\n{where}\n{table(['', 'CPU s'], rows)}", flush=True)
            found += checks(where, seconds, is_gate=where == "rows" and options.rows >= 10**7)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\npeak memory, all of it together: {peak:,.0f} MiB (target {MEMORY_LIMIT:,})\n")
    print(table(["", "what", "ratio", "target", "", ""], [check.row() for check in found], names=2))
    return 0 if all(check.passed for check in found if check.is_gate) else 1


if __name__ == "__main__":
    sys.exit(main())
