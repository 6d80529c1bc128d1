"""``petaudit apply``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from petaudit.anonymizing.applying import apply as applied_to
from petaudit.anonymizing.releasing import refuse_written
from petaudit.anonymizing.transformation import Transformation
from petaudit.auditing import Audit
from petaudit.cli.generalize import formula_warning
from petaudit.cli.options import reading_of
from petaudit.cli.released import write_released
from petaudit.cli.report import check_folder
from petaudit.cli.streams import complain_of_error, complain_of_warning, printed_warnings, say_lines
from petaudit.errors import OutOfReachError, counted, joined, phrase, share
from petaudit.measures.limits import short
from petaudit.system.output import refuse_inputs
from petaudit.tables.writing import table_format

_BREACHED: Final = 1


def apply(chosen: argparse.Namespace) -> int:
    """Give other rows the labels of an earlier release, and write them."""
    target = Path(chosen.out)
    table_format(target)
    check_folder(target)
    document = Path(chosen.transformation)
    known = Transformation.read(document)
    try:
        with printed_warnings():
            applied = applied_to(
                known,
                chosen.table,
                release=chosen.release,
                population=chosen.population,
                drop_suppressed=chosen.drop_suppressed or None,
                **reading_of(chosen),
            )
    except OutOfReachError as problem:
        complain_of_error(problem.text)
        return _BREACHED
    refuse_inputs(target, (*applied.files, document))
    is_guarded = chosen.formulas == "guard"
    formulas = write_released(
        applied.released,
        target,
        lambda written: refuse_written(applied.inputs, applied.released, known.limits, written),
        roles=[*known.names, *known.sensitive],
        delimiter=applied.inputs.table.delimiter,
        is_guarded=is_guarded,
    )
    rows = len(applied.kept)
    lines = [
        phrase(
            "wrote {target}: {rows}; suppressed: {hidden:,} ({share}); all limits hold",
            target=target,
            rows=counted(applied.released.num_rows, "row"),
            hidden=applied.rows_suppressed,
            share=share(applied.rows_suppressed, rows),
        ),
        phrase("  these rows alone: {figures}", figures=_figures(applied.audit)),
    ]
    if applied.audit_together is not None:
        figures = _figures(applied.audit_together)
        lines.append(phrase("  with the earlier release: {figures}", figures=figures))
    say_lines(lines)
    for text in (
        *applied.warnings,
        *applied.audit.problems,
        *formula_warning(applied.released.column_names, formulas, is_guarded),
    ):
        complain_of_warning(text)
    return 0


def _figures(audit: Audit) -> str:
    """The limits with what was measured."""
    return joined(
        [
            phrase("{measure} {value} (holds)", measure=result.measure, value=short(result.value))
            for result in audit.results
            if result.passed
        ]
    )
