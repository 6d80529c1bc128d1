"""What a run has found so far, part by part, and what it left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from checks import Check, check_from, table
from comparison import Comparison
from growth import Growth
from options import PARTS, Options


class Result(Protocol):
    """What every part gives."""

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data."""
        ...


@dataclass
class Findings:
    """Filled while the run goes on."""

    left_out: list[dict[str, str]]
    """What, why (`short`, `not asked for`, `could not`), and the reason in words."""
    parts: dict[str, dict[str, Any]] = field(
        default_factory=lambda: {
            name: {} for name in ("shapes", "audit", "mpuccs", "pycanon", "anonymeter", "sdmetrics")
        }
    )
    comparisons: list[Comparison] = field(default_factory=list)
    growth: list[Growth] = field(default_factory=list)
    large: dict[str, Any] = field(default_factory=dict)
    checks: list[Check] = field(default_factory=list)

    @classmethod
    def of(cls, options: Options) -> Findings:
        """Begin with what is not going to be measured."""
        kind = options.kind.left_out
        found = [
            {"what": name, "why": "not asked for", "said": said}
            for name, said in PARTS.items()
            if name not in options.parts and name not in kind
        ]
        found += [{"what": name, "why": "short", "said": said} for name, said in kind.items()]
        return cls(found)

    def add(
        self,
        part: str,
        name: str,
        result: Result,
        checks: Sequence[Check],
        comparisons: Sequence[Comparison] = (),
    ) -> None:
        """Keep what a part found."""
        self.parts[part][name] = result.to_dict()
        self.checks += checks
        self.comparisons += comparisons

    def add_large(self, name: str, document: Mapping[str, Any]) -> None:
        """Keep what a program of its own wrote: it has comparisons and checks like ours."""
        self.large[name] = dict(document)
        self.checks += [check_from(own) for own in document.get("checks", [])]

    def could_not(self, part: str, reason: str) -> None:
        """Say that something could not be measured, now and at the end."""
        print(f"could not be measured: {PARTS[part]}: {reason}", flush=True)
        self.left_out.append({"what": part, "why": "could not", "said": reason})

    def notes(self) -> list[str]:
        """What is left out, in words."""
        words = {
            "short": "left out of this run",
            "not asked for": "not asked for",
            "could not": "could not be measured",
        }
        return [f"{words[own['why']]}: {own['said']}" for own in self.left_out]

    def closing(self) -> str:
        """All targets, what was left out, and how many are met."""
        header = ["table", "what", "ratio [rounds]", "target", "", ""]
        lines = [table(header, [check.row() for check in self.checks], names=2), *self.notes()]
        missed = sum(not check.passed for check in self.checks)
        lines.append(f"{len(self.checks) - missed} of {len(self.checks)} targets met")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        peers: dict[str, dict[str, str]] = {}
        for own in self.comparisons:
            peers |= {name.split(",")[0]: found for name, found in own.versions().items()}
        return {
            "peers": peers,
            **self.parts,
            "comparisons": [own.to_dict() for own in self.comparisons]
            + [own for found in self.large.values() for own in found.get("comparisons", [])],
            "growth": [own.to_dict() for own in self.growth],
            "large": self.large,
            "left_out": self.left_out,
            "checks": [check.to_dict() for check in self.checks],
        }
