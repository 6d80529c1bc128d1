"""``petaudit hierarchies``."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from petaudit.auditing.advice import next_command
from petaudit.cli.arguments import inputs_of
from petaudit.cli.options import reading_of
from petaudit.cli.streams import complain_of_warning, printed_warnings, say_json, say_lines
from petaudit.errors import counted, joined, phrase, term
from petaudit.inputs import gather
from petaudit.proposing import Proposal, ProposedHierarchies, proposed_hierarchies
from petaudit.reports.terminal import format_table
from petaudit.system.files import unchanged
from petaudit.system.progress import stage

_DEFAULT_FILE = "hierarchies.yaml"
_ARROW = " → "


def hierarchies(chosen: argparse.Namespace) -> int:
    """Propose hierarchies, show what their levels do, and write them."""
    with printed_warnings(), unchanged():
        inputs = gather(chosen.table, reveal_values=chosen.reveal_values, **inputs_of(chosen))
        with stage(phrase("proposing hierarchies")):
            proposed = proposed_hierarchies(inputs)
            proposals = proposed.proposals
    written = []
    if chosen.out is not None:
        written = proposed.write(chosen.out, force=chosen.force)
    if chosen.format == "json":
        say_json([_entry(each, chosen.reveal_values) for each in proposals])
    else:
        say_lines(_shown(proposed, chosen, written))
    for note in dict.fromkeys(note for each in proposals for note in each.notes):
        complain_of_warning(note)
    return 0


def _shown(
    proposed: ProposedHierarchies, chosen: argparse.Namespace, written: list[Path]
) -> Iterator[str]:
    table = proposed.inputs.table
    yield phrase(
        "{table}: {rows}; level 0 is the value itself, the last level is *",
        table=table.name,
        rows=counted(table.rows, "row"),
    )
    yield ""
    header = [
        term("column"),
        term("what it holds"),
        term("groups per level (rows of the smallest)"),
    ]
    rows = [
        [
            each.column,
            term(each.kind),
            joined(
                [f"{level.level}: {level.groups:,} ({level.smallest:,})" for level in each.levels]
            ),
        ]
        for each in proposed.proposals
    ]
    yield from format_table(header, rows)
    if chosen.reveal_values:
        yield ""
        yield term("labels of the commonest value, level by level")
        yield from format_table(
            [term("column"), term("labels")],
            [
                [each.column, _ARROW.join(each.hierarchy.path_of(each.commonest))]
                for each in proposed.proposals
            ],
        )
    yield ""
    if len(written) == 1:
        yield phrase(
            "wrote {target}: look at it and edit it; it may hold values of the table, so only you "
            "can read it",
            target=written[0],
        )
    elif written:
        yield phrase(
            "wrote {number} files to {target}: look at them and edit them; they hold the values of "
            "the table, so only you can read them",
            number=len(written),
            target=written[0].parent,
        )
    target = chosen.out
    if target is None:
        target = _DEFAULT_FILE
        yield term("Nothing was written. To write rules that can be edited:")
        again = next_command(
            proposed.inputs, _given(chosen, chosen.hierarchies), "hierarchies", target
        )
        yield f"      {shlex.join(again)}"
    yield term("Then the table that keeps a limit, k-anonymity of 5 for example:")
    command = next_command(proposed.inputs, _given(chosen, target), "anonymize")
    yield f"      {shlex.join(command)}"


def _given(chosen: argparse.Namespace, hierarchies: str | None) -> dict[str, Any]:
    """What a further command is given."""
    named = {"table": chosen.table, "person": chosen.person, "hierarchies": hierarchies}
    return named | reading_of(chosen)


def _entry(each: Proposal, reveal: bool) -> dict[str, Any]:
    """A hierarchy as plain data; a rule with values of the table only where they are asked for."""
    rule = each.rule
    if not reveal and (rule is None or {"keep", "tree", "ordered"} & rule.keys()):
        rule = None
    return {
        "column": each.column,
        "kind": each.kind,
        "rule": None if rule is None else dict(rule),
        "levels": [
            {"level": level.level, "groups": level.groups, "smallest": level.smallest}
            for level in each.levels
        ],
        "notes": list(each.notes),
    }
