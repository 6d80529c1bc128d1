"""Counting one table, on whatever engine holds it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from petaudit.errors import EngineError, NotMeasurableError, PetauditError
from petaudit.labels.cells import BLANKS, SUPPRESSED
from petaudit.system.progress import advance, stage
from petaudit.tables._encoding import (
    arrow_integers,
    class_indices,
    dictionary_cells,
    is_text,
    whole_numbers,
)
from petaudit.tables.classes.blocks import ClassBlocks, HeldBlocks, find_class_blocks
from petaudit.tables.classes.hashed import hashed_classes
from petaudit.tables.classes.keys import ClassKeys, class_keys, is_marked, sample_classes
from petaudit.tables.classes.people import PeopleBlocks, one_row_per_person
from petaudit.tables.column_values import ColumnValues, RowCodes, read_row_codes
from petaudit.tables.engines.duckdb import is_interrupt, out_of_memory
from petaudit.tables.engines.frames import THE_FRAME, labelled_column, not_countable, uncountable
from petaudit.tables.engines.postgres import StoredTable, engine_of
from petaudit.tables.engines.postgres_session import failure_of
from petaudit.tables.engines.remote import fetched
from petaudit.tables.headers import column_named
from petaudit.tables.population import CodedClasses, count_coded_classes, merged_groups
from petaudit.tables.results import ClassHistogram, Integers, ValueCounts, summed

Arguments = ParamSpec("Arguments")
Count = TypeVar("Count")

_BINS_PER_ROW = 4
_FIRST_ROWS, _MOST_NAMES = 1_000, 200


def _kept(
    method: Callable[Concatenate[TableCounts, Arguments], Count],
) -> Callable[Concatenate[TableCounts, Arguments], Count]:
    """Compute what a method returns once per table and arguments: names or lists of names."""

    @wraps(method)
    def kept(self: TableCounts, /, *args: Arguments.args, **options: Arguments.kwargs) -> Count:
        names: Any = args
        key = (
            method.__name__,
            *(name if isinstance(name, str) else tuple(name) for name in names),
            *options.items(),
        )
        if key not in self._results:
            self._results[key] = method(self, *args, **options)
        result: Count = self._results[key]
        return result

    return kept


class TableCounts:
    """Counts of one table; every figure is computed by the table's own engine and kept.

    Columns are addressed by name; the frame below has them as c0, c1, ... so that no name of a
    user ever becomes part of a query. ``frame`` has trimmed text. ``untrimmed``, where it is
    given, has text as it stands, for counting that is cheaper on it; ``counting`` has it beside
    the trimmed text, as r0, r1, ... ``load`` puts a small table beside the data. ``trim`` trims
    the text of the frame when it is first asked for. ``replaced`` are the types of columns that no
    engine takes, by name. ``stored`` is a table of a server as it is stored there, from which
    another one can be made. A function in place of the frame is called when rows are first asked
    for.
    """

    def __init__(
        self,
        frame: nw.LazyFrame[Any] | Callable[[], nw.LazyFrame[Any]],
        columns: Sequence[str],
        name: str = THE_FRAME,
        *,
        load: Callable[[pa.Table], nw.LazyFrame[Any]] | None = None,
        untrimmed: nw.LazyFrame[Any] | None = None,
        counting: nw.LazyFrame[Any] | None = None,
        trim: Callable[[nw.LazyFrame[Any]], nw.LazyFrame[Any]] | None = None,
        replaced: Mapping[str, str] | None = None,
        stored: StoredTable | None = None,
    ) -> None:
        self._given = frame
        self._untrimmed = untrimmed
        self._trim = trim
        self._counting = counting
        self.has_blanks = False  # as far as is known: that classes are torn by them is noted
        self.has_raw_frame = untrimmed is not None
        self.load = load
        self.stored = stored
        self._name = name
        self.replaced = replaced or {}
        self._position = {column: f"c{index}" for index, column in enumerate(columns)}
        if not callable(frame):
            # A frame that cannot say what it holds is an error at once.
            _ = self.schema
        self._values: dict[str, ColumnValues] = {}
        self._histograms: dict[frozenset[str], ClassHistogram] = {}
        self._results: dict[tuple[object, ...], Any] = {}
        self._row_codes: dict[str, RowCodes] = {}
        self._rows: int | None = None

    @cached_property
    def _opened(self) -> nw.LazyFrame[Any]:
        return self._given() if callable(self._given) else self._given

    @cached_property
    def schema(self) -> Mapping[str, Any]:
        """The types of the columns of the frame."""
        return self._opened.collect_schema()

    @cached_property
    def frame(self) -> nw.LazyFrame[Any]:
        """The rows, with trimmed text."""
        return self._opened if self._trim is None else self._trim(self._opened)

    @property
    def raw_frame(self) -> nw.LazyFrame[Any]:
        """The rows, with text as it stands where that is cheaper to count."""
        return self.frame if self._untrimmed is None else self._untrimmed

    @property
    def counting(self) -> nw.LazyFrame[Any] | None:
        """The rows with text as it stands beside trimmed text, where grouping by it is cheaper."""
        if self.stored is None:
            return self._counting
        return self.stored.counting if self.stored.session.blanks == BLANKS else None

    @property
    def _raw_rows(self) -> nw.LazyFrame[Any]:
        """The rows for those who trim labels themselves."""
        return self._opened if self._untrimmed is None else self._untrimmed

    @property
    def engine(self) -> str:
        """The name of the engine that counts."""
        engine = self._opened.implementation
        return engine_of(self._opened.to_native()) if engine.is_ibis() else str(engine.value)

    @property
    def is_remote(self) -> bool:
        """Whether rows and classes live elsewhere: from there nothing but aggregates is fetched."""
        return self.is_on_spark or bool(self._opened.implementation.is_ibis())

    @property
    def is_on_spark(self) -> bool:
        """Whether a Spark cluster holds the rows."""
        return bool(self._opened.implementation.is_spark_like())

    def require_local(self) -> None:
        """Raise unless rows and classes can be fetched: those of an engine elsewhere stay there."""
        if self.is_remote:
            raise NotMeasurableError(
                "{table}: this needs individual rows, which stay in {engine}; write the table, or "
                "a sample of it, to a file and use that",
                table=self._name,
                engine=self.engine,
            )

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        if self._rows is None and self._values:
            self._rows = int(next(iter(self._values.values())).counts.counts.sum())
        if self._rows is None:
            self._rows = self.number(self._raw_rows.select(nw.len().alias("rows")))
        return self._rows

    def value_counts(self, column: str) -> ValueCounts:
        """How often each value of a column occurs."""
        return self.values(column).counts

    def sensitive_values(self, column: str) -> ColumnValues:
        """The same as models of sensitive attributes count them: all spellings of a value as one.

        >>> import pyarrow as pa
        >>> from petaudit.tables import open_source
        >>> counts = open_source(pa.table({"illness": ["flu", "Flu", "5", "5.0"]})).counts
        >>> counts.value_counts("illness").labels
        ('5', '5.0', 'Flu', 'flu')
        >>> values = counts.sensitive_values("illness").counts
        >>> values.labels, values.counts.tolist(), values.merged
        (('5', 'Flu'), [2, 2], (2, 4))
        """
        return self.values(column).merged

    @_kept
    def coded_classes(self, quasi_identifiers: Sequence[str]) -> CodedClasses:
        """Every class with its size, as numbers: what several tables are compared by."""
        self.require_local()
        return self.combinations(quasi_identifiers)

    @_kept
    def combinations(self, columns: Sequence[str]) -> CodedClasses:
        """The same wherever the rows are: distinct combinations of labels leave their engine."""
        return count_coded_classes(self, columns)

    @_kept
    def hashed_classes(
        self, quasi_identifiers: Sequence[str]
    ) -> tuple[npt.NDArray[np.uint32], Integers, npt.NDArray[np.bool_]] | None:
        """The classes on Spark as numbers that say which cells are equal, if they can come here."""
        return hashed_classes(self, quasi_identifiers)

    def merged_classes(
        self, columns: Sequence[str], merged: Mapping[str, Integers]
    ) -> CodedClasses:
        """The same with labels that count as others, by their positions among the values.

        Our own files are counted so by the engine, and only these classes are fetched.
        """
        labels = tuple(self.value_counts(name).labels for name in columns)
        if self.load is not None:
            classes = self.collected(merged_groups(self, columns, merged))
            codes = tuple(
                whole_numbers(classes.column(f"code{place}")) for place in range(len(columns))
            )
            return CodedClasses(labels, codes, whole_numbers(classes.column("n")))
        fine = self.combinations(columns)
        codes = tuple(
            merged[name][code] if name in merged else code.astype(np.int64)
            for name, code in zip(columns, fine.codes, strict=True)
        )
        index = class_indices(codes, len(fine.sizes))
        _, first = np.unique(index, return_index=True)
        sizes = summed(index, fine.sizes, len(first))
        return CodedClasses(labels, tuple(code[first] for code in codes), sizes)

    def merged_number(self, columns: Sequence[str], merged: Mapping[str, Integers]) -> int:
        """How many classes :meth:`merged_classes` has."""
        if self.load is None:
            return len(self.merged_classes(columns, merged).sizes)
        classes = merged_groups(self, columns, merged)
        return self.number(classes.select(nw.len().alias("classes")))

    def class_histogram(self, quasi_identifiers: Sequence[str]) -> ClassHistogram:
        """How many classes have each size: one pass, and only the histogram leaves the engine."""
        wanted = frozenset(quasi_identifiers)
        if wanted not in self._histograms:
            histogram = self._histogram(class_keys(self, quasi_identifiers))
            self._histograms[wanted] = histogram
            if self._rows is None:
                self._rows = histogram.rows + histogram.suppressed_rows
        return self._histograms[wanted]

    def _histogram(self, keys: ClassKeys) -> ClassHistogram:
        counted = keys.collected(
            lambda keys: (
                keys.flagged(self.grouped(keys.rows, keys.names))
                .group_by("n", *keys.flags)
                .agg(nw.len().alias("classes"))
            )
        )
        sizes, classes = (whole_numbers(counted.column(name)) for name in ("n", "classes"))
        suppressed = is_marked(counted)
        kept = np.flatnonzero(~suppressed)
        kept = kept[np.argsort(sizes[kept])]
        self.agree_on_rows(int((sizes * classes).sum()))
        return ClassHistogram(sizes[kept], classes[kept], int(sizes[suppressed].sum()))

    def agree_on_rows(self, rows: int) -> None:
        """Raise if two counts of one table elsewhere differ: it gives other rows each time."""
        if self._rows is None:
            self._rows = rows
        elif self.is_remote and rows != self._rows:
            raise EngineError(
                "{table}: one query counted {first:,} rows and another {second:,}; a view that "
                "samples or draws its rows, or a table that changes meanwhile, has no figure: "
                "write its rows to a table first",
                table=self._name,
                first=self._rows,
                second=rows,
            )

    def knows_histogram(self, quasi_identifiers: Sequence[str]) -> bool:
        """Whether the histogram of these classes was already counted."""
        return frozenset(quasi_identifiers) in self._histograms

    @_kept
    def sample(self, quasi_identifiers: Sequence[str]) -> ClassHistogram:
        """The classes of the first rows."""
        return sample_classes(self, quasi_identifiers)

    def suppressed_rows(self, quasi_identifiers: Sequence[str]) -> int:
        """Rows whose every quasi-identifier is suppressed."""
        if self.knows_histogram(quasi_identifiers):
            return self.class_histogram(quasi_identifiers).suppressed_rows
        suppressed = self.all_suppressed(quasi_identifiers, self.keys(quasi_identifiers))
        if suppressed is None:
            return 0
        return self.number(self.frame.filter(suppressed == 1).select(nw.len().alias("rows")))

    def all_suppressed(
        self, quasi_identifiers: Sequence[str], names: Sequence[str]
    ) -> nw.Expr | None:
        """1 where all quasi-identifiers, under some names, are suppressed; None if none can be."""
        if not all(self.is_text(key) for key in self.keys(quasi_identifiers)):
            return None
        marks = [(nw.col(name) == SUPPRESSED).fill_null(False) for name in names]
        return nw.all_horizontal(*marks, ignore_nulls=False).cast(nw.Int64)

    @_kept
    def class_blocks(
        self, quasi_identifiers: Sequence[str], columns: Sequence[str], *, labels: bool = False
    ) -> ClassBlocks:
        """The classes with the counts of the values of some columns in them, counted once.

        Equal classes are one entry; with labels every class is one of its own.
        """
        blocks = find_class_blocks(self, quasi_identifiers, columns, labels=labels)
        if isinstance(blocks, HeldBlocks) and not self.knows_histogram(quasi_identifiers):
            self._histograms[frozenset(quasi_identifiers)] = blocks.histogram
        return blocks

    @_kept
    def by_person(self, quasi_identifiers: Sequence[str], person: str) -> TableCounts:
        """A table with a row per person and class: its counts are counts of people."""
        frame, names = one_row_per_person(self, quasi_identifiers, person)
        return TableCounts(frame, names, self._name)

    @_kept
    def people_blocks(
        self,
        quasi_identifiers: Sequence[str],
        columns: Sequence[str],
        person: str,
        *,
        labels: bool = False,
    ) -> ClassBlocks:
        """The classes with their people, and those who have the commonest value of each column."""
        return PeopleBlocks(self, quasi_identifiers, columns, person, labels=labels)

    @_kept
    def different(self, column: str) -> int:
        """How many different values a column has; a null is one."""
        name = self.position(column)
        values = self.grouped(self.frame.select(name), [name])
        return self.number(values.select(nw.len().alias("values")))

    def different_but_for_case(self, column: str) -> int:
        """How many different values a column of text has if upper and lower case are the same."""
        name = self.position(column)
        folded = self.frame.select(nw.col(name).str.to_lowercase().alias("x"))
        return self.number(self.grouped(folded, ["x"]).select(nw.len().alias("values")))

    def nameless_rows(self, column: str) -> int:
        """Rows whose cell of a column is empty or suppressed."""
        name = self.position(column)
        is_empty = nw.col(name).is_null()
        if self.is_text(name):
            is_empty = is_empty | (nw.col(name) == SUPPRESSED).fill_null(False)
        return self.number(self.frame.filter(is_empty).select(nw.len().alias("rows")))

    def columns_values(self, columns: Sequence[str], *, raw: bool = False) -> list[pa.ChunkedArray]:
        """The cells of columns in row order, from one query: rows without one stay together.

        ``raw`` leaves trimming text to the caller, who may have fewer distinct values to trim.
        """
        self.require_local()
        cells = [nw.col(self.position(name)).alias(f"x{i}") for i, name in enumerate(columns)]
        table = self.collected((self._raw_rows if raw else self.frame).select(*cells))
        return [table.column(f"x{i}") for i in range(len(columns))]

    @property
    def keeps_order(self) -> bool:
        """Whether rows come in one order whenever they are asked for: so it is with our own files.

        A query of somebody else may order its rows anew each time.
        """
        return self.load is not None or self.engine == "pyarrow"

    def row_codes(self, columns: Sequence[str]) -> list[RowCodes]:
        """For every row the position of its label in ``value_counts``, column by column.

        They are kept where rows have an order; elsewhere they come from one query each time.
        """
        if not self.keeps_order:
            return read_row_codes(self, columns)
        missing = [name for name in dict.fromkeys(columns) if name not in self._row_codes]
        if missing:
            self._row_codes |= zip(missing, read_row_codes(self, missing), strict=True)
        return [self._row_codes[name] for name in columns]

    def renamed(self, names: Mapping[str, str]) -> nw.LazyFrame[Any]:
        """Some columns under other names, still in their engine."""
        return self.frame.select(
            *(nw.col(self.position(name)).alias(alias) for name, alias in names.items())
        )

    def values(self, column: str) -> ColumnValues:
        """The counts of a column's values, and the cells of the raw frame that they stand for."""
        if column not in self._values:
            name = self.position(column)
            self._keep_values(column, *(self._values_in_arrow(name) or self._values_grouped(name)))
        return self._values[column]

    def _values_grouped(self, name: str) -> tuple[pa.Array, Integers]:
        counted = self.collected(self.grouped(self._raw_rows.select(name), [name]))
        times = whole_numbers(counted.column("n"))
        self.agree_on_rows(int(times.sum()))
        return counted.column(name).combine_chunks(), times

    def _values_in_arrow(self, name: str) -> tuple[pa.Array, Integers] | None:
        """The same for whole numbers and text of an Arrow table, several times as fast."""
        kind = self.schema[name]
        if self.engine != "pyarrow" or not (kind.is_integer() or isinstance(kind, nw.String)):
            return None
        column: pa.ChunkedArray = self._raw_rows.to_native().column(name)
        if isinstance(kind, nw.String | nw.UInt64) or column.null_count or not len(column):
            codes, cells = dictionary_cells(column)
            counts = np.bincount(codes, minlength=len(cells))
            # Cells as the trimmed frame has them, for those who look them up there.
            codes, trimmed = dictionary_cells(labelled_column(pa.chunked_array([cells])))
            return trimmed, np.bincount(codes, counts, len(trimmed)).astype(np.int64)
        numbers = whole_numbers(column)
        low, high = int(numbers.min()), int(numbers.max())
        if high - low < _BINS_PER_ROW * len(numbers):
            counts = np.bincount(numbers - low)
            places = np.flatnonzero(counts)
            different, counts = places + low, counts[places]
        else:
            different, counts = np.unique(numbers, return_counts=True)
        cells = arrow_integers(different)
        return cells if cells.type == column.type else cells.cast(column.type), counts

    def note_values(self, column: str, cells: pa.Array, codes: Integers) -> None:
        """Count the values of a column from the codes of its rows, which spares a query.

        Only of our own files is it certain that grouping would find the same cells, and of whole
        numbers and text in Arrow.
        """
        plain = pa.types.is_integer(cells.type) or is_text(cells.type)
        is_certain = self.load is not None or (plain and self.engine == "pyarrow")
        if is_certain and column not in self._values:
            self._keep_values(column, cells, np.bincount(codes, minlength=len(cells)))

    def _keep_values(self, column: str, cells: pa.Array, counts: Integers) -> None:
        self._values[column] = ColumnValues.of(cells, counts)

    def collected(self, lazy: nw.LazyFrame[Any]) -> pa.Table:
        """Run a query on this table's engine."""
        with stage(self._name, engine=self.engine):
            result = self._result(lazy)
            advance(self._name, result.num_rows)
            return result

    def _result(self, lazy: nw.LazyFrame[Any]) -> pa.Table:
        try:
            if lazy.implementation is nw.Implementation.DUCKDB:
                # The shorter way: narwhals would load its PyArrow side first.
                return lazy.to_native().to_arrow_table()
            if self.is_remote:
                return fetched(lazy, self._name)
            return lazy.collect().to_arrow()
        except Exception as problem:
            if is_interrupt(problem):
                raise KeyboardInterrupt from None
            if isinstance(problem, PetauditError):
                raise
            raise self.failure(problem) from None

    def failure(self, problem: Exception) -> EngineError:
        """What to say of an engine's failure: its message may quote cells, so only its kind."""
        return out_of_memory(problem) or EngineError(
            "{table}: {engine} failed while counting ({reason})",
            table=self._name,
            engine=self.engine,
            reason=failure_of(problem),
        )

    def is_countable(self, column: str) -> bool:
        """Whether the values of a column can be counted."""
        return not uncountable(self.schema[self._position[column]])

    def position(self, column: str) -> str:
        """The frame's own name of a column; an error if its kind cannot be counted."""
        name = self._position[column]
        if not self.is_countable(column):
            shown = column_named(column, [*self._position])
            kind = self.replaced.get(column, self.schema[name])
            if self.stored is not None and isinstance(kind, nw.Struct):
                # A type that PostgreSQL alone knows.
                kind = kind.fields[0].name
            raise not_countable(shown, kind, is_whole=self.is_remote)
        return name

    def keys(self, quasi_identifiers: Sequence[str]) -> list[str]:
        """The frame's own names of the quasi-identifiers."""
        return [self.position(name) for name in quasi_identifiers]

    def is_text(self, key: str) -> bool:
        """Whether a column of the frame holds text."""
        return isinstance(self.schema[key], nw.String)

    @staticmethod
    def grouped(rows: nw.LazyFrame[Any], keys: Sequence[str]) -> nw.LazyFrame[Any]:
        """The classes of some rows, with their sizes as ``n``."""
        return rows.group_by(*keys).agg(nw.len().alias("n"))

    def names_in_data(self) -> tuple[int, int]:
        """How many columns hold their own name as a value in the first rows, of how many.

        >>> from petaudit.tables import open_source
        >>> table = pa.table({"F": ["M", "F"], "city": ["Taipei", "Yilan"]})
        >>> open_source(table).counts.names_in_data()
        (1, 2)
        """
        places = [*self._position.items()][:_MOST_NAMES]
        holds = [(nw.col(place) == name).any().alias(place) for name, place in places]
        [row] = self.collected(self.frame.head(_FIRST_ROWS).select(*holds)).to_pylist()
        return sum(map(bool, row.values())), len(places)

    def number(self, lazy: nw.LazyFrame[Any]) -> int:
        """The one number that a query gives; a sum of nothing is 0."""
        [value] = self.collected(lazy).column(0).to_pylist()
        return int(value or 0)
