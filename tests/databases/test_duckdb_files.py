"""A table of a DuckDB file is counted in our own DuckDB, and the file is only read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import ibis
import pytest

import petaudit
from petaudit.cli import main
from petaudit.errors import InputError, OptionError
from petaudit.tables import open_source
from tables.cases import CASES
from tables.checks import check_everything
from tables.engines import arrow_table

TOLD = (
    *("nulls", "minus zero", "a column of nulls", "no rows", "some rows suppressed", "unicode"),
    *("blanks around cells", "cells with quotes and delimiters", "names with quotes", "dates"),
    *("names like our own", "integers with gaps", "decimals", "categories"),
)


def made(path: Path, *statements: str, **tables: Any) -> Path:
    with duckdb.connect(str(path)) as connection:
        for name, table in tables.items():
            connection.register("given", table)
            connection.execute(f'CREATE TABLE "{name}" AS FROM given')
        for statement in statements:
            connection.execute(statement)
    return path


@pytest.mark.parametrize("name", TOLD)
def test_a_file_is_counted_like_counter(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    path = made(tmp_path / "a.duckdb", held=arrow_table(case.table))
    check_everything(open_source(f"duckdb://{path}?table=held"), case)


def test_names_schemas_and_views(tmp_path: Path) -> None:
    path = made(
        tmp_path / "a b.duckdb",
        'CREATE SCHEMA "s.t"',
        'CREATE TABLE "s.t"."x""; DROP TABLE y; --" AS SELECT 1 AS "a""; --"',
        "CREATE TABLE y AS SELECT 1 AS a",
        "CREATE VIEW v AS SELECT a + 1 AS b FROM y",
    )
    place = f"duckdb://{str(path).replace(' ', '%20')}?table="
    hostile = open_source(f'{place}x"; DROP TABLE y; --&schema=s.t')
    assert hostile.counts.value_counts('a"; --').labels == ("1",)
    assert open_source(f"{place}main.v").counts.value_counts("b").labels == ("2",)
    assert open_source(f"{place}y").name == f"{place}y"


def test_texts_that_a_collation_takes_for_equal_are_told_apart(tmp_path: Path) -> None:
    path = made(
        tmp_path / "a.duckdb",
        "CREATE TABLE t (zip VARCHAR COLLATE nocase, sick VARCHAR COLLATE nocase.noaccent, n INT)",
        # Of sensitive values case does not matter to us either, but accents do.
        "INSERT INTO t VALUES ('ab', 'e', 1), ('AB', 'É', 1), (' aB ', 'y', 1), ('Ab', 'Ý', 2)",
    )
    given: dict[str, Any] = {"quasi_identifiers": "n", "sensitive": "sick"}

    def figures(table: Any) -> tuple[float, ...]:
        return (
            petaudit.k_anonymity(table, quasi_identifiers="zip").value,
            petaudit.l_diversity(table, **given).value,
            petaudit.t_closeness(table, **given).value,
            len(open_source(table).counts.value_counts("zip").labels),
        )

    expected = (1.0, 1.0, 0.75, 4)
    assert figures(f"duckdb://{path}?table=t") == expected
    with duckdb.connect(str(path)) as connection:
        assert figures(connection.table("t")) == expected
        connection.execute("SET default_collation = 'nocase'")
        assert figures(connection.sql("SELECT zip || '' AS zip, sick, n FROM t")) == expected
    entry = ibis.duckdb.connect(str(path))
    assert figures(entry.table("t")) == expected
    more = ibis.memtable({"zip": ["AB"], "sick": ["z"], "n": [2]}).cast({"n": "int32"})
    both = entry.table("t").union(more)
    assert len(open_source(both).counts.value_counts("sick").labels) == 5
    assert petaudit.k_anonymity(both, quasi_identifiers="zip").value == 1
    entry.disconnect()


def test_a_database_is_no_table(tmp_path: Path) -> None:
    path = made(tmp_path / "my health.duckdb", "CREATE TABLE t AS SELECT 1 AS a")
    with pytest.raises(InputError) as refused:
        open_source(path)
    assert str(refused.value).startswith(f"{path}: is a DuckDB database; name one of its tables: ")
    address = str(refused.value).rpartition(" ")[2]
    assert address.endswith("/my%20health.duckdb?table=NAME")
    assert open_source(address.replace("NAME", "t")).rows == 1
    # A table whose first column is called so is a table.
    path.write_bytes(b"12345678DUCK;b\n1;2\n")
    assert open_source(path).columns == ("12345678DUCK", "b")


def test_the_file_is_left_as_it_is(tmp_path: Path) -> None:
    path = made(tmp_path / "a.duckdb", "CREATE TABLE t AS SELECT 1 AS a")
    before = path.read_bytes()
    source = open_source(f"duckdb://{path}?table=t")
    assert source.fingerprint()["sha256"]
    assert source.files == (path,)
    del source
    assert path.read_bytes() == before
    # Nobody holds it any more.
    made(path, "DROP TABLE t")


def test_the_bytes_of_a_file_say_nothing_of_a_view(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("a\n1\n")
    statement = f"CREATE VIEW t AS SELECT * FROM read_csv('{tmp_path}/v.csv')"  # noqa: S608
    path = made(tmp_path / "a.duckdb", statement)
    source = open_source(f"duckdb://{path}?table=t")
    assert source.files == ()
    assert "sha256" not in source.fingerprint()


def test_a_report_does_not_overwrite_the_database(tmp_path: Path, capsys: Any) -> None:
    path = made(tmp_path / "a.duckdb", "CREATE TABLE t AS SELECT 1 AS a")
    before = path.read_bytes()
    asked = ["check", f"duckdb://{path}?table=t", "--qi", "a", "--report", str(path)]
    assert main(asked) == 2
    assert path.read_bytes() == before
    capsys.readouterr()


def test_what_cannot_be_opened_is_told(tmp_path: Path) -> None:
    made(tmp_path / "a.duckdb", "CREATE TABLE people AS SELECT 1 AS a")
    (tmp_path / "no.duckdb").write_text("a;b\n1;2\n", encoding="utf-8")
    for name, words in {
        "a.duckdb?table=peple": r"no such table \(did you mean 'people'\?\)",
        "no.duckdb?table=t": "cannot be opened as a DuckDB database",
        "none.duckdb?table=t": "does not exist",
        "?table=t": "is not a regular file|is a folder|cannot be opened|cannot be read",
    }.items():
        with pytest.raises(InputError, match=words):
            open_source(f"duckdb://{tmp_path}/{name}")
    with pytest.raises(OptionError, match=r"the engine is 'spark', but duckdb:.* by duckdb; an"):
        open_source(f"duckdb://{tmp_path}/a.duckdb?table=people", engine="spark")
    assert open_source(f"duckdb://{tmp_path}/a.duckdb?table=people", engine="duckdb").rows == 1
