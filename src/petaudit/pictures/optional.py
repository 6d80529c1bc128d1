"""Pictures are extra: whatever becomes of one, figures and verdicts are shown without it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from petaudit.i18n.phrases import phrase
from petaudit.pictures.base import Picture
from petaudit.pictures.reading import picture_from

if TYPE_CHECKING:
    from petaudit.inputs import Inputs
    from petaudit.measures.base import Measure, Result

_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")

_MOST_PICTURES = 20


def if_possible(
    make: Callable[_Given, _Made], *given: _Given.args, **options: _Given.kwargs
) -> tuple[_Made | None, tuple[str, ...]]:
    """What a function gives, or None and a sentence for the reader if it fails in any way.

    >>> if_possible(int, "7")
    (7, ())
    >>> if_possible(int, "seven")[1]
    ('A picture could not be drawn (ValueError); no figure and no verdict depends on it.',)
    """
    try:
        return make(*given, **options), ()
    except Exception as problem:
        # Its text may quote data, so only its kind is shown.
        kind = type(problem).__name__
        said = phrase(
            "A picture could not be drawn ({kind}); no figure and no verdict depends on it.",
            kind=kind,
        )
        return None, (said,)


def pictures_of(
    measure: Measure, inputs: Inputs | None, result: Result
) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """The pictures of a result as plain data that can be read again, and what to say of others."""
    made, notes = if_possible(_made, measure, inputs, result)
    return made or [], notes


def _made(measure: Measure, inputs: Inputs | None, result: Result) -> list[dict[str, Any]]:
    make = measure.pictures
    made = [] if make is None else [picture.to_dict() for picture in make(inputs, result)]
    for plain in made:
        picture_from(plain)
    return made


def pictures_in(given: object) -> tuple[tuple[Picture, ...], tuple[str, ...]]:
    """The pictures of an entry of a document, and what to say of those that cannot be read.

    >>> pictures_in([{"kind": "pie"}])[1]
    ('A picture could not be drawn (ValueError); no figure and no verdict depends on it.',)
    """
    if given is None:
        return (), ()
    if not isinstance(given, list) or len(given) > _MOST_PICTURES:
        given = [None]
    read = [if_possible(picture_from, plain) for plain in given]
    pictures = tuple(picture for picture, _ in read if picture is not None)
    return pictures, tuple(dict.fromkeys(text for _, notes in read for text in notes))
