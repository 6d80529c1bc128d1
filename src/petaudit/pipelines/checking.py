"""What can be said about a pipeline without computing anything: files, columns, roles, needs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from petaudit._version import __version__
from petaudit.errors import ManyProblemsError, PetauditError, phrase
from petaudit.inputs import Inputs
from petaudit.measures import Need
from petaudit.pipelines.evaluating import (
    hierarchies_fingerprint,
    inputs_of,
    missing_of,
    own_or_loaders,
)
from petaudit.pipelines.models import DATA_MODULES, EVALUATOR, LOADER, SPLITTER, settings_of
from petaudit.pipelines.pipeline import Pipeline, raise_problems
from petaudit.pipelines.plain_data import plain
from petaudit.pipelines.plan import PlannedRun, Step
from petaudit.pipelines.reporting import check_reporters
from petaudit.pipelines.step_files import FileTable, files_of
from petaudit.pipelines.tables import Tables
from petaudit.singling.control import SAME_TABLE
from petaudit.system.yaml_files import KeyPath, Problems
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


def checked(
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
    seen: dict[tuple[KeyPath, str], None] = {}
    for run in runs:
        if run.evaluator is None or not _is_open(run, fingerprints):
            continue
        said = list(_wrong_about_columns(run, tables))
        seen |= dict.fromkeys(said)
        if said:
            continue
        try:
            inputs = _inputs(run, tables, reveal)
        except PetauditError as problem:
            # Several runs share an experiment and what is wrong about it.
            seen[_place(run), problem.text] = None
            continue
        seen |= dict.fromkeys(_wrong_together(run, inputs))
        read += inputs.files
        keys[run.name] = _key(run, tables, fingerprints, inputs, wanted_tables, reveal)
    for at, message in seen:
        problems.add(at, message)
    raise_problems(pipeline.origin, pipeline.document, problems)
    read += [path for own in tables.sources for path in own.files]
    read += tables.schema_files
    return Checked(fingerprints, tuple(dict.fromkeys(read)), keys)


def note_wrong_files(pipeline: Pipeline, tables: Tables, problems: Problems) -> None:
    """Note what is wrong with the tables of a pipeline that cannot be run for other reasons."""
    steps = [Step(own) for module in DATA_MODULES for own in pipeline.of(module)]
    _opened(steps, tables, problems)


def _opened(steps: Sequence[Step], tables: Tables, problems: Problems) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    failed: set[str] = set()
    for step in steps:
        for part, table in files_of(step).items():
            label = _label(step, part)
            if label in found or label in failed:
                continue
            try:
                with tables.clock.timed(label, step.module, step.experiment.name, "read"):
                    found[label] = tables.fingerprint(table)
            except PetauditError as problem:
                failed.add(label)
                _note(problem, _setting(step, part, problem, table), problems)
            except OSError as problem:
                failed.add(label)
                at = _setting(step, part, None, table)
                said = phrase(
                    "{path}: cannot be read ({reason})", path=table.address, reason=problem.strerror
                )
                problems.add(at, said)
    return found


def _check_controls(
    runs: Sequence[PlannedRun], found: Mapping[str, Mapping[str, Any]], problems: Problems
) -> None:
    """A control that was learned from shows nothing."""
    places: dict[KeyPath, None] = {}
    for run in runs:
        loader, splitter, evaluator = (run.step(own) for own in (LOADER, SPLITTER, EVALUATOR))
        learned = [_label(loader, "")] if loader is not None else []
        if splitter is not None:
            learned.append(_label(splitter, "ori"))
        known = [found[label] for label in learned if label in found]
        for step in filter(None, (splitter, evaluator)):
            own = found.get(_label(step, "control"), {})
            if any(_is_same_table(own, other) for other in known):
                at = (step.module, step.experiment.name)
                part = ("control",) if step.module == EVALUATOR else ("filepath", "control")
                places[(*at, *part)] = None
    for place in places:
        problems.add(place, SAME_TABLE)


def _is_same_table(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """By their content, or by their name where nobody sees that."""
    told = "sha256" if "sha256" in one else "name"
    return told in one and one[told] == other.get(told)


def _is_open(run: PlannedRun, fingerprints: Mapping[str, object]) -> bool:
    return all(_label(step, part) in fingerprints for step in run.steps for part in files_of(step))


def _note(problem: PetauditError, at: KeyPath, problems: Problems) -> None:
    messages = problem.messages if isinstance(problem, ManyProblemsError) else (problem.text,)
    for message in messages:
        problems.add(at, message)


def _wrong_about_columns(run: PlannedRun, tables: Tables) -> Iterator[tuple[KeyPath, str]]:
    """What is wrong with roles, key and hierarchies, each where it stands in the file."""
    released = tables.of_run(run, make=False).released
    # A search for mpUCCs asks the original for people, and says itself if it has no such column.
    measure = None if run.evaluator is None else run.evaluator.measure
    is_search = measure is not None and measure.has_same_columns
    steps = [step for step in (run.step(LOADER), run.step(EVALUATOR)) if step is not None]
    for step in steps:
        at = (step.module, step.experiment.name)
        model = step.experiment.model
        taken: dict[str, str] = {}
        for role, columns in (model.roles or {}).items():
            by_role = (*at, "roles", role)
            for column in [columns] if isinstance(columns, str) else columns:
                if column in taken:
                    yield (
                        by_role,
                        phrase(
                            "column {column!r} has a role twice ({first}, {second})",
                            column=column,
                            first=taken[column],
                            second=role,
                        ),
                    )
                taken[column] = role
                yield from _said(by_role, check_column, column, released.columns, released.name)
        for name in ("key",) if is_search else ("key", "person"):
            column = getattr(model, name)
            if column is not None:
                place = (*at, name)
                yield from _said(place, check_column, column, released.columns, released.name)
        yield from _said((*at, "hierarchies"), tables.hierarchies, model.hierarchies)


def _wrong_together(run: PlannedRun, inputs: Inputs) -> Iterator[tuple[KeyPath, str]]:
    """What is wrong only with these tables, columns and hierarchies together."""
    if run.evaluator is None or run.evaluator.measure is None:
        return
    measure = run.evaluator.measure
    if Need.HIERARCHIES in measure.needs:
        try:
            columns = inputs.generalized_columns
        except PetauditError as problem:
            columns = ()
            yield _place(run), problem.text
        for column in columns:
            if column not in inputs.hierarchies or inputs.original is None:
                yield from _said(_place(run), inputs.hierarchies.get, column, None)
    if measure.has_same_columns:
        for other in filter(None, (inputs.original, inputs.control)):
            person = own_or_loaders(run, "person")
            yield from _said(_place(run), check_same_columns, [inputs.table, other], person)


def _said(
    at: KeyPath, check: Callable[..., object], *given: object
) -> Iterator[tuple[KeyPath, str]]:
    try:
        check(*given)
    except PetauditError as problem:
        yield at, problem.text


def _inputs(run: PlannedRun, tables: Tables, reveal: bool) -> Inputs:
    experiment = run.evaluator
    assert experiment is not None and experiment.measure is not None  # noqa: S101, PT018
    inputs = inputs_of(run, tables.of_run(run, make=False), tables, reveal=reveal)
    missing = missing_of(experiment.measure, inputs, experiment.model.options)
    if missing:
        raise PetauditError(missing)
    return inputs


def _place(run: PlannedRun) -> KeyPath:
    """Where a problem of a run stands."""
    experiment = run.evaluator
    assert experiment is not None  # noqa: S101 (only such runs are checked)
    return (EVALUATOR, experiment.name)


def _label(step: Step, part: str) -> str:
    name = f"{step.module}[{step.experiment.name}]"
    return f"{name}.{part}" if part else name


def _setting(step: Step, part: str, problem: PetauditError | None, table: FileTable) -> KeyPath:
    """The setting that names a file."""
    at = (step.module, step.experiment.name)
    of_schema = problem is not None and table.schema is not None and "schema" in problem.text
    if step.module == LOADER:
        return (*at, "schema" if of_schema else part or "filepath")
    if step.module == EVALUATOR:
        return (*at, part)
    option = "schema" if of_schema else "filepath"
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
    experiment = run.evaluator
    assert experiment is not None  # noqa: S101 (only such runs have a result)
    wanted = {
        "petaudit": __version__,
        "run": run.name,
        "steps": [[str(step), _settings(step)] for step in run.steps],
        "inputs": {
            _label(step, part): fingerprints[_label(step, part)]
            for step in run.steps
            for part in files_of(step)
        },
        "roles": inputs.roles.to_dict(),
        "person": [inputs.person, inputs.person_is_pseudonym],
        "hierarchies": hierarchies_fingerprint(run, inputs),
        "tables": wanted_tables.get(experiment.name, []),
        "reveal_values": reveal,
    }
    text = json.dumps(wanted, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _settings(step: Step) -> dict[str, Any]:
    model = step.experiment.model
    found = {name: plain(getattr(model, name)) for name in settings_of(type(model))}
    options = getattr(model, "options", {})
    return found | {"options": plain(options), "method": model.method}
