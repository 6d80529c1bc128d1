"""mpUCCs on the bundled pair in a process of its own: `python petsard_worker.py '<job as JSON>'`.

Runs in two environments: petaudit's, and the one that holds PETsARD. Both read the same files into
pandas frames, run once on a few rows to warm up, and are timed from the frames to the three tables
of results.
"""

# ruff: noqa: PLC0415 (each environment has only one of the two packages)
from __future__ import annotations

import ast
import importlib.util
import json
import sys
import types
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any, TypeAlias

import pandas as pd
import worker

Tables: TypeAlias = Mapping[str, pd.DataFrame]
Run: TypeAlias = Callable[[pd.DataFrame, pd.DataFrame], Tables]


def petsard(columns: int | None) -> Run:
    """PETsARD's evaluator, called as PETsARD calls it."""
    # Importing the package as a whole would need PyTorch, XGBoost and more, which mpUCCs does not
    # use: its module is loaded unchanged, with empty packages around it.
    found = importlib.util.find_spec("petsard")
    assert found is not None
    for name in ("petsard", "petsard.evaluator"):
        package = types.ModuleType(name)
        inner = name.removeprefix("petsard").replace(".", "/")
        package.__path__ = [place + inner for place in found.submodule_search_locations or ()]
        sys.modules[name] = package
    from petsard.evaluator.mpuccs import MPUCCs

    def run(original: pd.DataFrame, synthetic: pd.DataFrame) -> Tables:
        evaluator = MPUCCs({"eval_method": "mpuccs", "max_baseline_cols": columns})
        tables: Tables = evaluator._eval({"ori": original, "syn": synthetic})
        return tables

    return run


def petaudit(columns: int | None) -> Run:
    """petaudit as a user calls it, with all three tables."""
    import petaudit

    def run(original: pd.DataFrame, synthetic: pd.DataFrame) -> Tables:
        found = petaudit.mpuccs(original, synthetic, max_baseline_cols=columns)
        return {"global": found.global_, "details": found.details, "tree": found.tree}

    return run


CONTENDERS: Mapping[str, Callable[[int | None], Run]] = {"PETsARD": petsard, "petaudit": petaudit}


def measure(job: Mapping[str, Any]) -> dict[str, Any]:
    """Warm up, run, and say what it took and what was found."""
    run = CONTENDERS[job["contender"]](job["columns"])
    original, synthetic = map(pd.read_parquet, job["tables"])
    rows = job.get("rows", max(len(original), len(synthetic)))
    original, synthetic = original.head(rows), synthetic.head(rows)
    run(original.head(200), synthetic.head(200))
    found = worker.timed(lambda: {"tables": run(original, synthetic)}, job["runs"])
    tables = found.pop("figures")["tables"]
    tree = tables["tree"]
    packages = (job["contender"].lower(), "pandas", "numpy")
    return found | {
        "rows": int(tables["global"]["total_syn_records"].iloc[0]),
        "identified": int(tables["global"]["total_identified"].iloc[0]),
        "combinations": len(tree),
        "pruned": int(tree["is_pruned"].sum()),
        "unique": {
            " + ".join(sorted(_names(row.field_combo))): int(row.mpuccs_cnt)
            for row in tree[~tree["is_pruned"].astype(bool)].itertuples()
            if row.combo_size <= 2
        },
        "versions": {name: version(name) for name in packages},
    }


def _names(combination: Any) -> tuple[str, ...]:
    """The columns of a combination; PETsARD writes them as text."""
    names = ast.literal_eval(combination) if isinstance(combination, str) else combination
    return tuple(names)


if __name__ == "__main__":
    print(json.dumps(measure(json.loads(sys.argv[1]))))
