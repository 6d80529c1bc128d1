"""Tables of results on their way into files, into kept results and back."""

from __future__ import annotations

import json
import math
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petaudit.tables.result_frames import (
    ResultColumn,
    in_file,
    result_frame,
    stacked,
    table_data,
    table_from,
)

CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(),
)


@given(st.lists(st.none() | st.lists(CELLS).map(tuple)))
def test_tuples_become_json_lists(rows: list[Any]) -> None:
    result = in_file({"own": ResultColumn("tuple", rows)})["own"]
    assert result.kind == "text"
    for text, row in zip(result.values, rows, strict=True):
        assert (text is None) == (row is None)
        if row is not None:
            parsed = json.loads(text)
            assert parsed == list(row)
            assert [type(entry) for entry in parsed] == [type(entry) for entry in row]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (date(2024, 2, 29), "2024-02-29"),
        (datetime(2024, 2, 29, 12, 30), "2024-02-29 12:30:00"),
        (Decimal("1.50"), "1.5"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (math.nan, "nan"),
    ],
)
def test_what_json_has_no_word_for_is_text(value: object, written: str) -> None:
    [text] = in_file({"own": ResultColumn("tuple", [(value,)])})["own"].values
    [result] = json.loads(text, parse_constant=pytest.fail)
    assert result.replace("T", " ") == written


@pytest.mark.parametrize("kind", ["integer", "number", "boolean", "text"])
def test_other_columns_stay_what_they_are(kind: Any) -> None:
    column = ResultColumn(kind, [1, None])
    assert in_file({"own": column}) == {"own": column}


@given(
    st.lists(st.none() | st.integers(-(2**63), 2**63 - 1)),
    st.lists(st.none() | st.lists(CELLS).map(tuple)),
    st.lists(st.none() | st.text()),
)
def test_a_kept_table_comes_back(numbers: list[Any], tuples: list[Any], texts: list[Any]) -> None:
    table = {
        "n": ResultColumn("integer", numbers),
        "t": ResultColumn("tuple", tuples),
        "s": ResultColumn("text", texts),
    }
    assert table_from(json.loads(json.dumps(table_data(table)))) == table


def test_a_kept_figure_comes_back_bit_by_bit() -> None:
    table = {"x": ResultColumn("number", [0.1 + 0.2, 5e-324, 1 / 3, None, -0.0])}
    result = table_from(json.loads(json.dumps(table_data(table))))["x"].values
    assert [repr(entry) for entry in result] == [repr(entry) for entry in table["x"].values]


def test_tables_stand_one_below_the_other_with_all_their_columns() -> None:
    one = {"a": ResultColumn("integer", [1, 2]), "b": ResultColumn("text", ["x", "y"])}
    two = {"a": ResultColumn("integer", [3]), "c": ResultColumn("number", [0.5])}
    result = stacked({"first": one, "second": two, "none": {}}, "run")
    assert list(result) == ["run", "a", "b", "c"]
    assert result_frame("pyarrow", result).to_pylist() == [
        {"run": "first", "a": 1, "b": "x", "c": None},
        {"run": "first", "a": 2, "b": "y", "c": None},
        {"run": "second", "a": 3, "b": None, "c": 0.5},
    ]


def test_no_table_gives_no_row() -> None:
    assert stacked({}, "run") == {"run": ResultColumn("text", [])}


def test_a_column_of_the_name_of_the_first_is_not_lost() -> None:
    """A measure of somebody else may call a column as it likes; the runs must stay told apart."""
    entry = {"run": ResultColumn("text", ["mine"]), "n": ResultColumn("integer", [1])}
    result = result_frame("pyarrow", stacked({"first": entry}, "run")).to_pylist()
    assert result == [{"run": "first", "own_run": "mine", "n": 1}]
