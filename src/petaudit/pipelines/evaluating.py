"""One run of a pipeline: its measure on its tables, and the entry of the result."""

from __future__ import annotations

import hashlib
import json
import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from petaudit.auditing.document import plain
from petaudit.auditing.review import ColumnReview, people_notes, review_columns
from petaudit.errors import (
    NotMeasurableError,
    PetauditError,
    PetauditWarning,
    UndecidedError,
    counted,
    joined,
    phrase,
    without_row_numbers,
)
from petaudit.exact.fractions import exact
from petaudit.i18n.kept import texts_of, with_phrases
from petaudit.inputs import Inputs, gather
from petaudit.measures import Measure, Result
from petaudit.measures.kinds import TableFile
from petaudit.pictures.optional import pictures_of
from petaudit.pipelines.models import (
    DATA_MODULES,
    EVALUATOR,
    LOADER,
    SPLITTER,
    SYNTHESIZER,
    CustomTable,
    Evaluation,
    RandomSplit,
)
from petaudit.pipelines.plan import PlannedRun, files_of
from petaudit.pipelines.tables import RunTables, Tables, without_folder
from petaudit.roles import Role, Roles
from petaudit.system.debugging import show_trace
from petaudit.tables.made_frames import MadeColumn

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
                about["pictures"], notes = pictures_of(measure, inputs, result)
                said += notes
            _check_judged(experiment.model, measure, result)
            return Outcome(result, None, warnings=tuple(said), **about)
        except UndecidedError as problem:
            found = problem.result if isinstance(problem.result, Result) else None
            if found is not None:
                about["pictures"], notes = pictures_of(measure, None, found)
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


ERROR: Final = "error"
TEXTS: Final = "texts"


@dataclass(frozen=True)
class Entry:
    """What a run gave: plain data for the document, and tables for reports."""

    run: PlannedRun
    data: Mapping[str, Any]
    result: Result | None = None
    """Absent after an error, and where the result of an interrupted call was kept."""
    message: str | None = None
    """What went wrong, for the person at the terminal: it may quote a few labels."""
    tables: Mapping[str, Mapping[str, MadeColumn]] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    """What the stages of the measure took, if it says so."""

    @property
    def status(self) -> str:
        """``passed``, ``failed``, ``measured`` or ``error``."""
        return str(self.data["status"])


def entry_data(run: PlannedRun, outcome: Outcome, tables: Tables) -> dict[str, Any]:
    """The entry of a run in result.json; comparison and breaches are added when all are known."""
    experiment = run.evaluator
    assert experiment is not None and experiment.measure is not None  # noqa: S101, PT018
    own: Evaluation = experiment.model
    measure = experiment.measure
    result = outcome.result
    options = {name: value for name, value in own.options.items() if name not in JUDGING}
    data: dict[str, Any] = {
        "run": run.name,
        "modules": {step.module: step.label for step in run.steps},
        "measure": measure.name,
        "status": ERROR,
        "figure": None,
        "value": None,
        "limit": _number(own.options.get("limit")),
        "limit_exact": None,
        "strict": None,
        "conditions": [],
        "profile": own.options.get("profile"),
        "better": measure.better.value,
        "lower_bound": None,
        "reason": None,
        "options": plain(options),
        "steps": _steps(run),
        "suppressed": own.suppressed,
        "roles": outcome.roles,
        "columns": None if outcome.columns is None else outcome.columns.to_dict(),
        "person": outcome.person,
        "hierarchies": outcome.hierarchies,
        "seeds": _seeds(run),
        "explanation": [],
        "warnings": [],
        "details": {},
        "pictures": list(outcome.pictures),
    }
    notes = list(outcome.warnings)
    if result is not None:
        is_number = not math.isnan(result.value)
        data |= {
            "status": result.status if is_number else ERROR,
            "figure": result.figure,
            "value": plain(result.value) if is_number else None,
            "limit": result.limit,
            "limit_exact": result.limit_exact,
            "strict": result.is_strict,
            "conditions": list(result.conditions),
            "lower_bound": result.is_lower_bound,
            "reason": None if is_number else phrase("the figure is no number"),
            "explanation": list(result.explanation),
            "details": _details(result),
        }
        notes += result.warnings
    notes += outcome.people
    if outcome.problem is not None:
        # An undecided figure is shown, and still an error.
        data |= {"status": ERROR, "reason": outcome.reason}
    for doubt in _doubts(run, tables):
        notes.append(doubt)
        data["lower_bound"] = data["lower_bound"] is not None
        if data["status"] == "passed":
            reason = phrase("{doubt}; this does not show that the limit holds", doubt=doubt)
            data |= {"status": ERROR, "reason": reason}
    data["warnings"] = list(dict.fromkeys(notes))
    return with_texts(data)


def _number(limit: object) -> Any:
    return float(exact(limit, "limit")) if isinstance(limit, str) else plain(limit)


def with_texts(data: Mapping[str, Any]) -> dict[str, Any]:
    """An entry with what its sentences are made of, as its last key."""
    own = {name: value for name, value in data.items() if name != TEXTS}
    return own | {TEXTS: texts_of(own)}


def from_json(data: Mapping[str, Any]) -> dict[str, Any]:
    """An entry that was kept as JSON, with its sentences as they were."""
    texts = data[TEXTS]
    own = {name: value for name, value in data.items() if name != TEXTS}
    return {**with_phrases(own, texts), TEXTS: texts}


_SHOWN_ABOVE = (
    *("measure", "status", "better", "value", "limit", "limit_exact", "passed", "warnings"),
    "profile",
)


def _details(result: Result) -> dict[str, Any]:
    found = plain(result.to_dict())
    return {
        name: value
        for name, value in found.items()
        if name not in {*_SHOWN_ABOVE, "timings", "undecided"}
    }


def _seeds(run: PlannedRun) -> dict[str, int]:
    """Every seed that the figure depends on."""
    found: dict[str, int] = {}
    for module in (SPLITTER, SYNTHESIZER):
        step = run.step(module)
        seed = None if step is None else getattr(step.experiment.model, "random_state", None)
        if seed is not None:
            found[module] = seed
    experiment = run.evaluator
    if experiment is not None and experiment.measure is not None:
        names = [option.name for option in experiment.measure.options]
        if "seed" in names:
            found[EVALUATOR] = experiment.model.options.get("seed", 0)
    return found


def _steps(run: PlannedRun) -> dict[str, dict[str, Any]]:
    """Settings of the other modules that decide what was measured, beside the tables."""
    found: dict[str, dict[str, Any]] = {}
    for step in run.steps:
        model = step.experiment.model
        names = [name for name in _DECISIVE if hasattr(model, name)]
        if step.module != EVALUATOR:
            found[step.module] = {name: plain(getattr(model, name)) for name in names}
    return found


_DECISIVE: Final = ("method", "nrows", "key", "train_split_ratio", "sample_num_rows")


def _doubts(run: PlannedRun, tables: Tables) -> list[str]:
    """Why a figure tells less than it seems to: not everybody was looked at."""
    found: list[str] = []
    loader, splitter, synthesizer = (run.step(module) for module in DATA_MODULES)
    if loader is not None:
        for table in files_of(loader).values():
            left_out = tables.rows_left_out(table)
            if left_out:
                name = without_folder(table.address)
                rows = counted(left_out, "row")
                found.append(phrase("{rows} of {table} left out (nrows)", rows=rows, table=name))
    if (
        splitter is not None
        and synthesizer is not None
        and isinstance(splitter.experiment.model, RandomSplit)
        and isinstance(synthesizer.experiment.model, CustomTable)
    ):
        found.append(
            phrase(
                "the synthetic table was made before the rows were drawn, so it may have learned "
                "from all of them: it was compared with some of its people only, and the control "
                "was seen"
            )
        )
    return found
