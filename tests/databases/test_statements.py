"""What the server is asked: aggregates only, under names that are only names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import ibis
import psycopg
import pytest
import sqlglot
from sqlglot import expressions as sge

from databases.server import AUDITOR, MARKER, Server
from measures.registry_cases import generic, outcomes
from petaudit import l_diversity
from petaudit.errors import NotMeasurableError
from petaudit.inputs import gather
from petaudit.measures import Result
from petaudit.tables import open_source
from petaudit.tables.engines import postgres_session as _databases_backend
from tables.engines import Column, text

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
FRAME = re.compile(r'(BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY|(SAVEPOINT|RELEASE) "\w+")$')


def is_aggregate(query: sge.Expression) -> bool:
    """Whether no row of a table comes out of a query as it is."""
    if isinstance(query, sge.Subquery):
        return is_aggregate(query.this)
    if isinstance(query, sge.Union):
        return is_aggregate(query.left) and is_aggregate(query.right)
    if not isinstance(query, sge.Select):
        return False
    if query.args.get("group") or all(entry.find(sge.AggFunc) for entry in query.expressions):
        return True
    origin = query.args.get("from_") or query.args["from"]  # newer and older SQLGlot
    sources = [origin.this, *(join.this for join in query.args.get("joins", ()))]
    return all(is_aggregate(source) for source in sources)


def test_the_test_knows_an_aggregate() -> None:
    for asked, expected in {
        "SELECT COUNT(*) FROM t": True,
        "SELECT a, COUNT(*) FROM t GROUP BY a": True,
        "SELECT * FROM (SELECT n FROM (SELECT a, COUNT(*) AS n FROM t GROUP BY 1) AS x) AS y": True,
        "SELECT COUNT(*) FROM t UNION ALL SELECT * FROM (SELECT COUNT(*) FROM t) AS x": True,
        "SELECT COUNT(*) FROM t UNION ALL SELECT a FROM t": False,
        "SELECT * FROM t": False,
        "SELECT a, COUNT(*) OVER () FROM t": False,
        "SELECT x.n, t.a FROM (SELECT COUNT(*) AS n FROM t) AS x JOIN t ON x.n = t.a": False,
    }.items():
        query = sqlglot.parse_one(asked.replace("COUNT(*) OVER ()", "1"), dialect="postgres")
        assert is_aggregate(query) is expected, asked


def user_queries(statements: list[str], *tables: str) -> Iterator[sge.Expression]:
    """The statements about tables of the user; all others look into the catalogue."""
    for statement in statements:
        if FRAME.match(statement):
            continue
        parsed = sqlglot.parse(statement, dialect="postgres")
        [query] = parsed
        assert isinstance(query, sge.Select | sge.Union), statement
        result = {entry.name for entry in query.find_all(sge.Table) if entry.db == "public"}
        if result:
            assert result <= set(tables), statement
            yield query
            continue
        places = {
            entry.db for entry in query.find_all(sge.Table) if entry.db or entry.name != "base"
        }
        assert places <= {"pg_catalog"}, statement


@pytest.fixture
def sizes(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, str]]:
    """How many rows each query returned."""
    result: list[tuple[int, str]] = []
    backend: Any = _databases_backend._backend_class()
    ask = backend.rows_of

    def counting(self: Any, *asked: Any) -> Any:
        rows = ask(self, *asked)
        result.append((len(rows), asked[0]))
        return rows

    monkeypatch.setattr(backend, "rows_of", counting)
    return result


def test_all_measures_ask_for_aggregates_only(server: Server, sizes: list[tuple[int, str]]) -> None:
    """In the original every row is a class of its own; yet no answer is as long as the table."""
    side = 8
    rows = range(side**3)
    ages = [str(row % side) for row in rows]
    wide = {age: f"[{int(age) // 4 * 4},{int(age) // 4 * 4 + 4}[" for age in ages}
    jobs, places = ([f"{row // side**power % side}" for row in rows] for power in (1, 2))
    table = {
        "id": Column("integer", list(rows)),
        "age": text(*ages),
        "job": text(*jobs),
        "place": text(*places),
        "pay": text(*(str(row % 3) for row in rows)),
    }
    names = ("log released", "log original")
    released = table | {"age": text(*(wide[age] for age in ages))}
    address, original = server.put(names[0], released), server.put(names[1], table)
    start = server.log_end
    inputs = gather(
        address,
        original=original,
        population=original,
        quasi_identifiers=["age", "job", "place"],
        sensitive="pay",
        hierarchies={
            "age": {age: [label, "*"] for age, label in wide.items()},
            "job": dict.fromkeys(jobs, "*"),
            "place": dict.fromkeys(places, "*"),
            "pay": dict.fromkeys("012", "*"),
        },
        key="id",
    )
    result = outcomes(inputs)
    failed = {name: str(entry) for name, entry in result.items() if not isinstance(entry, Result)}
    assert not failed
    assert result.keys() == generic().keys()
    queries = list(user_queries(server.statements(start), *names))
    assert len(queries) > len(result) / 2
    for query in queries:
        assert is_aggregate(query), query.sql("postgres")
    # The longest answer is how often the values of two columns come together.
    assert max(sizes)[0] <= side**2, max(sizes)


HOSTILE = 'x"; DROP TABLE victim; --'
HOSTILE_NAMES = (
    HOSTILE,
    "x'; DROP TABLE victim; --",
    "%s%(a)s",
    "$1",
    "{0}",
    "a\\",
    "/* x",
    '"',
    "c0",
    "select",
    "\u3000臺北\u202e",
)


def test_a_name_is_just_a_name(server: Server) -> None:
    with server.owner() as connection:
        connection.execute("DROP TABLE IF EXISTS victim")
        connection.execute("CREATE TABLE victim (a text)")
    for place, table in enumerate(HOSTILE_NAMES):
        # The first table has all of them as columns, too.
        names = HOSTILE_NAMES if place == 0 else (HOSTILE, "select")
        columns = {name: text("p", "q", "p") for name in names}
        start = server.log_end
        source = open_source(server.put(table, columns))
        assert source.counts.value_counts(HOSTILE).counts.tolist() == [2, 1]
        assert source.counts.class_histogram(names[:-1]).classes.tolist() == [1, 1]
        for query in user_queries(server.statements(start), table):
            assert is_aggregate(query)
    with server.owner() as connection:
        assert connection.execute("SELECT count(*) FROM victim").fetchone() == (0,)


def test_cells_that_try_injection_are_just_cells(server: Server) -> None:
    cells = [*HOSTILE_NAMES[:-1], "\\'", "'", "{", "}", "NULL", "a,b", HOSTILE]
    source = open_source(server.put("hostile cells", {"a": text(*cells), "b": text(*cells)}))
    histogram = gather(source, quasi_identifiers="a", sensitive="b").table.counts.class_histogram(
        ["a"]
    )
    assert histogram.sizes.tolist() == [1, 2]
    result = l_diversity(source, quasi_identifiers="a", sensitive="b")
    assert result.value == 1


def test_somebody_elses_session_counts_as_ours_and_stays_as_it_was(server: Server) -> None:
    """Where backslashes escape quotes, a cell would end its constant and go on as a query."""
    cells = ["\\'; CREATE TABLE pwned (i int); --", "x", "x"]
    days = text("2001-01-01 00:00+00", *["2002-01-01 00:00+00"] * 2)
    table = {"a": days, "b": text(*cells)}
    server.put("escaping", table, {"a": "timestamptz"})
    entry = ibis.postgres.connect(
        host="127.0.0.1", port=server.port, user=AUDITOR, password=MARKER, database="postgres"
    )
    told = "SELECT current_setting('standard_conforming_strings'), current_setting('TimeZone')"
    try:
        entry.con.execute("SET standard_conforming_strings = off")
        entry.con.execute("SET TimeZone = 'Asia/Taipei'")
        entry.con.execute("SET backslash_quote = on")
        entry.con.commit()
        result = l_diversity(entry.table("escaping"), quasi_identifiers="a", sensitive="b")
        assert result.value == 1
        assert entry.con.execute(told).fetchone() == ("off", "Asia/Taipei")
        counts = open_source(entry.table("escaping")).counts
        assert counts.value_counts("a").labels[0] == "2001-01-01"
    finally:
        entry.disconnect()


def test_the_session_can_only_read(server: Server) -> None:
    source = open_source(server.put("untouched", {"a": text("x")}))
    backend = source.counts.frame.to_native().get_backend()
    told = backend.con.execute(
        "SELECT current_setting('transaction_read_only'), current_setting('TimeZone'), "
        "current_setting('application_name'), current_setting('search_path')"
    ).fetchone()
    assert told == ("on", "UTC", "petaudit", '""') or told == ("on", "UTC", "petaudit", "")
    for statement in ("CREATE TEMP TABLE x (a int)", "DELETE FROM public.untouched"):
        with pytest.raises(psycopg.Error), backend.con.transaction():
            backend.con.execute(statement)


def test_rows_are_refused(server: Server) -> None:
    source = open_source(server.put("staying", {"a": text("x", "y")}))
    with pytest.raises(NotMeasurableError):
        source.to_arrow()
    # Whoever asks past the counts is refused at the door, too.
    with pytest.raises(NotMeasurableError, match="rows themselves, which do not leave"):
        source.counts.collected(source.counts.frame.head(1))
