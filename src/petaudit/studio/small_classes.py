"""The classes that are smaller than k, by their labels, for who may see the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import numpy as np

from petaudit.inputs import gather
from petaudit.pipelines.tables import Tables, roles_of
from petaudit.studio import document
from petaudit.system.reading import Reading
from petaudit.system.settings import settings_of
from petaudit.tables.classes.table import ClassTable

_MOST: Final = 20
_ALSO: Final = ("person", "person_is_pseudonym", "suppressed", "key")


@dataclass(frozen=True)
class _Found:
    classes: Sequence[tuple[int, Sequence[str | None]]]
    """The size and the labels of each."""


@dataclass(frozen=True)
class _Smallest:
    """The question for the smallest classes of a block, of those that are below a size."""

    below: float

    def __call__(self, table: ClassTable, /) -> _Found:
        """Answer for a block; of classes of one size the labels decide."""
        sizes, labels = table.sizes, table.labels
        if labels is None:
            return _Found([])
        last = sorted(sizes.tolist())[:_MOST][-1:]
        entries = np.flatnonzero((sizes < self.below) & (sizes <= max(last, default=0)))
        return _Found(_first([(int(sizes[at]), [*labels[at]]) for at in entries.tolist()]))

    def from_plain(self, given: Any, /) -> _Found:
        """Return an answer that came by way of JSON."""
        return _Found(**given)


def small_classes(content: Mapping[str, Any], folder: Path) -> dict[str, Any] | None:
    """The smallest classes of the table of a document, where they break its k."""
    limit = document.all_limits(content).get("k-anonymity")
    if limit is None or document.release(content) is not None or not document.loader(content):
        return None
    tables, table = Tables(folder), dict(document.loader(content))
    inputs = gather(
        tables.resolved(table.pop("filepath")),
        roles=roles_of(table.pop("roles", None)),
        hierarchies=tables.hierarchies(table.pop("hierarchies", None)),
        reveal_values=True,
        announce_notes=False,
        **{name: table[name] for name in (*settings_of(Reading), *_ALSO) if name in table},
    )
    blocks = inputs.ask_people(_Smallest(float(Fraction(limit))))
    found = [each for block in blocks for each in block.classes]
    return {"columns": [*inputs.quasi_identifiers], "classes": _first(found)}


def _first(
    found: Sequence[tuple[int, Sequence[str | None]]],
) -> Sequence[tuple[int, Sequence[str | None]]]:
    def place(one: tuple[int, Sequence[str | None]]) -> Any:
        return one[0], [(label is None, label or "") for label in one[1]]

    return sorted(found, key=place)[:_MOST]
