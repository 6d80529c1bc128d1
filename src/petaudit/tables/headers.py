"""Whether the names of columns are the first row of a file that has no header.

Then a name is a value of the first person, and no message may quote it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from petaudit.errors import ColumnError, InputError, counted, listing, phrase, shortened, suggestion
from petaudit.i18n.phrases import cells

_FEW: Final = 2
_ODD_MARK: Final = re.compile(r"[^\w\s.()/%#&+'-]")
_MARKS: Final = re.compile("[,;|\\t\uff0c\uff1b\uff5c\u3001]")
_LONGEST_READ: Final = 100
_VALUE: Final = re.compile(
    # Numbers, also with a currency, thousands or per cent.
    r"[+-]?[$€£¥]? ?([0-9]+([.,][0-9]+)*|\.[0-9]+)([eE][+-]?[0-9]{1,3})? ?%?"
    # Dates and times.
    r"|[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}([ T].*)?|[0-9]{1,2}:[0-9]{2}(:[0-9]{2}.*)?"
    r"|(民國)? ?[0-9]{2,4} ?年 ?[0-9]{1,2} ?月( ?[0-9]{1,2} ?日)?"
    # Suppressed, masked and generalised cells.
    r"|\*+|[0-9]+\*+|[\[\](][0-9. ]+[,;~-][0-9. ]+[\[\])]|[<>≤≥]=? ?[0-9.]+|[0-9]+ ?[-~] ?[0-9]+"
    # Taiwanese identity numbers, and e-mail addresses.
    r"|[A-Z][A-D0-9][0-9]{8}|[^@\s]+@[^@\s]+\.[a-zA-Z]+"
)


def looks_like_a_value(name: str) -> bool:
    """Whether a cell of data rather than a name stands there.

    >>> [looks_like_a_value(name) for name in ("33", "2024-01-02", "4767*", "zip", "Q1", "2*x")]
    [True, True, True, False, False, False]
    """
    text = unicodedata.normalize("NFKC", name[:_LONGEST_READ]).strip()
    return _VALUE.fullmatch(text) is not None


def header_doubt(columns: Sequence[str]) -> str | None:
    """Why the names may be the first row of a file without a header.

    >>> header_doubt(["zip", "33", "2024-01-02"])
    '2 of 3 names look like numbers, dates or other values'
    """
    if [*columns] == [str(place) for place in range(len(columns))] and len(columns) > _FEW:
        # Programs number columns that have no name.
        return None
    if len(columns) == 1:
        # The mark between columns may not have been recognised.
        columns = _MARKS.split(columns[0])
        if len(columns) == 1 and _ODD_MARK.search(columns[0]):
            return phrase("its only name contains a character that may be a delimiter")
    values = sum(map(looks_like_a_value, columns))
    # Programs that number their rows leave the first name empty.
    unnamed = sum(not name.strip() for name in columns[1:])
    if not values and not unnamed:
        return None
    names = phrase("1 name")
    if len(columns) > 1:
        names = phrase("{number:,} names", number=len(columns))
    if not values:
        if unnamed == 1:
            return phrase("1 of {names} is empty", names=names)
        return phrase("{number:,} of {names} are empty", number=unnamed, names=names)
    doubt = phrase("1 of {names} looks like a number, a date or another value", names=names)
    if values > 1:
        doubt = phrase(
            "{number:,} of {names} look like numbers, dates or other values",
            number=values,
            names=names,
        )
    if not unnamed:
        return doubt
    if unnamed == 1:
        return phrase("{said}, 1 is empty", said=doubt)
    return phrase("{said}, {number:,} are empty", said=doubt, number=unnamed)


def refuse_data(table: str, repeated: int, names: int) -> None:
    """Refuse a first row that is data: the first person would be missing from every figure.

    Names that only look like data are warned of. Where ``repeated`` of them stand in the rows below
    as well there is no doubt, or a header stands there twice.
    """
    if repeated >= max(2, names / 3):
        raise InputError(
            "the first line of {file} is data, not a header: {number:,} of {names:,} names are "
            "values of their columns as well; put a line of names above the data, once",
            file=table,
            number=repeated,
            names=names,
        )


def header_note(table: str, columns: Sequence[str]) -> str | None:
    """Say that a table may lack a header, and what to do about it.

    >>> header_note("people.csv", ["zip", "age"]) is None
    True
    """
    why = header_doubt(columns)
    if why is None:
        return None
    return phrase(
        "the first line of {file} may be data, not a header: {why}. If there is no header, the "
        "first person is missing from every figure, and may be quoted where columns are named: put "
        "a line of names above the data, and run again",
        file=table,
        why=why,
    )


def columns_named(names: Sequence[str], columns: Sequence[str]) -> str:
    """Some columns in a message; how many, where the header of all ``columns`` may be data.

    >>> columns_named(["age"], ["zip", "age"]), columns_named(["Ann"], ["Ann", "33"])
    ("'age'", '1 column (not named, because the first row looks like data)')
    """
    shown = listing([repr(shortened(name)) for name in names])
    if header_doubt(columns) is None:
        return shown
    return cells(
        shown,
        phrase(
            "{columns} (not named, because the first row looks like data)",
            columns=counted(len(names), "column"),
        ),
    )


def column_named(name: str, columns: Sequence[str]) -> str:
    """A column in a message; its place, where the header of all ``columns`` may be data.

    >>> column_named("age", ["zip", "age"]), column_named("33", ["Ann", "33"])
    ("'age'", 'number 2 (not named, because the first row looks like data)')
    """
    if header_doubt(columns) is None:
        return repr(shortened(name))
    number = [*columns].index(name) + 1
    return cells(
        repr(shortened(name)),
        phrase("number {number} (not named, because the first row looks like data)", number=number),
    )


def shown_names(columns: Sequence[str]) -> dict[str, str]:
    """What documents call the columns: by their places, where the header may be data.

    >>> shown_names(["zip", "age"]), shown_names(["Ann", "33"])
    ({'zip': 'zip', 'age': 'age'}, {'Ann': 'column 1', '33': 'column 2'})
    """
    if header_doubt(columns) is None:
        return {name: name for name in columns}
    return {
        name: cells(name, phrase("column {number}", number=place))
        for place, name in enumerate(columns, 1)
    }


def check_column(column: str, columns: Sequence[str], table: str) -> None:
    """Raise an error with the nearest name when a table lacks a column."""
    if column not in columns:
        near = suggestion(column, columns)
        if any(mark in column for mark in "，、；"):
            near = phrase(" (names are separated by a plain comma)")
        why = header_doubt(columns)
        if why is not None:
            raise ColumnError(
                "unknown column {column!r} in {table}; it has {columns}, not named here "
                "because the first row looks like data ({why}): put a line of names above it",
                column=shortened(column),
                table=table,
                columns=cells(listing(columns), counted(len(columns), "column")),
                why=why,
            )
        raise ColumnError(
            "unknown column {column!r}{near} in {table}; columns are {columns}",
            column=shortened(column),
            near=near,
            table=table,
            columns=listing(columns),
        )
