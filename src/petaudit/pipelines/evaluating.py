"""One run of a pipeline: its measure on its tables, and the entry of the result."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from petaudit.anonymizing.infeasible import InfeasibleError
from petaudit.auditing import Outcome, run_measure
from petaudit.errors import (
    NotMeasurableError,
    PetauditError,
    PetauditWarning,
    counted,
    joined,
    phrase,
    without_row_numbers,
)
from petaudit.i18n.documents import restore_phrases
from petaudit.inputs import Inputs, gather
from petaudit.judging.document import TEXTS, plain, with_texts
from petaudit.judging.gate import ERROR, FAILED, PASSED
from petaudit.judging.review import review_columns, table_notes
from petaudit.measures import Measure, Need, Result
from petaudit.measures.base import JUDGING
from petaudit.pipelines.models import (
    ANONYMIZER,
    EVALUATOR,
    LOADER,
    SPLITTER,
    SYNTHESIZER,
    CustomTable,
    RandomSplit,
)
from petaudit.pipelines.plan import PlannedRun, files_of
from petaudit.pipelines.tables import RunTables, Tables, roles_of, without_folder
from petaudit.roles import Roles
from petaudit.system.debugging import show_trace
from petaudit.system.kinds import TableFile
from petaudit.system.reading import Reading
from petaudit.tables.result_frames import ResultColumn, table_data, table_from

_DECISIVE: Final = (
    *("method", "nrows", "key", "train_split_ratio", "sample_num_rows"),
    *("limits", "options", "recoding", "objective", "weights", "levels", "max_suppression"),
    *("drop_suppressed", "time_limit"),
)
"""Settings of data modules that decide what is measured, beside the tables."""


@dataclass(frozen=True)
class Entry:
    """What a run gave: plain data for the document, and tables for reports."""

    run: PlannedRun
    data: Mapping[str, Any]
    result: Result | None = None
    """Absent after an error, and where the result of an interrupted call was kept."""
    message: str | None = None
    """What went wrong, for the person at the terminal: it may quote a few labels."""
    tables: Mapping[str, Mapping[str, ResultColumn]] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    """What the stages of the measure took, if it says so."""

    @property
    def status(self) -> str:
        """``passed``, ``failed``, ``measured`` or ``error``."""
        return str(self.data["status"])

    def to_kept(self) -> dict[str, Any]:
        """The entry as plain data, for a call that goes on later."""
        return {
            "data": self.data,
            "tables": {name: table_data(table) for name, table in self.tables.items()},
            "seconds": self.seconds,
        }

    @classmethod
    def from_kept(cls, run: PlannedRun, kept: Mapping[str, Any]) -> Entry:
        """The entry that :meth:`to_kept` took apart, with its sentences as they were."""
        texts = kept["data"][TEXTS]
        data = {name: value for name, value in kept["data"].items() if name != TEXTS}
        tables = {name: table_from(table) for name, table in kept["tables"].items()}
        restored = {**restore_phrases(data, texts), TEXTS: texts}
        return cls(run, restored, None, None, tables, dict(kept["seconds"]))


def evaluate_run(
    run: PlannedRun, tables: Tables, *, reveal: bool, granularities: Sequence[str]
) -> Entry:
    """Run the measure; an error becomes part of the entry, and other runs go on."""
    experiment = run.evaluation
    measure, options = experiment.measure, experiment.model.options
    notes: list[str] = []
    about: dict[str, Any] = {}
    people: Sequence[str] = ()
    entry = measure.empty_entry(**options)
    try:
        with _warnings_in(notes):
            given = tables.of_run(run)
            with tables.clock.timed(run.name, EVALUATOR, experiment.name, "evaluate"):
                inputs = inputs_of(run, given, tables, reveal=reveal)
                about["roles"] = inputs.roles.to_dict()
                about["person"] = setting_of(run, "person")
                people = table_notes(inputs)
                if not measure.has_same_columns:
                    about["columns"] = review_columns(inputs).to_dict()
                if inputs.hierarchies:
                    about["hierarchies"] = hierarchies_fingerprint(run, inputs)
                missing = missing_of(measure, inputs, options)
                if missing:
                    raise NotMeasurableError(missing)
                outcome = run_measure(measure, inputs, computing(run, tables))
                entry = outcome.to_entry(measure, options, inputs)
    except PetauditError as problem:
        outcome = Outcome(None, problem)
    except MemoryError:
        outcome = Outcome(None, NotMeasurableError("there was not enough memory"))
    except Exception as problem:
        show_trace(problem)
        # The text of an unforeseen error may quote data, so only its kind is shown.
        kind = type(problem).__name__
        outcome = Outcome(None, NotMeasurableError("internal error ({kind})", kind=kind))
    result = outcome.result
    if outcome.problem is not None:
        # An undecided figure is shown, and still an error. That there is no release is an answer.
        reason = tables.without_folders(without_row_numbers(outcome.problem.text))
        is_answer = isinstance(outcome.problem, InfeasibleError)
        entry |= {"status": FAILED if is_answer else ERROR, "reason": reason}
    entry["warnings"] = [*notes, *entry["warnings"], *people]
    data = _entry_data(run, entry, tables, about)
    columns: dict[str, Mapping[str, ResultColumn]] = {}
    if result is not None:
        for granularity in granularities:
            table = result.table(granularity, with_values=reveal)
            columns[granularity] = table_from(table_data(table))
    message = None if outcome.problem is None else outcome.problem.text
    return Entry(run, data, result, message, columns, dict(getattr(result, "timings", {})))


@contextmanager
def _warnings_in(notes: list[str]) -> Iterator[None]:
    """Collect petaudit's warnings, with what their sentences are made of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", PetauditWarning)
        warnings.showwarning = lambda message, *_, **__: notes.append(_text_of(message))
        yield


def _text_of(message: Warning | str) -> str:
    """What a warning says, with what it is made of."""
    given = message.args if isinstance(message, Warning) else ()
    return given[0] if given and isinstance(given[0], str) else str(message)


def inputs_of(run: PlannedRun, given: RunTables, tables: Tables, *, reveal: bool) -> Inputs:
    """The tables of a run with the roles and hierarchies that apply to them."""
    model = run.evaluation.model

    def first(name: str) -> Any:
        return setting_of(run, name)

    # There the person column need not be in the table, which is a synthetic one.
    is_search = run.evaluation.measure.has_same_columns
    roles = roles_of(first("roles"))
    if roles is not None and run.step(ANONYMIZER) is not None:
        # Columns that name people were left out.
        columns = given.released.columns
        roles = Roles({name: role for name, role in roles.by_column.items() if name in columns})
    hierarchies = given.hierarchies if model.hierarchies is None else None
    return gather(
        given.released,
        original=given.original,
        control=given.control,
        population=given.population,
        roles=roles,
        hierarchies=hierarchies or tables.hierarchies(first("hierarchies")),
        key=first("key"),
        person=None if is_search else first("person"),
        # Of another column than the Loader's, the Loader says nothing.
        person_is_pseudonym=(
            first("person_is_pseudonym") if model.person is None else model.person_is_pseudonym
        ),
        suppressed=model.suppressed,  # type: ignore[arg-type]
        reveal_values=reveal,
        # A search looks at all columns alike.
        use_side_car=not is_search,
    )


def setting_of(run: PlannedRun, name: str) -> Any:
    """A setting of the Evaluator, or else of the Loader."""
    settings = (getattr(run.models.get(module), name, None) for module in (EVALUATOR, LOADER))
    return next((setting for setting in settings if setting is not None), None)


def hierarchies_fingerprint(run: PlannedRun, inputs: Inputs) -> dict[str, Any]:
    """What identifies the hierarchies, also those that stand in the pipeline file itself."""
    fingerprint = inputs.hierarchies.fingerprint()
    given = setting_of(run, "hierarchies")
    if isinstance(given, Mapping):
        text = json.dumps(plain(given), sort_keys=True)
        fingerprint["settings_sha256"] = hashlib.sha256(text.encode()).hexdigest()
    return fingerprint


def computing(run: PlannedRun, tables: Tables) -> dict[str, Any]:
    """The options as the measure takes them: the control is among its inputs already."""
    measure, given = run.evaluation.measure, run.evaluation.model.options
    options = {name: value for name, value in given.items() if name != "control"}
    for option in measure.options:
        if option.name in options and isinstance(option.kind, TableFile):
            options[option.name] = tables.resolved(options[option.name])
    person = setting_of(run, "person")
    if measure.has_same_columns and person is not None:
        options["person"] = person
    return options


def missing_of(
    measure: Measure, inputs: Inputs, options: Mapping[str, Any], *, is_made: bool = False
) -> str | None:
    """What a measure would still need, in the words of the pipeline file.

    A table that is yet to be made comes with hierarchies.
    """
    missing: list[str] = [
        need.in_pipeline
        for need in measure.needs
        if not (need.is_met(inputs) or (is_made and need is Need.HIERARCHIES))
    ]
    missing += [
        joined([need.in_pipeline, *names], " or ")
        for need, names in measure.neither(inputs, options)
    ]
    missing += [
        option.name
        for option in measure.options
        if option.required and options.get(option.name) is None
    ]
    if not missing:
        return None
    return phrase("{measure} needs {lacks}", measure=measure.name, lacks=joined(missing, " and "))


def _entry_data(
    run: PlannedRun, entry: Mapping[str, Any], tables: Tables, about: Mapping[str, Any]
) -> dict[str, Any]:
    """The entry of a run in result.json; the comparison is added when all are known."""
    model = run.evaluation.model
    options = {name: value for name, value in model.options.items() if name not in JUDGING}
    steps = _steps(run)
    guarantee = tables.guarantee(run)
    if guarantee is not None:
        steps[SYNTHESIZER]["guarantee"] = guarantee.to_dict()
    promised = () if guarantee is None else guarantee.sentences
    data: dict[str, Any] = {
        "run": run.name,
        "modules": {step.module: step.label for step in run.steps},
        **entry,
        "options": plain(options),
        "steps": steps,
        "suppressed": model.suppressed,
        "roles": None,
        "columns": None,
        "person": None,
        "hierarchies": None,
        "seeds": _seeds(run),
        **about,
    }
    if data["value"] is None and data["reason"] is None:
        data |= {"status": ERROR, "reason": phrase("the figure is not a number")}
    doubts = _doubts(run, tables)
    if doubts:
        data["lower_bound"] = data["lower_bound"] is not None
    if doubts and data["status"] == PASSED:
        reason = phrase("{doubt}; this does not show that the limit holds", doubt=doubts[0])
        data |= {"status": ERROR, "reason": reason}
    data["warnings"] = list(dict.fromkeys((*promised, *data["warnings"], *doubts)))
    return with_texts(data)


def _seeds(run: PlannedRun) -> dict[str, int]:
    """Every seed that the figure depends on."""
    models = run.models.items()
    given = {module: getattr(model, "random_state", None) for module, model in models}
    seeds = {module: seed for module, seed in given.items() if seed is not None}
    if any(option.name == "seed" for option in run.evaluation.measure.options):
        seeds[EVALUATOR] = run.evaluation.model.options.get("seed", 0)
    return seeds


def _steps(run: PlannedRun) -> dict[str, dict[str, Any]]:
    """Settings of the other modules that decide what was measured, beside the tables."""
    return {
        module: {name: plain(getattr(model, name)) for name in _DECISIVE if hasattr(model, name)}
        | (Reading.of(model).choices if hasattr(model, "null") else {})
        for module, model in run.models.items()
        if module != EVALUATOR
    }


def _doubts(run: PlannedRun, tables: Tables) -> list[str]:
    """Why a figure tells less than it seems to: not everybody was looked at."""
    doubts: list[str] = []
    loader, models = run.step(LOADER), run.models
    for table in files_of(loader).values() if loader is not None else ():
        left_out = tables.rows_left_out(table)
        if left_out:
            name, rows = without_folder(table.address), counted(left_out, "row")
            doubts.append(phrase("{rows} of {table} left out (nrows)", rows=rows, table=name))
    is_drawn_later = isinstance(models.get(SPLITTER), RandomSplit)
    if is_drawn_later and isinstance(models.get(SYNTHESIZER), CustomTable):
        doubts.append(
            phrase(
                "the synthetic table was made before the rows were drawn, so it may have been "
                "trained on all of them: it was compared with some of its people only, and the "
                "control was not held out"
            )
        )
    return doubts
