"""Replicated uniques: people unique by their keys in the original and in the synthetic table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from petaudit.inputs import Inputs
from petaudit.measures.attack import AttackMeasure, Tried, named_columns
from petaudit.system import kinds

if TYPE_CHECKING:
    from petaudit.attacks.tables import AttackTables

_KEYS = "the columns that an attacker knows; default: the quasi-identifiers, or all columns"


class ReplicatedUniques(AttackMeasure):
    """How many more people with unique keys have them replicated than strangers do?

    Somebody who is the only one with their keys, and finds exactly one synthetic row with these
    keys, will take it for theirs. The share of such people beyond that of strangers, in samples of
    equal size.

    Does not say: It looks at the keys only: the rest of the synthetic row may be somebody else's.
    Keys of few values coincide by chance; only a control tells.

    Formula: success: unique among m people by the keys, with probability C(N - n, m - 1) / C(N - 1,
    m - 1) for one of n with these keys among N, and one row with these keys in the synthetic table;
    e = (t - c) / (1 - c) with m = the smaller of both tables

    Reference: G. M. Raab, B. Nowok, C. Dibben: Practical privacy metrics for synthetic data. 2024,
    doi 10.48550/arXiv.2406.16826

    >>> import pyarrow as pa
    >>> original = pa.table({"zip": [*range(18), 50, 50]})
    >>> control = pa.table({"zip": range(100, 120)})
    >>> synthetic = pa.table({"zip": [*range(5), 50, *[77] * 14]})
    >>> import warnings; warnings.simplefilter("ignore")
    >>> result = replicated_uniques(original, synthetic, control, keys="zip")
    >>> result.value, result.control_rate
    (0.25, 0.0)
    """

    name = "replicated-uniques"
    rank = 340
    compares_equal_cells = True

    def attack(
        self,
        inputs: Inputs,
        tables: AttackTables,
        *,
        keys: Annotated[Sequence[str] | str | None, kinds.COLUMNS, _KEYS] = None,
    ) -> Tried:
        """Count those who are alone in either table."""
        from petaudit.attacks.methods import replicated  # noqa: PLC0415 (it compiles)

        given = keys if keys is not None else inputs.roles.quasi_identifiers or None
        return Tried([replicated(tables, named_columns(given, tables, "keys"))])


replicated_uniques = ReplicatedUniques.as_function()
