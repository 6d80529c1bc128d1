"""Model utility: what is trained on what, against scikit-learn's own tools, options, messages."""

from __future__ import annotations

import sys
import warnings
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import petaudit
import strategies
from petaudit import ranges
from petaudit.errors import (
    ColumnError,
    InputError,
    NotMeasurableError,
    OptionError,
    PetauditWarning,
)
from petaudit.inputs import gather
from petaudit.measures import find_measure
from petaudit.measures.model_utility import model_utility

needs_sklearn = pytest.mark.skipif(
    find_spec("sklearn") is None, reason="scikit-learn is not installed"
)


def made(rows: int, seed: int = 0) -> dict[str, list[Any]]:
    """A number and a label decide, up to some noise, about a class and about an income."""
    draw = np.random.default_rng(seed)
    age = draw.integers(20, 60, rows)
    job = draw.integers(0, 3, rows)
    noise = draw.normal(0, 6, rows)
    rich = age + 10 * job + noise > 50
    return {
        "age": age.tolist(),
        "job": [("cook", "clerk", "judge")[entry] for entry in job],
        "rich": ["yes" if entry else "no" for entry in rich],
        "income": [round(float(entry), 1) for entry in 100 * age + 500 * job + 40 * noise],
    }


ORIGINAL = made(300)


def changed(table: dict[str, list[Any]], **columns: list[Any]) -> dict[str, list[Any]]:
    return table | columns


# --- what is compared -----------------------------------------------------------------------


@needs_sklearn
@pytest.mark.parametrize("model", ["logistic", "forest", "boosting"])
def test_a_table_loses_nothing_against_itself(model: str) -> None:
    table = pa.table(ORIGINAL)
    result = model_utility(table, table, target="rich", model=model, limit=0)
    assert (result.value, result.interval, result.passed) == (0.0, (0.0, 0.0), True)
    assert result.score_original == result.score_released > result.score_baseline + 0.1


@needs_sklearn
@pytest.mark.parametrize("model", ["linear", "forest", "boosting"])
def test_numbers_are_predicted_as_numbers(model: str) -> None:
    table = pa.table(ORIGINAL)
    result = model_utility(table, table, target="income", model=model, features=["age", "job"])
    assert (result.task, result.metric, result.value) == ("regression", "r2", 0.0)
    assert result.score_original > 0.8
    assert result.score_baseline == pytest.approx(0, abs=0.05)


@needs_sklearn
def test_a_reversed_target_is_learned_in_reverse() -> None:
    # x decides, far from the boundary: one model is always right, the other always wrong.
    original = pa.table({"x": [1, 2, 8, 9] * 10, "y": ["no", "no", "yes", "yes"] * 10})
    released = pa.table({"x": [1, 2, 8, 9] * 10, "y": ["yes", "yes", "no", "no"] * 10})
    result = model_utility(original, released, target="y", limit=1)
    assert (result.score_original, result.score_released, result.score_baseline) == (1, 0, 0.5)
    assert (result.value, result.interval, result.passed) == (1, (1, 1), True)
    assert model_utility(original, released, target="y", limit=0.999).passed is False


@needs_sklearn
def test_accuracy_is_an_exact_share_and_kept_at_the_limit() -> None:
    draw = np.random.default_rng(4)
    noisy = [str(entry) for entry in draw.permutation(ORIGINAL["rich"])]
    original, released = pa.table(ORIGINAL), pa.table(changed(ORIGINAL, rich=noisy))
    options: dict[str, Any] = {"target": "rich", "features": ["age", "job"]}
    result = model_utility(original, released, **options)
    lost = Fraction(result.value).limit_denominator(300)
    assert result.value == float(lost) > 0.1
    assert model_utility(original, released, **options, limit=lost).passed is True
    below = lost - Fraction(1, 10**15)
    assert model_utility(original, released, **options, limit=below).passed is False
    low, high = result.interval or (0, 0)
    assert low < result.value < high


@needs_sklearn
def test_a_mean_of_floats_keeps_a_limit_that_it_equals_but_for_rounding() -> None:
    original, released = pa.table(ORIGINAL), pa.table(changed(ORIGINAL, age=ORIGINAL["age"][::-1]))
    options: dict[str, Any] = {"target": "rich", "features": ["age", "job"], "metric": "auc"}
    lost = model_utility(original, released, **options).value
    assert lost > 0.01
    for below, passed in ((1e-13, True), (1e-9, False)):
        result = model_utility(original, released, **options, limit=lost - below)
        assert result.passed is passed


@needs_sklearn
@pytest.mark.parametrize("metric", ["accuracy", "f1", "auc"])
def test_with_a_control_it_is_what_scikit_learns_own_tools_say(metric: str) -> None:
    compose = pytest.importorskip("sklearn.compose")
    linear = pytest.importorskip("sklearn.linear_model")
    metrics = pytest.importorskip("sklearn.metrics")
    pipelines = pytest.importorskip("sklearn.pipeline")
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    original, released, control = made(400, 1), made(250, 2), made(500, 3)
    released["rich"] = released["rich"][::-1]
    expected = []
    for table in (original, released):
        # Both are scaled by the original.
        scaler = preprocessing.StandardScaler().fit(pd.DataFrame(original)[["age"]])
        frames = [
            pd.DataFrame(entry).assign(age=scaler.transform(pd.DataFrame(entry)[["age"]])[:, 0])
            for entry in (table, control)
        ]
        encoder = compose.make_column_transformer(
            (preprocessing.OneHotEncoder(), ["job"]), ("passthrough", ["age"]), sparse_threshold=0
        )
        pipeline = pipelines.make_pipeline(
            encoder, linear.LogisticRegression(tol=1e-8, max_iter=1_000)
        )
        pipeline.fit(frames[0], frames[0]["rich"])
        truth, guessed = frames[1]["rich"], pipeline.predict(frames[1])
        expected.append(
            {
                "accuracy": lambda t=truth, g=guessed: metrics.accuracy_score(t, g),
                "f1": lambda t=truth, g=guessed: metrics.f1_score(t, g, average="macro"),
                "auc": lambda t=truth, p=pipeline, f=frames: metrics.roc_auc_score(
                    t, p.predict_proba(f[1])[:, 1]
                ),
            }[metric]()
        )
    result = model_utility(
        pa.table(original),
        pa.table(released),
        control=pa.table(control),
        target="rich",
        features=["age", "job"],
        metric=metric,
    )
    assert (result.folds, result.rows_tested, result.aligned) == (None, 500, False)
    # Both stop near the optimum, not at it: a row at the boundary may go either way.
    scores = [result.score_original, result.score_released]
    assert scores == pytest.approx(expected, abs=0.005)
    assert result.value == pytest.approx(scores[0] - scores[1], abs=1e-12)


@needs_sklearn
def test_ridge_with_a_control_is_the_closed_form() -> None:
    original, control = made(200, 1), made(100, 2)
    result = model_utility(
        pa.table(original),
        pa.table(original),
        control=pa.table(control),
        target="income",
        features="age",
    )
    age, income = np.array(original["age"], float), np.array(original["income"])
    x, y = (age - age.mean()) / age.std(), (income - income.mean()) / income.std()
    # With one feature ridge is a shrunken slope.
    slope = x @ y / (x @ x + 1)
    tested = (np.array(control["age"]) - age.mean()) / age.std()
    guesses = slope * tested * income.std() + income.mean()
    truth = np.array(control["income"])
    expected = 1 - ((truth - guesses) ** 2).sum() / ((truth - truth.mean()) ** 2).sum()
    assert result.score_original == pytest.approx(expected, abs=1e-9)


@needs_sklearn
def test_a_model_of_generalised_labels_reads_original_rows() -> None:
    decades = [f"[{entry // 10 * 10},{entry // 10 * 10 + 10}[" for entry in ORIGINAL["age"]]
    jobs = ["court" if entry == "judge" else "other" for entry in ORIGINAL["job"]]
    tree = {"cook": ["other"], "clerk": ["other"], "judge": ["court"]}
    released = changed(ORIGINAL, age=decades, job=jobs)
    options: dict[str, Any] = {"target": "rich", "features": ["age", "job"]}
    result = model_utility(
        pa.table(ORIGINAL),
        pa.table(released),
        hierarchies={"age": ranges(10), "job": tree},
        **options,
    )
    assert result.score_released > result.score_baseline + 0.15
    assert -0.02 < result.value < 0.1
    # Ranges are read without a hierarchy as well; court and other are not.
    with pytest.warns(PetauditWarning, match="column 'job': 2 labels that neither the original"):
        without = model_utility(pa.table(ORIGINAL), pa.table(released), **options)
    assert without.score_released > without.score_baseline + 0.1


@needs_sklearn
def test_rows_whose_target_is_suppressed_are_not_learned_from() -> None:
    hidden = ["*" if index % 3 == 0 else entry for index, entry in enumerate(ORIGINAL["rich"])]
    result = model_utility(
        pa.table(ORIGINAL), pa.table(changed(ORIGINAL, rich=hidden)), target="rich", features="age"
    )
    assert (result.left_out_released, result.left_out_original, result.rows_tested) == (100, 0, 300)
    assert result.explanation[-1] == "100 released rows have no target to train on"
    nothing = pa.table(changed(ORIGINAL, rich=["*"] * 300))
    with pytest.raises(NotMeasurableError, match="no row of the released table has a value of tar"):
        model_utility(pa.table(ORIGINAL), nothing, target="rich")


@needs_sklearn
def test_rows_of_the_original_without_a_target_are_not_tested() -> None:
    gaps = [None if index % 10 == 0 else entry for index, entry in enumerate(ORIGINAL["rich"])]
    table = pa.table(changed(ORIGINAL, rich=gaps))
    result = model_utility(table, table, target="rich")
    assert (result.rows_tested, result.left_out_original, result.left_out_released) == (270, 30, 30)


@needs_sklearn
def test_fully_suppressed_rows_still_train() -> None:
    stars = [["*" if index < 60 else str(entry) for index, entry in enumerate(ORIGINAL[name])]
             for name in ("age", "job")]  # fmt: skip
    released = pa.table(changed(ORIGINAL, age=stars[0], job=stars[1]))
    result = model_utility(pa.table(ORIGINAL), released, target="rich", features=["age", "job"])
    assert result.left_out_released == 0
    assert result.warnings == ()
    assert -0.05 < result.value < 0.1


# --- rows that belong together, or not --------------------------------------------------------


@needs_sklearn
def test_a_key_brings_rows_together() -> None:
    keyed = changed(ORIGINAL, id=[f"p{index}" for index in range(300)])
    order = np.random.default_rng(1).permutation(300)
    table = pa.table(changed(keyed, age=[entry // 10 * 10 for entry in keyed["age"]]))
    options: dict[str, Any] = {"target": "rich", "features": ["age", "job"]}
    in_order = model_utility(pa.table(keyed), table, key="id", **options)
    shuffled = model_utility(pa.table(keyed), table.take(pa.array(order)), key="id", **options)
    assert shuffled == in_order
    assert in_order.value == model_utility(pa.table(keyed), table, **options).value


@needs_sklearn
def test_held_out_people_are_not_trained_on() -> None:
    # Every person has a label of their own that tells the target by heart: who is held out is
    # unknown to both models, so neither does better than guessing.
    draw = np.random.default_rng(0)
    rows = 90
    table = pa.table(
        {"who": [f"p{i}" for i in range(rows)], "y": draw.choice(["a", "b"], rows).tolist()}
    )
    result = model_utility(table, table, target="y", model="forest")
    assert result.score_original < 0.7
    assert result.value == 0


@needs_sklearn
def test_a_synthetic_table_may_have_any_number_of_rows() -> None:
    for rows in (40, 299, 2_000):
        result = model_utility(
            pa.table(ORIGINAL), pa.table(made(rows, 9)), target="rich", features=["age", "job"]
        )
        assert result.aligned is False
        assert result.rows_tested == 300
        assert result.score_released > result.score_baseline + 0.1
    same = pa.table(made(300, 9))
    options: dict[str, Any] = {"target": "rich", "features": ["age", "job"]}
    assert model_utility(pa.table(ORIGINAL), same, **options).aligned is True
    assert model_utility(pa.table(ORIGINAL), same, aligned=False, **options).aligned is False
    with pytest.raises(InputError, match="different numbers of rows"):
        model_utility(pa.table(ORIGINAL), pa.table(made(10)), aligned=True, **options)


@needs_sklearn
def test_rows_that_the_maker_may_have_seen_are_said_unless_there_is_a_control() -> None:
    original, synthetic = pa.table(ORIGINAL), pa.table(made(120, 3))
    options: dict[str, Any] = {"target": "rich", "features": ["age", "job"]}
    with pytest.warns(PetauditWarning, match="held-out rows may be among those"):
        result = model_utility(original, synthetic, **options)
    assert not result.aligned
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model_utility(original, synthetic, control=pa.table(made(50, 4)), **options)
        model_utility(original, original, **options)


@needs_sklearn
def test_with_a_key_rows_belong_together_or_it_is_an_error() -> None:
    rows = len(ORIGINAL["age"])
    original = pa.table({**ORIGINAL, "id": list(range(rows))})
    with pytest.raises(InputError, match="different numbers of rows"):
        model_utility(original, original.slice(1), target="rich", key="id")


@needs_sklearn
def test_a_model_that_learned_nothing_is_said() -> None:
    original = pa.table({"x": [1, 2] * 20, "y": ["a", "a", "b", "b"] * 10})
    with pytest.warns(PetauditWarning, match="learned nothing from the original"):
        result = model_utility(original, original, target="y")
    assert result.score_original <= result.score_baseline


@needs_sklearn
def test_the_same_seed_gives_the_same_figures_and_another_one_others() -> None:
    original, synthetic = pa.table(made(100, 4)), pa.table(made(200, 5))
    options: dict[str, Any] = {"target": "rich", "features": "age", "model": "forest", "folds": 2}
    first = model_utility(original, synthetic, seed=1, **options)
    assert model_utility(original, synthetic, seed=1, **options) == first
    others = [model_utility(original, synthetic, seed=seed, **options) for seed in (2, 2**63 - 1)]
    assert all(entry.interval != first.interval for entry in others)


@needs_sklearn
@pytest.mark.parametrize("engine", strategies.TABLE_ENGINES)
def test_every_engine_says_the_same(engine: str, tmp_path: Path) -> None:
    original = {name: values[:80] for name, values in ORIGINAL.items()}
    original["job"] = [None, *original["job"][1:]]
    released = changed(original, age=[f"{entry // 10}*" for entry in original["age"]])
    results = [
        model_utility(
            strategies.on_engine(original, entry, tmp_path / "original"),
            strategies.on_engine(released, entry, tmp_path / "released"),
            target="rich",
            features=["age", "job"],
        )
        for entry in ("pyarrow", engine)
    ]
    assert results[0] == results[1]


# --- targets, tasks, messages ---------------------------------------------------------------


@needs_sklearn
def test_the_only_sensitive_attribute_is_the_target() -> None:
    table = pa.table(ORIGINAL)
    result = model_utility(table, table, sensitive="rich")
    assert result.target == "rich"
    assert result.features == ("age", "job", "income")
    result = model_utility(
        table, table, roles={"rich": "sensitive_attribute", "income": "identifier"}
    )
    assert result.features == ("age", "job")


@needs_sklearn
def test_few_numbers_are_classes_and_many_are_numbers() -> None:
    few = pa.table({"x": list(range(40)), "y": [index % 10 for index in range(40)]})
    many = pa.table({"x": list(range(44)), "y": [index % 11 for index in range(44)]})
    assert model_utility(few, few, target="y").task == "classification"
    assert model_utility(many, many, target="y").task == "regression"
    assert model_utility(few, few, target="y", task="regression").metric == "r2"
    assert model_utility(many, many, target="y", task="classification").metric == "accuracy"


@needs_sklearn
def test_a_class_that_training_does_not_see_is_no_trouble() -> None:
    table = pa.table({"x": [1, 2, 3, 4, 5, 6], "y": ["a", "a", "a", "b", "b", "c"]})
    for metric in ("accuracy", "f1", "auc"):
        result = model_utility(table, table, target="y", folds=2, metric=metric)
        assert result.value == 0
        assert 0 <= result.score_original <= 1
    one = pa.table({"x": [1, 2, 3, 4, 5, 6], "y": ["a"] * 6})
    result = model_utility(table, one, target="y", folds=2)
    assert result.score_released == result.score_baseline == 1 / 2


@needs_sklearn
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"target": None},
            NotMeasurableError,
            "predicts the sensitive attribute, and there is none",
        ),
        ({"target": "richh"}, ColumnError, r"unknown column 'richh' \(did you mean 'rich'\?\)"),
        (
            {"target": 5},
            OptionError,
            r"target must be the name of a column \(quote numbers, yes and no\), got 5",
        ),
        ({"features": ["rich"]}, NotMeasurableError, "'rich' is both the target and among the fe"),
        (
            {"features": []},
            OptionError,
            r"features must be the name of a column .*, got an empty list",
        ),
        (
            {"task": "guess"},
            OptionError,
            "task must be auto, classification or regression, got 'guess'",
        ),
        ({"task": "regression"}, NotMeasurableError, "'rich' is not all numbers in the frame"),
        ({"metric": "r2"}, NotMeasurableError, "metric r2 is for regression, and target 'rich'"),
        (
            {"metric": "acuracy"},
            OptionError,
            r"metric must be accuracy, f1, auc or r2, got 'acuracy' \(did you mean 'accuracy'\?\)",
        ),
        ({"model": "linear"}, NotMeasurableError, "model linear is for regression, and target"),
        (
            {"model": "svm"},
            OptionError,
            "model must be logistic, linear, forest or boosting, got 'svm'",
        ),
        (
            {"model": "logistic", "metric": "r2"},
            OptionError,
            "contradict each other: metric r2 is for regression, model logistic is for classific",
        ),
        ({"folds": 1}, OptionError, "folds must be an integer >= 2, got 1"),
        ({"folds": 301}, NotMeasurableError, "only 300 rows of the original can be tested; 301"),
        ({"seed": -1}, OptionError, "seed must be an integer >= 0, got -1"),
        ({"aligned": "yes"}, OptionError, "aligned must be true or false, got 'yes'"),
        ({"limit": -0.1}, OptionError, "the limit of model-utility must not be negative, got -0.1"),
        ({"control": pa.table({"x": [1]})}, ColumnError, "unknown column 'rich' in the frame"),
    ],
)
def test_wrong_options_are_refused(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    table = pa.table(ORIGINAL)
    with pytest.raises(error, match=message):
        model_utility(table, table, **{"target": "rich", **options})


@needs_sklearn
def test_what_cannot_be_predicted_is_said() -> None:
    table = pa.table(ORIGINAL)
    with pytest.raises(NotMeasurableError, match=r"there are several \(rich, job\): name the col"):
        model_utility(table, table, sensitive=["rich", "job"])
    constant = pa.table(changed(ORIGINAL, rich=["yes"] * 300))
    with pytest.raises(NotMeasurableError, match="'rich' has fewer than two values"):
        model_utility(constant, constant, target="rich")
    with pytest.raises(NotMeasurableError, match="there is no column to predict 'rich' from"):
        model_utility(table.select(["rich"]), table, target="rich")


def test_options_that_contradict_each_other_are_found_before_any_work() -> None:
    with pytest.raises(OptionError, match="task regression is for regression, metric auc is for"):
        find_measure("model-utility").check({"task": "regression", "metric": "auc"})
    find_measure("model-utility").check({"task": "auto", "metric": "auc", "model": "forest"})


def test_without_scikit_learn_the_command_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    table = pa.table(ORIGINAL)
    with pytest.raises(NotMeasurableError) as caught:
        model_utility(table, table, target="rich")
    assert str(caught.value) == (
        "model-utility trains models with scikit-learn, which is not installed: "
        "pip install 'petaudit[learn]'"
    )


def test_it_runs_only_by_name() -> None:
    table = pa.table(ORIGINAL)
    result = petaudit.audit(table, original=table, quasi_identifiers="age", sensitive="rich")
    [left_out] = [entry for entry in result.not_measured if entry.measure == "model-utility"]
    assert left_out.reason == (
        "trains models, which takes a while; name it to run it (measures='model-utility')"
    )


@needs_sklearn
def test_tables_and_documents() -> None:
    table = pa.table(ORIGINAL)
    result = model_utility(table, table, target="rich")
    details = result.table("details")
    assert details["learned_from"].values == ["original", "released", "baseline"]
    assert details["score"].values[0] == result.score_original
    assert result.figure == "model-utility (accuracy of logistic for rich)"
    assert result.to_dict()["interval"] == [0.0, 0.0]
    with pytest.raises(OptionError, match="has no table 'columnwise'"):
        result.table("columnwise")
    assert find_measure("model-utility").options[0].name == "target"


@needs_sklearn
@pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
def test_adult(shared_data: Path) -> None:
    adult = shared_data / "adult"
    inputs = gather(adult / "adult_anonymized.csv", original=adult / "adult.csv")
    result = find_measure("model-utility").run(inputs, {"target": "salary-class"})
    # About 1 s of the 20 s that are allowed.
    # 7,508 of the 30,162 people earn more.
    assert result.score_baseline == pytest.approx(1 - 7_508 / 30_162, abs=1e-12)
    assert 0.81 < result.score_original < 0.86
    assert result.score_baseline < result.score_released < result.score_original
    assert result.left_out_released == 8_230
