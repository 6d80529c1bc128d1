"""The models that can be trained; scikit-learn is loaded when one is."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import numpy as np

from petaudit.errors import NotMeasurableError
from petaudit.learning.encoding import Classes, Matrix, Numbers

CLASSIFICATION: Final = "classification"
REGRESSION: Final = "regression"


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
        found = np.zeros((len(tested), many))
        present = np.unique(classes)
        if len(present) == 1:
            # Where all are alike there is nothing to learn, and models refuse to.
            found[:, present[0]] = 1
            return found
        model = self._fitted(rows, classes)
        found[:, model.classes_] = model.predict_proba(tested)
        return found

    def estimated(self, rows: Matrix, numbers: Numbers, tested: Matrix) -> Numbers:
        """A number for each of the tested rows, by what was learned from the others."""
        # In units of their own, targets of any size are learned alike.
        mean, scale = float(numbers.mean()), float(numbers.std()) or 1.0
        model = self._fitted(rows, (numbers - mean) / scale)
        return np.asarray(model.predict(tested), dtype=np.float64) * scale + mean

    def _fitted(self, rows: Matrix, target: Any) -> Any:
        return self._made().fit(rows, target)

    def _made(self) -> Any:
        is_classifier = self.task == CLASSIFICATION
        seed = self.seed % (1 << 32)
        if self.model == "logistic":
            linear = import_module("sklearn.linear_model")
            return linear.LogisticRegression(max_iter=100, tol=1e-3)
        if self.model == "linear":
            return import_module("sklearn.linear_model").Ridge(alpha=1.0, solver="cholesky")
        ensemble = import_module("sklearn.ensemble")
        if self.model == "forest":
            kind = "RandomForestClassifier" if is_classifier else "RandomForestRegressor"
            return getattr(ensemble, kind)(
                n_estimators=50, min_samples_leaf=5, max_features="sqrt", random_state=seed
            )
        kind = (
            "HistGradientBoostingClassifier" if is_classifier else "HistGradientBoostingRegressor"
        )
        return getattr(ensemble, kind)(max_iter=50, early_stopping=False, random_state=seed)


@contextmanager
def learning_quietly() -> Iterator[None]:
    """Train without remarks, in one thread: sums must not depend on how many cores there are."""
    with warnings.catch_warnings(), import_module("threadpoolctl").threadpool_limits(1):
        # That a model could be a little better still is no news to a reader of the figure.
        warnings.simplefilter("ignore")
        yield
