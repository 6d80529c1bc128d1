"""One entry of a result: a measure on the tables of one run."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from petaudit.counts.made_frames import MadeColumn
from petaudit.errors import NotMeasurableError, PetauditError, PetauditWarning, UndecidedError
from petaudit.inputs import Inputs, gather
from petaudit.measures import Measure, Result
from petaudit.pipelines.models import (
    EVALUATOR,
    LOADER,
    SPLITTER,
    SYNTHESIZER,
    CustomTable,
    Evaluation,
    RandomSplit,
)
from petaudit.pipelines.plan import PlannedRun
from petaudit.pipelines.tables import RunTables, Tables
from petaudit.roles import Role, Roles

ERROR: Final = "error"
_JUDGING = ("limit", "profile")


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


@dataclass(frozen=True)
class Outcome:
    """What became of a measure: a result, a problem, or both where a figure decides nothing."""

    result: Result | None = None
    problem: PetauditError | None = None
    roles: Mapping[str, str] | None = None
    hierarchies: Mapping[str, Any] | None = None
    """What identifies them, without any label."""
    warnings: tuple[str, ...] = ()
    reason: str | None = None
    """The problem without any label and without where the files lie."""


def evaluated(run: PlannedRun, tables: Tables, *, reveal: bool, progress: Any = None) -> Outcome:
    """Run the measure; what goes wrong is no reason for other runs to stop."""
    experiment = run.evaluator
    assert experiment is not None and experiment.measure is not None  # noqa: S101, PT018
    measure = experiment.measure
    said: list[str] = []
    about: dict[str, Any] = {}

    def failed(problem: PetauditError) -> Outcome:
        # Paths start from the folder of the pipeline file there, too.
        reason = problem.without_values.replace(f"{tables.folder}{os.sep}", "")
        return Outcome(None, problem, warnings=tuple(said), reason=reason, **about)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", PetauditWarning)
        warnings.showwarning = lambda message, *_, **__: said.append(str(message))
        try:
            given = tables.of_run(run)
            with tables.clock.timed(run.name, EVALUATOR, experiment.name, "evaluate"):
                inputs = inputs_of(run, given, tables, reveal=reveal)
                about["roles"] = inputs.roles.to_dict()
                if inputs.hierarchies:
                    about["hierarchies"] = inputs.hierarchies.fingerprint()
                options = dict(experiment.model.options)
                if "control" in options:
                    options["control"] = tables.resolved(options["control"])
                missing = missing_of(measure, inputs, options)
                if missing:
                    raise NotMeasurableError(missing)
                if progress is not None and measure.name == "mpuccs":
                    options["progress"] = progress
                result = measure.compute(inputs, **options)
            return Outcome(result, None, warnings=tuple(said), **about)
        except UndecidedError as problem:
            found = problem.result if isinstance(problem.result, Result) else None
            return replace(failed(problem), result=found)
        except PetauditError as problem:
            return failed(problem)
        except MemoryError:
            return failed(NotMeasurableError("there was not enough memory"))
        except Exception as problem:
            if os.environ.get("PETAUDIT_DEBUG"):
                raise
            # The text of an unforeseen error may quote data, so only its kind is shown.
            return failed(NotMeasurableError(f"internal error ({type(problem).__name__})"))


def inputs_of(run: PlannedRun, given: RunTables, tables: Tables, *, reveal: bool) -> Inputs:
    """The tables of a run with the roles and hierarchies that apply to them."""
    experiment = run.evaluator
    assert experiment is not None  # noqa: S101 (only such runs are evaluated)
    own: Evaluation = experiment.model
    loader = run.step(LOADER)
    about = None if loader is None else loader.experiment.model

    def first(name: str) -> Any:
        mine = getattr(own, name)
        return mine if mine is not None or about is None else getattr(about, name)

    delimiter = None if about is None else about.delimiter
    return gather(
        given.released,
        original=given.original,
        control=given.control,
        roles=roles_of(first("roles")),
        hierarchies=tables.hierarchies(first("hierarchies")),
        key=first("key"),
        suppressed=own.suppressed,  # type: ignore[arg-type]
        reveal_values=reveal,
        delimiter="\t" if delimiter == "tab" else delimiter,
        encoding=None if about is None else about.encoding,
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
    lacking = [
        own.name for own in measure.options if own.required and options.get(own.name) is None
    ]
    said = " and ".join([*missing, *lacking])
    return f"{measure.name} needs {said}" if said else None


def entry_data(run: PlannedRun, outcome: Outcome) -> dict[str, Any]:
    """The entry of a run in result.json; comparison and breaches are added when all are known."""
    experiment = run.evaluator
    assert experiment is not None and experiment.measure is not None  # noqa: S101, PT018
    own: Evaluation = experiment.model
    measure = experiment.measure
    result = outcome.result
    options = {name: value for name, value in own.options.items() if name not in _JUDGING}
    data: dict[str, Any] = {
        "run": run.name,
        "modules": {step.module: step.label for step in run.steps},
        "measure": measure.name,
        "status": ERROR,
        "figure": None,
        "value": None,
        "limit": None,
        "strict": None,
        "profile": own.options.get("profile"),
        "better": measure.better.value,
        "lower_bound": None,
        "reason": None,
        "options": plain(options),
        "suppressed": own.suppressed,
        "roles": outcome.roles,
        "hierarchies": outcome.hierarchies,
        "seeds": _seeds(run),
        "explanation": [],
        "warnings": [],
        "details": {},
    }
    notes = list(outcome.warnings)
    if result is not None:
        is_number = not isinstance(result.value, float) or math.isfinite(result.value)
        data |= {
            "status": result.status if is_number else ERROR,
            "figure": result.figure,
            "value": result.value if is_number else None,
            "limit": result.limit,
            "strict": result.is_strict,
            "lower_bound": result.is_lower_bound,
            "reason": None if is_number else "the figure is no number",
            "explanation": list(result.explanation),
            "details": _details(result),
        }
        notes += result.warnings
    if outcome.problem is not None:
        # An undecided figure is shown, and still an error.
        data |= {"status": ERROR, "reason": outcome.reason}
    notes += _doubts(run)
    data["warnings"] = list(dict.fromkeys(notes))
    return data


_SHOWN_ABOVE = ("measure", "status", "better", "value", "limit", "passed", "warnings", "profile")


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


def _doubts(run: PlannedRun) -> list[str]:
    """What the reader must know about how the modules fit together."""
    splitter, synthesizer = run.step(SPLITTER), run.step(SYNTHESIZER)
    if (
        splitter is not None
        and synthesizer is not None
        and isinstance(splitter.experiment.model, RandomSplit)
        and isinstance(synthesizer.experiment.model, CustomTable)
    ):
        return [
            "the synthetic table was made before the control was drawn, so it may have learned "
            "from the control: the comparison with the control may look too good"
        ]
    return []


def plain(value: Any) -> Any:
    """Settings as JSON can hold them: it knows no infinity, and names are text."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, bool | int | float | str | None) else str(value)
