"""What all tests share."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from budget import IS_LONG, IS_RANDOM, IS_SIMULATION, chosen_cells, examples
from extras import EXTRAS, NEEDED_BY_FIXTURE, SHARED_DATA, why_missing
from spark.sessions import start, stop

settings.register_profile(
    "petaudit",
    deadline=None,
    derandomize=not IS_RANDOM,
    print_blob=True,
    max_examples=examples(100),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("petaudit")

LANGUAGE_VARIABLES = ("PETAUDIT_LANG", "LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE")


@pytest.fixture(autouse=True, scope="session")
def in_english() -> Iterator[None]:
    """Tests compare English text, whatever the language of the person who runs them."""
    with pytest.MonkeyPatch.context() as environment:
        for name in LANGUAGE_VARIABLES:
            environment.delenv(name, raising=False)
        yield


@pytest.fixture(autouse=True, scope="session")
def same_day() -> Iterator[None]:
    """Reports have the date of a fixed day: two of them may be made around midnight."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("SOURCE_DATE_EPOCH", "1790000000")
        yield


@pytest.fixture(autouse=True, scope="session")
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The key of the person who runs the tests is neither used nor made."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


def pytest_configure(config: pytest.Config) -> None:
    """Let programs that tests start hear signals that whoever started the tests ignores.

    ``nohup make test`` ignores the hang-up, a shell's background job Ctrl-C, and programs inherit
    that. A signal that is handled, though by doing nothing, has its default effect in them again,
    and this process still survives it. (With pytest-xdist only its workers start programs.)
    """
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is signal.SIG_IGN:
                signal.signal(number, lambda *_: None)


def _tries_more(item: pytest.Item) -> bool:
    """Whether a test does more in the long run than in ``make test``."""
    needs_more = any(item.get_closest_marker(extra) for extra in EXTRAS)
    is_random = isinstance(item, pytest.Function) and is_hypothesis_test(item.obj)
    module = getattr(item, "module", None)
    is_simulation = IS_SIMULATION and hasattr(module, "IS_SIMULATION")
    return needs_more or is_random or is_simulation or hasattr(module, "IS_LONG")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that need more than Python, and leave out those of the other run.

    ``make test`` tries a part of every large grid; the long run tries the rest of it, and once more
    what is random or tries more there.

    Tests on Spark come first: pytest-xdist gives the first of all to one and the same worker, so
    there is one Spark, and not one for each worker.
    """
    for item in items:
        for fixture, extra in NEEDED_BY_FIXTURE.items():
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(extra)
    by_function: dict[str, list[pytest.Item]] = {}
    for item in items:
        if not any(item.get_closest_marker(own) for own in ("long", *EXTRAS)):
            by_function.setdefault(item.nodeid.partition("[")[0], []).append(item)
    short = {id(item) for name, cells in by_function.items() for item in chosen_cells(name, cells)}
    items[:] = [
        item
        for item in items
        if (_tries_more(item) or id(item) not in short if IS_LONG else id(item) in short)
    ]
    items.sort(key=lambda item: item.get_closest_marker("spark") is None)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that cannot run here; where CI installed what it needs, it must run."""
    for extra in NEEDED_BY_FIXTURE.values():
        if item.get_closest_marker(extra) is None:
            continue
        why = why_missing(extra)
        if why is not None and os.environ.get(f"PETAUDIT_{extra.upper()}") == "required":
            pytest.fail(why)
        if why is not None:
            pytest.skip(why)


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A Spark session with executors of its own, as a caller of petaudit may have."""
    with pytest.MonkeyPatch.context() as environment:
        for name in ("SPARK_HOME", "SPARK_LOCAL_IP", "PYSPARK_PYTHON", "SPARK_CONF_DIR"):
            environment.delenv(name, raising=False)
        # Where much else runs, an executor may need more than a minute to start.
        environment.setenv("PETAUDIT_SPARK_WAIT", "600")
        session = start(tmp_path_factory.mktemp("spark"))
        yield session
        stop(session)


@pytest.fixture(scope="session")
def connected(spark: Any) -> Iterator[Any]:
    """The session of the tests as a client of Spark Connect has it."""
    pytest.importorskip("grpc", reason="Spark Connect needs pyspark[connect]")
    from pyspark.sql.connect.session import SparkSession  # noqa: PLC0415 (an extra)

    package = spark._jvm.org.apache.spark.sql.connect.service
    service = getattr(getattr(package, "SparkConnectService$"), "MODULE$")
    service.start(spark._jsc.sc())
    session = SparkSession.builder.remote(f"sc://127.0.0.1:{service.localPort()}").create()
    yield session
    # Else it would look for the server for minutes, at the very end.
    session.stop()


@pytest.fixture
def connect(connected: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """That session, with what PySpark's functions ask for: with it they refuse other frames."""
    monkeypatch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")
    return connected


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The reference tables beside the repository."""
    return SHARED_DATA


@pytest.fixture(scope="session")
def messy(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Tables as people keep them (``messy/make.py``), by file name; nobody writes beside them."""
    from messy.make import make  # noqa: PLC0415 (openpyxl takes a while)

    return make(tmp_path_factory.mktemp("messy"))
