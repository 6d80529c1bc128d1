"""``petaudit frontier``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final

from petaudit.anonymizing.risk_utility import frontier as frontier_of
from petaudit.cli.anonymize import search_of
from petaudit.cli.arguments import inputs_of, split_names, whole_number
from petaudit.cli.check import measure_options
from petaudit.cli.options import engine_of
from petaudit.cli.report import say_written
from petaudit.cli.streams import printed_warnings, say, say_json, say_lines
from petaudit.errors import OptionError, counted, joined
from petaudit.i18n.catalogue import language
from petaudit.reports.terminal import as_text, title_line
from petaudit.system.output import refuse_inputs

_NO_POINT: Final = 1


def frontier(chosen: argparse.Namespace) -> int:
    """Show what is lost at several limits."""
    engine = engine_of(chosen)
    limits: dict[str, list[str]] = {}
    options: dict[str, dict[str, Any]] = {}
    for measure, given_options in measure_options(chosen).items():
        given = dict(given_options)
        limit = given.pop("limit", None)
        if limit is not None:
            limits[measure] = split_names([str(limit)])
        if given:
            options[measure] = given
    target = None if chosen.report is None else Path(chosen.report)
    if target is not None and target.suffix.lower() not in (".html", ".htm"):
        raise OptionError("{path!r}: the report of a frontier must be .html", path=str(target))
    with printed_warnings():
        result = frontier_of(
            chosen.table,
            limits=limits,
            options=options,
            max_suppression=split_names(chosen.max_suppression or ["0"]),
            **search_of(chosen),
            **engine,
            **inputs_of(chosen),
        )
    if target is not None:
        refuse_inputs(target, result.files)
        hide_below = whole_number(chosen.hide_below, "--hide-below")
        result.report(target, lang=language(), hide_below=hide_below)
    if chosen.format == "json":
        say_json(result.to_dict())
    else:
        say_lines([title_line(joined([result.table, counted(result.rows, "row")])), ""])
        say(as_text(str(result).splitlines()))
        if target is not None:
            say_written(target)
    return 0 if any(point.loss is not None for point in result.points) else _NO_POINT
