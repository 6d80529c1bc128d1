"""The tables `adult-income_*`: UCI Adult in two parts, and a synthetic table made from the first.

The names of columns and tables are those of PETsARD's benchmark.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import compress
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
from adult_raw import read_raw

from petaudit.synthesizing.copula import GaussianCopula, Marginal, cholesky, correlations
from petaudit.synthesizing.normal import Integers, Slices, random_bits

SCHEMA: Final = pa.schema(
    [
        ("age", pa.int64()),
        ("workclass", pa.string()),
        ("fnlwgt", pa.int64()),
        ("education", pa.string()),
        ("educational-num", pa.int64()),
        ("marital-status", pa.string()),
        ("occupation", pa.string()),
        ("relationship", pa.string()),
        ("race", pa.string()),
        ("gender", pa.string()),
        ("capital-gain", pa.int64()),
        ("capital-loss", pa.int64()),
        ("hours-per-week", pa.int64()),
        ("native-country", pa.string()),
        ("income", pa.string()),
    ]
)

HIGH_INCOME: Final = ">50K"

# Nobody has both a gain and a loss, which no normal variables can follow together with the rest.
# The copula weakens the last column for it, and the loss, mostly 0, tells least.
COPULA_COLUMNS: Final = (
    *(name for name in SCHEMA.names if name not in {"education", "capital-loss"}),
    "capital-loss",
)

# A column with more values than this is drawn from the spans between so many quantiles.
MOST_CELLS: Final = 1000

SPLIT_SEED: Final = 48_842
SYNTHETIC_SEED: Final = 39_074


def read_income(wheel: Path) -> pa.Table:
    """Read all rows of UCI Adult: the data, then the test, whose incomes end in a dot."""
    rows = read_raw(wheel, "adult.data") + read_raw(wheel, "adult.test")
    rows = [(*row[:-1], row[-1].removesuffix(".")) for row in rows]
    texts = [pa.array([row[i] for row in rows], pa.string()) for i in range(len(SCHEMA))]
    return pa.table(dict(zip(SCHEMA.names, texts, strict=True))).cast(SCHEMA)


def split(table: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Part a table at random into 80 and 20 percent; both parts keep the order of the rows."""
    shuffled = np.argsort(random_bits(table.num_rows, SPLIT_SEED), kind="stable")
    first = round(table.num_rows * 0.8)
    return table.take(np.sort(shuffled[:first])), table.take(np.sort(shuffled[first:]))


def by_high_income(labels: Sequence[str], high_income: Sequence[bool]) -> list[str]:
    """Return the distinct labels, ordered by their share of high incomes, then by name.

    >>> by_high_income(["Wife", "Own-child", "Wife"], [True, False, False])
    ['Own-child', 'Wife']
    """
    rows, high = Counter(labels), Counter(compress(labels, high_income))
    return sorted(rows, key=lambda label: (Fraction(high[label], rows[label]), label))


def marginal_of(column: Integers) -> tuple[Marginal, Integers]:
    """Take every value as a cell, or, if there are too many, spans that leave no gap.

    petaudit's own spans end where the values in them end; these made the bundled file.

    >>> marginal, cells = marginal_of(np.array([3, 1, 3, 3]))
    >>> marginal.slices.counts.tolist(), cells.tolist()
    ([1, 3], [1, 0, 1, 1])
    """
    high = np.unique(column)
    low = high
    if len(high) > MOST_CELLS:
        last = np.arange(1, MOST_CELLS + 1) * len(column) // MOST_CELLS - 1
        high = np.unique(np.sort(column)[last])
        low = np.concatenate([[column.min()], high[:-1] + 1])
    cells = np.searchsorted(high, column)
    return Marginal(low, high, Slices(np.bincount(cells, minlength=len(high)))), cells


def synthesize(original: pa.Table) -> pa.Table:
    """Draw as many rows as the original has, from a Gaussian copula that is fitted on it.

    A copula needs ordered values. Text is put into the order of its share of high incomes, on which
    most columns depend. The education is left out and looked up by its number, of which it is
    another name.
    """
    columns = original.to_pydict()
    education = dict(zip(columns["educational-num"], columns["education"], strict=True))
    high_income = [label == HIGH_INCOME for label in columns["income"]]
    labels = {
        field.name: by_high_income(columns[field.name], high_income)
        for field in SCHEMA
        if field.type == pa.string()
    }
    marginals, columns_of_cells = [], []
    for name in COPULA_COLUMNS:
        place = {label: i for i, label in enumerate(labels.get(name, ()))}
        numbers = np.array([place.get(value, value) for value in columns[name]], np.int64)
        marginal, cells = marginal_of(numbers)
        marginals.append(marginal)
        columns_of_cells.append((marginal.slices, cells))
    # Not `GaussianCopula.fit`, which would have every column give way a little.
    copula = GaussianCopula(marginals, cholesky(correlations(columns_of_cells))[0])
    blocks = list(copula.draw(original.num_rows, SYNTHETIC_SEED))
    drawn = {
        name: np.concatenate([block[i][1] for block in blocks])
        for i, name in enumerate(COPULA_COLUMNS)
    }
    synthetic: dict[str, Sequence[int | str]] = {
        name: [labels[name][i] for i in column] if name in labels else column.tolist()
        for name, column in drawn.items()
    }
    synthetic["education"] = [education[i] for i in drawn["educational-num"].tolist()]
    return pa.table({name: synthetic[name] for name in SCHEMA.names}, schema=SCHEMA)


def schema_yaml() -> str:
    """Describe the columns of all three tables for a pipeline."""
    lines = ["id: adult-income", "name: UCI Adult", "attributes:"]
    for field in SCHEMA:
        text = field.type == pa.string()
        lines += [
            f"  {field.name}:",
            f"    type: {'str' if text else 'int'}",
            "    nullable: false",
        ]
        if text:
            lines.append("    category: true")
    return "\n".join(lines) + "\n"
