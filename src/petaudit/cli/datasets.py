"""``petaudit datasets``."""

from __future__ import annotations

import argparse

from petaudit.cli.render import format_table
from petaudit.datasets import catalogue, load
from petaudit.errors import InputError


def run(chosen: argparse.Namespace) -> int:
    """List the bundled tables, or print where one lies."""
    if chosen.name is None:
        rows = [[dataset.name, f"{dataset.rows:,}", dataset.title] for dataset in catalogue()]
        print("\n".join(format_table(["name", "rows", "what it is"], rows)))
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
    print(path)
    return 0
