"""The gate once more, slow and from its rules alone: what becomes of each entry, and why."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any

# Which settings a figure depends on, besides the options of the measure.
BY_ROLES = {
    "mpuccs": False,
    "precision": True,
    "non-uniform-entropy": True,
    "profitability": True,
    "t-closeness": True,
    "enhanced-beta-likeness": True,
    "distribution-distance": True,
}
SILENT_OPTIONS = {
    "mpuccs": {"threads"},
    "t-closeness": {"worst"},
    "enhanced-beta-likeness": {"worst"},
}
ORDER = ("error", "failed", "passed", "measured")


@dataclass(frozen=True)
class Verdict:
    """What the gate has to say about one entry."""

    status: str
    comparison: str | None
    """``new``, ``passed``, ``failed`` or ``error``; None without an earlier result."""
    breaches: tuple[str, ...]


def verdicts(
    entries: Sequence[Mapping[str, Any]],
    earlier: Sequence[Mapping[str, Any]] | None,
    allowed: Mapping[str, float],
) -> list[Verdict]:
    """The verdict of every entry; ``allowed`` holds the allowed worsening by Evaluator."""
    result = []
    for entry in entries:
        comparison = None
        if earlier is not None:
            comparison = compared(entry, entries, earlier, allowed[entry["modules"]["Evaluator"]])
        said = {entry["status"], comparison}
        status = next(item for item in ORDER if item in said)
        breaches = []
        if entry["status"] == "failed":
            breaches.append("limit")
        if comparison == "failed":
            breaches.append("worsening")
        result.append(Verdict(status, comparison, tuple(breaches)))
    return result


def compared(
    entry: Mapping[str, Any],
    entries: Sequence[Mapping[str, Any]],
    earlier: Sequence[Mapping[str, Any]],
    allowed: float,
) -> str:
    names = [item["run"] for item in earlier]
    if all(item["run"] not in names for item in entries):
        return "error"
    if entry["run"] not in names:
        return "new"
    before = earlier[names.index(entry["run"])]
    # An earlier figure counts even if its own comparison had failed or was impossible.
    if entry["status"] == "error":
        return "error"
    if not is_number(before["value"]) or not is_comparable(entry, before):
        return "error"
    worse = worsening(entry["value"], before["value"], entry["better"]) > Decimal(repr(allowed))
    now, then = entry["lower_bound"], before["lower_bound"]
    if now and then:
        return "error"
    if now:
        return "failed" if worse else "error"
    if then:
        return "error" if worse else "passed"
    return "failed" if worse else "passed"


def is_number(value: object) -> bool:
    if value == "inf":
        return True  # JSON has no other word for it
    largest = sys.float_info.max
    return isinstance(value, int | float) and -largest <= value <= largest


def is_comparable(entry: Mapping[str, Any], before: Mapping[str, Any]) -> bool:
    """Both are figures of one kind, measured in one way."""
    if isinstance(entry["value"], bool) != isinstance(before["value"], bool):
        return False
    same = ["measure", "figure", "steps"]
    if BY_ROLES[entry["measure"]]:
        same += ["roles", "suppressed", "hierarchies", "person"]
    if any(entry[name] != before[name] for name in same):
        return False
    silent = SILENT_OPTIONS.get(entry["measure"], set())
    now, then = (
        {name: value for name, value in item["options"].items() if name not in silent}
        for item in (entry, before)
    )
    return now == then


def worsening(value: Any, before: Any, better: str) -> Decimal:
    """As people subtract: on paper, digit by digit."""
    with localcontext() as context:
        context.prec = 2_000
        if better == "true":
            return Decimal(int(before)) - Decimal(int(value))
        if value == before == "inf":
            return Decimal(0)
        change = on_paper(value) - on_paper(before)
        return change if better == "lower" else -change


def on_paper(value: Any) -> Decimal:
    return Decimal("Infinity") if value == "inf" else Decimal(repr(value))
