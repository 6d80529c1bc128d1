"""What a Spark session of ours is told: where it runs, what it may use, and what it keeps quiet."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from petaudit.memory import memory_limit

LOOPBACK: Final = "127.0.0.1"
EVERYWHERE: Final = {
    "spark.app.name": "petaudit",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # Messages and plans may quote cells: neither is written down.
    "spark.log.level": "OFF",
    "spark.executor.syncLogLevel.enabled": "true",
    "spark.eventLog.enabled": "false",
}
"""What nobody can change: it keeps the data out of logs."""

OF_QUERIES: Final = {
    # Labels of moments must not depend on where a machine stands, nor columns on their case.
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "true",
    # A line of the wrong length is an error whatever columns are asked for.
    "spark.sql.csv.parser.columnPruning.enabled": "false",
}
"""How our own sessions read and count."""

_HEAP = 0.75
"""Of the memory, what Java may fill with objects; the rest is for Java itself and for Python."""
_SMALLEST_HEAP: Final = 512 << 20
_GIVEN_MASTER = re.compile(r"(?:--master[= ]+|spark\.master=)(\S+)")


def is_local(master: str) -> bool:
    """Whether a master runs everything on this machine.

    >>> is_local("local[*]"), is_local("local-cluster[2,1,1024]"), is_local("yarn")
    (True, True, False)
    """
    return re.match(r"local(-cluster)?(\[|$)", master) is not None


def is_master(given: str) -> bool:
    """Whether Spark could take this for a master; its own clusters and others' have an address.

    >>> is_master("local[2]"), is_master("yarn"), is_master("spark://a:7077"), is_master("locl")
    (True, True, True, False)
    """
    return is_local(given) or given == "yarn" or re.match(r"[a-z0-9]+:/", given) is not None


def chosen_master(given: str | None) -> str:
    """The master: as given, as the environment has it, or else this machine."""
    if given is not None:
        return given
    submitted = _GIVEN_MASTER.search(os.environ.get("PYSPARK_SUBMIT_ARGS", ""))
    if submitted:
        return submitted[1]
    own = environment_settings()
    return own.get("spark.master") or os.environ.get("MASTER") or "local[*]"


def environment_settings() -> dict[str, str]:
    """What ``spark-defaults.conf`` says, read as Spark reads it: a name, a blank, a value."""
    found: dict[str, str] = {}
    for folder in _configuration_folders():
        with suppress(OSError, UnicodeDecodeError):
            for line in (folder / "spark-defaults.conf").read_text(encoding="utf-8").splitlines():
                parts = re.split(r"\s*[=:\s]\s*", line.strip(), maxsplit=1)
                if len(parts) == 2 and not parts[0].startswith(("#", "!")):
                    found[parts[0]] = parts[1]
            return found
    return found


def _configuration_folders() -> Iterator[Path]:
    if os.environ.get("SPARK_CONF_DIR"):
        yield Path(os.environ["SPARK_CONF_DIR"])
    if os.environ.get("SPARK_HOME"):
        yield Path(os.environ["SPARK_HOME"]) / "conf"


def session_settings(master: str, folder: Path) -> dict[str, str]:
    """The settings of a session of ours; what the environment says of the rest stands."""
    found = {"spark.master": master, **EVERYWHERE, **OF_QUERIES}
    theirs = environment_settings()
    java = theirs.get("spark.driver.extraJavaOptions", "")
    # What is spilled, and what libraries unpack, is private and gone afterwards.
    found["spark.driver.extraJavaOptions"] = f"{java} -Djava.io.tmpdir={folder}".strip()
    if not is_local(master):
        return found
    ours = {
        "spark.driver.host": LOOPBACK,
        "spark.driver.bindAddress": LOOPBACK,
        "spark.driver.memory": f"{heap(memory_limit()) >> 20}m",
    }
    found |= {name: value for name, value in ours.items() if name not in theirs}
    found["spark.local.dir"] = str(folder)
    return found


def heap(memory: int) -> int:
    """How many bytes Java may fill, of what the process may use.

    >>> heap(4 << 30) >> 20, heap(256 << 20) >> 20
    (3072, 512)
    """
    return max(int(memory * _HEAP), _SMALLEST_HEAP)


@contextmanager
def launching(master: str, folder: Path) -> Iterator[None]:
    """The environment that Java starts in, as it was afterwards; what the user set stands."""
    wanted: Mapping[str, str] = (
        {"SPARK_LOCAL_IP": LOOPBACK, "PYSPARK_PYTHON": sys.executable}
        if is_local(master)
        # As a setting it would hold for the executors, too, which have folders of their own.
        else {"SPARK_LOCAL_DIRS": str(folder)}
    )
    added = {name: value for name, value in wanted.items() if not os.environ.get(name)}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)
