"""The pages: a template for each view, and the files to take away."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petaudit._version import __version__
from petaudit.errors import term
from petaudit.i18n.catalogue import LANGUAGES
from petaudit.i18n.text import without_passwords
from petaudit.studio import document, trio
from petaudit.studio.session import CONFIG, THEMES, Studio
from petaudit.studio.views import OF_ONE_TABLE, VIEWS, take
from petaudit.studio.worker_lines import spoken

if TYPE_CHECKING:
    from jinja2 import Environment

_SHOWN: dict[str, str] = {"en": "English", "zh-TW": "中文"}


class Pages:
    """Renders the state of the studio."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio

    def view(self, name: str, query: Mapping[str, str]) -> str:
        """The page of a view."""
        if name in OF_ONE_TABLE and trio.parts(self.studio.content) is not None:
            return self._render("other.html.j2", view=name, notice=None)
        view = VIEWS[name]
        # It may begin a job, which the page then shows.
        context = view.context(self.studio, query)
        notice, self.studio.notice = self.studio.notice, None
        return self._render(f"{name}.html.j2", view=name, notice=notice, **context)

    def job(self, view: str) -> str:
        """How far the job is; once it is over, what loads the page anew."""
        return self._render("job.html.j2", view=view, polls=True)

    def download(self, what: str, language: str) -> tuple[str, bytes | Path] | None:
        """A file to take away, and its name."""
        if language not in LANGUAGES:
            return None
        with self.studio.lock:
            return take.file(self.studio, what, language)

    def _render(self, template: str, **context: Any) -> str:
        studio, voice = self.studio, self.studio.voice
        shown = studio.content
        if studio.hides_values:
            shown = document.without_values(shown)
        return (
            environment()
            .get_template(template)
            .render(
                **{
                    "studio": studio,
                    "voice": voice,
                    "say": voice.say,
                    "name": voice.name,
                    "said": lambda sentence: sentence.get(spoken(voice), ""),
                    "t": lambda text: voice.say(term(text)),
                    "views": {name: each.TITLE for name, each in VIEWS.items()},
                    "languages": {name: _SHOWN.get(name, name) for name in LANGUAGES},
                    "themes": THEMES,
                    "config": CONFIG,
                    "yaml": without_passwords(document.text_of(shown)) if shown else "",
                    "job": studio.job,
                    "polls": False,
                    "version": __version__,
                    **context,
                }
            )
        )


@cache
def environment() -> Environment:
    """The templates of the studio, which may include those of the reports."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 (slow)

    return Environment(
        loader=ChoiceLoader(
            [
                PackageLoader("petaudit.studio", "templates"),
                PackageLoader("petaudit.reports", "page"),
            ]
        ),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
