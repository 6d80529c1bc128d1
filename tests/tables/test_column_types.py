"""What columns of frames can hold: the figures of the same cells as text, or one clear error."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from uuid import UUID

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import petaudit
from petaudit.errors import ColumnError
from petaudit.tables import open_source

Cells = list[str | None]
LARGE, LARGER, HUGE = 2**63 + 1, 2**64 - 1, 10**50
DAY, LATER = dt.date(2020, 1, 1), dt.date(2021, 5, 31)
ONE, OTHER = UUID(int=1), UUID(bytes=b"\xff" * 16)
BREAKS = ["(0, 5]", "(0, 5]", "(5, 10]", None]
IN_BREAKS = [1, 2, 8, 90]


def pandas(cells: Any, dtype: Any = None) -> pd.DataFrame:
    return pd.DataFrame({"a": pd.Series(cells, dtype=dtype)})


def polars(cells: Any, dtype: Any = None) -> pl.DataFrame:
    return pl.DataFrame({"a": pl.Series(cells, dtype=dtype)})


def arrow(cells: Any, kind: pa.DataType | None = None) -> pa.Table:
    return pa.table({"a": cells if isinstance(cells, pa.Array) else pa.array(cells, kind)})


def stored(kind: Any, cells: Any, storage: pa.DataType) -> pa.Table:
    return arrow(pa.ExtensionArray.from_storage(kind, pa.array(cells, storage)))


COUNTED: dict[str, tuple[Callable[[], Any], Cells]] = {
    # As pandas writes them into a file.
    "pandas cut": (lambda: pandas(pd.cut(IN_BREAKS, [0, 5, 10])), BREAKS),
    "pandas cut, labels": (
        lambda: pandas(pd.cut(IN_BREAKS, [0, 5, 10], labels=["low", "high"])),
        ["low", "low", "high", None],
    ),
    "pandas qcut": (
        lambda: pandas(pd.qcut([1.0, 2, 8, 9], 2)),
        ["(0.999, 5.0]", "(0.999, 5.0]", "(5.0, 9.0]", "(5.0, 9.0]"],
    ),
    "pandas interval": (
        lambda: pandas(pd.cut(IN_BREAKS[:3], [0, 5, 10]).astype("interval")),
        BREAKS[:3],
    ),
    "pandas interval, objects with a null": (
        lambda: pandas([pd.Interval(0, 5), None, pd.Interval(0, 5)], object),
        ["(0, 5]", None, "(0, 5]"],
    ),
    "pandas period": (
        lambda: pandas(pd.PeriodIndex(["2020-01", "2020-01", "2020-02", None], freq="M")),
        ["2020-01", "2020-01", "2020-02", None],
    ),
    "pandas category of periods": (
        lambda: pandas(pd.PeriodIndex(["2020-01", None, "2020-02"], freq="M"), "category"),
        ["2020-01", None, "2020-02"],
    ),
    "pandas category of numbers": (
        lambda: pandas([1, 1, 2, None], "category"),
        ["1", "1", "2", None],
    ),
    "pandas category of dates": (
        lambda: pandas(pd.Categorical([DAY, LATER, DAY])),
        ["2020-01-01", "2021-05-31", "2020-01-01"],
    ),
    "pandas uint64": (
        lambda: pandas(np.array([LARGE, LARGE, LARGER, 1], "uint64")),
        [str(LARGE), str(LARGE), str(LARGER), "1"],
    ),
    "pandas UInt64": (
        lambda: pandas([LARGE, LARGE, LARGER, None], "UInt64"),
        [str(LARGE), str(LARGE), str(LARGER), None],
    ),
    "pandas small UInt64": (lambda: pandas([5, 5, None], "UInt64"), ["5", "5", None]),
    "pandas integers of Python": (
        lambda: pandas([LARGER + 2, LARGER + 2, -5, None], object),
        [str(LARGER + 2), str(LARGER + 2), "-5", None],
    ),
    "pandas integers of 50 digits": (
        lambda: pandas([HUGE, HUGE + 1, HUGE], object),
        [str(HUGE), str(HUGE + 1), str(HUGE)],
    ),
    "pandas sparse": (lambda: pandas(pd.arrays.SparseArray([0, 0, 1])), ["0", "0", "1"]),
    "pandas decimals": (
        lambda: pandas([Decimal("1.5"), Decimal("1.50"), None, Decimal("2.25")], object),
        ["1.5", "1.5", None, "2.25"],
    ),
    "pandas UUIDs": (lambda: pandas([ONE, OTHER, ONE], object), [str(ONE), str(OTHER), str(ONE)]),
    "polars categorical": (lambda: polars(["x", " x", None], pl.Categorical), ["x", "x", None]),
    "polars enum": (lambda: polars(["x", "y", None], pl.Enum(["y", "x"])), ["x", "y", None]),
    "polars decimal": (
        lambda: polars([Decimal("1.50"), Decimal("2.25"), None], pl.Decimal(20, 2)),
        ["1.5", "2.25", None],
    ),
    "polars int128": (
        lambda: polars([2**100, 2**100, -1, None], pl.Int128),
        [str(2**100), str(2**100), "-1", None],
    ),
    "polars uint64": (
        lambda: polars([LARGE, LARGE, LARGER, None], pl.UInt64),
        [str(LARGE), str(LARGE), str(LARGER), None],
    ),
    "polars null": (lambda: polars([None, None], pl.Null), [None, None]),
    "arrow dictionary": (
        lambda: arrow(pa.array(["x", "x", None]).dictionary_encode()),
        ["x", "x", None],
    ),
    "arrow dictionary of numbers": (
        lambda: arrow(pa.array([LARGE, LARGE, 1], pa.uint64()).dictionary_encode()),
        [str(LARGE), str(LARGE), "1"],
    ),
    "arrow uint64": (
        lambda: arrow([LARGE, LARGE, LARGER, None], pa.uint64()),
        [str(LARGE), str(LARGE), str(LARGER), None],
    ),
    "arrow decimal256": (
        lambda: arrow([Decimal(HUGE), None], pa.decimal256(70)),
        [str(HUGE), None],
    ),
    "arrow runs": (
        lambda: arrow(pa.RunEndEncodedArray.from_arrays([2, 3], ["x", "y"])),
        ["x", "x", "y"],
    ),
    "arrow string view": (lambda: arrow(["x ", None, "x"], pa.string_view()), ["x", None, "x"]),
    "arrow UUID": (
        lambda: stored(pa.uuid(), [ONE.bytes, OTHER.bytes, None], pa.binary(16)),
        [str(ONE), str(OTHER), None],
    ),
}
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "pandas complex": (lambda: pandas([1j, 2j]), "is of kind complex128"),
    "pandas long floats": (lambda: pandas(np.array([1, 2], np.longdouble)), "is of kind float"),
    "pandas mixture": (lambda: pandas([1, "1", 2.5], object), "mixes values of different kinds"),
    "pandas mixed categories": (lambda: pandas(pd.Categorical([1, "x"])), "mixes values"),
    "pandas integers of 80 digits": (lambda: pandas([10**80, 1], object), "more than 76 digits"),
    "pandas lists": (lambda: pandas([[1], [2]], object), "is of kind List"),
    "pandas objects": (lambda: pandas([object(), object()], object), "is of kind object"),
    "pandas bytes": (lambda: pandas([b"x", b"y"], object), "is of kind Binary"),
    "polars list": (lambda: polars([[1], [2]]), "is of kind List"),
    "polars struct": (lambda: polars([{"x": 1}, {"x": 2}]), "is of kind Struct"),
    "polars objects": (lambda: polars([object(), object()], pl.Object), "is of kind Object"),
    "arrow map": (lambda: arrow([[("x", 1)]], pa.map_(pa.string(), pa.int8())), "is of kind map,"),
    "arrow bytes of one length": (
        lambda: arrow([b"\xff"], pa.binary(1)),
        "is of kind fixed_size_binary,",
    ),
    "arrow calendar interval": (
        lambda: arrow([(1, 2, 3)], pa.month_day_nano_interval()),
        "is of kind month_day_nano_interval",
    ),
    "arrow union": (
        lambda: arrow(
            pa.UnionArray.from_sparse(
                pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["a", "b"])]
            )
        ),
        "is of kind sparse_union,",
    ),
    "arrow interval of pandas": (
        lambda: pa.Table.from_pandas(pandas(pd.cut(IN_BREAKS, [0, 5, 10]))),
        "is of kind Struct",
    ),
}


def with_group(frame: Any) -> Any:
    """The same beside a column ``q`` of two values."""
    groups = [str(place % 2) for place in range(len(frame))]
    if isinstance(frame, pd.DataFrame):
        return frame.assign(q=groups)
    if isinstance(frame, pl.DataFrame):
        return frame.with_columns(q=pl.Series(groups))
    return frame.append_column("q", pa.array(groups))


def figures(table: Any) -> list[dict[str, Any]]:
    """The column as one that others know, and as a sensitive one."""
    known: dict[str, Any] = {"quasi_identifiers": ["a", "q"]}
    sensitive: dict[str, Any] = {"quasi_identifiers": "q", "sensitive": "a"}
    results = [
        petaudit.k_anonymity(table, limit=2, **known),
        petaudit.special_uniques(table, **known),
        petaudit.distinction(table, **known),
        petaudit.l_diversity(table, limit=2, **sensitive),
        petaudit.t_closeness(table, **sensitive),
    ]
    return [result.to_dict() for result in results]


@pytest.mark.parametrize("case", COUNTED)
def test_the_figures_of_the_same_cells_as_text(case: str) -> None:
    make, texts = COUNTED[case]
    frame = with_group(make())
    text = pa.table({"a": pa.array(texts, pa.string())})
    assert figures(frame) == figures(with_group(text))
    labels = open_source(frame).counts.value_counts("a").labels
    assert set(labels) == set(texts)


@pytest.mark.parametrize("case", REFUSED)
def test_one_clear_error(case: str) -> None:
    make, said = REFUSED[case]
    frame = with_group(make())
    for measure, roles in (
        (petaudit.k_anonymity, {"quasi_identifiers": "a"}),
        (petaudit.l_diversity, {"quasi_identifiers": "q", "sensitive": "a"}),
    ):
        with pytest.raises(ColumnError, match=f"^column 'a' .*{said}|^column 'a' {said}") as caught:
            measure(frame, **roles)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("case", [name for name in REFUSED if name.startswith(("arrow", "polars"))])
def test_a_column_that_nobody_asks_for_does_no_harm(case: str) -> None:
    frame = with_group(REFUSED[case][0]())
    assert petaudit.k_anonymity(frame, quasi_identifiers="q").value >= 1


@pytest.mark.parametrize(
    "kind", ["timedelta64[ns]", "datetime64[ns, Asia/Taipei]", "bool", "float16"]
)
def test_other_kinds_of_pandas_are_counted(kind: str) -> None:
    frame = pandas(np.array([1, 1, 0])).astype(kind)
    result = petaudit.distinction(frame, quasi_identifiers="a")
    assert result.sets[0].combinations == 2


def test_what_is_nested_in_a_type_is_not_told() -> None:
    frame = pd.DataFrame({"a": [{"Wang Mei, HIV": 1}] * 3})
    with pytest.raises(petaudit.errors.ColumnError, match=r"kind [Ss]truct,") as raised:
        petaudit.k_anonymity(frame, quasi_identifiers="a")
    assert "Wang" not in str(raised.value)


def test_a_relation_that_changes_is_told_so_without_a_cell() -> None:
    query = "SELECT 'canary' || (random() * 1000)::int AS age, i % 4 AS ill FROM range(30) t(i)"
    audit = petaudit.audit(duckdb.connect().sql(query), quasi_identifiers="age", sensitive="ill")
    assert audit.exit_code == 2
    assert "other values each time" in str(audit.to_dict())
    assert "canary" not in str(audit.to_dict())
