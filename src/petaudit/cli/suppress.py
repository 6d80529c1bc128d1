"""``petaudit suppress``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from petaudit.cli.arguments import inputs_of
from petaudit.cli.check import measure_options
from petaudit.cli.generalize import formula_warning
from petaudit.cli.next_check import say_next_check
from petaudit.cli.released import write_released
from petaudit.cli.streams import complain_of_error, complain_of_warning, printed_warnings, say_lines
from petaudit.errors import TooManyRowsError, counted, listing, phrase, share, term
from petaudit.generalizing import about_identifiers
from petaudit.suppressing import Suppression, suppress_with_report
from petaudit.system.output import refuse_inputs
from petaudit.tables.headers import columns_named
from petaudit.tables.writing import table_format

_KEPT: Final = (
    *("person", "policy", "population", "population_size", "hierarchies", "k", "l", "t"),
    *("max_risk", "min_precision", "min_entropy", "distance", "cost", "gain", "loss", "benefit"),
    *("no_attack", "limit", "option"),
)
"""Options that a check of what was written takes as they were given."""
_TOO_MANY: Final = 1
_MOST: Final = 2
"""A warning says so if no more than one in so many rows is left."""


def suppress(chosen: argparse.Namespace) -> int:
    """Drop rows until all limits hold, and write the others."""
    target = Path(chosen.out)
    table_format(target)
    try:
        with printed_warnings():
            suppression = suppress_with_report(
                chosen.table,
                options=measure_options(chosen),
                policy=chosen.policy,
                max_suppression=chosen.max_suppression,
                **inputs_of(chosen),
            )
    except TooManyRowsError as problem:
        complain_of_error(problem.text)
        return _TOO_MANY
    refuse_inputs(target, suppression.files)
    _write(suppression, target, is_guarded=chosen.formulas == "guard")
    limits = [*_given(chosen)]
    say_next_check(term("A report to keep with it:"), target, suppression.inputs.roles, limits)
    return 0


def _given(chosen: argparse.Namespace) -> Iterator[str]:
    """The limits as they were given, and what they are about."""
    for name in _KEPT:
        given, option = getattr(chosen, name), f"--{name.replace('_', '-')}"
        for value in given if isinstance(given, list) else [given]:
            if value is True:
                yield option
            elif value not in (None, False):
                yield from (option, value)
    if chosen.suppressed != "class":
        yield from ("--suppressed", chosen.suppressed)


def _write(suppression: Suppression, target: Path, *, is_guarded: bool) -> None:
    """Write the rows that are left, measure what was written, and only then put it in place."""
    table = suppression.table
    formulas = write_released(
        table,
        target,
        suppression.check,
        roles=suppression.inputs.roles.by_column,
        delimiter=suppression.inputs.table.delimiter,
        is_guarded=is_guarded,
    )
    rows, dropped = table.num_rows, suppression.rows_dropped
    say_lines(
        [
            phrase(
                "wrote {target}: {rows}; dropped: {dropped:,} ({share}); these limits hold: "
                "{measures}",
                target=target,
                rows=counted(rows, "row"),
                dropped=dropped,
                share=share(dropped, rows + dropped),
                measures=listing([result.measure for result in suppression.audit.results]),
            )
        ]
    )
    if rows * _MOST <= rows + dropped:
        complain_of_warning(
            phrase(
                "{share} of the rows were dropped: coarser values of the quasi-identifiers would "
                "keep more (petaudit generalize)",
                share=share(dropped, rows + dropped),
            )
        )
    inputs = suppression.inputs
    if inputs.identifiers:
        columns = columns_named(inputs.identifiers, inputs.table.columns)
        complain_of_warning(about_identifiers(columns, is_declared=True, masked=False))
    for text in replace(suppression.audit.columns, identifiers=()).problems:
        complain_of_warning(text)
    for warning in formula_warning(table.column_names, formulas, is_guarded):
        complain_of_warning(warning)
