"""What to take away: the document, the report, the released table, and who decided what."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from petaudit.errors import term
from petaudit.i18n.catalogue import LANGUAGES
from petaudit.i18n.voice import Voice
from petaudit.reports.html import as_html
from petaudit.reports.writing import today
from petaudit.studio import document
from petaudit.studio.session import CONFIG, Finished
from petaudit.studio.views import hierarchies
from petaudit.studio.views.common import useless
from petaudit.studio.worker_lines import TRANSFORMATION

if TYPE_CHECKING:
    from petaudit.studio.session import Studio

TITLE: Final = term("Take away")
_TABLE: Final = "released.csv"


def context(studio: Studio, _: Mapping[str, str]) -> dict[str, Any]:
    """What there is to take."""
    studio.ensure_run()
    own = studio.result
    return {
        "result": own,
        "finished": own if isinstance(own, Finished) else None,
        "useless": useless(studio, own),
        "can_run": studio.can_run,
        "is_release": document.release(studio.content) is not None,
        "history": studio.history,
        "has_rules": isinstance(document.loader(studio.content).get("hierarchies"), Mapping),
        "has_upload": any(
            "/" not in address
            for entry in document.tables(studio.content)
            for address in _addresses(entry.get("filepath", "/"))
        ),
    }


def _addresses(given: Any) -> list[str]:
    return [*map(str, given.values())] if isinstance(given, Mapping) else [str(given)]


def file(studio: Studio, what: str, language: str) -> tuple[str, bytes | Path] | None:
    """A file by its name; None where there is none."""
    if what == "petaudit-studio.zip":
        return what, _archive(studio)
    return next(((name, made()) for name, made in _files(studio, language) if name == what), None)


def _files(studio: Studio, language: str) -> Iterator[tuple[str, Any]]:
    if not studio.content:
        return
    yield CONFIG, studio.text.encode
    yield "decisions.md", lambda: studio.decisions().encode(errors="replace")
    rules = document.loader(studio.content).get("hierarchies")
    if isinstance(rules, Mapping):
        yield hierarchies.FILE, lambda: hierarchies.yaml_of(rules).encode()
    own = studio.result
    if isinstance(own, Finished):
        for each in LANGUAGES:
            yield f"audit-{each}.html", lambda each=each: _report(own, each)
        released = next((own.folder / name for name in own.about["files"] if ".csv" in name), None)
        if released is not None:
            yield _TABLE, lambda: released
        transformation = own.folder / TRANSFORMATION
        if transformation.exists():
            yield TRANSFORMATION, lambda: transformation


def _report(own: Finished, language: str) -> bytes:
    """The report without values, as ``petaudit run --report`` writes it."""
    view = replace(own.view, date=today())
    return as_html(view, Voice(language)).encode(errors="backslashreplace")


def _archive(studio: Studio) -> Path:
    """All files in one, on the disk: a table may be larger than the memory."""
    path = studio.folder / "petaudit-studio.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, made in _files(studio, studio.language):
            content = made()
            if isinstance(content, Path):
                archive.write(content, name)
            else:
                archive.writestr(name, content)
    return path


ACTIONS: Final[dict[str, Any]] = {}
