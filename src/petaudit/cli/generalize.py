"""``petaudit generalize``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from petaudit.cli.arguments import delimiter_mark, given_roles, split_pairs, whole_number
from petaudit.cli.streams import complain, say, standard_output, warnings_said
from petaudit.errors import InputError, counted, phrase
from petaudit.generalizing import Generalized, generalize_with_report
from petaudit.reports.terminal import finished
from petaudit.system.output import refuse_inputs, write_whole
from petaudit.tables.headers import columns_named
from petaudit.tables.writing import formula_cells, table_format, table_writer


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
            roles=given_roles(
                quasi_identifiers=chosen.qi,
                identifiers=chosen.identifier,
                sensitive=chosen.sensitive,
            ),
            person=chosen.person,
            suppress_below=None if smallest is None else whole_number(smallest, "--suppress-below"),
            suppressed_rows=chosen.suppressed_rows,
            delimiter=delimiter_mark(chosen.delimiter),
            encoding=chosen.encoding,
        )
    is_guarded = kind == "csv" and chosen.formulas == "guard"
    formulas = formula_cells(made.table) if kind == "csv" else {}
    write = table_writer(made.table, kind, formula_safe=is_guarded)
    if target is None:
        if sys.stdout is None:
            raise InputError("there is no standard output; name a file (--out)")
        with standard_output():
            write(sys.stdout.buffer)
        if chosen.suppressed_rows == "drop":
            rows = counted(made.suppressed_rows, "row")
            complain(phrase("dropped: {rows} suppressed", rows=rows))
        _warn(made, formulas, is_guarded=is_guarded)
        return 0
    refuse_inputs(target, made.files)
    write_whole(target, write)
    say("\n".join(finished([_written(made, chosen, target)])) + "\n")
    _warn(made, formulas, is_guarded=is_guarded)
    return 0


def _warn(made: Generalized, formulas: Mapping[str, int], *, is_guarded: bool) -> None:
    warnings: list[str] = [*made.warnings]
    if formulas:
        given = {
            "cells": counted(sum(formulas.values()), "cell"),
            "columns": columns_named([*formulas], made.table.column_names),
        }
        said = phrase(
            "{cells} of {columns} would be run as a formula by a spreadsheet, and were written as "
            "they are (--formulas guard puts an apostrophe before them)",
            **given,
        )
        if is_guarded:
            said = phrase(
                "{cells} of {columns} would be run as a formula by a spreadsheet, and got an "
                "apostrophe in front; --formulas keep or a .parquet file has them as they are",
                **given,
            )
        warnings.append(said)
    for message in warnings:
        complain(phrase("warning: {text}", text=message))


def _written(made: Generalized, chosen: argparse.Namespace, target: Path) -> str:
    rows = counted(made.table.num_rows, "row")
    if chosen.suppressed_rows == "drop":
        return phrase(
            "wrote {target}: {rows}; dropped: {suppressed:,} suppressed",
            target=target,
            rows=rows,
            suppressed=made.suppressed_rows,
        )
    return phrase(
        "wrote {target}: {rows}, {suppressed:,} of them suppressed",
        target=target,
        rows=rows,
        suppressed=made.suppressed_rows,
    )
