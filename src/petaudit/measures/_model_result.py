"""What model utility says: the scores of the models, how sure the loss is, what was tested."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from petaudit.errors import counted, numbered, phrase
from petaudit.learning.models import REGRESSION
from petaudit.measures._tables import DETAILS, no_such_table
from petaudit.measures.base import GLOBAL, Better, Result
from petaudit.tables.result_frames import ResultColumn

TABLES: Final = (GLOBAL, DETAILS)
_NAMES: Final[Mapping[str, str]] = {
    "r2": "R²",
    "f1": phrase("macro F1"),
    "auc": "AUC",
    "accuracy": phrase("accuracy"),
}


@dataclass(frozen=True)
class ModelUtilityResult(Result):
    """The scores of the models that learned from both tables, and how much was lost."""

    measure: ClassVar[str] = "model-utility"
    better: ClassVar[Better] = Better.LOWER

    target: str
    features: tuple[str, ...]
    task: str
    model: str
    metric: str
    score_original: float
    score_released: float
    score_baseline: float
    interval: tuple[float, float] | None
    """95 % interval of the loss: paired bootstrap over the tested rows, models as they are."""
    folds: int | None
    """None where the control was tested."""
    aligned: bool
    rows_tested: int
    left_out_original: int
    left_out_released: int
    """Rows without a target that can be learned, for example because it is suppressed."""

    @property
    def figure(self) -> str:
        """What was predicted, and how it was scored."""
        return f"{self.measure} ({self.metric} of {self.model} for {self.target})"

    @property
    def explanation(self) -> tuple[str, ...]:
        """All scores, how sure the loss is, and what was tested."""
        return (*self._scores(), *self._tested())

    def _scores(self) -> Iterator[str]:
        is_number = self.task == REGRESSION
        yield phrase(
            "{metric} for {target}: {original:.4g} learned from the original, {released:.4g} from "
            "the released table, {baseline:.4g} by always guessing {guess}",
            metric=_NAMES[self.metric],
            target=self.target,
            original=self.score_original,
            released=self.score_released,
            baseline=self.score_baseline,
            guess=phrase("the mean") if is_number else phrase("the most frequent class"),
        )
        if self.interval is not None:
            low, high = self.interval
            yield phrase("95 % interval of the loss: {low:.4g} to {high:.4g}", low=low, high=high)

    def _tested(self) -> Iterator[str]:
        model, rows = self.model, self.rows_tested
        if self.folds is None:
            yield phrase(
                "{model} model, tested on {rows:,} rows of the control", model=model, rows=rows
            )
        else:
            yield phrase(
                "{model} model, tested on {rows:,} held-out original rows, {folds} folds",
                model=model,
                rows=rows,
                folds=self.folds,
            )
        without = counted(self.left_out_released, "released row")
        if self.left_out_released:
            yield numbered(
                self.left_out_released,
                phrase("{rows} has no target to learn from", rows=without),
                phrase("{rows} have no target to learn from", rows=without),
            )

    def table(self, granularity: str, *, with_values: bool = False) -> dict[str, ResultColumn]:
        """``details`` has the score of each model."""
        if granularity == DETAILS:
            scores = [self.score_original, self.score_released, self.score_baseline]
            return {
                "learned_from": ResultColumn("text", ["original", "released", "baseline"]),
                "metric": ResultColumn("text", [self.metric] * 3),
                "score": ResultColumn("number", scores),
            }
        if granularity == GLOBAL:
            return super().table(granularity)
        raise no_such_table(self.measure, granularity, TABLES)
