"""One search within a limit of memory: `python mpuccs_large_worker.py '<job as JSON>'`."""

# ruff: noqa: PLC0415 (idle memory is without what the search imports)
from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from typing import Any

from worker import peak_memory


def measure(job: Mapping[str, Any]) -> dict[str, Any]:
    """Search the pair, and say what it took and what every combination identifies."""
    import petaudit
    from petaudit.singling.walk import available_threads

    petaudit.set_memory(job["memory"])
    idle = peak_memory()
    cpu, wall = time.process_time(), time.perf_counter()
    found = petaudit.mpuccs(*job["tables"], max_baseline_cols=job["up_to"], search=job["search"])
    taken = time.perf_counter() - wall, time.process_time() - cpu
    tree = found.findings.tree_columns()
    return {
        "seconds": taken[0],
        "cpu_seconds": taken[1],
        "peak_bytes": peak_memory(),
        "idle_bytes": idle,
        "threads": available_threads(),
        "figures": {
            "search": dict(found.search),
            "complete": found.complete,
            "figures": dict(found.figures),
            "columns": found.columns,
            "unique": tree["mpuccs_cnt"].values,
            "collisions": tree["mpuccs_collision_cnt"].values,
            "encode_seconds": found.timings["encode"],
            "search_seconds": found.timings["search"],
        },
    }


if __name__ == "__main__":
    print(json.dumps(measure(json.loads(sys.argv[1]))))
