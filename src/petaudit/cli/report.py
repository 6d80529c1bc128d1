"""``petaudit report``."""

from __future__ import annotations

import argparse
from pathlib import Path

from petaudit.cli.report_files import Reports, say_written, write_text
from petaudit.cli.streams import say
from petaudit.errors import InputError
from petaudit.reports.writing import checked_format
from petaudit.system.output import refuse_inputs


def report(chosen: argparse.Namespace) -> int:
    """Make a report of a result that was kept; making it is what the exit code is about."""
    result = Path(chosen.result)
    target = None if chosen.out in (None, "-") else Path(chosen.out)
    format_name = checked_format(chosen.format, target if chosen.format is None else None)
    if target is None and format_name == "html" and chosen.out is None:
        # A page is for a browser, not for a terminal.
        target = Path(f"{result.stem}.html")
    reports = Reports.of(chosen)
    text = reports.text(result, format_name, chosen.location)
    if target is None:
        say(text)
        return 0
    refuse_inputs(target, [path for path in (result, reports.baseline) if path is not None])
    if not target.parent.is_dir():
        raise InputError("folder {folder!r} does not exist", folder=str(target.parent))
    write_text(target, text)
    say_written(target)
    return 0
