"""Reports of a result: checked before the work, written after it."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from petaudit.cli.arguments import whole_number
from petaudit.errors import InputError, OptionError, phrase
from petaudit.languages.current import language
from petaudit.output import refuse_inputs, write_whole
from petaudit.reporting import FORMATS, checked_format, checked_threshold, report

__all__ = ["FORMATS", "Reports"]


@dataclass(frozen=True)
class Reports:
    """What to make of a result, and how much to tell."""

    files: tuple[tuple[Path, str], ...]
    """Where to write a report, and in which format."""
    baseline: Path | None
    reveal_values: bool
    hide_below: int

    @classmethod
    def of(cls, chosen: argparse.Namespace) -> Reports:
        """From the options; what is wrong about them is said before a long wait."""
        files = tuple((Path(name), checked_format(None, name)) for name in chosen.report or ())
        baseline = None if chosen.baseline is None else Path(chosen.baseline)
        if baseline is not None:
            _check_document(baseline)
        for path, _ in files:
            _check_folder(path, baseline)
        return cls(
            files=files,
            baseline=baseline,
            reveal_values=chosen.reveal_values,
            hide_below=_threshold(chosen.hide_below),
        )

    def text(
        self, document: Mapping[str, Any] | Path, format_name: str, location: str | None = None
    ) -> str:
        """A report as text."""
        return report(
            document,
            format=format_name,
            lang=language(),
            baseline=self.baseline,
            reveal_values=self.reveal_values,
            hide_below=self.hide_below,
            location=location,
        )

    def write(
        self, document: Mapping[str, Any], inputs: Iterable[Path], location: str | None = None
    ) -> list[Path]:
        """Write the reports that were asked for, each whole or not at all."""
        read = [*inputs, *([] if self.baseline is None else [self.baseline])]
        for path, _ in self.files:
            refuse_inputs(path, read)
        for path, format_name in self.files:
            write_text(path, self.text(document, format_name, location))
        return [path for path, _ in self.files]


def write_text(path: Path, text: str) -> None:
    """Write a text; a name that is no UTF-8 becomes an escape."""
    write_whole(path, lambda file: file.write(text.encode(errors="backslashreplace")))


def _threshold(given: str) -> int:
    option = "--hide-below"
    return checked_threshold(whole_number(given, option), option)


def _check_document(path: Path) -> None:
    from petaudit.reports.reading import read_document, view_of  # noqa: PLC0415 (only here)

    view_of(read_document(path), origin=str(path))


def _check_folder(path: Path, baseline: Path | None) -> None:
    if baseline is not None and baseline.exists() and path.exists() and path.samefile(baseline):
        raise OptionError(
            phrase("{path!r} is the earlier result; choose another file to write", path=str(path))
        )
    if not path.parent.is_dir():
        raise InputError(phrase("folder {folder!r} does not exist", folder=str(path.parent)))
