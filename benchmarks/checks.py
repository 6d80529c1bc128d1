"""What must hold, and whether it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from measuring import Ratio

FULL_ROWS: Final = 5_000_000
TIME_LIMITS: Final = {"class histogram": 1.3, "Profitability": 1.3, "t-closeness": 2.0}
MEMORY_LIMIT: Final = 1.5
GROWTH: Final = 10
GROWTH_LIMIT: Final = 11.0
PYCANON_FACTOR: Final = 20.0
GATED_SHAPES: Final = ("text",)
"""The table that decides. The others are extremes, shown so that nobody is surprised: on two of
them the bare query takes some 0.15 s, less than opening a file and importing libraries takes once;
one has 130,000 labels to look at, one too many values to count at once."""


@dataclass(frozen=True)
class Check:
    """One ratio against its target."""

    where: str
    what: str
    ratio: Ratio
    target: float
    at_most: bool = True
    is_gate: bool = True

    @property
    def passed(self) -> bool:
        """Whether the ratio of medians meets the target."""
        return self.ratio.value <= self.target if self.at_most else self.ratio.value >= self.target

    @property
    def is_close(self) -> bool:
        """Whether some rounds met the target and others did not."""
        return self.ratio.low <= self.target <= self.ratio.high

    def row(self) -> list[str]:
        """The cells of the closing table."""
        verdict = "PASS" if self.passed else "MISS"
        target = f"{'<=' if self.at_most else '>='} {self.target:g}"
        notes = ["rounds disagree"] if self.is_close else []
        notes += [] if self.is_gate else ["shown, no gate"]
        note = ", ".join(notes)
        return [self.where, self.what, str(self.ratio), target, verdict, note]

    def to_dict(self) -> dict[str, Any]:
        """The check as plain data."""
        return {
            "where": self.where,
            "what": self.what,
            "ratio": self.ratio.value,
            "low": self.ratio.low,
            "high": self.ratio.high,
            "target": self.target,
            "at_most": self.at_most,
            "passed": self.passed,
            "is_gate": self.is_gate,
        }


def check_from(own: Mapping[str, Any]) -> Check:
    """A check that another program wrote as plain data.

    >>> own = Check("text", "time", Ratio(1.2, 1.1, 1.4), 1.3)
    >>> check_from(own.to_dict()) == own
    True
    """
    ratio = Ratio(own["ratio"], own["low"], own["high"])
    return Check(own["where"], own["what"], ratio, own["target"], own["at_most"], own["is_gate"])


def table(header: Sequence[str], rows: Sequence[Sequence[str]], names: int = 1) -> str:
    """Lay out text in columns: the first ones, names, to the left, numbers to the right.

    >>> print(table(["name", "n"], [["a", "10"]]))
    name   n
    a     10
    """
    lines = [list(header), *map(list, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column < names else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
