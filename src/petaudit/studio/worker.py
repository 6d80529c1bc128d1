"""The process beside the studio that opens tables and runs documents, one task and then its end.

It waits for its task with everything loaded. When the studio is gone, however that came, its
standard input ends: then it removes the private folder and ends, too.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np

from petaudit.anonymizing.explaining import costs, sections
from petaudit.anonymizing.making import Anonymized
from petaudit.anonymizing.risk_utility import frontier
from petaudit.errors import ManyProblemsError, PetauditError, naming_options, phrase
from petaudit.judging.document import plain
from petaudit.labels.cells import SUPPRESSED
from petaudit.labels.numbers import decimal_of
from petaudit.pipelines.executor import Executor
from petaudit.pipelines.tables import Tables, roles_of
from petaudit.proposing import propose_hierarchies
from petaudit.proposing.hierarchies import GIVEN, Proposal
from petaudit.roles import read_side_car
from petaudit.starter import guesses_from
from petaudit.studio.small_classes import small_classes
from petaudit.studio.worker_lines import TRANSFORMATION, said
from petaudit.system.memory import set_memory
from petaudit.system.progress import Stage, watched
from petaudit.system.reading import Reading
from petaudit.system.settings import settings_of
from petaudit.system.side_cars import side_car_path
from petaudit.system.yaml_files import parse_yaml
from petaudit.tables import open_source, remove_folder
from petaudit.tables.column_facts import column_facts
from petaudit.tables.source import Source, first_rows

_PREVIEW_ROWS: Final = 30
_LONGEST_CELL: Final = 60
_MOST_DISTINCT: Final = 20_000
_BARS: Final = 16
_PAUSE: Final = 0.2
_MOST_VALUES: Final = 100
"""More values than that nobody groups by hand."""
_MOST_LEAVES: Final = 2_000
"""A hierarchy that is spelled out and larger stays in its file."""


def main() -> None:
    """Wait for a task, do it, and answer with one line of JSON; lines before it are progress."""
    answer = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    # Nothing else may write there.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def tell(**line: Any) -> None:
        answer.write(json.dumps(line) + "\n")
        answer.flush()

    folder = Path(sys.argv[1])
    first = sys.stdin.readline()
    if not first:
        remove_folder(folder)
        return
    threading.Thread(target=_clear_up, args=(folder,), daemon=True).start()
    task = json.loads(first)
    warnings.simplefilter("ignore")
    try:
        with naming_options(), watched(_Told(tell)):
            set_memory(task.get("memory"))
            tell(done=TASKS[task["task"]](task))
    except ManyProblemsError as problem:
        tell(problems=[said(message) for message in problem.messages])
    except PetauditError as problem:
        tell(problems=[said(problem.text)], choices=[*problem.choices])
    except KeyboardInterrupt:
        tell(problems=[said(phrase("stopped"))])
    except MemoryError:
        tell(problems=[said(phrase("there was not enough memory"))])
    except Exception as problem:
        kind = type(problem).__name__
        tell(problems=[said(phrase("internal error ({kind})", kind=kind))])


def _clear_up(folder: Path) -> None:
    sys.stdin.read()
    remove_folder(folder)
    os._exit(1)


class _Told:
    """Passes on what is being done, not too often."""

    def __init__(self, tell: Callable[..., None]) -> None:
        self._tell = tell
        self._last = 0.0

    def __call__(self, stages: tuple[Stage, ...]) -> None:
        shown = [each for each in stages if not each.engine]
        now = time.monotonic()
        if shown and now - self._last >= _PAUSE:
            self._last = now
            last = shown[-1]
            self._tell(stage=said(last.what), done_parts=last.done, total_parts=last.total)


def look(task: Mapping[str, Any]) -> dict[str, Any]:
    """What a table holds: facts and guesses per column, and its first rows."""
    tables = Tables(Path(task["folder"]))
    source = open_source(tables.resolved(task["address"]), **task["reading"])
    facts = column_facts(source)
    known = _side_car(source)
    return {
        "rows": source.rows,
        "columns": [
            {
                **asdict(fact),
                "role": guess.role.value,
                "why": said(guess.reason),
                "is_sure": guess.is_sure,
                "bars": _bars(source, fact.name, fact.distinct),
            }
            for fact, guess in zip(facts, guesses_from(facts), strict=True)
        ],
        "preview": _preview(source),
        "notes": [said(note) for note in source.notes],
        "delimiter": source.delimiter,
        "side_car": known,
        "is_file": bool(source.paths),
        "is_untyped": source.is_untyped,
    }


def _side_car(source: Source) -> dict[str, Any]:
    path = side_car_path(source.paths[0]) if len(source.paths) == 1 else None
    if path is None:
        return {}
    known = read_side_car(path, source.paths[0])
    return {
        "roles": {name: role.value for name, role in known.roles.by_column.items()},
        "person": known.person,
    }


def _preview(source: Source) -> list[list[str | None]]:
    if source.counts.is_remote:
        return []
    rows = first_rows(source, _PREVIEW_ROWS).to_arrow().to_pylist()
    return [
        [None if cell is None else str(cell)[:_LONGEST_CELL] for cell in row.values()]
        for row in rows
    ]


def _shape(source: Source, column: str) -> dict[str, Any]:
    """How many different values a column has, and the rows of the commonest."""
    counts = source.counts.value_counts(column).by_label
    rows = sorted((each for label, each in counts.items() if label is not None), reverse=True)
    return {"distinct": len(rows), "bars": rows[:_BARS]}


def _bars(source: Source, column: str, distinct: int) -> list[int]:
    """Rows per stretch of a column of numbers, or of its commonest values; never the values."""
    if not 0 < distinct <= _MOST_DISTINCT or not source.counts.is_countable(column):
        return []
    counts = {
        label: rows
        for label, rows in source.counts.value_counts(column).by_label.items()
        if label is not None
    }
    numbers = [decimal_of(label) for label in counts]
    if distinct > _BARS and all(each is not None for each in numbers):
        heights, _ = np.histogram(
            np.array(numbers, dtype=float), _BARS, weights=np.array([*counts.values()])
        )
        return [int(height) for height in heights]
    return sorted(counts.values(), reverse=True)[:_BARS]


def run(task: Mapping[str, Any]) -> dict[str, Any]:
    """Run the document as ``petaudit run`` does; files and result.json are in the folder."""
    config = Path(task["config"])
    executor = Executor(config, out=Path(task["out"]), reveal_values=True, keep_results=False)
    verdict = executor.run()
    made = executor.anonymized
    if made is not None:
        made.transformation.write(Path(task["out"]) / TRANSFORMATION)
    return {
        "verdict": verdict,
        "files": executor.file_names,
        "messages": {name: said(text) for name, text in executor.messages.items()},
        "made": None if made is None else _made(made),
        "small": small_classes(
            parse_yaml(config.read_text("utf-8"), config.name).value, config.parent
        ),
    }


def _made(made: Anonymized) -> dict[str, Any]:
    """How the table was made, and its columns before and after, for the page."""
    levels = made.solution.levels
    released = open_source(made.released)
    costs_of = dict(zip(made.transformation.names, costs(made.solution), strict=True))
    return {
        "loss": made.loss,
        "bound": made.bound,
        "optimal": made.optimal,
        "suppressed": made.rows_suppressed,
        "rows": made.transformation.rows,
        "columns": [
            {
                "name": name,
                "loss": loss,
                "before": _shape(made.inputs.table, name),
                "after": _shape(released, name),
            }
            for name, loss in costs_of.items()
        ],
        "levels": None
        if levels is None
        else dict(zip(made.transformation.names, map(int, levels), strict=True)),
        "sections": [
            {"title": said(each.title), "lines": [said(line) for line in each.lines]}
            for each in sections(made)
        ],
        "before": {result.measure: plain(result.value) for result in made.before.results},
    }


def compare(task: Mapping[str, Any]) -> dict[str, Any]:
    """The best release at each of several limits: risk against what is lost."""
    tables, table = Tables(Path(task["folder"])), dict(task["loader"])
    found = frontier(
        tables.resolved(table.pop("filepath")),
        roles=roles_of(table.pop("roles", None)),
        hierarchies=tables.hierarchies(table.pop("hierarchies", None)),
        limits=task["limits"],
        options=task["options"],
        max_suppression=task["max_suppression"],
        recoding=task["recoding"],
        time_limit=task["time_limit"],
        **table,
    )
    return found.to_dict()


def hierarchies(task: Mapping[str, Any]) -> dict[str, Any]:
    """The hierarchy of every quasi-identifier, given or proposed, and what its levels do."""
    tables, table = Tables(Path(task["folder"])), dict(task["loader"])
    proposed = propose_hierarchies(
        tables.resolved(table.pop("filepath")),
        roles=roles_of(table.pop("roles", None)),
        hierarchies=tables.hierarchies(table.pop("hierarchies", None)),
        **{name: table[name] for name in settings_of(Reading) if name in table},
    )
    source = proposed.inputs.table
    return {"columns": [_hierarchy(source, each) for each in proposed.proposals]}


def _hierarchy(source: Source, proposal: Proposal) -> dict[str, Any]:
    rows = {
        label: count
        for label, count in proposal.values.by_label.items()
        if label not in (None, SUPPRESSED)
    }
    commonest = sorted(rows, key=lambda label: (-rows[label], label))[:_MOST_VALUES]
    hierarchy = proposal.hierarchy
    numbers = [float(each) for label in rows if (each := decimal_of(label)) is not None]
    rule = proposal.rule
    if rule is None and len(hierarchy.leaves) <= _MOST_LEAVES:
        rule = {leaf: list(hierarchy.path_of(leaf)[1:]) for leaf in hierarchy.leaves}
    return {
        "name": proposal.column,
        "kind": said(proposal.kind),
        "is_given": proposal.kind == GIVEN,
        "rule": rule,
        "levels": [asdict(level) for level in proposal.levels],
        "notes": [said(note) for note in proposal.notes],
        "values": [[label, rows[label], hierarchy.generalize(label, 1)] for label in commonest],
        "more": len(rows) - len(commonest),
        "bars": _bars(source, proposal.column, len(rows)),
        "ends": [min(numbers), max(numbers)] if len(numbers) == len(rows) > _BARS else None,
    }


TASKS: Final[Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]]] = {
    "look": look,
    "run": run,
    "compare": compare,
    "hierarchies": hierarchies,
}

if __name__ == "__main__":
    main()
