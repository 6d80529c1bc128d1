"""How much memory the process may use: what is said, and what the machine and its groups have."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import petaudit
from petaudit.errors import OptionError, PetauditWarning
from petaudit.system import memory

GB = 1000**3
GIB = 1 << 30


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv(memory.VARIABLE, raising=False)
    monkeypatch.setattr(memory, "_requested", [])
    monkeypatch.setattr(memory, "_listeners", [])
    return


def machine(root: Path, **files: str) -> Path:
    """A made-up system: 16 GiB, and whatever files are given (two underscores are a slash)."""
    entry = {"proc__meminfo": f"MemTotal:       {16 * GIB // 1024} kB\nMemFree: 1 kB\n", **files}
    for name, text in entry.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("2GB", 2 * GB),
        ("2gb", 2 * GB),
        (" 2 G ", 2 * GB),
        ("512MB", 512_000_000),
        ("1.5 GiB", 3 * GIB // 2),
        ("4Gi", 4 * GIB),
        ("0.5TB", 500 * GB),
        ("600000000", 600_000_000),
        ("600000000 B", 600_000_000),
        ("524288KiB", 524_288 * 1024),
        (2 * GB, 2 * GB),
        (512_000_000, 512_000_000),
        # A float would make 2000000000.0000002 or worse of it.
        ("2.0000000001GB", 2 * GB),
    ],
)
def test_amounts(given: str | int, expected: int) -> None:
    assert memory.parse_memory(given) == expected


@pytest.mark.parametrize(
    "given",
    ["", "GB", "much", "-2GB", "2 GB more", "2GBGB", "1e9", "2,5GB", "0x10000000", "٢GB", "inf"],
)
def test_nonsense_is_an_error(given: str) -> None:
    with pytest.raises(OptionError) as caught:
        petaudit.set_memory(given)
    assert str(caught.value) == (
        f"memory must be an amount of memory such as 2GB, 512MB or 1.5GiB, got {given!r}"
    )


@pytest.mark.parametrize("given", [True, 2.5e9, [2], b"2GB"])
def test_other_things_are_no_amounts(given: object) -> None:
    with pytest.raises(OptionError, match="must be an amount of memory"):
        petaudit.set_memory(given)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", ["0", 0, -1, "511MB", "4KB", 511_999_999])
def test_too_little_is_an_error(given: str | int) -> None:
    with pytest.raises(OptionError, match=r"must be (at least 512 MB|an amount of memory)"):
        petaudit.set_memory(given)
    with pytest.raises(OptionError, match="at least 512 MB"):
        petaudit.set_memory("511 MB")


def test_a_limit_counts_until_it_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    default = memory.memory_limit()
    assert default == memory.available_memory() * 60 // 100
    monkeypatch.setenv(memory.VARIABLE, "600MB")
    assert memory.memory_limit() == 600_000_000
    petaudit.set_memory("700MB")
    assert memory.memory_limit() == 700_000_000
    petaudit.set_memory(None)
    assert memory.memory_limit() == 600_000_000
    monkeypatch.setenv(memory.VARIABLE, " ")
    assert memory.memory_limit() == default


def test_a_wrong_limit_leaves_the_old_one() -> None:
    petaudit.set_memory("700MB")
    with pytest.raises(OptionError):
        petaudit.set_memory("4 bananas")
    assert memory.memory_limit() == 700_000_000


def test_the_variable_is_named_where_it_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(memory.VARIABLE, "lots")
    with pytest.raises(OptionError, match=r"^PETAUDIT_MEMORY must be an amount .*, got 'lots'$"):
        memory.memory_limit()


def test_more_than_there_is_is_cut_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 8 * GB)
    with pytest.warns(PetauditWarning) as caught:
        petaudit.set_memory("64GB")
    assert str(caught[0].message) == (
        "the memory limit is 64 GB, but only 8 GB is available; 8 GB is used instead"
    )
    assert memory.memory_limit() == 8 * GB


def test_listeners_hear_of_every_change() -> None:
    heard: list[int] = []
    memory.when_memory_changes(lambda: heard.append(memory.memory_limit()))
    petaudit.set_memory("600MB")
    petaudit.set_memory("800MB")
    assert heard == [600_000_000, 800_000_000]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        # No groups at all, and groups without limits.
        ({}, 16 * GIB),
        ({"proc__self__cgroup": "0::/a\n", "sys__fs__cgroup__a__memory.max": "max\n"}, 16 * GIB),
        # The second version: the group itself, and a group around it.
        ({"proc__self__cgroup": "0::/a/b\n", "sys__fs__cgroup__a__b__memory.max": "1000"}, 1000),
        (
            {
                "proc__self__cgroup": "0::/a/b\n",
                "sys__fs__cgroup__a__memory.max": "500\n",
                "sys__fs__cgroup__a__b__memory.max": "1000\n",
                "sys__fs__cgroup__c__memory.max": "1\n",
            },
            500,
        ),
        ({"proc__self__cgroup": "0::/a\n", "sys__fs__cgroup__a__memory.high": "700"}, 700),
        # In a container: the name is the host's, the files are the container's own.
        ({"proc__self__cgroup": "0::/host/docker\n", "sys__fs__cgroup__memory.max": "900"}, 900),
        ({"proc__self__cgroup": "0::/../../x\n", "sys__fs__cgroup__memory.max": "900"}, 900),
        # The first version, whose limit without a limit is a huge number.
        (
            {
                "proc__self__cgroup": "5:cpu,cpuacct:/c\n4:memory:/job\n0::/\n",
                "sys__fs__cgroup__memory__job__memory.limit_in_bytes": "800\n",
                "sys__fs__cgroup__memory__memory.limit_in_bytes": "9223372036854771712\n",
                "sys__fs__cgroup__memory__c__memory.limit_in_bytes": "1\n",
            },
            800,
        ),
        # Things that nobody expects in such files.
        ({"proc__self__cgroup": "nonsense\n", "sys__fs__cgroup__memory.max": "-5"}, 16 * GIB),
    ],
)
def test_what_there_is(files: dict[str, str], expected: int, tmp_path: Path) -> None:
    assert memory.available_memory(machine(tmp_path, **files)) == expected


def test_a_system_without_such_files_is_asked_itself(tmp_path: Path) -> None:
    expected = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert memory.available_memory(tmp_path) == expected


def test_what_a_small_machine_leaves_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 600_000_000)
    assert memory.memory_limit() == memory.SMALLEST
    assert memory.engine_memory() == memory.working_memory() == 121_000_000
    monkeypatch.setattr(memory, "available_memory", lambda: 400_000_000)
    assert memory.memory_limit() == 400_000_000
    assert (memory.engine_memory(), memory.working_memory()) == (100_000_000, 50_000_000)
    monkeypatch.setattr(memory, "available_memory", lambda: 64 * GB)
    petaudit.set_memory("4.27GB")
    assert memory.engine_memory() == memory.working_memory() == 2 * GB


def test_looking_at_memory_loads_no_engine() -> None:
    code = "import petaudit.system.memory, sys, json; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)
    assert not {"duckdb", "numpy", "pyarrow", "narwhals"} & set(json.loads(done.stdout))
