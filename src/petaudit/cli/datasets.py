"""``petaudit datasets``."""

from __future__ import annotations

import argparse

from petaudit.cli.streams import say
from petaudit.datasets import catalogue, load
from petaudit.errors import InputError, phrase, term
from petaudit.reports.terminal import format_table


def run(chosen: argparse.Namespace) -> int:
    """List the bundled tables, or print where one lies."""
    if chosen.name is None:
        rows = [[dataset.name, f"{dataset.rows:,}", term(dataset.title)] for dataset in catalogue()]
        header = [term("name"), term("rows"), term("what it is")]
        say("\n".join(format_table(header, rows)) + "\n")
        return 0
    dataset = load(chosen.name)
    path = dataset.path
    if chosen.hierarchies or chosen.original:
        wanted = dataset.hierarchies if chosen.hierarchies else dataset.original
        if wanted is None:
            raise InputError(
                phrase("{name} has no hierarchies", name=dataset.name)
                if chosen.hierarchies
                else phrase("{name} has no original", name=dataset.name)
            )
        path = wanted
    # As it is: a shell passes it on.
    say(f"{path}\n")
    return 0
