"""Distinction and separation: which sets of few columns tell rows apart (Motwani and Xu)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Final

from petaudit.errors import Phrase, counted, listing, phrase
from petaudit.inputs import Inputs
from petaudit.measures.base import Columns, Result, left_out
from petaudit.measures.result import columns_of
from petaudit.measures.risk import RiskMeasure
from petaudit.measures.risk_classes import RiskClasses
from petaudit.singling.column_sets import sets_of_columns
from petaudit.system import kinds
from petaudit.tables.result_frames import ResultColumn
from petaudit.tables.set_counts import USUAL_SETS, number_of_sets, size_of_sets, usual_size

_MOST_WORK: Final = 100_000_000
"""Rows times sets that a complete audit looks at without being asked."""
_MOST_WORK_IN_ENGINE: Final = 10_000_000
_COLUMNS_HELP: Final = (
    "check all sets of up to this many columns; default: 3, or fewer if there would be more than "
    f"{USUAL_SETS:,} sets"
)


@dataclass(frozen=True)
class ColumnSet:
    """How well one set of columns tells rows apart."""

    columns: tuple[str, ...]
    combinations: int
    """Different combinations of values."""
    distinction: float
    separation: float


class Distinction(RiskMeasure):
    """Which few quasi-identifiers together tell nearly all rows apart?

    How close a few columns come to identifying every row. With 0.9, there are columns that tell all
    rows apart once one in ten is left out; 1 means that they are as good as an identifier.

    Does not say: A low figure does not mean that nobody is unique: one row can stick out while all
    others look alike. More columns tell more rows apart, and larger tables have lower figures:
    compare only tables of the same size with the same max_columns.

    Formula: largest distinction of a set of up to max_columns quasi-identifiers; distinction:
    different combinations of values / rows; separation: pairs of rows that differ on the set /
    pairs of rows

    Reference: R. Motwani, Y. Xu: Efficient Algorithms for Masking and Finding Quasi-Identifiers.
    Proceedings of the VLDB Conference, 2007; F. Prasser, J. Eicher, H. Spengler, R. Bild, K. A.
    Kuhn: Flexible data anonymization using ARX. Software: Practice and Experience 50(7), 2020, doi
    10.1002/spe.2812

    >>> import pyarrow as pa
    >>> table = pa.table({"sex": ["f", "f", "m", "m"], "age": ["30", "99", "30", "30"]})
    >>> result = distinction(table, quasi_identifiers=["sex", "age"])
    >>> [(each.columns, each.distinction, round(each.separation, 3)) for each in result.sets]
    [(('sex',), 0.5, 0.667), (('age',), 0.5, 0.5), (('sex', 'age'), 0.75, 0.833)]
    """

    name = "distinction"
    title = "Distinction and separation"
    rank = 190
    limit_help = "the distinction of every set may be at most this"

    def compute(
        self,
        inputs: Inputs,
        limit: Fraction | None,
        *,
        max_columns: Annotated[int | None, kinds.Integer(1), _COLUMNS_HELP] = None,
    ) -> Result:
        """Count all sets of few columns."""
        names = inputs.quasi_identifiers
        up_to = size_of_sets(len(names), max_columns)
        classes = RiskClasses.of_table(inputs)
        counts = sets_of_columns(
            inputs.table,
            names,
            up_to,
            with_suppressed=inputs.suppressed == "class",
            person=inputs.person,
        )
        sets = []
        for each in counts:
            columns = tuple(names[column] for column in each.columns)
            figures = float(each.distinction), float(each.separation)
            sets.append(ColumnSet(columns, each.classes, *figures))
        above = None if limit is None else sum(each.distinction > limit for each in counts)
        return self.result(
            max(each.distinction for each in counts),
            limit,
            warnings=left_out(classes.suppressed_rows, inputs.unit),
            breakdown={
                "separation": float(max(each.separation for each in counts)),
                "max_columns": up_to,
                "rows": classes.rows,
                "suppressed_rows": classes.suppressed_rows,
                "sets_above_limit": above,
                "sets": tuple(sets),
            },
            # Sets of more columns tell more rows apart, so only equal sizes are compared.
            figure=f"{self.name}, up to {up_to} columns",
            unit=inputs.unit,
        )

    def when_left_out(self, inputs: Inputs) -> str | None:
        """Say why a large table waits until somebody asks."""
        columns = len(inputs.quasi_identifiers)
        sets = number_of_sets(columns, usual_size(columns))
        in_engine = inputs.table.counts.is_remote or inputs.person is not None
        if sets * inputs.table.rows <= (_MOST_WORK_IN_ENGINE if in_engine else _MOST_WORK):
            return None
        return phrase(
            "counts {rows:,} rows by {sets:,} sets of columns, which takes a while",
            rows=inputs.table.rows,
            sets=sets,
        )

    def explain(self, result: Result) -> Iterator[str]:
        """The strongest set of each size, and how many are above the limit."""
        for size in range(1, result.max_columns + 1):
            yield _strongest(result, size)
        sets, columns = counted(len(result.sets), "set"), counted(result.max_columns, "column")
        if result.sets_above_limit is None:
            yield phrase("{sets} of up to {columns} looked at", sets=sets, columns=columns)
        else:
            yield phrase(
                "{above} above the limit, of {sets} of up to {columns}",
                above=counted(result.sets_above_limit, "set"),
                sets=sets,
                columns=columns,
            )

    def columnwise(self, result: Result) -> Columns:
        """Lay out the figures of single columns."""
        single = _sets_of(result, 1)
        names = ResultColumn("text", [each.columns[0] for each in single])
        return {"attribute": names} | _figures(single)

    def details(self, result: Result, *, with_values: bool) -> Columns:
        """Lay out the figures of all sets."""
        return columns_of(result.sets, columns="tuple") | _figures(result.sets)


distinction = Distinction.as_function()


def _figures(sets: Sequence[ColumnSet]) -> Columns:
    return {
        "value": ResultColumn("number", [each.distinction for each in sets]),
        **columns_of(sets, separation="number", combinations="integer"),
    }


def _sets_of(result: Result, columns: int) -> list[ColumnSet]:
    return [each for each in result.sets if len(each.columns) == columns]


def _strongest(result: Result, columns: int) -> Phrase:
    """Name the strongest set of this many columns; of equally strong ones the first."""
    best = max(_sets_of(result, columns), key=lambda each: (each.distinction, each.separation))
    several = phrase("set of {columns}", columns=counted(columns, "column"))
    return phrase(
        "strongest {size}: {names} (distinction {distinction:.4g}, separation {separation:.4g})",
        size=phrase("column") if columns == 1 else several,
        names=listing(best.columns),
        distinction=best.distinction,
        separation=best.separation,
    )
