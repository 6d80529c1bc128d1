"""Writing files: whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from petaudit.errors import InputError, OptionError
from petaudit.system import output
from petaudit.system.output import refuse_inputs, write_whole
from petaudit.tables.writing import TableInParts, table_format, table_writer

TABLE = pa.table({"a": ["1", None, "q\"u;o'te"], "b": [1, 2, None], "é": ["x", "年", ""]})


def hello(file: IO[bytes]) -> None:
    file.write(b"hello")


def test_the_file_holds_what_was_written(tmp_path: Path) -> None:
    write_whole(tmp_path / "f", hello)
    assert (tmp_path / "f").read_bytes() == b"hello"
    assert os.listdir(tmp_path) == ["f"]  # noqa: PTH208


def test_a_longer_old_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"old" * 1000)
    write_whole(tmp_path / "f", hello)
    assert (tmp_path / "f").read_bytes() == b"hello"


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
def test_the_file_has_the_rights_that_the_user_gives_new_files(
    mask: int, mode: int, tmp_path: Path
) -> None:
    before = os.umask(mask)
    try:
        write_whole(tmp_path / "f", hello)
        assert os.umask(mask) == mask
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == mode


def test_the_rights_are_found_where_the_system_does_not_tell_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "_UMASK", re.compile(b"no such line"))
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "f", hello)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == 0o640


def test_the_umask_is_never_changed_for_other_threads(tmp_path: Path) -> None:
    done = threading.Event()
    modes: set[int] = set()

    def make_files() -> None:
        number = 0
        while not done.is_set():
            number += 1
            entry = tmp_path / f"own{number % 9}"
            entry.unlink(missing_ok=True)
            entry.touch()
            modes.add(stat.S_IMODE(entry.stat().st_mode))

    before = os.umask(0o077)
    other = threading.Thread(target=make_files)
    other.start()
    try:
        for _ in range(300):
            write_whole(tmp_path / "f", hello)
    finally:
        done.set()
        other.join()
        os.umask(before)
    assert modes == {0o600}


def test_a_file_is_not_seen_before_it_is_complete(tmp_path: Path) -> None:
    def look(file: IO[bytes]) -> None:
        file.write(b"hel")
        file.flush()
        assert not (tmp_path / "f").exists()

    write_whole(tmp_path / "f", look)
    assert (tmp_path / "f").exists()


@pytest.mark.parametrize("raised", [KeyboardInterrupt(), ValueError("x"), MemoryError()])
def test_whatever_goes_wrong_leaves_the_old_file_and_no_other(
    raised: BaseException, tmp_path: Path
) -> None:
    (tmp_path / "f").write_bytes(b"old")

    def fail(file: IO[bytes]) -> None:
        file.write(b"half")
        raise raised

    with pytest.raises(type(raised)):
        write_whole(tmp_path / "f", fail)
    assert (tmp_path / "f").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["f"]  # noqa: PTH208


def test_a_full_disk_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    def fail(_: IO[bytes]) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(InputError, match=r"cannot write '.*/f' \(No space left on device\)"):
        write_whole(tmp_path / "f", fail)
    assert os.listdir(tmp_path) == []  # noqa: PTH208


def test_a_full_disk_noticed_by_pyarrow_is_the_same_error(tmp_path: Path) -> None:
    class Full:
        closed = False

        def write(self, _: bytes) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        def flush(self) -> None: ...

    def fail(_: IO[bytes]) -> None:
        pq.write_table(TABLE, pa.PythonFile(Full(), mode="w"))

    with pytest.raises(InputError, match=r"cannot write .*No space left on device"):
        write_whole(tmp_path / "f", fail)


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot write '.*/no/f' \(No such file or directory\)"):
        write_whole(tmp_path / "no" / "f", hello)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "f").mkdir()
    with pytest.raises(InputError, match=r"cannot write '.*/f' \(Is a directory\)"):
        write_whole(tmp_path / "f", hello)
    assert os.listdir(tmp_path) == ["f"]  # noqa: PTH208


@pytest.mark.parametrize("name", ["n" * 250, "年" * 80, ".hidden", "a b", "-f", "a*[1]"])
def test_any_name_that_the_system_takes_is_written(name: str, tmp_path: Path) -> None:
    write_whole(tmp_path / name, hello)
    assert os.listdir(tmp_path) == [name]  # noqa: PTH208


def test_a_name_without_folder_is_written_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_whole(Path("f"), hello)
    assert os.listdir(tmp_path) == ["f"]  # noqa: PTH208


def test_a_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_whole(tmp_path / "link", hello)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"hello"


def test_a_device_is_written_to_or_refused_but_never_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        with contextlib.suppress(InputError):
            write_whole(tmp_path / "pipe", hello)
            assert os.read(reader, 9) == b"hello"
    finally:
        os.close(reader)
    assert (tmp_path / "pipe").is_fifo()
    assert os.listdir(tmp_path) == ["pipe"]  # noqa: PTH208


def test_standard_output_by_name_is_not_replaced(tmp_path: Path) -> None:
    """/dev/stdout is a link to whatever file the shell opened."""
    script = (
        "from pathlib import Path; from petaudit.system.output import write_whole;"
        "write_whole(Path('/dev/stdout'), lambda file: file.write(b'hello'))"
    )
    with (tmp_path / "f").open("wb") as file:
        subprocess.run([sys.executable, "-c", script], stdout=file, check=True)
        assert os.fstat(file.fileno()).st_ino == (tmp_path / "f").stat().st_ino
    assert (tmp_path / "f").read_bytes() == b"hello"


@pytest.mark.parametrize("name", ["table.csv", "./table.csv", "link", "hard"])
def test_an_input_is_refused_by_any_of_its_names(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table = tmp_path / "table.csv"
    table.touch()
    Path("link").symlink_to(table)
    Path("hard").hardlink_to(table)
    with pytest.raises(OptionError, match="is one of the inputs"):
        refuse_inputs(Path(name), [tmp_path / "gone.csv", table])
    refuse_inputs(Path("other.csv"), [table])


def test_other_formats_are_errors() -> None:
    with pytest.raises(OptionError, match=r"unknown format 'xlsx'.*csv, parquet or json"):
        table_writer(TABLE, "xlsx")
    for name in ("t.xlsx", "t", "t.gz", "t.xlsx.gz", ".csv", "t.json"):
        with pytest.raises(OptionError, match=r"written as \.csv, \.tsv or \.parquet"):
            table_format(Path(name))


@pytest.mark.parametrize("name", ["t.csv", "T.CSV", "a.b.Csv", "t.csv.GZ"])
def test_the_format_is_read_from_the_name_in_any_case(name: str) -> None:
    assert table_format(Path(name)) == "csv"


@pytest.mark.parametrize("rows", [0, 3])
@pytest.mark.parametrize("kind", ["csv", "parquet", "json"])
def test_a_table_in_parts_is_written_as_the_whole_would_be(
    kind: str, rows: int, tmp_path: Path
) -> None:
    table = TABLE.slice(0, rows)
    made = []

    def parts() -> Iterator[pa.Table]:
        for place in range(rows):
            made.append(place)
            yield table.slice(place, 1)

    in_parts = TableInParts(table.schema, parts)
    assert made == []
    for name, part in (("whole", table), ("parts", in_parts)):
        write_whole(tmp_path / name, table_writer(part, kind))
    assert made == list(range(rows))
    if kind == "parquet":
        assert pq.read_table(tmp_path / "parts").equals(table)
    else:
        assert (tmp_path / "parts").read_bytes() == (tmp_path / "whole").read_bytes()
