"""What can be said about a pipeline without computing anything: files, columns, roles, needs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from petaudit._version import __version__
from petaudit.errors import NotMeasurableError, PetauditError
from petaudit.inputs import Inputs
from petaudit.judging.document import plain
from petaudit.measures import Need
from petaudit.pipelines.evaluating import hierarchies_fingerprint, inputs_of, missing_of, setting_of
from petaudit.pipelines.models import (
    ANONYMIZER,
    DATA_MODULES,
    EVALUATOR,
    LOADER,
    SPLITTER,
    SYNTHESIZER,
)
from petaudit.pipelines.plan import PlannedRun, Step, files_of
from petaudit.pipelines.reading import Pipeline, raise_problems
from petaudit.pipelines.reporting import check_reporters
from petaudit.pipelines.tables import Tables
from petaudit.singling.control import SAME_TABLE
from petaudit.system.kinds import KeyPath, Problems
from petaudit.system.settings import settings_of
from petaudit.tables.headers import check_column
from petaudit.tables.joint import check_same_columns


@dataclass(frozen=True)
class Checked:
    """What checking found out about the inputs."""

    fingerprints: Mapping[str, Mapping[str, Any]]
    """By step and part, as in ``Splitter[a].control``."""
    files: tuple[Path, ...]
    """Everything that is read; none of it may be written to."""
    keys: Mapping[str, str]
    """By run: what its result depends on, as a hash."""


def check_runs(
    pipeline: Pipeline,
    runs: Sequence[PlannedRun],
    tables: Tables,
    wanted_tables: Mapping[str, Sequence[str]],
    problems: Problems,
    *,
    reveal: bool,
) -> Checked:
    """Open every table and settle roles and hierarchies; raise all problems at once."""
    check_reporters(pipeline, runs, problems)
    fingerprints = _opened([step for run in runs for step in run.steps], tables, problems)
    _check_controls(runs, fingerprints, problems)
    read: list[Path] = []
    keys: dict[str, str] = {}
    for run in runs:
        is_open = all(label in fingerprints for label in _labels(run))
        if not is_open:
            continue
        before = len(problems)
        if SYNTHESIZER in run.models:
            step = run.up_to(SYNTHESIZER)[-1]
            with problems.noted((SYNTHESIZER, step.experiment.name, "domain")):
                tables.guarantee(run)
        if run.evaluator is None or len(problems) > before:
            continue
        _check_columns(run, tables, problems)
        if len(problems) > before:
            continue
        with problems.noted((EVALUATOR, run.evaluator.name)):
            inputs = inputs_of(run, tables.of_run(run, make=False), tables, reveal=reveal)
            options = run.evaluator.model.options
            missing = missing_of(run.evaluator.measure, inputs, options, is_made=_is_made(run))
            if missing:
                raise NotMeasurableError(missing)
            _check_together(run, inputs, problems)
            read += inputs.files
            keys[run.name] = _key(run, tables, fingerprints, inputs, wanted_tables, reveal)
    raise_problems(pipeline.origin, pipeline.document, problems)
    read += [path for source in tables.sources for path in source.files]
    read += tables.schema_files
    return Checked(fingerprints, tuple(dict.fromkeys(read)), keys)


def note_wrong_files(pipeline: Pipeline, tables: Tables, problems: Problems) -> None:
    """Note what is wrong with the tables of a pipeline that cannot be run for other reasons."""
    steps = [Step(experiment) for module in DATA_MODULES for experiment in pipeline.of(module)]
    _opened(steps, tables, problems)


def _opened(steps: Sequence[Step], tables: Tables, problems: Problems) -> dict[str, dict[str, Any]]:
    fingerprints: dict[str, dict[str, Any]] = {}
    tried: set[str] = set()
    for step in steps:
        for part, table in files_of(step).items():
            label = _label(step, part)
            if label in tried:
                continue
            tried.add(label)
            try:
                with tables.clock.timed(label, step.module, step.experiment.name, "read"):
                    fingerprints[label] = tables.fingerprint(table)
            except PetauditError as problem:
                is_of_schema = table.schema is not None and "schema" in problem.text
                with problems.noted(_setting(step, part, is_of_schema=is_of_schema)):
                    raise
            except OSError as problem:
                problems.add(
                    _setting(step, part),
                    "{path}: cannot be read ({reason})",
                    path=table.address,
                    reason=problem.strerror,
                )
    return fingerprints


def _check_controls(
    runs: Sequence[PlannedRun], fingerprints: Mapping[str, Mapping[str, Any]], problems: Problems
) -> None:
    """A control that was learned from shows nothing."""
    for run in runs:
        loader, splitter, evaluator = (run.step(module) for module in (LOADER, SPLITTER, EVALUATOR))
        learned = [_label(loader, "")] if loader is not None else []
        if splitter is not None:
            learned.append(_label(splitter, "ori"))
        known = [fingerprints[label] for label in learned if label in fingerprints]
        for step in filter(None, (splitter, evaluator)):
            control = fingerprints.get(_label(step, "control"), {})
            # By the content, or by the name where nobody sees that.
            told = "sha256" if "sha256" in control else "name"
            if told in control and control[told] in [other.get(told) for other in known]:
                problems.add(_setting(step, "control"), SAME_TABLE)


def _is_made(run: PlannedRun) -> bool:
    """Whether an Anonymizer makes the table, with hierarchies of its own where none are given."""
    return run.step(ANONYMIZER) is not None


def _labels(run: PlannedRun) -> list[str]:
    return [_label(step, part) for step in run.steps for part in files_of(step)]


def _check_columns(run: PlannedRun, tables: Tables, problems: Problems) -> None:
    """Note what is wrong with roles, key and hierarchies, each at its line of the file."""
    released = tables.of_run(run, make=False).released

    def check(column: str, at: KeyPath) -> None:
        with problems.noted(at):
            check_column(column, released.columns, released.name)

    # A search for mpUCCs asks the original for people, and says itself if it has no such column.
    names = ("key",) if run.evaluation.measure.has_same_columns else ("key", "person")
    for step in filter(None, (run.step(LOADER), run.step(EVALUATOR))):
        at, model = (step.module, step.experiment.name), step.experiment.model
        taken: dict[str, str] = {}
        for role, columns in (model.roles or {}).items():
            for column in [columns] if isinstance(columns, str) else columns:
                if column in taken:
                    problems.add(
                        (*at, "roles", role),
                        "column {column!r} has a role twice ({first}, {second})",
                        column=column,
                        first=taken[column],
                        second=role,
                    )
                taken[column] = role
                check(column, (*at, "roles", role))
        for name in names:
            if getattr(model, name) is not None:
                check(getattr(model, name), (*at, name))
        with problems.noted((*at, "hierarchies")):
            tables.hierarchies(model.hierarchies)


def _check_together(run: PlannedRun, inputs: Inputs, problems: Problems) -> None:
    """Note what is wrong only with these tables, columns and hierarchies together."""
    at, measure = (EVALUATOR, run.evaluation.name), run.evaluation.measure
    if Need.HIERARCHIES in measure.needs and not _is_made(run):
        with problems.noted(at):
            for column in inputs.generalized_columns:
                if column not in inputs.hierarchies or inputs.original is None:
                    with problems.noted(at):
                        inputs.hierarchies.get(column, None)
    if measure.has_same_columns:
        for other in filter(None, (inputs.original, inputs.control)):
            with problems.noted(at):
                check_same_columns([inputs.table, other], setting_of(run, "person"))


def _label(step: Step, part: str) -> str:
    name = f"{step.module}[{step.experiment.name}]"
    return f"{name}.{part}" if part else name


def _setting(step: Step, part: str, *, is_of_schema: bool = False) -> KeyPath:
    """The setting that names a file."""
    at = (step.module, step.experiment.name)
    if step.module == LOADER:
        return (*at, "schema" if is_of_schema else part or "filepath")
    if step.module == EVALUATOR:
        return (*at, part)
    option = "schema" if is_of_schema else "filepath"
    return (*at, option, part) if part else (*at, option)


def _key(
    run: PlannedRun,
    tables: Tables,
    fingerprints: Mapping[str, Mapping[str, Any]],
    inputs: Inputs,
    wanted_tables: Mapping[str, Sequence[str]],
    reveal: bool,
) -> str:
    """Everything that a result depends on, so that it is kept for that and nothing else."""
    wanted = {
        "petaudit": __version__,
        "run": run.name,
        "steps": [[str(step), _settings(step)] for step in run.steps],
        "inputs": {label: fingerprints[label] for label in _labels(run)},
        "roles": inputs.roles.to_dict(),
        "person": [inputs.person, inputs.person_is_pseudonym],
        "hierarchies": hierarchies_fingerprint(run, inputs),
        "tables": wanted_tables.get(run.evaluation.name, []),
        "reveal_values": reveal,
        "drawn": tables.drawn_at(run),
    }
    text = json.dumps(wanted, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _settings(step: Step) -> dict[str, Any]:
    model = step.experiment.model
    settings = {name: plain(getattr(model, name)) for name in settings_of(type(model))}
    options = getattr(model, "options", {})
    return settings | {"options": plain(options), "method": model.method}
