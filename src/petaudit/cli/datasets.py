"""``petaudit datasets``."""

from __future__ import annotations

import argparse

from petaudit.cli.render import format_table
from petaudit.cli.streams import say
from petaudit.datasets import catalogue, load
from petaudit.errors import InputError


def run(chosen: argparse.Namespace) -> int:
    """List the bundled tables, or print where one lies."""
    if chosen.name is None:
        rows = [[dataset.name, f"{dataset.rows:,}", dataset.title] for dataset in catalogue()]
        say("\n".join(format_table(["name", "rows", "what it is"], rows)) + "\n")
        return 0
    dataset = load(chosen.name)
    path = dataset.path
    if chosen.hierarchies or chosen.original:
        wanted = dataset.hierarchies if chosen.hierarchies else dataset.original
        if wanted is None:
            raise InputError(
                f"{dataset.name} has no {'hierarchies' if chosen.hierarchies else 'original'}"
            )
        path = wanted
    # As it is: a shell passes it on.
    say(f"{path}\n")
    return 0
