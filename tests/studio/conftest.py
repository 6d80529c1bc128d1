"""The studio as it is used: a program, and clients that have its address."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from petaudit.studio import session
from petaudit.studio.jobs import Job
from petaudit.studio.session import Studio

httpx = pytest.importorskip("httpx", reason="httpx is not installed")

PEOPLE = "name,zip,age,disease\n" + "".join(
    f"Wanda{i},{11000 + i % 4},{20 + i % 7},{('flu', 'asthma', 'gout')[i % 3]}\n" for i in range(60)
)

FACTS = {"side_car": {}, "columns": [{"name": "zip", "role": "quasi_identifier", "is_sure": True}]}


class Held:
    """Begins jobs, which end when the test says so."""

    def __init__(self, *_: object) -> None:
        self.begun: list[tuple[Job, Callable[[Job], None]]] = []
        self.job = None

    def begin(self, job: Job, then: Callable[[Job], None]) -> None:
        json.dumps(job.task)
        self.begun.append((job, then))

    def end(self) -> None:
        job, then = self.begun[-1]
        job.done = dict(FACTS)
        then(job)
        job.is_over = True

    def close(self) -> None:
        pass


@pytest.fixture
def studio(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A studio without a process beside it."""
    monkeypatch.setattr(session, "Workers", Held)
    made = Studio()
    yield made
    made.close()


class Running:
    """A studio that runs, and a browser that opened its address."""

    def __init__(self, folder: Path, *, opens_browser: bool = False) -> None:
        self.errors = folder / "stderr.txt"
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "petaudit",
                "studio",
                *([] if opens_browser else ["--no-browser"]),
            ],
            stdout=subprocess.PIPE,
            stderr=self.errors.open("w"),
            text=True,
            env={**os.environ, "TMPDIR": str(self.temporary)},
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        self.base = self.address.partition("/?")[0]
        self.client = self.another()

    def another(self) -> Any:
        """A client that opened the address."""
        client = httpx.Client(base_url=self.base, timeout=60, headers={"origin": self.base})
        assert client.get(self.address).status_code == 200
        return client

    def do(self, action: str, **form: str) -> str:
        """Send a form and return the page that follows."""
        answer = self.client.post(f"/do/{action}", data=form, follow_redirects=True)
        assert answer.status_code == 200
        return str(answer.text)

    def page(self, view: str) -> str:
        """A page, when no job is on that it would show."""
        self.client.get(f"/{view}")
        self.wait()
        return str(self.client.get(f"/{view}").text)

    def wait(self) -> None:
        """Wait until no job is on."""
        until = time.monotonic() + 120
        while "every 400ms" in self.client.get("/job?view=table").text:
            assert time.monotonic() < until
            time.sleep(0.05)

    def open(self, table: Path) -> None:
        """Drop a file into the page, and wait until its columns are known."""
        answer = self.client.put(f"/upload?name={table.name}", content=table.read_bytes())
        assert answer.status_code == 204
        self.page("columns")

    def take(self, name: str) -> bytes:
        """A file as the browser saves it."""
        answer = self.client.get(f"/download/{name}")
        assert answer.status_code == 200, name
        return bytes(answer.content)

    @property
    def folders(self) -> list[Path]:
        """The private folders that are there."""
        return [*self.temporary.glob("petaudit-*")]

    def end(self) -> None:
        """Have it end as with Ctrl-C."""
        self.client.close()
        self.process.terminate()
        self.process.wait(20)


@pytest.fixture(scope="session")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small table, the names of which are nowhere else."""
    path = tmp_path_factory.mktemp("people") / "people.csv"
    path.write_text(PEOPLE)
    return path


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory, people: Path) -> Iterator[Running]:
    """A studio with the small table opened, for all tests: each takes back what it changed."""
    started = Running(tmp_path_factory.mktemp("studio"))
    started.open(people)
    yield started
    started.end()
