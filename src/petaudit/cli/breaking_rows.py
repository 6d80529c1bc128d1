"""``petaudit check --rows``: which rows break limits, for the owner of the table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from petaudit.auditing import Audit
from petaudit.auditing.dropping import ClassLevel, settings_of
from petaudit.cli.streams import complain_of_warning
from petaudit.errors import InputError, listing, phrase
from petaudit.measures import find_measure
from petaudit.system.output import refuse_inputs, write_whole
from petaudit.tables.csv_files import DELIMITERS
from petaudit.tables.writing import table_writer


def write_rows(release: Audit, target: Path) -> None:
    """Write the numbers of rows that break limits, with their labels where these may be shown.

    The first row below the header is row 1. Nobody but the user may read the file.
    """
    refuse_inputs(target, release.files)
    source = release.inputs.table
    source.counts.require_local()
    if not source.counts.keeps_order:
        raise InputError(
            "{table}: its rows have no numbers, because {engine} returns them in any order; write "
            "the table to a file and use that (--rows)",
            table=source.name,
            engine=source.counts.engine,
        )
    level = ClassLevel.of(release.inputs)
    measures: list[str] = []
    numbers: list[int] = []
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
        rows = np.flatnonzero(breaking[level.classes.of_rows]) + 1
        measures += [name] * len(rows)
        numbers += rows.tolist()
    columns: dict[str, pa.Array] = {
        "measure": pa.array(measures, type=pa.string()),
        "row": pa.array(numbers, type=pa.int64()),
    }
    if release.inputs.reveal_values:
        of_rows = level.classes.of_rows[np.array(numbers, dtype=np.int64) - 1]
        classes = level.classes
        for name, labels, codes in zip(classes.names, classes.labels, classes.codes, strict=True):
            columns[name] = pa.array(labels, type=pa.string()).take(pa.array(codes[of_rows]))
    table = pa.Table.from_arrays([*columns.values()], names=[*columns])
    delimiter = source.delimiter or DELIMITERS[0]
    write = table_writer(table, "csv", formula_safe=True, delimiter=delimiter)
    write_whole(target, write, private=True)
    if unknown:
        complain_of_warning(
            phrase(
                "which rows break the limit of {measures} is not known; {file} has none for it",
                measures=listing(unknown),
                file=str(target),
            )
        )
