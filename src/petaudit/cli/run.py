"""``petaudit run``."""

from __future__ import annotations

import argparse
from pathlib import Path

from petaudit.cli.options import engine_of
from petaudit.cli.progress import run_progress
from petaudit.cli.report_files import Reports
from petaudit.cli.result_text import run_text, run_warnings, short_run_text
from petaudit.cli.streams import complain, complain_of_error, say, warnings_said
from petaudit.errors import OptionError, PetauditError, phrase, revealed, term
from petaudit.pipelines.configuration import default_folder
from petaudit.pipelines.executor import Executor
from petaudit.reports.terminal import coloured
from petaudit.tables import remove_orphans


def run(chosen: argparse.Namespace) -> int:
    """Run a pipeline, print what it found, and say by the exit code whether the gate is open."""
    if chosen.out == "":
        raise OptionError("--out is empty; name a folder")
    path = Path(chosen.pipeline)
    reports = Reports.of(chosen)
    remove_orphans()
    with warnings_said(), run_progress(quiet=chosen.quiet) as listener:
        engine = engine_of(chosen)
        executor = Executor(
            path,
            out=chosen.out or default_folder(path),
            resume=chosen.resume,
            reveal_values=chosen.reveal_values,
            overrides=chosen.set,
            only=chosen.only or (),
            listener=listener,
            log_stream="stderr",
            keep_results=False,
            strict=chosen.strict,
            **engine,
        )
        try:
            executor.run()
        except (KeyboardInterrupt, PetauditError):
            if executor.has_kept_results:
                complain(term("finished runs were kept; go on with --resume"))
            raise
    document = executor.document
    if chosen.format != "text":
        say(reports.shown(document, chosen.format, chosen.pipeline))
    elif chosen.quiet:
        for warning in (*run_warnings(document), *document["open_questions"]):
            complain(warning)
        say(coloured(short_run_text(document)))
    else:
        say(coloured(run_text(executor)))
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
