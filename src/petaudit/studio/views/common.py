"""What every page has: undo and redo, the language, the colours, hidden values, and stop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from petaudit.i18n.catalogue import LANGUAGES
from petaudit.roles import Role
from petaudit.studio import document
from petaudit.studio.document import only
from petaudit.studio.session import THEMES, Finished, Studio

NEARLY_ALL: Final = 0.9
_MANY_VALUES: Final = 0.25
"""Of the rows: classes cannot be like the table in a sensitive attribute with more values."""


def set_language(studio: Studio, form: Mapping[str, str]) -> None:
    """Show the pages in another language."""
    studio.language = only(form["language"], LANGUAGES)


def set_theme(studio: Studio, form: Mapping[str, str]) -> None:
    """Choose light or dark colours, or those of the system."""
    studio.theme = only(form["theme"], THEMES)


def hide_values(studio: Studio, form: Mapping[str, str]) -> None:
    """Hide all values and small counts, for showing the screen to others."""
    studio.hides_values = "hide" in form


def useless(studio: Studio, result: object) -> dict[str, Any] | None:
    """What a release lost if that is nearly all, and what could be changed; else None."""
    made = result.about["made"] if isinstance(result, Finished) else None
    if made is None or max(made["loss"], made["suppressed"] / made["rows"]) < NEARLY_ALL:
        return None
    return {"made": made, **to_change(studio)}


def to_change(studio: Studio) -> dict[str, Any]:
    """What may demand that nearly everything goes, whatever k is."""
    roles = document.roles(studio.content)
    columns = studio.facts["columns"] if studio.facts else ()
    limits = document.all_limits(studio.content)
    return {
        "other_limits": {name: each for name, each in limits.items() if name != "k-anonymity"},
        "with_many_values": [
            column["name"]
            for column in columns
            if roles.get(column["name"]) == Role.SENSITIVE.value
            and column["distinct"] > max(2, _MANY_VALUES * column["rows"])
        ],
    }


ACTIONS: Final = {
    "undo": lambda studio, _: studio.move(-1),
    "redo": lambda studio, _: studio.move(1),
    "run": lambda studio, _: studio.ensure_run(again=True),
    "stop": lambda studio, _: studio.stop(),
    "language": set_language,
    "theme": set_theme,
    "hide": hide_values,
}
