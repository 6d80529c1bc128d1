"""How much memory this process may use."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Final

from petaudit.errors import OptionError, PetauditWarning, phrase

VARIABLE: Final = "PETAUDIT_MEMORY"
SMALLEST: Final = 512_000_000
"""Python and the libraries take half of this before the first row is read."""

_SHARE: Final = Fraction(60, 100)
_BASE: Final = 270_000_000
"""What a complete audit of a tiny table takes: Python, the libraries and their code."""
_SMALLEST_ENGINE: Final = 100_000_000
"""With less, DuckDB cannot group a large table even when it spills."""
_SMALLEST_WORK: Final = 50_000_000
_ASSUMED: Final = 4 << 30
_UNITS: Final = {
    f"{letter}{ending}": base**power
    for power, letter in enumerate(("", *"kmgt"))
    for ending, base in (("", 1000), ("b", 1000), ("i", 1024), ("ib", 1024))
    if letter or base == 1000
}
_AMOUNT = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,18})?)\s*([a-z]*)", re.ASCII)
_GROUPS: Final = ("sys/fs/cgroup", "sys/fs/cgroup/unified", "sys/fs/cgroup/memory")
_LIMITS: Final = ("memory.max", "memory.high", "memory.limit_in_bytes")

_requested: list[int] = []
_listeners: list[Callable[[], None]] = []


def memory_limit() -> int:
    """The bytes that this process may use.

    The limit given to :func:`set_memory`, else that of the variable PETAUDIT_MEMORY, else 60 % of
    what the machine or its control group has.
    """
    if _requested:
        return _requested[0]
    wanted = os.environ.get(VARIABLE, "").strip()
    if wanted:
        return min(parse_memory(wanted, name=VARIABLE), available_memory())
    return max(int(available_memory() * _SHARE), min(SMALLEST, available_memory()))


def engine_memory() -> int:
    """The part of the limit that the embedded engine may use.

    DuckDB keeps to it closely, but counts only what its own operators hold.
    """
    return max((memory_limit() - _BASE) // 2, _SMALLEST_ENGINE)


def working_memory() -> int:
    """The part for what comes out of the engine: results on their way, arrays made of them."""
    return max(memory_limit() - _BASE - engine_memory(), _SMALLEST_WORK)


def set_memory(value: str | int | None) -> None:
    """Set how much memory this process may use; None goes back to the default.

    >>> set_memory("512 MB")
    >>> memory_limit()
    512000000
    >>> set_memory(None)
    """
    wanted = None if value is None else parse_memory(value)
    if wanted is not None and wanted > available_memory():
        warnings.warn(
            PetauditWarning(
                phrase(
                    "the memory limit is {wanted}, but only {available} is available; {used} is "
                    "used instead",
                    wanted=memory_text(wanted),
                    available=memory_text(available_memory()),
                    used=memory_text(available_memory()),
                )
            ),
            stacklevel=2,
        )
        wanted = available_memory()
    _requested[:] = [] if wanted is None else [wanted]
    for listener in _listeners:
        listener()


def when_memory_changes(listener: Callable[[], None]) -> None:
    """Call a function whenever the limit was set anew."""
    _listeners.append(listener)


def parse_memory(value: str | int, name: str = "memory") -> int:
    """An amount of memory in bytes; messages call it by a name.

    >>> parse_memory("2GB"), parse_memory("1.5 GiB"), parse_memory(600_000_000)
    (2000000000, 1610612736, 600000000)
    """
    is_text = isinstance(value, int | str) and not isinstance(value, bool)
    amount = _AMOUNT.fullmatch(str(value).strip().lower()) if is_text else None
    if amount is None or amount[2] not in _UNITS:
        raise OptionError(
            "{name} must be an amount of memory such as 2GB, 512MB or 1.5GiB, got {value!r}",
            name=name,
            value=value,
        )
    wanted = int(Fraction(amount[1]) * _UNITS[amount[2]])
    if wanted < SMALLEST:
        raise OptionError(
            "{name} must be at least {smallest}, got {value!r}",
            name=name,
            value=value,
            smallest=memory_text(SMALLEST),
        )
    return wanted


def memory_text(number: int) -> str:
    """An amount of memory as people write it.

    >>> memory_text(4_000_000_000), memory_text(1_610_612_736), memory_text(512_000_000)
    ('4 GB', '1.61 GB', '512 MB')
    """
    unit, name = (1000**3, "GB") if number >= 1000**3 else (1000**2, "MB")
    return f"{round(number / unit, 2):g} {name}"


@cache
def available_memory(root: Path = Path("/")) -> int:
    """The bytes that the machine has, or the smallest control group that this process is in."""
    return min([_machine(root), *_group_limits(root)])


def _machine(root: Path) -> int:
    try:
        total = re.search(r"^MemTotal:\s*(\d+) kB", (root / "proc/meminfo").read_text(), re.M)
        if total:
            return int(total[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # pragma: no cover (Windows)
        return _ASSUMED


def _group_limits(root: Path) -> list[int]:
    """The limits of the process's control groups and of all groups around them.

    Inside a container the names are those of the host while the files are those of the container,
    whose own group is then the outermost: what does not exist is left out.
    """
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except (OSError, UnicodeError):
        return []
    limits = []
    for line in lines:
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        # The second version of control groups names no controllers.
        if controllers and "memory" not in controllers.split(","):
            continue
        parts = [part for part in path.split("/") if part not in {"", ".", ".."}]
        for depth in range(len(parts) + 1):
            for place in _GROUPS:
                folder = root.joinpath(place, *parts[:depth])
                limits += [limit for name in _LIMITS if (limit := _limit(folder / name))]
    return limits


def _limit(path: Path) -> int | None:
    """A limit; ``max`` and a file that is not there are none."""
    try:
        text = path.read_text().strip()
    except (OSError, UnicodeError):
        return None
    return int(text) if text.isascii() and text.isdigit() else None
