"""``petaudit policies``."""

from __future__ import annotations

import argparse

from petaudit.cli.streams import as_json, say, takes_unicode
from petaudit.errors import joined, term
from petaudit.judging.policy import find_policy, policies
from petaudit.reports.terminal import finished, format_table, section


def run(chosen: argparse.Namespace) -> int:
    """List the policies and what they demand, or tell all about some."""
    named = [find_policy(name) for name in chosen.names]
    if chosen.format == "json":
        entries = [policy.to_dict() for policy in named or policies().values()]
        say(as_json(entries, ascii_only=not takes_unicode()) + "\n")
        return 0
    lines: list[str] = []
    for policy in named:
        explained = [policy.explanation] if policy.explanation else []
        lines += section(policy.name, [*policy.head, *explained, *policy.open_demands])
    if not named:
        header = [term("policy"), term("date"), term("demands")]
        rows = [
            [
                policy.name,
                policy.date or "-",
                joined([demand.rule for demand in policy.demands.values()], "; "),
            ]
            for policy in policies().values()
        ]
        lines += [
            *format_table(header, rows),
            "",
            term("Source, scope and what is not measured: petaudit policies NAME"),
            term("Named limits for synthetic tables: petaudit mpuccs --profile"),
            "",
        ]
    say("\n".join(finished(lines[:-1])) + "\n")
    return 0
