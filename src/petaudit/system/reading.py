"""How the files of tables are read: each option is declared once.

The options of the command line, the arguments of Python, and the keys of pipeline files and
side-cars all come from :class:`Reading`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Self, TypeVar

from petaudit.errors import OptionError, argument, phrase
from petaudit.system.kinds import Choice, Either, Integer, JsonSchema, Kind, ListOf, Problems, Text
from petaudit.system.settings import setting, settings_of

Model = TypeVar("Model", bound=type)


@dataclass(frozen=True)
class Mark(Kind):
    """What separates the cells of a CSV file."""

    expected = phrase("one character or tab")

    def takes(self, value: Any) -> bool:
        """A single character that is no quote and no line break."""
        if not isinstance(value, str):
            return False
        return value == "tab" or (len(value) == 1 and value not in '"\r\n\0')

    def schema(self) -> JsonSchema:
        """The same as JSON Schema."""
        mark = {"type": "string", "maxLength": 1, "pattern": r'^[^"\r\n\u0000]+$'}
        return {"anyOf": [mark, {"const": "tab"}]}


_LARGEST: Final = 10**15


@dataclass(frozen=True)
class _Mark(Either):
    """A cell as somebody writes it: its bounds as a number are nobody's business."""

    expected = phrase("text or an integer")


_WORD: Final = _Mark((Text(), Integer(-_LARGEST, _LARGEST)))
_HEADER_ROWS: Final = 1_000


@dataclass(frozen=True)
class Reading:
    """Options of reading; what is not given is found out from the file.

    >>> Reading.checked(delimiter="tab", null="NA, N/A,-")
    Reading(delimiter='\\t', encoding=None, sheet=None, header_row=None, null=('NA', 'N/A', '-'), \
blank_rows=None)
    """

    delimiter: str | None = setting(Mark(), "delimiter of CSV files; default: auto-detected")
    encoding: str | None = setting(
        Text(), "encoding of CSV files, for example big5; default: UTF-8, or recognised"
    )
    sheet: str | int | None = setting(
        Either((Text(phrase("the name of a sheet")), Integer(1))),
        "sheet of a workbook, by name or number; default: the only one with data",
    )
    header_row: int | None = setting(
        Integer(1, _HEADER_ROWS),
        "row that holds the column names; default: the first, or below the title rows of a sheet",
    )
    null: Sequence[str] | str | None = setting(
        Either((_WORD, ListOf(_WORD))), "cells that stand for a missing value, for example NA,N/A,-"
    )
    blank_rows: str | None = setting(
        Choice(("drop", "keep")),
        "rows of CSV files and workbooks without any value: left out (default), or kept",
    )

    @classmethod
    def checked(cls, **given: Any) -> Self:
        """Raise an error for a value that makes no sense."""
        problems = Problems()
        declared = settings_of(cls)
        delimiter = given.get("delimiter")
        if delimiter is not None and not declared["delimiter"].kind.takes(delimiter):
            raise OptionError(
                "the delimiter must be one character, not a quote or line break, got {delimiter!r}",
                delimiter=delimiter,
            )
        if given.get("null") is not None and not _words(given["null"]):
            raise OptionError(
                "null names no cell: give what stands for a missing value ({example})",
                example=argument("null", "NA,N/A"),
            )
        for name, value in given.items():
            if value is not None:
                declared[name].kind.check(value, (name,), problems)
        for _, message in problems:
            raise OptionError(message)
        if delimiter == "tab":
            given["delimiter"] = "\t"
        if given.get("null") is not None:
            given["null"] = _words(given["null"])
        return cls(**given)

    @classmethod
    def of(cls, model: object) -> Self:
        """The options among the attributes of something else."""
        return cls.checked(**{name: getattr(model, name) for name in settings_of(cls)})

    @property
    def options(self) -> dict[str, Any]:
        """All options by name."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    def over(self, other: Mapping[str, Any]) -> Self:
        """The same with options from elsewhere where this one has none."""
        missing = {name for name, value in self.options.items() if value is None}
        return replace(self, **{name: value for name, value in other.items() if name in missing})

    @property
    def choices(self) -> dict[str, Any]:
        """What was chosen of the options that decide which cells the table has."""
        chosen = {name: self.options[name] for name in ("sheet", "header_row", "blank_rows")}
        chosen |= {"null": list(self.nulls) or None}
        return {name: value for name, value in chosen.items() if value is not None}

    @property
    def nulls(self) -> tuple[str, ...]:
        """The cells that stand for a missing value."""
        return () if self.null is None else tuple(self.null)

    @property
    def keeps_blank_rows(self) -> bool:
        """Whether rows without any value stay in the table."""
        return self.blank_rows == "keep"


def _words(given: Any) -> tuple[str, ...]:
    """Marks from a list, or from a text with commas."""
    items = given.split(",") if isinstance(given, str) else given
    items = items if isinstance(items, list | tuple) else [items]
    return tuple(dict.fromkeys(filter(None, (str(item).strip() for item in items))))


def reads_files(model: Model) -> Model:
    """Add the options of reading to a model that is about to become a dataclass."""
    for item in fields(Reading):
        model.__annotations__[item.name] = item.type
        declared = item.metadata["setting"]
        setattr(model, item.name, setting(declared.kind, declared.help))
    return model
