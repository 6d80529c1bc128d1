"""One call that makes a report: of an audit, a pipeline, or a document that was kept."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from petaudit.errors import OptionError, listing, suggestion
from petaudit.i18n.catalogue import language
from petaudit.i18n.voice import HIDE_BELOW, Voice
from petaudit.system.languages import checked_language
from petaudit.system.output import refuse_inputs, write_whole

FORMATS: Final = ("html", "markdown", "junit", "sarif")
PDF: Final = "pdf"
"""It is printed from the page, and only to a file."""
_BY_ENDING: Final = {
    ".html": "html",
    ".htm": "html",
    ".pdf": PDF,
    ".md": "markdown",
    ".xml": "junit",
    ".sarif": "sarif",
}


def report(
    result: object,
    path: str | Path | None = None,
    *,
    format: str | None = None,  # noqa: A002 (what everybody calls it)
    lang: str | None = None,
    baseline: object = None,
    reveal_values: bool = False,
    hide_below: int = HIDE_BELOW,
    location: str | None = None,
    reviewer: str | None = None,
) -> str:
    """Make a report of a result, write it if there is a path, and return its text.

    ``result`` is an :class:`~petaudit.Audit`, the result of one measure, an
    :class:`~petaudit.Executor` that has run, a result document, or the path of one; so is
    ``baseline``, an earlier result to compare with. ``format`` is ``html``, ``markdown``,
    ``junit`` or ``sarif``, or what the path ends with; a path that ends with ``.pdf`` gets the
    page as a browser prints it. ``reviewer`` is who answers for the audit.

    >>> import petaudit, pyarrow as pa
    >>> result = petaudit.audit(pa.table({"zip": ["130**"] * 3}), quasi_identifiers="zip",
    ...                        measures="k-anonymity", options={"k-anonymity": {"limit": 2}})
    >>> print(petaudit.report(result, format="markdown").splitlines()[0])
    ## ✓ petaudit: passed · the frame
    """
    chosen = checked_format(format, path)
    spoken = language() if lang is None else checked_language(lang, "lang")
    # They bring measures and an engine, which the help of the command line does without.
    from petaudit.reports import html, junit, markdown, sarif  # noqa: PLC0415
    from petaudit.reports.reading import any_view  # noqa: PLC0415
    from petaudit.reports.view import with_baseline  # noqa: PLC0415

    view = any_view(result)
    if baseline is not None:
        name = Path(baseline).name if isinstance(baseline, str | Path) else "baseline"
        view = with_baseline(view, any_view(baseline), name)
    view = replace(view, date=today(), reviewer=reviewer)
    voice = Voice(spoken, reveal_values, checked_threshold(hide_below, "hide_below"))
    match chosen:
        case "markdown":
            text = markdown.as_markdown(view, voice)
        case "junit":
            text = junit.as_junit(view, voice)
        case "sarif":
            text = sarif.as_sarif(view, voice, location=location)
        case _:
            text = html.as_html(view, voice)
    if path is not None:
        target = Path(path)
        refuse_inputs(target, [*_files(result), *_files(baseline)])
        write_report(target, text, chosen)
    return text


def write_report(path: Path, text: str, format_name: str) -> None:
    """Write a report, whole or not at all; a name that is no UTF-8 becomes an escape."""
    content = text.encode(errors="backslashreplace")
    if format_name == PDF:
        from petaudit.reports.pdf import as_pdf  # noqa: PLC0415 (few need it)

        content = as_pdf(text)
    write_whole(path, lambda file: file.write(content))


def today() -> str:
    """Return the day that a report is of; ``SOURCE_DATE_EPOCH`` sets another.

    >>> len(today())
    10
    """
    now = datetime.now(UTC).astimezone()
    with suppress(KeyError, ValueError, OverflowError, OSError):
        now = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC)
    return now.date().isoformat()


def checked_threshold(given: object, name: str) -> int:
    """From which number on people are counted, or an error.

    >>> checked_threshold(5, "hide_below")
    5
    """
    if isinstance(given, bool) or not isinstance(given, int) or given < 0:
        raise OptionError(
            "{name} must be a number of people >= 0, got {given!r}", name=name, given=given
        )
    return given


def checked_format(given: str | None, path: str | Path | None) -> str:
    """The format asked for, or that of the path's ending; HTML without either.

    >>> checked_format(None, "audit.md"), checked_format("junit", "audit.txt")
    ('markdown', 'junit')
    """
    if given == PDF and path is not None:
        return PDF
    if given is not None:
        if given not in FORMATS:
            raise OptionError(
                "unknown format {given!r}{near}; formats are {known}",
                given=str(given),
                near=suggestion(str(given), FORMATS),
                known=listing(FORMATS),
            )
        return given
    if path is None:
        return FORMATS[0]
    ending = Path(path).suffix.lower()
    if ending not in _BY_ENDING:
        raise OptionError(
            "{path!r} does not determine the report format; end its name with {endings}, or name "
            "the format",
            path=str(path),
            endings=listing([*_BY_ENDING]),
        )
    return _BY_ENDING[ending]


def _files(result: object) -> list[Path]:
    """What a report must not overwrite."""
    if isinstance(result, str | Path):
        return [Path(result)]
    return [path for path in getattr(result, "files", ()) if isinstance(path, Path)]
