"""The views, one module and one template each: what a page shows, and what its forms do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Final, TypeAlias

from petaudit.studio.views import (
    audit,
    columns,
    common,
    deidentify,
    hierarchies,
    limits,
    synthetic,
    table,
    take,
)

if TYPE_CHECKING:
    from petaudit.studio.session import Studio

Form: TypeAlias = Mapping[str, str]
Action: TypeAlias = "Callable[[Studio, Form], None]"

VIEWS: Final[Mapping[str, ModuleType]] = {
    "table": table,
    "columns": columns,
    "limits": limits,
    "audit": audit,
    "hierarchies": hierarchies,
    "deidentify": deidentify,
    "synthetic": synthetic,
    "take": take,
}
"""In the order of the work; each has a TITLE, a ``context`` and ACTIONS."""
ACTIONS: Final[Mapping[str, Action]] = {
    name: action
    for module in (common, *VIEWS.values())
    for name, action in getattr(module, "ACTIONS", {}).items()
}
OF_ONE_TABLE: Final = ("columns", "limits", "audit", "hierarchies", "deidentify")
"""The views that have nothing to say of a synthetic table and its original."""
