"""``petaudit generalize``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from petaudit.cli.arguments import inputs_of, split_pairs, whole_number
from petaudit.cli.next_check import say_next_check
from petaudit.cli.streams import (
    complain,
    complain_of_warning,
    printed_warnings,
    say_lines,
    standard_output,
)
from petaudit.errors import InputError, counted, phrase, term
from petaudit.generalizing import generalize_with_report
from petaudit.starter.starter import K, T
from petaudit.system.output import refuse_inputs, write_whole
from petaudit.system.progress import stage
from petaudit.tables.csv_files import DELIMITERS
from petaudit.tables.headers import columns_named
from petaudit.tables.writing import formula_cells, packing, table_format, table_writer


def generalize(chosen: argparse.Namespace) -> int:
    """Generalise a table and write it."""
    target = Path(chosen.out) if chosen.out else None
    kind = table_format(target) if target else "csv"
    levels = {
        column: whole_number(level, f"--levels {column}")
        for column, level in split_pairs(chosen.levels, "--levels").items()
    }
    smallest = chosen.suppress_below
    with printed_warnings():
        result = generalize_with_report(
            chosen.table,
            levels=levels,
            suppress_below=None if smallest is None else whole_number(smallest, "--suppress-below"),
            suppressed_rows=chosen.suppressed_rows,
            identifier_columns=chosen.identifier_columns,
            other_values=chosen.other_values,
            **inputs_of(chosen),
        )
    is_text = kind != "parquet"
    is_guarded = is_text and chosen.formulas == "guard"
    with stage(phrase("generalising")):
        formulas = formula_cells(result.table) if is_text else {}
    delimiter = result.delimiter or DELIMITERS[0]
    write = table_writer(result.table, kind, formula_safe=is_guarded, delimiter=delimiter)
    if target is None:
        if sys.stdout is None:
            raise InputError("there is no standard output; name a file (--out)")
        with standard_output():
            write(sys.stdout.buffer)
        if chosen.suppressed_rows == "drop":
            rows = counted(result.suppressed_rows, "row")
            complain(phrase("dropped: {rows} suppressed", rows=rows))
    else:
        refuse_inputs(target, result.files)
        with stage(phrase("writing {file}", file=target.name)):
            write_whole(target, packing(target, write))
        counts = {
            "target": target,
            "rows": counted(result.table.num_rows, "row"),
            "suppressed": result.suppressed_rows,
        }
        if chosen.suppressed_rows == "drop":
            done = phrase("wrote {target}: {rows}; dropped: {suppressed:,} suppressed", **counts)
        else:
            done = phrase("wrote {target}: {rows}, {suppressed:,} of them suppressed", **counts)
        say_lines([done])
    for message in (
        *result.warnings,
        *formula_warning(result.table.column_names, formulas, is_guarded),
    ):
        complain_of_warning(message)
    if target is not None and result.roles.quasi_identifiers:
        limits = ["--k", str(K), *(("--t", T) if result.roles.sensitive else ())]
        title = term("Check it with your limits, for example those that init proposes:")
        say_next_check(title, target, result.roles, limits)
    return 0


def formula_warning(
    columns: Sequence[str], formulas: Mapping[str, int], is_guarded: bool
) -> Iterator[str]:
    """Say which cells of a table with some columns a spreadsheet would run."""
    if not formulas:
        return
    cells = {
        "cells": counted(sum(formulas.values()), "cell"),
        "columns": columns_named([*formulas], columns),
    }
    if is_guarded:
        yield phrase(
            "{cells} of {columns} would be run as a formula by a spreadsheet, and got a leading "
            "apostrophe; --formulas keep or a .parquet file keeps them as they are",
            **cells,
        )
    else:
        yield phrase(
            "{cells} of {columns} would be run as a formula by a spreadsheet, and were written as "
            "they are (--formulas guard adds a leading apostrophe)",
            **cells,
        )
