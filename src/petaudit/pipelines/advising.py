"""What to do about the limits that the runs of a pipeline breach, a table at a time."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from petaudit.auditing import Audit, run_measure
from petaudit.auditing.dropping import is_of_classes
from petaudit.errors import PetauditError
from petaudit.judging.document import plain
from petaudit.judging.gate import FAILED
from petaudit.measures.result import plain_data
from petaudit.pipelines.evaluating import Entry, computing, inputs_of, setting_of
from petaudit.pipelines.models import EVALUATOR, LOADER
from petaudit.pipelines.plan import PlannedRun
from petaudit.pipelines.tables import Tables
from petaudit.system.reading import Reading


def advice_of_runs(entries: Sequence[Entry], tables: Tables) -> list[dict[str, Any]]:
    """What to do, as plain data: one command for all limits of a file that a Loader reads.

    Tables that are split, made or read in part are no files, and have none.
    """
    groups: dict[str, dict[str, Entry]] = {}
    for entry in entries:
        run = entry.run
        if [step.module for step in run.steps] != [LOADER, EVALUATOR] or run.models[LOADER].nrows:
            continue
        if not is_of_classes(run.evaluation.measure):
            continue
        names = ("roles", "hierarchies", "person")
        about = [run.models[LOADER].filepath, *(setting_of(run, name) for name in names)]
        key = json.dumps([*about, run.evaluation.model.suppressed], default=str, sort_keys=True)
        while run.evaluation.measure.name in groups.get(key, {}):
            # The same measure once more, with another limit.
            key += "."
        groups.setdefault(key, {})[run.evaluation.measure.name] = entry
    advice: list[dict[str, Any]] = []
    for group in groups.values():
        if any(entry.status == FAILED for entry in group.values()):
            advice += _advice([entry.run for entry in group.values()], tables)
    return advice


def _advice(runs: Sequence[PlannedRun], tables: Tables) -> list[dict[str, Any]]:
    first = runs[0]
    try:
        inputs = inputs_of(first, tables.of_run(first), tables, reveal=False)
        settings = {run.evaluation.measure.name: computing(run, tables) for run in runs}
        outcomes = [
            run_measure(run.evaluation.measure, inputs, settings[run.evaluation.measure.name])
            for run in runs
        ]
    except PetauditError:
        # The entries say what is wrong.
        return []
    results = tuple(outcome.result for outcome in outcomes if outcome.result is not None)
    given = _given(first, tables)
    audit = Audit(inputs, results, (), {"options": plain(settings)}, given=given)
    return [
        plain_data(
            replace(
                each,
                command=tuple(map(tables.without_folders, each.command)),
                first=tuple(map(tables.without_folders, each.first)),
                python=None if each.python is None else tables.without_folders(each.python),
            )
        )
        for each in audit.advice
    ]


def _given(run: PlannedRun, tables: Tables) -> Mapping[str, Any]:
    """What a command would be given."""
    loader = run.models[LOADER]
    paths = {"table": loader.filepath, "population": loader.population}
    hierarchies = setting_of(run, "hierarchies")
    if isinstance(hierarchies, str):
        paths["hierarchies"] = hierarchies
    given = {name: tables.resolved(path) for name, path in paths.items() if path is not None}
    others = {
        "person": setting_of(run, "person"),
        **Reading.of(loader).options,
        "hierarchies": None if isinstance(hierarchies, str) else hierarchies,
    }
    return given | {name: value for name, value in others.items() if value is not None}
