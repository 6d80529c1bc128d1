"""What is known of a table, and what is proposed for it; no worker works."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.studio.conftest import PEOPLE

from petaudit.studio import document, session
from petaudit.studio.jobs import Job
from petaudit.studio.session import Studio

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


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table to open, and to change."""
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return path


def test_a_changed_file_is_looked_at_and_run_again(studio: Any, table: Path) -> None:
    studio.open(str(table))
    assert studio.facts is None
    studio.workers.end()
    assert studio.facts == FACTS
    studio.ensure_run()
    assert (studio.result.kind, studio.compared) == ("run", None)
    studio.compare({})
    assert studio.compared is not None
    table.write_text(PEOPLE + PEOPLE.splitlines()[-1])
    assert studio.facts is None
    assert studio.result is None
    assert studio.compared is None
    # As large as before.
    studio.workers.end()
    os.utime(table, (1, 1))
    assert studio.facts is None


def test_a_table_that_is_opened_again_has_its_roles(studio: Any, table: Path) -> None:
    other = table.with_name("other.csv")
    other.write_text(PEOPLE)
    for path in (table, other):
        studio.open(str(path))
        assert studio.facts is None
        studio.workers.end()
    studio.open(str(table))
    assert document.roles(studio.content) == {"zip": "quasi_identifier"}
    assert len(studio.workers.begun) == 2


def test_what_was_taken_back_gets_no_proposal(studio: Any, table: Path) -> None:
    studio.open(str(table))
    assert studio.look is not None
    studio.move(-1)
    studio.workers.end()
    assert studio.content == {}
    studio.move(1)
    assert document.roles(studio.content) == {"zip": "quasi_identifier"}
    # Nor does a proposal take what may be done again.
    studio.open(str(table.with_name("other.csv")))
    studio.move(-1)
    studio.move(-1)
    studio.workers.begun.append((studio.look, studio._looked))
    studio.workers.end()
    assert document.roles(studio.content) == {"zip": "quasi_identifier"}
    assert studio.can_redo


def test_a_pipeline_file_is_taken_as_it_is_read(studio: Any, table: Path) -> None:
    file = table.with_name("own.yaml")
    file.write_text("Loader: {a: {filepath: people.csv, null: 5}}\nExecutor:\n")
    studio.open(str(file))
    assert studio.content == {"Loader": {"a": {"filepath": str(table), "null": 5}}}
