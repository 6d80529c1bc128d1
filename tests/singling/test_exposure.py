"""What would remain if a column were left out or made coarser: counted anew by the twin."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from datetime import datetime
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from hypothesis import given, settings

import mpuccs_twin as twin
import petaudit
from budget import examples
from petaudit.singling.entropy import EntropyRule
from petaudit.singling.exposure import expose
from petaudit.singling.partition import Pair as CodedPair
from petaudit.singling.search import Settings, exposed_people
from singling.frames import rows_of
from singling.pairs import Pair, pairs
from singling.test_properties import asked

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")


def coarser(change: str) -> Callable[[Any], Any] | None:
    """What a change makes of a value, where its name says so exactly."""
    if change == "floored to the month":
        return lambda moment: (moment.year, moment.month)
    if change.startswith("rounded to "):
        step = Fraction(change.removeprefix("rounded to "))
        return lambda number: round(Fraction(number) / step)
    return None


@settings(max_examples=examples(200))
@given(pair=pairs())
def test_what_would_remain(pair: Pair) -> None:
    result = asked(pair)
    details = rows_of(result.details)
    data = twin.evaluate(*pair.cells, **pair.options).prepared
    for row in rows_of(result.exposure):
        column, most = row["column"], row["up_to_columns"]
        assert row["rows_helped"] == sum(column in detail["field_combo"] for detail in details)
        assert row["rows_before"] == len(twin.identified_rows(data, most))
        if row["change"] == "left out":
            changed = twin.left_out(data, column)
        else:
            change = coarser(row["change"])
            if change is None:
                continue
            place = data.columns.index(column)
            values = {line[place] for line in (*data.original, *data.synthetic)}
            steps = {value: None if value is None else change(value) for value in values}
            changed = twin.coarsened(data, column, steps)
        assert row["rows_after"] == len(twin.identified_rows(changed, most)), row


def test_a_coarser_column_can_expose_others() -> None:
    # In January, the first synthetic row is like one person, and before nobody was born that day.
    original = pa.table({"born": [datetime(2020, 1, 1), datetime(1969, 12, 31)], "b": [0, 0]})
    synthetic = pa.table({"born": [datetime(2020, 1, 2), datetime(2020, 1, 1)], "b": [0, 2]})
    result = petaudit.mpuccs(original, synthetic)
    remaining = {
        row["change"]: row["rows_after"]
        for row in rows_of(result.exposure)
        if row["column"] == "born"
    }
    assert remaining == {"left out": 0, "floored to the month": 1}


# --- against the definition, code by code ---------------------------------------------------


def groups(
    codes: npt.NDArray[np.uint32], columns: Sequence[int]
) -> dict[tuple[int, ...], list[int]]:
    """The rows that have the same codes in some columns."""
    result: dict[tuple[int, ...], list[int]] = {}
    for row in range(codes.shape[1]):
        result.setdefault(tuple(codes[list(columns), row].tolist()), []).append(row)
    return result


def identified(pair: CodedPair, columns: Sequence[int]) -> set[int]:
    """The synthetic rows that are alone with one target row."""
    result = set()
    for rows in groups(pair.codes, columns).values():
        synthetic = [row for row in rows if row < pair.synthetic]
        if len(synthetic) == 1 and len(rows) == 2:
            result.add(synthetic[0])
    return result


@pytest.mark.parametrize("columns", [3, 64, 65, 130])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("varying", ["first", "last"])
def test_columns_beyond_a_word_of_bits(columns: int, threads: int, varying: str) -> None:
    chance = np.random.default_rng(columns)
    codes = chance.integers(0, 2, (columns, 24)).astype(np.uint32)
    # Few columns vary, so that some rows cannot do without one: of the first or the last word.
    codes[3:] = codes[-1]
    if varying == "last":
        codes = codes[::-1].copy()
    pair = CodedPair(codes, 12)
    exposure = expose(pair, [], 2, threads=threads)
    assert exposure is not None
    by_columns = {
        each: identified(pair, each)
        for size in (1, 2)
        for each in itertools.combinations(range(columns), size)
    }
    assert exposure.identified == len(set().union(*by_columns.values()))
    assert exposure.without_column == tuple(
        len(set().union(*(rows for each, rows in by_columns.items() if left_out not in each)))
        for left_out in range(columns)
    )


def exposed_twin(
    pair: CodedPair, who: Sequence[int], first_control: int, sizes: Sequence[int]
) -> list[int]:
    """1 for who is singled out, 2 for who would be without one other person, 3 for both."""
    flags = [0] * pair.rows
    for size in sizes:
        for columns in itertools.combinations(range(pair.columns), size):
            for rows in groups(pair.codes, columns).values():
                made_by = {who[row] for row in rows if row < pair.synthetic}
                everybody = {who[row] for row in rows if row >= pair.synthetic}
                control = {person for person in everybody if person >= first_control}
                people = everybody - control
                if len(made_by) != 1:
                    continue
                for person in people if len(people) <= 2 else ():
                    flags[person] |= len(people)
                for person in control if len(people) <= 1 else ():
                    flags[person] |= 1 + len(people)
    return flags


@pytest.mark.parametrize("sizes", [(1, 2, 3), (2,), (1, 3)])
@pytest.mark.parametrize("has_persons", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_exposed_people(seed: int, has_persons: bool, sizes: tuple[int, ...]) -> None:
    chance = np.random.default_rng(seed)
    many = [int(rows) for rows in chance.integers(1, [6, 14, 8])]
    codes = chance.integers(0, chance.integers(2, 5), (4, sum(many))).astype(np.uint32)
    who = np.arange(sum(many), dtype=np.uint32)
    if has_persons:
        # A person's number is that of their first row.
        starts = np.cumsum([0, *many])
        for start, stop in itertools.pairwise(starts.tolist()):
            persons = chance.integers(0, stop - start, stop - start)
            _, first, place = np.unique(persons, return_index=True, return_inverse=True)
            who[start:stop] = start + first[place]
    pair = CodedPair(codes, many[0], who if has_persons else None)
    first_control = many[0] + many[1]
    exposed = exposed_people(pair, first_control, Settings(sizes, EntropyRule(2, 0), 1))
    assert exposed is not None
    assert exposed.tolist() == exposed_twin(pair, who.tolist(), first_control, sizes)
