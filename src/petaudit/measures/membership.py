"""Membership: can be told who was in the training data?"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from petaudit.errors import phrase
from petaudit.inputs import Inputs
from petaudit.measures.attack import AttackMeasure, By, Columns, Control, Person, named_columns
from petaudit.measures.attack_figure import ExactFigures
from petaudit.measures.base import Result
from petaudit.pictures.membership import membership_of
from petaudit.system import kinds

Fpr = Annotated[
    Fraction,
    kinds.Number(0, 1, excludes_bounds=True),
    "share of strangers who may be taken for members (default: 0.01)",
]


class Membership(AttackMeasure):
    """Can an attacker tell who was in the training data?

    How many more people than strangers are taken for members because a synthetic row is very near
    to theirs, when one stranger in a hundred may be. With 0.05, about one person in twenty is
    recognised as a member. Also copies with a little noise are seen.

    Does not say: It is about one attack, by the distance to the nearest synthetic row: an attacker
    with more knowledge, for example of the generator, may tell more. That nobody is recognised at a
    low rate of false alarms does not say that the average person is not a little more likely.

    Formula: threshold: the distance that a share fpr of one half of the control is below, averaged
    over all halves; e = (TPR - FPR) / (1 - FPR), AUC = P(d < d') + P(d = d') / 2 for distances d of
    the original and d' of the control

    Reference: N. Carlini, S. Chien, M. Nasr, S. Song, A. Terzis, F. Tramèr: Membership Inference
    Attacks From First Principles. IEEE Symposium on Security and Privacy, 2022, doi
    10.1109/SP46214.2022.9833649

    >>> import pyarrow as pa
    >>> original = pa.table({"age": [10.0 * n for n in range(20)]})
    >>> control = pa.table({"age": [10.0 * n + 4 for n in range(20)]})
    >>> synthetic = pa.table({"age": [10.0 * n for n in range(20)]})
    >>> import warnings; warnings.simplefilter("ignore")
    >>> result = membership(original, synthetic, control, fpr=0.1)
    >>> result.value, result.auc
    (1.0, 1.0)
    """

    name = "membership"
    rank = 310
    pictures = staticmethod(membership_of)

    def compute(
        self,
        inputs: Inputs,
        limit: Fraction | None,
        *,
        fpr: Fpr = Fraction(1, 100),
        columns: Columns = None,
        by: By = None,
        person: Person = None,
        control: Control = None,
        exact_figures: ExactFigures = False,
    ) -> Result:
        """Take the nearest people for members."""
        from petaudit.attacks.methods import members  # noqa: PLC0415 (it compiles)

        tables = self.compared(inputs, person, control)
        used = named_columns(columns, tables, "columns")
        wanted = float(fpr)
        attack, curve = members(tables, used, wanted)
        breakdown = {"fpr": curve.fpr, "auc": curve.auc}
        notes = []
        if curve.fpr > wanted:
            notes.append(
                phrase(
                    "the control has too few people for a false positive rate of {wanted:g}; "
                    "{used:.4g} is used",
                    wanted=wanted,
                    used=curve.fpr,
                )
            )
        return self.judge_attacks(
            inputs,
            tables,
            [attack],
            limit,
            by=by,
            exact_figures=exact_figures,
            warnings=notes,
            breakdown=breakdown,
            curve=curve,
        )


membership = Membership.as_function()
