"""Generalising a table in Python: the same on every engine, in row order."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable
from datetime import date
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import petaudit
from petaudit.errors import ColumnError, HierarchyError, InputError, OptionError, RoleError
from petaudit.generalizing import Generalized, generalize, generalize_with_report
from petaudit.tables import open_source

Columns = dict[str, list[Any]]

CITIES = {"Paris": ["Europe", "*"], "Rome": ["Europe", "*"], "Lima": ["America", "*"]}
PEOPLE: Columns = {
    "city": ["Rome", "Lima", None, "Paris", "Rome"],
    "age": [23, 24, 61, 29, 23],
    "note": ["a", "b", "c", "d", None],
}
RULES = {"city": CITIES | {"": ["", "*"]}, "age": petaudit.ranges(10)}


def duckdb_relation(columns: Columns) -> Any:
    table = pa.table(columns)
    # A connection of its own keeps the relation alive apart from the caller's default one.
    connection = duckdb.connect()
    connection.register("people", table)
    return connection.table("people")


ENGINES: dict[str, Callable[[Columns], Any]] = {
    "pyarrow": pa.table,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "duckdb": duckdb_relation,
}


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_every_engine_gives_the_same_table_in_its_kind(engine: Callable[[Columns], Any]) -> None:
    frame = engine(PEOPLE)
    made = generalize(frame, levels={"city": 1, "age": 1}, hierarchies=RULES)
    assert type(made) is type(frame)
    assert open_source(made).to_arrow().to_pydict() == {
        "city": ["Europe", "America", None, "Europe", "Europe"],
        "age": ["[20,30[", "[20,30[", "[60,70[", "[20,30[", "[20,30["],
        "note": ["a", "b", "c", "d", None],
    }


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_suppression_is_the_same_on_every_engine(engine: Callable[[Columns], Any]) -> None:
    found = generalize_with_report(
        engine(PEOPLE), levels={"city": 1, "age": 1}, hierarchies=RULES, suppress_below=3
    )
    assert found.suppressed_rows == 2
    assert found.table.column("city").to_pylist() == ["Europe", "*", "*", "Europe", "Europe"]
    assert found.table.column("age").to_pylist() == ["[20,30[", "*", "*", "[20,30[", "[20,30["]
    assert found.table.column("note").to_pylist() == PEOPLE["note"]


def test_a_relation_stays_with_its_connection_and_leaves_nothing_else_there() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE people AS SELECT 'Rome' AS city, 30 AS age")
    made = generalize(  # noqa: F841 (DuckDB finds it by its name)
        connection.table("people"), levels={"city": 1}, hierarchies=RULES
    )
    gc.collect()
    connection.register("others", pa.table({"age": [30], "job": ["cook"]}))
    joined = connection.sql("SELECT city, job FROM made JOIN others USING (age)")
    assert joined.fetchall() == [("Europe", "cook")]
    entries = "SELECT table_name FROM duckdb_tables() UNION SELECT view_name FROM duckdb_views() "
    names = connection.sql(f"{entries} WHERE NOT internal ORDER BY 1").fetchall()
    assert names == [("others",), ("people",)]


def test_pandas_keeps_its_index_and_the_columns_that_stay() -> None:
    city, *others = PEOPLE
    index = pd.Index(list("vwxyz"), name="row")
    frame = pd.DataFrame(PEOPLE, index=index).rename(columns={city: f" {city} "})
    frame["kind"] = pd.Categorical(["a", "b", "a", "b", "a"])
    made = generalize(
        frame,
        levels={"city": 1, "age": 1},
        hierarchies=RULES,
        suppress_below=3,
        suppressed_rows="drop",
    )
    assert list(made.columns) == [f" {city} ", *others, "kind"]
    assert list(made[f" {city} "]) == ["Europe"] * 3
    kept = frame.loc[["v", "y", "z"]]
    pd.testing.assert_frame_equal(made[["note", "kind"]], kept[["note", "kind"]])


def test_names_of_columns_may_be_numbers_in_pandas() -> None:
    frame = pd.DataFrame(
        {7: ["Rome", "Lima"], "note": ["a", "b"], "e-mail": ["a@b.org", "c@b.org"]}
    )
    made = generalize(frame, levels={"7": 1}, hierarchies={"7": CITIES})
    assert made.to_dict("list") == {7: ["Europe", "America"], "note": ["a", "b"]}


def test_what_is_given_stays_as_it_was() -> None:
    frame = pd.DataFrame(PEOPLE)
    before = frame.copy(deep=True)
    generalize(frame, levels={"city": 2}, hierarchies=RULES, suppress_below=9)
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize(
    ("level", "cells"),
    [
        (0, ["Rome", "Lima", None, "Paris", "Rome"]),
        (1, ["Europe", "America", None, "Europe", "Europe"]),
        (2, ["*", "*", "*", "*", "*"]),
    ],
)
def test_a_null_stays_a_null_below_the_top(level: int, cells: list[str | None]) -> None:
    made = generalize(pa.table(PEOPLE), levels={"city": level}, hierarchies=RULES)
    assert made.column("city").to_pylist() == cells


@pytest.mark.parametrize(
    "rule",
    [petaudit.ranges(10, 20), petaudit.mask_right(levels=2), petaudit.ordered(["1", "2", "3"], 2)],
)
def test_rules_keep_nulls_below_the_top(rule: Any) -> None:
    table = pa.table({"x": ["1", None, "3"]})
    below = generalize(table, levels={"x": 1}, hierarchies={"x": rule}).column("x").to_pylist()
    assert below[1] is None or len(set(below)) == 1
    top = rule.build("x", ["1", None, "3"]).levels - 1
    above = generalize(table, levels={"x": top}, hierarchies={"x": rule}).column("x").to_pylist()
    assert len(set(above)) == 1


def test_nulls_make_a_class_of_their_own() -> None:
    table = pa.table({"x": [None, None, "1", "2"]})
    hierarchy = {"x": {"1": "*", "2": "*", "": "*"}}
    found = generalize_with_report(table, levels={"x": 0}, hierarchies=hierarchy, suppress_below=2)
    assert found.table.column("x").to_pylist() == [None, None, "*", "*"]
    assert found.suppressed_rows == 2


def test_numbers_and_dates_are_matched_by_how_people_write_them() -> None:
    table = pa.table({"n": [1.0, 2.5], "day": [date(1977, 3, 9), date(1981, 12, 31)]})
    made = generalize(
        table,
        levels={"n": 1, "day": 2},
        hierarchies={"n": {"1": "low", "2.5": "high"}, "day": petaudit.dates("month", "year")},
    )
    assert made.to_pydict() == {"n": ["low", "high"], "day": ["1977", "1981"]}


def test_other_columns_keep_their_kind() -> None:
    table = pa.table({"city": ["Rome", "Lima"], "n": pa.array([1, 2], pa.int16()), "f": [0.5, 1]})
    made = generalize(table, levels={"city": 1}, hierarchies=RULES, suppress_below=2)
    assert made.schema.field("n").type == pa.int16()
    assert made.schema.field("f").type == pa.float64()
    assert made.column_names == ["city", "n", "f"]


def test_quasi_identifiers_without_a_level_are_suppressed_too() -> None:
    made = generalize(
        pa.table(PEOPLE),
        levels={"city": 1},
        hierarchies=RULES,
        quasi_identifiers=["city", "age"],
        suppress_below=2,
    )
    assert made.column("city").to_pylist() == ["Europe", "*", "*", "*", "Europe"]
    assert made.column("age").to_pylist() == ["23", "*", "*", "*", "23"]


def test_a_generalised_column_that_is_no_quasi_identifier_is_not_suppressed() -> None:
    made = generalize(
        pa.table(PEOPLE),
        levels={"city": 1},
        hierarchies=RULES,
        quasi_identifiers=["age"],
        suppress_below=2,
    )
    assert made.column("city").to_pylist() == ["Europe", "America", None, "Europe", "Europe"]
    assert made.column("age").to_pylist() == ["23", "*", "*", "*", "23"]


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_identifiers_are_left_out_and_that_is_said(engine: Callable[[Columns], Any]) -> None:
    """By their role, or by their name; a column that looks like one stays only if it is told to."""
    people = engine(PEOPLE | {"e-mail": [f"{letter}@example.org" for letter in "abcde"]})
    given = {"levels": {"city": 1}, "hierarchies": RULES}
    with pytest.warns(petaudit.PetauditWarning) as said:
        made = generalize(people, roles={"note": "identifier", "city": "quasi_identifier"}, **given)
    assert list(open_source(made).columns) == ["city", "age"]
    assert [str(warning.message) for warning in said] == [
        "left out, as identifiers: 'note'",
        "left out, because of names or values like those of identifiers: 'e-mail' (the role "
        "insensitive keeps a column)",
    ]
    kept = generalize(people, roles={"e-mail": "insensitive_attribute"}, **given)
    assert list(open_source(kept).columns) == ["city", "age", "note", "e-mail"]


def test_identifiers_can_be_suppressed_nulls_included() -> None:
    found = generalize_with_report(
        pa.table(PEOPLE | {"name": ["Ann", None, "Bob", "Cyd", "Dan"]}),
        levels={"city": 0},
        hierarchies=RULES,
        roles={"note": "identifier"},
        identifier_columns="mask",
    )
    assert found.table.column("note").to_pylist() == ["*"] * 5
    assert found.table.column("name").to_pylist() == ["*"] * 5
    assert [message.split(":")[0] for message in found.warnings] == [
        "suppressed altogether, as identifiers",
        "suppressed altogether, because of names or values like those of identifiers",
    ]


def test_rows_are_suppressed_without_any_level() -> None:
    found = generalize_with_report(pa.table(PEOPLE), quasi_identifiers="age", suppress_below=2)
    assert found.table.column("age").to_pylist() == ["23", "*", "*", "*", "23"]
    assert found.table.column("city").to_pylist() == PEOPLE["city"]
    with pytest.raises(RoleError, match="no quasi-identifier is known"):
        generalize(pa.table(PEOPLE), suppress_below=2)


def test_a_column_without_a_hierarchy_has_the_level_0() -> None:
    found = generalize_with_report(pa.table(PEOPLE), levels={"age": 0}, suppress_below=2)
    assert found.table.column("age").to_pylist() == ["23", "*", "*", "*", "23"]


def test_values_that_fit_no_level_get_one_of_their_own() -> None:
    table = pa.table(
        {
            "age": ["23", "unknown", "unknown", "n/a", None, "*", "24"],
            "city": ["Rome", "Lima", "Rom", "Rome", None, "Lima", "*"],
        }
    )
    rules = {"age": petaudit.ranges(10, 20), "city": RULES["city"]}
    given: dict[str, Any] = {"hierarchies": rules, "other_values": "level"}
    found = generalize_with_report(table, levels={"age": 2, "city": 1}, **given)
    assert found.table.to_pydict() == {
        "age": ["[20,40[", "other", "other", "other", None, "*", "[20,40["],
        "city": ["Europe", "America", "other", "Europe", None, "America", "*"],
    }
    assert found.warnings == (
        "column 'age': 3 cells (2 values) put into 'other', fitting no other level",
        "column 'city': 1 cell (1 value) put into 'other', fitting no other level",
    )
    top = generalize_with_report(table, levels={"age": 3, "city": 2}, **given).table
    assert top.column("age").to_pylist() == ["*"] * 7
    with pytest.raises(HierarchyError, match=r"'city' holds 1 value .*other_values='level' puts"):
        generalize(table, levels={"city": 1}, hierarchies=rules)


@given(
    rows=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), min_size=4, max_size=25),
    smallest=st.integers(2, 6),
)
def test_most_rows_suppressed_names_the_column_that_helps_most(
    rows: list[tuple[int, int]], smallest: int
) -> None:
    """Against a count of every candidate by hand: age one level coarser, or all without zip."""

    def lost(keys: list[Any]) -> int:
        return sum(1 for key in keys if Counter(keys)[key] < smallest)

    table = pa.table(
        {"age": [str(age) for age, _ in rows], "zip": [f"z{code}" for _, code in rows]}
    )
    found = generalize_with_report(
        table,
        hierarchies={"age": petaudit.ranges(5, 10)},
        quasi_identifiers=["age", "zip"],
        suppress_below=smallest,
    )
    now = lost(rows)
    coarser, without = (
        lost([(age // 5, code) for age, code in rows]),
        lost([age for age, _ in rows]),
    )
    [*warned] = (text for text in found.warnings if text.startswith("most rows"))
    assert found.suppressed_rows == now
    if now * 2 <= len(rows):
        assert warned == []
    elif min(coarser, without) >= now:
        assert warned[0].endswith("%)")
    elif coarser <= without:
        assert warned[0].endswith(f"; with level 1 of 'age' it would be {coarser}")
    else:
        assert warned[0].endswith(f"; without 'zip' it would be {without}")


@pytest.mark.parametrize(
    ("given_options", "error", "says"),
    [
        ({"levels": {"city": 3}}, OptionError, "level 3 for column 'city'.*levels 0 to 2"),
        ({"levels": {"city": -1}}, OptionError, "level -1"),
        ({"levels": {"city": True}}, OptionError, "level True"),
        ({"levels": {"city": "1"}}, OptionError, "level '1'"),
        ({"levels": {"city": 1.0}}, OptionError, "level 1.0"),
        ({"levels": {}}, OptionError, "no level"),
        ({"levels": {"city": 1}, "other_values": "levels"}, OptionError, "did you mean 'level'"),
        (
            {"levels": {"city": 1}, "roles": {"city": "identifier"}},
            OptionError,
            "'city' is an identifier.*takes no level",
        ),
        (
            {"levels": {"city": 1}, "identifier_columns": "keep"},
            OptionError,
            "identifier_columns must be 'drop' or 'mask', got 'keep'",
        ),
        ({"levels": {"cty": 1}}, ColumnError, "'cty'.*did you mean 'city'"),
        (
            {"levels": {"note": 1}, "hierarchies": None},
            HierarchyError,
            "'note' has no hierarchy, so that it has no level but 0.*hierarchies=",
        ),
        ({"levels": {"note": 1}}, HierarchyError, "no hierarchy for column 'note'"),
        (
            {"levels": {"city": 1}, "suppress_below": 0},
            OptionError,
            "suppress_below must be an integer >= 1, got 0",
        ),
        (
            {"levels": {"city": 1}, "suppress_below": -1},
            OptionError,
            "suppress_below must be an integer >= 1, got -1",
        ),
        (
            {"levels": {"city": 1}, "suppress_below": 2.0},
            OptionError,
            "suppress_below must be an integer >= 1, got 2.0",
        ),
        (
            {"levels": {"city": 1}, "suppress_below": True},
            OptionError,
            "suppress_below must be an integer >= 1, got True",
        ),
        ({"levels": {"city": 1}, "quasi_identifiers": ["x"]}, ColumnError, "unknown column 'x'"),
        ({"levels": {"city": 1}, "roles": {"city": "secret"}}, RoleError, "unknown role 'secret'"),
        (
            {"levels": {"city": 1}, "hierarchies": {"city": {"Rome": "*"}}},
            HierarchyError,
            "'city' holds 3 value.*not leaves.*, in 3 rows of the frame",
        ),
        (
            {"levels": {"age": 1}, "hierarchies": {"age": petaudit.dates()}},
            HierarchyError,
            "dates.*'age': 4 values cannot be read as a date .*other: true.*, in 5 rows",
        ),
    ],
)
def test_mistakes(given_options: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        generalize(pa.table(PEOPLE), **({"hierarchies": RULES} | given_options))


def test_an_empty_table_is_an_error() -> None:
    with pytest.raises(InputError, match="no rows"):
        generalize(pa.table({"city": []}), levels={"city": 0}, hierarchies=RULES)


TREE = {leaf: [leaf[0], "*"] for leaf in ("aa", "ab", "ba", "bb")} | {"": ["", "*"]}
CELLS = st.sampled_from(["aa", "ab", "ba", "bb", None])
TABLES = st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=12)
LEVELS = st.integers(0, 2)


def by_hand(cell: str | None, level: int) -> str | None:
    return TREE[cell or ""][level - 1] or None if level else cell


def made_from(
    rows: list[tuple[str | None, str | None]], levels: tuple[int, int], smallest: int | None
) -> Generalized:
    x, y = (list(column) for column in zip(*rows, strict=True))
    return generalize_with_report(
        pa.table({"x": pa.array(x, pa.string()), "y": pa.array(y, pa.string())}),
        levels={"x": levels[0], "y": levels[1]},
        hierarchies={"x": TREE, "y": TREE},
        suppress_below=smallest,
    )


@given(rows=TABLES, levels=st.tuples(LEVELS, LEVELS), smallest=st.integers(1, 5))
def test_a_row_is_generalised_by_hand_or_suppressed_for_its_class(
    rows: list[tuple[str | None, str | None]], levels: tuple[int, int], smallest: int
) -> None:
    labels = [tuple(map(by_hand, row, levels)) for row in rows]
    sizes = Counter(labels)
    expected = [label if sizes[label] >= smallest else ("*", "*") for label in labels]
    found = made_from(rows, levels, smallest)
    made = zip(*(found.table.column(name).to_pylist() for name in "xy"), strict=True)
    assert list(made) == expected
    # Who is generalised to the top in every column is suppressed, however many they are.
    assert found.suppressed_rows == expected.count(("*", "*"))


@given(rows=TABLES, levels=st.tuples(LEVELS, LEVELS), smallest=st.integers(1, 5))
def test_the_other_rows_do_not_change_the_answer(
    rows: list[tuple[str | None, str | None]], levels: tuple[int, int], smallest: int
) -> None:
    forth = made_from(rows, levels, smallest)
    back = made_from(rows[::-1], levels, smallest)
    assert forth.table.to_pylist() == back.table.to_pylist()[::-1]
    assert forth.suppressed_rows == back.suppressed_rows


@given(rows=TABLES, levels=st.tuples(LEVELS, LEVELS))
def test_without_suppression_every_row_is_kept(
    rows: list[tuple[str | None, str | None]], levels: tuple[int, int]
) -> None:
    plain, from_one = (made_from(rows, levels, smallest) for smallest in (None, 1))
    assert plain.table.equals(from_one.table)
    assert plain.suppressed_rows == (len(rows) if levels == (2, 2) else 0)


# --- suppressed rows ------------------------------------------------------------------------

PATIENTS = pa.table(
    {
        "city": ["Rome", "Lima", "Paris", "Rome"],
        "age": [23, 24, 29, 23],
        "dose": [1, 2, 3, 4],
        "illness": ["flu", "diabetes", "cold", "flu"],
    }
)
GIVEN: dict[str, Any] = {
    "levels": {"city": 1},
    "hierarchies": {"city": CITIES},
    "suppress_below": 2,
    "sensitive": ["illness", "dose"],
    "quasi_identifiers": ["city"],
}


def test_suppressed_rows_are_kept_and_what_they_tell_is_said() -> None:
    with pytest.warns(petaudit.PetauditWarning) as caught:
        made = generalize(PATIENTS, **GIVEN)
    assert made.column("illness").to_pylist() == ["flu", "diabetes", "cold", "flu"]
    assert [str(own.message) for own in caught] == [
        "1 row with '*' in every quasi-identifier, which is a class: anyone who fits no other one "
        "is known to be in it",
        "the class of suppressed rows is smaller than 2, so the table is not 2-anonymous; drop "
        "these rows (suppressed_rows='drop')",
        "suppressed rows still hold illness, dose; drop the rows or empty these cells "
        "(suppressed_rows='drop' or 'blank'), unless the values of this class may be disclosed",
    ]


def test_what_is_said_is_true() -> None:
    """The table is as anonymous as was asked for exactly where nothing is said against it."""
    for smallest in (1, 2, 3):
        found = generalize_with_report(PATIENTS, **GIVEN | {"suppress_below": smallest})
        k = petaudit.k_anonymity(found.table, quasi_identifiers="city")
        assert any("anonymous" in text for text in found.warnings) is (k.value < smallest)


def test_suppressed_rows_are_dropped() -> None:
    found = generalize_with_report(PATIENTS, **GIVEN, suppressed_rows="drop")
    assert (found.suppressed_rows, found.warnings) == (1, ())
    assert found.table.to_pydict() == {
        "city": ["Europe"] * 3,
        "age": [23, 29, 23],
        "dose": [1, 3, 4],
        "illness": ["flu", "cold", "flu"],
    }


def test_sensitive_cells_of_suppressed_rows_are_emptied() -> None:
    found = generalize_with_report(PATIENTS, **GIVEN, suppressed_rows="blank")
    assert found.table.to_pydict() == {
        "city": ["Europe", "*", "Europe", "Europe"],
        "age": [23, 24, 29, 23],
        "dose": [1, None, 3, 4],
        "illness": ["flu", None, "cold", "flu"],
    }
    assert found.table.schema.field("dose").type == pa.int64()
    assert [text.split(",")[0] for text in found.warnings] == [
        "1 row with '*' in every quasi-identifier",
        "the class of suppressed rows is smaller than 2",
    ]


@pytest.mark.parametrize("suppressed_rows", ["keep", "drop", "blank"])
def test_rows_that_were_suppressed_before_are_suppressed_rows(suppressed_rows: Any) -> None:
    table = pa.table({"q": ["a", "*", "*", "a"], "s": list("wxyz")})
    found = generalize_with_report(
        table,
        levels={"q": 0},
        hierarchies={"q": {"a": ["*"], "*": ["*"]}},
        sensitive="s",
        suppressed_rows=suppressed_rows,
    )
    assert found.suppressed_rows == 2
    assert (
        found.table.column("s").to_pylist()
        == {"keep": list("wxyz"), "drop": ["w", "z"], "blank": ["w", None, None, "z"]}[
            suppressed_rows
        ]
    )


@pytest.mark.parametrize(
    ("changed", "error", "says"),
    [
        ({"suppressed_rows": "dorp"}, OptionError, "must be 'keep', 'drop' or 'blank'"),
        (
            {"suppressed_rows": "blank", "sensitive": None},
            RoleError,
            "no sensitive attribute is known for the frame",
        ),
        ({"suppressed_rows": "drop", "suppress_below": 9}, OptionError, "no row is left"),
    ],
)
def test_mistakes_about_suppressed_rows(
    changed: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        generalize(PATIENTS, **GIVEN | changed)
