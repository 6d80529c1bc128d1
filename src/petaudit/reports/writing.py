"""One call that makes a report: of an audit, a pipeline, or a document that was kept."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from petaudit.errors import OptionError, listing, suggestion
from petaudit.i18n.choice import checked_language
from petaudit.i18n.current import language
from petaudit.system.output import refuse_inputs, write_whole

if TYPE_CHECKING:
    from petaudit.reports.view import View
    from petaudit.reports.voice import Voice

FORMATS: Final = ("html", "markdown", "junit", "sarif")
_BY_ENDING: Final = {
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".xml": "junit",
    ".sarif": "sarif",
}
HIDE_BELOW: Final = 5
"""Numbers of people from 1 to one less are not told in reports."""


def report(
    found: object,
    path: str | Path | None = None,
    *,
    format: str | None = None,  # noqa: A002 (what everybody calls it)
    lang: str | None = None,
    baseline: object = None,
    reveal_values: bool = False,
    hide_below: int = HIDE_BELOW,
    location: str | None = None,
) -> str:
    """Make a report of a result, write it if there is a path, and return its text.

    ``found`` is an :class:`~petaudit.Audit`, the result of one measure, an
    :class:`~petaudit.Executor` that has run, a result document, or the path of one; so is
    ``baseline``, an earlier result to compare with. ``format`` is ``html``, ``markdown``,
    ``junit`` or ``sarif``, or what the path ends with.

    >>> import petaudit, pyarrow as pa
    >>> found = petaudit.audit(pa.table({"zip": ["130**"] * 3}), quasi_identifiers="zip",
    ...                        measures="k-anonymity", options={"k-anonymity": {"limit": 2}})
    >>> print(petaudit.report(found, format="markdown").splitlines()[0])
    ## ✓ petaudit: passed · the frame
    """
    chosen = checked_format(format, path)
    spoken = language() if lang is None else checked_language(lang, "lang")
    from petaudit.reports.baseline import with_baseline  # noqa: PLC0415 (with the rest)
    from petaudit.reports.voice import Voice  # noqa: PLC0415 (as above)

    view = _view(found)
    if baseline is not None:
        name = Path(baseline).name if isinstance(baseline, str | Path) else "baseline"
        view = with_baseline(view, _view(baseline), name)
    voice = Voice(
        language=spoken,
        revealed=reveal_values,
        hide_below=checked_threshold(hide_below, "hide_below"),
    )
    text = _made(view, voice, chosen, location)
    if path is not None:
        target = Path(path)
        refuse_inputs(target, [*_files(found), *_files(baseline)])
        write_whole(target, lambda file: file.write(text.encode(errors="backslashreplace")))
    return text


def checked_threshold(given: object, name: str) -> int:
    """From which number on people are counted, or an error.

    >>> checked_threshold(5, "hide_below")
    5
    """
    if isinstance(given, bool) or not isinstance(given, int) or given < 0:
        raise OptionError(
            "{name} is {given!r}; a number of people from 0 was expected", name=name, given=given
        )
    return given


def checked_format(given: str | None, path: str | Path | None) -> str:
    """The format asked for, or that of the path's ending; HTML without either.

    >>> checked_format(None, "audit.md"), checked_format("junit", "audit.txt")
    ('markdown', 'junit')
    """
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
            "{path!r} does not say what the report should be; end its name with {endings}, or "
            "name the format",
            path=str(path),
            endings=listing([*_BY_ENDING]),
        )
    return _BY_ENDING[ending]


def _made(view: View, voice: Voice, format_name: str, location: str | None) -> str:
    match format_name:
        case "markdown":
            from petaudit.reports.markdown import as_markdown  # noqa: PLC0415 (one is enough)

            return as_markdown(view, voice)
        case "junit":
            from petaudit.reports.junit import as_junit  # noqa: PLC0415

            return as_junit(view, voice)
        case "sarif":
            from petaudit.reports.sarif import as_sarif  # noqa: PLC0415

            return as_sarif(view, voice, location=location)
    from petaudit.reports.html import as_html  # noqa: PLC0415

    return as_html(view, voice)


def _view(found: object) -> View:
    from petaudit.auditing.document import read_document  # noqa: PLC0415 (as above)
    from petaudit.reports.reading import view_of  # noqa: PLC0415 (as above)

    if isinstance(found, str | Path):
        return view_of(read_document(Path(found)), origin=str(found))
    return view_of(_document(found))


def _document(found: object) -> Mapping[str, Any]:
    if isinstance(found, Mapping):
        return found
    kept = getattr(found, "document", None)
    if isinstance(kept, Mapping):
        return kept
    from petaudit.measures import Result  # noqa: PLC0415 (they bring an engine)

    if isinstance(found, Result):
        from petaudit.reports.single import document_of  # noqa: PLC0415 (as above)

        return document_of(found)
    if hasattr(found, "not_measured") and hasattr(found, "to_dict"):
        made: Mapping[str, Any] = found.to_dict()
        return made
    raise OptionError(
        "cannot report on {kind}; an audit, a pipeline that has run, a result document or the "
        "path of one was expected",
        kind=type(found).__name__,
    )


def _files(found: object) -> list[Path]:
    """What a report must not overwrite."""
    if isinstance(found, str | Path):
        return [Path(found)]
    return [path for path in getattr(found, "files", ()) if isinstance(path, Path)]
