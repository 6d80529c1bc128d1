"""What the name of a column tells about its role."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any, Final

from petaudit.errors import term


class Meaning(StrEnum):
    """How a word bears on the role of its column."""

    IDENTIFIER = "names one person, however often it occurs"
    LIKELY_IDENTIFIER = "names one person unless there are only a few values"
    RECORD_NUMBER = "names one person if nearly every value is different"
    KNOWN = "may be known to an attacker"
    SENSITIVE = "must not become known"
    HARMLESS = "tells nothing about a person"


@cache
def words() -> dict[str, Any]:
    """Return the content of ``words.toml``."""
    return tomllib.loads((files("petaudit.starter") / "words.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, order=True)
class Sense:
    """What a word in a name means."""

    meaning: Meaning
    says: str
    """As in "the name says birth date"."""


@dataclass(frozen=True, order=True)
class _Match:
    """A phrase in a name; the longest counts, then the last: a name ends in its head."""

    length: int
    end: int
    start: int
    sense: Sense


def _singular(word: str) -> str:
    """Good enough to compare words: both sides of a comparison lose the same letter."""
    return word[:-1] if len(word) > 2 and word[-1] == "s" and word[-2] != "s" else word


@cache
def _to_simplified() -> dict[int, int]:
    return str.maketrans(words()["traditional"], words()["simplified"])


def _simplified(text: str) -> str:
    return text.upper().translate(_to_simplified())


def _split(texts: str) -> list[str]:
    return re.split(r",\s+", texts.strip())


@cache
def singulars(name: str) -> frozenset[str]:
    """The words of a list of ``words.toml``, each in the singular."""
    return frozenset(map(_singular, _split(words()[name])))


_IDENTIFIERS: Final = (Meaning.IDENTIFIER, Meaning.LIKELY_IDENTIFIER, Meaning.RECORD_NUMBER)
_LONGEST_READ: Final = 300
_CJK: Final = "\u2e80-\u9fff"
_WORD: Final = re.compile(
    rf"[A-Z]{{2,}}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^\WA-Z\d_{_CJK}]+|[A-Z]+|\d+"
)
_IDEOGRAPHS: Final = re.compile(rf"[{_CJK}]")


def sense_of(name: str) -> Sense | None:
    """Read a name; None if it says nothing.

    >>> sense_of("ZIPCode").says, sense_of("date_of_birth").says, sense_of("身分證字號").says
    ('postcode', 'birth date', 'national identity number')
    >>> [sense_of(name) for name in ("percentage", "width", "product_name", "essex")]
    [None, None, None, None]
    """
    read = unicodedata.normalize("NFKC", name[:_LONGEST_READ])
    match = (_chinese(read) if _IDEOGRAPHS.search(read) else None) or _english(read)
    return None if match is None else match.sense


def words_of(name: str) -> list[str]:
    """The words of a name, in lower case.

    >>> words_of("BirthDate"), words_of("zip-code 2"), words_of("patientID")
    (['birth', 'date'], ['zip', 'code', '2'], ['patient', 'id'])
    """
    return [word.lower() for word in _WORD.findall(re.sub(r"['’]s?(?![a-zA-Z])", "", name))]


def parts_of(name: str) -> list[str]:
    """The words of a name in the singular, without numbers, and compounds taken apart.

    >>> parts_of("loanamt2"), parts_of("Bedrooms")
    (['loan', 'amt'], ['bedroom'])
    """
    return [part for word in words_of(name) if not word.isdigit() for part in _taken_apart(word)]


def _english(name: str) -> _Match | None:
    parts = parts_of(name)
    is_about = bool(parts) and parts[-1] in singulars("about")
    while len(parts) > 1 and parts[0] in singulars("counting"):
        is_about = True
        parts = parts[2:] if parts[1] == "of" and len(parts) > 2 else parts[1:]
    matches = [
        match
        for match in _phrases_in(parts)
        if not (is_about and match.sense.meaning in _IDENTIFIERS)
        # A name alone is a person's; with other words it may be a product's.
        and (match.sense.meaning is not Meaning.LIKELY_IDENTIFIER or len(parts) == 1)
        # A number of something ends in the word.
        and (match.sense.meaning is not Meaning.RECORD_NUMBER or match.end == len(parts))
    ]
    prepositions = singulars("prepositions")
    turn = next((place for place, word in enumerate(parts) if word in prepositions), len(parts))
    # The words before a preposition say what the column is: an age at diagnosis is an age.
    return max([match for match in matches if match.start < turn] or matches, default=None)


@cache
def _taken_apart(word: str) -> tuple[str, ...]:
    """The parts of a word that means nothing as a whole, if they are known.

    >>> _taken_apart("appinc"), _taken_apart("agesq"), _taken_apart("message")
    (('app', 'inc'), ('age', 'sq'), ('message',))
    """
    whole = _singular(word)
    if (whole,) in _english_phrases() or whole in singulars("about"):
        return (whole,)
    for cut in range(1, len(word) - _SHORTEST_REST + 1):
        start, rest = word[:cut], _singular(word[cut:])
        # Many words happen to start with a letter and to end with a short word.
        is_long = len(rest) >= (_SHORTEST_REST if cut > 1 else _LONG_REST)
        if is_long and start in _listed("before") and (rest,) in _english_phrases():
            return (start, rest)
    for cut in range(_SHORTEST_REST, len(word)):
        start, rest = _singular(word[:cut]), word[cut:]
        if rest in _listed("after") and (start,) in _english_phrases():
            return (start, rest)
    if word.endswith("id") and len(word) > _LONG_REST and word not in _listed("not_ids"):
        return (word[:-2], "id")
    return (whole,)


_SHORTEST_REST: Final = 3
_LONG_REST: Final = 4


@cache
def _listed(name: str) -> frozenset[str]:
    return frozenset(_split(words()[name]))


def _phrases_in(parts: Sequence[str]) -> Iterator[_Match]:
    known = _english_phrases()
    for start in range(len(parts)):
        for length in range(1, min(_LONGEST_PHRASE, len(parts) - start) + 1):
            for sense in known.get(tuple(parts[start : start + length]), ()):
                counted = 0 if sense.says in words()["vague"] else length
                yield _Match(counted, start + length, start, sense)


_LONGEST_PHRASE: Final = 4


@cache
def _english_phrases() -> dict[tuple[str, ...], list[Sense]]:
    known: dict[tuple[str, ...], list[Sense]] = {}

    def add(text: str, sense: Sense) -> None:
        parts = tuple(map(_singular, text.split()))
        known.setdefault(parts, []).append(sense)
        if len(parts) > 1:
            # People also write birthdate and zipcode.
            known.setdefault((_singular("".join(text.split())),), []).append(sense)

    for sense, texts in senses("english"):
        for text in texts:
            add(text, sense)
    for person in _split(words()["persons"]):
        add(f"{person} name", Sense(Meaning.IDENTIFIER, term("person's name")))
        for number in _split(words()["numbers"]):
            add(f"{person} {number}", Sense(Meaning.IDENTIFIER, term("number of a person")))
    return known


def senses(language: str) -> Iterator[tuple[Sense, list[str]]]:
    """Yield each sense of ``words.toml`` with its words, in ``english`` or ``chinese``."""
    for meaning, by_sense in words()[language].items():
        for says, texts in by_sense.items():
            listed = _split(texts) if language == "english" else texts.split()
            yield Sense(Meaning[meaning.upper()], term(says)), listed


def _chinese(name: str) -> _Match | None:
    text = _simplified(name)
    text = re.sub(r"[\W_\d]+$", "", text)
    # A remark in brackets, such as a unit, is no part of the name.
    text = re.sub(r"[((\[].*$", "", text) or text
    ends, starts = (
        tuple(_simplified(words()[name]).split()) for name in ("about_chinese", "whether_chinese")
    )
    is_about = text.endswith(ends) or text.startswith(starts)
    matches = []
    for word, sense in _chinese_words().items():
        place = text.rfind(word)
        end = place + len(word)
        # A single character means much only where the name ends in it.
        if place < 0 or (len(word) == 1 and end != len(text)):
            continue
        # The age of an applicant is an age.
        is_weak = sense.meaning in (Meaning.RECORD_NUMBER, Meaning.LIKELY_IDENTIFIER)
        if sense.meaning in _IDENTIFIERS and (is_about or (is_weak and end != len(text))):
            continue
        length = 0 if sense.says in words()["vague"] else len(word)
        matches.append(_Match(length, end, place, sense))
    return max(matches, default=None)


def chinese_words_in(name: str, which: str) -> list[str]:
    """The words of a Chinese list of ``words.toml`` that a name contains."""
    text = _simplified(unicodedata.normalize("NFKC", name[:_LONGEST_READ]))
    return [word for word in _simplified(words()[which]).split() if word in text]


@cache
def _chinese_words() -> dict[str, Sense]:
    return {_simplified(word): sense for sense, texts in senses("chinese") for word in texts}
