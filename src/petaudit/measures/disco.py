"""DiSCO: people whose keys lead to their own secret, and to no other, in the synthetic table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from petaudit.errors import phrase
from petaudit.inputs import Inputs
from petaudit.measures.attack import AttackMeasure, Tried, named_columns, refuse_known
from petaudit.measures.attack_figure import percent
from petaudit.measures.base import Result
from petaudit.system import kinds

if TYPE_CHECKING:
    from petaudit.attacks.tables import AttackTables

_KEYS = "the columns that an attacker knows; default: the quasi-identifiers, or all others"
_TARGET = "the column to learn, or several; default: the sensitive attributes"


class Disco(AttackMeasure):
    """How many more people have their secret disclosed by all rows with their keys?

    The keys of a person occur in the synthetic table, and always with the person's own value of the
    target: disclosive in synthetic, correct original. The share of such people beyond that of
    strangers.

    Does not say: Also a value that nearly everybody has is disclosed, which tells little about
    anybody; only what goes beyond strangers is counted. Keys that differ a little are not looked
    up.

    Formula: t and c: shares of people whose keys occur in the synthetic table with their own target
    value only; e = (t - c) / (1 - c), the worst over the targets

    Reference: G. M. Raab, B. Nowok, C. Dibben: Practical privacy metrics for synthetic data. 2024,
    doi 10.48550/arXiv.2406.16826

    >>> import pyarrow as pa
    >>> original = pa.table({"zip": range(20), "ill": ["yes", "no"] * 10})
    >>> control = pa.table({"zip": range(20), "ill": ["no"] * 20})
    >>> import warnings; warnings.simplefilter("ignore")
    >>> result = disco(original, original, control, keys="zip", target="ill")
    >>> result.value, result.control_rate, result.disclosed_in_original
    (1.0, 0.5, 1.0)
    """

    name = "disco"
    title = "DiSCO"
    rank = 350
    compares_equal_cells = True

    def attack(
        self,
        inputs: Inputs,
        tables: AttackTables,
        *,
        keys: Annotated[Sequence[str] | str | None, kinds.COLUMNS, _KEYS] = None,
        target: Annotated[Sequence[str] | str | None, kinds.COLUMNS, _TARGET] = None,
    ) -> Tried:
        """Look up the keys of everybody."""
        from petaudit.attacks.methods import disclosed, disclosed_in_original  # noqa: PLC0415

        attacks, shares = [], []
        for column in self.secrets(inputs, tables, target, "target"):
            others = [name for name in tables.columns if name != column]
            given = inputs.roles.quasi_identifiers or others if keys is None else keys
            used = named_columns(given, tables, "keys")
            refuse_known(column, used, ("target", "keys"))
            attacks.append(disclosed(tables, column, used))
            shares.append(disclosed_in_original(tables, column, used))
        return Tried(attacks, breakdown={"disclosed_in_original": max(shares)})

    def explain(self, result: Result) -> Iterator[str]:
        """Also what the original itself would disclose."""
        yield from super().explain(result)
        yield phrase(
            "the original itself would disclose it of {share}",
            share=percent(result.disclosed_in_original, result.rounded_to),
        )


disco = Disco.as_function()
