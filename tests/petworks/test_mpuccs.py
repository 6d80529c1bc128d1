"""``PETValidation(original, synthetic, "mpUCCs", ...)``: figures under the seed's names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pc
import pytest

from petaudit.errors import ColumnError, InputError, OptionError, PetauditWarning
from PETWorks import PETValidation, report

ORIGINAL = {
    "name": ["ann", "bob", "cyd", "dee"],
    "age": [31, 32, 33, 34],
    "city": ["Rome", "Rome", "Oslo", "Oslo"],
}
SYNTHETIC = {
    "name": ["ann", "xxx", "yyy", "zzz"],
    "age": [41, 32, 55, 56],
    "city": ["Rome", "Oslo", "Oslo", "Rome"],
}
STRANGERS = {
    "name": ["eve", "fay", "gus", "hal"],
    "age": [55, 72, 73, 74],
    "city": ["Rome", "Rome", "Oslo", "Oslo"],
}
FIGURES = {
    "privacy_risk_score": 15 / 31,
    "overall_protection": 16 / 31,
    "main_protection": 0.5,
    "baseline_protection": 31 / 32,
    "identification_rate": 0.5,
    "total_identified": 2,
    "total_syn_records": 4,
}
CONTROL = [
    *("control_identification_rate", "excess_risk", "excess_risk_ci_lower"),
    "excess_risk_ci_upper",
]


def tables(frame: Any = pa.table) -> tuple[Any, Any]:
    return frame(ORIGINAL), frame(SYNTHETIC)


@pytest.mark.parametrize("frame", [pa.table, pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("spelling", ["mpUCCs", "mpuccs", "MPUCCS"])
def test_it_returns_the_figures(frame: Any, spelling: str) -> None:
    result = PETValidation(*tables(frame), spelling)
    assert list(result) == [*FIGURES, "complete"]
    assert result == pytest.approx(FIGURES | {"complete": True}, abs=1e-15)
    assert all(type(value) in {int, float, bool} for value in result.values())


def test_files_are_tables_too(tmp_path: Path) -> None:
    paths = [tmp_path / "original.csv", tmp_path / "synthetic.csv"]
    for path, table in zip(paths, tables(), strict=True):
        pc.write_csv(table, path)
    assert PETValidation(*paths, "mpUCCs") == PETValidation(*tables(), "mpUCCs")
    assert PETValidation(*map(str, paths), "mpUCCs") == PETValidation(*tables(), "mpUCCs")


@pytest.mark.parametrize(
    ("keywords", "expected"),
    [
        ({"max_baseline_cols": 1}, {"total_identified": 2}),
        ({"n_cols": [3]}, {"total_identified": 0}),
        ({"numeric_precision": 0, "threads": 1, "seed": 3}, {"total_identified": 2}),
        ({"calculate_baseline": False}, {"identification_rate": 0.5}),
        ({"min_entropy_delta": 0.9}, {"complete": False, "total_identified": 2}),
        ({"time_limit": 60.0, "progress": print}, {"complete": True}),
        ({"deduplicate": False, "renyi_alpha": 1.0, "field_decay_factor": 0.9}, {"complete": True}),
        ({"datetime_precision": "D"}, {"complete": True}),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
def test_keywords_are_those_of_the_measure(
    keywords: dict[str, Any], expected: dict[str, Any]
) -> None:
    result = PETValidation(*tables(), "mpUCCs", **keywords)
    assert {name: result[name] for name in expected} == expected


def test_without_baseline_there_is_no_risk_score() -> None:
    result = PETValidation(*tables(), "mpUCCs", calculate_baseline=False)
    assert set(result) == {
        *("identification_rate", "main_protection", "total_identified", "total_syn_records"),
        "complete",
    }


def test_the_control_adds_its_figures() -> None:
    result = PETValidation(*tables(), "mpUCCs", control=pa.table(STRANGERS))
    assert list(result) == [*FIGURES, *CONTROL, "complete"]
    assert result["control_identification_rate"] == 0.25
    assert result["excess_risk"] == pytest.approx(1 - 0.5 / 0.75)


def test_a_lower_bound_is_warned_about() -> None:
    with pytest.warns(PetauditWarning, match="lower bounds"):
        result = PETValidation(*tables(), "mpUCCs", min_entropy_delta=0.9)
    assert result["complete"] is False


@pytest.mark.parametrize(
    ("argument", "hint"),
    [
        ("max_baseline_col", "did you mean 'max_baseline_cols'?"),
        ("ncols", "did you mean 'n_cols'?"),
        ("Threads", "did you mean 'threads'?"),
        ("timeLimit", "did you mean 'time_limit'?"),
        ("dataHierarchy", "it takes control, max_baseline_cols"),
        ("attributeTypes", "it takes control, max_baseline_cols"),
        ("limit", "it takes control, max_baseline_cols"),
    ],
)
def test_an_unknown_argument_names_near_ones(argument: str, hint: str) -> None:
    with pytest.raises(OptionError) as caught:
        PETValidation(*tables(), "mpUCCs", **{argument: 1})
    assert str(caught.value).startswith(f"mpUCCs takes no argument {argument!r}")
    assert hint in str(caught.value)


@pytest.mark.parametrize(
    "keywords",
    [
        {"max_baseline_cols": 0},
        {"max_baseline_cols": "2"},
        {"max_baseline_cols": True},
        {"max_baseline_cols": 1, "n_cols": 1},
        {"n_cols": []},
        {"threads": 0},
        {"time_limit": 0},
        {"datetime_precision": "fortnight"},
        {"renyi_alpha": -1},
    ],
    ids=str,
)
def test_a_wrong_value_is_an_error(keywords: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="|".join(keywords)):
        PETValidation(*tables(), "mpUCCs", **keywords)


def test_wrong_tables_are_errors(tmp_path: Path) -> None:
    original, synthetic = tables()
    with pytest.raises(ColumnError, match="'city'"):
        PETValidation(original, synthetic.drop_columns(["city"]), "mpUCCs")
    with pytest.raises(InputError, match="does not exist"):
        PETValidation(original, tmp_path / "nothing.csv", "mpUCCs")
    with pytest.raises(InputError, match="original"):
        PETValidation(None, synthetic, "mpUCCs")
    with pytest.raises(InputError, match="synthetic"):
        PETValidation(original, None, "mpUCCs")


@pytest.mark.parametrize("more", [{}, {"control": pa.table(STRANGERS)}], ids=["", "control"])
def test_a_report_prints_it(more: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    result = PETValidation(*tables(), "mpUCCs", **more)
    capsys.readouterr()
    report(result, "json")
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == (json.dumps(result, indent=4) + "\n", "")
    assert json.loads(printed.out, parse_constant=pytest.fail) == result
