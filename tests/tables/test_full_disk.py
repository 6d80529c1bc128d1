"""A full disk of temporary files and an interrupt are called that, and not a damaged file."""

from __future__ import annotations

import errno
import gzip
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from petaudit.errors import EngineError, InputError
from petaudit.tables import TableCounts, open_source
from petaudit.tables.classes.blocks import HeldBlocks
from petaudit.tables.engines.duckdb import is_interrupt, out_of_memory
from tables.checks import classes_of

TEXT = "zip;name\n" + "".join(f"{number};é{number}\n" for number in range(50))
FULL = r"the folder of temporary files, .*, is full; free some space, or set "


@pytest.fixture(params=[errno.ENOSPC, errno.EDQUOT])
def full_disk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(request.param, os.strerror(request.param))

    monkeypatch.setattr(shutil, "copyfileobj", fail)
    monkeypatch.setattr(np, "savez", fail)


@pytest.mark.usefixtures("full_disk")
def test_a_packed_table(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(TEXT.encode()))
    with pytest.raises(EngineError, match=f"{FULL}.*TMPDIR"):
        open_source(path)


@pytest.mark.usefixtures("full_disk")
def test_a_table_in_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(TEXT, encoding="latin-1")
    with pytest.raises(EngineError, match=FULL):
        open_source(path, encoding="latin-1")


@pytest.mark.usefixtures("full_disk")
def test_classes_that_go_to_the_disk() -> None:
    with pytest.raises(EngineError, match=FULL):
        HeldBlocks([classes_of({0: 1})], room=0)


def test_what_duckdb_says() -> None:
    spilled = duckdb.IOException('Could not write to file "/tmp/x": No space left on device')
    assert FULL[:20] in str(out_of_memory(spilled))
    # A cell may hold the same words.
    assert (
        out_of_memory(duckdb.ConversionException("'No space left on device' is no INT64")) is None
    )


def test_a_damaged_file_is_still_called_that(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(TEXT.encode())[:-20])
    with pytest.raises(InputError, match="cannot be unpacked as gzip"):
        open_source(path)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    folder.mkdir()
    mount, umount = shutil.which("mount"), shutil.which("umount")
    if mount is None or umount is None:
        pytest.skip("there is no mount here")
    given = [mount, "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if subprocess.run(given, capture_output=True, check=False).returncode:
        pytest.skip("no disk can be mounted here")
    yield folder
    subprocess.run([umount, str(folder)], check=True)


def test_a_disk_that_is_small(tmp_path: Path, small_disk: Path) -> None:
    chance = random.Random(3)  # noqa: S311 (no secret is made)
    rows = "".join(f"{chance.getrandbits(64)};{number}\n" for number in range(200_000))
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(f"zip;name\n{rows}".encode(), 1))
    done = subprocess.run(
        [sys.executable, "-m", "petaudit", "check", str(path), "--qi", "zip"],
        env=os.environ | {"TMPDIR": str(small_disk)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 2
    said = f"petaudit: error: the folder of temporary files, {str(small_disk)!r}, is full"
    assert done.stderr.startswith(said)
    assert len(done.stderr.splitlines()) == 1
    assert tempfile.gettempdir() != str(small_disk)


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        (RuntimeError("Query interrupted"), True),
        (duckdb.InterruptException("INTERRUPT Error: Interrupted!"), True),
        (duckdb.ConversionException("cannot convert 'interrupted' to INT32"), False),
        (ValueError("interrupted"), False),
        (RuntimeError("something else"), False),
    ],
)
def test_only_the_engine_s_own_interrupt_counts(problem: Exception, expected: bool) -> None:
    assert is_interrupt(problem) is expected


def test_a_quoted_cell_is_no_interrupt() -> None:
    counts: TableCounts = open_source(pa.table({"a": ["x"]})).counts

    class Failing:
        implementation: Any = None

        def collect(self) -> None:
            raise ValueError("cell 'interrupted' is odd")

    with pytest.raises(EngineError, match="failed while counting"):
        counts.collected(Failing())  # type: ignore[arg-type]
