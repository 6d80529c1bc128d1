"""Rows that belong together by a key, in tables of which at least one lives elsewhere."""

from __future__ import annotations

from collections import Counter
from datetime import date
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import examples
from petaudit.errors import InputError, NotMeasurableError
from petaudit.tables import TableCounts, check_aligned, open_source, pair_codes, pair_counts
from petaudit.tables.column_facts import column_facts
from petaudit.tables.source import RowPicker, first_rows
from petaudit.tables.sums import PairSums
from petaudit.tables.typed import ColumnType, typed_source
from tables.engines import label

NAMES = ("before.csv", "after.csv")
WHERE = [("there", "there"), ("here", "there"), ("there", "here")]
KEYS = st.sampled_from([1, 2, 3, None])
VALUES = st.sampled_from(["a", " a", "b", "", None])


def held(table: pa.Table, where: str) -> TableCounts:
    return open_source(table if where == "here" else ibis.memtable(table)).counts


def opened(tables: tuple[pa.Table, pa.Table], where: tuple[str, str]) -> list[TableCounts]:
    return [held(table, entry) for table, entry in zip(tables, where, strict=True)]


def problem(tables: tuple[pa.Table, pa.Table], where: tuple[str, str]) -> str | None:
    try:
        check_aligned(*opened(tables, where), "id", NAMES)
    except InputError as error:
        return str(error)
    return None


def expected_problem(before: list[int | None], after: list[int | None]) -> str | None:
    for keys, name in zip((before, after), NAMES, strict=True):
        if None in keys:
            return f"key column 'id' of {name} holds a null"
        if len(set(keys)) < len(keys):
            return f"key column 'id' of {name} holds a value more than once"
    if set(before) != set(after):
        return "key column 'id' does not hold the same values in both tables"
    return None


@settings(max_examples=examples(25), deadline=None)
@given(
    st.integers(1, 3).flatmap(
        lambda rows: st.tuples(*[st.lists(KEYS, min_size=rows, max_size=rows)] * 2)
    ),
    st.sampled_from(WHERE),
    st.sampled_from([pa.int64(), pa.int16(), pa.string()]),
)
def test_keys_that_do_not_fit_are_found_elsewhere_too(
    keys: tuple[list[int | None], list[int | None]], where: tuple[str, str], kind: pa.DataType
) -> None:
    spelled = [None if key is None else str(key) for key in keys[1]]
    after = pa.array(spelled if kind == pa.string() else keys[1], kind)
    tables = (pa.table({"id": pa.array(keys[0], pa.int64())}), pa.table({"id": after}))
    assert problem(tables, where) == expected_problem(*keys)
    assert problem(tables, ("here", "here")) == expected_problem(*keys)


@pytest.mark.parametrize("where", WHERE)
def test_keys_of_other_kinds_are_refused(where: tuple[str, str]) -> None:
    days = pa.table({"id": [date(2020, 1, 1)]})
    with pytest.raises(InputError, match=r"kind Date in one table and of kind String .* one kind"):
        check_aligned(*opened((days, pa.table({"id": ["2020-01-01"]})), where), "id", NAMES)


def test_rows_elsewhere_have_no_order() -> None:
    table = pa.table({"id": [1]})
    with pytest.raises(InputError, match="have no order; name a key column"):
        check_aligned(held(table, "here"), held(table, "there"), None, NAMES)


@settings(max_examples=examples(10), deadline=None)
@given(
    st.lists(st.tuples(VALUES, VALUES, st.integers(0, 2)), min_size=1, max_size=8),
    st.sampled_from(WHERE),
    st.randoms(),
)
def test_pairs_of_values_are_those_of_a_counter(
    rows: list[tuple[Any, Any, int]], where: tuple[str, str], random: Any
) -> None:
    order = list(range(len(rows)))
    random.shuffle(order)
    before = pa.table(
        {
            "id": [str(place) for place in range(len(rows))],
            "text": pa.array([row[0] for row in rows], pa.string()),
            "number": [row[2] / 4 for row in rows],
        }
    )
    after = pa.table(
        {
            "id": order,
            "text": pa.array([rows[place][1] for place in order], pa.string()),
            "number": pa.array([rows[place][2] or None for place in order], pa.int64()),
        }
    )
    original, released = opened((before, after), where)
    check_aligned(original, released, "id", NAMES)
    wanted = {
        "text": Counter((label(old), label(new)) for old, new, _ in rows),
        "number": Counter((label(n / 4), label(n or None)) for _, _, n in rows),
    }
    for column, expected in wanted.items():
        result = pair_counts(original, released, column, "id")
        pairs = zip(result.original, result.released, strict=True)
        assert dict(zip(pairs, result.counts.tolist(), strict=True)) == expected
        codes = pair_codes(original, released, column, "id")
        old, new = (entry.value_counts(column).labels for entry in (original, released))
        spelled = zip(
            (old[code] for code in codes.original.tolist()),
            (new[code] for code in codes.released.tolist()),
            strict=True,
        )
        assert dict(zip(spelled, codes.counts.tolist(), strict=True)) == expected


LABELS = st.sampled_from(["x", "y", "z", None])


@settings(max_examples=examples(10), deadline=None)
@given(
    st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=9), st.tuples(*[st.sets(LABELS)] * 2)
)
def test_sums_over_pairs_are_those_of_loops(
    rows: list[tuple[Any, Any]], silent: tuple[set[Any], set[Any]]
) -> None:
    cells = list(zip(*rows, strict=True))
    table = {name: pa.array(entry, pa.string()) for name, entry in zip("ab", cells, strict=True)}
    counts = open_source(ibis.memtable(pa.table(table))).counts
    labels = [counts.value_counts(name).labels for name in "ab"]
    known = [
        np.array([label not in quiet for label in entry], dtype=bool)
        for entry, quiet in zip(labels, silent, strict=True)
    ]
    sums = PairSums(counts, ("a", "b"), (known[0], known[1]))
    said = [row for row in rows if row[0] not in silent[0] and row[1] not in silent[1]]
    for side in range(2):
        many = Counter(row[side] for row in said)
        assert sums.rows[side].tolist() == [many[label] for label in labels[side]]
    worth = [
        [0.0 if label in quiet else 0.5 + place for place, label in enumerate(entry)]
        for entry, quiet in zip(labels, silent, strict=True)
    ]
    of_label = [dict(zip(entry, it, strict=True)) for entry, it in zip(labels, worth, strict=True)]
    left, right = np.array(worth[0]), np.array(worth[1])
    expected = sum(of_label[0][one] * of_label[1][other] for one, other in said)
    assert sums.products([(left, right), (left, -right)]) == [expected, -expected]
    by_first = [sum(of_label[1][row[1]] for row in said if row[0] == entry) for entry in labels[0]]
    assert np.where(known[0], sums.sums_by(0, right), 0).tolist() == by_first
    pairs = Counter(said)
    first, second = (Counter(row[side] for row in said) for side in range(2))
    independent = {pair: first[pair[0]] * second[pair[1]] / len(said) for pair in pairs}
    surplus, total, number = sums.surplus()
    assert number == len(pairs)
    assert total == pytest.approx(sum(independent.values()))
    assert surplus == pytest.approx(
        sum((many - independent[pair]) ** 2 / independent[pair] for pair, many in pairs.items())
    )


def test_rows_and_classes_stay_where_they_are() -> None:
    source = open_source(ibis.memtable(pa.table({"a": ["x", "y"]})), called="people")
    for fetch in (
        source.to_arrow,
        lambda: source.counts.columns_values(["a"]),
        lambda: source.counts.columns_values(["a"])[0],
        lambda: source.counts.row_codes(["a"]),
        lambda: source.counts.coded_classes(["a"]),
        lambda: first_rows(source, 1),
        lambda: RowPicker(source),
        lambda: typed_source(source, {"a": ColumnType("int")}),
    ):
        with pytest.raises(NotMeasurableError, match="people: this needs individual rows, which"):
            fetch()


def test_facts_of_very_many_columns_are_counted_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("petaudit.tables.column_facts._MANY_COLUMNS", 1)
    columns = {f"x{place}": ["1", "1", None, "[20,30["] for place in range(2)}
    facts = column_facts(open_source(ibis.memtable(pa.table(columns))))
    assert facts == column_facts(open_source(pa.table(columns)))
    assert {(fact.nulls, fact.distinct, fact.once, fact.generalized) for fact in facts} == {
        (1, 2, 1, 1)
    }
