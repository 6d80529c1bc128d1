"""What a model can be for, and which models and metrics go with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from petaudit.errors import NotMeasurableError, OptionError, joined, phrase
from petaudit.learning.encoding import are_numbers
from petaudit.learning.models import CLASSIFICATION, REGRESSION
from petaudit.tables import Source

TASKS: Final = ("auto", CLASSIFICATION, REGRESSION)
METRICS: Final = {
    "accuracy": CLASSIFICATION,
    "f1": CLASSIFICATION,
    "auc": CLASSIFICATION,
    "r2": REGRESSION,
}
MODELS: Final = ("logistic", "linear", "forest", "boosting")
MODEL_TASKS: Final = {"logistic": CLASSIFICATION, "linear": REGRESSION}
MOST_CLASSES: Final = 10
"""Numbers with more values than this are predicted as numbers."""


def refuse_contradictions(options: Mapping[str, Any]) -> None:
    """Raise an error for a model or metric of another task.

    >>> refuse_contradictions({"task": "auto", "metric": "auc", "model": "forest"})
    """
    task = options.get("task")
    tasks = {
        "task": task if task in (CLASSIFICATION, REGRESSION) else None,
        "metric": METRICS.get(str(options.get("metric"))),
        "model": MODEL_TASKS.get(str(options.get("model"))),
    }
    known = {name: its_task for name, its_task in tasks.items() if its_task is not None}
    if len(set(known.values())) > 1:
        parts = [
            phrase("{option} {value} is for {task}", option=name, value=options[name], task=own)
            for name, own in known.items()
        ]
        raise OptionError(
            "options of model-utility contradict each other: {tasks}", tasks=joined(parts, ", ")
        )


def settled_task(original: Source, target: str, task: str) -> str:
    """The task that was asked for, or the one that fits the values of the target."""
    counts = original.counts.value_counts(target)
    numbers = are_numbers(counts)
    if task == REGRESSION and not numbers:
        raise NotMeasurableError(
            "target {target!r} is not all numbers in {table}, which regression needs",
            target=target,
            table=original.name,
        )
    if task == "auto":
        values = sum(label is not None for label in counts.labels)
        return REGRESSION if numbers and values > MOST_CLASSES else CLASSIFICATION
    return task


def for_task(
    value: str | None, option: str, task: str, tasks: Mapping[str, str], target: str
) -> str:
    """The default for the task, or what was given if it is for this task."""
    if value is None:
        return next(name for name, its_task in tasks.items() if its_task == task)
    if tasks.get(value, task) != task:
        raise NotMeasurableError(
            "{option} {value} is for {task}, and target {target!r} makes it a {settled} "
            "(option task)",
            option=option,
            value=value,
            task=tasks[value],
            target=target,
            settled=task,
        )
    return value
