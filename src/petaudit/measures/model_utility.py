"""Model utility: how much worse a model is that learned from the released table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any

from petaudit.errors import NotMeasurableError, counted, listing, numbered, phrase
from petaudit.inputs import Inputs
from petaudit.learning.comparing import Question, compare
from petaudit.learning.models import (
    METRICS,
    MODEL_TASKS,
    MODELS,
    MOST_CLASSES,
    REGRESSION,
    TASKS,
    Learner,
    check_scikit_learn,
    for_task,
    refuse_contradictions,
    settled_task,
)
from petaudit.measures.base import Better, Columns, Need, Result
from petaudit.measures.utility import ROUNDING, UtilityMeasure, chosen_columns, shared_columns
from petaudit.system import kinds
from petaudit.tables.headers import check_column
from petaudit.tables.result_frames import ResultColumn

_TARGET_HELP = "the column to predict; default: the sensitive attribute, if there is only one"
_FEATURES_HELP = "the columns to predict from; default: all but identifiers"
_TASK_HELP = f"{listing(TASKS)}; auto is regression for numbers with over {MOST_CLASSES} values"
_METRIC_HELP = "accuracy, f1 (macro) or auc (one against the rest, weighted); r2 for regression"
_MODEL_HELP = "logistic (classification), linear (regression), forest or boosting"
_FOLDS_HELP = "folds of the original, held out in turn"
_SEED_HELP = "seed of the folds, samples, models and the interval"
_ALIGNED_HELP = (
    "whether rows of both tables belong together; default: if there is a key or as many rows"
)
_METRIC_NAMES: Mapping[str, str] = {
    "r2": "R²",
    "f1": phrase("macro F1"),
    "auc": "AUC",
    "accuracy": phrase("accuracy"),
}


class ModelUtility(UtilityMeasure):
    """How much worse does a model predict when trained on the released table?

    How much a model's score drops if it is trained on the released table instead of the original. 0
    means that nothing is lost; a negative figure means that the model even got better, often by
    chance.

    Does not say: It is about this model and this target only; for another question the same table
    may be useless, or fine. A model that had learned nothing from the original has nothing to lose
    either.

    Formula: score of a model trained on the original - score of the same model trained on the
    released table, both on original rows held out (k folds) or on the control

    Reference: V. S. Iyengar: Transforming Data to Satisfy Privacy Constraints. KDD 2002, doi
    10.1145/775047.775089; C. Esteban, S. L. Hyland, G. Rätsch: Real-valued (Medical) Time Series
    Generation with Recurrent Conditional GANs (train on synthetic, test on real), 2017, doi
    10.48550/arXiv.1706.02633

    Needs scikit-learn: ``pip install 'petaudit[learn]'``.

    >>> original, released = "adult.csv", "adult_anonymized.csv"
    >>> model_utility(original, released, target="salary-class").value  # doctest: +SKIP
    0.012
    """

    name = "model-utility"
    rank = 330
    better = Better.LOWER
    range = (float("-inf"), float("inf"))
    needs = (Need.ORIGINAL,)
    limit_help = "the loss of score must be at most this"
    only_by_name = "trains models, which takes a while"

    def compute(
        self,
        inputs: Inputs,
        limit: Fraction | None,
        *,
        target: Annotated[str | None, kinds.COLUMN, _TARGET_HELP] = None,
        features: Annotated[Sequence[str] | str | None, kinds.COLUMNS, _FEATURES_HELP] = None,
        task: Annotated[str, kinds.Choice(TASKS), _TASK_HELP] = "auto",
        metric: Annotated[str | None, kinds.Choice(tuple(METRICS)), _METRIC_HELP] = None,
        model: Annotated[str | None, kinds.Choice(MODELS), _MODEL_HELP] = None,
        folds: Annotated[int, kinds.Integer(2), _FOLDS_HELP] = 5,
        seed: Annotated[int, kinds.Integer(0), _SEED_HELP] = 0,
        aligned: Annotated[bool | None, kinds.Boolean(), _ALIGNED_HELP] = None,
    ) -> Result:
        """Train the same model on both tables, and test both on rows that were held out."""
        original, control = inputs.needed_original, inputs.control
        target = _target(inputs, target)
        names = _features(inputs, features, target)
        task = settled_task(original, target, task)
        metric = for_task(metric, "metric", task, METRICS, target)
        model = for_task(model, "model", task, MODEL_TASKS, target)
        if control is not None:
            for column in (target, *names):
                check_column(column, control.columns, control.name)
        if aligned is None:
            aligned = inputs.key is not None or original.rows == inputs.table.rows
        check_scikit_learn()
        learner = Learner(model, task, seed)
        question = Question(target, names, learner, metric, folds, aligned, inputs.key)
        under = {column: inputs.leaves_under(column) for column in (target, *names)}
        answer = compare(question, original, inputs.table, control, under)
        return self.result(
            answer.loss,
            limit,
            tolerance=0 if answer.is_exact else ROUNDING,
            warnings=answer.warnings,
            breakdown={
                "target": target,
                "features": names,
                "task": task,
                "model": model,
                "metric": metric,
                "score_original": answer.original,
                "score_released": answer.released,
                "score_baseline": answer.baseline,
                # Of 95 %: paired bootstrap over the tested rows, models as they are.
                "interval": answer.interval,
                "folds": folds if control is None else None,
                "aligned": aligned,
                "rows_tested": answer.tested,
                "left_out_original": answer.left_out_original,
                "left_out_released": answer.left_out_released,
            },
            figure=f"{self.name} ({metric} of {model} for {target})",
        )

    def check(self, options: Mapping[str, Any]) -> None:
        """Refuse a model or metric of the other task."""
        refuse_contradictions(options)

    def explain(self, result: Result) -> Iterator[str]:
        """Name all scores, how sure the loss is, and what was tested."""
        is_number = result.task == REGRESSION
        yield phrase(
            "{metric} for {target}: {original:.4g} trained on the original, {released:.4g} on the "
            "released table, {baseline:.4g} by always guessing {guess}",
            metric=_METRIC_NAMES[result.metric],
            target=result.target,
            original=result.score_original,
            released=result.score_released,
            baseline=result.score_baseline,
            guess=phrase("the mean") if is_number else phrase("the most frequent class"),
        )
        if result.interval is not None:
            low, high = result.interval
            yield phrase("95 % interval of the loss: {low:.4g} to {high:.4g}", low=low, high=high)
        model, rows = result.model, result.rows_tested
        if result.folds is None:
            yield phrase(
                "{model} model, tested on {rows:,} rows of the control", model=model, rows=rows
            )
        else:
            yield phrase(
                "{model} model, tested on {rows:,} held-out original rows, {folds} folds",
                model=model,
                rows=rows,
                folds=result.folds,
            )
        if result.left_out_released:
            without = counted(result.left_out_released, "released row")
            yield numbered(
                result.left_out_released,
                phrase("{rows} has no target to train on", rows=without),
                phrase("{rows} have no target to train on", rows=without),
            )

    def details(self, result: Result, *, with_values: bool) -> Columns:
        """Lay out the score of each model."""
        scores = [result.score_original, result.score_released, result.score_baseline]
        return {
            "learned_from": ResultColumn("text", ["original", "released", "baseline"]),
            "metric": ResultColumn("text", [result.metric] * 3),
            "score": ResultColumn("number", scores),
        }


model_utility = ModelUtility.as_function()


def _target(inputs: Inputs, target: str | None) -> str:
    """The column to predict: as named, or else the sensitive attribute."""
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
    [name] = chosen_columns(inputs, [target])
    return name


def _features(inputs: Inputs, features: Sequence[str] | str | None, target: str) -> tuple[str, ...]:
    if features is not None:
        names = chosen_columns(inputs, features)
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
