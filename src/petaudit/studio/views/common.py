"""What every page has: undo and redo, the language, the colours, hidden values, and stop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from petaudit.i18n.catalogue import LANGUAGES
from petaudit.studio.document import only
from petaudit.studio.session import THEMES, Studio


def set_language(studio: Studio, form: Mapping[str, str]) -> None:
    """Show the pages in another language."""
    studio.language = only(form["language"], LANGUAGES)


def set_theme(studio: Studio, form: Mapping[str, str]) -> None:
    """Choose light or dark colours, or those of the system."""
    studio.theme = only(form["theme"], THEMES)


def hide_values(studio: Studio, form: Mapping[str, str]) -> None:
    """Hide all values and small counts, for showing the screen to others."""
    studio.hides_values = "hide" in form


ACTIONS: Final = {
    "undo": lambda studio, _: studio.move(-1),
    "redo": lambda studio, _: studio.move(1),
    "run": lambda studio, _: studio.ensure_run(again=True),
    "stop": lambda studio, _: studio.stop(),
    "language": set_language,
    "theme": set_theme,
    "hide": hide_values,
}
