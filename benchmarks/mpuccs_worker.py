"""mpUCCs in a process of its own: `python mpuccs_worker.py '<job as JSON>'`.

Warms up on a tiny pair of tables, runs the contender and prints one line of JSON.
"""

# ruff: noqa: PLC0415 (a first call is to pay for its imports, and idle memory is without them)
from __future__ import annotations

import itertools
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from statistics import median
from typing import Any, Final, TypeAlias

from worker import peak_memory

Job: TypeAlias = Mapping[str, Any]
Tables: TypeAlias = tuple[str, str]
"""The files of the original and of the synthetic table."""

QUERY: Final = (
    "SELECT count(*) FILTER (synthetic = 1), count(*) FILTER (synthetic = 1 AND original = 1) FROM "
    "(SELECT count(*) FILTER (is_synthetic) AS synthetic, "
    "count(*) FILTER (NOT is_synthetic) AS original FROM encoded GROUP BY {columns})"
)
"""Of one combination: synthetic rows that are unique, and those that meet one original row."""


class SearchClock:
    """Processor time of the search alone: a progress report starts it, every further one reads."""

    def __init__(self) -> None:
        self._start: float | None = None
        self.cpu_seconds = 0.0

    def __call__(self, progress: object) -> None:
        now = time.process_time()
        self._start = now if self._start is None else self._start
        self.cpu_seconds = now - self._start


def petaudit_search(job: Job) -> dict[str, Any]:
    """petaudit.mpuccs on files; seconds are those of the search, figures hold the whole call's."""
    import petaudit
    from petaudit.singling.walk import available_threads

    petaudit.mpuccs(*job["warm_up"], max_baseline_cols=job["up_to"])
    idle = peak_memory()
    seconds, cpu_seconds, whole, whole_cpu = [], [], [], []
    for _ in range(job["runs"]):
        clock = SearchClock()
        cpu, wall = time.process_time(), time.perf_counter()
        found = petaudit.mpuccs(*job["tables"], max_baseline_cols=job["up_to"], progress=clock)
        whole.append(time.perf_counter() - wall)
        whole_cpu.append(time.process_time() - cpu)
        seconds.append(found.timings["search"])
        cpu_seconds.append(clock.cpu_seconds)
    peak = peak_memory()
    unique = found.tree.column("mpuccs_cnt").to_pylist()
    return {
        "seconds": median(seconds),
        "cpu_seconds": median(cpu_seconds),
        "peak_bytes": peak,
        "idle_bytes": idle,
        "threads": available_threads(),
        "figures": {
            "whole_seconds": median(whole),
            "whole_cpu_seconds": median(whole_cpu),
            "identified": found.figures["total_identified"],
            "combinations": found.combinations,
            "complete": found.complete,
            "unique": unique,
            "collisions": found.tree.column("mpuccs_collision_cnt").to_pylist(),
        },
    }


def duckdb_queries(job: Job) -> dict[str, Any]:
    """A plain query per combination, on the table of codes that petaudit's search works on."""
    _answers(job["warm_up"], 1)
    idle = peak_memory()
    seconds, cpu_seconds = [], []
    for _ in range(job["runs"]):
        answers, own, own_cpu, threads = _answers(job["tables"], job["up_to"])
        seconds.append(own)
        cpu_seconds.append(own_cpu)
    return {
        "seconds": median(seconds),
        "cpu_seconds": median(cpu_seconds),
        "peak_bytes": peak_memory(),
        "idle_bytes": idle,
        "threads": threads,
        "figures": {
            "combinations": len(answers),
            "unique": [unique for unique, _ in answers],
            "pairs": [pairs for _, pairs in answers],
        },
    }


def _answers(tables: Tables, up_to: int) -> tuple[list[tuple[int, int]], float, float, int]:
    """The answers to all queries, wall time, processor time, threads."""
    import duckdb
    import numpy as np
    import pyarrow as pa

    codes, synthetic = _encoded(tables)
    columns = {f"c{place}": own for place, own in enumerate(codes)}
    given = pa.table(columns | {"is_synthetic": np.arange(codes.shape[1]) < synthetic})
    with duckdb.connect() as database:
        database.register("given", given)
        database.execute("CREATE TABLE encoded AS SELECT * FROM given")
        [(threads,)] = database.execute("SELECT current_setting('threads')").fetchall()
        cpu, wall = time.process_time(), time.perf_counter()
        answers = [
            database.execute(QUERY.format(columns=", ".join(combination))).fetchall()[0]
            for combination in _combinations(list(columns), up_to)
        ]
        seconds = time.perf_counter() - wall
        return answers, seconds, time.process_time() - cpu, threads


def _encoded(tables: Tables) -> tuple[Any, int]:
    """The codes that petaudit's search works on, a row per column, and the synthetic rows."""
    from petaudit.singling.prepared import prepare
    from petaudit.tables import open_source
    from petaudit.tables.joint import joint_tables

    original, synthetic = map(open_source, tables)
    joint = joint_tables([synthetic, original], decimals=None, unit=None)
    pair = prepare(joint, deduplicate=True).pair
    return pair.codes, pair.synthetic


def _combinations(columns: list[str], up_to: int) -> Iterator[tuple[str, ...]]:
    for size in range(1, up_to + 1):
        yield from itertools.combinations(columns, size)


def first_call(job: Job) -> dict[str, Any]:
    """The first and the second call of a process, with compiled code kept in the given folder."""
    os.environ["NUMBA_CACHE_DIR"] = job["cache"]
    import petaudit

    seconds, cpu_seconds = [], []
    for _ in range(2):
        cpu, wall = time.process_time(), time.perf_counter()
        petaudit.mpuccs(*job["tables"], max_baseline_cols=job["up_to"])
        seconds.append(time.perf_counter() - wall)
        cpu_seconds.append(time.process_time() - cpu)
    return {"seconds": seconds, "cpu_seconds": cpu_seconds}


CONTENDERS: Final[Mapping[str, Callable[[Job], dict[str, Any]]]] = {
    "petaudit": petaudit_search,
    "DuckDB": duckdb_queries,
    "first call": first_call,
}


if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    print(json.dumps(CONTENDERS[asked["contender"]](asked)))
