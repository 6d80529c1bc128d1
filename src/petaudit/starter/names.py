"""What the name of a column says about it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from petaudit.starter.senses import SENSES
from petaudit.starter.words import (
    CHINESE,
    ENGLISH,
    NUMBERS,
    PERSONS,
    SIMPLIFIED,
    TRADITIONAL,
    VAGUE,
    Meaning,
)


@dataclass(frozen=True)
class Sense:
    """What a word in a name means."""

    meaning: Meaning
    says: str
    """As in "the name says birth date"."""


@dataclass(frozen=True, order=True)
class _Match:
    """A phrase that was found; the longest counts, then the last: a name ends in its head."""

    length: int
    end: int
    start: int
    meaning: Meaning
    says: str


def _singular(word: str) -> str:
    """Good enough to compare words: both sides of a comparison lose the same letter."""
    return word[:-1] if len(word) > 2 and word[-1] == "s" and word[-2] != "s" else word


_TO_SIMPLIFIED: Final = str.maketrans(TRADITIONAL, SIMPLIFIED)


def _simplified(text: str) -> str:
    return text.upper().translate(_TO_SIMPLIFIED)


def _listed(words: str) -> frozenset[str]:
    return frozenset(map(_singular, words.split(", ")))


_IDENTIFIERS: Final = (Meaning.IDENTIFIER, Meaning.LIKELY_IDENTIFIER, Meaning.RECORD_NUMBER)
_LONGEST_READ: Final = 300
_CJK: Final = "\u2e80-\u9fff"
_WORD: Final = re.compile(
    rf"[A-Z]{{2,}}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^\WA-Z\d_{_CJK}]+|[A-Z]+|\d+"
)
_IDEOGRAPHS: Final = re.compile(rf"[{_CJK}]")
_BEFORE_THESE: Final = _listed(
    "at, of, per, in, for, by, when, since, from, on, to, with, before, after, during"
)
"""The words before one of these say what the column is: an age at diagnosis is an age."""
_COUNTING: Final = _listed("num, n, count, nr, has, have, is, was, any, number, no")
"""A name that starts so counts things or says whether there are any."""
_ABOUT_IT: Final = _listed(
    "type, kind, flag, status, count, verified, format, provider, brand, model, class, category, "
    "group, length, size, usage, level, rate, ratio, percent, percentage, pct, share, total, sum, "
    "avg, mean, median, day, consent, valid, present, available, known, change, error"
)
"""A name that ends so is about a number or a name, and does not hold it."""
_ABOUT_IT_CHINESE: Final = tuple(
    _simplified(
        "類型 類別 種類 型態 狀態 格式 品牌 廠牌 型號 關係 次數 人數 個數 筆數 數量 比例 比率 費 "
        "費用 金額 總數 長度 與否"
    ).split()
)
_WHETHER_CHINESE: Final = tuple(_simplified("是否 有無 有否").split())


def sense_of(name: str) -> Sense | None:
    """Read a name; None if it says nothing.

    >>> sense_of("ZIPCode").says, sense_of("date_of_birth").says, sense_of("身分證字號").says
    ('postcode', 'birth date', 'national identity number')
    >>> [sense_of(name) for name in ("percentage", "width", "product_name", "essex")]
    [None, None, None, None]
    """
    read = unicodedata.normalize("NFKC", name[:_LONGEST_READ])
    found = _chinese(read) if _IDEOGRAPHS.search(read) else None
    found = found or _english(read)
    return None if found is None else Sense(found.meaning, found.says)


def words_of(name: str) -> list[str]:
    """The words of a name, in lower case.

    >>> words_of("BirthDate"), words_of("zip-code 2"), words_of("patientID")
    (['birth', 'date'], ['zip', 'code', '2'], ['patient', 'id'])
    """
    return [word.lower() for word in _WORD.findall(re.sub(r"['’]s?(?![a-zA-Z])", "", name))]


def _english(name: str) -> _Match | None:
    words = [_singular(word) for word in words_of(name) if not word.isdigit()]
    is_about = bool(words) and words[-1] in _ABOUT_IT
    while len(words) > 1 and words[0] in _COUNTING:
        is_about = True
        words = words[2:] if words[1] == "of" and len(words) > 2 else words[1:]
    found = [
        match
        for match in _phrases_in(words)
        if not (is_about and match.meaning in _IDENTIFIERS)
        # A name by itself is a person's; with other words it may be a product's.
        and (match.meaning is not Meaning.LIKELY_IDENTIFIER or len(words) == 1)
        # A number of something ends in the word.
        and (match.meaning is not Meaning.RECORD_NUMBER or match.end == len(words))
    ]
    turn = next((place for place, word in enumerate(words) if word in _BEFORE_THESE), len(words))
    return max([match for match in found if match.start < turn] or found, default=None)


def _phrases_in(words: Sequence[str]) -> Iterator[_Match]:
    known = _english_phrases()
    for start in range(len(words)):
        for length in range(1, min(_LONGEST_PHRASE, len(words) - start) + 1):
            for sense in known.get(tuple(words[start : start + length]), ()):
                counted = 0 if sense.says == VAGUE else length
                yield _Match(counted, start + length, start, sense.meaning, sense.says)


_LONGEST_PHRASE: Final = 4


@cache
def _english_phrases() -> dict[tuple[str, ...], list[Sense]]:
    found: dict[tuple[str, ...], list[Sense]] = {}

    def add(text: str, sense: Sense) -> None:
        words = tuple(map(_singular, text.split()))
        found.setdefault(words, []).append(sense)
        if len(words) > 1:
            # People also write birthdate and zipcode.
            found.setdefault((_singular("".join(text.split())),), []).append(sense)

    for meaning, by_sense in ENGLISH.items():
        for says, texts in by_sense.items():
            for text in texts.split(", "):
                add(text, Sense(meaning, SENSES[says]))
    for person in PERSONS.split(", "):
        add(f"{person} name", Sense(Meaning.IDENTIFIER, SENSES["person's name"]))
        for number in NUMBERS.split(", "):
            add(f"{person} {number}", Sense(Meaning.IDENTIFIER, SENSES["number of a person"]))
    return found


def _chinese(name: str) -> _Match | None:
    text = _simplified(name)
    text = re.sub(r"[\W_\d]+$", "", text)
    # A remark in brackets, such as a unit, is no part of the name.
    text = re.sub(r"[((\[].*$", "", text) or text
    is_about = text.endswith(_ABOUT_IT_CHINESE) or text.startswith(_WHETHER_CHINESE)
    found = []
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
        length = 0 if sense.says == VAGUE else len(word)
        found.append(_Match(length, end, place, sense.meaning, sense.says))
    return max(found, default=None)


@cache
def _chinese_words() -> dict[str, Sense]:
    return {
        _simplified(word): Sense(meaning, SENSES[says])
        for meaning, by_sense in CHINESE.items()
        for says, words in by_sense.items()
        for word in words.split()
    }
