"""A synthetic table has the columns, the types and the spelling of the real one."""

from __future__ import annotations

import gzip
import re
from datetime import date, datetime
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import examples
from petaudit.synthesizing import METHODS, synthesize
from petaudit.synthesizing.copula import draw_independent, marginal_of
from petaudit.synthesizing.exchange import read_column
from synthesizing.tables import ROWS, every_type

COLUMNS = every_type()
LARGE_FLOAT = 1.7976931348623157e308


@pytest.fixture(scope="module", params=METHODS)
def made(request: pytest.FixtureRequest) -> pa.Table:
    return synthesize(pa.table(COLUMNS), request.param, seed=3)


def expected_type(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def test_names_order_and_rows_are_kept(made: pa.Table) -> None:
    assert made.column_names == list(COLUMNS)
    assert made.num_rows == ROWS
    made.validate(full=True)


@pytest.mark.parametrize("name", COLUMNS)
def test_the_type_is_kept_and_values_stay_in_their_range(made: pa.Table, name: str) -> None:
    kind = expected_type(COLUMNS[name].type)
    assert made.schema.field(name).type == kind
    given = COLUMNS[name].cast(kind) if kind != COLUMNS[name].type else COLUMNS[name]
    if given.null_count == len(given):
        assert made[name].null_count == ROWS
        return
    assert made[name].null_count / ROWS == pytest.approx(given.null_count / ROWS, abs=0.02)
    own, real = ([x for x in column.to_pylist() if x is not None] for column in (made[name], given))
    assert len(set(own)) >= min(9, len(set(real)))
    if "string" not in str(kind):
        assert min(real) <= min(own)
        assert max(own) <= max(real)


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("method", METHODS)
def test_the_type_of_a_single_column_and_row_is_kept(method: str, name: str) -> None:
    for cells in (COLUMNS[name], COLUMNS[name].slice(5, 1), COLUMNS[name].slice(0, 7)):
        alone = synthesize(pa.table({name: cells}), method, rows=9)
        assert alone.schema.field(name).type == expected_type(cells.type)
        assert alone.num_rows == 9


def test_decimals_are_kept(made: pa.Table) -> None:
    for name, decimals in (("decimals", 2), ("float32", 2), ("float16", 1)):
        texts = [str(x) for x in made[name].drop_null().to_numpy().tolist() if name == "decimals"]
        assert all(len(text.partition(".")[2]) <= decimals for text in texts)
        own = made[name].drop_null().cast(pa.float32()).to_numpy().astype(np.float32)
        assert (np.round(own.astype(float), decimals).astype(np.float32) == own).all()
    free = made["float64"].drop_null().to_numpy()
    assert (np.round(free, 6) != free).mean() > 0.99


def test_times_keep_their_unit_of_rounding() -> None:
    midnights = [datetime(2020, 1, 1 + i % 28) for i in range(28)]
    local = pa.array(
        [1_577_808_000 + 86_400 * i for i in range(500)], pa.timestamp("s", "Asia/Taipei")
    )
    made = synthesize(pa.table({"day": pa.array(midnights * 20)[:500], "local": local}))
    assert {value.hour for value in made["day"].to_pylist()} == {0}
    assert {value.hour for value in made["local"].to_pylist()} == {0}


def test_a_parquet_file_keeps_its_types(tmp_path: Path) -> None:
    path = tmp_path / "every.parquet"
    pq.write_table(pa.table(COLUMNS).drop(["string_view"]), path)  # old versions cannot write it
    stored = pq.read_schema(path)
    made = synthesize(path, rows=50)
    assert made.column_names == stored.names
    assert made.schema.types == [expected_type(kind) for kind in stored.types]


def test_several_parquet_files_are_one_table(tmp_path: Path) -> None:
    for name, value in (("a", 1), ("b", 2)):
        pq.write_table(
            pa.table({"x": pa.array([value] * 50, pa.int16())}), tmp_path / f"{name}.parquet"
        )
    made = synthesize(tmp_path, seed=1)
    assert made.schema.field("x").type == pa.int16()
    assert set(made["x"].to_pylist()) == {1, 2}
    assert made.num_rows == 100


FRAMES: dict[str, Any] = {
    "pandas": lambda: pd.DataFrame(
        {
            "c": pd.Categorical(["a", "b", None, "a"] * 9),
            "i": pd.array([1, 2, None, 2] * 9, "Int8"),
            "t": pd.to_datetime(["2020-01-01", "2021-01-01", None, "2020-01-01"] * 9),
            "f": [0.5, float("nan"), 0.5, 1.5] * 9,
        }
    ),
    "polars": lambda: pl.DataFrame(
        {
            "c": ["a", "b", None, "a"] * 9,
            "i": [1, 2, None, 2] * 9,
            "t": [date(2020, 1, 1), date(2021, 1, 1), None, date(2020, 1, 1)] * 9,
            "f": [0.5, float("nan"), 0.5, 1.5] * 9,
        },
        schema_overrides={"i": pl.Int8, "c": pl.Categorical},
    ),
    "duckdb": lambda: duckdb.sql(
        "SELECT 'a' AS c, range::TINYINT % 2::TINYINT AS i, DATE '2020-01-01' AS t, "
        "0.5::DOUBLE AS f FROM range(36)"
    ),
}


@pytest.mark.parametrize("engine", FRAMES)
@pytest.mark.parametrize("method", METHODS)
def test_any_frame_can_be_given(engine: str, method: str) -> None:
    drawn = synthesize(FRAMES[engine](), method, seed=2)
    made = pa.Table.from_pandas(drawn) if engine == "pandas" else pa.table(drawn)
    assert made.column_names == ["c", "i", "t", "f"]
    assert made.num_rows == 36
    assert str(made.schema.field("c").type) in ("string", "large_string", "string_view")
    assert made.schema.field("i").type == pa.int8()
    assert pa.types.is_temporal(made.schema.field("t").type)
    assert set(made["f"].to_pylist()) <= {0.5, 1.5, None}
    assert set(made["c"].to_pylist()) <= {"a", "b", None}


def test_numbers_and_dates_of_a_file_without_types_are_no_labels(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    lines = ["age;income;weight;day;seen;zip;city;code"]
    for i in range(600):
        income, weight = random.integers(10**6), random.integers(10**5)
        minute = int(random.integers(60))
        lines.append(
            f"{20 + i % 50};{income / 100:.2f};{weight / 1000:g};"
            f"2020-{1 + i % 12:02}-{1 + i % 28:02};"
            f"2020-01-{1 + i % 28:02}T{i % 24:02}:{minute:02};{i % 90:05};city {i % 5};"
            f"{'' if i % 4 else i}"
        )
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    made = synthesize(path, rows=400)
    assert {str(kind) for kind in made.schema.types} == {"string"}
    columns = made.to_pydict()
    assert {int(age) for age in columns["age"]} <= set(range(20, 70))
    assert all(len(text.partition(".")[2]) == 2 for text in columns["income"])
    assert len(set(columns["income"]) - {line.split(";")[1] for line in lines}) > 300
    assert all(not text.endswith(("0", ".")) or "." not in text for text in columns["weight"])
    assert all(date.fromisoformat(day).year == 2020 for day in columns["day"])
    assert all(datetime.fromisoformat(at) and at[10] == "T" for at in columns["seen"])
    assert {len(at) for at in columns["seen"]} == {16}
    assert set(columns["zip"]) <= {f"{i:05}" for i in range(90)}
    assert set(columns["city"]) == {f"city {i}" for i in range(5)}
    assert columns["code"].count(None) / 400 == pytest.approx(0.75, abs=0.08)
    assert all(code is None or code.isdigit() for code in columns["code"])


@pytest.mark.parametrize(
    ("cells", "pattern"),
    [
        (["0.30000000000000004", "12.5", "1e-20", "3.141592653589793"], r"-?\d+(\.\d+)?(e-?\d+)?"),
        (["1.0", "2.123456789", "3.5", "4.25"], r"\d\.\d{1,9}"),
        (["1", "2.123456789", "3.5", "4.25"], r"\d(\.\d{1,9})?"),
        (["-12", "0", "7", "100"], r"-?\d+"),
        (["-0.50", "0.00", "7.25", "100.75"], r"-?\d+\.\d\d"),
        (["2024-02-28", "2024-02-29"], r"2024-02-2[89]"),
        (["2024-02-28 10:00:00", "2024-02-29 11:30:07"], r"2024-02-2[89] \d\d:\d\d:\d\d"),
    ],
)
def test_numbers_and_dates_in_text_are_spelled_alike(cells: list[str], pattern: str) -> None:
    column = read_column(pa.array(cells), pa.string(), is_untyped=True)
    marginal, _ = marginal_of(column.numbers)
    blocks = draw_independent([marginal], 200, seed=1)
    numbers = np.concatenate([drawn for [(_, drawn)] in blocks])
    made = column.to_arrow(numbers, np.zeros(200, bool), 0).to_pylist()
    assert all(re.fullmatch(pattern, text) for text in made), made
    whole = column.to_arrow(column.numbers, np.zeros(len(cells), bool), 0).to_pylist()
    assert whole == cells


@pytest.mark.parametrize(
    "cells",
    [
        ["2023-02-29", "2023-02-28"],
        ["2023-02-28 25:00", "2023-02-28 12:00"],
        ["2023-02-28 12:00", "2023-02-28T13:00"],
        ["2023-02-28 12:00", "2023-02-28 13:00:00"],
        ["007", "1"],
        ["1e999", "1"],
        ["12", "?"],
        ["+1", "2"],
    ],
)
def test_other_text_is_taken_as_labels(cells: list[str], tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("x;y\n" + "".join(f"{cell};1\n" for cell in cells * 5), encoding="utf-8")
    assert set(synthesize(path, rows=50)["x"].to_pylist()) == set(cells)


def test_a_compressed_parquet_file_is_read_as_duckdb_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet.gz"
    with gzip.open(path, "wb") as file:
        pq.write_table(pa.table({"x": pa.array([1, 2] * 5, pa.int16())}), file)
    made = synthesize(path)
    assert made.schema.field("x").type == pa.int16()
    assert set(made["x"].to_pylist()) == {1, 2}


SOME_CELLS = st.one_of(
    st.tuples(st.just(pa.int8()), st.lists(st.none() | st.integers(-128, 127), min_size=1)),
    st.tuples(
        st.just(pa.int64()), st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), min_size=1)
    ),
    st.tuples(st.just(pa.uint64()), st.lists(st.none() | st.integers(0, 2**64 - 1), min_size=1)),
    st.tuples(st.just(pa.float64()), st.lists(st.none() | st.floats(), min_size=1)),
    st.tuples(st.just(pa.float32()), st.lists(st.none() | st.floats(width=32), min_size=1)),
    st.tuples(st.just(pa.string()), st.lists(st.none() | st.sampled_from("ab 1é"), min_size=1)),
    st.tuples(st.just(pa.bool_()), st.lists(st.none() | st.booleans(), min_size=1)),
    st.tuples(st.just(pa.date32()), st.lists(st.none() | st.dates(), min_size=1)),
    st.tuples(
        st.just(pa.decimal128(38, 5)),
        st.lists(st.none() | st.decimals(-(10**30), 10**30, places=5), min_size=1),
    ),
)


@settings(deadline=None, max_examples=examples(150))
@given(st.lists(SOME_CELLS, min_size=1, max_size=4), st.sampled_from(METHODS), st.integers(0, 9))
def test_any_table_is_drawn_within_its_range(
    columns: list[tuple[pa.DataType, list[Any]]], method: str, seed: int
) -> None:
    rows = min(len(cells) for _, cells in columns)
    table = pa.table({str(i): pa.array(own[:rows], kind) for i, (kind, own) in enumerate(columns)})
    made = synthesize(table, method, rows=20, seed=seed)
    assert made.schema == table.schema
    made.validate(full=True)
    for name in table.column_names:
        known = [x for x in table[name].to_pylist() if x is not None and x == x]
        own = made[name].drop_null().to_pylist()
        if made.schema.field(name).type == pa.string() or not own:
            continue
        if pa.types.is_decimal(made.schema.field(name).type):
            assert max(map(abs, own)) <= max(map(abs, known))
        else:
            assert min(known) <= min(own)
            assert max(own) <= max(known)


@pytest.mark.parametrize("method", METHODS)
def test_numbers_at_the_ends_of_their_types(method: str) -> None:
    ends = pa.table(
        {
            "int64": pa.array([-(2**63), 2**63 - 1, 0] * 50, pa.int64()),
            "uint64": pa.array([0, 2**64 - 1, 5] * 50, pa.uint64()),
            "int8": pa.array([-128, 127, 0] * 50, pa.int8()),
            "double": pa.array([LARGE_FLOAT, -LARGE_FLOAT, 5e-324] * 50),
            "inf": pa.array([float("inf"), float("-inf"), -0.0] * 50),
        }
    )
    made = synthesize(ends, method, rows=300)
    assert made.schema == ends.schema
    for name in ends.column_names:
        assert set(made[name].to_pylist()) == set(ends[name].to_pylist()), name
    assert not any(np.signbit(x) for x in made["inf"].to_numpy() if x == 0)


@pytest.mark.parametrize("method", METHODS)
def test_wide_spans_with_infinities(method: str) -> None:
    random = np.random.default_rng(1)
    spread = random.uniform(-1, 1, 3000) * LARGE_FLOAT
    spread[:300] = np.inf
    spread[300:450] = -np.inf
    numbers = random.integers(-(2**63), 2**63 - 1, 3000, endpoint=True)
    unsigned = random.integers(0, 2**64 - 1, 3000, np.uint64, endpoint=True)
    with np.errstate(all="raise"):
        made = synthesize(
            pa.table({"f": spread, "i": numbers, "u": unsigned}), method, rows=3000, seed=1
        )
    drawn = made["f"].to_numpy()
    assert not np.isnan(drawn).any()
    assert (drawn == np.inf).mean() == pytest.approx(0.1, abs=0.02)
    assert (drawn == -np.inf).mean() == pytest.approx(0.05, abs=0.02)
    assert np.median(made["u"].to_numpy().astype(float)) == pytest.approx(2.0**63, rel=0.1)
    assert (made["i"].to_numpy() < 0).mean() == pytest.approx(0.5, abs=0.04)


@pytest.mark.parametrize(
    ("form", "pattern"),
    [
        ("2020-01-{:02d} 10:20:30.{:03d}", r"2020-01-\d\d \d\d:\d\d:\d\d\.\d{3}"),
        ("2020-01-{:02d}T10:20:30.{:06d}Z", r"2020-01-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"),
        ("2020-01-{:02d} 10:20:30.{:09d}+08:00", r"2020-01-\d\d \d\d:\d\d:\d\d\.\d{9}\+08:00"),
        ("2020-01-{:02d} 10:20:{:02d}-0130", r"2020-01-\d\d \d\d:\d\d:\d\d-0130"),
        ("2020-01-{:02d} 10:{:02d}Z", r"2020-01-\d\d \d\d:\d\dZ"),
    ],
)
def test_moments_of_a_csv_keep_their_spelling(tmp_path: Path, form: str, pattern: str) -> None:
    cells = [form.format(number % 28 + 1, number % 60) for number in range(200)]
    path = tmp_path / "moments.csv"
    path.write_text("seen\n" + "\n".join(cells) + "\n")
    made = synthesize(path, rows=50).column("seen").to_pylist()
    assert all(re.fullmatch(pattern, cell) for cell in made)
    assert len(set(made)) > 20


def test_moments_of_a_csv_in_two_zones_are_labels(tmp_path: Path) -> None:
    path = tmp_path / "moments.csv"
    cells = ["2020-01-01 10:20Z", "2020-01-01 10:20+08:00"] * 10
    path.write_text("seen\n" + "\n".join(cells) + "\n")
    assert set(synthesize(path, rows=50).column("seen").to_pylist()) == set(cells)
