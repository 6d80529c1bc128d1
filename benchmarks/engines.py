"""petaudit against the bare GROUP BY in the same engine, where tables live elsewhere.

    python benchmarks/engines.py                          # PostgreSQL, 1,000,000 rows
    python benchmarks/engines.py --rows 5000000           # as many as the targets are about
    python benchmarks/engines.py --engines postgres,spark --repetitions 3

One generated table of 8 quasi-identifiers and some 615,000 classes (of 5 million rows; seeded) goes
into an engine that is started for it. Then the bare query, k-anonymity, t-closeness and a complete
audit run in turn, each on a table opened anew; the first round is not counted. CPU seconds are of
this process and of all processes that the engine consists of: PostgreSQL's backends and parallel
workers, Spark's JVM and its Python workers.

An engine is a class with four methods (`Engine`): `bare` counts the classes by the engine's own
query, `table` gives what `petaudit.audit` opens, `processes` names the roots of the process trees
whose CPU counts, `close` ends it. A further engine is a class of its own and an entry of `ENGINES`.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final, Protocol

import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from checks import FULL_ROWS, Check, table
from measuring import HERE, BenchError, Ratio
from shapes import QUASI_IDENTIFIERS, SENSITIVE, many, table_file

import petaudit

BARE: Final = "bare GROUP BY"
AUDIT: Final = "complete audit"
LIMITS: Final = {"k-anonymity": 1.5, "t-closeness": 3.0, AUDIT: 6.0}
"""CPU at most so many times that of the bare query."""
_TICKS: Final = os.sysconf("SC_CLK_TCK")


class Engine(Protocol):
    """An engine that holds the table."""

    def bare(self) -> int:
        """Count the classes by the engine's own query."""

    def table(self) -> object:
        """What petaudit opens."""

    def processes(self) -> list[int]:
        """The roots of the processes that work for it, this one apart."""

    def close(self) -> None:
        """End it."""


class Postgres:
    """A server of its own with PostgreSQL's default settings, reached by an address."""

    def __init__(self, file: Path) -> None:
        sys.path.insert(0, str(HERE.parent / "tests"))
        from databases.server import AUDITOR, MARKER, Server  # noqa: PLC0415 (needs psycopg)

        for name in [name for name in os.environ if name.startswith("PG")]:
            del os.environ[name]
        self._server = Server.start()
        self._folder = tempfile.TemporaryDirectory()
        try:
            self._server.add_user(AUDITOR, MARKER)
            os.environ |= self._server.environment(Path(self._folder.name) / "pgpass")
            self._fill(file)
        except BaseException:
            self.close()
            raise

    def _fill(self, file: Path) -> None:
        stored = pq.ParquetFile(file)
        cells = ", ".join(
            f'"{field.name}" {_SQL[str(field.type)]}' for field in stored.schema_arrow
        )
        with self._server.owner() as connection:
            for setting in (
                "shared_buffers = '128MB'",
                "log_statement = 'none'",
                "autovacuum = off",
            ):
                connection.execute(f"ALTER SYSTEM SET {setting}")
        self._server.halt()
        self._server.resume()
        with self._server.owner() as connection, connection.cursor() as cursor:
            cursor.execute(f"CREATE TABLE benched ({cells})")
            with cursor.copy("COPY benched FROM STDIN (FORMAT csv)") as copy:
                for batch in stored.iter_batches(1 << 16):
                    text = io.BytesIO()
                    pa_csv.write_csv(batch, text, pa_csv.WriteOptions(include_header=False))
                    copy.write(text.getvalue())
            cursor.execute("VACUUM ANALYZE benched")
            self._server.grant(connection, "benched")

    def bare(self) -> int:
        names = ", ".join(f'"{name}"' for name in QUASI_IDENTIFIERS)
        with self._server.owner() as connection:
            query = f"SELECT count(*) FROM (SELECT count(*) FROM benched GROUP BY {names}) AS c"
            [[classes]] = connection.execute(query).fetchall()
        return int(classes)

    def table(self) -> str:
        return self._server.address("benched", schema="public")

    def processes(self) -> list[int]:
        return [int((self._server.data / "postmaster.pid").read_text().split()[0])]

    def close(self) -> None:
        self._server.stop()
        self._folder.cleanup()


class Spark:
    """A session of a caller on this machine, with Spark's own defaults but for memory and logs."""

    def __init__(self, file: Path) -> None:
        from pyspark.sql import SparkSession  # noqa: PLC0415 (an extra)

        os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
        builder = SparkSession.builder.master("local[2]")
        for name, value in _SPARK.items():
            builder = builder.config(name, value)
        self._session = builder.getOrCreate()
        self._frame = self._session.read.parquet(str(file))

    def bare(self) -> int:
        return int(self._frame.groupBy(*QUASI_IDENTIFIERS).count().count())

    def table(self) -> object:
        return self._frame

    def processes(self) -> list[int]:
        # Java and the Python workers are below this process.
        return []

    def close(self) -> None:
        self._session.stop()


_SPARK: Final = {
    "spark.driver.memory": "4g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}
_SQL: Final = {"string": "text", "int64": "bigint", "double": "double precision"}
ENGINES: Final[dict[str, Callable[[Path], Engine]]] = {"postgres": Postgres, "spark": Spark}


def cpu_seconds(roots: Sequence[int]) -> float:
    """CPU of processes and all below them, those included that have ended and were waited for."""
    parents: dict[int, list[int]] = {}
    ticks: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        ticks[int(entry.name)] = sum(map(int, fields[11:15]))
        parents.setdefault(int(fields[1]), []).append(int(entry.name))
    waiting, total = list(roots), 0
    while waiting:
        process = waiting.pop()
        total += ticks.get(process, 0)
        waiting += parents.get(process, [])
    return total / _TICKS


def contenders(engine: Engine) -> dict[str, Callable[[], object]]:
    """What runs in turn."""

    def audit(*measures: str) -> Callable[[], object]:
        names: dict[str, Any] = {"measures": measures} if measures else {}
        return lambda: petaudit.audit(
            engine.table(),
            quasi_identifiers=QUASI_IDENTIFIERS,
            sensitive=SENSITIVE,
            suppressed="class",
            **names,
        )

    named = {name: audit(name) for name in LIMITS if name != AUDIT}
    return {BARE: engine.bare, **named, AUDIT: audit()}


def measured(engine: Engine, repetitions: int) -> dict[str, list[float]]:
    """CPU seconds of every contender, round by round; the first round is not counted."""
    runs = contenders(engine)
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    roots = list({os.getpid(), *engine.processes()})
    for turn in range(repetitions + 1):
        classes: dict[str, int] = {}
        for name, run in runs.items():
            before = cpu_seconds(roots)
            found: Any = run()
            taken = cpu_seconds(roots) - before
            if turn:
                seconds[name].append(taken)
            if name == BARE:
                classes[name] = found
            elif name != "t-closeness":
                classes[name] = found["k-anonymity"].classes
        if len(set(classes.values())) > 1:
            raise BenchError(f"the contenders differ in classes: {classes}")
    print(f"{classes[BARE]:,} classes", flush=True)
    return seconds


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; the exit code is 1 where a target is missed with all rows."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--engines", default=",".join(ENGINES), help="of: " + ", ".join(ENGINES))
    parser.add_argument("--data", type=Path, default=HERE / "data", help="folder of the tables")
    options = parser.parse_args(arguments)
    file = table_file(many(), options.rows, options.data)
    found: list[Check] = []
    for name in options.engines.split(","):
        engine = ENGINES[name](file)
        try:
            print(f"\n{name}: {options.rows:,} rows", flush=True)
            seconds = measured(engine, options.repetitions)
        finally:
            engine.close()
        rows = [
            [what, f"{median(own):.2f}", str(Ratio.of(own, seconds[BARE]))]
            for what, own in seconds.items()
        ]
        print(table(["", "CPU s", "ratio"], rows), flush=True)
        gate = options.rows >= FULL_ROWS
        found += [
            Check(name, what, Ratio.of(seconds[what], seconds[BARE]), limit, is_gate=gate)
            for what, limit in LIMITS.items()
        ]
    print(f"\n{table(['', 'what', 'ratio', 'target', '', ''], [c.row() for c in found], names=2)}")
    return 0 if all(check.passed for check in found if check.is_gate) else 1


if __name__ == "__main__":
    sys.exit(main())
