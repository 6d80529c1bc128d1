"""Where a search goes on: by the memory that there is, or as it is asked for; and it is said."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

import petaudit
from petaudit.cli import main
from petaudit.errors import OptionError
from petaudit.singling import strategy
from petaudit.singling.strategy import MemoryNeed, SearchStrategy, choose_strategy
from petaudit.tables import open_source

TABLE = pa.table({"a": [1, 2, 3], "b": ["x", "y", "y"]})


def chosen(
    monkeypatch: pytest.MonkeyPatch, limit: int, threads: int | None = None
) -> SearchStrategy:
    monkeypatch.setattr(strategy, "memory_limit", lambda: limit)
    return choose_strategy([open_source(TABLE)] * 2, "auto", threads)


def test_in_memory_where_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    result = chosen(monkeypatch, 4_000_000_000)
    assert (result.place, result.engine, result.threads) == ("memory", "petaudit", None)
    assert result.is_usual


def test_with_one_thread_where_there_is_room_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MemoryNeed, "threads", lambda *_: 4)
    monkeypatch.setattr(MemoryNeed, "bytes", lambda _, many: many * 1_000)
    assert chosen(monkeypatch, 4_000).threads is None
    assert chosen(monkeypatch, 3_999).threads == 1
    assert chosen(monkeypatch, 999).place == "engine"
    # Who asks for threads gets them, or none.
    assert chosen(monkeypatch, 3_999, threads=4).place == "engine"


def test_by_the_engine_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    result = chosen(monkeypatch, 100_000_000)
    assert (result.place, result.engine) == ("engine", "DuckDB")
    assert result.reason == "it would take about 374 MB of memory, and the limit is 100 MB"


def test_what_a_search_needs_grows_with_cells_and_threads() -> None:
    need = MemoryNeed((5_000_000, 5_000_000), 15, 5_000_000 * 130)
    # Measured: 2.75 GB with two threads, 2.16 GB with one.
    assert 2.75e9 < need.bytes(2) < 3.8e9
    assert 2.16e9 < need.bytes(1) < 2.5e9
    assert need.bytes(1) < need.bytes(2) < need.bytes(3)
    wider = MemoryNeed(need.rows, 30, need.reading)
    assert wider.codes == 2 * need.codes
    with_control = MemoryNeed((*need.rows, 5_000_000), 15, need.reading)
    assert with_control.codes == 3 * need.codes


def test_a_word_that_is_none() -> None:
    with pytest.raises(OptionError, match=r"search must be auto, memory or engine, got 'disk'"):
        petaudit.mpuccs(TABLE, TABLE, search="disk")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    monkeypatch.chdir(tmp_path)
    for name in ("o", "s"):
        parquet.write_table(TABLE, f"{name}.parquet")
    return "o.parquet", "s.parquet"


def test_the_command_line_says_it(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mpuccs", *files, "--search", "engine"]) == 0
    text = capsys.readouterr().out
    assert "counted by DuckDB: it was requested" in text
    assert "the effect of changing one column was left out" in text
    assert main(["mpuccs", *files, "--search", "memory", "--no-advice"]) == 0
    assert "searched in memory: it was requested" in capsys.readouterr().out
    assert main(["mpuccs", *files, "--no-advice"]) == 0
    assert "searched" not in capsys.readouterr().out


@pytest.mark.parametrize("asked", ["auto", "engine"])
def test_the_document_says_it(
    asked: str, files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mpuccs", *files, "--search", asked, "--format", "json", "--out", "out"]) == 0
    result = json.loads(capsys.readouterr().out)
    expected = {
        "auto": {"way": "memory", "engine": "petaudit", "reason": "it fits into memory"},
        "engine": {"way": "engine", "engine": "DuckDB", "reason": "it was requested"},
    }
    assert result["results"][0]["details"]["search"] == expected[asked]
    assert bool(result["results"][0]["details"]["changes"]) is (asked == "auto")
    assert len(Path("out/details.csv").read_text().splitlines()) == 4
