"""PostgreSQL counts a table as a file of it is counted."""

from __future__ import annotations

import math
import re
import uuid
from dataclasses import replace
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from pyarrow import parquet

from budget import examples
from databases.server import AUDITOR, MARKER, Server
from measures import people_twin
from measures.registry_cases import (
    ENTRIES,
    PASSING_HIERARCHIES,
    PASSING_ORIGINAL,
    PASSING_POPULATION,
    PASSING_TABLE,
    Tables,
    is_same,
    outcomes,
    said,
    tables,
)
from petaudit.errors import ColumnError, InputError, NotMeasurableError, PetauditError
from petaudit.inputs import Inputs, gather
from petaudit.measures import Result, all_measures
from petaudit.tables import open_source
from petaudit.tables.column_facts import column_facts
from strategies import Rows
from tables.cases import CASES
from tables.checks import (
    check_class_histogram,
    check_packed_counters,
    check_sensitive_values,
    check_value_counts,
)
from tables.engines import Column, Table, text

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")


@pytest.mark.parametrize("name", CASES)
def test_values_and_classes_are_counted_like_counter(name: str, server: Server) -> None:
    case = CASES[name]
    source = open_source(server.put(f"case {name}", case.table))
    assert source.counts.is_remote
    check_value_counts(source, case.table)
    check_sensitive_values(source, case.table)
    check_packed_counters(source, case)
    check_class_histogram(source, case)


# --- all measures ---------------------------------------------------------------------------


def with_keys(columns: dict[str, Any]) -> dict[str, Any]:
    """Rows of a database have no order, so a key tells which belong together."""
    return {"id": list(range(len(next(iter(columns.values()))))), **columns}


def in_database(server: Server, name: str, columns: dict[str, Any]) -> str:
    table = {column: Column("text", cells) for column, cells in columns.items() if column != "id"}
    return server.put(name, {"id": Column("integer", columns["id"]), **table})


def in_parquet(folder: Path, name: str, columns: dict[str, Any]) -> str:
    types = {column: pa.int64() if column == "id" else pa.string() for column in columns}
    path = folder / f"{name}.parquet"
    parquet.write_table(pa.table(columns, schema=pa.schema(types)), path)
    return str(path)


def columns_of(rows: Rows) -> dict[str, Any]:
    return with_keys({name: [row[name] for row in rows] for name in rows[0]})


LOOKS_AT_ROWS = {"special-uniques"}
"""Where somebody is unique, only a search among the rows can tell how special."""


def check_same_figures(in_files: Inputs, in_server: Inputs) -> dict[str, bool]:
    """Compare all measures, and tell which had a figure."""
    files, remote = outcomes(in_files), outcomes(in_server)
    for name, entry in files.items():
        result = remote[name]
        if isinstance(entry, Result) and name in LOOKS_AT_ROWS and not isinstance(result, Result):
            assert "this needs individual rows, which stay in" in str(result)
            continue
        if isinstance(entry, Result):
            assert isinstance(result, Result), (name, str(result))
        else:
            assert isinstance(result, PetauditError), name
            assert type(result) is type(entry), (name, str(result), str(entry))
        assert is_same(said(result), said(entry)), name
    return {name: isinstance(entry, Result) for name, entry in remote.items()}


def test_every_measure_says_of_a_table_what_it_says_of_a_file(
    server: Server, tmp_path: Path
) -> None:
    given: dict[str, Any] = {
        "quasi_identifiers": "born",
        "sensitive": "pay",
        "hierarchies": PASSING_HIERARCHIES,
        "key": "id",
    }
    parts = {
        "released": PASSING_TABLE,
        "original": PASSING_ORIGINAL,
        "population": PASSING_POPULATION,
    }
    files, remote = (
        {name: place(name, with_keys(dict(columns))) for name, columns in parts.items()}
        for place in (
            lambda name, columns: in_parquet(tmp_path, name, columns),
            lambda name, columns: in_database(server, name, columns),
        )
    )
    figures = check_same_figures(
        gather(files.pop("released"), **files, **given),
        gather(remote.pop("released"), **remote, **given),
    )
    assert figures == dict.fromkeys(ENTRIES, True)


serial = iter(range(1_000))


@settings(
    max_examples=examples(3),
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(asked=tables(most_rows=9))
def test_random_releases_have_the_same_figures(
    asked: Tables, server: Server, tmp_path: Path
) -> None:
    release = asked.release
    parts = {
        "released": columns_of(release.released),
        "original": columns_of(release.original),
        "population": columns_of(asked.population),
    }
    number = next(serial)
    both = []
    for is_file in (True, False):
        placed = {
            name: in_parquet(tmp_path, name, columns)
            if is_file
            else in_database(server, f"{name} {number}", columns)
            for name, columns in parts.items()
        }
        both.append(
            gather(
                placed.pop("released"),
                **placed,
                quasi_identifiers=release.quasi_identifiers,
                sensitive=release.sensitive,
                hierarchies=release.given_hierarchies,
                suppressed=release.suppressed,
                key="id",
            )
        )
    check_same_figures(*both)


# --- kinds ----------------------------------------------------------------------------------

NOON = datetime(2024, 5, 1, 12, 30, tzinfo=UTC)
SOME_UUID = uuid.UUID("12345678-1234-5678-1234-567812345678")
KINDS: dict[str, tuple[list[Any], list[str | None]]] = {
    "smallint": ([1, 2, 1, None], ["1", "2", None]),
    "integer": ([1, -2, 1, 1], ["-2", "1"]),
    "numeric": (
        [Decimal("1.50"), Decimal("1.5"), Decimal("NaN"), Decimal("1e30")],
        ["1.5", "1" + "0" * 30, None],
    ),
    "numeric(6,2)": ([Decimal("1.5"), Decimal("NaN"), Decimal(7), None], ["1.5", "7", None]),
    "real": ([0.1, 0.1, math.nan, 16777216.0], ["0.1", "16777216", None]),
    "double precision": ([0.1, -0.0, 0.0, math.nan], ["0", "0.1", None]),
    "char(6)": (["ab", "ab  ", "a", None], ["a", "ab", None]),
    "varchar(9)": (["ab", "\u3000ab\u00a0", "", "AB"], ["AB", "ab", None]),
    "citext": (["ab", "AB", "aB ", "ab"], ["AB", "aB", "ab"]),
    "mood": (["happy", "sad", "happy", None], ["happy", "sad", None]),
    "grade": ([5, 7, 5, None], ["5", "7", None]),
    'text COLLATE "blind"': (["ab", "AB", "Ab", "ab"], ["AB", "Ab", "ab"]),
    "uuid": ([SOME_UUID, SOME_UUID, None, None], [str(SOME_UUID), None]),
    "inet": (["10.0.0.1", "10.0.0.1", "::1", None], ["10.0.0.1/32", "::1/128", None]),
    "date": ([date(2024, 5, 1), None, None, date(2024, 5, 1)], ["2024-05-01", None]),
    "time": ([time(1, 2), time(1, 2), None, None], ["01:02:00", None]),
    "timestamp": ([datetime(2024, 5, 1, 9), None, None, None], ["2024-05-01 09:00:00", None]),
    "timestamptz": ([NOON, NOON, None, None], ["2024-05-01 12:30:00+00:00", None]),
    "boolean": ([True, False, None, True], ["False", "True", None]),
}


@pytest.fixture(scope="module")
def of_every_kind(server: Server) -> str:
    with server.owner() as connection:
        connection.execute("CREATE EXTENSION citext")
        connection.execute("CREATE TYPE mood AS ENUM ('sad', 'happy')")
        connection.execute("CREATE DOMAIN mark AS integer CHECK (VALUE > 0)")
        connection.execute("CREATE DOMAIN grade AS mark CHECK (VALUE < 10)")
        connection.execute(
            "CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level2', "
            "deterministic = false)"
        )
    table: Table = {kind: Column(kind, cells) for kind, (cells, _) in KINDS.items()}
    return server.put("kinds", table, {kind: kind for kind in KINDS})


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_of_a_kind_has_the_labels_of_a_file(kind: str, of_every_kind: str) -> None:
    cells, expected = KINDS[kind]
    result = open_source(of_every_kind).counts.value_counts(kind)
    assert list(result.labels) == expected
    assert int(result.counts.sum()) == len(cells)
    # A class is told by its labels, too, however the column compares its cells.
    histogram = open_source(of_every_kind).counts.class_histogram([kind])
    assert int(histogram.classes.sum()) == len(expected)


def test_a_frame_of_ibis_is_read_as_carefully(server: Server, of_every_kind: str) -> None:
    connection = ibis.postgres.connect(
        host="127.0.0.1", port=server.port, user=AUDITOR, password=MARKER, database="postgres"
    )
    try:
        counts = open_source(connection.table("kinds").filter(ibis._["boolean"].notnull())).counts
        assert counts.is_remote
        assert counts.rows == 3
        assert counts.value_counts("real").labels == ("0.1", "16777216")
        assert counts.value_counts('text COLLATE "blind"').labels == ("AB", "ab")
        assert counts.value_counts("citext").labels == ("AB", "ab")
        with pytest.raises(NotMeasurableError):
            counts.columns_values(["real"])[0]
    finally:
        connection.disconnect()


def test_columns_that_cannot_be_counted_say_so_only_when_asked(server: Server) -> None:
    types = {"doc": "jsonb", "list": "text[]", "bytes": "bytea", "span": "int4range"}
    table: Table = {"a": text("x", "y")} | {name: Column(name, [None] * 2) for name in types}
    counts = open_source(server.put("uncountable", table, types)).counts
    assert counts.value_counts("a").labels == ("x", "y")
    for column, kind in types.items():
        said = f"column '{column}' is of kind {kind}, which cannot be counted"
        with pytest.raises(ColumnError, match=re.escape(said)):
            counts.value_counts(column)


def test_facts_of_columns_are_those_of_a_file(server: Server, tmp_path: Path) -> None:
    columns = {
        "id": [1, 2, 3, 4],
        "born": ["1970-01-02", "1971-02-03", None, "1972-03-04"],
        "zip": ["476**", "47901", "*", " 47901 "],
        "smokes": ["yes", "No", "TRUE", "是"],
    }
    files = open_source(in_parquet(tmp_path, "facts", columns))
    assert column_facts(open_source(in_database(server, "facts", columns))) == column_facts(files)


def test_views_and_partitioned_tables_are_tables(server: Server) -> None:
    with server.owner() as connection:
        connection.execute("CREATE TABLE parts (a text, n int) PARTITION BY LIST (n)")
        connection.execute("CREATE TABLE part1 PARTITION OF parts FOR VALUES IN (1)")
        connection.execute("CREATE TABLE part2 PARTITION OF parts FOR VALUES IN (2)")
        connection.execute("INSERT INTO parts VALUES ('x', 1), ('x', 2), ('y', 2)")
        connection.execute("CREATE VIEW seen AS SELECT a FROM parts")
        connection.execute("CREATE MATERIALIZED VIEW kept AS SELECT a FROM parts")
        for name in ("parts", "seen", "kept"):
            server.grant(connection, name)
    for name in ("parts", "seen", "kept"):
        counts = open_source(server.address(name)).counts
        assert counts.value_counts("a").counts.tolist() == [2, 1]


def test_other_encodings(server: Server) -> None:
    with server.owner() as connection:
        for encoding in ("LATIN1", "SQL_ASCII"):
            connection.execute(
                f"CREATE DATABASE {encoding} ENCODING '{encoding}' TEMPLATE template0"
            )
    for encoding in ("latin1", "sql_ascii"):
        with server.owner(encoding) as connection:
            connection.execute("CREATE TABLE people (a text)")
            connection.execute("INSERT INTO people VALUES ('x'), (' x'), ('y')")
            server.grant(connection, "people")
    with server.owner("latin1") as connection:
        connection.execute("INSERT INTO people VALUES ('\u00e9\u00a0'), ('\u00e9')")
    # The ideographic space cannot even be asked for there.
    counts = open_source(server.address("people").replace("/postgres?", "/latin1?")).counts
    assert counts.value_counts("a").labels == ("x", "y", "\u00e9")
    assert counts.class_histogram(["a"]).sizes.tolist() == [1, 2]
    with pytest.raises(InputError, match="declares no text encoding"):
        open_source(server.address("people").replace("/postgres?", "/sql_ascii?"))


def test_one_audit_sees_one_state_of_the_table(server: Server) -> None:
    counts = open_source(server.put("moving", {"a": text("x", "y")})).counts
    assert counts.rows == 2
    with server.owner() as connection:
        connection.execute("INSERT INTO moving VALUES ('x'), ('z')")
    assert counts.value_counts("a").labels == ("x", "y")
    del counts
    assert open_source(server.address("moving")).rows == 4


@pytest.mark.parametrize("seed", [3, 5, 8])
def test_people_are_counted_in_the_server(seed: int, server: Server) -> None:
    rows = people_twin.random_rows(seed)
    register = [*rows, *(row | {people_twin.PERSON: f"q{at}"} for at, row in enumerate(rows))]
    held, everybody = (
        server.put(
            f"people {seed} {len(entry)}",
            {name: text(*cells) for name, cells in people_twin.columns(entry).items()},
        )
        for entry in (rows, register)
    )
    given: dict[str, Any] = {
        "quasi_identifiers": people_twin.QIS,
        "sensitive": people_twin.SENSITIVE,
        "person": people_twin.PERSON,
    }
    inputs = gather(held, population=everybody, suppressed="exclude", **given)
    for as_class, entry in ((True, replace(inputs, suppressed="class")), (False, inputs)):
        sizes = people_twin.sizes(rows, as_class=as_class)
        result = all_measures()["k-anonymity"].run(entry, {})
        assert (result.value, result.to_dict()["rows"]) == (sizes[0], sum(sizes))
        alpha = all_measures()["alpha-k-anonymity"].run(entry, {})
        assert alpha.to_dict()["value"] == float(people_twin.alpha(rows, as_class=as_class))
    there = people_twin.classes(register, as_class=False)
    k_map = all_measures()["k-map"].run(inputs, {})
    assert k_map.value == min(len(there[c]) for c in people_twin.classes(rows, as_class=False))
    with pytest.raises(NotMeasurableError, match="this needs individual rows"):
        all_measures()["special-uniques"].run(inputs, {})
