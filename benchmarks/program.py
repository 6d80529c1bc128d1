"""What programs that measure one thing have in common: measure, print, write down, judge."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from checks import Check, table
from comparison import Comparison
from machine import machine, versions
from measuring import BenchError


class Found(Protocol):
    """What a program measured."""

    def comparison(self) -> Comparison:
        """The contenders side by side."""

    def checks(self) -> list[Check]:
        """Every ratio that has a target."""

    def settings(self) -> Mapping[str, Any]:
        """What was asked for."""


def conclude(measure: Callable[[], Found], target: Path | None) -> int:
    """0 when the targets are met, 1 when one is missed, 2 when it could not be measured."""
    try:
        found = measure()
    except BenchError as problem:
        print(f"could not be measured: {problem}", file=sys.stderr)
        return 2
    own, checks = found.comparison(), found.checks()
    print(f"\n{own.text()}\n{own.said()}\n")
    header = ["table", "what", "ratio", "target", "", ""]
    print(table(header, [check.row() for check in checks], names=2))
    if target is not None:
        write_document(
            {
                **found.settings(),
                "machine": machine(),
                "versions": versions(),
                "comparisons": [own.to_dict()],
                "checks": [check.to_dict() for check in checks],
            },
            target,
        )
    return int(any(check.is_gate and not check.passed for check in checks))


def write_document(document: Mapping[str, Any], target: Path) -> None:
    """Write a document so that there is never half of it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    half = target.with_suffix(".half")
    half.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    half.replace(target)
