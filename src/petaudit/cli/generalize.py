"""``petaudit generalize``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from petaudit.cli.arguments import delimiter_mark, given_roles, split_pairs, whole_number
from petaudit.cli.render import finished
from petaudit.cli.streams import say, standard_output, warnings_said
from petaudit.errors import InputError, counted, phrase
from petaudit.generalizing import generalize_with_report
from petaudit.output import refuse_inputs, table_format, table_writer, write_whole


def run(chosen: argparse.Namespace) -> int:
    """Generalise a table and write it."""
    target = Path(chosen.out) if chosen.out else None
    kind = table_format(target) if target else "csv"
    levels = {
        column: whole_number(level, f"--levels {column}")
        for column, level in split_pairs(chosen.levels, "--levels").items()
    }
    smallest = chosen.suppress_below
    with warnings_said():
        made = generalize_with_report(
            chosen.table,
            levels=levels,
            hierarchies=chosen.hierarchies,
            roles=given_roles(quasi_identifiers=chosen.qi, identifiers=chosen.identifier),
            person=chosen.person,
            suppress_below=None if smallest is None else whole_number(smallest, "--suppress-below"),
            delimiter=delimiter_mark(chosen.delimiter),
            encoding=chosen.encoding,
        )
    write = table_writer(made.table, kind)
    if target is None:
        if sys.stdout is None:
            raise InputError(phrase("there is no standard output; name a file (--out)"))
        with standard_output():
            write(sys.stdout.buffer)
        return 0
    refuse_inputs(target, made.files)
    write_whole(target, write)
    written = phrase(
        "wrote {target}: {rows}, {suppressed:,} of them suppressed",
        target=target,
        rows=counted(made.table.num_rows, "row"),
        suppressed=made.suppressed_rows,
    )
    say("\n".join(finished([written])) + "\n")
    return 0
