"""What there is to see in a result: small plain data, and how it is drawn.

A picture holds numbers of rows and shares, never a table; however large the table is, a picture is
small. Labels of the data are in it only where values were revealed. A measure names the function
that makes its pictures; it stands in one file with the picture and its drawing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from petaudit.pictures.attacks import AttackIntervals, AttackRates
from petaudit.pictures.base import Chart, Picture, if_possible
from petaudit.pictures.class_sizes import ClassSizes
from petaudit.pictures.column_shares import ColumnShares
from petaudit.pictures.distributions import Distributions
from petaudit.pictures.membership import MembershipCurves
from petaudit.pictures.rows_at_risk import RowsAtRisk
from petaudit.pictures.search_tree import SearchTree
from petaudit.pictures.singled_out import ColumnExposure, ControlComparison, IdentifiedBySize
from petaudit.system.plain import Reader

__all__ = [
    "KINDS",
    "AttackIntervals",
    "AttackRates",
    "Chart",
    "ClassSizes",
    "ColumnExposure",
    "ColumnShares",
    "ControlComparison",
    "Distributions",
    "IdentifiedBySize",
    "MembershipCurves",
    "Picture",
    "RowsAtRisk",
    "SearchTree",
    "if_possible",
    "picture_from",
    "pictures_in",
    "pictures_of",
]

KINDS: Final[Mapping[str, type[Picture]]] = {
    kind.kind: kind
    for kind in (
        ClassSizes,
        RowsAtRisk,
        Distributions,
        ColumnShares,
        IdentifiedBySize,
        ColumnExposure,
        SearchTree,
        ControlComparison,
        AttackIntervals,
        AttackRates,
        MembershipCurves,
    )
}
_READER: Final = Reader(most_items=200, longest_text=200)
_MOST_PICTURES: Final = 20


def picture_from(plain: object) -> Picture:
    """Return the picture of plain data (:meth:`Picture.to_dict`); a ValueError for anything else.

    >>> plain = {"kind": "column-exposure", "columns": [], "identified": 0, "more": 0}
    >>> type(picture_from(plain)).__name__
    'ColumnExposure'
    """
    kind = plain.get("kind") if isinstance(plain, Mapping) else None
    if not isinstance(plain, Mapping) or not isinstance(kind, str) or kind not in KINDS:
        raise ValueError("the picture is of no known kind")
    return _READER.read(KINDS[kind], {key: plain[key] for key in plain if key != "kind"})


def pictures_of(
    make: Callable[..., tuple[Picture, ...]] | None, *given: object
) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """Return the pictures that a measure makes as plain data, and what to say of those it cannot.

    ``given`` are the inputs and the result.
    """
    if make is None:
        return [], ()

    def readable() -> list[dict[str, Any]]:
        plain = [picture.to_dict() for picture in make(*given)]
        for picture in plain:
            # An engine's numbers, for example, are none of JSON's.
            picture_from(picture)
        return plain

    pictures, notes = if_possible(readable)
    return pictures or [], notes


def pictures_in(given: object) -> tuple[tuple[Picture, ...], tuple[str, ...]]:
    """Return the pictures of an entry of a document, and what to say of those that are unreadable.

    >>> pictures_in([{"kind": "pie"}])[1]
    ('A chart could not be drawn (ValueError); no figure or verdict depends on it.',)
    """
    if given is None:
        return (), ()
    if not isinstance(given, list) or len(given) > _MOST_PICTURES:
        given = [None]
    read = [if_possible(picture_from, plain) for plain in given]
    pictures = tuple(picture for picture, _ in read if picture is not None)
    return pictures, tuple(dict.fromkeys(text for _, notes in read for text in notes))
