"""Options that make no sense are errors that name the option, never another search."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import pytest

import petaudit
from petaudit.errors import OptionError
from singling.frames import arrow, rows_of

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")

NAN = math.nan
BAD: list[tuple[str, Any]] = [
    *(("max_baseline_cols", bad) for bad in (0, -1, "2", 1.5, True, [1, 2], NAN, "")),
    *(("n_cols", bad) for bad in (0, -1, "2", 1.5, True, [], [0], [1, -1], [1, "2"], [True], "12")),
    *(("min_entropy_delta", bad) for bad in (-0.1, NAN, "0.1", None, True)),
    *(("field_decay_factor", bad) for bad in (-0.5, NAN, "0.5", None)),
    *(("renyi_alpha", bad) for bad in (-1, -0.001, NAN, "2", None, -math.inf)),
    *(("numeric_precision", bad) for bad in (-1, "2", True, 1.5, NAN)),
    *(("datetime_precision", bad) for bad in ("fortnight", "", 5, True, "M", ["D"])),
    *(("calculate_baseline", bad) for bad in ("no", None)),
    *(("deduplicate", bad) for bad in ("no", None)),
    *(("time_limit", bad) for bad in (0, -1, NAN, "1", True)),
    *(("threads", bad) for bad in (0, -1, 1.5, "2", True)),
    *(("seed", bad) for bad in ("x", 1.5)),
]


@pytest.mark.parametrize(("name", "bad"), BAD, ids=[f"{name}={bad!r}" for name, bad in BAD])
def test_bad_options(name: str, bad: Any) -> None:
    table = arrow({"a": [1, 2], "b": [1, 1]})
    options: dict[str, Any] = {name: bad}
    for rows in (table, table.slice(0, 0)):
        with pytest.raises(OptionError, match=name):
            petaudit.mpuccs(rows, rows, **options)


def test_two_names_for_one_option() -> None:
    table = arrow({"a": [1, 2]})
    with pytest.raises(OptionError, match="n_cols") as caught:
        petaudit.mpuccs(table, table, max_baseline_cols=1, n_cols=1)
    assert "max_baseline_cols" in str(caught.value)


def test_an_unknown_option() -> None:
    table = arrow({"a": [1, 2]})
    options: dict[str, Any] = {"max_cols": 1}
    with pytest.raises(OptionError, match="mpuccs has no argument 'max_cols'"):
        petaudit.mpuccs(table, table, **options)


@pytest.mark.parametrize(
    ("options", "sizes"),
    [
        ({}, [1, 1, 1, 2, 2, 2, 3]),
        ({"max_baseline_cols": None}, [1, 1, 1, 2, 2, 2, 3]),
        ({"max_baseline_cols": 1}, [1, 1, 1]),
        ({"max_baseline_cols": 2}, [1, 1, 1, 2, 2, 2]),
        ({"max_baseline_cols": 3}, [1, 1, 1, 2, 2, 2, 3]),
        ({"max_baseline_cols": 99}, [1, 1, 1, 2, 2, 2, 3]),
        ({"n_cols": 2}, [1, 1, 1, 2, 2, 2]),
        ({"n_cols": [2]}, [2, 2, 2]),
        ({"n_cols": (3, 1)}, [1, 1, 1, 3]),
        ({"n_cols": [2, 2, 1]}, [1, 1, 1, 2, 2, 2]),
        ({"n_cols": [3, 7]}, [3]),
        ({"n_cols": [4]}, []),
    ],
)
def test_sizes(options: dict[str, Any], sizes: list[int]) -> None:
    table = arrow({"a": [1, 2, 3, 3], "b": [1, 1, 2, 2], "c": [0, 0, 0, 1]})
    result = petaudit.mpuccs(table, table, **options)
    assert [row["combo_size"] for row in rows_of(result.tree)] == sizes
    assert [row["check_order"] for row in rows_of(result.tree)] == list(range(1, 1 + len(sizes)))
    assert {size for size in result.sizes if size <= 3} == set(sizes)
    [figures] = rows_of(result.global_)
    assert figures["total_syn_records"] == 4


# --- tables of an odd shape -----------------------------------------------------------------


@pytest.mark.parametrize("columns", [1, 5])
def test_one_row(columns: int) -> None:
    table = arrow({f"c{place}": [place] for place in range(columns)})
    result = petaudit.mpuccs(table, table, renyi_alpha=1.0)
    [detail] = rows_of(result.details)
    assert (detail["field_combo"], detail["risk_level"]) == (("c0",), "high")
    assert result.value == 1.0
    rows = rows_of(result.tree)
    assert len(rows) == 2**columns - 1
    assert [row["mpuccs_cnt"] for row in rows] == [1] * len(rows)
    assert [row["mpuccs_collision_cnt"] for row in rows] == [1] + [0] * (len(rows) - 1)
    assert {row["entropy"] for row in rows} == {0.0}


@pytest.mark.parametrize("duplicates", [True, False])
@pytest.mark.parametrize("empty", ["original", "synthetic", "both"])
def test_no_row(empty: str, duplicates: bool) -> None:
    full = arrow({"a": [1, 1], "b": ["x", "x"]})
    result = petaudit.mpuccs(
        full.slice(0, 0) if empty != "synthetic" else full,
        full.slice(0, 0) if empty != "original" else full,
        deduplicate=duplicates,
    )
    assert math.isnan(result.value)
    assert [len(part) for part in (result.global_, result.details, result.tree)] == [0, 0, 0]
    assert result.removed_original == int(empty == "synthetic" and duplicates)
    assert result.removed_synthetic == int(empty == "original" and duplicates)
    assert result.explanation == (
        "a table without rows singles out nobody, and nothing was measured",
    )
    whole = petaudit.mpuccs(full, full)
    for name in ("global", "details", "tree", "changes"):
        columns = result.table(name)
        assert list(columns) == list(whole.table(name))
        assert {len(column.values) for column in columns.values()} == {0}
    judged = result.judged(limit=0.5)
    assert (judged.status, judged.passed, judged.undecided) == ("undecided", False, True)
    assert math.isnan(judged.value)


def test_untyped_columns_without_rows() -> None:
    untyped = pa.table({"a": pa.array([], pa.null()), "b": pa.array([], pa.null())})
    result = petaudit.mpuccs(untyped, arrow({"a": [1], "b": ["x"]}))
    assert len(result.tree) == 0


def test_duplicates_are_counted() -> None:
    original = arrow({"a": [1, 1, 2, 1], "b": [None, None, 5, None]})
    synthetic = arrow({"a": [2.2, 3.0, 1.8], "b": [5, 7, 5]})
    result = petaudit.mpuccs(original, synthetic)
    assert (result.removed_original, result.removed_synthetic) == (2, 1)
    [detail] = rows_of(result.details)
    places = ("syn_idx", "ori_idx", "syn_row", "ori_row")
    assert [detail[name] for name in places] == [0, 1, 0, 2]
    result = petaudit.mpuccs(original, synthetic, deduplicate=False)
    assert (result.removed_original, result.removed_synthetic) == (0, 0)
    assert rows_of(result.details) == []
    assert rows_of(result.global_)[0]["total_syn_records"] == 3


def test_a_product_beyond_floats() -> None:
    # 1000 ** 200 values are more than a float can count.
    table = pa.table({f"c{place}": range(1000) for place in range(200)})
    other = pa.table({name: range(999, 1999) for name in table.column_names})
    [figures] = rows_of(petaudit.mpuccs(table, other, max_baseline_cols=1).global_)
    assert figures["baseline_protection"] == 1.0
    assert figures["overall_protection"] == pytest.approx(0.999)
