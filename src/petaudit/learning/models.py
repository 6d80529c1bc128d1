"""The tasks, with the models and metrics for each; scikit-learn is loaded when one is trained."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import numpy as np

from petaudit.errors import NotMeasurableError, OptionError, joined, phrase
from petaudit.learning.encoding import Classes, Matrix, Numbers, are_numbers
from petaudit.tables import Source

CLASSIFICATION: Final = "classification"
REGRESSION: Final = "regression"
TASKS: Final = ("auto", CLASSIFICATION, REGRESSION)
METRICS: Final = {
    "accuracy": CLASSIFICATION,
    "f1": CLASSIFICATION,
    "auc": CLASSIFICATION,
    "r2": REGRESSION,
}
MODEL_TASKS: Final = {"logistic": CLASSIFICATION, "linear": REGRESSION}
_SETTINGS: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    "logistic": ("sklearn.linear_model.LogisticRegression", {"max_iter": 100, "tol": 1e-3}),
    "linear": ("sklearn.linear_model.Ridge", {"alpha": 1.0, "solver": "cholesky"}),
    "forest": (
        "sklearn.ensemble.RandomForest",
        {"n_estimators": 50, "min_samples_leaf": 5, "max_features": "sqrt"},
    ),
    "boosting": (
        "sklearn.ensemble.HistGradientBoosting",
        {"max_iter": 50, "early_stopping": False},
    ),
}
"""The class of each model, whose name ends in its task where it is for both, and its settings."""
MODELS: Final = tuple(_SETTINGS)
MOST_CLASSES: Final = 10
"""Numbers with more values than this are predicted as numbers."""


def check_scikit_learn() -> None:
    """Raise an error that says how to install what is missing."""
    try:
        import_module("sklearn")
    except ImportError:
        raise NotMeasurableError(
            "model-utility trains models with scikit-learn, which is not installed: "
            "pip install 'petaudit[learn]'"
        ) from None


@dataclass(frozen=True)
class Learner:
    """A kind of model for a task, always with the same settings."""

    model: str
    task: str
    seed: int

    def classified(self, rows: Matrix, classes: Classes, tested: Matrix, many: int) -> Matrix:
        """How likely each class is for the tested rows, by what was learned from the others."""
        shares = np.zeros((len(tested), many))
        present = np.unique(classes)
        if len(present) == 1:
            # Where all are alike there is nothing to learn, and models refuse to.
            shares[:, present[0]] = 1
            return shares
        model = self._fitted(rows, classes)
        shares[:, model.classes_] = model.predict_proba(tested)
        return shares

    def estimated(self, rows: Matrix, numbers: Numbers, tested: Matrix) -> Numbers:
        """A number for each of the tested rows, by what was learned from the others."""
        # In units of their own, targets of any size are learned alike.
        mean, scale = float(numbers.mean()), float(numbers.std()) or 1.0
        model = self._fitted(rows, (numbers - mean) / scale)
        return np.asarray(model.predict(tested), dtype=np.float64) * scale + mean

    def _fitted(self, rows: Matrix, target: Any) -> Any:
        path, settings = _SETTINGS[self.model]
        if self.model not in MODEL_TASKS:
            path += "Classifier" if self.task == CLASSIFICATION else "Regressor"
            settings = {**settings, "random_state": self.seed % (1 << 32)}
        module, name = path.rsplit(".", 1)
        return getattr(import_module(module), name)(**settings).fit(rows, target)


@contextmanager
def learning_quietly() -> Iterator[None]:
    """Train without remarks, in one thread: sums must not depend on how many cores there are."""
    with warnings.catch_warnings(), import_module("threadpoolctl").threadpool_limits(1):
        # That a model could be a little better still is no news to a reader of the figure.
        warnings.simplefilter("ignore")
        yield


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
            phrase(
                "{option} {value} is for {task}", option=name, value=options[name], task=its_task
            )
            for name, its_task in known.items()
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
