"""Show how fast petaudit is, as ratios within this one run: `make bench`, `make bench-full`.

    python benchmarks/run.py                       # the short one, some minutes
    python benchmarks/run.py --full                # everything: 5,000,000 rows and more
    python benchmarks/run.py --quick               # a look: few rows, one round
    python benchmarks/run.py --shapes text,unique  # some of the tables
    python benchmarks/run.py --only mpuccs         # one part
    python benchmarks/run.py --without growth,sdmetrics
    python benchmarks/run.py --profile             # what each measure takes, too
    python benchmarks/run.py --petsard             # record PETsARD anew as well
    python benchmarks/run.py --json results.json   # every single measurement as well

Exit codes: 0 all targets are met (or the run was not the full one, or --no-gate), 1 one is missed,
2 it could not be measured.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import machine
import mpuccs
from adult import PYCANON, TABLES, compare, pycanon_python
from checks import FULL_ROWS, GROWTH
from complete_audit import measure_against_pycanon, measure_large, measure_sharing
from findings import Findings
from first_call import measure_first_calls
from generated import GROWTH_SHAPE, measure_shape
from growth import measure_growth
from large_runs import measure_large_runs
from measuring import BenchError
from options import Options, parse
from peers import (
    PEERS,
    Peer,
    compare_anonymeter,
    compare_attacks,
    compare_closest,
    compare_sdmetrics,
)
from petsard_record import PETSARD, TODAY, Record, petsard_python, read_record, record, run_now
from pipeline_cost import measure_pipeline
from program import write_document
from shapes import describe, shape, table_file

_PAIR_SHARE: Final = 5
"""The tables of mpUCCs have a fifth of the rows of the others."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and say whether the targets are met."""
    options = parse(arguments)
    try:
        return _run(options)
    except BenchError as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2


def _run(options: Options) -> int:
    load_before = machine.load()
    kind = options.kind.name
    print(f"petaudit benchmark ({kind}): {options.rows:,} rows, {options.repetitions} round(s)")
    if load_before is not None and load_before > machine.cores() / 2:
        print(
            f"warning: the machine is busy (load {load_before:.1f} on {machine.cores()} cores); "
            "ratios will scatter, trust CPU ratios more than time ratios"
        )
    if "petsard" in options.parts:
        _prepare_record(options)
    found = Findings.of(options)
    document = _document(options, found, load_before)
    _keep(document, options)
    for part, measure in _MEASURING.items():
        if part in options.parts:
            measure(options, found)
            document = _document(options, found, load_before)
            _keep(document, options)
    if options.json:
        _unfinished(options.json).replace(options.json)
    print(f"\n{found.closing()}\n")
    _print_machine(document)
    return _exit_code(found, options)


def _document(options: Options, found: Findings, load_before: float | None) -> dict[str, Any]:
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "kind": options.kind.name,
        "rows": options.rows,
        "repetitions": options.repetitions,
        "machine": machine.machine() | {"load_before": load_before, "load_after": machine.load()},
        "versions": machine.versions(),
        **found.to_dict(),
    }


def _keep(document: dict[str, Any], options: Options) -> None:
    """Write what there is after every part: what was measured is not lost with the last one."""
    if options.json:
        write_document(document, _unfinished(options.json))


def _unfinished(file: Path) -> Path:
    return file.with_suffix(".unfinished.json")


def _prepare_record(options: Options) -> None:
    """Renew the record if asked to, and refuse a missing or an old one before anything runs."""
    if options.petsard:
        python, reason = petsard_python()
        if python is None:
            raise BenchError(f"PETsARD {PETSARD} could not be installed: {reason}")
        print(f"running PETsARD {PETSARD}, which takes minutes", flush=True)
        record(python)
    read_record()


def _generated(options: Options, found: Findings) -> None:
    for name in options.shapes:
        chosen = shape(name)
        print(f"\n{name}: {chosen.title}", flush=True)
        layout = describe(table_file(chosen, options.rows, options.data))
        print(
            f"{layout['rows']:,} rows, {layout['columns']} columns, {layout['row_groups']} row "
            f"groups, {layout['bytes'] / 2**20:.0f} MiB",
            flush=True,
        )
        result = measure_shape(chosen, options.rows, options.repetitions, options.data)
        print(result.text(), flush=True)
        if name == GROWTH_SHAPE:
            print(f"\ngrowth: {GROWTH} times the rows of {name!r}\n{result.growth_text()}")
        found.add("shapes", name, result, result.checks(), [result.comparison()])


def _audit(options: Options, found: Findings) -> None:
    print("\ncomplete audit of the de-identified Adult, with original and hierarchies", flush=True)
    sharing = measure_sharing(options.repetitions if options.is_full else 1)
    print(sharing.text(), flush=True)
    if options.profile:
        print(f"\n{sharing.profile()}", flush=True)
    found.add("audit", "sharing", sharing, sharing.checks())
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
        found.add("audit", name, large, large.checks(), [large.comparison()])


def _mpuccs(options: Options, found: Findings) -> None:
    print(f"\nmpUCCs, up to {mpuccs.UP_TO} columns, from files", flush=True)
    search = mpuccs.measure(options.rows // _PAIR_SHARE, options.repetitions, options.data)
    print(search.text(), flush=True)
    found.add("mpuccs", "search", search, search.checks(), [search.comparison()])
    if not options.is_full:
        return
    print("\nthe first call of a process", flush=True)
    first = measure_first_calls(options.repetitions, options.data)
    print(first.text(), flush=True)
    found.add("mpuccs", "first_call", first, first.checks())
    print("\nthe pipeline of the seed against the same search called from Python", flush=True)
    pipeline = measure_pipeline(options.repetitions)
    print(pipeline.text(), flush=True)
    found.add("mpuccs", "pipeline", pipeline, pipeline.checks())


def _growth(options: Options, found: Findings) -> None:
    if options.kind.name == "quick":
        return
    print("\ngrowth: seconds by size, and the exponent of a power of the size", flush=True)
    for series in measure_growth(options.kind.sizes, options.few, options.data):
        print(f"\n{series.key}\n{series.text()}", flush=True)
        found.growth.append(series)


def _pycanon(options: Options, found: Findings) -> None:
    python, reason = pycanon_python()
    if python is None:
        found.could_not("pycanon", f"pyCANON {PYCANON} could not be installed: {reason}")
        return
    for chosen in TABLES if options.is_full else TABLES[:1]:
        print(f"\nt-closeness on {chosen.name}, equal distance, pandas frame in memory", flush=True)
        result = compare(chosen, python, options.repetitions, options.data)
        own = result.comparison()
        print(f"{own.text()}\nt is {own.facts['t']:.15g} for all of them", flush=True)
        found.add("pycanon", chosen.name, own, [result.check], [own])
    if options.is_full:
        print("\ncomplete audit of the raw Adult against pyCANON's report, a minute", flush=True)
        against = measure_against_pycanon(python, options.data)
        print(against.text(), flush=True)
        found.add("pycanon", "report", against, against.checks(), [against.comparison()])


def _peer(part: str, found: Findings) -> tuple[Peer, str | None]:
    """A peer and its Python, which may not be there."""
    peer = PEERS[part]
    python, reason = peer.python()
    if python is None:
        found.could_not(part, f"{peer.name} {peer.version}: {reason}")
    return peer, python


def _anonymeter(options: Options, found: Findings) -> None:
    peer, python = _peer("anonymeter", found)
    if python is None:
        return
    print(f"\nsingling out on the Adult pair, beside {peer.name} {peer.version}", flush=True)
    print("not the same figure: it draws attacks, mpUCCs looks at every combination", flush=True)
    few = not options.is_full
    for own in compare_anonymeter(python, options.few, options.data, few=few):
        print(f"\nup to {own.facts['up_to']} column(s)\n{own.text()}\n{own.said()}", flush=True)
        found.add("anonymeter", own.key, own, [], [own])
    for own in compare_attacks(python, 1, options.data):
        many = f"{own.facts['attacks']:,} people by {peer.name}, all {own.facts['people']:,} by us"
        print(f"\n{own.key}: {many}\n{own.text()}\n{own.said()}", flush=True)
        found.add("anonymeter", own.key, own, [], [own])


def _sdmetrics(options: Options, found: Findings) -> None:
    peer, python = _peer("sdmetrics", found)
    if python is None:
        return
    print(f"\nthe Adult pair column by column and pair by pair, {peer.name} {peer.version}")
    for own in compare_sdmetrics(python, options.few, options.data):
        print(f"\n{own.key}\n{own.text()}\n{own.said()}", flush=True)
        found.add("sdmetrics", own.key, own, [], [own])
    own = compare_closest(python, options.data)
    print(f"\n{own.key}: {own.facts}\n{own.text()}\n{own.said()}", flush=True)
    found.add("sdmetrics", own.key, own, [], [own])


def _petsard(options: Options, found: Findings) -> None:
    print(f"\nmpUCCs on the Adult pair against PETsARD {PETSARD}, pandas frames", flush=True)
    noted = read_record()
    if options.is_full:
        python, reason = petsard_python()
        if python is None:
            found.could_not("petsard", f"PETsARD {PETSARD}, its record is shown: {reason}")
        else:
            # The tracked record is another matter: only --petsard renews it.
            noted = record(python, options.data / "petsard.json")
    now = run_now(options.repetitions, TODAY if options.is_full else TODAY[:1])
    result = Record(noted, now)
    print(result.text(), flush=True)
    found.add("mpuccs", "petsard", result, result.checks(), [result.comparison()])


def _large(options: Options, found: Findings) -> None:
    for name, result, reason in measure_large_runs(options.data):
        if result is None:
            found.could_not("large", f"{name}: {reason}")
        else:
            found.add_large(name, result)


_MEASURING: Final[dict[str, Callable[[Options, Findings], None]]] = {
    "generated": _generated,
    "audit": _audit,
    "mpuccs": _mpuccs,
    "growth": _growth,
    "pycanon": _pycanon,
    "anonymeter": _anonymeter,
    "sdmetrics": _sdmetrics,
    "petsard": _petsard,
    "large": _large,
}


def _print_machine(document: dict[str, Any]) -> None:
    own = document["machine"]
    print(
        f"{own['cpu']}, {own['cores']} cores, {own['memory_gib']} GiB, {own['system']}; "
        f"load {own['load_before']} at the start, {own['load_after']} at the end"
    )
    print(", ".join(f"{name} {number}" for name, number in document["versions"].items()))
    for name, packages in document["peers"].items():
        print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in packages.items()))


def _exit_code(found: Findings, options: Options) -> int:
    if not options.gate:
        return 0
    if options.rows < FULL_ROWS:
        print(f"targets are set for {FULL_ROWS:,} rows: this smaller run is no gate")
        return 0
    return 0 if all(check.passed for check in found.checks if check.is_gate) else 1


if __name__ == "__main__":
    sys.exit(main())
