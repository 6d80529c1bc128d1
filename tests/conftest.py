"""What all tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from spark.sessions import start, stop, why_no_spark

settings.register_profile(
    "petaudit", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests on Spark come first: pytest-xdist gives the first of all to one and the same worker.

    So there is one Spark, and not one for each worker.
    """
    items.sort(key=lambda item: item.get_closest_marker("spark") is None)


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A Spark session with executors of its own, as a caller of petaudit may have."""
    why = why_no_spark()
    if why is not None:
        if os.environ.get("PETAUDIT_SPARK") == "required":
            pytest.fail(why)
        pytest.skip(why)
    with pytest.MonkeyPatch.context() as environment:
        for name in ("SPARK_HOME", "SPARK_LOCAL_IP", "PYSPARK_PYTHON", "SPARK_CONF_DIR"):
            environment.delenv(name, raising=False)
        session = start(tmp_path_factory.mktemp("spark"))
        yield session
        stop(session)


SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The reference tables beside the repository; tests that need them are skipped without."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the reference tables (../shared/data) are not here")
    return SHARED_DATA
