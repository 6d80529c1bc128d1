"""One model per table, both tested on original rows that neither was trained on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from petaudit.errors import NotMeasurableError, counted, phrase
from petaudit.labels.hierarchy import LeavesUnder
from petaudit.learning.encoding import (
    MOST_VALUES,
    CategoryEncoder,
    Encoder,
    Matrix,
    NumberReader,
    class_places,
    feature_encoder,
    target_classes,
    target_numbers,
)
from petaudit.learning.models import CLASSIFICATION, Learner, learning_quietly
from petaudit.learning.scores import (
    Score,
    accuracy,
    interval_of_difference,
    macro_f1,
    r_squared,
    weighted_auc,
)
from petaudit.tables import Source, ValueCounts, check_aligned
from petaudit.tables.column_values import column_codes

Rows: TypeAlias = npt.NDArray[np.int64]
Split: TypeAlias = tuple[Rows, Rows, Rows]
"""Rows of the original and of the released table to train on, and rows to test."""

SCORES: Mapping[str, Any] = {
    "accuracy": accuracy,
    "f1": macro_f1,
    "auc": weighted_auc,
    "r2": r_squared,
}


@dataclass(frozen=True)
class Question:
    """What is to be predicted from what, and how."""

    target: str
    features: tuple[str, ...]
    learner: Learner
    metric: str
    folds: int
    aligned: bool
    key: str | None


@dataclass(frozen=True)
class Answer:
    """The scores of both models and of a guess, with what they were trained and tested on."""

    original: float
    released: float
    baseline: float
    loss: Fraction
    is_exact: bool
    interval: tuple[float, float] | None
    tested: int
    left_out_original: int
    left_out_released: int
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class _Table:
    """The rows of a table as a model sees them; ``usable`` ones have a known target."""

    features: Matrix
    target: npt.NDArray[Any]
    usable: npt.NDArray[np.bool_]

    @property
    def rows(self) -> Rows:
        """The places of the usable rows."""
        return np.flatnonzero(self.usable)


def compare(
    question: Question,
    original: Source,
    released: Source,
    control: Source | None,
    under: Mapping[str, LeavesUnder | None],
) -> Answer:
    """Train on both tables and test on held-out rows of the original, or on the control."""
    for table in filter(None, (original, released, control)):
        table.counts.require_local()
    values = {name: original.counts.value_counts(name) for name in question.features}
    encoders = {name: feature_encoder(values[name], under[name]) for name in question.features}
    target = _Target(question, original.counts.value_counts(question.target), under)
    if question.aligned:
        names = (original.name, released.name)
        check_aligned(original.counts, released.counts, question.key, names)
    before, keys = _read(original, question, encoders, target)
    after, released_keys = _read(released, question, encoders, target)
    unseen = None
    if control is not None:
        unseen, _ = _read(control, question, encoders, target, with_key=False)
    partners = np.arange(len(after.target))
    if question.aligned and keys is not None and released_keys is not None:
        # Both tables have the same keys, so equal codes are equal keys.
        partners[released_keys] = np.arange(len(released_keys))
        partners = partners[keys]
    tested_table = before if unseen is None else unseen
    target.check(before.target[before.usable], tested_table.target[tested_table.usable])
    with learning_quietly():
        return _answer(question, before, after, tested_table, partners, target, encoders)


class _Target:
    """The column that is predicted."""

    def __init__(
        self, question: Question, counts: ValueCounts, under: Mapping[str, LeavesUnder | None]
    ) -> None:
        self.name = question.target
        self.is_class = question.learner.task == CLASSIFICATION
        self.places = class_places(counts) if self.is_class else {}
        self._reader = (
            None if self.is_class else NumberReader.of(counts.labels, under[question.target])
        )

    def read(self, labels: Sequence[str | None]) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
        """The class or number of each label, and whether it is known."""
        if self._reader is None:
            classes = target_classes(self.places, labels)
            return classes, classes >= 0
        numbers = target_numbers(self._reader, labels)
        return numbers, ~np.isnan(numbers)

    def check(self, trained: npt.NDArray[Any], tested: npt.NDArray[Any]) -> None:
        """Raise an error where there is nothing to predict."""
        for values in (trained, tested):
            if len(np.unique(values)) < 2:
                raise NotMeasurableError(
                    "target {name!r} has fewer than two values: there is nothing to predict",
                    name=self.name,
                )


def _read(
    source: Source,
    question: Question,
    encoders: Mapping[str, Encoder],
    target: _Target,
    *,
    with_key: bool = True,
) -> tuple[_Table, Rows | None]:
    key = question.key if question.aligned and with_key else None
    names = dict.fromkeys((question.target, *question.features, *filter(None, [key])))
    codes = column_codes(source, list(names))
    blocks = [
        encoder.encoded(source.counts.value_counts(name).labels)[codes[name]]
        for name, encoder in encoders.items()
    ]
    values, usable = target.read(source.counts.value_counts(question.target).labels)
    places = codes[question.target]
    table = _Table(np.concatenate(blocks, axis=1), values[places], usable[places])
    return table, None if key is None else codes[key].astype(np.int64)


def _splits(
    question: Question, before: _Table, after: _Table, tested: _Table, partners: Rows
) -> Iterator[Split]:
    """Train on all but a fold and test on it, for every fold; or once, on the control."""
    draw = np.random.default_rng([question.learner.seed, 1])
    rows = before.rows
    if tested is not before:
        yield rows, _trained_on(question, rows, after, partners, draw), tested.rows
        return
    if len(rows) < question.folds:
        raise NotMeasurableError(
            "only {rows} of the original can be tested; {folds} folds need more (option folds)",
            rows=counted(len(rows), "row"),
            folds=question.folds,
        )
    # Every fold has its part of every class, drawn by lot.
    lots = np.random.default_rng([question.learner.seed, 0]).permutation(len(rows))
    is_class = question.learner.task == CLASSIFICATION
    classes = before.target[rows] if is_class else np.zeros(len(rows))
    fold = np.empty(len(rows), dtype=np.int64)
    fold[np.lexsort((lots, classes))] = np.arange(len(rows)) % question.folds
    for number in range(question.folds):
        training = rows[fold != number]
        released = _trained_on(question, training, after, partners, draw)
        yield training, released, rows[fold == number]


def _trained_on(
    question: Question, training: Rows, after: _Table, partners: Rows, draw: np.random.Generator
) -> Rows:
    if question.aligned:
        rows = partners[training]
        rows = rows[after.usable[rows]]
    else:
        rows = after.rows
        if len(rows) > len(training):
            rows = np.sort(draw.choice(rows, len(training), replace=False))
    if not len(rows):
        raise NotMeasurableError(
            "no row of the released table has a value of target {name!r} that a model can learn",
            name=question.target,
        )
    return rows


def _answer(
    question: Question,
    before: _Table,
    after: _Table,
    tested: _Table,
    partners: Rows,
    target: _Target,
    encoders: Mapping[str, Encoder],
) -> Answer:
    actual: list[npt.NDArray[Any]] = []
    predicted: list[list[npt.NDArray[Any]]] = [[], [], []]
    for training, released, test in _splits(question, before, after, tested, partners):
        actual.append(tested.target[test])
        features = tested.features[test]
        predicted[0].append(_learned(question, before, training, features, target))
        predicted[1].append(_learned(question, after, released, features, target))
        predicted[2].append(_guessed(before.target[training], len(test), target))
    values = np.concatenate(actual)
    scores: list[Score] = [SCORES[question.metric](values, np.concatenate(p)) for p in predicted]
    rows = len(values)
    figures = [score(np.ones(rows)) for score in scores]
    if any(map(math.isnan, figures)):
        raise NotMeasurableError(
            "the values of target {name!r} are too close together to be scored",
            name=question.target,
        )
    loss = Fraction(figures[0]) - Fraction(figures[1])
    if question.metric == "accuracy":
        # Correct rows are counted, so the difference of the shares is known exactly.
        loss = Fraction(round(figures[0] * rows) - round(figures[1] * rows), rows)
    return Answer(
        figures[0],
        figures[1],
        figures[2],
        loss,
        question.metric == "accuracy",
        interval_of_difference(scores[0], scores[1], rows, question.learner.seed),
        rows,
        int(np.count_nonzero(~before.usable)),
        int(np.count_nonzero(~after.usable)),
        (*_warnings(encoders), *_doubts(figures, question.aligned or tested is not before)),
    )


def _doubts(figures: Sequence[float], is_unseen: bool) -> Iterator[str]:
    """Say why the loss may look too small, or say nothing at all."""
    if not is_unseen:
        yield phrase(
            "the held-out rows may be among those used to make the released table, so the loss may "
            "look too small; a control of rows not used for it avoids this"
        )
    original, _, baseline = figures
    if original <= baseline:
        yield phrase(
            "the model learned nothing from the original: guessing is as good, so the loss says "
            "nothing; try another model, other features or another target"
        )


def _learned(
    question: Question, table: _Table, rows: Rows, tested: Matrix, target: _Target
) -> npt.NDArray[Any]:
    features, values = table.features[rows], table.target[rows]
    if target.is_class:
        return question.learner.classified(features, values, tested, len(target.places))
    return question.learner.estimated(features, values, tested)


def _guessed(trained: npt.NDArray[Any], rows: int, target: _Target) -> npt.NDArray[Any]:
    """The baseline prediction: the most frequent class, or the mean."""
    if not target.is_class:
        return np.full(rows, trained.mean())
    shares = np.zeros((rows, len(target.places)))
    shares[:, np.bincount(trained).argmax()] = 1
    return shares


def _warnings(encoders: Mapping[str, Encoder]) -> Iterator[str]:
    for name, encoder in encoders.items():
        if encoder.unknown:
            yield phrase(
                "column {column!r}: {labels} that neither the original nor a hierarchy or range "
                "explains; each counts as suppressed",
                column=name,
                labels=counted(encoder.unknown, "label"),
            )
        if isinstance(encoder, CategoryEncoder) and encoder.merged:
            yield phrase(
                "column {column!r} has many values: all but the {number} most frequent count as "
                "one",
                column=name,
                number=MOST_VALUES,
            )
