"""Pipelines that are started in a process of their own, killed, and compared file by file."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PIPELINE = """
Loader:
  adult:
    filepath: benchmark://adult-income_ori
    nrows: 2000
    roles:
      quasi_identifier: [age, education, gender]
      sensitive_attribute: [income]
Splitter:
  halves: {num_samples: 2, train_split_ratio: 0.5, random_state: 7}
Synthesizer:
  copula: {method: gaussian-copula, random_state: 3}
  single: {method: independent, random_state: 4}
Evaluator:
  pairs: {method: mpuccs, max_baseline_cols: 2}
  close: {method: t-closeness}
Reporter:
  csv: {method: save_report, granularity: ALL}
  parquet: {method: save_report, granularity: ALL, format: parquet}
  json: {method: save_report, granularity: ALL, format: json}
  tables: {method: save_data, source: [Splitter, Synthesizer], output: table, format: parquet}
  timing: {method: save_timing}
""".replace("ALL", "[summary, global, details, tree, columnwise]")
SMALL = """
Loader:
  patient: {filepath: "benchmark://patient-deidentified"}
Evaluator:
  close: {method: t-closeness, limit: 0.9}
  pays: {method: profitability, cost: 4, gain: 1200, loss: 300, benefit: 1200}
Reporter:
  figures: {method: save_report, granularity: [summary, columnwise], eval: close}
  tables: {method: save_data, source: Loader, output: table}
  timing: {method: save_timing}
"""
_TIMINGS = "_timing."


@dataclass(frozen=True)
class Place:
    """A pipeline file with a folder for results and one for temporary files."""

    root: Path

    @classmethod
    def made(cls, root: Path, text: str) -> Place:
        """Lay a pipeline file down in a folder."""
        place = cls(root)
        place.temporary.mkdir(parents=True)
        place.pipeline.write_text(text, encoding="utf-8")
        return place

    @property
    def pipeline(self) -> Path:
        """The pipeline file."""
        return self.root / "audit.yaml"

    @property
    def out(self) -> Path:
        """The folder of the results."""
        return self.root / "out"

    @property
    def temporary(self) -> Path:
        """What the process takes for the system's folder of temporary files."""
        return self.root / "tmp"

    def started(
        self, *options: str, environment: Mapping[str, str] | None = None, **about: Any
    ) -> subprocess.Popen[str]:
        """Start ``petaudit run`` and do not wait for it."""
        out = () if "--out" in options else ("--out", str(self.out))
        return started(
            ["run", str(self.pipeline), *out, "--quiet", *options],
            {"TMPDIR": str(self.temporary), **(environment or {})},
            **about,
        )

    def run(self, *options: str, **about: Any) -> tuple[int, str]:
        """Run to the end; the exit code and what was said."""
        process = self.started(*options, **about)
        said = process.communicate(timeout=120)
        assert "Traceback" not in said[1], said[1]
        return process.returncode, "".join(said)

    def killed(self, moment: float, *options: str, how: int = signal.SIGKILL) -> int:
        """Start, send a signal after some seconds, and return what the process ended with."""
        process = self.started(*options)
        time.sleep(moment)
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(how)
        said = process.communicate(timeout=120)
        assert "Traceback" not in said[1], said[1]
        return process.returncode

    def leftovers(self) -> list[str]:
        """Whatever should be gone when a run has come to its end."""
        hidden = [path for path in self.out.rglob("*") if path.name.startswith(".petaudit")]
        return sorted(map(str, [*hidden, *self.temporary.iterdir()]))


def started(
    arguments: Sequence[str], environment: Mapping[str, str], **about: Any
) -> subprocess.Popen[str]:
    """Start the command line; it hears Ctrl-C by itself only."""
    return subprocess.Popen(
        [sys.executable, "-m", "petaudit", *arguments],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **about,
    )


def document(path: Path) -> dict[str, Any]:
    """A result without its timings."""
    result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    del result["timings"]
    return result


def contents(folder: Path) -> dict[str, Any]:
    """Every file of a folder of results as far as it must be the same each time."""
    result: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_dir():
            result[name] = "a folder"
        elif path.name == "result.json":
            # As text: the order of the keys and the way numbers are written count as well.
            result[name] = json.dumps(document(path))
        elif _TIMINGS in name:
            result[name] = path.read_bytes().splitlines()[0]
        else:
            result[name] = path.read_bytes()
    return result


def raw(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, byte for byte."""
    return {
        str(entry): entry.read_bytes() for entry in sorted(folder.rglob("*")) if entry.is_file()
    }
