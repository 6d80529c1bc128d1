"""Show how fast petaudit is, as ratios within this one run: `make bench`.

    python benchmarks/run.py                       # everything: 5,000,000 rows, a few minutes
    python benchmarks/run.py --quick               # a look: 500,000 rows, one round
    python benchmarks/run.py --shapes text,unique  # some of the tables
    python benchmarks/run.py --shapes none --no-pycanon --no-audit   # mpUCCs only
    python benchmarks/run.py --profile             # what each measure takes, too
    python benchmarks/run.py --petsard             # run PETsARD anew as well
    python benchmarks/run.py --json results.json   # every single measurement as well

Exit codes: 0 all targets are met (or the run was not the full one, or --no-gate), 1 one is missed,
2 it could not be measured.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import machine
import mpuccs
from adult import PYCANON, TABLES, AdultResult, compare, pycanon_python
from checks import FULL_ROWS, GROWTH, Check, table
from complete_audit import (
    AgainstPycanon,
    LargeAudit,
    Sharing,
    measure_against_pycanon,
    measure_large,
    measure_sharing,
)
from first_call import FirstCalls, measure_first_calls
from generated import GROWTH_SHAPE, ShapeResult, measure_shape
from measuring import HERE, BenchError
from petsard_record import PETSARD, TODAY, Record, petsard_python, read_record, record, run_now
from pipeline_cost import PipelineCost, measure_pipeline
from shapes import SHAPES, describe, shape, table_file

MpuccsPart: TypeAlias = mpuccs.SearchResult | FirstCalls | PipelineCost | Record

AuditPart: TypeAlias = Sharing | LargeAudit | AgainstPycanon

_QUICK_ROWS = 500_000
_PAIR_SHARE = 5
"""The tables of mpUCCs have a fifth of the rows of the others: a million."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and say whether the targets are met."""
    options = _parse(arguments)
    try:
        return _run(options)
    except BenchError as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2


def _run(options: argparse.Namespace) -> int:
    load_before = machine.load()
    print(f"petaudit benchmark: {options.rows:,} rows, {options.repetitions} round(s)")
    if load_before is not None and load_before > machine.cores() / 2:
        print(
            f"warning: the machine is busy (load {load_before:.1f} on {machine.cores()} cores); "
            "ratios will scatter, trust CPU ratios more than time ratios"
        )
    if not options.no_mpuccs:
        _prepare_record(options)
    shapes = [_measured_shape(name, options) for name in options.shapes]
    adults, reason = ([], "not asked for") if options.no_pycanon else _measured_adult(options)
    checks = [check for result in shapes for check in result.checks()]
    checks += [result.check for result in adults]
    audits = {} if options.no_audit else _measured_audit(options)
    checks += [check for part in audits.values() for check in part.checks()]
    notes = _notes(adults, reason, options)
    found = {} if options.no_mpuccs else _measured_mpuccs(options)
    checks += [check for result in found.values() for check in result.checks()]
    print(f"\n{_closing(checks, notes)}\n")
    document = {
        "rows": options.rows,
        "repetitions": options.repetitions,
        "machine": machine.machine() | {"load_before": load_before, "load_after": machine.load()},
        "versions": machine.versions(),
        "shapes": [result.to_dict() for result in shapes],
        "adult": [result.to_dict() for result in adults],
        "audit": {name: part.to_dict() for name, part in audits.items()},
        "mpuccs": {name: result.to_dict() for name, result in found.items()},
        "notes": notes,
        "checks": [check.to_dict() for check in checks],
    }
    _print_machine(document, adults)
    if options.json:
        options.json.write_text(json.dumps(document, indent=2) + "\n")
    return _exit_code(checks, options)


def _prepare_record(options: argparse.Namespace) -> None:
    """Renew the record if asked to, and refuse a missing or an old one before anything runs."""
    if options.petsard:
        python, reason = petsard_python()
        if python is None:
            raise BenchError(f"PETsARD {PETSARD} could not be installed: {reason}")
        print(f"running PETsARD {PETSARD}, which takes minutes", flush=True)
        record(python)
    read_record()


def _measured_shape(name: str, options: argparse.Namespace) -> ShapeResult:
    chosen = shape(name)
    print(f"\n{name}: {chosen.title}", flush=True)
    layout = describe(table_file(chosen, options.rows, options.data))
    print(
        f"{layout['rows']:,} rows, {layout['columns']} columns, {layout['row_groups']} row groups, "
        f"{layout['bytes'] / 2**20:.0f} MiB",
        flush=True,
    )
    result = measure_shape(chosen, options.rows, options.repetitions, options.data)
    print(result.text(), flush=True)
    if name == GROWTH_SHAPE:
        print(f"\ngrowth: {GROWTH} times the rows of {name!r}\n{result.growth_text()}", flush=True)
    return result


def _measured_adult(options: argparse.Namespace) -> tuple[list[AdultResult], str]:
    python, reason = pycanon_python()
    if python is None:
        return [], f"pyCANON {PYCANON} could not be installed: {reason}"
    found = []
    for chosen in TABLES[:1] if options.quick else TABLES:
        print(f"\nt-closeness on {chosen.name}, equal distance, pandas frame in memory", flush=True)
        result = compare(chosen, python, options.repetitions, options.data)
        print(table(["", "seconds", "t", "times as fast"], result.rows()), flush=True)
        found.append(result)
    return found, ""


def _measured_audit(options: argparse.Namespace) -> dict[str, AuditPart]:
    print("\ncomplete audit of the de-identified Adult, with original and hierarchies", flush=True)
    sharing = measure_sharing(options.repetitions)
    print(sharing.text(), flush=True)
    if options.profile:
        print(f"\n{sharing.profile()}", flush=True)
    found: dict[str, AuditPart] = {"sharing": sharing}
    for name in options.shapes:
        print(f"\ncomplete audit of {name!r}", flush=True)
        large = measure_large(
            shape(name),
            options.rows,
            options.repetitions,
            options.data,
            with_profile=options.profile,
        )
        print(large.text(), flush=True)
        if options.profile:
            print(f"\n{large.profile()}", flush=True)
        found[name] = large
    python, _ = (None, "") if options.no_pycanon or options.quick else pycanon_python()
    if python is not None:
        print("\ncomplete audit of the raw Adult against pyCANON's report, a minute", flush=True)
        found["pyCANON"] = measure_against_pycanon(python, options.data)
        print(found["pyCANON"].text(), flush=True)
    return found


def _measured_mpuccs(options: argparse.Namespace) -> dict[str, MpuccsPart]:
    print(f"\nmpUCCs, up to {mpuccs.UP_TO} columns, from files", flush=True)
    search = mpuccs.measure(options.rows // _PAIR_SHARE, options.repetitions, options.data)
    print(f"{search.text()}\n\nthe first call of a process", flush=True)
    first = measure_first_calls(options.repetitions, options.data)
    print(first.text(), flush=True)
    print("\nthe pipeline of the seed against the same search called from Python", flush=True)
    pipeline = measure_pipeline(options.repetitions)
    print(pipeline.text(), flush=True)
    print(f"\nmpUCCs on the Adult pair against PETsARD {PETSARD}, pandas frames", flush=True)
    names = TODAY[:1] if options.quick else TODAY
    record = Record(read_record(), run_now(options.repetitions, names))
    print(record.text(), flush=True)
    return {"search": search, "first_call": first, "pipeline": pipeline, "petsard": record}


def _notes(adults: Sequence[AdultResult], reason: str, options: argparse.Namespace) -> list[str]:
    notes = [] if adults else [f"no comparison with pyCANON: {reason}"]
    left_out = {"complete audit": options.no_audit, "mpUCCs": options.no_mpuccs}
    return notes + [f"no {name}: not asked for" for name, is_out in left_out.items() if is_out]


def _closing(checks: Sequence[Check], notes: Sequence[str]) -> str:
    header = ["table", "what", "ratio [rounds]", "target", "", ""]
    lines = [table(header, [check.row() for check in checks], names=2), *notes]
    missed = sum(not check.passed for check in checks)
    lines.append(f"{len(checks) - missed} of {len(checks)} targets met")
    return "\n".join(lines)


def _print_machine(document: dict[str, Any], adults: Sequence[AdultResult]) -> None:
    own = document["machine"]
    print(
        f"{own['cpu']}, {own['cores']} cores, {own['memory_gib']} GiB, {own['system']}; "
        f"load {own['load_before']} at the start, {own['load_after']} at the end"
    )
    print(", ".join(f"{name} {number}" for name, number in document["versions"].items()))
    for name, packages in (adults[0].versions if adults else {}).items():
        print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in packages.items()))


def _exit_code(checks: Sequence[Check], options: argparse.Namespace) -> int:
    if options.no_gate:
        return 0
    if options.rows < FULL_ROWS:
        print(f"targets are set for {FULL_ROWS:,} rows: this smaller run is no gate")
        return 0
    return 0 if all(check.passed for check in checks if check.is_gate) else 1


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Show petaudit's speed as ratios in one run.")
    parser.add_argument("--rows", type=_positive, help=f"rows of each table ({FULL_ROWS:,})")
    parser.add_argument("--repetitions", type=_positive, help="rounds (3)")
    parser.add_argument("--quick", action="store_true", help=f"{_QUICK_ROWS:,} rows, one round")
    parser.add_argument(
        "--shapes", type=_shape_names, default=list(SHAPES), help="some tables, or none"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every measurement")
    parser.add_argument("--data", type=Path, default=HERE / "data", help="folder of the tables")
    parser.add_argument("--no-pycanon", action="store_true", help="leave pyCANON out")
    parser.add_argument("--no-audit", action="store_true", help="leave the complete audit out")
    parser.add_argument("--profile", action="store_true", help="what each measure takes alone")
    parser.add_argument("--no-mpuccs", action="store_true", help="leave mpUCCs out")
    parser.add_argument("--petsard", action="store_true", help="run PETsARD anew: minutes")
    parser.add_argument("--no-gate", action="store_true", help="only report: exit code 0")
    options = parser.parse_args(arguments)
    options.rows = options.rows or (_QUICK_ROWS if options.quick else FULL_ROWS)
    options.repetitions = options.repetitions or (1 if options.quick else 3)
    if options.rows < GROWTH:
        parser.error(f"--rows: at least {GROWTH} rows")
    if options.petsard and options.no_mpuccs:
        parser.error("--petsard: not with --no-mpuccs")
    if options.profile and options.no_audit:
        parser.error("--profile: not with --no-audit")
    return options


def _positive(text: str) -> int:
    number = int(text.replace("_", "").replace(",", ""))
    if number < 1:
        raise ValueError(text)
    return number


def _shape_names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")] if text != "none" else []
    unknown = [name for name in names if name not in SHAPES]
    if unknown:
        raise argparse.ArgumentTypeError(
            f"unknown shape {unknown[0]!r}; shapes are {', '.join(SHAPES)}"
        )
    return names


if __name__ == "__main__":
    sys.exit(main())
