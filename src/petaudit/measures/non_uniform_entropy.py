"""Non-Uniform Entropy: how much information is left after generalisation."""

from __future__ import annotations

import math
from fractions import Fraction

from petaudit.inputs import Inputs
from petaudit.measures.base import Need, Result
from petaudit.measures.utility import ROUNDING, ColumnsMeasure
from petaudit.pictures.column_shares import column_shares_of
from petaudit.tables.headers import check_column
from petaudit.tables.losses import ambiguous_level_warnings, bits_lost, most_bits, off_path_warnings


class NonUniformEntropy(ColumnsMeasure):
    """How much of the information is left after generalisation?

    How much of the information in the original cells is left, in bits: 1 means that nothing was
    lost, 0 that every cell became the most general label. Rare values count for more than common
    ones.

    Does not say: It does not say whether what matters to you is left: one column with many
    different values can keep the figure high while another is wiped out. It says nothing about
    privacy.

    Formula: 1 - bits lost by generalising each cell / bits that can be lost at most

    Reference: A. Gionis, T. Tassa: k-Anonymization with Minimal Loss of Information. IEEE TKDE
    21(2), 2009, doi 10.1109/TKDE.2008.129

    >>> import pyarrow as pa
    >>> years = ["1970", "1981", "1983", "1988"]
    >>> decades = {year: [year[:3] + "*", "*"] for year in years}
    >>> released = pa.table({"born": ["197*", "198*", "198*", "198*"]})
    >>> original = pa.table({"born": years})
    >>> result = non_uniform_entropy(original, released, hierarchies={"born": decades})
    >>> round(result.value, 4)
    0.4056
    """

    name = "non-uniform-entropy"
    title = "Non-Uniform Entropy"
    rank = 250
    needs = (Need.HIERARCHIES, Need.ORIGINAL)
    limit_help = "Non-Uniform Entropy must be at least this"
    pictures = staticmethod(column_shares_of)

    def compute(self, inputs: Inputs, limit: Fraction | None) -> Result:
        """Add up the bits that each column lost."""
        hierarchies = {name: inputs.hierarchy(name) for name in inputs.generalized_columns}
        loss: dict[str, float] = {}
        most: dict[str, float] = {}
        warnings: list[str] = []
        for column, hierarchy in hierarchies.items():
            if inputs.original is not None:
                check_column(column, inputs.original.columns, inputs.original.name)
            pairs = inputs.pair_counts(column)
            warnings += off_path_warnings(pairs, hierarchy)
            loss[column], most[column] = bits_lost(pairs, hierarchy), most_bits(pairs)
        value = _share_left(math.fsum(loss.values()), math.fsum(most.values()))
        return self.result(
            Fraction(value),
            limit,
            tolerance=ROUNDING,
            warnings=[*warnings, *ambiguous_level_warnings(inputs.table.counts, hierarchies)],
            breakdown={"columns": {name: _share_left(loss[name], most[name]) for name in loss}},
        )


non_uniform_entropy = NonUniformEntropy.as_function()


def _share_left(loss: float, most: float) -> float:
    # Adding zero keeps a loss of nothing from becoming -0.0.
    return 1.0 if most == 0 else 1 - loss / most + 0.0
