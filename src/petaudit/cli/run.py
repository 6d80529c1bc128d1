"""``petaudit run``."""

from __future__ import annotations

import argparse
from pathlib import Path

from petaudit.cli.logs import json_log
from petaudit.cli.options import engine_of
from petaudit.cli.report import Reports
from petaudit.cli.streams import (
    complain,
    complain_of_error,
    complain_of_warning,
    kept_warnings,
    say,
)
from petaudit.errors import OptionError, PetauditError, phrase, revealed, term
from petaudit.pipelines.configuration import default_folder
from petaudit.pipelines.executor import Executor
from petaudit.reports.reading import view_of
from petaudit.reports.terminal import coloured
from petaudit.reports.text import screen_text
from petaudit.reports.verdict import verdict_text
from petaudit.tables import remove_orphans


def run(chosen: argparse.Namespace) -> int:
    """Run a pipeline, print what it found, and say by the exit code whether the gate is open."""
    if chosen.out == "":
        raise OptionError("--out is empty; name a folder")
    path = Path(chosen.pipeline)
    reports = Reports.of(chosen)
    remove_orphans()
    executor = _executed(chosen, path)
    document = executor.document
    if chosen.format != "text":
        say(reports.shown(document, chosen.format, chosen.pipeline))
    elif chosen.quiet:
        say(verdict_text(view_of(document)))
    else:
        text = screen_text(
            view_of(document),
            details=chosen.details,
            folder=None if executor.out is None else str(executor.out),
            files=executor.file_names,
            below=len(reports.files),
        )
        say(coloured(text))
    reports.write(document, [path, *executor.files], chosen.pipeline)
    if chosen.format == "text" and not chosen.quiet:
        reports.say_written()
    for error in document["errors"]:
        reason = executor.messages.get(error["run"], error["reason"])
        if chosen.reveal_values:
            # The terminal may show a few labels, which the document may not.
            reason = revealed(reason)
        complain_of_error(phrase("{names}: {reason}", names=error["run"], reason=reason))
    if document["verdict"] == "error" and not document["errors"]:
        for question in document["open_questions"]:
            complain_of_error(question)
    return int(document["exit_code"])


def _executed(chosen: argparse.Namespace, path: Path) -> Executor:
    """Run the pipeline; the verdict comes first, and the screen has the warnings of its entries."""
    shown: list[str] = []
    log = json_log()
    with kept_warnings() as noted:
        try:
            executor = Executor(
                path,
                out=chosen.out or default_folder(path),
                resume=chosen.resume,
                reveal_values=chosen.reveal_values,
                overrides=chosen.set,
                only=chosen.only or (),
                log_stream="stderr",
                listener=None if log is None else log.hear,
                keep_results=False,
                strict=chosen.strict,
                **engine_of(chosen),
            )
            try:
                executor.run()
            except (KeyboardInterrupt, PetauditError):
                if executor.has_kept_results:
                    complain(term("finished runs were kept; continue with --resume"))
                raise
            shown = view_of(executor.document).all_warnings
        finally:
            for text in dict.fromkeys(noted):
                if text not in shown:
                    complain_of_warning(text)
    return executor
