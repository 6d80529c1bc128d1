"""``petaudit report``, and reports that other commands make: checked before the work."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from petaudit.cli.arguments import whole_number
from petaudit.cli.streams import say, takes_unicode
from petaudit.errors import InputError, OptionError, phrase
from petaudit.i18n.catalogue import language
from petaudit.i18n.phrases import translate
from petaudit.i18n.text import json_text, printable
from petaudit.judging.document import read_document
from petaudit.reports.pdf import find_browser
from petaudit.reports.reading import view_of
from petaudit.reports.writing import PDF, checked_format, checked_threshold, write_report
from petaudit.reports.writing import report as make_report
from petaudit.system.output import refuse_inputs, write_whole
from petaudit.system.progress import stage

_READ = ("table", "original", "synthetic", "control", "population", "pipeline", "baseline")


def report(chosen: argparse.Namespace) -> int:
    """Make a report of a result that was kept; making it is what the exit code is about."""
    result = Path(chosen.result)
    target = None if chosen.out in (None, "-") else Path(chosen.out)
    format_name = checked_format(chosen.format, target if chosen.format is None else None)
    if target is None and format_name == "html" and chosen.out is None:
        # A page is for a browser, not for a terminal.
        target = Path(f"{result.stem}.html")
    _check_printer([format_name])
    reports = Reports.of(chosen)
    text = reports.text(result, format_name, chosen.location)
    if target is None:
        say(text)
        return 0
    refuse_inputs(target, [path for path in (result, reports.baseline) if path is not None])
    if not target.parent.is_dir():
        raise InputError("folder {folder!r} does not exist", folder=str(target.parent))
    write_report(target, text, format_name)
    say_written(target)
    return 0


@dataclass(frozen=True)
class Reports:
    """What to make of a result, and how much to tell."""

    files: tuple[tuple[Path, str], ...]
    """Where to write a report, and in which format."""
    baseline: Path | None
    reveal_values: bool
    hide_below: int
    reviewer: str | None = None

    @classmethod
    def of(cls, chosen: argparse.Namespace, *others: Path) -> Reports:
        """From the options; invalid ones are refused before a long wait.

        ``others`` are files that are written as well.
        """
        names = getattr(chosen, "report", None) or ()
        files = tuple((Path(name), checked_format(None, name)) for name in names)
        _check_apart([path for path, _ in files], chosen, others)
        _check_printer([format_name for _, format_name in files])
        baseline = None if chosen.baseline is None else Path(chosen.baseline)
        if baseline is not None:
            view_of(read_document(baseline), origin=str(baseline))
        for path, _ in files:
            check_folder(path, baseline)
        option = "--hide-below"
        hide_below = checked_threshold(whole_number(chosen.hide_below, option), option)
        return cls(files, baseline, chosen.reveal_values, hide_below, chosen.reviewer)

    def text(
        self, document: Mapping[str, Any] | Path, format_name: str, location: str | None = None
    ) -> str:
        """A report as text."""
        with stage(phrase("making the report")):
            return self._made(document, format_name, location)

    def _made(
        self, document: Mapping[str, Any] | Path, format_name: str, location: str | None
    ) -> str:
        return make_report(
            document,
            format="html" if format_name == PDF else format_name,
            lang=language(),
            baseline=self.baseline,
            reveal_values=self.reveal_values,
            hide_below=self.hide_below,
            location=location,
            reviewer=self.reviewer,
        )

    def shown(
        self,
        document: Mapping[str, Any],
        format_name: str,
        location: str | None = None,
        *,
        to_file: bool = False,
    ) -> str:
        """The document in the chosen format, which is not text."""
        if format_name == "json":
            return json_text(document, ascii_only=not (to_file or takes_unicode())) + "\n"
        return self.text(document, format_name, location)

    def write(
        self, document: Mapping[str, Any], inputs: Iterable[Path], location: str | None = None
    ) -> None:
        """Write the reports that were asked for, each whole or not at all."""
        read = [*inputs, *([] if self.baseline is None else [self.baseline])]
        for path, _ in self.files:
            refuse_inputs(path, read)
        for path, format_name in self.files:
            write_report(path, self.text(document, format_name, location), format_name)

    def say_written(self) -> None:
        """Say where the reports are, where people read what is printed."""
        for path, _ in self.files:
            say_written(path)


def say_written(path: Path) -> None:
    """Say that a file was written; its name is not folded."""
    say(printable(translate(phrase("wrote {path}", path=str(path)))) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a text; a name that is no UTF-8 becomes an escape."""
    write_whole(path, lambda file: file.write(text.encode(errors="backslashreplace")))


def _check_apart(paths: list[Path], chosen: argparse.Namespace, others: tuple[Path, ...]) -> None:
    """No report takes the place of a table that is read, of another report, or of the output."""
    given = [getattr(chosen, name, None) for name in _READ]
    for path in paths:
        refuse_inputs(path, [Path(name) for name in given if name and os.path.exists(name)])  # noqa: PTH110
    out = getattr(chosen, "out", None)
    targets = [*paths, *others, *([Path(out)] if out else [])]
    if len({os.path.realpath(path) for path in targets}) < len(targets):
        raise OptionError("two outputs have the same file; give each its own")


def _check_printer(formats: list[str]) -> None:
    if PDF in formats:
        find_browser()


def check_folder(path: Path, baseline: Path | None = None) -> None:
    """Raise an error if no file can be written there, before a long wait."""
    if baseline is not None and baseline.exists() and path.exists() and path.samefile(baseline):
        raise OptionError(
            "{path!r} is the earlier result; choose another output file", path=str(path)
        )
    if path.is_dir():
        raise InputError("{path!r} is a folder, and no file can replace it", path=str(path))
    if not path.parent.is_dir():
        raise InputError("folder {folder!r} does not exist", folder=str(path.parent))
