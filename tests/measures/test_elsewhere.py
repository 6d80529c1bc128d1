"""Measures of tables whose rows live elsewhere: the same figures, or a reason why there is none."""

from __future__ import annotations

from typing import Any

import ibis
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import examples
from measures import utility_twin as twin
from measures.running import computing
from measures.test_squared_errors import TREE, Numbers, number_tables
from petaudit import audit, generalize
from petaudit.errors import NotMeasurableError
from petaudit.inputs import gather
from petaudit.measures.association_change import association_change
from petaudit.measures.model_utility import model_utility
from petaudit.measures.special_uniques import special_uniques
from strategies import arrow_columns

attribute_from = computing("attribute-squared-error")
record_from = computing("record-squared-error")
bias_from = computing("utility-bias")
STAYS = "this needs individual rows, which stay in ibis; write the table"


@settings(max_examples=examples(8), deadline=None)
@given(number_tables(), st.sampled_from([(True, True), (True, False), (False, True)]))
def test_squared_errors_are_the_twins(
    table: dict[str, Numbers], is_there: tuple[bool, bool]
) -> None:
    rows = range(len(next(iter(table.values())).before))
    before = {name: entry.before for name, entry in table.items()} | {"id": list(rows)}
    after = {name: entry.after for name, entry in table.items()} | {"id": list(rows)}
    given: dict[str, Any] = {
        "quasi_identifiers": list(table),
        "hierarchies": dict.fromkeys(table, TREE),
        "key": "id",
    }
    frames = [arrow_columns(before), arrow_columns(after)]
    original, released = (
        ibis.memtable(frame) if elsewhere else frame
        for frame, elsewhere in zip(frames, is_there, strict=True)
    )
    numbers = {name: entry.numbers for name, entry in table.items()}
    expected = twin.record_error(numbers, {name: entry.intervals for name, entry in table.items()})
    local = gather(frames[1], original=frames[0], **given)
    inputs = gather(released, original=original, **given)
    record, here = record_from(inputs), record_from(local)
    assert record.value == pytest.approx(expected, abs=1e-12)
    assert record.columns == here.columns
    assert record.mean_distance == pytest.approx(here.mean_distance, rel=1e-12, abs=1e-12)
    assert record.largest_mean_distance == pytest.approx(here.largest_mean_distance)
    assert attribute_from(inputs).columns == attribute_from(local).columns


def test_numbers_too_large_for_floats_are_measured_elsewhere_too() -> None:
    before = pa.table({"id": [1, 2, 3], "n": ["1e300", "-1e300", "3e300"], "one": ["7"] * 3})
    after = pa.table({"id": [3, 2, 1], "n": [">=2e300", "*", "1e305"], "one": ["7", "8", "7"]})
    given: dict[str, Any] = {"quasi_identifiers": ["n", "one"], "key": "id"}
    here = record_from(gather(after, original=before, **given))
    there = record_from(gather(ibis.memtable(after), original=ibis.memtable(before), **given))
    assert there.value == pytest.approx(here.value, abs=1e-12)
    assert there.columns == here.columns


CELLS = st.fixed_dictionaries(
    {
        "a": st.sampled_from(["x", "y", "*", None]),
        "b": st.sampled_from(["u", "v", "w"]),
        "n": st.sampled_from([1.5, -2.0, 4.0, None]),
        "m": st.sampled_from([1, 5, 2]),
    }
)


@settings(max_examples=examples(6), deadline=None)
@given(*[st.lists(CELLS, min_size=1, max_size=9)] * 2)
def test_associations_are_the_same(
    before: list[dict[str, Any]], after: list[dict[str, Any]]
) -> None:
    kinds = pa.schema({"a": "string", "b": "string", "n": "double", "m": "int64"})
    tables = [pa.Table.from_pylist(rows, kinds) for rows in (before, after)]
    here = association_change(*tables)
    there = association_change(*map(ibis.memtable, tables))
    for entry, local in zip(there.pairs, here.pairs, strict=True):
        for name, figure in vars(local).items():
            is_float = isinstance(figure, float)
            expected = pytest.approx(figure, abs=1e-9) if is_float else figure
            assert getattr(entry, name) == expected, (name, entry, local)
    assert there.constant_columns == here.constant_columns


def test_columns_that_hang_together_elsewhere() -> None:
    """Equal columns have 1, independent ones 0, though an engine adds up in any order."""
    rows = [(a, b) for a in range(20) for b in range(30)]
    before = pa.table({"a": [a / 7 for a, _ in rows], "b": [f"v{b}" for _, b in rows]})
    after = pa.table({"a": [a / 7 for a, _ in rows], "b": [f"v{a}" for a, _ in rows]})
    [eta] = association_change(ibis.memtable(before), ibis.memtable(after)).pairs
    assert (eta.original, eta.released) == (pytest.approx(0, abs=1e-9), pytest.approx(1))
    texts = [table.set_column(0, "a", table["a"].cast("string")) for table in (before, after)]
    [v] = association_change(*map(ibis.memtable, texts), columns=["a", "b"]).pairs
    assert v.coefficient == "eta"
    named = [
        table.set_column(0, "a", pa.array([f"w{cell}" for cell in table["a"].to_pylist()]))
        for table in (before, after)
    ]
    [v] = association_change(*map(ibis.memtable, named)).pairs
    assert v.coefficient == "cramers-v"
    assert (v.original, v.released) == (pytest.approx(0, abs=1e-9), pytest.approx(1))


def test_special_uniques_need_no_rows_where_nobody_is_alone() -> None:
    table = pa.table({"a": ["x", "x", "y", "y"], "b": ["1", "1", "2", "2"]})
    given: dict[str, Any] = {"quasi_identifiers": ["a", "b"]}
    there = special_uniques(ibis.memtable(table), **given)
    assert (there.value, there.unique_rows) == (0, 0)
    assert there.to_dict() == special_uniques(table, **given).to_dict()
    lonely = ibis.memtable(table.slice(1))
    with pytest.raises(NotMeasurableError, match=STAYS):
        special_uniques(lonely, **given)


def test_what_looks_at_rows_says_why_it_is_not_measured() -> None:
    table = ibis.memtable(pa.table({"a": ["x", "y"] * 20, "b": [str(n % 3) for n in range(40)]}))
    here = pa.table({"a": ["x", "y"] * 20, "b": [str(n % 3) for n in range(40)]})
    for original, released in ((table, here), (here, table)):
        with pytest.raises(NotMeasurableError, match=STAYS):
            model_utility(original, released, target="a", aligned=False)
        with pytest.raises(NotMeasurableError, match=STAYS):
            bias_from(gather(released, original=original), function=len)
    with pytest.raises(NotMeasurableError, match=STAYS):
        generalize(table, levels={"a": 1}, hierarchies={"a": {"x": "*", "y": "*"}})


def test_an_audit_reports_what_cannot_be_measured_elsewhere() -> None:
    table = pa.table({"a": ["x", "x", "y"], "b": ["1", "1", "2"]})
    result = audit(ibis.memtable(table), quasi_identifiers=["a", "b"])
    reasons = {entry.measure: str(entry.problem) for entry in result.not_measured}
    assert STAYS in reasons["special-uniques"]
    assert result["k-anonymity"].value == 1
