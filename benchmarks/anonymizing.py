"""The search for the best de-identification: beside the bare query, and beside ARX.

    python benchmarks/anonymizing.py                  # Adult, and 1,000,000 rows like it
    python benchmarks/anonymizing.py --rows 10000000  # as many as the targets are about
    python benchmarks/anonymizing.py --only wide      # 20 columns, with a limit of time: a minute

Everything runs in turn in one process, in CPU seconds, reading and counting of the file included.
ARX runs in a Java of its own, warm and without reading the file, if PETAUDIT_ARX is the class path
of its classes; its optimum has to be ours. They are built without its graphical interface:

    git clone --branch v3.9.2 --depth 1 https://github.com/arx-deidentifier/arx && cd arx
    jars=$(find "$PWD/lib/ant" -name '*.jar' | tr '\n' ':')
    javac -nowarn -encoding UTF-8 -cp "$jars" -d classes $(find src/main -name '*.java')
    export PETAUDIT_ARX="$PWD/classes:$jars"

Otherwise its figures are quoted, as they were measured on two noisy cores with the same
hierarchies: take them as an order of magnitude.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
from checks import Check, table
from measuring import Ratio

from petaudit import datasets
from petaudit.anonymizing.frontier import frontier
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
SEVEN: Final = [({"k-anonymity": {"limit": k}}, "5%") for k in (2, 3, 5, 10, 25, 50, 100)]
ARX_SECONDS: Final = {"0": 0.29, "5%": 4.19}
"""CPU seconds of its search on Adult, by the rows that may be suppressed, where it does not run."""
WIDE_ROWS: Final = 100_000
WIDE_COLUMNS: Final = 20
WIDE_SECONDS: Final = (10, 60)
EXACT_LIMIT: Final = 10.0
LOCAL_LIMIT: Final = 5.0
FRONTIER_LIMIT: Final = 3.0
MEMORY_LIMIT: Final = 1536
_BLOCK: Final = 500_000
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
        "seven k, 5%": lambda: frontier(problem_of(file, "5%"), SEVEN),
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
    """A table like Adult, with more rows; block by block, since peak memory is measured later."""
    adult = pq.read_table(datasets.load("adult").path).select(list(NAMES))
    rng = np.random.default_rng(7)
    path = folder / "rows.parquet"
    with pq.ParquetWriter(path, adult.schema) as writer:
        for start in range(0, rows, _BLOCK):
            size = min(_BLOCK, rows - start)
            one, other = rng.integers(0, adult.num_rows, (2, size))
            cells = [
                column.combine_chunks().take(
                    pa.array(np.where(rng.random(size) < _MIXED, other, one))
                )
                for column in adult.columns
            ]
            writer.write_table(pa.Table.from_arrays(cells, schema=adult.schema))
    return path


def arx_seconds(adult: Path, folder: Path, suppression: str, repetitions: int) -> list[float]:
    """CPU seconds of ARX after two rounds that warm it up, or what is quoted of it."""
    path = os.environ.get("PETAUDIT_ARX")
    if not path:
        return [ARX_SECONDS[suppression]] * repetitions
    table = folder / "adult.csv"
    pyarrow.csv.write_csv(
        pq.read_table(adult), table, pyarrow.csv.WriteOptions(delimiter=";", quoting_style="none")
    )
    share = str(float(suppression.rstrip("%")) / 100)
    source = str(Path(__file__).with_name("Arx.java"))
    words = [str(table), str(HIERARCHIES), ",".join(NAMES), share, "5", str(repetitions + 2)]
    done = subprocess.run(
        ["java", "-cp", path, source, *words], check=True, capture_output=True, text=True
    )
    rounds = [line.split() for line in done.stdout.splitlines()]
    ours, its = search(problem_of(adult, suppression)).value, float(rounds[-1][1])
    if abs(ours - its) > 1e-9:
        message = f"the optimum of ARX is {its}, ours {ours}"
        raise RuntimeError(message)
    return [float(seconds) for seconds, _ in rounds[2:]]


def wide_problem() -> Problem:
    """Rows in groups that are much alike, with more combinations of levels than can be tried."""
    rng = np.random.default_rng(3)
    kind = rng.integers(0, 30, WIDE_ROWS)
    columns, hierarchies = {}, {}
    for place in range(WIDE_COLUMNS):
        size = (4, 8, 16, 32)[place % 4]
        own = np.where(
            rng.random(WIDE_ROWS) < 0.6,
            kind * (place + 1) % size,
            (rng.zipf(1.6, WIDE_ROWS) - 1) % size,
        )
        name = f"q{place}"
        columns[name] = own.astype(str)
        widths = [2**level for level in range(1, size.bit_length() - 1)]
        hierarchies[name] = [
            [str(leaf), *(f"{leaf // width} of {width}" for width in widths), "*"]
            for leaf in range(size)
        ]
    inputs = gather(pa.table(columns), quasi_identifiers=[*columns], hierarchies=hierarchies)
    return Problem.of(inputs, SETTINGS, max_suppression="5%")


def wide_checks() -> list[Check]:
    """How far from the optimum a search with a limit of time can be, and says so."""
    problem = wide_problem()
    rows, gaps = [], []
    for seconds in WIDE_SECONDS:
        best = search(problem, time_limit=seconds)
        gaps.append(1 - best.bound / best.value)
        rows.append([f"{seconds} s", f"{best.value:.4f}", f"{best.bound:.4f}", f"{gaps[-1]:.1%}"])
    print(f"\n{WIDE_ROWS:,} rows, {WIDE_COLUMNS} columns, {problem.nodes:,} combinations of levels")
    print(table(["stopped after", "lost", "proven bound", "gap"], rows), flush=True)
    ratio = Ratio.of(gaps[1:], gaps[:1])
    return [Check("wide", "gap after 60 s / after 10 s", ratio, 1.0, is_gate=False)]


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
    parser.add_argument("--only", choices=["Adult", "rows", "wide"])
    options = parser.parse_args(arguments)
    found: list[Check] = []
    parts = [options.only] if options.only else ["Adult", "rows", "wide"]
    with tempfile.TemporaryDirectory() as temporary:
        folder, adult = Path(temporary), datasets.load("adult").path
        for where in [part for part in parts if part != "wide"]:
            file = adult if where == "Adult" else mixed_rows(options.rows, folder)
            seconds = measured(file, options.repetitions)
            rows = [[name, f"{np.median(each):.3f}"] for name, each in seconds.items()]
            if where == "Adult":
                for name, target in (("0", 1.0), ("5%", 1 / 3)):
                    its = arx_seconds(adult, folder, name, options.repetitions)
                    rows.append([f"ARX 3.9.2, {name}", f"{np.median(its):.3f}"])
                    ratio = Ratio.of(seconds[f"exact, {name}"], its)
                    what = f"exact, {name} / ARX"
                    found.append(Check(where, what, ratio, target, is_gate=False))
            print(f"\n{where}\n{table(['', 'CPU s'], rows)}", flush=True)
            found += checks(where, seconds, is_gate=where == "rows" and options.rows >= 10**7)
    if "wide" in parts:
        found += wide_checks()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\npeak memory, all of it together: {peak:,.0f} MiB (target {MEMORY_LIMIT:,})\n")
    print(table(["", "what", "ratio", "target", "", ""], [check.row() for check in found], names=2))
    return 0 if all(check.passed for check in found if check.is_gate) else 1


if __name__ == "__main__":
    sys.exit(main())
