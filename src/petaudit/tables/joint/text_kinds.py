"""What the text of a column means: files without types hold numbers and dates as text."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

_WORDS: Final = re.compile(r"\d+|[^\W\d_]+")
_NUMBER: Final = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$"
_WHOLE: Final = r"^[+-]?[0-9]+$"
_TRUTH: Final = "^(?i:true|false)$"
_LONG_WHOLE: Final = r"^[+-]?[0-9]{16,}"
_PADDED: Final = r"^[+-]?0[0-9]"
_DATE: Final = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_DAY: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK: Final = r"[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?"
_MOMENT: Final = f"^{_DAY}({_CLOCK})?$"
_AWARE: Final = f"^{_DAY}{_CLOCK}(Z|[+-][0-9]{{2}}:?[0-9]{{2}})$"


class TextKind(StrEnum):
    """What all cells of a text column look like."""

    NOTHING = "nothing"
    NUMBERS = "numbers"
    PADDED = "numbers with leading zeros"
    DATES = "dates"
    AWARE = "date-times with a time zone"
    BOOLEANS = "booleans"
    TEXT = "text"


def text_kind(values: pa.Array) -> TextKind:
    """Look at every distinct value of a column.

    >>> text_kind(pa.array(["1", "2.5"])).value, text_kind(pa.array(["007", "1"])).value
    ('numbers', 'numbers with leading zeros')
    >>> text_kind(pa.array(["2024-02-29", "2024-02-29 12:30"])).value
    'dates'
    """
    if not len(values):
        return TextKind.NOTHING
    if _all_match(values, _NUMBER):
        return TextKind.PADDED if _any_matches(values, _PADDED) else TextKind.NUMBERS
    if _all_match(values, _MOMENT) and as_moments(values) is not None:
        return TextKind.DATES
    if as_moments(values, is_aware=True) is not None:
        return TextKind.AWARE
    return TextKind.BOOLEANS if as_booleans(values) is not None else TextKind.TEXT


def can_be_text(tables: Sequence[pa.Array]) -> bool:
    """Whether a column may be compared as text: it is text in one table, and the others look alike.

    >>> can_be_text([pa.array(["12", "?"]), pa.array(["12", "13"])])
    True
    >>> can_be_text([pa.array(["low", "high"]), pa.array(["1", "2"])])
    False
    """
    looks = {text_kind(values) for values in tables}
    if looks in ({TextKind.TEXT}, {TextKind.PADDED}, {TextKind.NUMBERS, TextKind.PADDED}):
        return True
    texts = [values for values in tables if text_kind(values) is TextKind.TEXT]
    patterns = {
        TextKind.NUMBERS: _NUMBER,
        TextKind.PADDED: _NUMBER,
        TextKind.DATES: _MOMENT,
        TextKind.BOOLEANS: _TRUTH,
    }
    wanted = {patterns.get(look) for look in looks - {TextKind.TEXT}}
    if not texts or len(wanted) != 1 or None in wanted:
        return False
    [pattern] = wanted
    return all(_any_matches(values, str(pattern)) for values in texts)


def are_spelled_differently(tables: Sequence[pa.Array]) -> bool:
    """Whether some number, date or truth value is in two tables, in no spelling that both have.

    >>> are_spelled_differently([pa.array(["12", "?"]), pa.array(["12.0", "?"])])
    True
    >>> are_spelled_differently([pa.array(["007", "7"]), pa.array(["007", "7"])])
    False
    """
    for pattern, value_of in ((_NUMBER, Decimal), (_MOMENT, _moment_of), (_TRUTH, str.lower)):
        spellings = []
        for values in tables:
            by_value: dict[object, set[str]] = {}
            for text in values.filter(pc.match_substring_regex(values, pattern)).to_pylist():
                by_value.setdefault(value_of(text), set()).add(text)
            spellings.append(by_value)
        for one, other in itertools.combinations(spellings, 2):
            if any(one[value].isdisjoint(other[value]) for value in one.keys() & other.keys()):
                return True
    return False


def _moment_of(text: str) -> tuple[str, str]:
    day, _, clock = text.replace("T", " ").partition(" ")
    clock = f"{clock}:00" if len(clock) == len("12:30") else clock
    clock = clock.rstrip("0").rstrip(".") if "." in clock else clock
    return day, "" if clock == "00:00:00" else clock


def as_numbers(values: pa.Array) -> pa.Array | None:
    """Text as exact numbers, else as floats; None if some of it is not a number.

    >>> as_numbers(pa.array(["9007199254740993", "0.5"])).to_pylist()
    [Decimal('9007199254740993.0'), Decimal('0.5')]
    """
    if not _all_match(values, _NUMBER):
        return None
    plain = pc.utf8_ltrim(values, "+")
    try:
        if _all_match(values, _WHOLE):
            return plain.cast(pa.int64())
        if not _any_matches(values, _LONG_WHOLE):
            return plain.cast(pa.float64())
    except pa.ArrowInvalid:
        pass
    try:
        return pa.array([Decimal(text) for text in plain.to_pylist()])
    except (pa.ArrowException, InvalidOperation):
        return plain.cast(pa.float64())


def as_booleans(values: pa.Array) -> pa.Array | None:
    """Text as truth values; None if some of it is neither true nor false.

    >>> as_booleans(pa.array(["True", "false"])).to_pylist()
    [True, False]
    """
    lowered = pc.utf8_lower(values)
    if not _all_match(lowered, _TRUTH):
        return None
    return pc.equal(lowered, "true")


def as_moments(values: pa.Array, *, is_aware: bool = False) -> pa.Array | None:
    """Text as dates, or as date-times of the unit they need; None if some of it is neither.

    Those that are aware all have a time zone, and the others have none.

    >>> both = as_moments(pa.array(["2024-02-29T12:30Z", "2024-02-29 14:30+02:00"]), is_aware=True)
    >>> len(both.unique())
    1
    """
    try:
        if not is_aware and _all_match(values, _DATE):
            return values.cast(pa.date32())
        if not _all_match(values, _AWARE if is_aware else _MOMENT):
            return None
        unit = "ns" if _any_matches(values, r"\.[0-9]{7,9}([^0-9.]|$)") else "us"
        return values.cast(pa.timestamp(unit, tz="UTC" if is_aware else None))
    except pa.ArrowInvalid:
        # The thirtieth of February, for example.
        return None


def _any_matches(values: pa.Array, pattern: str) -> bool:
    return bool(pc.any(pc.match_substring_regex(values, pattern)).as_py())


def _all_match(values: pa.Array, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(values, pattern), min_count=0).as_py())


def are_alike(synthetic: Iterable[str], original: Iterable[str]) -> bool:
    """Whether texts of one table occur in the other, but for how they are written.

    >>> are_alike(["FEMALE", "Male "], ["male", "female"]), are_alike(["01/02/2024"], ["2024-1-2"])
    (True, True)
    >>> are_alike(["low", "high"], ["red", "blue"])
    False
    """
    known = {plain_form(text) for text in original}
    forms = [plain_form(text) for text in synthetic]
    return 2 * sum(form in known for form in forms) > len(forms)


def plain_form(text: str) -> tuple[str, ...]:
    """The words and numbers of a text, sorted.

    >>> plain_form(" 0042 Main-Road"), plain_form("main road 42")
    (('42', 'main', 'road'), ('42', 'main', 'road'))
    """
    words = _WORDS.findall(unicodedata.normalize("NFKC", text).casefold())
    return tuple(sorted(word.lstrip("0") for word in words if word.strip("0")))
