"""Anonymeter and SDMetrics beside petaudit on the bundled pair, each in its own environment."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from comparison import Comparison
from environments import python_with
from measuring import HERE, BenchError, Measurement, interleaved
from pairs import bundled_pair

ANONYMETER: Final = "1.1.0"
SDMETRICS: Final = "0.32.0"
PETAUDIT: Final = "petaudit"
SCRIPT: Final = "peers_worker.py"
_SAME: Final = 1e-9
_ATTACKS: Final = 500
"""As many as Anonymeter makes if nobody says otherwise."""
_CLOSEST: Final = 1000
"""Rows of each table in SDMetrics' sample: it takes a few seconds."""
_FEW_ATTACKS: Final = 100
"""Attacks with three columns take it a tenth of a second each."""


@dataclass(frozen=True)
class Peer:
    """A package of others, and how its environment is made."""

    name: str
    package: str
    version: str
    also: Sequence[str] = ()

    def python(self, environment: Path | None = None) -> tuple[str | None, str]:
        """The Python that has the package, made on first use; or None and the reason."""
        own = environment or HERE.parent / f".venv-{self.package}"
        return python_with(own, self.package, self.version, self.also)


PEERS: Final[Mapping[str, Peer]] = {
    "anonymeter": Peer("Anonymeter", "anonymeter", ANONYMETER),
    "sdmetrics": Peer("SDMetrics", "sdmetrics", SDMETRICS),
}


@dataclass(frozen=True)
class Task:
    """What both sides are asked for."""

    key: str
    """Where the page of the documentation finds its words."""
    name: str
    numbers: bool
    """Whether its columns are those of numbers; else those of labels."""
    is_same_figure: bool
    runs: int = 5


SDMETRICS_TASKS: Final = (
    Task("sdmetrics-mix", "mix", numbers=False, is_same_figure=True),
    Task("sdmetrics-correlations", "correlations", numbers=True, is_same_figure=True),
    Task("sdmetrics-spread", "spread", numbers=True, is_same_figure=True),
    Task("sdmetrics-tables", "tables", numbers=False, is_same_figure=False, runs=3),
)


def compare_sdmetrics(
    python: str, repetitions: int, folder: Path, rows: int | None = None
) -> list[Comparison]:
    """The same figures where there are such, and the nearest ones otherwise."""
    found = []
    columns = _columns()
    for task in SDMETRICS_TASKS:
        chosen = columns["numbers" if task.numbers else "labels"]
        job = {
            "task": task.name,
            "tables": csv_files(folder),
            "columns": chosen,
            "runs": task.runs,
            "rows": rows,
        }
        jobs = {name: job | {"contender": name} for name in ("SDMetrics", PETAUDIT)}
        runs = interleaved(jobs, repetitions, SCRIPT, {"SDMetrics": python})
        facts: dict[str, Any] = {"columns": len(chosen), "same_figure": task.is_same_figure}
        facts |= {"figures": len(runs["SDMetrics"][0].figures)}
        if task.is_same_figure:
            facts["largest_difference"] = check_same(task.name, runs)
        found.append(Comparison(task.key, PETAUDIT, runs, facts))
    return found


def compare_closest(python: str, folder: Path, rows: int | None = None) -> Comparison:
    """The nearest rows of a sample by SDMetrics, and of all rows by petaudit."""
    job = {"task": "closest", "tables": csv_files(folder), "rows": rows, "sample": _CLOSEST}
    jobs = {
        "SDMetrics": job | {"contender": "SDMetrics", "runs": 1},
        PETAUDIT: job | {"contender": PETAUDIT, "runs": 5},
    }
    runs = interleaved(jobs, 1, SCRIPT, {"SDMetrics": python})
    theirs, ours = runs["SDMetrics"][0], runs[PETAUDIT][0]
    facts = {
        "same_figure": False,
        "sample": _CLOSEST,
        "pairs": theirs.figures["pairs"],
        "our_pairs": ours.figures["pairs"],
        "their_share": theirs.figures["share"],
        "our_share": ours.figures["share"],
        "per_pair": round(
            theirs.cpu_seconds
            / theirs.figures["pairs"]
            / (ours.cpu_seconds / ours.figures["pairs"])
        ),
    }
    return Comparison("sdmetrics-closest", PETAUDIT, runs, facts)


def check_same(task: str, runs: Mapping[str, Sequence[Measurement]]) -> float:
    """Refuse to compare figures that ought to be the same and are not; say how far they differ."""
    theirs, largest = runs["SDMetrics"][0].figures, 0.0
    for name, own in runs.items():
        for run in own:
            if run.figures.keys() != theirs.keys():
                raise BenchError(f"{task}: {name} has other columns than SDMetrics")
            for column, value in theirs.items():
                gap = abs(value - run.figures[column])
                if not gap <= _SAME:  # also where one of them is no number
                    raise BenchError(
                        f"{task} of {column}: {value} for SDMetrics, {run.figures[column]} for "
                        f"{name}"
                    )
                largest = max(largest, gap)
    return largest


def compare_anonymeter(
    python: str, repetitions: int, folder: Path, *, few: bool = False, rows: int | None = None
) -> list[Comparison]:
    """Attacks with one column and with three, beside the complete search of as many columns."""
    found = []
    for key, up_to, attacks in (
        ("anonymeter-1", 1, _ATTACKS),
        ("anonymeter-3", 3, _FEW_ATTACKS if few else _ATTACKS),
    ):
        job = {"task": "singling out", "tables": csv_files(folder), "up_to": up_to, "rows": rows}
        jobs = {
            "Anonymeter": job | {"contender": "Anonymeter", "attacks": attacks, "runs": 1},
            PETAUDIT: job | {"contender": PETAUDIT, "runs": 5},
        }
        # The slow one of the two runs once: a minute does not depend on the moment.
        times = 1 if up_to > 1 else repetitions
        runs = interleaved(jobs, times, SCRIPT, {"Anonymeter": python})
        check_complete(runs[PETAUDIT], len(pq.read_schema(bundled_pair()[0]).names), up_to)
        theirs, ours = runs["Anonymeter"][0].figures, runs[PETAUDIT][0].figures
        facts = {
            "up_to": up_to,
            "same_figure": False,
            "attacks": theirs["attacks"],
            "attacks_singled_out": theirs["singled_out"],
            "combinations": ours["combinations"],
            "unique": ours["attacks"],
            "identified": ours["singled_out"],
        }
        found.append(Comparison(key, PETAUDIT, runs, facts))
    return found


def compare_attacks(
    python: str, repetitions: int, folder: Path, rows: int | None = None
) -> list[Comparison]:
    """A sample of people attacked by Anonymeter, and everybody by petaudit."""
    found = []
    for task in ("inference", "linkability"):
        job = {"task": task, "tables": csv_files(folder), "rows": rows, "attacks": _ATTACKS}
        jobs = {
            "Anonymeter": job | {"contender": "Anonymeter", "runs": 1},
            PETAUDIT: job | {"contender": PETAUDIT, "runs": 5},
        }
        runs = interleaved(jobs, repetitions, SCRIPT, {"Anonymeter": python})
        theirs, ours = runs["Anonymeter"][0].figures, runs[PETAUDIT][0].figures
        facts = {
            "same_figure": False,
            "attacks": theirs["attacks"],
            "people": ours["attacks"],
            "their_rate": theirs["rate"],
            "our_rate": ours["rate"],
            "per_person": round(
                runs["Anonymeter"][0].cpu_seconds
                / theirs["attacks"]
                / (runs[PETAUDIT][0].cpu_seconds / ours["attacks"])
            ),
        }
        found.append(Comparison(f"anonymeter-{task}", PETAUDIT, runs, facts))
    return found


def check_complete(runs: Sequence[Measurement], columns: int, up_to: int) -> None:
    """A search that left something out may not stand beside samples as a complete one."""
    wanted = sum(math.comb(columns, size) for size in range(1, up_to + 1))
    for run in runs:
        seen = run.figures["combinations"]
        if seen != wanted or not run.figures["complete"]:
            raise BenchError(f"{wanted} combinations were to be looked at, not {seen}")


def csv_files(folder: Path) -> list[str]:
    """The bundled pair as CSV, which every environment reads without further packages."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for path in bundled_pair():
        target = folder / f"{path.stem}.csv"
        pa_csv.write_csv(pq.read_table(path), target)
        made.append(str(target))
    return made


def _columns() -> dict[str, list[str]]:
    schema = pq.read_schema(bundled_pair()[0])
    found: dict[str, list[str]] = {"numbers": [], "labels": []}
    for field in schema:
        found["labels" if pa.types.is_string(field.type) else "numbers"].append(field.name)
    return found
