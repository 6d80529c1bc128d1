"""Tables of Ibis on databases where nobody has tried the figures are refused, in one line."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pytest

import petaudit
from petaudit.errors import InputError


@pytest.fixture
def sqlite(tmp_path: Path) -> Any:
    """Four rows that SQLite takes for two pairs: the column does not tell upper from lower case."""
    with sqlite3.connect(tmp_path / "t.db") as connection:
        connection.execute("CREATE TABLE t (name TEXT COLLATE NOCASE)")
        connection.executemany("INSERT INTO t VALUES (?)", [("a",), ("A",), ("b",), ("B",)])
    return ibis.sqlite.connect(tmp_path / "t.db")


def test_a_database_that_nobody_has_tried_is_refused(sqlite: Any) -> None:
    with pytest.raises(
        InputError, match="DuckDB and PostgreSQL only; on sqlite the figures have not been verified"
    ):
        petaudit.k_anonymity(sqlite.table("t"), quasi_identifiers="name")


def test_so_is_a_table_of_this_process_that_such_a_database_would_count(
    sqlite: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = ibis.memtable(pa.table({"name": ["a", "A"]}))
    assert petaudit.k_anonymity(table, quasi_identifiers="name").value == 1
    monkeypatch.setattr(ibis.options, "default_backend", sqlite)
    with pytest.raises(InputError, match="on sqlite the figures have not been verified"):
        petaudit.k_anonymity(table, quasi_identifiers="name")


def test_a_table_must_be_bound_to_one_database(tmp_path: Path) -> None:
    tables = []
    for file in ("a.duckdb", "b.duckdb"):
        database = ibis.duckdb.connect(tmp_path / file)
        database.raw_sql("CREATE TABLE t AS SELECT 'a' AS name")
        tables.append(database.table("t"))
    for table in (tables[0].union(tables[1]), ibis.table({"name": "string"}, name="t")):
        with pytest.raises(InputError, match="must be bound to one database"):
            petaudit.k_anonymity(table, quasi_identifiers="name")
