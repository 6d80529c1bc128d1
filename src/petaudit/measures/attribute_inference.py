"""Attribute inference: can a secret be guessed from the nearest synthetic rows?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

from petaudit.errors import argument, listing, phrase
from petaudit.inputs import Inputs
from petaudit.measures.attack import AttackMeasure, Tried, named_columns, refuse_known
from petaudit.measures.base import Result
from petaudit.system import kinds

if TYPE_CHECKING:
    from petaudit.attacks.tables import AttackTables

_GUESSED = "the column to guess, or several; default: the sensitive attributes"
_KNOWN = "the columns that an attacker knows; default: all others"
_TOLERANCE = "numbers count as right if they are off by at most this share of the person's value"


class AttributeInference(AttackMeasure):
    """How much better can a secret of the people be guessed than that of strangers?

    Somebody who knows the other columns of a person looks up the nearest synthetic rows and takes
    their value for the secret. What they guess right about strangers, too, is how the population
    is; what they guess beyond that was learned from the person. With 0.1, one in ten of the secrets
    that would not be guessed otherwise is.

    Does not say: That a secret can be guessed for everybody, members or not, is no excess, and yet
    may harm people. It is about one way to guess, and these known columns.

    Formula: t and c: shares of people of the original and of the control whose secret the nearest
    synthetic rows by the known columns have, equally near ones averaged; e = (t - c) / (1 - c), the
    worst over the secrets

    Reference: M. Giomi, F. Boenisch, C. Wehmeyer, B. Tasnádi: A Unified Framework for Quantifying
    Privacy Risk in Synthetic Data. PoPETs 2023(2), doi 10.56553/popets-2023-0055

    >>> import pyarrow as pa
    >>> original = pa.table({"age": range(20), "ill": ["yes", "no"] * 10})
    >>> control = pa.table({"age": range(20), "ill": ["no"] * 20})
    >>> import warnings; warnings.simplefilter("ignore")
    >>> result = attribute_inference(original, original, control, secret="ill")
    >>> result.value, result.attack_rate, result.control_rate, result.base_rate
    (1.0, 1.0, 0.5, 0.5)
    """

    name = "attribute-inference"
    rank = 320

    def attack(
        self,
        inputs: Inputs,
        tables: AttackTables,
        *,
        secret: Annotated[Sequence[str] | str | None, kinds.COLUMNS, _GUESSED] = None,
        known: Annotated[Sequence[str] | str | None, kinds.COLUMNS, _KNOWN] = None,
        tolerance: Annotated[Fraction, kinds.Number(0, 1), _TOLERANCE] = Fraction(0),
    ) -> Tried:
        """Guess every secret of everybody."""
        from petaudit.attacks.methods import guessed  # noqa: PLC0415 (it compiles)

        attacks = []
        for column in self.secrets(inputs, tables, secret, "secret"):
            others = [name for name in tables.columns if name != column]
            used = named_columns(others if known is None else known, tables, "known")
            refuse_known(column, used, ("secret", "known"))
            attacks.append(guessed(tables, column, used, float(tolerance)))
        numbers = [] if tolerance else [each.name for each in attacks]
        exact = [name for name in numbers if tables.has_many_numbers(name)]
        notes = [
            phrase(
                "only equal numbers count as guessed, and {columns} has many: with a tolerance "
                "near ones do, too ({argument})",
                columns=listing([repr(name) for name in exact]),
                argument=argument("tolerance"),
            )
        ]
        return Tried(attacks, warnings=notes if exact else [])

    def explain(self, result: Result) -> Iterator[str]:
        """The figures of each secret, and what a guess without the table would do."""
        yield from super().explain(result)
        if result.control_rate is not None and result.control_rate < (result.base_rate or 0):
            yield phrase(
                "guessing the most frequent value without looking at rows succeeds more often"
            )


attribute_inference = AttributeInference.as_function()
