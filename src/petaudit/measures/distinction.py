"""Distinction and separation: which sets of few columns tell rows apart (Motwani and Xu)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Final

from petaudit.errors import NotMeasurableError, OptionError, Phrase, counted, listing, phrase
from petaudit.exact.fractions import Number
from petaudit.inputs import Inputs, gather
from petaudit.measures._old import OldMeasure
from petaudit.measures._risk import ALL_SUPPRESSED, upper_limit, whole
from petaudit.measures._suppressed import left_out
from petaudit.measures._tables import COLUMNWISE, DETAILS, no_such_table
from petaudit.measures.base import GLOBAL, Better, Family, Need, Option, Result, announce
from petaudit.measures.kinds import Integer
from petaudit.tables.result_frames import ResultColumn
from petaudit.tables.set_counts import USUAL_SETS, number_of_sets, usual_size

TABLES: Final = (GLOBAL, COLUMNWISE, DETAILS)
_MOST_SETS: Final = 50_000
_MOST_WORK: Final = 100_000_000
"""Rows times sets that a complete audit looks at without being asked."""
_MOST_WORK_IN_ENGINE: Final = 10_000_000


@dataclass(frozen=True)
class ColumnSet:
    """How well one set of columns tells rows apart."""

    columns: tuple[str, ...]
    combinations: int
    """Different combinations of values."""
    distinction: float
    separation: float


@dataclass(frozen=True)
class DistinctionResult(Result):
    """The largest distinction of a set of columns, and both figures of every set."""

    measure: ClassVar[str] = "distinction"
    better: ClassVar[Better] = Better.LOWER

    exact_value: Fraction = field(repr=False)
    separation: float
    """The largest separation of a set."""
    max_columns: int
    rows: int
    suppressed_rows: int
    sets_above_limit: int | None
    """None without a limit."""
    sets: tuple[ColumnSet, ...]
    """By number of columns, then in the order of the quasi-identifiers."""

    @property
    def figure(self) -> str:
        """Sets of more columns tell more rows apart, so only equal sizes are compared."""
        return f"{self.measure}, up to {self.max_columns} columns"

    @property
    def explanation(self) -> tuple[str, ...]:
        """The strongest set of each size, and how many are above the limit."""
        said = [_strongest(self.of_size(size)) for size in range(1, self.max_columns + 1)]
        number = counted(len(self.sets), "set")
        if self.sets_above_limit is None:
            of_all = phrase(
                "{sets} of up to {columns} looked at",
                sets=number,
                columns=counted(self.max_columns, "column"),
            )
        else:
            of_all = phrase(
                "{above} above the limit, of {sets} of up to {columns}",
                above=counted(self.sets_above_limit, "set"),
                sets=number,
                columns=counted(self.max_columns, "column"),
            )
        return (*said, of_all)

    def of_size(self, columns: int) -> tuple[ColumnSet, ...]:
        """The sets of so many columns."""
        return tuple(each for each in self.sets if len(each.columns) == columns)

    def table(self, granularity: str, *, with_values: bool = False) -> dict[str, ResultColumn]:
        """``columnwise`` has the figures of single columns, ``details`` those of all sets."""
        if granularity == GLOBAL:
            return super().table(granularity)
        if granularity == COLUMNWISE:
            single = self.of_size(1)
            names = ResultColumn("text", [each.columns[0] for each in single])
            return {"attribute": names} | _figures(single)
        if granularity == DETAILS:
            names = ResultColumn("tuple", [each.columns for each in self.sets])
            return {"columns": names} | _figures(self.sets)
        raise no_such_table(self.measure, granularity, TABLES)


def _figures(sets: Sequence[ColumnSet]) -> dict[str, ResultColumn]:
    return {
        "value": ResultColumn("number", [each.distinction for each in sets]),
        "separation": ResultColumn("number", [each.separation for each in sets]),
        "combinations": ResultColumn("integer", [each.combinations for each in sets]),
    }


def _strongest(sets: Sequence[ColumnSet]) -> Phrase:
    """Of equally strong sets the first."""
    best = max(sets, key=lambda each: (each.distinction, each.separation))
    return phrase(
        "strongest {size}: {names} (distinction {distinction:.4g}, separation {separation:.4g})",
        size=phrase("column") if len(best.columns) == 1 else _set_of(len(best.columns)),
        names=listing(best.columns),
        distinction=best.distinction,
        separation=best.separation,
    )


def _set_of(columns: int) -> Phrase:
    return phrase("set of {columns}", columns=counted(columns, "column"))


def distinction(
    table: object, *, limit: Number | None = None, max_columns: int | None = None, **given: Any
) -> DistinctionResult:
    """Measure how well sets of few quasi-identifiers tell rows apart (Motwani and Xu 2007).

    >>> import pyarrow as pa
    >>> table = pa.table({"sex": ["f", "f", "m", "m"], "age": ["30", "99", "30", "30"]})
    >>> result = distinction(table, quasi_identifiers=["sex", "age"])
    >>> [(each.columns, each.distinction, round(each.separation, 3)) for each in result.sets]
    [(('sex',), 0.5, 0.667), (('age',), 0.5, 0.5), (('sex', 'age'), 0.75, 0.833)]
    """
    result = compute(gather(table, **given), limit=limit, max_columns=max_columns)
    announce(result)
    return result


def compute(
    inputs: Inputs, limit: Number | None = None, max_columns: int | None = None
) -> DistinctionResult:
    """Measure distinction and separation from opened inputs."""
    bound = upper_limit(limit, DistinctionResult.measure)
    names = inputs.quasi_identifiers
    up_to = usual_size(len(names))
    if max_columns is not None:
        up_to = min(whole(max_columns, "max_columns"), len(names))
        _require_few_sets(len(names), up_to)
    histogram = inputs.class_histogram
    if not histogram.rows:
        raise NotMeasurableError(ALL_SUPPRESSED)
    from petaudit.singling.column_sets import sets_of_columns  # noqa: PLC0415 (compiles)

    counts = sets_of_columns(
        inputs.table,
        names,
        up_to,
        with_suppressed=inputs.suppressed == "class",
        person=inputs.person,
    )
    value = max(each.distinction for each in counts)
    return DistinctionResult(
        value=float(value),
        exact_value=value,
        limit=None if bound is None else float(bound),
        passed=None if bound is None else value <= bound,
        warnings=left_out(histogram.suppressed_rows, inputs.unit),
        separation=float(max(each.separation for each in counts)),
        max_columns=up_to,
        rows=histogram.rows,
        suppressed_rows=histogram.suppressed_rows,
        sets_above_limit=(
            None if bound is None else sum(each.distinction > bound for each in counts)
        ),
        sets=tuple(
            ColumnSet(
                tuple(names[column] for column in each.columns),
                each.classes,
                float(each.distinction),
                float(each.separation),
            )
            for each in counts
        ),
        unit=inputs.unit,
    )


def _require_few_sets(columns: int, up_to: int) -> None:
    sets = number_of_sets(columns, up_to)
    # Sets of one column are always looked at: the table has them all.
    if up_to > 1 and sets > _MOST_SETS:
        raise OptionError(
            "max_columns is {up_to}, which makes {sets:,} sets of {columns} quasi-identifiers; "
            "at most {most:,} sets are looked at",
            up_to=up_to,
            sets=sets,
            columns=columns,
            most=_MOST_SETS,
        )


def _takes_long(inputs: Inputs) -> str | None:
    """Why a large table waits until somebody asks."""
    columns = len(inputs.quasi_identifiers)
    sets = number_of_sets(columns, usual_size(columns))
    in_engine = inputs.table.counts.is_remote or inputs.person is not None
    if sets * inputs.table.rows <= (_MOST_WORK_IN_ENGINE if in_engine else _MOST_WORK):
        return None
    return phrase(
        "counts {rows:,} rows by {sets:,} sets of columns, which takes a while; name it to run it "
        "(--measures distinction)",
        rows=inputs.table.rows,
        sets=sets,
    )


def check(given: Mapping[str, Any]) -> None:
    """Raise an error for options that make no sense."""
    if given.get("max_columns") is not None:
        whole(given["max_columns"], "max_columns")


MEASURE = OldMeasure(
    name=DistinctionResult.measure,
    title="Distinction and separation",
    family=Family.RISK,
    question="Which few quasi-identifiers together tell nearly all rows apart?",
    better=Better.LOWER,
    range=(0.0, 1.0),
    needs=(Need.QUASI_IDENTIFIERS,),
    formula=(
        "largest distinction of a set of up to max_columns quasi-identifiers; distinction: "
        "different combinations of values / rows; separation: pairs of rows that differ on the "
        "set / pairs of rows"
    ),
    reference=(
        "R. Motwani, Y. Xu: Efficient Algorithms for Masking and Finding Quasi-Identifiers. "
        "Proceedings of the VLDB Conference, 2007; F. Prasser, J. Eicher, H. Spengler, R. Bild, "
        "K. A. Kuhn: Flexible data anonymization using ARX. Software: Practice and Experience "
        "50(7), 2020, doi 10.1002/spe.2812"
    ),
    meaning=(
        "How close some few columns come to naming every row. With 0.9 there are columns by "
        "which all rows are told apart once one in ten is left out; 1 means that they are as "
        "good as an identifier."
    ),
    does_not_say=(
        "A low figure does not mean that nobody is unique: one row can stick out while all "
        "others look alike. More columns tell more rows apart, and larger tables have lower "
        "figures: compare equal max_columns and tables of one size only."
    ),
    compute=compute,
    limit_help="the distinction of every set may be at most this",
    options=(
        Option(
            "max_columns",
            "look at all sets of up to so many columns; if not given 3, or fewer where there would "
            f"be more than {USUAL_SETS:,} sets",
            kind=Integer(1),
        ),
    ),
    granularities=TABLES,
    check=check,
    when_left_out=_takes_long,
)
