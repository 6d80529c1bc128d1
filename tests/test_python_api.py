"""What Python programs may expect: arguments by their names, and frames in their kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import petaudit
from petaudit.errors import OptionError, PetauditError

TABLE = pa.table({"zip": ["a", "a", "b"], "ill": ["x", "y", "y"]})
PIPELINE = """
Loader: {visits: {filepath: "benchmark://patient-deidentified"}}
Evaluator:
  closeness: {method: t-closeness, limit: 0.2}
  classes: {method: k-anonymity, limit: 2}
"""


def with_roles(function: Callable[..., Any], **more: Any) -> Callable[[], object]:
    return lambda: function(TABLE, quasi_identifiers="zip", **more)


def audited(**more: Any) -> petaudit.Audit:
    return petaudit.audit(TABLE, quasi_identifiers="zip", **more)


WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "mpuccs, unknown": (
        lambda: petaudit.mpuccs(TABLE, TABLE, max_baseline_col=2),
        "mpuccs has no argument 'max_baseline_col' (did you mean 'max_baseline_cols'?)",
    ),
    "mpuccs, limit": (
        lambda: petaudit.mpuccs(TABLE, TABLE, limit=0.1, profile="public"),
        "give either a limit or a profile, not both",
    ),
    "only": (
        lambda: petaudit.Executor(PIPELINE, only=["closness"]),
        "only='closness' (did you mean 'closeness'?): no experiment or run has this name",
    ),
    "only, number": (
        lambda: petaudit.Executor(PIPELINE, only=5),  # type: ignore[arg-type]
        "only= must be a name or a list of names, got 5",
    ),
    "overrides": (
        lambda: petaudit.Executor(PIPELINE, overrides=["Evaluator.closeness.limit"]),
        "overrides='Evaluator.closeness.limit': expected MODULE.NAME.OPTION=VALUE",
    ),
    "quasi-identifiers": (
        lambda: petaudit.k_anonymity(TABLE, quasi_identifiers=5),  # type: ignore[arg-type]
        "quasi_identifiers= must be a name or a list of names, got 5",
    ),
    "no hierarchies": (with_roles(petaudit.precision), "give hierarchies (hierarchies=)"),
    "no roles": (lambda: petaudit.precision(TABLE), "(hierarchies=)"),
    "no population": (with_roles(petaudit.delta_presence), "(population=)"),
    "options": (
        lambda: audited(options=[1]),
        "options must be a mapping such as {'t-closeness': {'worst': 3}}, got [1]",
    ),
    "no name": (lambda: audited()[0], "unknown measure 0; measures are "),
    "an address of Spark": (
        lambda: petaudit.k_anonymity("s3://bucket/visits", quasi_identifiers="zip"),
        "begins an address that Spark reads: add engine='spark'",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_errors_name_arguments_of_python(case: str) -> None:
    call, message = WRONG[case]
    with pytest.raises(PetauditError) as raised:
        call()
    assert message in str(raised.value)
    assert "--" not in str(raised.value)


def test_missing_arguments_name_the_function() -> None:
    with pytest.raises(TypeError, match=r"k_anonymity\(\): missing a required argument: 'table'"):
        petaudit.k_anonymity()  # type: ignore[call-arg]


def test_one_name_needs_no_list() -> None:
    executor = petaudit.Executor(
        PIPELINE, only="closeness", overrides="Evaluator.closeness.limit=0.5"
    )
    assert executor.run() == "passed"
    assert len(executor.get_result()) == 1


def test_an_audit_holds_what_it_iterates_over() -> None:
    found, other = audited(limits={"k-anonymity": 2}), audited()
    assert all(result in found for result in found)
    assert other["k-anonymity"] not in found
    assert "k_anonymity" in found
    assert 0 not in found


def test_mpuccs_is_judged_like_any_measure() -> None:
    alone = petaudit.mpuccs(TABLE, TABLE)
    assert petaudit.mpuccs(TABLE, TABLE, limit=0.1).to_dict()["status"] == "failed"
    assert petaudit.mpuccs(TABLE, TABLE, profile="public").limit == 0.05
    assert alone.passed is None
    with pytest.raises(OptionError, match="limit of mpuccs"):
        petaudit.mpuccs(TABLE, TABLE, limit=-1)


def test_synthetic_tables_are_frames_of_the_kind_given() -> None:
    frame = pd.DataFrame(
        {
            "n": pd.array([1, None, 3, 3] * 9, "Int8"),
            "b": pd.array([True, None, False, True] * 9, "boolean"),
            "x": np.arange(36) / 2,
            "c": ["a", "b"] * 18,
        },
        index=range(100, 136),
    )
    drawn = petaudit.synthesize(frame, rows=7)
    assert isinstance(drawn, pd.DataFrame)
    assert drawn.dtypes.to_dict() == frame.dtypes.to_dict()
    assert list(drawn.index) == list(range(7))
    assert isinstance(petaudit.synthesize(pl.DataFrame({"a": ["x", "y"] * 4})), pl.DataFrame)
    assert isinstance(petaudit.synthesize(TABLE), pa.Table)
