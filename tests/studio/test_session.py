"""What is known of a table, and what is proposed for it; no worker works."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.studio.conftest import FACTS, PEOPLE

from petaudit.studio import document


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
