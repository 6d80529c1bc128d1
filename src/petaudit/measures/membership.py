"""Membership: can be told who was in the training data?"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

from petaudit.errors import phrase
from petaudit.inputs import Inputs
from petaudit.measures.attack import AttackMeasure, Columns, Tried, named_columns
from petaudit.pictures.membership import membership_of
from petaudit.system import kinds

if TYPE_CHECKING:
    from petaudit.attacks.tables import AttackTables

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
    needs_control = True
    pictures = staticmethod(membership_of)

    def attack(
        self,
        inputs: Inputs,
        tables: AttackTables,
        *,
        fpr: Fpr = Fraction(1, 100),
        columns: Columns = None,
    ) -> Tried:
        """Take the nearest people for members."""
        from petaudit.attacks.methods import members  # noqa: PLC0415 (it compiles)

        wanted = float(fpr)
        attack, curve = members(tables, named_columns(columns, tables, "columns"), wanted)
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
        return Tried([attack], {"fpr": curve.fpr, "auc": curve.auc}, notes, {"curve": curve})


membership = Membership.as_function()
