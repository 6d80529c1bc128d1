"""Model utility: how much worse a model is that learned from the released table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from petaudit.errors import NotMeasurableError, OptionError, joined, listing, phrase
from petaudit.exact.fractions import Number
from petaudit.inputs import Inputs, gather
from petaudit.learning.comparing import Answer, Question, compare
from petaudit.learning.encoding import are_numbers
from petaudit.learning.models import CLASSIFICATION, REGRESSION, Learner, check_scikit_learn
from petaudit.measures import kinds
from petaudit.measures._comparison import (
    ROUNDING,
    chosen_columns,
    column_names,
    given_list,
    leaves_under,
    one_of,
    shared_columns,
    the_original,
    upper_limit,
    whole,
)
from petaudit.measures._model_result import TABLES, ModelUtilityResult
from petaudit.measures._old import OldMeasure
from petaudit.measures.base import Better, Family, Need, Option, announce
from petaudit.tables import Source
from petaudit.tables.headers import check_column

_TASKS: Final = ("auto", CLASSIFICATION, REGRESSION)
_METRICS: Final = {
    "accuracy": CLASSIFICATION,
    "f1": CLASSIFICATION,
    "auc": CLASSIFICATION,
    "r2": REGRESSION,
}
_MODELS: Final = ("logistic", "linear", "forest", "boosting")
_ONLY_FOR: Final = {"logistic": CLASSIFICATION, "linear": REGRESSION}
_MOST_CLASSES: Final = 10
"""Numbers with more values than this are predicted as numbers."""


def model_utility(
    original: object,
    table: object,
    *,
    limit: Number | None = None,
    target: str | None = None,
    features: Sequence[str] | str | None = None,
    task: str = "auto",
    metric: str | None = None,
    model: str | None = None,
    folds: int = 5,
    seed: int = 0,
    aligned: bool | None = None,
    **given: Any,
) -> ModelUtilityResult:
    """Train the same model on both tables, and test both on original rows that were held out.

    Needs scikit-learn: ``pip install 'petaudit[learn]'``.

    >>> original, released = "adult.csv", "adult_anonymized.csv"
    >>> model_utility(original, released, target="salary-class").value  # doctest: +SKIP
    0.012
    """
    inputs = gather(table, original=original, **given)
    result = compute(
        inputs,
        limit=limit,
        target=target,
        features=given_list(features),
        task=task,
        metric=metric,
        model=model,
        folds=folds,
        seed=seed,
        aligned=aligned,
    )
    announce(result)
    return result


def compute(
    inputs: Inputs,
    limit: Number | None = None,
    target: Any = None,
    features: Any = None,
    task: str = "auto",
    metric: str | None = None,
    model: str | None = None,
    folds: int = 5,
    seed: int = 0,
    aligned: bool | None = None,
) -> ModelUtilityResult:
    """Train and test from opened inputs; verdicts on other metrics than accuracy allow 1e-12."""
    bound = upper_limit(limit, "model-utility")
    check({"task": task, "metric": metric, "model": model, "target": target, "aligned": aligned})
    whole(folds, "folds", 2)
    whole(seed, "seed", 0)
    original = the_original(inputs)
    name = _target(inputs, target)
    own_features = _features(inputs, features, name)
    settled = _settled_task(original, name, task)
    metric = _fitting(metric, "metric", settled, _METRICS, name)
    model = _fitting(model, "model", settled, _ONLY_FOR, name)
    if inputs.control is not None:
        for column in (name, *own_features):
            check_column(column, inputs.control.columns, inputs.control.name)
    is_aligned = aligned
    if is_aligned is None:
        is_aligned = inputs.key is not None or original.rows == inputs.table.rows
    check_scikit_learn()
    question = Question(
        name, own_features, Learner(model, settled, seed), metric, folds, is_aligned, inputs.key
    )
    under = {column: leaves_under(inputs, column) for column in (name, *own_features)}
    found = compare(question, original, inputs.table, inputs.control, under)
    slack = 0 if found.is_exact else ROUNDING
    return ModelUtilityResult(
        value=float(found.loss),
        limit=None if bound is None else float(bound),
        passed=None if bound is None else found.loss <= bound + slack,
        warnings=(*found.warnings, *_seen_before(inputs, is_aligned), *_learned_nothing(found)),
        target=name,
        features=own_features,
        task=settled,
        model=model,
        metric=metric,
        score_original=found.original,
        score_released=found.released,
        score_baseline=found.baseline,
        interval=found.interval,
        folds=folds if inputs.control is None else None,
        aligned=is_aligned,
        rows_tested=found.tested,
        left_out_original=found.left_out_original,
        left_out_released=found.left_out_released,
    )


def _seen_before(inputs: Inputs, is_aligned: bool) -> tuple[str, ...]:
    """A table that was made from all rows may repeat those that are held out."""
    if is_aligned or inputs.control is not None:
        return ()
    return (
        phrase(
            "the held-out rows may be among those that the released table was made from, so the "
            "loss may look too small; with a control, rows that its maker never saw, it does not"
        ),
    )


def _learned_nothing(found: Answer) -> tuple[str, ...]:
    if found.original > found.baseline:
        return ()
    return (
        phrase(
            "the model learned nothing from the original: guessing is as good, so the loss says "
            "nothing; try another model, other features or another target"
        ),
    )


def check(given: Mapping[str, Any]) -> None:
    """Raise an error for words that are none, and for a model or metric of the other task."""
    task = given.get("task")
    if task is not None:
        one_of(task, "task", _TASKS)
    metric, model = given.get("metric"), given.get("model")
    if metric is not None:
        one_of(metric, "metric", tuple(_METRICS))
    if model is not None:
        one_of(model, "model", _MODELS)
    if given.get("target") is not None and not kinds.COLUMN.takes(given["target"]):
        raise OptionError(
            "target is {value}; the name of a column was expected",
            value=kinds.shown(given["target"]),
        )
    if given.get("aligned") is not None and not kinds.Boolean().takes(given["aligned"]):
        raise OptionError(
            "aligned is {value}; true or false was expected", value=kinds.shown(given["aligned"])
        )
    wanted = {
        "task": task if task in (CLASSIFICATION, REGRESSION) else None,
        "metric": _METRICS.get(str(metric)),
        "model": _ONLY_FOR.get(str(model)),
    }
    known = {name: its_task for name, its_task in wanted.items() if its_task is not None}
    if len(set(known.values())) > 1:
        tasks = [
            phrase("{option} {value} is for {task}", option=name, value=given[name], task=its_task)
            for name, its_task in known.items()
        ]
        raise OptionError(
            "options of model-utility contradict each other: {tasks}", tasks=joined(tasks, ", ")
        )


def _target(inputs: Inputs, target: Any) -> str:
    if target is None:
        sensitive = inputs.roles.sensitive
        if not sensitive:
            raise NotMeasurableError(
                "model-utility predicts the sensitive attribute, and there is none: name the "
                "column to predict (option target)"
            )
        if len(sensitive) > 1:
            raise NotMeasurableError(
                "model-utility predicts the sensitive attribute, and there are several "
                "({names}): name the column to predict (option target)",
                names=listing(sensitive),
            )
        target = sensitive[0]
    [name, *_] = column_names([target], "target")
    for table in (inputs.table, the_original(inputs)):
        check_column(name, table.columns, table.name)
    return name


def _features(inputs: Inputs, features: Any, target: str) -> tuple[str, ...]:
    if features is not None:
        names = chosen_columns(inputs, features, "features")
        if target in names:
            raise NotMeasurableError(
                "column {column!r} is both the target and among the features of model-utility",
                column=target,
            )
        return names
    names = tuple(name for name in shared_columns(inputs) if name != target)
    if not names:
        raise NotMeasurableError("there is no column to predict {target!r} from", target=target)
    return names


def _settled_task(original: Source, target: str, task: str) -> str:
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
        return REGRESSION if numbers and values > _MOST_CLASSES else CLASSIFICATION
    return task


def _fitting(
    given: str | None, option: str, task: str, tasks: Mapping[str, str], target: str
) -> str:
    """The default for the task, or what was given if it is for this task."""
    if given is None:
        return next(name for name, its_task in tasks.items() if its_task == task)
    if tasks.get(given, task) != task:
        raise NotMeasurableError(
            "{option} {value} is for {task}, and target {target!r} makes it a {settled} "
            "(option task)",
            option=option,
            value=given,
            task=tasks[given],
            target=target,
            settled=task,
        )
    return given


MEASURE = OldMeasure(
    name="model-utility",
    title="Model utility",
    family=Family.UTILITY,
    question="How much worse does a model predict if it learned from the released table?",
    better=Better.LOWER,
    range=(float("-inf"), float("inf")),
    needs=(Need.ORIGINAL,),
    formula=(
        "score of a model trained on the original - score of the same model trained on the "
        "released table, both on original rows held out (k folds) or on the control"
    ),
    reference=(
        "V. S. Iyengar: Transforming Data to Satisfy Privacy Constraints. KDD 2002, "
        "doi 10.1145/775047.775089; C. Esteban, S. L. Hyland, G. Rätsch: Real-valued (Medical) "
        "Time Series Generation with Recurrent Conditional GANs (train on synthetic, test on "
        "real), 2017, doi 10.48550/arXiv.1706.02633"
    ),
    meaning=(
        "How much a model's score drops if it learns from the released table in place of the "
        "original. 0 means that nothing is lost; a negative figure means that the model even "
        "got better, often by chance."
    ),
    does_not_say=(
        "It is about this model and this target only; for another question the same table may "
        "be useless, or fine. A model that had learned nothing from the original has nothing to "
        "lose either."
    ),
    compute=compute,
    limit_help="the loss of score must be at most this",
    options=(
        Option(
            "target",
            "the column to predict; the sensitive attribute if there is only one",
            kind=kinds.COLUMN,
        ),
        Option(
            "features",
            "the columns to predict from; all but identifiers if not given",
            kind=kinds.COLUMNS,
        ),
        Option(
            "task",
            f"{listing(_TASKS)}; auto is regression for numbers with over {_MOST_CLASSES} values",
            kind=kinds.Choice(_TASKS),
        ),
        Option(
            "metric",
            "accuracy, f1 (macro) or auc (one against the rest, weighted); r2 for regression",
            kind=kinds.Choice(tuple(_METRICS)),
        ),
        Option(
            "model",
            "logistic (classification), linear (regression), forest or boosting",
            kind=kinds.Choice(_MODELS),
        ),
        Option("folds", "parts of the original that are held out in turn", kind=kinds.Integer(2)),
        Option("seed", "of the folds, samples, models and the interval", kind=kinds.Integer(0)),
        Option(
            "aligned",
            "whether rows of both tables belong together; if not given, with a key or as many rows",
            kind=kinds.Boolean(),
        ),
    ),
    granularities=TABLES,
    check=check,
    only_by_name=(
        "trains models, which takes a while; name it to run it (--measures model-utility)"
    ),
)
