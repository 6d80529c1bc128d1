"""Tables as petaudit is given them, and its answers as the twin gives them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa

from mpuccs_twin import Answer
from singling.cases import Cells
from singling.cells_twin import at_midnight
from tables.engines import ARROW_TYPES, Column, NotExpressibleError, Table, held_by, label

TOLERANCE = 1e-9
PANDAS = ("pandas", "pandas-nullable", "pandas-pyarrow", "pandas-object")

GLOBAL = (
    "privacy_risk_score",
    "overall_protection",
    "main_protection",
    "baseline_protection",
    "identification_rate",
    "total_identified",
    "total_syn_records",
)
GLOBAL_WITHOUT_BASELINE = (
    "identification_rate",
    "main_protection",
    "total_identified",
    "total_syn_records",
)
DETAILS = (
    "risk_level",
    "syn_idx",
    "ori_idx",
    "combo_size",
    "field_combo",
    "value_combo",
    "baseline_protection",
    "syn_row",
    "ori_row",
)
TREE = (
    "check_order",
    "field_combo",
    "combo_size",
    "is_pruned",
    "mpuccs_cnt",
    "mpuccs_collision_cnt",
    "baseline_protection",
    "entropy_gain",
    "overall_protection",
)
TECHNICAL = ("entropy", "field_weight", "weighted_collision")
DEFAULTS = {"min_entropy_delta": 0.0, "field_decay_factor": 0.5, "renyi_alpha": 2.0}


# --- tables in ------------------------------------------------------------------------------

_KINDS: tuple[tuple[type, str], ...] = (
    (bool, "boolean"),
    (int, "integer"),
    (float, "float"),
    (Decimal, "decimal"),
    (str, "text"),
    (datetime, "datetime"),
    (date, "date"),
)


def typed(cells: Cells) -> Table:
    """The columns with the kind that their first value tells."""
    kinds = {}
    for name, column in cells.items():
        value = next((cell for cell in column if cell is not None), None)
        kinds[name] = next((kind for type_, kind in _KINDS if isinstance(value, type_)), "null")
    return {name: Column(kinds[name], list(column)) for name, column in cells.items()}


def held(table: Table, engine: str, folder: Path) -> Any:
    """The table as an engine holds it, or as the nearest one that can."""
    try:
        return held_by(engine, table, folder)
    except NotExpressibleError:
        return held_by("pandas-object" if engine == "pandas" else "pyarrow", table, folder)


def arrow(cells: Cells) -> pa.Table:
    return pa.table(
        {
            name: pa.array(column.cells, ARROW_TYPES[column.kind])
            for name, column in typed(cells).items()
        }
    )


# --- answers out ----------------------------------------------------------------------------


def names_of(frame: Any) -> tuple[str, ...]:
    if isinstance(frame, pa.Table):
        return tuple(frame.column_names)
    return tuple(frame.columns)


def rows_of(frame: Any) -> list[dict[str, Any]]:
    """A frame of any kind as plain Python rows; what is not there is None."""
    match frame:
        case pa.Table():
            rows = frame.to_pylist()
        case pd.DataFrame():
            rows = [
                dict(zip(frame.columns, row, strict=True))
                for row in frame.itertuples(index=False, name=None)
            ]
        case pl.DataFrame():
            rows = list(frame.iter_rows(named=True))
        case _:
            raise TypeError(type(frame))
    return [{name: plain(cell) for name, cell in row.items()} for row in rows]


def plain(cell: Any) -> Any:
    """The cell without its engine; dates are the date-times at which they begin."""
    if isinstance(cell, list | tuple):
        return tuple(map(plain, cell))
    if isinstance(cell, date):
        return at_midnight(cell)
    if hasattr(cell, "item"):
        cell = cell.item()
    return None if cell is pd.NA or (isinstance(cell, float) and math.isnan(cell)) else cell


def same(result: Any, expected: Any) -> bool:
    if isinstance(expected, float) and isinstance(result, float):
        return abs(result - expected) <= TOLERANCE
    # A count is no truth value and a rate no count, though Python calls 1, 1.0 and True equal.
    return type(result) is type(expected) and bool(result == expected)


def assert_rows(frame: Any, names: Iterable[str], expected: list[dict[str, Any]]) -> None:
    assert names_of(frame) == tuple(names)
    rows = rows_of(frame)
    if isinstance(frame, pa.Table):
        expected = [_with_labels(row) for row in expected]
    for row, (result, wanted) in enumerate(zip(rows, expected, strict=False)):
        wrong = {
            name: (result[name], wanted[name])
            for name in wanted
            if not same(result[name], wanted[name])
        }
        assert not wrong, f"row {row}, found and expected: {wrong}"
    assert len(rows) == len(expected)


def _with_labels(row: dict[str, Any]) -> dict[str, Any]:
    if "value_combo" not in row:
        return row
    return row | {"value_combo": tuple(map(label, row["value_combo"]))}


def expected_names(options: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    """The columns of the three tables under these options."""
    technical = any(options.get(name, value) != value for name, value in DEFAULTS.items())
    tree = (*TREE, *(TECHNICAL if technical else ()))
    if options.get("calculate_baseline", True):
        return GLOBAL, DETAILS, tree
    kept = [name for name in tree if name not in {"baseline_protection", "overall_protection"}]
    details = [name for name in DETAILS if name != "baseline_protection"]
    return GLOBAL_WITHOUT_BASELINE, tuple(details), tuple(kept)


def assert_answer(result: Any, answer: Answer, options: Mapping[str, Any]) -> None:
    """All that petaudit says about a pair is what the twin says."""
    names = expected_names(options)
    assert_rows(result.tree, names[2], answer.tree)
    assert_rows(result.details, names[1], answer.details)
    assert_rows(result.global_, names[0], answer.global_)
    prepared = answer.prepared
    removed = (result.removed_original, result.removed_synthetic)
    assert removed == (prepared.removed_original, prepared.removed_synthetic)
    if not answer.global_:
        assert math.isnan(result.value)
        return
    assert same(result.value, next(iter(answer.global_[0].values())))
    assert result.complete is answer.complete
    assert tuple(result.columns) == prepared.columns
    assert dict(result.precision) == prepared.precision
