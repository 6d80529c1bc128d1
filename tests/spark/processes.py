"""Processes that tests start and end: the command line, Spark's servers, and what they start."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from spark.sessions import FOR_LITTLE_TABLES, environment

# What takes longer to prepare than to do is left out.
FAST_JAVA = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
PATIENCE = 600
"""Seconds until something counts as hanging; a busy machine takes more than two minutes."""


def own_environment(folder: Path, **more: str) -> dict[str, str]:
    """The environment of a process whose temporary files and settings are in the folder."""
    temporary, settings = folder / "temporary", folder / "settings"
    for own in (temporary, settings):
        own.mkdir(exist_ok=True)
    told = "".join(f"{name} {value}\n" for name, value in FOR_LITTLE_TABLES.items())
    (settings / "spark-defaults.conf").write_text(told, encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SPARK_")}
    own = {"TMPDIR": str(temporary), "SPARK_CONF_DIR": str(settings), "LANG": "C.UTF-8"}
    own |= {"PETAUDIT_SPARK_WAIT": str(PATIENCE)}
    return kept | FAST_JAVA | own | more


def petaudit(folder: Path, *arguments: object, **more: str) -> subprocess.Popen[str]:
    """The command line, started."""
    return subprocess.Popen(
        [sys.executable, "-m", "petaudit", *map(str, arguments)],
        cwd=folder,
        env=own_environment(folder, **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def until(condition: Callable[[], object]) -> None:
    """Wait until something has happened."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def command_of(process: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    return ""


def descendants(process: int) -> Iterator[int]:
    """Everything that a process has started, and what that has started."""
    with suppress(OSError):
        for child in Path(f"/proc/{process}/task/{process}/children").read_text().split():
            yield int(child)
            yield from descendants(int(child))
    # Java starts processes from any of its threads.
    with suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            if task.name != str(process):
                with suppress(OSError):
                    for child in (task / "children").read_text().split():
                        yield int(child)
                        yield from descendants(int(child))


def executors_under(process: int) -> list[int]:
    """The executors that were started under a process."""
    name = "org.apache.spark.executor.CoarseGrainedExecutorBackend"
    return [own for own in descendants(process) if re.search(rf"java .*{name}", command_of(own))]


def java_under(process: int) -> list[int]:
    return [own for own in descendants(process) if "java" in command_of(own).partition(" ")[0]]


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@dataclass
class Cluster:
    """A standalone master with at most one worker, on the loopback."""

    folder: Path
    port: int = field(default_factory=free_port)
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"spark://127.0.0.1:{self.port}"

    def start_master(self) -> None:
        self._start("Master", "--port", str(self.port))
        until(self.answers)

    def start_worker(self) -> None:
        work = self.folder / "work"
        self._start("Worker", "--cores", "1", "--memory", "1g", "--work-dir", str(work), self.url)

    def _start(self, name: str, *arguments: str) -> None:
        home = environment(self.folder)["SPARK_HOME"]
        self.processes.append(
            subprocess.Popen(
                [
                    f"{home}/bin/spark-class",
                    f"org.apache.spark.deploy.{name.lower()}.{name}",
                    *("--host", "127.0.0.1", "--webui-port", "0"),
                    *arguments,
                ],
                env=own_environment(self.folder, **environment(self.folder)),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )

    def answers(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
            return True
        return False

    def stop(self) -> None:
        """End all of it, at once."""
        for own in self.processes:
            for process in [*descendants(own.pid), own.pid]:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            own.wait()
