"""Schemas: what the columns of a table must be, written down in a YAML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, get_args

from petaudit.errors import (
    ColumnError,
    InputError,
    Phrase,
    joined,
    listing,
    phrase,
    shortened,
    suggestion,
)
from petaudit.labels.cells import trim
from petaudit.pipelines.petsard import schema_key_alternative, schema_type
from petaudit.system.kinds import Anything, Boolean, Integer, KeyPath, Kind, Problems, Text
from petaudit.system.yaml_files import read_document
from petaudit.tables.headers import columns_named, header_doubt
from petaudit.tables.source import Source
from petaudit.tables.typed import ColumnType, TypeName, format_problem, typed_source

MOST_PROBLEMS: Final = 10
_TYPES: Final = get_args(TypeName)


@dataclass(frozen=True)
class _AnyText(Text):
    """A text, which may be empty."""

    def takes(self, value: Any) -> bool:
        return isinstance(value, str)


@dataclass(frozen=True)
class _Decimals(Integer):
    """How many digits a number may have behind its point."""

    most: int = 30

    @property
    def expected(self) -> str:
        return phrase("a number of decimals from {least} to {most}", least=0, most=self.most)


_SCHEMA: Final[Mapping[str, Kind]] = {
    **dict.fromkeys(("id", "name", "description"), _AnyText()),
    "attributes": Anything(),
}
_ATTRIBUTE: Final[Mapping[str, Kind]] = {
    "type": Anything(),
    "nullable": Boolean(),
    "category": Boolean(),
    "precision": _Decimals(),
    "format": _AnyText(),
    "description": _AnyText(),
}
_ONLY_FOR: Final = {"precision": ("float",), "format": ("date", "datetime")}


@dataclass(frozen=True)
class Schema:
    """What the columns of a table must be."""

    path: Path
    attributes: Mapping[str, ColumnType]


def read_schema(path: Path) -> Schema:
    """Read a schema; an error names everything that is wrong with it, with its line."""
    document = read_document(path)
    problems = Problems()
    schema = _schema(path, document.value, problems)
    if problems:
        told = sorted((document.line_of(at) or 1, _with_column(at, text)) for at, text in problems)
        messages: list[str] = [
            phrase("line {line}: {problem}", line=line, problem=problem)
            for line, problem in told[:MOST_PROBLEMS]
        ]
        if len(told) > MOST_PROBLEMS:
            messages.append(phrase("and {number} more", number=len(told) - MOST_PROBLEMS))
        raise InputError("{path}, {problems}", path=path, problems=joined(messages, "; "))
    return schema


def _with_column(at: KeyPath, problem: str) -> str:
    """A problem with its column, unless it is about the column's name."""
    if at[:1] != ("attributes",) or len(at) < len(("attributes", "column", "option")):
        return problem
    return phrase("column {column!r}: {problem}", column=shortened(str(at[1])), problem=problem)


def _schema(path: Path, content: Any, problems: Problems) -> Schema:
    if not isinstance(content, Mapping):
        problems.add((), "a schema has the key 'attributes', with the columns below it")
        return Schema(path, {})
    given = _settings(content, _SCHEMA, (), problems).get("attributes")
    attributes: dict[str, ColumnType] = {}
    if "attributes" not in content:
        problems.add((), "the key 'attributes' is missing, with the columns below it")
    elif not isinstance(given, Mapping) or not given:
        problems.add(("attributes",), "attributes lists no column")
    else:
        for key, options in given.items():
            at, name = ("attributes", key), trim(key) if isinstance(key, str) else ""
            if not isinstance(key, str):
                problems.add(at, "the column name {name!r} is not text; quote it", name=key)
            elif not name:
                problems.add(at, "a column name is empty")
            elif name in attributes:
                problems.add(at, "duplicate column {name!r}", name=shortened(name))
            else:
                attributes[name] = _column_type(options, at, problems)
    return Schema(path, attributes)


def _column_type(options: Any, at: KeyPath, problems: Problems) -> ColumnType:
    if options is None:
        return ColumnType()
    if not isinstance(options, Mapping):
        problems.add((*at, None), "expected options, as in {{type: int}}")
        return ColumnType()
    settings = _settings(options, _ATTRIBUTE, at, problems)
    type_ = settings.get("type")
    if "type" in settings and type_ not in _TYPES:
        problems.add((*at, "type"), _unknown_type(type_))
        return ColumnType()
    for key, wanted in _ONLY_FOR.items():
        if key in settings and type_ not in wanted:
            problems.add(
                (*at, key),
                "{key} is only for the type {wanted}, not for {what}",
                key=key,
                wanted=joined(wanted, " or "),
                what=phrase("no type") if type_ is None else phrase("type {type!r}", type=type_),
            )
        elif key == "format" and key in settings:
            problem = format_problem(str(type_), settings[key])
            if problem is not None:
                problems.add((*at, key), problem)
    nullable, precision = settings.get("nullable", True), settings.get("precision")
    return ColumnType(type_, nullable, precision, settings.get("format"))


def _unknown_type(given: object) -> str:
    name = str(given).strip().lower()
    if name == "category":
        advice = phrase("write category: true beside a type")
    elif schema_type(name) is not None:
        advice = phrase("it is called {name!r} here", name=schema_type(name))
    else:
        advice = phrase("types are {types}", types=listing(_TYPES))
    return phrase(
        "unknown type {type}{near}; {advice}",
        type=shortened(repr(given)),
        near="" if schema_type(name) is not None else suggestion(name, _TYPES),
        advice=advice,
    )


def _settings(
    given: Mapping[Any, Any], known: Mapping[str, Kind], at: KeyPath, problems: Problems
) -> dict[str, Any]:
    """The settings that are of their kind; the others are noted."""
    settings: dict[str, Any] = {}
    for key, value in given.items():
        if key in known:
            known[key].check(value, (*at, key), problems)
            if known[key].takes(value):
                settings[key] = value
        elif (alternative := schema_key_alternative(key)) is not None:
            problems.add((*at, key), alternative)
        else:
            problems.add(
                (*at, key),
                "unknown key {key}{near}; keys are {keys}",
                key=shortened(repr(key)),
                near=suggestion(str(key), known),
                keys=listing([*known]),
            )
    return settings


def typed(source: Source, schema: Schema) -> Source:
    """The table with its columns in the types of a schema; one that breaks it is an error.

    Text becomes what it spells: whole numbers (``5.0`` is 5, ``1e3`` is none), decimal numbers,
    ``true``, ``false``, 0 and 1, dates and date-times in ISO form or of the given format. Numbers
    that are whole may be int; any number that a float holds without losing digits may be float;
    integers may be str, since a file may hold a postcode as a number, and nothing else but text
    may; date-times at midnight may be dates.

    >>> import pyarrow as pa
    >>> from pathlib import Path
    >>> from petaudit.tables import open_source
    >>> schema = Schema(Path("schema.yaml"), {"age": ColumnType("int", nullable=False)})
    >>> typed(open_source(pa.table({"age": ["39", "5.0"]})), schema).to_arrow()["age"].to_pylist()
    [39, 5]
    >>> typed(open_source(pa.table({"age": ["39", "old", ""]})), schema)
    Traceback (most recent call last):
    petaudit.errors.InputError: the frame violates schema.yaml: column 'age' has 1 cell that is \
not int, column 'age' has 1 null and is not nullable
    """
    _check_columns(source, schema)
    converted, breaks = typed_source(source, schema.attributes)
    if breaks:
        problems = [
            phrase(
                "column {column!r} has {problem}", column=shortened(one.column), problem=one.problem
            )
            for one in breaks
        ]
        raise InputError(_breaks(source, schema, _listed(problems)))
    return converted


def _check_columns(source: Source, schema: Schema) -> None:
    missing = [name for name in schema.attributes if name not in source.columns]
    strange = [name for name in source.columns if name not in schema.attributes]
    is_doubtful = header_doubt(source.columns)
    problems: list[str] = []
    if missing:
        # A name may be near only to one that the schema does not have: those it has are there.
        near = ["" if is_doubtful else suggestion(name, strange) for name in missing]
        # Nothing to translate: these are two things side by side.
        names: list[str] = [
            Phrase.filled("{name}{near}", {"name": repr(shortened(name)), "near": hint})
            for name, hint in zip(missing, near, strict=True)
        ]
        problems.append(
            phrase("{table} lacks {columns}", table=source.name, columns=_columns(names))
        )
    if strange:
        described = (
            columns_named(strange, source.columns)
            if is_doubtful
            else _columns([repr(shortened(name)) for name in strange])
        )
        problems.append(phrase("the schema does not describe {columns}", columns=described))
    if problems:
        raise ColumnError(_breaks(source, schema, joined(problems, "; ")))


def _breaks(source: Source, schema: Schema, problems: str) -> str:
    return phrase(
        "{table} violates {schema}: {problems}",
        table=source.name,
        schema=schema.path,
        problems=problems,
    )


def _columns(names: list[str]) -> str:
    if len(names) == 1:
        return phrase("column {name}", name=names[0])
    return phrase("columns {names}", names=_listed(names))


def _listed(names: Sequence[str]) -> str:
    # Not cut one by one, unlike in ``listing``: what stands behind a name must be legible.
    shown, more = joined(names[:MOST_PROBLEMS]), len(names) - MOST_PROBLEMS
    if more <= 0:
        return shown
    return phrase("{shown} and {number} more", shown=shown, number=more)
