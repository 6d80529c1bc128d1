"""The embedded engine keeps to its part of the memory: it spills, or says what is lacking."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import petaudit
from petaudit.cli import main
from petaudit.errors import EngineError, OptionError
from petaudit.system.memory import engine_memory, memory_limit
from petaudit.tables import csv_files, open_source
from petaudit.tables._private_folder import private_folder
from petaudit.tables.engines import duckdb as _duckdb

MB = 1_000_000
ROWS = 1_200_000


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    petaudit.set_memory(None)


def setting(name: str) -> Any:
    [(result,)] = _duckdb.run(_duckdb.cursor(), f"SELECT current_setting('{name}')")
    return result


def held(text: str) -> float:
    """Bytes, as DuckDB writes them."""
    number, unit = text.split()
    return float(number) * 1024 ** ["bytes", "KiB", "MiB", "GiB", "TiB"].index(unit)


@pytest.mark.parametrize("limit", ["512MB", "2GB", "1GiB"])
def test_the_engine_follows_the_limit(limit: str) -> None:
    open_source("benchmark://patient-deidentified")
    petaudit.set_memory(limit)
    assert held(setting("memory_limit")) == pytest.approx(engine_memory(), rel=0.02)
    assert engine_memory() < 0.6 * memory_limit()
    petaudit.set_memory(None)
    assert held(setting("memory_limit")) == pytest.approx(engine_memory(), rel=0.02)


def test_little_memory_is_not_shared_out_among_threads() -> None:
    petaudit.set_memory("600MB")
    assert setting("threads") == 1
    petaudit.set_memory("4GB")
    [(cores,)] = duckdb.execute("SELECT current_setting('threads')").fetchall()
    assert setting("threads") == min(cores, 9)


def test_spill_files_belong_to_the_private_folder() -> None:
    assert Path(setting("temp_directory")) == private_folder() / "spill"
    assert setting("preserve_insertion_order") is True


def wide_csv(path: Path) -> Path:
    """Every row is a class, and all of them are far more than the engine's 121 MB hold."""
    duckdb.execute(
        "COPY (SELECT range AS a, md5(range::VARCHAR) AS b, "  # noqa: S608
        "repeat(md5((range + 1)::VARCHAR), 3) AS c, 'd' || range % 9 AS d "
        f"FROM range({ROWS})) TO '{path}' (HEADER, DELIMITER ';')"
    )
    return path


_WORKER = """
import json, re, sys
from pathlib import Path
import petaudit
from petaudit.tables import open_source
from petaudit.tables._private_folder import private_folder
petaudit.set_memory("512MB")
source = open_source(sys.argv[1])
found = source.counts.class_histogram(["a", "b", "c"])
ended = petaudit.t_closeness(source, quasi_identifiers=["a", "b", "c"], sensitive=["d"])
peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024
files = [path.name for path in private_folder().rglob("*")]
print(json.dumps([found.sizes.tolist(), found.classes.tolist(), ended.value, peak, files]))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not say")
def test_a_csv_beyond_the_limit_is_counted_within_it(tmp_path: Path) -> None:
    path = wide_csv(tmp_path / "t.csv")
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", _WORKER, str(path)],
        env={**os.environ, "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    sizes, classes, t, peak, files = json.loads(done.stdout)
    assert (sizes, classes) == ([1], [ROWS])
    # The rarest value, in a class of its own.
    assert t == pytest.approx(1 - (ROWS // 9) / ROWS, abs=1e-9)
    # Without a limit it takes about 700 MB.
    assert peak < 1.1 * 512 * MB
    assert "table.db" in files
    assert list(temporary.iterdir()) == []


def test_a_csv_in_a_file_is_read_as_one_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a;b\n 1;x\n2;\n1 ;x\n")
    plain = open_source(path).to_arrow()
    monkeypatch.setattr(csv_files, "_GROWTH", 1 << 60)
    before = set(private_folder().iterdir())
    source = open_source(path)
    assert source.to_arrow() == plain
    assert source.counts.class_histogram(["a", "b"]).sizes.tolist() == [1, 2]
    [folder] = set(private_folder().iterdir()) - before
    assert [entry.name for entry in folder.iterdir() if entry.suffix == ".db"] == ["table.db"]
    del source
    assert set(private_folder().iterdir()) == before


@pytest.mark.parametrize("text", ["a;b\n1;2;3\n", 'a;b\n"1\n2";3\n'])
def test_nothing_is_left_of_a_file_that_cannot_be_read(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_files, "_GROWTH", 1 << 60)
    (tmp_path / "t.csv").write_text(text)
    before = set(private_folder().iterdir())
    with pytest.raises(petaudit.PetauditError, match="line"):
        open_source(tmp_path / "t.csv")
    assert set(private_folder().iterdir()) == before


def lacking(*_: object, **__: object) -> None:
    raise duckdb.OutOfMemoryException("could not allocate block holding 'secret cell'")


SAID = (
    "not enough memory: the limit is 600 MB, and what did not fit could not be put into temporary "
    "files either; allow more with --memory (petaudit.set_memory)"
)


@pytest.mark.parametrize(
    "problem", [duckdb.OutOfMemoryException("'secret cell'"), MemoryError("'secret cell'")]
)
def test_what_is_said_where_memory_does_not_suffice(problem: Exception) -> None:
    petaudit.set_memory("600MB")
    assert str(_duckdb.out_of_memory(problem)) == SAID
    assert _duckdb.out_of_memory(duckdb.IOException("out of memory")) is None


def test_a_count_that_lacks_memory_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table, report = tmp_path / "t.csv", tmp_path / "report.json"
    table.write_text("a;b\n1;x\n2;y\n")
    given = ["check", str(table), "--qi", "a", "--sensitive", "b"]
    monkeypatch.setattr("narwhals.stable.v2.LazyFrame.to_native", lacking)
    code = main([*given, "--memory", "600MB", "--out", str(report)])
    assert (code, report.exists()) == (2, False)
    said = capsys.readouterr()
    assert SAID in said.err
    assert "secret" not in said.err + said.out


def test_really_too_little_for_the_engine() -> None:
    """Rows of a window that cannot be spilled: the engine's own error, in our words."""
    connection = _duckdb.cursor()
    petaudit.set_memory("512MB")
    query = "SELECT len(list(md5(range::VARCHAR) || range)) FROM range(20_000_000)"
    with pytest.raises(EngineError, match="not enough memory: the limit is 512 MB"):
        _duckdb.run(connection, query)
    petaudit.set_memory("1GB")
    assert _duckdb.run(connection, "SELECT 1") == [(1,)]


def test_a_limit_below_what_is_held_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise EngineError("no")

    _duckdb.cursor()
    monkeypatch.setattr(_duckdb, "_keep_within_memory", refuse)
    with pytest.raises(OptionError, match="the memory limit cannot be 600 MB now"):
        petaudit.set_memory("600MB")
    monkeypatch.undo()


def test_python_s_own_lack_of_memory(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    petaudit.set_memory("600MB")
    monkeypatch.setattr("petaudit.cli._run", fail)
    assert main(["measures"]) == 2
    assert capsys.readouterr().err.startswith(
        "petaudit: error: not enough memory: the limit is 600 MB; close other programs"
    )
