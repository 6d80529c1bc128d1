"""Copied rows: people whose whole row is in the synthetic table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from petaudit.errors import listing, phrase
from petaudit.inputs import Inputs
from petaudit.measures.attack import AttackMeasure, Columns, Tried, named_columns

if TYPE_CHECKING:
    from petaudit.attacks.tables import AttackTables


class CopiedRows(AttackMeasure):
    """How many more people have their row in the synthetic table than strangers do?

    The share of people whose whole row the synthetic table repeats, beyond the share of strangers
    whose row it happens to have. With 0.05, about one person in twenty was copied.

    Does not say: Only exact copies count: a row that is slightly changed is not seen here, but by
    membership. Rows of few values coincide by chance; only a control tells.

    Formula: t and c: shares of the people of the original and of the control whose row occurs in
    the synthetic table; e = (t - c) / (1 - c)

    Reference: M. Giomi, F. Boenisch, C. Wehmeyer, B. Tasnádi: A Unified Framework for Quantifying
    Privacy Risk in Synthetic Data. PoPETs 2023(2), doi 10.56553/popets-2023-0055

    >>> import pyarrow as pa
    >>> original = pa.table({"age": range(20)})
    >>> control = pa.table({"age": range(20, 40)})
    >>> synthetic = pa.table({"age": [*range(5), *range(50, 65)]})
    >>> import warnings; warnings.simplefilter("ignore")
    >>> result = copied_rows(original, synthetic, control)
    >>> result.value, result.attack_rate, result.control_rate
    (0.25, 0.25, 0.0)
    """

    name = "copied-rows"
    rank = 300
    compares_equal_cells = True

    def attack(self, inputs: Inputs, tables: AttackTables, *, columns: Columns = None) -> Tried:
        """Look up every row in the synthetic table."""
        from petaudit.attacks.methods import copied  # noqa: PLC0415 (it compiles)

        used = named_columns(columns, tables, "columns")
        attack = copied(tables, used)
        if attack.counted or attack.training.any():
            return Tried([attack])
        apart = tables.without_common_values(used)
        return Tried(
            [attack],
            warnings=[
                phrase(
                    "no whole row can be copied: the synthetic table has no value of the original "
                    "in {columns}; where such a column only numbers people, compare by the others "
                    "({option})",
                    columns=listing([repr(name) for name in apart]),
                    option="copied-rows.columns",
                )
            ]
            if apart
            else [],
        )


copied_rows = CopiedRows.as_function()
