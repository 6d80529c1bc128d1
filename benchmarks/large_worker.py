"""One run within a limit of memory, in a process of its own: `python large_worker.py '<job>'`."""

# ruff: noqa: PLC0415 (each contender pays for its own imports only)
from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping
from typing import Any

from worker import measure


def measure_within(job: Mapping[str, Any]) -> dict[str, Any]:
    """Set the limit, then measure as ever; spilled data goes to a folder of its own."""
    if job["contender"] != "bare DuckDB":
        import petaudit

        petaudit.set_memory(job["memory"])
        return measure(job)
    import duckdb

    with tempfile.TemporaryDirectory(prefix="large-") as folder:
        duckdb.execute(f"SET memory_limit = '{job['memory']}'").fetchall()
        duckdb.execute(f"SET temp_directory = '{folder}'").fetchall()
        duckdb.execute(f"SET threads = {int(job['threads'])}").fetchall()
        return measure(job)


if __name__ == "__main__":
    print(json.dumps(measure_within(json.loads(sys.argv[1]))))
