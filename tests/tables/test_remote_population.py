"""Classes of a table and of a population that an engine elsewhere brings together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import ibis
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import examples
from petaudit.errors import InputError
from petaudit.tables import open_source
from petaudit.tables.engines import remote as _beside
from petaudit.tables.population import PopulationClasses, population_classes
from tables.engines import label

NAMES = ["a", "b"]
KINDS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "text": (pa.string(), ["1", " 2", "2", "*", "", None, "臺北"]),
    "whole": (pa.int64(), [1, 2, None]),
    "small": (pa.int16(), [1, 2, None]),
    "float": (pa.float64(), [1.0, 2.0, 0.1, float("nan"), None]),
    "nothing": (pa.string(), [None]),
}
CALLED: dict[str | None, str | None] = {"1": "2", "0.1": "*", None: "臺北"}
"""Another name of some labels, as a hierarchy may give them."""


def unchanged(_: str, __: Any, labels: Sequence[str | None]) -> Sequence[str | None]:
    return labels


def renamed(name: str, released: Any, labels: Sequence[str | None]) -> Sequence[str | None]:
    """Give labels of the first column another name where the table has it."""
    if name != "a":
        return labels
    return [entry if (entry := CALLED.get(label, label)) in released else label for label in labels]


def cells(table: pa.Table) -> list[tuple[str | None, ...]]:
    columns = [[label(cell) for cell in table.column(name).to_pylist()] for name in NAMES]
    return list(zip(*columns, strict=True))


def expected(table: pa.Table, population: pa.Table, *, renames: bool) -> dict[str, Any] | None:
    """All figures by dictionaries; None where somebody is not in the population."""
    entry = Counter(row for row in cells(table) if row != ("*", "*"))
    released = {row[0] for row in entry}
    people: Counter[tuple[str | None, ...]] = Counter()
    for first, second in cells(population):
        if (first, second) != ("*", "*"):
            other = CALLED.get(first, first)
            people[(other if renames and other in released else first, second)] += 1
    if any(people[row] < size for row, size in entry.items()) or len(population) < len(table):
        return None
    without = [size for row, size in people.items() if row not in entry]
    return {
        "entries": Counter((size, people[row]) for row, size in entry.items()),
        "suppressed_rows": len(table) - entry.total(),
        "population_rows": len(population),
        "classes_without_rows": len(without),
        "people_without_rows": sum(without),
        "uniques_with_rows": sum(people[row] == 1 for row in entry),
        "uniques_without_rows": without.count(1),
    }


def figures(result: PopulationClasses) -> dict[str, Any]:
    pairs = zip(result.sizes.tolist(), result.population_sizes.tolist(), strict=True)
    entries = list(zip(pairs, result.classes.tolist(), strict=True))
    ordered = [(people, size) for (size, people), _ in entries]
    assert ordered == sorted(set(ordered))
    names = ("suppressed_rows", "population_rows", "classes_without_rows", "people_without_rows")
    names += ("uniques_with_rows", "uniques_without_rows")
    return {"entries": Counter(dict(entries))} | {name: getattr(result, name) for name in names}


@st.composite
def tables(draw: st.DrawFn) -> tuple[pa.Table, pa.Table]:
    """A table, and a population that often holds everybody of it."""
    kinds = [draw(st.tuples(*[st.sampled_from(sorted(KINDS))] * 2)) for _ in NAMES]
    rows = draw(st.lists(st.tuples(*[st.integers(0, 9)] * 2), min_size=1, max_size=6))
    more = draw(st.lists(st.tuples(*[st.integers(0, 9)] * 2), max_size=8))

    def made(side: int, picks: Sequence[tuple[int, ...]]) -> pa.Table:
        arrays = {}
        for place, name in enumerate(NAMES):
            kind, values = KINDS[kinds[place][side]]
            picked = [values[pick[place] % len(values)] for pick in picks]
            arrays[name] = pa.array(picked, kind, from_pandas=False)
        return pa.table(arrays)

    return made(0, rows), made(1, draw(st.permutations(rows + more)))


def held(table: pa.Table, where: str) -> Any:
    return open_source(table if where == "here" else ibis.memtable(table)).counts


@settings(max_examples=examples(25), deadline=None)
@given(tables(), st.sampled_from(["both there", "table here", "population here"]), st.booleans())
def test_classes_met_elsewhere_are_those_of_dictionaries(
    both: tuple[pa.Table, pa.Table], where: str, renames: bool
) -> None:
    translate = renamed if renames else unchanged
    sides = ["here" if name in where else "there" for name in ("table here", "population here")]
    remote = [held(table, side) for table, side in zip(both, sides, strict=True)]
    local = [held(table, "here") for table in both]
    figured = expected(*both, renames=renames)
    if figured is None:
        messages = []
        for counts in (remote, local):
            with pytest.raises(InputError) as caught:
                population_classes(*counts, NAMES, translate)
            messages.append(str(caught.value))
        assert messages[0] == messages[1]
    else:
        assert figures(population_classes(*remote, NAMES, translate)) == figured
        assert figures(population_classes(*local, NAMES, translate)) == figured


@pytest.mark.parametrize("where", [("here", "there"), ("there", "here")])
def test_a_large_table_is_not_sent_elsewhere(
    where: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_beside, "_MOST_MOVED", 2)
    table = pa.table({"a": ["x"] * 3, "b": ["y"] * 3})
    with pytest.raises(InputError, match=r"has 3 rows, more than the 2 .* both tables to ibis"):
        population_classes(*(held(table, entry) for entry in where), NAMES, unchanged)


def test_tables_of_two_databases_do_not_meet() -> None:
    def table(database: Any, name: str) -> Any:
        database.raw_sql(f"CREATE TABLE {name} AS SELECT 'x' AS a, 'y' AS b")
        return open_source(database.table(name)).counts

    counts = [table(ibis.duckdb.connect(), "t") for _ in range(2)]
    with pytest.raises(InputError, match="rows cannot be matched across them"):
        population_classes(*counts, NAMES, unchanged)
    there = ibis.duckdb.connect()
    counts = [table(there, name) for name in "tu"]
    assert population_classes(*counts, NAMES, unchanged).classes.tolist() == [1]


def test_only_sizes_are_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = pa.table({"a": [str(n) for n in range(400)], "b": [n % 7 for n in range(400)]})
    counts = [held(numbers, "there") for _ in range(2)]
    for entry in counts:
        for name in NAMES:
            entry.value_counts(name)
    fetched: list[pa.Table] = []
    real: Callable[..., pa.Table] = type(counts[0]).collected
    monkeypatch.setattr(
        type(counts[0]),
        "collected",
        lambda self, lazy: fetched.append(real(self, lazy)) or fetched[-1],
    )
    assert population_classes(*counts, NAMES, unchanged).classes.tolist() == [400]
    assert max(table.num_rows for table in fetched) == 1
