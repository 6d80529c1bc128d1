"""What a pipeline file costs on top of the same search called from Python."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

from checks import Check, table
from measuring import BenchError, Ratio

LIMIT_SECONDS: Final = 0.5
CALL: Final = "petaudit.mpuccs(...)"
SHELL: Final = "petaudit run"
_OPTIONS: Final = "max_baseline_cols=2, min_entropy_delta=0.01"
_SCRIPT: Final = f"""
import petaudit
names = ("ori", "syn", "control")
tables = ["benchmark://adult-income_" + name for name in names]
print(len(petaudit.mpuccs(*tables, {_OPTIONS}).global_))
"""
# The file at the head of the seed of mpUCCs.
SEED: Final = """\
Splitter:
  external_split:
    method: custom_data
    filepath:
      ori: benchmark://adult-income_ori
      control: benchmark://adult-income_control
    schema:
      ori: benchmark://adult-income_schema
      control: benchmark://adult-income_schema
Synthesizer:
  external_data:
    method: custom_data
    filepath: benchmark://adult-income_syn
    schema: benchmark://adult-income_schema
Evaluator:
  mpuccs_assessment:
    method: mpuccs
    max_baseline_cols: 2
    min_entropy_delta: 0.01
    field_decay_factor: 0.5
    renyi_alpha: 2.0
    numeric_precision: null
    datetime_precision: null
    calculate_baseline: true
"""


@dataclass(frozen=True)
class PipelineCost:
    """CPU seconds of whole processes, round by round."""

    runs: Mapping[str, Sequence[float]]

    @property
    def extra(self) -> list[float]:
        """How much more the pipeline took, round by round."""
        return [own - call for own, call in zip(self.runs[SHELL], self.runs[CALL], strict=True)]

    def checks(self) -> list[Check]:
        """Reading the file, checking schemas, hashing inputs and writing the result are cheap."""
        extra = Ratio(median(self.extra), min(self.extra), max(self.extra))
        return [Check("pipeline of the seed", "extra CPU seconds", extra, LIMIT_SECONDS)]

    def text(self) -> str:
        """Medians as a table."""
        rows = [[name, f"{median(own):.3f}"] for name, own in self.runs.items()]
        return table(["", "CPU s"], [*rows, ["extra", f"{median(self.extra):.3f}"]])

    def to_dict(self) -> dict[str, Any]:
        """Every single measurement as plain data."""
        return {name: list(own) for name, own in self.runs.items()}


def measure_pipeline(repetitions: int) -> PipelineCost:
    """Run both in turn in fresh processes; what the first of all compiles is not counted."""
    found: dict[str, list[float]] = {CALL: [], SHELL: []}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "seed.yaml").write_text(SEED)
        commands = {
            CALL: [sys.executable, "-W", "ignore", "-c", _SCRIPT],
            SHELL: [sys.executable, "-m", "petaudit", "run", "seed.yaml"],
        }
        _cpu_seconds(commands[CALL], folder)
        for _ in range(repetitions):
            for contender, command in commands.items():
                found[contender].append(_cpu_seconds(command, folder))
    return PipelineCost(found)


def _cpu_seconds(command: Sequence[str], folder: Path) -> float:
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise BenchError(f"{' '.join(command[:4])} failed with {process.returncode}")
    return used.ru_utime + used.ru_stime
