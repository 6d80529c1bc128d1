"""What a Spark session of ours is told: where it runs, what it may use, and what it keeps quiet."""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from petaudit.errors import OptionError, shortened
from petaudit.system.memory import memory_limit

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
    # Folders of partitions have the values that petaudit finds in their names, as with DuckDB.
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    # A type of Spark 4.1 and later, which files have.
    "spark.sql.timeType.enabled": "true",
}
"""How our own sessions read and count."""

_HEAP = 0.75
"""Of the memory, what Java may fill with objects; the rest is for Java itself and for Python."""
_SMALLEST_HEAP: Final = 512 << 20
_GIVEN_MASTER = re.compile(r"(?:--master[= ]+|spark\.master=)(\S+)")
_CONNECT: Final = "sc://"
_NUMBER = "0*[1-9][0-9]{0,8}"
_LOCAL = re.compile(
    rf"local(\[({_NUMBER}|\*)(\s*,\s*{_NUMBER})?\])?"
    rf"|local-cluster\[\s*{_NUMBER}\s*,\s*{_NUMBER}\s*,\s*{_NUMBER}\s*\]",
    re.ASCII,
)
# Java, which reads it, knows no underscore in the name of a host.
_HOST_AND_PORT = re.compile(
    r"([A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9.])?|\[[0-9A-Fa-f:.%]+\]):([0-9]{1,5})"
)
_KUBERNETES = re.compile(
    r"k8s://((?i:https?)://)?([\w.-]+|\[[0-9A-Fa-f:.%]+\])(:[0-9]{1,5})?(/[^\s?#]*)?", re.ASCII
)
_YARN: Final = "yarn"
_SECONDS_TO_CONNECT: Final = 5.0
_OF_HADOOP: Final = ("HADOOP_CONF_DIR", "YARN_CONF_DIR")


def is_local(master: str) -> bool:
    """Whether a master runs everything on this machine.

    >>> is_local("local[*]"), is_local("local-cluster[2,1,1024]"), is_local("yarn")
    (True, True, False)
    """
    return re.match(r"local(-cluster)?(\[|$)", master) is not None


def is_master(given: str) -> bool:
    """Whether Spark takes this for a master: it would need many seconds to say that it does not.

    >>> is_master("local[2]"), is_master("yarn"), is_master("spark://a:7077"), is_master("local[x")
    (True, True, True, False)
    """
    if given.startswith("spark://"):
        # Several masters may stand in for each other, and Java takes no notice of a last comma.
        named = given.removeprefix("spark://").rstrip(",").split(",")
        matches = [_HOST_AND_PORT.fullmatch(name) for name in named]
        return all(match is not None and 0 < int(match[3]) < 1 << 16 for match in matches)
    return given == _YARN or any(form.fullmatch(given) for form in (_LOCAL, _KUBERNETES))


def check_master(given: str) -> None:
    """Refuse an invalid master before anything is started for it."""
    if not given.strip():
        raise OptionError("the Spark master is empty; for example local[4] or yarn")
    if "@" in given:
        raise OptionError(
            "the Spark master contains an @ with a user or a password before it: leave them out; a "
            "master is local[4], spark://HOST:PORT, yarn or k8s://HOST:PORT"
        )
    if given.startswith(_CONNECT):
        raise OptionError(
            "{master!r} is an address of Spark Connect; expected local[4], spark://HOST:PORT, yarn "
            "or k8s://HOST:PORT",
            master=shortened(given),
        )
    if not is_master(given):
        raise OptionError(
            "{master!r} is not a Spark master; expected local[4], spark://HOST:PORT, yarn or "
            "k8s://HOST:PORT",
            master=shortened(given),
        )


def lacks_hadoop(master: str) -> bool:
    """Whether a master is YARN, and nothing says where its cluster is."""
    if master != _YARN or any(os.environ.get(name) for name in _OF_HADOOP):
        return False
    # This script runs before Java does, and may set what the environment lacks.
    return not any((folder / "spark-env.sh").is_file() for folder in _configuration_folders())


def chosen_master(given: str | None) -> str:
    """The master: as given, as the environment has it, or else this machine."""
    if given is not None:
        return given
    submitted = _GIVEN_MASTER.search(os.environ.get("PYSPARK_SUBMIT_ARGS", ""))
    if submitted:
        return submitted[1]
    configured = environment_settings().get("spark.master")
    return configured or os.environ.get("MASTER") or "local[*]"


def environment_settings() -> dict[str, str]:
    """What ``spark-defaults.conf`` says, read as Spark reads it: a name, a blank, a value."""
    settings: dict[str, str] = {}
    for folder in _configuration_folders():
        with suppress(OSError, UnicodeDecodeError):
            for line in (folder / "spark-defaults.conf").read_text(encoding="utf-8").splitlines():
                parts = re.split(r"\s*[=:\s]\s*", line.strip(), maxsplit=1)
                if len(parts) == 2 and not parts[0].startswith(("#", "!")):
                    settings[parts[0]] = parts[1]
            return settings
    return settings


def _configuration_folders() -> Iterator[Path]:
    if os.environ.get("SPARK_CONF_DIR"):
        yield Path(os.environ["SPARK_CONF_DIR"])
    if os.environ.get("SPARK_HOME"):
        yield Path(os.environ["SPARK_HOME"]) / "conf"


def session_settings(master: str, folder: Path) -> dict[str, str]:
    """The settings of a session of ours; what the environment says of the rest stands."""
    settings = {"spark.master": master, **EVERYWHERE, **OF_QUERIES}
    environment = environment_settings()
    java = environment.get("spark.driver.extraJavaOptions", "")
    # What is spilled, and what libraries unpack, is private and gone afterwards.
    settings["spark.driver.extraJavaOptions"] = f"{java} -Djava.io.tmpdir={folder}".strip()
    if not is_local(master):
        return settings
    ours = {
        "spark.driver.host": LOOPBACK,
        "spark.driver.bindAddress": LOOPBACK,
        "spark.driver.memory": f"{heap(memory_limit()) >> 20}m",
    }
    settings |= {name: value for name, value in ours.items() if name not in environment}
    settings["spark.local.dir"] = str(folder)
    return settings


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


def addresses_of(master: str) -> list[tuple[str, int]]:
    """Where a standalone master listens; several may stand in for each other.

    >>> addresses_of("spark://a:7077,b:7078"), addresses_of("yarn"), addresses_of("spark://[::1]:7")
    ([('a', 7077), ('b', 7078)], [], [('::1', 7)])
    """
    if not master.startswith("spark://"):
        return []
    places = [place.rpartition(":") for place in master.removeprefix("spark://").split(",")]
    return [(host.strip("[]"), int(port)) for host, _, port in places if host and port.isdecimal()]


def answers(master: str) -> bool:
    """Whether a master takes a connection; one without addresses is taken to.

    Spark's own client would wait for it in silence.
    """
    addresses = addresses_of(master)
    return not addresses or any(map(_takes_connections, addresses))


def _takes_connections(address: tuple[str, int]) -> bool:
    try:
        with socket.create_connection(address, timeout=_SECONDS_TO_CONNECT):
            return True
    except (OSError, OverflowError, UnicodeError):
        return False
