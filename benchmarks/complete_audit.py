"""What a complete audit costs: every measure that the inputs allow, on counts that are shared.

python benchmarks/complete_audit.py --profile             # what each measure takes on Adult
python benchmarks/complete_audit.py --profile text unique # and on generated tables
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from adult import PYCANON
from checks import FULL_ROWS, GATED_SHAPES, Check, table
from comparison import Comparison
from generated import BARE, WARM_UP_ROWS, check_agreement
from measuring import (
    HERE,
    BenchError,
    Measurement,
    Ratio,
    cpu_seconds_of,
    interleaved,
    read_through,
    run_worker,
    seconds_of,
)
from shapes import QUASI_IDENTIFIERS, SENSITIVE, SHAPES, Shape, shape, table_file
from worker import PRICES

from petaudit import datasets
from petaudit.measures import Measure, all_measures

SHARING_LIMIT: Final = 3.0
CPU_LIMIT: Final = 1.5
BARE_LIMIT: Final = 6.0
PYCANON_LIMIT: Final = 30.0

AUDIT: Final = "complete audit"
SCRIPT: Final = "complete_audit_worker.py"
_LEFT_OUT: Final = ("model-utility", "mpuccs", "utility-bias")
"""They train models or search combinations of columns, which is no counting of classes."""
_PEOPLE_PER_ROW: Final = 10
"""How many people there are for each row of the table, where a measure wants to know."""
_WARM_RUNS: Final = 5
_PYCANON_RUNS: Final = {"pyCANON": 1, "petaudit": 5}
_SAME: Final = 1e-9


@dataclass(frozen=True)
class Sharing:
    """The audit of the de-identified Adult: CPU seconds round by round, each round a process."""

    cold: Sequence[float]
    warm: Sequence[float]
    alone: Sequence[Mapping[str, float]]
    """What each measure takes when it is the only one, in each round."""
    not_measured: Mapping[str, str]

    @property
    def dearest(self) -> list[float]:
        """The measure that takes longest alone, round by round."""
        return [max(own.values()) for own in self.alone]

    def checks(self) -> list[Check]:
        """All measures together cost little more than one of them; the seconds are the issue's."""
        where = f"{AUDIT}, Adult"
        ratio = Ratio.of(self.warm, self.dearest)
        warm, cold = (Ratio(median(own), min(own), max(own)) for own in (self.warm, self.cold))
        return [
            Check(where, "audit / dearest measure, CPU", ratio, SHARING_LIMIT),
            Check(where, "CPU seconds, warm", warm, CPU_LIMIT),
            Check(where, "CPU seconds, first of a process", cold, CPU_LIMIT, is_gate=False),
        ]

    def text(self) -> str:
        """The audit against its measures."""
        medians = _medians(self.alone)
        name = max(medians, key=medians.__getitem__)
        rows = [
            ["first audit of a process", f"{median(self.cold):.3f}", ""],
            ["warm audit", f"{median(self.warm):.3f}", str(Ratio.of(self.warm, self.dearest))],
            [f"dearest measure: {name}", f"{medians[name]:.3f}", ""],
            ["all measures, each alone", f"{sum(medians.values()):.3f}", ""],
        ]
        head = table(["", "CPU s", "of the dearest"], rows)
        return f"{head}\n{len(medians)} measures; without a figure: {_listed(self.not_measured)}"

    def profile(self) -> str:
        """Each measure alone, the dearest first, and what sharing saves."""
        return profile(_medians(self.alone), median(self.warm))

    def to_dict(self) -> dict[str, Any]:
        """Every single measurement as plain data."""
        return {
            "cold": list(self.cold),
            "warm": list(self.warm),
            "alone": [dict(own) for own in self.alone],
            "not_measured": dict(self.not_measured),
        }


@dataclass(frozen=True)
class LargeAudit:
    """The audit of a generated table against the bare query."""

    shape: Shape
    runs: Mapping[str, Sequence[Measurement]]

    def checks(self) -> list[Check]:
        """All measures together take a few times as long as counting the classes once."""
        ratio = Ratio.of(cpu_seconds_of(self.runs[AUDIT]), cpu_seconds_of(self.runs[BARE]))
        gate = self.shape.name in GATED_SHAPES
        return [Check(self.shape.name, f"{AUDIT}, CPU", ratio, BARE_LIMIT, is_gate=gate)]

    def text(self) -> str:
        """Medians and ratios as a table."""
        bare = self.runs[BARE]
        rows = [
            [
                name,
                f"{median(seconds_of(own)):.3f}",
                f"{median(cpu_seconds_of(own)):.3f}",
                str(Ratio.of(seconds_of(own), seconds_of(bare))),
                str(Ratio.of(cpu_seconds_of(own), cpu_seconds_of(bare))),
            ]
            for name, own in self.runs.items()
        ]
        found = table(["", "seconds", "CPU s", "time ratio", "CPU ratio"], rows)
        return f"{found}\n{len(self.runs[AUDIT][0].figures['measures'])} measures"

    def comparison(self) -> Comparison:
        """Both side by side."""
        facts = {"measures": len(self.runs[AUDIT][0].figures["measures"])}
        return Comparison(f"audit-{self.shape.name}", BARE, self.runs, facts)

    def profile(self) -> str:
        """Each measure alone, if the run was asked for it."""
        alone = [own.figures["alone"] for own in self.runs[AUDIT]]
        return profile(_medians(alone), median(cpu_seconds_of(self.runs[AUDIT])))

    def to_dict(self) -> dict[str, Any]:
        """Every single measurement as plain data."""
        return {
            "shape": self.shape.name,
            "runs": {
                name: [
                    {"seconds": run.seconds, "cpu_seconds": run.cpu_seconds, **run.figures}
                    for run in own
                ]
                for name, own in self.runs.items()
            },
        }


@dataclass(frozen=True)
class AgainstPycanon:
    """pyCANON's report and the audit of the same frame."""

    runs: Mapping[str, Sequence[Measurement]]

    @property
    def figures(self) -> dict[str, Mapping[str, float]]:
        """What each side reports."""
        return {name: own[0].figures for name, own in self.runs.items()}

    def comparison(self) -> Comparison:
        """Both side by side."""
        figures = len(self.figures["petaudit"])
        facts = {"same_figure": True, "their_figures": 9, "our_figures": figures}
        return Comparison("pycanon-report", "petaudit", self.runs, facts)

    def checks(self) -> list[Check]:
        """One round: pyCANON takes a minute, and the target is far away."""
        ratio = Ratio.of(*(cpu_seconds_of(self.runs[own]) for own in ("pyCANON", "petaudit")))
        what = "pyCANON's report / audit, CPU"
        return [Check("adult", what, ratio, PYCANON_LIMIT, at_most=False)]

    def text(self) -> str:
        """Seconds, memory and the number of figures."""
        found = self.comparison()
        return f"{found.text()}\n9 figures against {found.facts['our_figures']}"

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data."""
        own = {name: dict(figures) for name, figures in self.figures.items()}
        return {"runs": self.comparison().to_dict()["contenders"], "figures": own}


def measure_sharing(repetitions: int, runs: int = _WARM_RUNS) -> Sharing:
    """Audit the de-identified Adult with all that is known about it, and measure by measure."""
    bundled = datasets.load("adult-deidentified")
    inputs = {
        "original": str(bundled.original),
        "hierarchies": str(bundled.hierarchies),
        "quasi_identifiers": bundled.quasi_identifiers,
        "sensitive": bundled.sensitive,
    }
    job = audit_job("sharing", AUDIT, inputs, bundled.rows)
    job |= {"path": str(bundled.path), "runs": runs}
    found = [run_worker(SCRIPT, job) for _ in range(repetitions)]
    return Sharing(
        [own["cold"] for own in found],
        [own["warm"] for own in found],
        [own["alone"] for own in found],
        found[0]["not_measured"],
    )


def measure_large(
    chosen: Shape, rows: int, repetitions: int, folder: Path, *, with_profile: bool = False
) -> LargeAudit:
    """Audit a generated table, in turn with the bare query."""
    path = table_file(chosen, rows, folder)
    read_through(path)
    # Suppressed rows are a class, as they are for the bare query.
    inputs = {"quasi_identifiers": QUASI_IDENTIFIERS, "sensitive": SENSITIVE, "suppressed": "class"}
    common = {
        "path": str(path),
        "warm_up": str(table_file(chosen, WARM_UP_ROWS, folder)),
        "quasi_identifiers": QUASI_IDENTIFIERS,
        "sensitive": SENSITIVE,
    }
    jobs = {
        BARE: common | {"part": "bare query", "contender": BARE},
        AUDIT: common | audit_job("bare query", AUDIT, inputs, rows) | {"profile": with_profile},
    }
    runs = interleaved(jobs, repetitions, SCRIPT)
    check_agreement(runs, rows)
    return LargeAudit(chosen, runs)


def measure_against_pycanon(python: str, folder: Path) -> AgainstPycanon:
    """pyCANON's whole report on the raw Adult, and petaudit's audit of the same frame."""
    bundled = datasets.load("adult")
    folder.mkdir(parents=True, exist_ok=True)
    csv = folder / f"{bundled.name}.csv"
    pa_csv.write_csv(pq.read_table(bundled.path), csv)
    inputs = {
        "quasi_identifiers": bundled.quasi_identifiers,
        "sensitive": bundled.sensitive,
        "suppressed": "class",
    }
    runs: dict[str, list[Measurement]] = {}
    for name, interpreter in {"pyCANON": python, "petaudit": sys.executable}.items():
        job = audit_job("pyCANON", name, inputs, bundled.rows)
        job |= {"csv": str(csv), "runs": _PYCANON_RUNS[name]}
        # pyCANON compares texts for equality only.
        job["options"]["t-closeness"] = {"distance": "equal"}
        runs[name] = [Measurement(**run_worker(SCRIPT, job, interpreter))]
    found = AgainstPycanon(runs)
    check_figures(found.figures["pyCANON"], found.figures["petaudit"])
    return found


def check_figures(theirs: Mapping[str, float], ours: Mapping[str, float]) -> None:
    """Refuse to compare the speed of different answers."""
    for name, value in theirs.items():
        if name not in ours:
            raise BenchError(f"{name} is in pyCANON's report and not in the audit")
        if not math.isclose(value, ours[name], rel_tol=0, abs_tol=_SAME):
            raise BenchError(f"{name} is {value} for pyCANON {PYCANON}, {ours[name]} for petaudit")


def profile(alone: Mapping[str, float], together: float) -> str:
    """What each measure takes when it is the only one, and what the audit saves.

    >>> print(profile({"a": 0.5, "b": 1.0}, 1.2))
    measure                 CPU s  of the audit
    b                      1.0000          83 %
    a                      0.5000          42 %
    each alone, summed up  1.5000         125 %
    the audit              1.2000         100 %
    saved by sharing       0.3000          25 %
    """
    rows = [(name, alone[name]) for name in sorted(alone, key=lambda name: -alone[name])]
    total = sum(alone.values())
    rows += [("each alone, summed up", total), ("the audit", together)]
    rows += [("saved by sharing", total - together)]
    cells = [[name, f"{own:.4f}", f"{100 * own / together:.0f} %"] for name, own in rows]
    return table(["measure", "CPU s", "of the audit"], cells)


def audit_job(part: str, contender: str, inputs: Mapping[str, Any], rows: int) -> dict[str, Any]:
    """What all audits have in common: every measure but those left out, with what it asks for."""
    measures = [
        own
        for own in all_measures().values()
        if own.name not in _LEFT_OUT and (own.only_by_name is None or _options(own, rows))
    ]
    return {
        "part": part,
        "contender": contender,
        "inputs": dict(inputs),
        "measures": [own.name for own in measures],
        "options": {own.name: given for own in measures if (given := _options(own, rows))},
        "population_size": rows * _PEOPLE_PER_ROW,
    }


def _options(measure: Measure, rows: int) -> dict[str, Any]:
    known = {**PRICES, "population_size": rows * _PEOPLE_PER_ROW}
    return {own.name: known[own.name] for own in measure.options if own.name in known}


def _medians(rounds: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: median(own[name] for own in rounds) for name in rounds[0]}


def _listed(names: Mapping[str, str]) -> str:
    return ", ".join(names) or "none"


def main(arguments: Sequence[str] | None = None) -> None:
    """Only print what an audit takes; the targets belong to run.py."""
    parser = argparse.ArgumentParser(description="What a complete audit takes.")
    parser.add_argument("shapes", nargs="*", help="generated tables to audit as well")
    parser.add_argument("--profile", action="store_true", help="what each measure takes")
    parser.add_argument("--rows", type=int, default=FULL_ROWS)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--data", type=Path, default=HERE / "data")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.shapes if name not in SHAPES]
    if unknown:
        parser.error(f"unknown shape {unknown[0]!r}; shapes are {', '.join(SHAPES)}")
    found: list[Sharing | LargeAudit] = [measure_sharing(options.repetitions)]
    found += [
        measure_large(
            shape(name),
            options.rows,
            options.repetitions,
            options.data,
            with_profile=options.profile,
        )
        for name in options.shapes
    ]
    for own in found:
        print(f"\n{own.text()}")
        if options.profile:
            print(f"\n{own.profile()}")


if __name__ == "__main__":
    main()
