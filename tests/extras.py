"""What some tests need beside Python, and why they cannot run where it is missing."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
NEEDED_BY_FIXTURE = {
    "spark": "spark",
    "server": "postgres",
    "browser": "browser",
    "shared_data": "shared",
}
"""A test that uses such a fixture needs this; others carry the mark of that name themselves."""
EXTRAS = (*NEEDED_BY_FIXTURE.values(), "site")


def why_missing(extra: str) -> str | None:
    """What is missing for tests with this mark, if anything."""
    return _REASONS[extra]()


def _why_no_spark() -> str | None:
    """What is missing for Spark, if anything."""
    if importlib.util.find_spec("pyspark") is None:
        return "PySpark is not installed; make spark installs it"
    home = os.environ.get("JAVA_HOME")
    if not (Path(home, "bin", "java").is_file() if home else shutil.which("java")):
        return "there is no java; scripts/install_spark.sh installs it"
    return None


def _why_no_postgres() -> str | None:
    for package in ("ibis", "psycopg"):
        if importlib.util.find_spec(package) is None:
            return f"{package} is not installed"
    if postgres_programs() is None:
        return "there is no PostgreSQL server; scripts/install_postgres.sh installs it"
    return None


def postgres_programs() -> Path | None:
    """The folder with initdb and postgres, the newest version first."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3])
    )
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    return None if initdb is None else Path(initdb).resolve().parent


def _why_no_browser() -> str | None:
    if shutil.which("chromium") is None:
        return "there is no chromium; scripts/install_browser.sh installs it"
    return None


def _why_no_shared_data() -> str | None:
    return None if SHARED_DATA.is_dir() else "the reference tables (../shared/data) are not here"


_REASONS = {
    "spark": _why_no_spark,
    "postgres": _why_no_postgres,
    "browser": _why_no_browser,
    "shared": _why_no_shared_data,
}
