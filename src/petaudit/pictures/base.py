"""What every picture is, how it is read from a document, and the chart that is drawn of it.

Pictures are extra: whatever becomes of one, figures and verdicts are shown without it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, ClassVar, Final, ParamSpec, Self, TypeVar

from petaudit.errors import counted, shortened
from petaudit.i18n.numbers import Unit
from petaudit.i18n.phrases import phrase
from petaudit.i18n.voice import Voice
from petaudit.i18n.zones import Zone
from petaudit.pictures.svg import Sheet

LONGEST_NAME: Final = 60
_NOT_DRAWN: Final = phrase(
    "Not drawn: too few people are in it. A report with --reveal-values shows it."
)
_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")


@dataclass(frozen=True)
class Chart:
    """A drawing that needs nothing else, and the same in words and as a table."""

    svg: str
    """Empty where nothing may be drawn: then the words say why."""
    title: str
    text_alternative: str
    table: tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]
    """The header, and the rows."""
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        voice: Voice,
        sheet: Sheet | None,
        *,
        title: str,
        words: str,
        header: Iterable[str],
        rows: Iterable[Sequence[str]],
        notes: Iterable[str] = (),
    ) -> Chart:
        """Return a chart in the language of a voice; without a sheet it says why there is none."""
        title, words = voice.say(title), voice.say(_NOT_DRAWN if sheet is None else words)
        table = tuple(voice.say_all(header)), tuple(tuple(voice.say_all(row)) for row in rows)
        svg = "" if sheet is None else sheet.svg(title, words)
        return cls(svg, title, words, table, tuple(voice.say_all(notes)))


@dataclass(frozen=True)
class Picture:
    """One picture: small plain data of a result, and how it is drawn."""

    kind: ClassVar[str]

    def without_values(self) -> Self:
        """Return the picture without any value of the data; most have none."""
        return self

    def draw(self, voice: Voice) -> Chart | None:
        """Return the drawing; None where there is nothing to see.

        What must not be told is in none of it: neither a number nor a length is kept.
        """
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Return the picture as plain data, ready for JSON."""
        plain: dict[str, Any] = _plain(self)
        if plain.get("counts") == Unit.ROW.value:
            # Rows are the default unit, which is left out.
            del plain["counts"]
        return {"kind": self.kind} | plain


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if is_dataclass(value):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    return value


def check(holds: bool, problem: str) -> None:
    """Raise an error for a picture whose parts do not fit together."""
    if not holds:
        raise ValueError(problem)


def kept_name(name: object) -> str:
    """Return a name, cut where it would make the picture large.

    >>> kept_name("zip"), len(kept_name("x" * 10_000))
    ('zip', 61)
    """
    return shortened(str(name), LONGEST_NAME)


def interval(lowest: int, highest: int) -> str:
    """Return whole numbers next to each other.

    >>> interval(5, 5), interval(1_000, 1_999)
    ('5', '1,000–1,999')
    """
    return f"{lowest:,}" if lowest == highest else f"{lowest:,}–{highest:,}"


def finite(number: float | None) -> float | None:
    """Return a number that JSON has a word for, or None.

    >>> finite(0.5), finite(float("nan")), finite(None)
    (0.5, None, None)
    """
    return None if number is None or not math.isfinite(number) else float(number)


def zone_notes(zones: Iterable[Zone]) -> list[str]:
    """Return how to read zones, where there are any."""
    told = [zone for zone in zones if not zone.is_exact]
    if not told:
        return []
    note = phrase(
        "Numbers of people are shown as ranges, and bars end in the middle of them, so they "
        "need not add up."
    )
    return [note, STRIPES] if any(zone.is_small for zone in told) else [note]


STRIPES: Final = phrase("Stripes stand for very few people or nobody: their length has no meaning.")


def more_columns(number: int) -> list[str]:
    """Return the note that columns are left out, where any are."""
    columns = counted(number, "column")
    return [phrase("Not shown: {columns}.", columns=columns)] if number else []


def if_possible(
    make: Callable[_Given, _Made], *given: _Given.args, **options: _Given.kwargs
) -> tuple[_Made | None, tuple[str, ...]]:
    """Return what a function gives, or None and a sentence for the reader if it fails in any way.

    >>> if_possible(int, "7")
    (7, ())
    >>> if_possible(int, "seven")[1]
    ('A chart could not be drawn (ValueError); no figure or verdict depends on it.',)
    """
    try:
        return make(*given, **options), ()
    except Exception as problem:
        # Its text may quote data, so only its kind is shown.
        sentence = phrase(
            "A chart could not be drawn ({kind}); no figure or verdict depends on it.",
            kind=type(problem).__name__,
        )
        return None, (sentence,)
