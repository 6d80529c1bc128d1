"""Contenders side by side: what each of them took in every round, and the ratios to one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Final

from checks import table
from measuring import Measurement, Ratio

_MIB: Final = 2**20
FIGURES: Final = ("seconds", "cpu_seconds", "peak_mib", "over_idle_mib")


@dataclass(frozen=True)
class Comparison:
    """Runs of contenders that were measured in turn; ratios say how many times as much as `base`.

    The key is what the page of the documentation finds its words by.
    """

    key: str
    base: str
    runs: Mapping[str, Sequence[Measurement]]
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What was compared and what was found: numbers and short words."""

    def text(self) -> str:
        """Medians and ratios as a table."""
        own = self.to_dict()["contenders"]
        header = ["", "seconds", "CPU s", "peak MiB", "over idle"]
        header += ["time ratio", "CPU ratio", "peak ratio"]
        return table(header, [self._row(name, own) for name in own])

    def _row(self, name: str, own: Mapping[str, Mapping[str, Sequence[float]]]) -> list[str]:
        cells = [f"{median(own[name][key]):.4g}" if own[name][key] else "n/a" for key in FIGURES]
        for key in FIGURES[:3]:
            known = name != self.base and own[name][key] and own[self.base][key]
            cells.append(str(ratio_of(own, name, self.base, key)) if known else "")
        return [name, *cells]

    def said(self) -> str:
        """The facts in a line."""
        return ", ".join(f"{name.replace('_', ' ')} {own}" for name, own in self.facts.items())

    def to_dict(self) -> dict[str, Any]:
        """Every single measurement, short enough to be kept."""
        return {
            "key": self.key,
            "base": self.base,
            "facts": dict(self.facts),
            "contenders": {name: plain(own) for name, own in self.runs.items()},
        }

    def versions(self) -> dict[str, dict[str, str]]:
        """Of the contenders that live in an environment of their own."""
        return {name: dict(own[0].versions) for name, own in self.runs.items() if own[0].versions}


def plain(runs: Sequence[Measurement]) -> dict[str, list[float]]:
    """The four figures of each run, with as many digits as mean something."""
    return {
        "seconds": [_short(run.seconds) for run in runs],
        "cpu_seconds": [_short(run.cpu_seconds) for run in runs],
        "peak_mib": [_short(run.peak_bytes / _MIB) for run in runs if run.peak_bytes is not None],
        "over_idle_mib": [
            _short(run.bytes_over_idle / _MIB) for run in runs if run.bytes_over_idle is not None
        ],
    }


def ratio_of(
    contenders: Mapping[str, Mapping[str, Sequence[float]]], name: str, base: str, figure: str
) -> Ratio:
    """How many times as much a contender took as another one.

    >>> runs = {"a": {"seconds": [6.0, 8.0]}, "b": {"seconds": [2.0, 2.0]}}
    >>> str(ratio_of(runs, "a", "b", "seconds"))
    '3.50 [3.00..4.00]'
    """
    return Ratio.between(contenders[name][figure], contenders[base][figure])


def _short(number: float) -> float:
    """A number with five digits.

    >>> _short(0.1234567), _short(1234567.0)
    (0.12346, 1234600.0)
    """
    return float(f"{number:.5g}")
