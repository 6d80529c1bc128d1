"""A picture from plain data that somebody else may have written: nothing is taken on trust."""

from __future__ import annotations

import math
import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from petaudit.pictures.base import Picture
from petaudit.pictures.class_sizes import ClassSizes
from petaudit.pictures.column_exposure import ColumnExposure
from petaudit.pictures.column_shares import ColumnShares
from petaudit.pictures.control_comparison import ControlComparison
from petaudit.pictures.distributions import Distributions
from petaudit.pictures.identified_by_size import IdentifiedBySize
from petaudit.pictures.rows_at_risk import RowsAtRisk
from petaudit.pictures.search_tree import SearchTree

KINDS: Final[Mapping[str, type[Picture]]] = {
    own.kind: own
    for own in (
        ClassSizes,
        RowsAtRisk,
        Distributions,
        ColumnShares,
        IdentifiedBySize,
        ColumnExposure,
        SearchTree,
        ControlComparison,
    )
}
MOST_ITEMS: Final = 200
LONGEST_TEXT: Final = 200
_LARGEST: Final = 2**63


def picture_from(plain: object) -> Picture:
    """The picture that :meth:`Picture.to_dict` took apart; a ValueError for anything else.

    >>> found = picture_from({"kind": "column-exposure", "columns": [], "identified": 0, "more": 0})
    >>> type(found).__name__
    'ColumnExposure'
    """
    if not isinstance(plain, Mapping):
        raise ValueError("a picture is a mapping")
    kind = plain.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError("the picture is of no known kind")
    found: Picture = _object(KINDS[kind], {key: plain[key] for key in plain if key != "kind"})
    return found


def _object(cls: type[Any], plain: object) -> Any:
    if not isinstance(plain, Mapping):
        raise ValueError(f"{cls.__name__} is a mapping")
    names = [item.name for item in fields(cls)]
    # What has a default came later: documents of earlier versions lack it.
    needed = {item.name for item in fields(cls) if item.default is MISSING}
    if not needed <= set(plain) <= set(names):
        raise ValueError(f"{cls.__name__} has the fields {', '.join(names)}")
    hints = get_type_hints(cls)
    return cls(**{name: _value(hints[name], plain[name], name) for name in names if name in plain})


def _value(hint: Any, plain: Any, name: str) -> Any:
    if get_origin(hint) in (Union, types.UnionType):
        kinds = [own for own in get_args(hint) if own is not types.NoneType]
        return None if plain is None else _value(kinds[0], plain, name)
    if get_origin(hint) is tuple:
        if not isinstance(plain, list | tuple) or len(plain) > MOST_ITEMS:
            raise ValueError(f"{name} is a list of at most {MOST_ITEMS} items")
        return tuple(_value(get_args(hint)[0], item, name) for item in plain)
    if is_dataclass(hint):
        return _object(hint, plain)  # type: ignore[arg-type]
    if hint is str and isinstance(plain, str) and len(plain) <= LONGEST_TEXT:
        return plain
    if hint is bool and isinstance(plain, bool):
        return plain
    if hint is int and isinstance(plain, int) and not isinstance(plain, bool):
        if 0 <= plain < _LARGEST:
            return plain
    elif hint is float and isinstance(plain, int | float) and not isinstance(plain, bool):
        number = _float(plain)
        if math.isfinite(number):
            return number
    raise ValueError(f"{name} is no {getattr(hint, '__name__', hint)} that a picture may hold")


def _float(plain: int | float) -> float:
    try:
        return float(plain)
    except OverflowError:
        return math.inf
