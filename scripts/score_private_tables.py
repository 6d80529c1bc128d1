"""How far synthetic tables are from the bundled Adult: the figures of docs/private-tables.md.

Total variation of all single columns and of all pairs, in the cells of the domain of
examples/pipelines/private-adult.yaml, mean and largest, over some seeds.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

import petaudit
from petaudit import datasets
from petaudit.synthesizing.private.domains import domain_of

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples/pipelines/private-adult.yaml"
SEEDS = range(5)
DELTA = 1e-9


def distances(
    tables: Iterable[pa.Table], domain: dict[str, Any]
) -> tuple[list[float], list[float]]:
    """The total variation of two tables, for each column and for each pair."""
    domains = {name: domain_of(spec, name) for name, spec in domain.items()}
    one, other = (
        {name: domains[name].encode(table[name].combine_chunks()) for name in domains}
        for table in tables
    )

    def shares(cells: np.ndarray, size: int) -> np.ndarray:
        return np.bincount(cells, minlength=size) / len(cells)

    def variation(names: tuple[str, ...]) -> float:
        size, codes = 1, [np.zeros(len(cells[names[0]]), np.int64) for cells in (one, other)]
        for name in names:
            size *= domains[name].size
            pairs = zip(codes, (one, other), strict=True)
            codes = [code * domains[name].size + cells[name] for code, cells in pairs]
        return float(np.abs(shares(codes[0], size) - shares(codes[1], size)).sum() / 2)

    return [variation((name,)) for name in domains], [
        variation(pair) for pair in combinations(domains, 2)
    ]


def main() -> int:
    """Print a row per way of making a table."""
    domain = yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))["Synthesizer"]["private"]["domain"]
    path = datasets.load("adult-income_ori").path
    original = pq.read_table(path)

    def private(epsilon: float, seed: int) -> pa.Table:
        return petaudit.synthesize_private(path, domain, epsilon, DELTA, seed=seed).table

    ways: dict[str, Any] = {
        "independent": lambda seed: petaudit.synthesize(path, "independent", seed=seed),
        "gaussian-copula": lambda seed: petaudit.synthesize(path, seed=seed),
    }
    for epsilon in (10.0, 3.0, 1.0, 0.3, 0.1):
        ways[f"dp-marginals {epsilon:g}"] = lambda seed, epsilon=epsilon: private(epsilon, seed)
    print("way, columns: mean, largest; pairs: mean, largest; CPU seconds of a table")
    for name, make in ways.items():
        figures = []
        begun = time.process_time()
        tables = [make(seed) for seed in SEEDS]
        seconds = (time.process_time() - begun) / len(tables)
        for table in tables:
            columns, pairs = distances((original, table), domain)
            figures.append((np.mean(columns), max(columns), np.mean(pairs), max(pairs)))
        means = [statistics.mean(each) for each in zip(*figures, strict=True)]
        print(name, *(f"{mean:.4f}" for mean in means), f"{seconds:.2f}", sep="\t")
    return 0


if __name__ == "__main__":
    sys.exit(main())
