"""Every measure says the same of a table, whatever engine holds it.

Verdicts, whole numbers and texts are equal; other numbers to nine digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from budget import IS_RANDOM
from conformance.engines import ENGINES, arrow_table, held_by
from conformance.tables import TABLES, Released
from measures.registry_cases import (
    ATTACKS,
    OWN_TESTS,
    PASSING,
    generic,
    is_same,
    outcome,
    outcomes,
    said,
)
from petaudit.errors import NotMeasurableError, PetauditError
from petaudit.inputs import Inputs, gather
from petaudit.measures import Result

REMOTE = ("ibis", "pyspark")
LATER = {"pyspark": ["texts"], "connect": [name for name in TABLES if name != "few rows"]}
"""What takes Spark long: the same texts twice (tests/spark leave suppressed rows out, too)."""
NOT_THERE = {"ibis": {"special-uniques": "this needs individual rows, which stay in"}}
"""What cannot be measured where rows live elsewhere, and what is said then."""
NEED_ROWS = {
    "model-utility": "this needs individual rows, which stay in",
    "utility-bias": "this needs individual rows, which stay in",
}
"""The same of measures that are not among those that count."""


def name_of(engine: Any) -> str:
    return str(engine if isinstance(engine, str) else engine.values[0])


def inputs_of(released: Released, *tables: Any) -> Inputs:
    table, original, population = tables
    return gather(table, original=original, population=population, **released.given)


@cache
def expected(name: str) -> dict[str, Any]:
    """What is said of the plain table in memory."""
    released = TABLES[name]
    own = (released.table, released.original, released.population)
    found = outcomes(inputs_of(released, *map(arrow_table, own)))
    return {measure: _compared(own) for measure, own in found.items()}


ROUNDED = {"association-change", "record-squared-error"}
"""Measures of sums and roots of floats, which engines add in their own order."""


def _compared(found: Result | PetauditError) -> Any:
    if isinstance(found, Result):
        exact = found.exact_value
        return said(found) | {"exact": float(exact) if found.measure in ROUNDED else exact}
    # Frames have no name, and folders have their own.
    return [type(found).__name__, re.sub(r"/\S+/test_every\S+", "the frame", str(found))]


def cells() -> Iterator[Any]:
    """Every engine with every table."""
    for engine in ENGINES:
        for name in TABLES:
            if name in LATER.get(name_of(engine), ()) and not IS_RANDOM:
                continue
            yield pytest.param(name_of(engine), name, marks=getattr(engine, "marks", ()))


@pytest.mark.parametrize(("engine", "name"), cells())
def test_every_measure_is_the_same_on_every_engine(
    engine: str, name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    released = TABLES[name]
    held = [
        held_by(engine, columns, tmp_path / str(place), request)
        for place, columns in enumerate((released.table, released.original, released.population))
    ]
    found = outcomes(inputs_of(released, *held))
    for measure, reason in NOT_THERE.get(engine, {}).items():
        if name != "all suppressed":  # then there is no row to look at
            refused = found.pop(measure)
            assert isinstance(refused, NotMeasurableError), measure
            assert reason in str(refused)
    wrong = {
        measure: (_compared(own), expected(name)[measure])
        for measure, own in found.items()
        if not is_same(_compared(own), expected(name)[measure])
    }
    assert not wrong


@pytest.mark.parametrize("engine", [own for own in ENGINES if name_of(own) in REMOTE])
def test_what_needs_rows_says_so_where_rows_stay(
    engine: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    released = TABLES["typed"]
    held = [
        held_by(engine, columns, tmp_path / str(place), request)
        for place, columns in enumerate((released.table, released.original, released.population))
    ]
    inputs = inputs_of(released, *held)
    for measure, reason in NEED_ROWS.items():
        refused = outcome(measure, inputs, PASSING[measure])
        assert isinstance(refused, NotMeasurableError), measure
        assert reason in str(refused), measure


def test_the_tables_show_something() -> None:
    """Errors of all engines alike would prove nothing: nearly all measures have figures."""
    measured = {
        measure
        for name in TABLES
        for measure, own in expected(name).items()
        if isinstance(own, dict)
    }
    assert measured == set(generic())
    assert set(OWN_TESTS) == {"mpuccs", "utility-bias", "model-utility", *ATTACKS}
