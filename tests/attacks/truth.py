"""Tables of which is known how many of the training people are exposed, and how."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa


@dataclass(frozen=True)
class Scenario:
    """A generator that draws fresh rows, and puts a share of training people beside them."""

    copies: float = 0.0
    noise: float = 0.0
    """What numbers of copied rows are moved by."""
    only_outliers: bool = False
    people: int = 1000
    control: int = 1000


def population(draw: np.random.Generator, many: int) -> dict[str, np.ndarray]:
    """People whose columns depend on each other, so that secrets can be guessed in part."""
    kind = draw.integers(0, 4, many)
    return {
        "age": np.round(draw.normal(30 + 8 * kind, 9), 2),
        "pay": np.round(draw.lognormal(3 + 0.2 * kind, 0.5), 2),
        "job": (kind + draw.integers(0, 3, many)) % 5,
        "town": draw.integers(0, 12, many),
        "kind": np.where(draw.random(many) < 0.4, draw.integers(0, 4, many), kind),
    }


def tables(scenario: Scenario, seed: int) -> tuple[pa.Table, pa.Table, pa.Table]:
    """The original, the synthetic table, and the control."""
    draw = np.random.default_rng([seed, 20])
    original = population(draw, scenario.people)
    control = population(draw, scenario.control)
    synthetic = population(draw, scenario.people)
    many = round(scenario.copies * scenario.people)
    chosen = draw.permutation(scenario.people)[:many]
    if scenario.only_outliers:
        chosen = np.argsort(original["pay"])[len(original["pay"]) - many :]
    for name in synthetic:
        synthetic[name][:many] = original[name][chosen]
    for name in ("age", "pay"):
        moved = synthetic[name][:many] + draw.normal(0, 1, many) * scenario.noise
        synthetic[name][:many] = np.round(moved, 2)

    def table(columns: dict[str, np.ndarray]) -> pa.Table:
        words = {
            name: [f"{name}{code}" for code in columns[name]] for name in ("job", "town", "kind")
        }
        return pa.table(columns | words)

    return table(original), table(synthetic), table(control)
