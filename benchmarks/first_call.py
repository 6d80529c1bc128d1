"""What the first call of mpUCCs in a fresh process costs: imports and compiled code."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

from checks import Check, table
from measuring import Ratio, run_worker
from mpuccs import SCRIPT, UP_TO, WARM_UP_ROWS, file_names
from pairs import generated_pair

LIMIT_SECONDS: Final = 3.0
EMPTY: Final = "compiled anew"
KEPT: Final = "compiled code on disk"


@dataclass(frozen=True)
class FirstCalls:
    """First and second call of fresh processes, by the state of the folder of compiled code."""

    runs: Mapping[str, Sequence[Mapping[str, Sequence[float]]]]

    def extra_of(self, cache: str, figure: str = "seconds") -> list[float]:
        """How much longer the first call took, round by round."""
        return [run[figure][0] - run[figure][1] for run in self.runs[cache]]

    def checks(self) -> list[Check]:
        """Compiled code is kept on disk, so only the very first call of all has to compile."""
        return [
            Check(
                "mpUCCs, first call",
                f"extra seconds, {cache}",
                Ratio.of(self.extra_of(cache), [1.0] * len(own)),
                LIMIT_SECONDS,
                is_gate=cache == KEPT,
            )
            for cache, own in self.runs.items()
        ]

    def text(self) -> str:
        """Medians as a table."""
        rows = []
        for cache, own in self.runs.items():
            calls = [[run["seconds"][place] for run in own] for place in (0, 1)]
            calls += [self.extra_of(cache), self.extra_of(cache, "cpu_seconds")]
            rows.append([cache, *(f"{median(call):.3f}" for call in calls)])
        return table(["", "first call, s", "second call, s", "extra, s", "extra CPU s"], rows)

    def to_dict(self) -> dict[str, Any]:
        """Every single measurement as plain data."""
        return {cache: [dict(run) for run in own] for cache, own in self.runs.items()}


def measure_first_calls(repetitions: int, folder: Path) -> FirstCalls:
    """Twice in a folder that is empty at first: the second process finds the first one's code."""
    found: dict[str, list[Mapping[str, Sequence[float]]]] = {EMPTY: [], KEPT: []}
    job = {
        "contender": "first call",
        "tables": file_names(generated_pair(WARM_UP_ROWS, folder)),
        "up_to": UP_TO,
    }
    for _ in range(repetitions):
        with tempfile.TemporaryDirectory() as cache:
            for own in found.values():
                own.append(run_worker(SCRIPT, job | {"cache": cache}))
    return FirstCalls(found)
