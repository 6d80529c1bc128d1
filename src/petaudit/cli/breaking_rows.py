"""``petaudit check --rows``: which rows break limits, for the owner of the table."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from petaudit.auditing import Audit
from petaudit.auditing.dropping import ClassLevel, settings_of
from petaudit.cli.streams import complain_of_warning
from petaudit.errors import InputError, listing, phrase
from petaudit.measures import find_measure
from petaudit.system.output import refuse_inputs, write_whole
from petaudit.tables import Source
from petaudit.tables.csv_files import DELIMITERS
from petaudit.tables.writing import write_csv


def require_row_numbers(source: Source) -> None:
    """Raise unless the rows of a table have numbers."""
    if not source.counts.keeps_order:
        raise InputError(
            "{table}: its rows have no numbers, because {engine} returns them in any order; write "
            "the table to a file and use that (--rows)",
            table=source.name,
            engine=source.counts.engine,
        )


def write_rows(release: Audit, target: Path) -> None:
    """Write the numbers of rows that break limits, with their labels where these may be shown.

    The first row below the header is row 1. Only the user may read the file.
    """
    refuse_inputs(target, release.files)
    source = release.inputs.table
    source.counts.require_local()
    require_row_numbers(source)
    level = ClassLevel.of(release.inputs)
    measures: list[str] = []
    places: list[int] = []
    unknown: list[str] = []
    settings = settings_of(release)
    for result in release.results:
        if result.passed is not False:
            continue
        name, breaking = result.measure, None
        if name in settings:
            breaking = level.breaking(find_measure(name), settings[name])
        if breaking is None:
            unknown.append(name)
            continue
        rows = np.flatnonzero(breaking[level.classes.of_rows])
        measures += [name] * len(rows)
        places += rows.tolist()
    names = ["measure", "row"]
    columns: list[list[Any]] = [measures, source.row_numbers(np.array(places, np.int64)).tolist()]
    if release.inputs.reveal_values:
        of_rows = level.classes.of_rows[np.array(places, dtype=np.int64)]
        classes = level.classes
        for name, labels, codes in zip(classes.names, classes.labels, classes.codes, strict=True):
            names.append(name)
            columns.append([labels[code] for code in codes[of_rows].tolist()])
    write = partial(
        write_csv, names, [columns], formula_safe=True, delimiter=source.delimiter or DELIMITERS[0]
    )
    write_whole(target, write, private=True)
    if unknown:
        complain_of_warning(
            phrase(
                "which rows break the limit of {measures} is not known; {file} has none for it",
                measures=listing(unknown),
                file=str(target),
            )
        )
