"""Values that look like a missing value, or like another spelling of the same value.

They are only told of: whoever owns the table knows whether NA is Namibia.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from petaudit.errors import Phrase, argument, counted, joined, phrase, tally
from petaudit.exact.fractions import parse_number
from petaudit.tables.column_values import value_keys
from petaudit.tables.results import ValueCounts
from petaudit.tables.source import Source

_MARKS: Final = (
    *("NA", "N/A", "n.a.", "#N/A", "NULL", "None", "NaN", "nil", "-", "--", "---", ".", "?", "??"),
    *("unknown", "unk", "missing", "not available", "not applicable", "not known", "no data"),
    *("不詳", "未知", "不明", "無資料", "未填", "未填寫", "不適用", "缺", "缺失"),
    *("不详", "无资料", "未填写", "不适用", "无数据", "無數據", "未提供", "—", "－"),
)
_BY_TEXT: Final = {mark.casefold(): mark for mark in _MARKS}
_CODES: Final = ("-9", "-99", "-999", "-9999", "999", "9999", "99999", "999999", "9999999")
_FAR: Final = 2
"""A code of nines is this many times as large as any other number of its column."""
_MANY_LABELS: Final = 20_000
_MOST_COLUMNS: Final = 10
_MOST_SHORTENED: Final = 50
"""A column of more values has no abbreviations that could be told."""
_LONGEST_CODE: Final = 3
_PUNCTUATION: Final = " .,;:!。，；：、！"


def odd_values_note(
    source: Source, columns: Sequence[str], spelled: Sequence[str]
) -> Phrase | None:
    """One note about some columns; other spellings are looked for in those of the last argument.

    >>> import pyarrow as pa
    >>> from petaudit.tables import open_source
    >>> table = pa.table({"sex": ["F", "f", "NA", "M"], "born": ["1980", "9999", "2001", "9999"]})
    >>> print(odd_values_note(open_source(table), ["sex", "born"], ["sex"]))
    these look like missing values, and count as values of their own: 'sex': NA (1); \
'born': 9999 (2) (null='NA,9999' makes them missing); 'sex' has 1 value in 2 spellings \
that differ only in case, width, blanks, punctuation, the form of a number or an abbreviation
    """
    if source.counts.is_remote:
        # Counting every value would be work for somebody else's server.
        return None
    marks: dict[str, dict[str, int]] = {}
    parts: list[str] = []
    alike: list[str] = []
    for column in columns:
        counts = source.counts.value_counts(column)
        known = dict(_missing_marks(counts))
        if known:
            marks[column] = known
        if column in spelled:
            values, spellings = _spellings(counts)
            if values:
                alike.append(
                    phrase(
                        "{column!r} has {values} in {spellings} that differ only in case, width, "
                        "blanks, punctuation, the form of a number or an abbreviation",
                        column=column,
                        values=counted(values, "value"),
                        spellings=counted(spellings, "spelling"),
                    )
                )
    if marks:
        shown = [*marks.items()][:_MOST_COLUMNS]
        all_marks = {mark for known in marks.values() for mark in known}
        parts.append(
            phrase(
                "these look like missing values, and count as values of their own: {columns} "
                "({argument} makes them missing)",
                columns=joined([_told(column, known) for column, known in shown], "; "),
                # On a command line, a value should not begin like an option.
                argument=argument("null", ",".join(sorted(all_marks, reverse=True))),
            )
        )
    parts += alike[:_MOST_COLUMNS]
    return joined(parts, "; ") if parts else None


def _told(column: str, known: dict[str, int]) -> Phrase:
    marks = [phrase("{mark} ({rows})", mark=mark, rows=tally(rows)) for mark, rows in known.items()]
    return phrase("{column!r}: {marks}", column=column, marks=joined(marks))


def _missing_marks(counts: ValueCounts) -> Iterator[tuple[str, int]]:
    """The marks of our own list among the labels of a column, and how often each occurs."""
    for label, rows in zip(counts.labels, counts.counts.tolist(), strict=True):
        if label is not None and label.casefold() in _BY_TEXT:
            yield label, rows
    codes = [code for code in _CODES if code in counts.index]
    if not codes or len(counts.labels) > _MANY_LABELS:
        return
    numbers = [
        float(number)
        for label in counts.labels
        if label is not None and label not in codes and label.casefold() not in _BY_TEXT
        for number in [parse_number(label)]
        if number is not None
    ]
    texts = sum(label is not None for label in counts.labels) - len(codes) - len(numbers)
    # A column of numbers, but for marks and a few others.
    if not numbers or texts > len(numbers) / 10:
        return
    low, high = min(numbers), float(np.max(numbers))
    for code in codes:
        number = float(code)
        if number > _FAR * high if number > 0 else low >= 0:
            yield code, int(counts.counts[counts.index[code]])


def _spellings(counts: ValueCounts) -> tuple[int, int]:
    """How many values are written in several ways, and in how many in all."""
    labels = counts.labels
    if len(labels) > _MANY_LABELS:
        return 0, 0
    times: dict[object, int] = {}
    texts: set[str] = set()
    for label, key in zip(labels, value_keys(labels), strict=True):
        if key is not None:
            bare = key.rstrip(_PUNCTUATION) or key if isinstance(key, str) else key
            times[bare] = times.get(bare, 0) + 1
            is_code = label is not None and label.isupper() and len(label) <= _LONGEST_CODE
            if isinstance(bare, str) and not is_code:
                texts.add(bare)
    for short, long in _abbreviations(times, texts):
        times[long] += times.pop(short)
    several = [number for number in times.values() if number > 1]
    return len(several), sum(several)


def _abbreviations(values: Mapping[object, int], words: set[str]) -> list[tuple[str, str]]:
    """Single letters, each with the only word of the column that it can be short for.

    A word in capitals may be a code, as AB is a blood group: it is none unless it is long.

    >>> _abbreviations({"f": 1, "female": 1, "m": 2}, {"female"})
    [('f', 'female')]
    """
    if len(values) > _MOST_SHORTENED:
        return []
    abbreviations = []
    for short in values:
        if isinstance(short, str) and len(short) == 1 and short.isalpha():
            meant = [word for word in words if len(word) > 1 and word[0] == short]
            if len(meant) == 1 and meant[0].isalpha():
                abbreviations.append((short, meant[0]))
    return abbreviations
