"""The twin itself, on what was worked out by hand: a twin that is wrong proves nothing."""

from __future__ import annotations

import math
from datetime import date, datetime
from fractions import Fraction

import pytest

import mpuccs_twin as twin
from singling import cells_twin
from singling.cases import CASES, Case


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_identified_rows(case: Case) -> None:
    answer = twin.evaluate(case.original, case.synthetic, **case.options)
    result = [
        (row["syn_row"], row["ori_row"], row["field_combo"], row["value_combo"])
        for row in answer.details
    ]
    expected = [
        (*rest, tuple(cells_twin.at_midnight(v) if isinstance(v, date) else v for v in values))
        for *rest, values in case.found
    ]
    assert result == expected
    assert answer.global_[0]["total_identified"] == len(case.found)


@pytest.mark.parametrize(
    ("alpha", "bits"), [(0, 1.585), (0.5, 1.543), (1, 1.5), (2, 1.415), (3, 1.339), (math.inf, 1.0)]
)
def test_renyi_bits_of_the_spec(alpha: float, bits: float) -> None:
    assert twin.renyi_bits([2, 1, 1], alpha) == pytest.approx(bits, abs=0.0005)


def test_constant_columns_protect_by_nothing() -> None:
    [figures] = twin.evaluate({"A": [1, 1]}, {"A": [2, 2]}).global_
    assert figures == {
        "privacy_risk_score": 0.0,
        "overall_protection": 1.0,
        "main_protection": 1.0,
        "baseline_protection": 0.0,
        "identification_rate": 0.0,
        "total_identified": 0,
        "total_syn_records": 1,
    }


def test_a_tree_by_hand() -> None:
    answer = twin.evaluate(
        {"A": [1, 1, 2, 3], "B": ["x", "y", "x", "x"]},
        {"A": [1, 7, 8, 9], "B": ["x", "x", "y", "y"]},
        field_decay_factor=0.25,
    )
    assert answer.tree == [
        {
            "check_order": 1,
            "field_combo": ("A",),
            "combo_size": 1,
            "is_pruned": False,
            "mpuccs_cnt": 4,
            "mpuccs_collision_cnt": 0,
            "baseline_protection": pytest.approx(2 / 3),
            "overall_protection": 1.0,
            "entropy": pytest.approx(1.0),
            "entropy_gain": pytest.approx(1.0),
            "field_weight": 1.0,
            "weighted_collision": 0.0,
        },
        {
            "check_order": 2,
            "field_combo": ("B",),
            "combo_size": 1,
            "is_pruned": False,
            "mpuccs_cnt": 0,
            "mpuccs_collision_cnt": 0,
            "baseline_protection": 0.5,
            "overall_protection": 1.0,
            "entropy": pytest.approx(0.5),
            "entropy_gain": pytest.approx(0.5),
            "field_weight": 1.0,
            "weighted_collision": 0.0,
        },
        {
            "check_order": 3,
            "field_combo": ("A", "B"),
            "combo_size": 2,
            "is_pruned": False,
            "mpuccs_cnt": 4,
            "mpuccs_collision_cnt": 1,
            "baseline_protection": pytest.approx(5 / 6),
            "overall_protection": pytest.approx(0.9),
            "entropy": pytest.approx(1.0),
            "entropy_gain": pytest.approx(0.0),
            "field_weight": 0.25,
            "weighted_collision": 0.25,
        },
    ]


def test_what_is_pruned_takes_its_extensions_along() -> None:
    # All of A is unique, so B and C add nothing to it; B alone does.
    columns: cells_twin.Columns = {"A": [1, 2, 3, 4], "B": [1, 1, 2, 2], "C": [1, 1, 1, 2]}
    answer = twin.evaluate(columns, columns, min_entropy_delta=0.1)
    assert {row["field_combo"]: row["is_pruned"] for row in answer.tree} == {
        ("A",): False,
        ("B",): False,
        ("C",): False,
        ("A", "B"): True,
        ("A", "C"): True,
        ("B", "C"): False,
        ("A", "B", "C"): True,
    }
    assert not answer.complete
    assert answer.tree[3]["entropy"] == 1.0
    assert answer.tree[6]["entropy"] is None


@pytest.mark.parametrize(
    ("size", "ratio", "level"),
    [
        (2, Fraction(1), "high"),
        (3, Fraction(29, 100), "high"),
        (3, Fraction(3, 10), "medium"),
        (4, Fraction(1), "medium"),
        (5, Fraction(7, 10), "medium"),
        (5, Fraction(71, 100), "low"),
        (9, Fraction(1, 10), "high"),
        (2, None, "high"),
        (4, None, "medium"),
        (5, None, "low"),
    ],
)
def test_risk_levels(size: int, ratio: Fraction | None, level: str) -> None:
    assert twin.risk_level(size, ratio) == level


@pytest.mark.parametrize(
    ("number", "decimals"),
    [(3, 0), (True, 0), (3.0, 0), (0.1 + 0.2, 17), (1e-7, 7), (1.5e-7, 8), (1e300, 0), (2.50, 1)],
)
def test_decimals(number: float, decimals: int) -> None:
    assert cells_twin.decimals_of(number) == decimals


@pytest.mark.parametrize(
    ("moment", "unit"),
    [
        (date(2020, 1, 1), "D"),
        (datetime(2020, 1, 1), "D"),
        (datetime(2020, 1, 1, 5), "H"),
        (datetime(2020, 1, 1, 0, 5), "T"),
        (datetime(2020, 1, 1, 0, 0, 5), "s"),
        (datetime(2020, 1, 1, 0, 0, 0, 5000), "ms"),
        (datetime(2020, 1, 1, 0, 0, 0, 5), "us"),
    ],
)
def test_units(moment: date, unit: str) -> None:
    assert cells_twin.unit_of(moment) == unit


def test_what_if() -> None:
    data = cells_twin.prepare(
        {"a": [1, 2, 3], "b": [1, 1, 2]}, {"a": [1, 2, 3], "b": [1, 1, 2]}, deduplicate=True
    )
    assert twin.identified_rows(data, 1) == {0, 1, 2}
    # Rows 0 and 1 are now alike and both stay, so neither is unique.
    assert twin.identified_rows(twin.left_out(data, "a"), 1) == {2}
    assert twin.identified_rows(twin.left_out(data, "b"), 2) == {0, 1, 2}
    assert twin.identified_rows(twin.coarsened(data, "a", {1: 0, 2: 2, 3: 2}), 1) == {0, 2}
    assert twin.identified_rows(twin.coarsened(data, "a", {1: 0, 2: 2, 3: 2}), 2) == {0, 1, 2}
