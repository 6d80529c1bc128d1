"""The values of one column: their labels and counts, and the label of every row as a code.

Labels of a sensitive attribute may be the same value: a class whose cells are ``flu``, ``Flu`` and
``flu`` with a zero-width space tells as much as one with three times ``flu``. So numbers are
compared by value, and texts by NFKC without invisible characters, surplus blanks, case and width.
Quasi-identifiers are not compared this way: there it is the cautious reading that takes two
spellings for two cells.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from petaudit.errors import EngineError
from petaudit.exact.fractions import parse_number
from petaudit.labels.cells import SUPPRESSED
from petaudit.tables._encoding import cell_labels, dictionary_cells, in_order, whole_numbers
from petaudit.tables.results import Integers, ValueCounts, summed

if TYPE_CHECKING:
    from petaudit.tables.source import Source
    from petaudit.tables.table_counts import TableCounts

RowCodes: TypeAlias = npt.NDArray[np.integer]
Codes: TypeAlias = npt.NDArray[np.int32]

_LARGEST_INTEGER: Final = 10**18
_MANY_CELLS: Final = 10_000
_FIRST_OF_NUMBERS: Final = frozenset("+-.0123456789")
_UNICODE_MINUS: Final = "\u2212"
_FILLERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters that show nothing although Unicode calls them letters, marks or symbols."""
_SELECTORS: Final = (range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xE0000, 0xE1000))


@dataclass(frozen=True)
class ColumnValues:
    """The values of a column: their counts, the cells that spell them, and each cell's label."""

    counts: ValueCounts
    cells: pa.Array
    positions: Integers

    @classmethod
    def of(cls, cells: pa.Array, numbers: Integers) -> ColumnValues:
        """From the different cells of a column, and how often each occurs."""
        if pa.types.is_integer(cells.type) and cells.type != pa.uint64():
            integers = whole_numbers(pa.chunked_array([cells.drop_null()]))
            lowest, highest = integers.min(initial=0), integers.max(initial=0)
            if lowest > -_LARGEST_INTEGER and highest < _LARGEST_INTEGER:
                return cls._of_integers(cells, numbers, integers)
        labels = cell_labels(cells)
        places = np.arange(len(labels), dtype=np.int64)
        first = dict.fromkeys(labels)
        if len(first) < len(labels):
            # Blanks around text do not count, so several cells may have one label.
            known = {label: place for place, label in enumerate(first)}
            places = np.array([known[label] for label in labels], dtype=np.int64)
        distinct = list(first)
        totals = summed(places, numbers, len(distinct))
        order = in_order(distinct)
        counts = ValueCounts(tuple(distinct[place] for place in order.tolist()), totals[order])
        position = np.argsort(order)
        return cls(counts, cells, position[places])

    @classmethod
    def _of_integers(cls, cells: pa.Array, numbers: Integers, integers: Integers) -> ColumnValues:
        """The same without reading labels: integers have one spelling each."""
        is_null = np.zeros(len(cells), dtype=bool)
        if len(integers) < len(cells):
            is_null = np.array(cells.is_null().to_pylist(), dtype=bool)
        by_size = np.argsort(integers)
        ascending = integers[by_size]
        order = np.concatenate((np.flatnonzero(~is_null)[by_size], np.flatnonzero(is_null)))
        position = np.argsort(order)
        labels = (*map(str, ascending.tolist()), *(None for _ in range(int(is_null.sum()))))
        return cls(ValueCounts(labels, numbers[order], integers=ascending), cells, position)

    @cached_property
    def merged(self) -> ColumnValues:
        """The same with all spellings of a value merged, as sensitive values are compared."""
        if pa.types.is_primitive(self.cells.type):
            # Numbers, dates and booleans have one spelling each.
            return self
        labels = self.counts.labels
        keys = value_keys(labels)
        if len(set(keys)) == len(labels) and visible_texts(labels) == list(labels):
            return self
        groups: dict[Hashable, list[int]] = {}
        for place, key in enumerate(keys):
            groups.setdefault(key, []).append(place)
        spellings = [tuple(labels[place] for place in places) for places in groups.values()]
        named = [
            None if key is None else _name_of(spelled)
            for key, spelled in zip(groups, spellings, strict=True)
        ]
        group = np.empty(len(labels), dtype=np.int64)
        for number, places in enumerate(groups.values()):
            group[places] = number
        order = in_order(named)
        position = np.argsort(order)
        counts = ValueCounts(
            tuple(named[place] for place in order.tolist()),
            summed(position[group], self.counts.counts, len(named)),
            tuple(spellings[place] for place in order.tolist()),
        )
        return ColumnValues(counts, self.cells, position[group][self.positions])

    @property
    def has_blanks(self) -> bool:
        """Whether some text has blanks around it, or is nothing but blanks."""
        if not pa.types.is_string(self.cells.type):
            return bool(pa.types.is_large_string(self.cells.type))
        labels = self.counts.labels
        cells = zip(self.cells.to_pylist(), self.positions.tolist(), strict=True)
        return any(cell != labels[place] for cell, place in cells)


def _name_of(spellings: Sequence[str | None]) -> str | None:
    """What a value is called: a number as one that can be read, a text by its first spelling."""
    for spelling in (*spellings, visible_text(spellings[0] or "")):
        if spelling is not None and parse_number(spelling) is not None:
            return spelling
    return spellings[0]


def read_row_codes(table: TableCounts, columns: Sequence[str]) -> list[RowCodes]:
    """The position of each row's label among the values of its column, from one query."""
    cells = table.columns_values(columns, raw=True)
    codes_of_rows: list[RowCodes] = []
    for column in columns:
        codes, distinct = dictionary_cells(cells.pop(0))
        table.note_values(column, distinct, codes)
        values = table.values(column)
        places = values.positions if values.cells is distinct else _positions(distinct, values)
        # They are kept for every row, so they are as small as they can be.
        kind = np.min_scalar_type(max(len(values.counts.labels) - 1, 0))
        codes_of_rows.append(places.astype(kind)[codes])
    return codes_of_rows


def _positions(cells: pa.Array, values: ColumnValues) -> Integers:
    """The position of each cell's label; many cells are found in Arrow, without their labels."""
    kind = cells.type
    simple = pa.types.is_string(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind)
    if len(cells) > _MANY_CELLS and simple and kind == values.cells.type:
        from pyarrow import compute  # noqa: PLC0415 (slow to load, and small tables do without)

        known = compute.index_in(cells, value_set=values.cells)
        if not known.null_count:
            return values.positions[whole_numbers(pa.chunked_array([known]))]
    index = values.counts.index
    # Several cells may have one label: blanks around text do not count.
    try:
        return np.array([index[label] for label in cell_labels(cells)], dtype=np.int64)
    except KeyError:
        raise EngineError(
            "the table returns other values each time it is read; store its rows first"
        ) from None


def column_codes(source: Source, columns: Sequence[str]) -> dict[str, Codes]:
    """For every row the position of its value among the labels of ``value_counts``.

    All columns come from one query, so rows without an order of their own stay together.

    >>> import pyarrow as pa
    >>> from petaudit.tables import open_source
    >>> source = open_source(pa.table({"age": [30, None, 5, 30]}))
    >>> source.counts.value_counts("age").labels, column_codes(source, ["age"])["age"].tolist()
    (('5', '30', None), [1, 2, 0, 1])
    """
    row_codes = source.counts.row_codes(columns)
    return {name: codes.astype(np.int32) for name, codes in zip(columns, row_codes, strict=True)}


def codes_of_rows(
    source: Source, columns: Sequence[str], *, with_suppressed: bool
) -> npt.NDArray[np.uint32]:
    """The same as one array, a line per column; rows with ``*`` in all of them may be left out.

    >>> import pyarrow as pa
    >>> from petaudit.tables import open_source
    >>> source = open_source(pa.table({"zip": ["1", "*", "2"], "age": ["7", "*", "*"]}))
    >>> codes_of_rows(source, ["zip", "age"], with_suppressed=False).tolist()
    [[0, 1], [0, 1]]
    """
    by_name = column_codes(source, columns)
    codes = np.array([by_name[name] for name in columns], np.uint32)
    if with_suppressed:
        return codes
    marks = [source.counts.value_counts(name).index.get(SUPPRESSED, -1) for name in columns]
    says_something = codes != np.array(marks)[:, np.newaxis]
    return codes[:, says_something.any(axis=0)]


def value_keys(labels: Sequence[str | None]) -> list[Hashable]:
    """A key per label that equals another's where both are the same value; None for no value.

    >>> keys = value_keys(["5", "5.0", "05", "5e0", "Flu", "FLU", "fl\u200bu", "\u200b", None])
    >>> keys[0] == keys[1] == keys[2] == keys[3], keys[4] == keys[5] == keys[6], keys[7:]
    (True, True, [None, None])
    >>> one, other = value_keys(["9007199254740992", "9007199254740993"])
    >>> one == other
    False
    """
    texts = visible_texts(labels)
    keys: list[Hashable] = [None if text is None else _float_or_text(text) for text in texts]
    # Equal numbers have equal floats, and only where floats are equal the exact ones are asked.
    times = Counter(keys)
    if len(times) == len(keys):
        return keys
    for place, (key, text) in enumerate(zip(keys, texts, strict=True)):
        if text is not None and isinstance(key, float) and times[key] > 1:
            number = parse_number(text)
            # A fraction equals the float of its value, and texts equal neither.
            keys[place] = _folded(text) if number is None else ("number", number)
    return keys


def visible_texts(labels: Sequence[str | None]) -> list[str | None]:
    """What each label shows; None where that is nothing."""
    if _is_plain("".join(label for label in labels if label is not None)):
        return list(labels)
    return [None if label is None else visible_text(label) or None for label in labels]


def visible_text(label: str) -> str:
    """A label by NFKC, without invisible characters and with single blanks.

    >>> visible_text("\uff21\u00ad  b\u200b"), visible_text("\u0661\u0662"), visible_text("\u2060")
    ('A b', '12', '')
    """
    if _is_plain(label):
        return label
    text = unicodedata.normalize("NFKC", label)
    shown = "".join(_plain(char) for char in text if not _is_invisible(char))
    return " ".join(unicodedata.normalize("NFKC", shown).split())


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable() and "  " not in text


def _plain(char: str) -> str:
    """Digits of every script and the minus sign as a number is written with them."""
    return "-" if char == _UNICODE_MINUS else str(unicodedata.decimal(char, char))


def _is_invisible(char: str) -> bool:
    if char.isspace():
        return False
    return (
        unicodedata.category(char) in {"Cf", "Cc"}
        or char in _FILLERS
        or any(ord(char) in selectors for selectors in _SELECTORS)
    )


def _float_or_text(text: str) -> float | str:
    if text[0] in _FIRST_OF_NUMBERS:
        try:
            number = float(text)
        except ValueError:
            return _folded(text)
        if number == number:  # noqa: PLR0124 (not NaN, which equals nothing)
            return number
    return _folded(text)


def _folded(text: str) -> str:
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text.casefold())
