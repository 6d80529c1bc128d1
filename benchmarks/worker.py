"""One measurement in a process of its own: `python worker.py '<job as JSON>'`.

Warms up (imports, a connection, the same call on a tiny file), then runs the contender once and
prints one line of JSON. Only what the contender needs is imported: its memory counts too.
"""

# ruff: noqa: PLC0415 (each contender pays for its own imports only)
from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final, TypeAlias

Figures: TypeAlias = dict[str, Any]
Contender: TypeAlias = Callable[[str, Sequence[str], str], Figures]

# The prices of the delta-presence example: which ones does not matter for the time.
PRICES: Final[dict[str, Any]] = {"cost": 4, "gain": 300, "loss": 300, "benefit": 1200}


def bare_duckdb(path: str, quasi_identifiers: Sequence[str], sensitive: str) -> Figures:
    """The query that every class-based measure contains."""
    del sensitive
    import duckdb

    keys = ", ".join(f'"{column}"' for column in quasi_identifiers)
    [(classes, largest)] = duckdb.execute(
        "SELECT count(*), max(n) FROM "
        f"(SELECT count(*) AS n FROM read_parquet('{path}') GROUP BY {keys})"
    ).fetchall()
    return {"classes": classes, "largest": largest}


def class_histogram(path: str, quasi_identifiers: Sequence[str], sensitive: str) -> Figures:
    """The counts layer alone."""
    del sensitive
    from petaudit.tables import open_source

    found = open_source(path).counts.class_histogram(quasi_identifiers).with_suppressed_as_class()
    return {"classes": int(found.classes.sum()), "largest": int(found.sizes.max())}


def profitability(path: str, quasi_identifiers: Sequence[str], sensitive: str) -> Figures:
    """Profitability as a user calls it; suppressed rows are a class, as they are for DuckDB."""
    del sensitive
    import petaudit

    found = petaudit.profitability(
        path, quasi_identifiers=quasi_identifiers, suppressed="class", **PRICES
    )
    return {"rows": found.rows, "value": bool(found.value)}


def t_closeness(path: str, quasi_identifiers: Sequence[str], sensitive: str) -> Figures:
    """t-closeness as a user calls it."""
    import petaudit

    found = petaudit.t_closeness(
        path, quasi_identifiers=quasi_identifiers, sensitive=sensitive, suppressed="class"
    )
    [attribute] = found.attributes
    return {"classes": attribute.classes, "t": found.value, "distance": attribute.distance}


CONTENDERS: Final[Mapping[str, Contender]] = {
    "bare DuckDB": bare_duckdb,
    "class histogram": class_histogram,
    "Profitability": profitability,
    "t-closeness": t_closeness,
}


def threads(contender: str) -> int:
    """How many threads the contender's own database uses."""
    if contender == "bare DuckDB":
        import duckdb

        connection = duckdb.default_connection()
    else:
        from petaudit.tables.engines.duckdb import cursor

        connection = cursor()
    [(count,)] = connection.execute("SELECT current_setting('threads')").fetchall()
    return int(count)


def peak_memory() -> int | None:
    """Bytes that this process has held at most; None where the system does not say."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return None
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) * 1024 if found else None


def measure(
    job: Mapping[str, Any], contenders: Mapping[str, Contender] = CONTENDERS
) -> dict[str, Any]:
    """Warm up, run once, and say what it took."""
    run = contenders[job["contender"]]
    inputs = (job["quasi_identifiers"], job["sensitive"])
    run(job["warm_up"], *inputs)
    count = threads(job["contender"])
    return timed(lambda: run(job["path"], *inputs), job.get("runs", 1)) | {"threads": count}


def timed(run: Callable[[], Figures], runs: int = 1) -> dict[str, Any]:
    """What a warm call takes: medians over so many calls, and the memory of all of them."""
    idle = peak_memory()
    seconds, cpu_seconds = [], []
    for _ in range(runs):
        cpu, wall = time.process_time(), time.perf_counter()
        figures = run()
        seconds.append(time.perf_counter() - wall)
        cpu_seconds.append(time.process_time() - cpu)
    return {
        "seconds": median(seconds),
        "cpu_seconds": median(cpu_seconds),
        "peak_bytes": peak_memory(),
        "idle_bytes": idle,
        "threads": None,
        "figures": figures,
    }


if __name__ == "__main__":
    print(json.dumps(measure(json.loads(sys.argv[1]))))
