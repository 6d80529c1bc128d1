"""Utility bias: what the function gets, what it may return, what becomes of its failures."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import petaudit
from budget import examples
from petaudit.cli import main
from petaudit.errors import NotMeasurableError, OptionError
from petaudit.measures import find_measure
from petaudit.measures.registry import listed_measures
from petaudit.measures.utility_bias import utility_bias
from petaudit.system import kinds

ORIGINAL = pa.table({"age": [20, 30, 40], "name": ["Ann", "Bob", "Cid"]})
RELEASED = pa.table({"age": [25, 25, 37], "name": ["*", "*", "*"]})


def mean_age(table: pa.Table) -> Any:
    return pc.mean(table["age"])


# --- the figure -----------------------------------------------------------------------------


@settings(max_examples=examples(50))
@given(before=st.lists(st.integers(), min_size=1), after=st.lists(st.integers(), min_size=1))
def test_the_figure_is_the_difference(before: list[int], after: list[int]) -> None:
    result = utility_bias(before, after, lambda own: Fraction(sum(own), len(own)))
    twin = abs(Fraction(sum(before), len(before)) - Fraction(sum(after), len(after)))
    assert result.value == float(twin)
    assert (result.original_value, result.released_value) == (
        float(Fraction(sum(before), len(before))),
        float(Fraction(sum(after), len(after))),
    )


def test_by_hand() -> None:
    # (20 + 30 + 40) / 3 = 30, and (25 + 25 + 37) / 3 = 29.
    result = utility_bias(ORIGINAL, RELEASED, mean_age, limit=1)
    assert (result.value, result.passed) == (1.0, True)
    assert (result.original_value, result.released_value) == (30.0, 29.0)
    assert result.explanation == ("mean_age: 30 for the original, 29 for the released table",)
    assert result.figure == "utility-bias (mean_age)"


@pytest.mark.parametrize(
    "number",
    [5, 5.0, Fraction(5), Decimal(5), np.float32(5), np.int8(5), np.array(5), pa.scalar(5)],
    ids=lambda number: type(number).__name__,
)
def test_any_kind_of_number_will_do(number: Any) -> None:
    assert utility_bias(0, 1, lambda own: number if own else 3).value == 2


@pytest.mark.parametrize(("limit", "passed"), [(0.3, True), ("0.3", True), (0.29, False)])
def test_limits_are_exact(limit: Any, passed: bool) -> None:
    # As binary fractions, 0.4 - 0.1 is a little above 0.3.
    assert utility_bias(0.1, 0.4, float, limit=limit).passed is passed


# --- what the function gets -----------------------------------------------------------------


def test_the_function_gets_what_the_caller_gives(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    given = [
        str(path),
        path,
        ORIGINAL,
        pd.DataFrame({"a": [1]}),
        pl.DataFrame({"a": [1]}),
        object(),
    ]
    for thing in given:
        seen: list[Any] = []
        utility_bias(thing, thing, lambda own, seen=seen: len(seen.append(own) or seen))
        assert seen[0] is thing
        assert seen[1] is thing


def test_in_an_audit_the_function_gets_the_path_or_an_arrow_table(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("age;zip\n20;a\n30;b\n", encoding="utf-8")
    seen: list[Any] = []

    def count(own: Any) -> int:
        seen.append(own)
        return len(seen)

    result = petaudit.audit(
        path,
        original=ORIGINAL,
        measures="utility-bias",
        options={"utility-bias": {"function": count}},
    )
    assert result["utility-bias"].value == 1
    assert isinstance(seen[0], pa.Table)
    assert seen[0].column("age").to_pylist() == [20, 30, 40]
    assert seen[1] == str(path)


def test_no_command_line_can_give_the_function(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "benchmark://patient-deidentified", "--measures", "utility-bias"]) == 2
    said = capsys.readouterr().err
    assert "the option function, a function that only Python can give" in said


def test_documents_name_the_function_without_its_address() -> None:
    class Mean:
        def __call__(self, own: Any) -> Any:
            return mean_age(own)

    secret = partial(lambda own, cell: mean_age(own), cell="Ann")
    for function, name in ((mean_age, "mean_age"), (Mean(), "Mean"), (secret, "partial")):
        result = petaudit.audit(
            RELEASED,
            original=ORIGINAL,
            measures="utility-bias",
            options={"utility-bias": {"function": function, "limit": 2}},
        )
        text = json.dumps(result.to_dict())
        assert result.to_dict()["options"]["options"]["utility-bias"]["function"] == name
        assert result["utility-bias"].to_dict()["function"] == name
        assert "0x" not in text
        assert "Ann" not in text


# --- what goes wrong ------------------------------------------------------------------------


def failing(table: pa.Table) -> float:
    raise ValueError(f"cannot read {table['name'][0]}")


def test_of_a_failure_only_the_kind_is_told() -> None:
    with pytest.raises(NotMeasurableError) as caught:
        utility_bias(ORIGINAL, RELEASED, failing)
    assert str(caught.value) == "the function failing failed with ValueError on the original"
    audit = petaudit.audit(
        RELEASED,
        original=ORIGINAL,
        measures="utility-bias",
        options={"utility-bias": {"function": failing}},
    )
    assert audit.exit_code == 2
    assert "Ann" not in json.dumps(audit.to_dict())


def test_a_failure_on_the_released_table_is_told() -> None:
    with pytest.raises(NotMeasurableError, match="failed with ZeroDivisionError on the released"):
        utility_bias(1, 0, lambda own: 1 / own)


@pytest.mark.parametrize(
    ("returned", "what"),
    [
        (None, "a NoneType"),
        (True, "a bool"),
        ("5", "a str"),
        (b"5", "a bytes"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (np.float64("nan"), "nan"),
        (pa.scalar(None), "a NoneType"),
        (Decimal("NaN"), "a Decimal"),
        (1j, "a complex"),
        ([1], "a list"),
        (np.array([1]), "a ndarray"),
    ],
)
def test_what_is_no_number_is_refused(returned: Any, what: str) -> None:
    with pytest.raises(NotMeasurableError) as caught:
        utility_bias(0, 0, lambda own: returned)
    assert str(caught.value) == (
        f"the function <lambda> must return a finite number, got {what} for the original"
    )


@pytest.mark.parametrize("function", [None, 5, "len", ["len"]])
def test_what_is_no_function_is_refused(function: Any) -> None:
    with pytest.raises(OptionError, match="Python only: a YAML file cannot name code"):
        utility_bias(0, 0, function)


def test_wrong_limits_are_refused() -> None:
    with pytest.raises(OptionError, match="the limit of utility-bias must not be negative, got -1"):
        utility_bias(0, 0, float, limit=-1)


def test_it_is_listed_only_where_a_function_can_be_given() -> None:
    result = petaudit.audit(RELEASED, original=ORIGINAL, quasi_identifiers="age")
    assert "utility-bias" not in {entry.measure for entry in result.not_measured}
    assert "utility-bias" not in listed_measures()


def test_the_kind_takes_functions_and_its_schema_nothing() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    [option] = find_measure("utility-bias").options
    assert isinstance(option.kind, kinds.PythonFunction)
    assert option.kind.takes(len)
    problems = kinds.Problems()
    option.kind.check("len", ("function",), problems)
    assert [message for _, message in problems] == [
        "function must be a function (Python only: a YAML file cannot name code), got 'len'"
    ]
    for value in (None, "len", 5, {}, []):
        assert not jsonschema.Draft202012Validator(option.kind.schema()).is_valid(value)
