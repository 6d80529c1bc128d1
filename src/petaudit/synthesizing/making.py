"""Making a synthetic table: what the caller asks for, checked, and the way from table to table."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pyarrow as pa

from petaudit.errors import InputError, OptionError, listing, shortened, suggestion
from petaudit.synthesizing.copula import GaussianCopula, Marginal, draw_independent, marginal_of
from petaudit.synthesizing.exchange import Column, read_columns
from petaudit.synthesizing.normal import Slices
from petaudit.synthesizing.ordering import CellColumn, well_ordered
from petaudit.synthesizing.private.making import (
    DELTA,
    DELTAS,
    EPSILONS,
    MOST_ROWS_PER_PERSON,
    Privacy,
    PrivateTable,
    private_table,
)
from petaudit.synthesizing.private.noise import key_of, new_key
from petaudit.tables.result_frames import frame_kind, frame_of

METHODS: Final = ("gaussian-copula", "independent")
MOST_ROWS: Final = 1_000_000_000


def synthesize(
    table: object, method: str = "gaussian-copula", rows: int | None = None, seed: int = 0
) -> Any:
    """Draw a table with the columns and types of a given one, the same for the same seed.

    ``gaussian-copula`` keeps how pairs of columns vary together, ``independent`` draws every
    column independently. ``rows`` defaults to the number of rows of the table, which is a path or
    any frame that petaudit opens; labels of categories come back as text. A frame of pandas or
    Polars comes back in its kind, anything else as a PyArrow table.

    Values of single people are not repeated where they would identify: numbers, dates and times of
    which there are many, or that mostly occur once, are drawn from the spans between them. A text
    column whose values are shared by fewer than two rows on average is filled with placeholders.

    >>> import pyarrow as pa
    >>> ages = pa.array([31, 31, 47, 47], pa.int8())
    >>> people = pa.table({"name": ["Ann", "Bo", "Cy", "Di"], "age": ages})
    >>> drawn = synthesize(people, rows=3, seed=1)
    >>> drawn.column("name").to_pylist(), str(drawn.column("age").type)
    (['text 1', 'text 2', 'text 3'], 'int8')
    """
    if method not in METHODS:
        near = suggestion(method, METHODS) if isinstance(method, str) else ""
        raise OptionError(
            "unknown method {method} of a synthesizer{near}; known: {known}",
            method=shortened(repr(method)),
            near=near,
            known=listing(METHODS),
        )
    wanted = None if rows is None else _integer_within(rows, "rows", 1, MOST_ROWS)
    start = _integer_within(seed, "seed", 0, None)
    source, columns = read_columns(table)
    size = wanted or len(columns[0].is_null)
    if not len(columns[0].is_null):
        raise InputError(
            "{table} has no rows; a synthesizer has nothing to train on", table=source.name
        )
    cells = [_cells(column) for column in columns]
    if method == "independent":
        drawn = draw_independent([column.marginal for column in cells], size, start)
    else:
        cells = well_ordered(cells)
        marginals = [column.marginal for column in cells]
        drawn = GaussianCopula.fit(marginals, [column.cells for column in cells]).draw(size, start)
    blocks: list[list[pa.Array]] = []
    done = 0
    for block in drawn:
        arrays = []
        for column, cell_column, (places, numbers) in zip(columns, cells, block, strict=True):
            null = cell_column.marginal.null
            is_null = np.zeros(len(places), bool) if null is None else places == null
            arrays.append(column.to_arrow(numbers, is_null, done))
        blocks.append(arrays)
        done += len(block[0][0])
    chunks = [pa.chunked_array(arrays) for arrays in zip(*blocks, strict=True)]
    return _in_kind_of(table, pa.table(dict(zip(source.columns, chunks, strict=True))))


def synthesize_private(
    table: object,
    domain: Mapping[str, Any] | str,
    epsilon: float,
    delta: float = DELTA,
    *,
    rows: int | None = None,
    person: str | None = None,
    rows_per_person: int = 1,
    seed: int | None = None,
) -> PrivateTable:
    """Draw a differentially private table: noisy counts of columns and of pairs that depend most.

    Two tables are neighbours if one has a row more than the other, or with ``person`` all rows of
    one person, of whom ``rows_per_person`` are used at most. ``domain`` says without looking at the
    table what each column may hold: a list of values (None among them if cells may be empty), a
    range ``{"from": 17, "to": 90}`` with ``bins`` or ``cuts``, ``decimals`` and ``nulls``,
    ``"identifier"`` for a column that is not looked at and becomes placeholders, or
    ``"from-data"``, which reads it from the table and tells it without protection. Numbers beyond a
    range count as its end; rows with anything else that does not fit are left out.

    The result has the ``table``, its ``guarantee`` with ``sentences`` about it, and what was
    ``spent``. With a ``seed`` the table can be made again, and there is no guarantee.

    >>> import pyarrow as pa
    >>> ill = pa.table({"age": [31, 64, 47] * 400, "ill": ["no", "yes", "no"] * 400})
    >>> known = {"age": {"from": 18, "to": 97, "bins": 8}, "ill": ["yes", "no"]}
    >>> made = synthesize_private(ill, known, epsilon=1.0, seed=1)
    >>> made.table.column_names, made.epsilon_spent <= 1.0, made.guarantee.holds
    (['age', 'ill'], True, False)
    """
    for name, value, (least, most) in (("epsilon", epsilon, EPSILONS), ("delta", delta, DELTAS)):
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not least <= value <= most:
            raise OptionError(
                "{name} must be a number from {least:g} to {most:g}, got {value}",
                name=name,
                least=least,
                most=most,
                value=shortened(repr(value)),
            )
    wanted = None if rows is None else _integer_within(rows, "rows", 1, MOST_ROWS)
    many = _integer_within(rows_per_person, "rows_per_person", 1, MOST_ROWS_PER_PERSON)
    key = new_key() if seed is None else key_of(_integer_within(seed, "seed", 0, None))
    privacy = Privacy(float(epsilon), domain, float(delta), person, many)
    made = private_table(table, privacy, key, rows=wanted, is_seeded=seed is not None)
    return replace(made, table=_in_kind_of(table, made.table))


def _in_kind_of(given: object, drawn: pa.Table) -> Any:
    """The drawn table as a frame of the kind that was given."""
    kind = frame_kind(given)
    frame = frame_of(kind, drawn)
    if kind == "pandas":
        # Integers and truths with nulls have types of their own, which Arrow does not know.
        for name, dtype in zip(frame.columns, given.dtypes, strict=True):  # type: ignore[attr-defined]
            if dtype.kind in "biu" and frame[name].dtype != dtype:
                frame[name] = frame[name].astype(dtype)
    return frame


def _cells(column: Column) -> CellColumn:
    """Cut a column into cells; null is the last."""
    nulls = int(np.count_nonzero(column.is_null))
    if column.is_nominal:
        known = column.numbers
        labels = np.arange(int(known.max()) + 1)
        marginal = Marginal(labels, labels, Slices(np.bincount(known)))
    else:
        marginal, known = marginal_of(column.numbers)
    cells = known
    if nulls:
        cells = np.full(len(column.is_null), len(marginal.low), np.int64)
        cells[~column.is_null] = known
    return CellColumn(marginal.with_null(nulls), cells, column.is_nominal)


def _integer_within(number: object, name: str, least: int, most: int | None) -> int:
    try:
        integer = operator.index(number)  # type: ignore[arg-type]
    except TypeError:
        integer = least - 1
    if isinstance(number, bool) or integer < least or (most is not None and integer > most):
        value = shortened(repr(number))
        if most is None:
            raise OptionError(
                "{name} must be an integer >= {least:,}, got {value}",
                name=name,
                value=value,
                least=least,
            )
        raise OptionError(
            "{name} must be an integer from {least:,} to {most:,}, got {value}",
            name=name,
            value=value,
            least=least,
            most=most,
        )
    return integer
