"""One entry of a result: what a measure found, as plain data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from petaudit.errors import counted, phrase
from petaudit.exact.fractions import exact
from petaudit.i18n.documents import phrases_in, restore_phrases
from petaudit.measures import Result
from petaudit.pipelines.evaluating import JUDGING, Outcome
from petaudit.pipelines.models import (
    DATA_MODULES,
    EVALUATOR,
    SPLITTER,
    SYNTHESIZER,
    CustomTable,
    Evaluation,
    RandomSplit,
)
from petaudit.pipelines.plain_data import plain
from petaudit.pipelines.plan import PlannedRun
from petaudit.pipelines.step_files import files_of
from petaudit.pipelines.tables import Tables, without_folder
from petaudit.tables.result_frames import ResultColumn

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
    tables: Mapping[str, Mapping[str, ResultColumn]] = field(default_factory=dict)
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
    return own | {TEXTS: phrases_in(own)}


def from_json(data: Mapping[str, Any]) -> dict[str, Any]:
    """An entry that was kept as JSON, with its sentences as they were."""
    texts = data[TEXTS]
    own = {name: value for name, value in data.items() if name != TEXTS}
    return {**restore_phrases(own, texts), TEXTS: texts}


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
