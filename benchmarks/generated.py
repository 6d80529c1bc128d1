"""petaudit against the bare DuckDB query on the generated tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

from checks import GATED_SHAPES, GROWTH, GROWTH_LIMIT, MEMORY_LIMIT, TIME_LIMITS, Check, table
from comparison import Comparison
from measuring import (
    BenchError,
    Measurement,
    Ratio,
    cpu_seconds_of,
    interleaved,
    peaks_of,
    read_through,
    seconds_of,
)
from shapes import QUASI_IDENTIFIERS, SENSITIVE, Shape, table_file
from worker import CONTENDERS

BARE: Final = "bare DuckDB"
GROWTH_SHAPE: Final = "text"
WARM_UP_ROWS: Final = 100


@dataclass(frozen=True)
class ShapeResult:
    """All runs on one table, by contender; and on its first tenth, where growth is measured."""

    shape: Shape
    rows: int
    runs: Mapping[str, Sequence[Measurement]]
    small_runs: Mapping[str, Sequence[Measurement]]

    def checks(self) -> list[Check]:
        """Every ratio that has a target."""
        found = []
        bare = self.runs[BARE]
        for name, limit in TIME_LIMITS.items():
            ratio = Ratio.of(seconds_of(self.runs[name]), seconds_of(bare))
            gate = self.shape.name in GATED_SHAPES
            found.append(Check(self.shape.name, f"{name}, time", ratio, limit, is_gate=gate))
            if peaks_of(bare):
                ratio = Ratio.of(peaks_of(self.runs[name]), peaks_of(bare))
                memory = Check(
                    self.shape.name, f"{name}, memory", ratio, MEMORY_LIMIT, is_gate=gate
                )
                found.append(memory)
        for name, small in self.small_runs.items():
            if name != BARE:
                ratio = Ratio.of(seconds_of(self.runs[name]), seconds_of(small))
                found.append(Check(f"growth x{GROWTH}", f"{name}, time", ratio, GROWTH_LIMIT))
        return found

    def comparison(self) -> Comparison:
        """The contenders side by side."""
        own = self.runs[BARE][0].figures
        facts = {"rows": self.rows, "classes": own["classes"], "largest": own["largest"]}
        return Comparison(f"generated-{self.shape.name}", BARE, self.runs, facts)

    def text(self) -> str:
        """Medians and ratios as a table."""
        return self.comparison().text()

    def growth_text(self) -> str:
        """How much longer the large table takes, for each contender."""
        rows = [
            [
                name,
                f"{median(seconds_of(small)):.3f}",
                f"{median(seconds_of(self.runs[name])):.3f}",
                str(Ratio.of(seconds_of(self.runs[name]), seconds_of(small))),
                str(Ratio.of(cpu_seconds_of(self.runs[name]), cpu_seconds_of(small))),
            ]
            for name, small in self.small_runs.items()
        ]
        header = ["", f"{self.rows // GROWTH:,} rows, s", f"{self.rows:,} rows, s"]
        return table([*header, "time ratio", "CPU ratio"], rows)

    def to_dict(self) -> dict[str, Any]:
        """Every single measurement as plain data."""
        return {
            "shape": self.shape.name,
            "rows": self.rows,
            "runs": {name: [asdict(run) for run in own] for name, own in self.runs.items()},
            "small_runs": {
                name: [asdict(run) for run in own] for name, own in self.small_runs.items()
            },
        }


def measure_shape(chosen: Shape, rows: int, repetitions: int, folder: Path) -> ShapeResult:
    """Run all contenders on a generated table."""
    warm_up = table_file(chosen, WARM_UP_ROWS, folder)
    sizes = [rows, rows // GROWTH] if chosen.name == GROWTH_SHAPE else [rows]
    jobs: dict[str, dict[str, Any]] = {}
    for size in sizes:
        path = table_file(chosen, size, folder)
        read_through(path)
        for name in CONTENDERS:
            jobs[f"{name}/{size}"] = {
                "contender": name,
                "path": str(path),
                "warm_up": str(warm_up),
                "quasi_identifiers": QUASI_IDENTIFIERS,
                "sensitive": SENSITIVE,
            }
    found = interleaved(jobs, repetitions)
    by_size = [{name: found[f"{name}/{size}"] for name in CONTENDERS} for size in sizes]
    for size, own in zip(sizes, by_size, strict=True):
        check_agreement(own, size)
    return ShapeResult(chosen, rows, by_size[0], by_size[1] if len(sizes) > 1 else {})


def check_agreement(runs: Mapping[str, Sequence[Measurement]], rows: int) -> None:
    """Refuse to compare contenders that do not count the same, or not with the same threads."""
    for figure in ("classes", "largest", "t", "threads"):
        seen = set(_figures(runs, figure))
        if len(seen) != 1:
            raise BenchError(f"the contenders differ in {figure!r}: {sorted(seen)}")
    if set(_figures(runs, "rows")) - {rows}:
        raise BenchError(f"{rows} rows were to be counted, not {set(_figures(runs, 'rows'))}")


def _figures(runs: Mapping[str, Sequence[Measurement]], figure: str) -> Iterable[Any]:
    for run in (run for own in runs.values() for run in own):
        if figure == "threads":
            yield run.threads
        elif figure in run.figures:
            yield run.figures[figure]
