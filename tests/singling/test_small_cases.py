"""What is identified in tables so small that everything about them can be worked out by hand."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import petaudit
from petaudit.errors import PetauditWarning
from singling.cases import CASES, Case
from singling.frames import (
    DETAILS,
    GLOBAL,
    GLOBAL_WITHOUT_BASELINE,
    PANDAS,
    TECHNICAL,
    TREE,
    arrow,
    held,
    names_of,
    plain,
    rows_of,
    typed,
)
from tables.engines import label

# That figures are lower bounds is told in warnings, which other tests are about.
pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")

ENGINES = ("pyarrow", "polars", *PANDAS, "duckdb", "parquet", "csv")
# In a CSV file a boolean is a word, and a word is not a number.
NOT_IN_CSV = {"a boolean is 0 or 1 beside numbers"}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", CASES)
def test_identified_rows(name: str, engine: str, tmp_path: Path) -> None:
    if engine == "csv" and name in NOT_IN_CSV:
        pytest.skip("not expressible")
    case = CASES[name]
    tables = []
    for number, cells in enumerate((case.original, case.synthetic)):
        folder = tmp_path / str(number)
        folder.mkdir()
        tables.append(held(typed(cells), engine, folder))
    result = petaudit.mpuccs(*tables, **case.options)
    assert found_in(result) == [row[:3] for row in case.found]
    expected = [plain(row[3]) for row in case.found]
    if isinstance(result.details, pa.Table):
        expected = [tuple(map(label, values)) for values in expected]
    assert [row["value_combo"] for row in rows_of(result.details)] == expected


def found_in(result: Any) -> list[tuple[int, int, tuple[str, ...]]]:
    rows = rows_of(result.details)
    [figures] = rows_of(result.global_)
    assert figures["total_identified"] == len(rows)
    return [(row["syn_row"], row["ori_row"], row["field_combo"]) for row in rows]


def test_nothing_in_common_is_no_risk() -> None:
    case: Case = CASES["nothing in common"]
    result = petaudit.mpuccs(arrow(case.original), arrow(case.synthetic))
    [figures] = rows_of(result.global_)
    assert figures == {
        "privacy_risk_score": 0.0,
        "overall_protection": 1.0,
        "main_protection": 1.0,
        "baseline_protection": 0.0,
        "identification_rate": 0.0,
        "total_identified": 0,
        "total_syn_records": 1,
    }
    assert result.value == 0.0
    assert result.complete is True


@pytest.mark.parametrize(
    ("alpha", "bits"),
    [
        (0, math.log2(3)),
        (0.5, 2 * math.log2(math.sqrt(1 / 2) + 2 * math.sqrt(1 / 4))),
        (1, 1.5),
        (2, -math.log2(1 / 4 + 2 / 16)),
        (3, -math.log2(1 / 8 + 2 / 64) / 2),
        (math.inf, 1.0),
        # These break the formula as it is usually written: 0 / 0 and the logarithm of 0.
        (1 + 1e-12, 1.5),
        (5000, 5000 / 4999),
    ],
)
def test_renyi_entropy(alpha: float, bits: float) -> None:
    synthetic = arrow({"a": [1, 1, 2, 3], "b": [1, 2, 3, 4]})
    result = petaudit.mpuccs(synthetic, synthetic, renyi_alpha=alpha, field_decay_factor=0.25)
    entropy = {row["field_combo"]: row["entropy"] for row in rows_of(result.tree)}
    assert entropy[("a",)] == pytest.approx(bits / math.log2(4), abs=1e-9)
    assert entropy[("b",)] == entropy[("b", "a")] == pytest.approx(1.0, abs=1e-9)


def test_a_tree_by_hand() -> None:
    result = petaudit.mpuccs(
        arrow({"A": [1, 1, 2, 3], "B": ["x", "y", "x", "x"]}),
        arrow({"A": [1, 7, 8, 9], "B": ["x", "x", "y", "y"]}),
        min_entropy_delta=0.3,
    )
    a, b, ab = rows_of(result.tree)
    assert (a["mpuccs_cnt"], a["mpuccs_collision_cnt"], a["overall_protection"]) == (4, 0, 1.0)
    assert (b["mpuccs_cnt"], b["mpuccs_collision_cnt"], b["overall_protection"]) == (0, 0, 1.0)
    assert (a["entropy"], a["entropy_gain"]) == pytest.approx((1.0, 1.0))
    assert (b["entropy"], b["entropy_gain"]) == pytest.approx((0.5, 0.5))
    assert (ab["entropy"], ab["entropy_gain"]) == pytest.approx((1.0, 0.0))
    assert (a["is_pruned"], b["is_pruned"], ab["is_pruned"]) == (False, False, True)
    # What was pruned is not counted, but what it would protect by is known.
    assert (ab["mpuccs_cnt"], ab["mpuccs_collision_cnt"], ab["overall_protection"]) == (0, 0, None)
    assert ab["baseline_protection"] == pytest.approx(5 / 6)
    assert (ab["field_weight"], ab["weighted_collision"]) == (0.5, 0.0)
    assert result.complete is False


def test_a_gain_that_equals_the_threshold_is_enough() -> None:
    table = arrow({"A": [1, 2, 3, 4], "B": [1, 1, 2, 2]})
    for alpha in (0.0, 1.0, 2.0, math.inf):
        result = petaudit.mpuccs(table, table, min_entropy_delta=0.5, renyi_alpha=alpha)
        assert [row["is_pruned"] for row in rows_of(result.tree)] == [False, False, True]
        result = petaudit.mpuccs(table, table, min_entropy_delta=0.51, renyi_alpha=alpha)
        assert [row["is_pruned"] for row in rows_of(result.tree)] == [False, True, True]


def test_what_is_pruned_takes_only_its_extensions_along() -> None:
    table = arrow({"A": [1, 2, 3, 4], "B": [1, 1, 2, 2], "C": [1, 1, 1, 2]})
    result = petaudit.mpuccs(table, table, min_entropy_delta=0.1)
    rows = rows_of(result.tree)
    assert [row["is_pruned"] for row in rows] == [False, False, False, True, True, False, True]
    assert rows[3]["entropy"] == pytest.approx(1.0)
    assert (rows[6]["entropy"], rows[6]["entropy_gain"]) == (None, None)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0, 1 + 1e-15, 2.0, 3.0, math.inf])
def test_without_a_threshold_nothing_is_pruned(alpha: float) -> None:
    table = arrow({"A": [1, 2, 3, 4, 5, 6, 6], "B": [1, 1, 2, 2, 3, 3, 3], "C": [0] * 7})
    result = petaudit.mpuccs(table, table, renyi_alpha=alpha, deduplicate=False)
    assert not any(row["is_pruned"] for row in rows_of(result.tree))
    assert result.complete is True


def only_by_all_columns(people: list[tuple[int, ...]], others: int) -> pa.Table:
    """Rows like these people that nothing short of all columns identifies, and some like nobody."""
    rows = list(people)
    for row in people:
        for place in range(len(row)):
            # Twice, so that they are not unique themselves.
            rows += [(*row[:place], 99, *row[place + 1 :])] * 2
    rows += [(1000 + number,) * len(people[0]) for number in range(others)]
    return as_table(rows)


def as_table(rows: list[tuple[int, ...]]) -> pa.Table:
    return pa.table(dict(zip("abcde", zip(*rows, strict=True), strict=False)))


@pytest.mark.parametrize(
    ("original", "identified", "others", "ratio", "level"),
    [
        # (1 - 3/4) / (1 - 1/6) is 3/10 and not below it.
        ([(1, 1, 0), (2, 2, 0), (3, 1, 0)], 3, 1, 0.3, "medium"),
        ([(1, 1, 0), (2, 2, 0), (3, 1, 0)], 3, 0, 0.0, "high"),
        # (1 - 2/5) / (1 - 1/7) is 7/10 and not above it.
        ([(number, 0, 0, 0, 0) for number in range(7)], 2, 3, 0.7, "medium"),
        ([(number, 0, 0, 0, 0) for number in range(7)], 2, 4, 7 / 9, "low"),
    ],
)
def test_levels_by_protection(
    original: list[tuple[int, ...]], identified: int, others: int, ratio: float, level: str
) -> None:
    table = as_table(original)
    synthetic = only_by_all_columns(original[:identified], others)
    result = petaudit.mpuccs(table, synthetic, deduplicate=False)
    assert rows_of(result.tree)[-1]["overall_protection"] == pytest.approx(ratio)
    assert [row["risk_level"] for row in rows_of(result.details)] == [level] * identified
    # Without a baseline, only the size counts.
    result = petaudit.mpuccs(table, synthetic, deduplicate=False, calculate_baseline=False)
    by_size = "medium" if len(original[0]) == 3 else "low"
    assert [row["risk_level"] for row in rows_of(result.details)] == [by_size] * identified


@pytest.mark.parametrize("baseline", [True, False])
@pytest.mark.parametrize(("size", "level"), [(2, "high"), (3, "medium"), (4, "medium"), (5, "low")])
def test_levels_by_size(size: int, level: str, baseline: bool) -> None:
    # Row 0 needs all columns: every other original row is like it but for one column.
    names = [f"c{place}" for place in range(size)]
    original = {
        name: [0, *(int(row == place) for row in range(size))] for place, name in enumerate(names)
    }
    # So is synthetic row 1. The others are unique by any column, and nobody is like them.
    synthetic = {name: [0, 0, *range(10, 30)] for name in names}
    synthetic[names[-1]][1] = 5
    result = petaudit.mpuccs(arrow(original), arrow(synthetic), calculate_baseline=baseline)
    details = rows_of(result.details)
    assert [(row["combo_size"], row["risk_level"]) for row in details] == [(size, level)]


@pytest.mark.parametrize("kind", [pa.Table.from_pydict, pl.DataFrame, pd.DataFrame])
def test_frames_are_of_the_callers_kind(kind: Any, tmp_path: Path) -> None:
    frame = kind({"a": [1, 2, 3], "b": ["x", "y", "y"]})
    path = held(typed({"a": [1, 2, 4], "b": ["x", "y", "y"]}), "parquet", tmp_path)
    for pair in ((frame, frame), (frame, path), (path, frame)):
        result = petaudit.mpuccs(*pair)
        for part in (result.global_, result.details, result.tree):
            assert type(part) is type(frame)
    assert isinstance(petaudit.mpuccs(path, path).tree, pa.Table)


@pytest.mark.parametrize("kind", [pl.DataFrame, pd.DataFrame])
def test_combinations_are_real_tuples(kind: Any) -> None:
    frame = kind({'a, "b"': [1, 1, 2], "年齡": ["x", "y", "y"]})
    result = petaudit.mpuccs(frame, frame)
    columns = (
        result.details["field_combo"],
        result.details["value_combo"],
        result.tree["field_combo"],
    )
    assert [{type(cell) for cell in column} for column in columns] == [{tuple}] * 3


@pytest.mark.parametrize(
    ("options", "technical"),
    [
        ({}, False),
        ({"renyi_alpha": 2, "min_entropy_delta": 0}, False),
        ({"renyi_alpha": 1.0}, True),
        ({"min_entropy_delta": 0.01}, True),
        ({"field_decay_factor": 0.4}, True),
    ],
)
def test_columns_of_the_answer(options: dict[str, Any], technical: bool) -> None:
    table = arrow({"a": [1, 2], "b": [3, 3]})
    more = TECHNICAL if technical else ()
    result = petaudit.mpuccs(table, table, **options)
    assert names_of(result.global_) == GLOBAL
    assert names_of(result.details) == DETAILS
    assert names_of(result.tree) == (*TREE, *more)
    result = petaudit.mpuccs(table, table, calculate_baseline=False, **options)
    assert names_of(result.global_) == GLOBAL_WITHOUT_BASELINE
    assert names_of(result.details) == (*DETAILS[:6], *DETAILS[7:])
    assert names_of(result.tree) == (*TREE[:6], "entropy_gain", *more)
    assert result.value == rows_of(result.global_)[0]["identification_rate"]


@pytest.mark.parametrize("sizes", [[7], [1, 7], [2], [2, 3]])
def test_sizes_with_gaps_pass_no_limit(sizes: list[int]) -> None:
    """What was not looked at may be what identifies everybody."""
    table = pa.table({"a": [1, 2, 3], "b": [4, 4, 4], "c": [5, 5, 6]})
    with pytest.warns(PetauditWarning, match="were searched"):
        result = petaudit.mpuccs(table, table, n_cols=sizes)
    judged = result.judged(limit=result.value if result.value < 1 else "0.999")
    assert judged.passed is False
    assert judged.undecided is (result.value < 0.999)


def test_a_lower_bound_keeps_a_limit_of_one() -> None:
    table = pa.table({"a": [1, 2, 3], "b": [4, 4, 4]})
    with pytest.warns(PetauditWarning):
        result = petaudit.mpuccs(table, table, n_cols=[2]).judged(limit=1)
    assert (result.passed, result.undecided) == (True, False)
