"""The pictures of a search for people who are singled out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from petaudit.pictures._combinations import identifying
from petaudit.pictures.base import Picture
from petaudit.pictures.column_exposure import column_exposure
from petaudit.pictures.control_comparison import control_comparison
from petaudit.pictures.identified_by_size import identified_by_size
from petaudit.pictures.search_tree import search_tree

if TYPE_CHECKING:
    from petaudit.inputs import Inputs
    from petaudit.measures.mpuccs import MpuccsResult


def singled_out_of(_: Inputs | None, result: MpuccsResult) -> tuple[Picture, ...]:
    """By number of columns, by column, the search itself, and the control."""
    found = result.findings
    if found.is_empty:
        return ()
    names = found.prepared.columns
    known = [identifying(own, len(names)) for own in found.sizes]
    return (
        identified_by_size(found, complete=result.complete),
        column_exposure(names, known),
        search_tree(found, known),
        *control_comparison(found),
    )
