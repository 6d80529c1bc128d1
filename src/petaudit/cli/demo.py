"""``petaudit demo``."""

from __future__ import annotations

import argparse
from typing import Any

from petaudit.auditing import audit
from petaudit.cli.check import show
from petaudit.cli.report_files import Reports
from petaudit.datasets import load

_LIMITS: dict[str, dict[str, Any]] = {
    "k-anonymity": {"limit": 5},
    "t-closeness": {"limit": "0.7"},
    "precision": {"limit": "0.4"},
    "non-uniform-entropy": {"limit": "0.4"},
    "profitability": {"cost": 4, "gain": 300, "loss": 300, "benefit": 1200},
}


def run(chosen: argparse.Namespace) -> int:
    """Audit the bundled de-identified Adult table with all measures."""
    reports = Reports.of(chosen)
    adult = load("adult-deidentified")
    found = audit(
        adult.path,
        original=adult.original,
        hierarchies=adult.hierarchies,
        quasi_identifiers=adult.quasi_identifiers,
        sensitive=adult.sensitive,
        options=_LIMITS,
        reveal_values=chosen.reveal_values,
    )
    return show(found, chosen, reports)
