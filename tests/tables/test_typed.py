"""Cells become those of a declared type, or are counted as breaks; a twin in Python says which."""

from __future__ import annotations

import gc
import tempfile
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from petaudit.tables import Source, open_source
from petaudit.tables.engines.duckdb import cursor
from petaudit.tables.typed import ColumnType, format_problem, typed_source
from strategies import on_engine
from tables.typed_twin import WRONG, decimals, lost, twin


def opened(cells: list[Any] | pa.Array, engine: str, folder: Path) -> Source:
    """The cells as a column, beside one that keeps a line of a CSV file from being empty."""
    columns = {"x": cells, "row": [f"r{i}" for i in range(len(cells))]}
    if engine == "parquet":
        path = folder / "table.parquet"
        pq.write_table(pa.table(columns), path)
        return open_source(path)
    return open_source(on_engine(columns, engine, folder / "table"))


def outcome(source: Source, wanted: ColumnType) -> tuple[list[Any] | None, list[int]]:
    """The converted cells, or how many cells break the type."""
    result, breaks = typed_source(source, {"x": wanted, "row": ColumnType("str")})
    assert all(one.column == "x" for one in breaks)
    if breaks:
        assert result is source
        return None, [one.cells for one in breaks]
    assert result.columns == source.columns
    assert result.paths == source.paths
    assert result.name == source.name
    assert not result.is_untyped
    assert result.to_arrow().column("row").to_pylist() == [f"r{i}" for i in range(source.rows)]
    return result.to_arrow().column("x").to_pylist(), []


TEXTS = {
    "int": ["5", "-7", "+5", "5.0", "5.", "007", "9223372036854775807", "-9223372036854775808"],
    "float": [
        "5",
        "0.1",
        "1e-7",
        "-0",
        ".5",
        "1E5",
        "1e-300",
        "0.30",
        "123456789012345.67",
        "1.25",
    ],
    "bool": ["true", "FALSE", "0", "1", "True"],
    "date": ["2024-02-29", "0001-01-01", "9999-12-31", "2024-02-29 00:00", "2024-02-29T00:00:00.0"],
    "str": ["00123", "nan", "é", "1", "true"],
}
ODD_TEXTS = [
    "5.5", "1_000", "0x10", "1e3", "9223372036854775808", "1e400", "nan", "inf", "yes", "", " ",
    "2024-02-30", "2023-02-29", "0000-01-01", "2024-2-9", "2024-02-29 10:00", "-", "+-1", "1.2.3",
    "１２", "epoch", "infinity", "01", "NULL", None, None,
    "1e-400", "9007199254740993", "0.10000000000000001", "1.000000000000000056e-01", "2e-323",
    "0.12345678901234567891", "1152921504606846976", "1e23", "0x1p3", "0.1000000000000000000",
]  # fmt: skip


@pytest.mark.parametrize("wanted", sorted(TEXTS))
def test_each_odd_text_by_itself(wanted: Any) -> None:
    texts = [text for text in ODD_TEXTS if text is not None]
    types = {f"n{i}": ColumnType(wanted) for i in range(len(texts))}
    source = open_source(pa.table({f"n{i}": [text] for i, text in enumerate(texts)}))
    wrong = {one.column for one in typed_source(source, types)[1]}
    result = [text for i, text in enumerate(texts) if f"n{i}" in wrong]
    is_lossy = {text for text in texts if wanted == "float" and lost([text])}
    assert result == [text for text in texts if twin(text, wanted) is WRONG or text in is_lossy]


FUZZ = st.text("0123456789+-.eE_xtruefalsTZ:\u00a0", max_size=12)


@st.composite
def text_columns(draw: st.DrawFn) -> tuple[str, list[str | None]]:
    wanted = draw(st.sampled_from(sorted(TEXTS)))
    good = st.sampled_from(TEXTS[wanted])
    # Mostly good cells: otherwise no column would be converted.
    cell = draw(st.sampled_from([good, st.one_of(good, st.sampled_from(ODD_TEXTS), FUZZ)]))
    return wanted, draw(st.lists(cell, min_size=1, max_size=12))


@given(column=text_columns(), engine=st.sampled_from(["csv", "parquet", "pyarrow"]), data=st.data())
def test_text_against_the_twin(
    column: tuple[str, list[str | None]], engine: str, data: st.DataObject
) -> None:
    wanted, cells = column
    nullable = data.draw(st.booleans())
    precision = data.draw(st.none() | st.integers(0, 8)) if wanted == "float" else None
    expected = [twin(cell, wanted) for cell in cells]
    with tempfile.TemporaryDirectory() as folder:
        source = opened(pa.array(cells, pa.string()).to_pylist(), engine, Path(folder))
        result, breaks = outcome(source, ColumnType(wanted, nullable, precision))  # type: ignore[arg-type]
    lossy = lost(cells) if wanted == "float" else 0
    assert (result, breaks) == _expected(expected, nullable, precision, lossy)


def _expected(
    cells: list[Any], nullable: bool, precision: int | None, lossy: int
) -> tuple[list[Any] | None, list[int]]:
    breaks = [sum(cell is WRONG for cell in cells), lossy]
    breaks.append(0 if nullable else sum(cell is None for cell in cells))
    numbers = [] if precision is None else [cell for cell in cells if isinstance(cell, float)]
    breaks.append(sum(decimals(number) > (precision or 0) for number in numbers))
    return (None if any(breaks) else cells), [count for count in breaks if count]


def to_20(number: Decimal) -> Decimal:
    return number.quantize(Decimal(1).scaleb(-20))


TYPED_CELLS: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    "integers": (pa.int64(), st.integers(-(2**63), 2**63 - 1) | st.integers(-1, 2)),
    "small integers": (pa.int8(), st.integers(0, 2)),
    "floats": (pa.float64(), st.floats() | st.integers(-5, 5).map(float) | st.just(0.25)),
    "decimals": (pa.decimal128(12, 3), st.sampled_from([Decimal("1.250"), Decimal("-3.000")])),
    "long decimals": (
        pa.decimal128(38, 20),
        st.decimals(-(10**17), 10**17, places=20) | st.decimals(-9, 9, places=3).map(to_20),
    ),
    "whole decimals": (pa.decimal128(38), st.integers(-(2**120), 2**120).map(Decimal)),
    "booleans": (pa.bool_(), st.booleans()),
    "dates": (pa.date32(), st.dates()),
    "moments": (
        pa.timestamp("us"),
        st.dates().map(lambda day: datetime(day.year, day.month, day.day)) | st.datetimes(),
    ),
}


@given(
    kind=st.sampled_from(sorted(TYPED_CELLS)),
    wanted=st.sampled_from(["int", "float", "str", "date", "datetime", "bool"]),
    engine=st.sampled_from(["parquet", "pyarrow", "polars"]),
    data=st.data(),
)
def test_typed_columns_against_the_twin(
    kind: str, wanted: str, engine: str, data: st.DataObject
) -> None:
    dtype, cell = TYPED_CELLS[kind]
    cells = data.draw(st.lists(st.none() | cell, min_size=1, max_size=8))
    nullable = data.draw(st.booleans())
    precision = data.draw(st.none() | st.integers(0, 20)) if wanted == "float" else None
    expected = [twin(value, wanted) for value in cells]
    with tempfile.TemporaryDirectory() as folder:
        source = opened(pa.array(cells, dtype), engine, Path(folder))
        result, breaks = outcome(source, ColumnType(wanted, nullable, precision))  # type: ignore[arg-type]
    lossy = lost(cells) if wanted == "float" else 0
    assert (result, breaks) == _expected(expected, nullable, precision, lossy)


NOON = datetime(2024, 2, 29, 12)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["2024-02-29", "2024-02-29T12:00", None], [datetime(2024, 2, 29), NOON, None]),
        (
            ["2024-02-29 12:00:00.5", "2024-02-29 12:00:00.123456000"],
            [NOON + timedelta(seconds=0.5), NOON + timedelta(microseconds=123456)],
        ),
        (
            ["2024-02-29T12:00Z", "2024-02-29 14:00:00+02:00", "2024-02-29T06:30-0530"],
            [NOON.replace(tzinfo=UTC)] * 3,
        ),
        (["2024-02-29T12:00Z", "2024-02-29 12:00"], "not datetime without a time zone"),
        (["2024-02-29T12:00Z"] * 2 + ["2024-02-29"], "not datetime with a time zone"),
        (["2024-02-29 24:00"], "not datetime"),
        (["2024-02-29T12:00+25:00"], "not datetime"),
        (["0001-01-01T00:00+10:00"], "not datetime"),
        (["0000-01-01 00:00"], "not datetime"),
        (["now"], "not datetime"),
    ],
)
@pytest.mark.parametrize("engine", ["csv", "parquet"])
def test_date_times(cells: list[str], expected: Any, engine: str, tmp_path: Path) -> None:
    source = opened(cells, engine, tmp_path)
    result, breaks = typed_source(source, {"x": ColumnType("datetime"), "row": ColumnType("str")})
    if isinstance(expected, str):
        assert [(one.cells, one.problem) for one in breaks] == [(1, f"1 cell that is {expected}")]
    else:
        assert breaks == ()
        assert result.to_arrow().column("x").to_pylist() == expected


def test_nanoseconds_are_kept(tmp_path: Path) -> None:
    source = opened(["2024-02-29 12:00:00.000000001", "2024-02-29"], "csv", tmp_path)
    result, _ = typed_source(source, {"x": ColumnType("datetime"), "row": ColumnType("str")})
    column = result.to_arrow().column("x")
    assert column.type == pa.timestamp("ns")
    assert column.cast(pa.int64()).to_pylist()[0] % 1000 == 1
    moments = pa.array([86_400 * 10**9, 86_400 * 10**9 + 1], pa.timestamp("ns"))
    assert outcome(opened(moments, "parquet", tmp_path), ColumnType("date")) == (None, [1])


@pytest.mark.parametrize(
    ("wanted", "format_", "cells", "expected"),
    [
        ("date", "%d/%m/%Y", ["1/2/2024", "29/02/2024"], [date(2024, 2, 1), date(2024, 2, 29)]),
        ("date", "%d/%m/%Y", ["2024-02-01", "30/02/2024", "1/1/0"], 3),
        ("date", "%d.%m.%Y %H:%M", ["01.02.2024 00:00"], [date(2024, 2, 1)]),
        ("date", "%d.%m.%Y %H:%M", ["01.02.2024 00:01"], 1),
        ("date", "it's %Y", ["it's 2024"], [date(2024, 1, 1)]),
        ("datetime", "%Y%m%d%H", ["2024022912"], [NOON]),
        ("datetime", "%Y%m%d %H %z", ["20240229 14 +0200"], [NOON.replace(tzinfo=UTC)]),
    ],
)
def test_formats(
    wanted: Any, format_: str, cells: list[str], expected: list[Any] | int, tmp_path: Path
) -> None:
    result = outcome(opened(cells, "csv", tmp_path), ColumnType(wanted, format=format_))
    assert result == ((None, [expected]) if isinstance(expected, int) else (expected, []))


@pytest.mark.parametrize(
    ("wanted", "format_", "problem"),
    [
        ("date", "%d.%m.%Y", None),
        ("datetime", "%Y-%m-%d %z", None),
        ("date", "%Y-%m-%d %z", "has a time zone"),
        ("date", "%", "strptime does not know it"),
        ("date", "", "strptime does not know it"),
        ("date", "100%%Y", "parses nothing"),
    ],
)
def test_the_problem_of_a_format(wanted: str, format_: str, problem: str | None) -> None:
    result = format_problem(wanted, format_)
    assert (result is None) if problem is None else (result is not None and problem in result)


@pytest.mark.parametrize(
    ("cells", "precision", "wrong"),
    [
        (pa.array([0.1, 1.1, 16777216.0], pa.float32()), 1, []),
        (pa.array([0.25, -32700.0625], pa.float32()), 1, [2]),
        # Written as briefly as a float of 32 bits can be, this is -32700.062.
        (pa.array([-32700.0625], pa.float32()), 3, []),
        (pa.array([1e22, 123456789012345.67, 5e-324]), 2, [1]),
        (pa.array([0.1 + 0.2]), 16, [1]),
        (pa.array([0.1 + 0.2]), 17, []),
    ],
)
def test_precision_is_that_of_the_shortest_form(
    cells: pa.Array, precision: int, wrong: list[int], tmp_path: Path
) -> None:
    source = opened(cells, "parquet", tmp_path)
    assert outcome(source, ColumnType("float", precision=precision))[1] == wrong


KEPT = [
    ["0.1", "0.10", "1e3", "1000.0", "-0", "+.5", "0.30000000000000004", "1E23", "00.50"],
    ["9007199254740992", "123456789012345.67", "5e-324", "1.7976931348623157e308"],
    # As %.17g, %.18e and %.20f write them.
    ["0.10000000000000001", "0.5", "3", "0.29999999999999999"],
    ["1.000000000000000056e-01", "5.000000000000000000e-01", "3.333333333333333148e-01"],
    ["0.10000000000000000555", "12345.67799999999988358468"],
    # Doubles written out, though their shortest forms end earlier.
    ["1180591620717411303424", "90071992547409936", "100000000000000000"],
    # Zero-padded, as JavaScript writes.
    ["123456789012345680000", "0.1"],
]
LOST = [
    (["9007199254740992", "9007199254740993"], 1),
    ([str(10**17 + i) for i in range(1, 13)], 12),
    ([f"{10**17 + i}.0" for i in (0, 1)], 1),
    (["0.1234567890123456789", "0.1"], 1),
    (["1.0000000000000000000000001", "1"], 1),
    # One float in two forms, which would become one.
    (["0.1", "0.10000000000000001"], 1),
    (["123456789012345680000", "123456789012345683968"], 1),
    (["1234567890123456.75", "1234567890123456.80"], 1),
    (["1e-400", "0", "4e-324"], 2),
    (["0." + "1" * 900, "0.1"], 1),
]


@pytest.mark.parametrize("engine", ["csv", "parquet", "pandas"])
def test_digits_that_a_float_keeps(engine: str, tmp_path: Path) -> None:
    for cells in KEPT:
        result, breaks = outcome(opened([*cells, None], engine, tmp_path), ColumnType("float"))
        assert (result, breaks) == ([*map(float, cells), None], [])


@pytest.mark.parametrize(("cells", "wrong"), LOST)
@pytest.mark.parametrize("engine", ["csv", "parquet"])
def test_digits_that_a_float_loses(
    cells: list[str], wrong: int, engine: str, tmp_path: Path
) -> None:
    source = opened([*cells, None], engine, tmp_path)
    _, [result] = typed_source(source, {"x": ColumnType("float"), "row": ColumnType("str")})
    said = "1 cell that loses" if wrong == 1 else f"{wrong} cells that lose"
    assert result.problem == f"{said} digits as float (use int or str)"
    assert lost(cells) == wrong


@pytest.mark.parametrize(
    ("cells", "wrong", "instead"),
    [
        ("SELECT unnest([9007199254740992, -5, 4611686018427387904]) AS x", 0, ""),
        ("SELECT 100000000000000000 + i AS x FROM range(16) r(i)", 15, "use int or str"),
        ("SELECT 18446744073709551615::UBIGINT AS x", 1, "use int or str"),
        ("SELECT 100000000000000000::HUGEINT + i AS x FROM range(16) r(i)", 15, "use str"),
        ("SELECT 170141183460469231731687303715884105727::HUGEINT AS x", 1, "use str"),
        ("SELECT 340282366920938463463374607431768211455::UHUGEINT AS x", 1, "use str"),
        ("SELECT 170141183460469231731687303715884105728::UHUGEINT AS x", 0, ""),
        ("SELECT unnest([0.1, 1.25, 12345.678])::DECIMAL(38, 20) AS x", 0, ""),
        ("SELECT 100000000000000000::DECIMAL(38) + i AS x FROM range(3) r(i)", 2, "leave out its"),
        ("SELECT '0.12345678901234567891'::DECIMAL(38, 20) AS x", 1, "leave out its type"),
        ("SELECT unnest([1.25, 99999999.99])::DECIMAL(12, 2) AS x", 0, ""),
    ],
)
def test_numbers_that_lose_digits(cells: str, wrong: int, instead: str, tmp_path: Path) -> None:
    relation = duckdb.connect().sql(cells)
    source = open_source(relation)
    # Parquet has no integers of 128 bits.
    if "HUGEINT" not in cells:
        relation.write_parquet(str(tmp_path / "x.parquet"))
        source = open_source(tmp_path / "x.parquet")
    _, breaks = typed_source(source, {"x": ColumnType("float")})
    assert [one.cells for one in breaks] == ([wrong] if wrong else [])
    assert all(f"digits as float ({instead}" in one.problem for one in breaks)
    assert typed_source(source, {"x": ColumnType("float", precision=30)})[1] == breaks


PRINTED = ["{!r}", "{:.15g}", "{:.16g}", "{:.17g}", "{:.18e}", "{:.20f}", "{:.1f}", "{:.60g}"]
NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.floats(-1e18, 1e18).map(round)


@given(
    numbers=st.lists(NUMBERS | st.sampled_from([0.1, 2.0**60, 1e23]), min_size=1, max_size=6),
    forms=st.lists(st.sampled_from(PRINTED), min_size=1, max_size=2),
)
def test_no_two_numbers_become_one(numbers: list[float], forms: list[str]) -> None:
    cells = [form.format(number) for form in forms for number in numbers]
    source = open_source(pa.table({"x": cells}))
    result, breaks = typed_source(source, {"x": ColumnType("float")})
    wrong = [twin(cell, "float") for cell in cells].count(WRONG)
    assert [one.cells for one in breaks] == [count for count in (wrong, lost(cells)) if count]
    if len(forms) == 1 and not breaks:
        kept = set(result.to_arrow()["x"].to_pylist())
        assert len(kept) == len({Decimal(cell) for cell in cells})


@pytest.mark.parametrize("kind", ["HUGEINT", "DECIMAL(38)", "VARCHAR"])
def test_a_float_is_the_nearest_one(kind: str) -> None:
    # Converted by DuckDB itself, the integer becomes a neighbour.
    number = 210849234321924800000
    source = open_source(duckdb.connect().sql(f"SELECT '{number}'::{kind} AS x"))
    result, breaks = typed_source(source, {"x": ColumnType("float")})
    assert breaks == ()
    assert result.to_arrow()["x"].to_pylist() == [float(number)]


def test_blank_text_is_null_in_every_alphabet(tmp_path: Path) -> None:
    cells = ["", " ", "\u3000", "\u00a0\t", "胃癌", "a", " b", "~", "é", None]
    source = opened(cells, "parquet", tmp_path)
    assert outcome(source, ColumnType("str", nullable=False)) == (None, [5])
    spelled = opened([" 5 ", "\u30006", " "], "parquet", tmp_path)
    result, _ = typed_source(spelled, {"x": ColumnType("int"), "row": ColumnType("str")})
    assert result.counts.value_counts("x").labels == ("5", "6", None)
    assert result.counts.class_histogram(["x", "row"]).sizes.tolist() == [1]


@pytest.mark.parametrize("engine", ["parquet", "pyarrow", "pandas", "polars", "duckdb"])
def test_a_table_that_fits_comes_back_itself(engine: str, tmp_path: Path) -> None:
    source = opened([1, 2, 3], engine, tmp_path)
    types = {"x": ColumnType("int", nullable=False), "row": ColumnType("str", nullable=False)}
    assert typed_source(source, types) == (source, ())


@pytest.mark.parametrize("engine", ["parquet", "pyarrow", "pandas", "polars", "duckdb"])
def test_every_engine_converts(engine: str, tmp_path: Path) -> None:
    source = opened(["3", "1.0", None], engine, tmp_path)
    assert outcome(source, ColumnType("int")) == ([3, 1, None], [])
    assert outcome(source, ColumnType("int", nullable=False)) == (None, [1])


def test_text_without_a_declared_type_may_still_be_read_as_numbers(tmp_path: Path) -> None:
    source = opened(["3", "1"], "csv", tmp_path)
    result, _ = typed_source(source, {"x": ColumnType(), "row": ColumnType("str")})
    assert result is source
    result, _ = typed_source(source, {"x": ColumnType("str"), "row": ColumnType("str")})
    assert not result.is_untyped
    assert result.counts is source.counts


def _relations() -> set[str]:
    rows = cursor().execute("SELECT table_name FROM information_schema.tables").fetchall()
    return {name for (name,) in rows}


@pytest.mark.parametrize("engine", ["csv", "parquet", "pyarrow"])
def test_what_was_stored_goes_with_the_table(engine: str, tmp_path: Path) -> None:
    gc.collect()
    before = _relations()
    source = opened(["3", "1"], engine, tmp_path)
    result, _ = typed_source(source, {"x": ColumnType("int"), "row": ColumnType("str")})
    # The table below may be forgotten, and what it was made into still counts.
    del source
    gc.collect()
    assert result.counts.value_counts("x").labels == ("1", "3")
    assert _relations() - before
    del result
    gc.collect()
    assert _relations() - before == set()


def test_a_large_file_keeps_its_order(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    path.write_text("n;t\n" + "".join(f"{i};{i}.0\n" for i in range(300_000)), encoding="utf-8")
    types = {"n": ColumnType("int"), "t": ColumnType("int")}
    result, _ = typed_source(open_source(path), types)
    assert result.to_arrow().column("t").to_pylist() == list(range(300_000))
    assert result.counts.class_histogram(["n", "t"]).classes.tolist() == [300_000]
    assert result.fingerprint()["sha256"] == open_source(path).fingerprint()["sha256"]


def test_a_wide_file(tmp_path: Path) -> None:
    names = [f"n{i}" for i in range(1_200)]
    path = tmp_path / "wide.csv"
    path.write_text(";".join(names) + "\n" + ";".join("1" for _ in names) + "\n", encoding="utf-8")
    result, breaks = typed_source(open_source(path), dict.fromkeys(names, ColumnType("int")))
    assert breaks == ()
    assert {cells.type for cells in result.counts.columns_values(names)} == {pa.int64()}


@pytest.mark.parametrize(
    ("cells", "wanted", "problem"),
    [
        ([1.5, 2.0], "str", "2 cells that are not str (the column holds floats)"),
        ([b"x"], "str", "1 cell that is not str (the column holds values of another kind)"),
        ([True], "int", "1 cell that is not int (the column holds booleans)"),
        ([2, 3, 1], "bool", "2 cells that are not bool (the column holds integers)"),
    ],
)
def test_the_message_says_what_the_column_holds(
    cells: list[Any], wanted: Any, problem: str, tmp_path: Path
) -> None:
    source = opened(pa.array(cells), "parquet", tmp_path)
    _, [result] = typed_source(source, {"x": ColumnType(wanted), "row": ColumnType("str")})
    assert result.problem == problem


def test_numbers_beyond_64_bits(tmp_path: Path) -> None:
    unsigned = opened(pa.array([2**64 - 1], pa.uint64()), "parquet", tmp_path)
    assert outcome(unsigned, ColumnType("int")) == ([2**64 - 1], [])
    assert outcome(unsigned, ColumnType("str")) == (["18446744073709551615"], [])
    make: Callable[[str], Any] = duckdb.connect().sql
    huge = open_source(make("SELECT 170141183460469231731687303715884105727::HUGEINT AS x"))
    assert typed_source(huge, {"x": ColumnType("int")})[1][0].cells == 1
    assert typed_source(huge, {"x": ColumnType("str")})[1] == ()
