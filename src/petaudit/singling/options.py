"""The options of the search, checked before any work is done."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from petaudit.errors import OptionError, listing, shortened, suggestion
from petaudit.singling._walk import EntropyRule
from petaudit.singling.search import Progress
from petaudit.singling.way import ASKED, AUTO
from petaudit.tables.joint import unit_named

_DEFAULT_ALPHA = 2.0
_DEFAULT_DECAY = 0.5
MOST_DECIMALS = 400
MOST_THREADS = 4_096


@dataclass(frozen=True)
class Options:
    """Checked options; see :func:`petaudit.mpuccs`."""

    max_baseline_cols: int | None = None
    n_cols: int | tuple[int, ...] | None = None
    min_entropy_delta: float = 0.0
    field_decay_factor: float = _DEFAULT_DECAY
    renyi_alpha: float = _DEFAULT_ALPHA
    numeric_precision: int | None = None
    datetime_precision: str | None = None
    calculate_baseline: bool = True
    deduplicate: bool = True
    time_limit: float | None = None
    threads: int | None = None
    seed: int = 0
    progress: Callable[[Progress], object] | None = None
    search: str = AUTO
    person: str | None = None

    @classmethod
    def checked(cls, **given: Any) -> Options:
        """Raise an error for a value that makes no sense."""
        n_cols = given.get("n_cols")
        if n_cols is not None and hasattr(n_cols, "tolist"):
            n_cols = n_cols.tolist()
        if n_cols is not None and given.get("max_baseline_cols") is not None:
            raise OptionError("max_baseline_cols and n_cols say the same thing; give one of them")
        if isinstance(n_cols, Sequence) and not isinstance(n_cols, str | bytes):
            if not n_cols:
                raise OptionError("n_cols is an empty list; name at least one size")
            n_cols = tuple(sorted({_whole(size, "n_cols", 1) for size in n_cols}))
        elif n_cols is not None:
            n_cols = _whole(n_cols, "n_cols", 1)
        unit = given.get("datetime_precision")
        progress = given.get("progress")
        if progress is not None and not callable(progress):
            raise OptionError(
                "progress is not callable; a function of one argument, the Progress, was expected"
            )
        return cls(
            _optional_whole(given, "max_baseline_cols", 1),
            n_cols,
            _number(given, "min_entropy_delta", 0.0),
            _number(given, "field_decay_factor", _DEFAULT_DECAY),
            _number(given, "renyi_alpha", _DEFAULT_ALPHA, may_be_infinite=True),
            _decimals(given),
            None if unit is None else unit_named(unit),
            _truth(given, "calculate_baseline"),
            _truth(given, "deduplicate"),
            _time_limit(given.get("time_limit")),
            _threads(given),
            _whole(given.get("seed", 0), "seed", 0),
            progress,
            _search(given.get("search", AUTO)),
            _person(given.get("person")),
        )

    def sizes(self, columns: int) -> tuple[int, ...]:
        """The sizes that are asked for and that the table has."""
        if isinstance(self.n_cols, tuple):
            return tuple(size for size in self.n_cols if size <= columns)
        most = self.max_baseline_cols or self.n_cols or columns
        return tuple(range(1, min(most, columns) + 1))

    def has_gaps(self, columns: int) -> bool:
        """Whether a size below the largest one is left out."""
        if not isinstance(self.n_cols, tuple):
            return False
        return not set(range(1, min(max(self.n_cols), columns) + 1)) <= set(self.n_cols)

    @property
    def entropy(self) -> EntropyRule:
        """How entropy is measured."""
        return EntropyRule(self.renyi_alpha, self.min_entropy_delta)

    @property
    def has_technical_columns(self) -> bool:
        """Whether the tree shows weights and whole entropies: only with settings of one's own."""
        return (self.min_entropy_delta, self.field_decay_factor, self.renyi_alpha) != (
            0.0,
            _DEFAULT_DECAY,
            _DEFAULT_ALPHA,
        )


def _whole(value: object, name: str, smallest: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__") or int(value) < smallest:
        raise OptionError(
            "{name} is {value!r}; a whole number from {least} was expected",
            name=name,
            value=value,
            least=smallest,
        )
    return int(value)


def _optional_whole(given: dict[str, Any], name: str, smallest: int) -> int | None:
    value = given.get(name)
    return None if value is None else _whole(value, name, smallest)


def _threads(given: dict[str, Any]) -> int | None:
    threads = _optional_whole(given, "threads", 1)
    if threads is not None and threads > MOST_THREADS:
        raise OptionError("threads is above {most:,}, which no machine has", most=MOST_THREADS)
    return threads


def _decimals(given: dict[str, Any]) -> int | None:
    decimals = _optional_whole(given, "numeric_precision", 0)
    if decimals is not None and decimals > MOST_DECIMALS:
        raise OptionError(
            "numeric_precision is {value}; a whole number from 0 to {most} was expected",
            value=shortened(str(decimals)),
            most=MOST_DECIMALS,
        )
    return decimals


def _number(
    given: dict[str, Any], name: str, default: float, *, may_be_infinite: bool = False
) -> float:
    value = given.get(name, default)
    try:
        number = math.nan if isinstance(value, bool | str | bytes | None) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not number >= 0 or (math.isinf(number) and not may_be_infinite):
        raise OptionError(
            "{name} is {value!r}; a number from 0 was expected", name=name, value=value
        )
    return number


def _time_limit(value: object) -> float | None:
    if value is None:
        return None
    seconds = _number({"time_limit": value}, "time_limit", 0.0, may_be_infinite=True)
    if seconds == 0:
        raise OptionError("time_limit is 0; a number of seconds above 0 was expected")
    return None if math.isinf(seconds) else seconds


def _search(value: object) -> str:
    if not isinstance(value, str) or value not in ASKED:
        raise OptionError(
            "search is {value!r}{near}; it is one of {known}",
            value=value,
            near=suggestion(str(value), ASKED),
            known=listing(list(ASKED)),
        )
    return value


def _person(value: object) -> str | None:
    if value is not None and (not isinstance(value, str) or not value):
        raise OptionError("person is {value!r}; the name of a column was expected", value=value)
    return value


def _truth(given: dict[str, Any], name: str) -> bool:
    value = given.get(name, True)
    if not isinstance(value, bool):
        raise OptionError("{name} is {value!r}; True or False was expected", name=name, value=value)
    return value
