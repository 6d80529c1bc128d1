"""Running a measure on the tables of one run."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from petaudit.auditing.columns import ColumnReview, review_columns
from petaudit.auditing.people import people_notes
from petaudit.errors import (
    NotMeasurableError,
    PetauditError,
    PetauditWarning,
    UndecidedError,
    joined,
    phrase,
    without_row_numbers,
)
from petaudit.inputs import Inputs, gather
from petaudit.measures import Measure, Result
from petaudit.measures.kinds import TableFile
from petaudit.pictures import pictures_of
from petaudit.pipelines.models import EVALUATOR, LOADER, Evaluation
from petaudit.pipelines.plain_data import plain
from petaudit.pipelines.plan import PlannedRun
from petaudit.pipelines.tables import RunTables, Tables
from petaudit.roles import Role, Roles
from petaudit.system.debugging import show_trace

JUDGING: Final = ("limit", "profile")


@dataclass(frozen=True)
class Outcome:
    """What became of a measure: a result, a problem, or both where a figure decides nothing."""

    result: Result | None = None
    problem: PetauditError | None = None
    roles: Mapping[str, str] | None = None
    hierarchies: Mapping[str, Any] | None = None
    """What identifies them, without any label."""
    columns: ColumnReview | None = None
    """Columns that still name people or have no role; None where a measure compares all columns."""
    people: tuple[str, ...] = ()
    """What is said about rows and people."""
    person: str | None = None
    """The column that tells people apart."""
    warnings: tuple[str, ...] = ()
    reason: str | None = None
    """The problem without any label and without where the files lie."""
    pictures: Sequence[Mapping[str, Any]] = ()


def evaluated(run: PlannedRun, tables: Tables, *, reveal: bool) -> Outcome:
    """Run the measure; what goes wrong is no reason for other runs to stop."""
    experiment = run.evaluator
    assert experiment is not None and experiment.measure is not None  # noqa: S101, PT018
    measure = experiment.measure
    said: list[str] = []
    about: dict[str, Any] = {}

    def failed(problem: PetauditError) -> Outcome:
        reason = tables.without_folders(without_row_numbers(problem.text))
        return Outcome(None, problem, warnings=tuple(said), reason=reason, **about)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", PetauditWarning)
        warnings.showwarning = lambda message, *_, **__: said.append(_text_of(message))
        try:
            given = tables.of_run(run)
            with tables.clock.timed(run.name, EVALUATOR, experiment.name, "evaluate"):
                inputs = inputs_of(run, given, tables, reveal=reveal)
                about["roles"] = inputs.roles.to_dict()
                about["person"] = own_or_loaders(run, "person")
                about["people"] = people_notes(inputs)
                if not measure.has_same_columns:
                    about["columns"] = review_columns(inputs)
                if inputs.hierarchies:
                    about["hierarchies"] = hierarchies_fingerprint(run, inputs)
                options = _computing(experiment.model.options, measure, tables)
                if measure.has_same_columns and about["person"] is not None:
                    options["person"] = about["person"]
                missing = missing_of(measure, inputs, experiment.model.options)
                if missing:
                    raise NotMeasurableError(missing)
                result = measure.run(inputs, options)
                about["pictures"], notes = pictures_of(measure.pictures, inputs, result)
                said += notes
            _check_judged(experiment.model, measure, result)
            return Outcome(result, None, warnings=tuple(said), **about)
        except UndecidedError as problem:
            found = problem.result if isinstance(problem.result, Result) else None
            if found is not None:
                about["pictures"], notes = pictures_of(measure.pictures, None, found)
                said += notes
            return replace(failed(problem), result=found)
        except PetauditError as problem:
            return failed(problem)
        except MemoryError:
            return failed(NotMeasurableError("there was not enough memory"))
        except Exception as problem:
            show_trace(problem)
            # The text of an unforeseen error may quote data, so only its kind is shown.
            kind = type(problem).__name__
            return failed(NotMeasurableError("internal error ({kind})", kind=kind))


def _text_of(message: Warning | str) -> str:
    """What a warning says, with what it is made of."""
    given = message.args if isinstance(message, Warning) else ()
    return given[0] if given and isinstance(given[0], str) else str(message)


def inputs_of(run: PlannedRun, given: RunTables, tables: Tables, *, reveal: bool) -> Inputs:
    """The tables of a run with the roles and hierarchies that apply to them."""
    experiment = run.evaluator
    assert experiment is not None  # noqa: S101 (only such runs are evaluated)
    own: Evaluation = experiment.model

    def first(name: str) -> Any:
        return own_or_loaders(run, name)

    # There the person column need not be in the table, which is a synthetic one.
    is_search = experiment.measure is not None and experiment.measure.has_same_columns
    return gather(
        given.released,
        original=given.original,
        control=given.control,
        population=given.population,
        roles=roles_of(first("roles")),
        hierarchies=tables.hierarchies(first("hierarchies")),
        key=first("key"),
        person=None if is_search else first("person"),
        # Of another column than the Loader's, the Loader says nothing.
        person_is_pseudonym=(
            first("person_is_pseudonym") if own.person is None else own.person_is_pseudonym
        ),
        suppressed=own.suppressed,  # type: ignore[arg-type]
        reveal_values=reveal,
    )


def own_or_loaders(run: PlannedRun, name: str) -> Any:
    """A setting of the Evaluator, or else of the Loader."""
    experiment, loader = run.evaluator, run.step(LOADER)
    mine = None if experiment is None else getattr(experiment.model, name)
    return mine if mine is not None or loader is None else getattr(loader.experiment.model, name)


def hierarchies_fingerprint(run: PlannedRun, inputs: Inputs) -> dict[str, Any]:
    """What identifies the hierarchies, also those that stand in the pipeline file itself."""
    found = inputs.hierarchies.fingerprint()
    given = own_or_loaders(run, "hierarchies")
    if isinstance(given, Mapping):
        text = json.dumps(plain(given), sort_keys=True)
        found["settings_sha256"] = hashlib.sha256(text.encode()).hexdigest()
    return found


def _computing(given: Mapping[str, Any], measure: Measure, tables: Tables) -> dict[str, Any]:
    """The options as the measure takes them: the control is among its inputs already."""
    options = {name: value for name, value in given.items() if name != "control"}
    for option in measure.options:
        if option.name in options and isinstance(option.kind, TableFile):
            options[option.name] = tables.resolved(options[option.name])
    return options


def _check_judged(model: Evaluation, measure: Measure, result: Result) -> None:
    """A limit that a measure ignores must not look like one that holds."""
    if result.passed is None and any(model.options.get(name) is not None for name in JUDGING):
        raise UndecidedError(
            "{measure} did not say whether its limit holds", measure=measure.name, result=result
        )


def roles_of(given: Mapping[str, Any] | None) -> Roles | None:
    """Roles from columns by role; a column in two of them is an error.

    >>> roles_of({"quasi_identifier": "zip", "sensitive_attribute": ["disease"]}).sensitive
    ('disease',)
    """
    if given is None:
        return None
    return Roles.of(
        **{
            _LISTS[role]: [columns] if isinstance(columns, str) else columns
            for role, columns in given.items()
        }
    )


_LISTS = {
    Role.IDENTIFIER.value: "identifiers",
    Role.QUASI_IDENTIFIER.value: "quasi_identifiers",
    Role.SENSITIVE.value: "sensitive",
    Role.INSENSITIVE.value: "insensitive",
}


def missing_of(measure: Measure, inputs: Inputs, options: Mapping[str, Any]) -> str | None:
    """What a measure would still need, in the words of the pipeline file."""
    missing = [need.in_pipeline for need in measure.needs if not need.is_met(inputs)]
    missing += [
        joined([need.in_pipeline, *names], " or ")
        for need, names in measure.neither(inputs, options)
    ]
    lacking = [
        own.name for own in measure.options if own.required and options.get(own.name) is None
    ]
    lacks = [*missing, *lacking]
    if not lacks:
        return None
    return phrase("{measure} needs {lacks}", measure=measure.name, lacks=joined(lacks, " and "))
