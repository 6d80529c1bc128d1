"""Schemas: what the columns of a table must be, written down in a YAML file."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeAlias, cast, get_args

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
from petaudit.pipelines.petsard import OTHER_TYPES, PETSARD_KEYS
from petaudit.system.yaml_files import Document, read_document
from petaudit.tables.headers import columns_named, header_doubt
from petaudit.tables.source import Source
from petaudit.tables.typed import ColumnType, TypeName, format_problem, typed_source

MOST_PROBLEMS: Final = 10
_At: TypeAlias = tuple[Hashable, ...]
_Options: TypeAlias = Mapping[Any, Any]

_TYPES: Final = get_args(TypeName)
_SCHEMA_KEYS: Final = ("id", "name", "description", "attributes")
_ATTRIBUTE_KEYS: Final = ("type", "nullable", "category", "precision", "format", "description")
_MOST_DECIMALS: Final = 30


@dataclass(frozen=True)
class Attribute:
    """What a schema says of one column."""

    type: TypeName | None = None
    """None takes the column as it is."""
    nullable: bool = True
    category: bool = False
    precision: int | None = None
    format: str | None = None
    description: str | None = None


@dataclass(frozen=True)
class Schema:
    """What a table must be."""

    path: Path
    attributes: Mapping[str, Attribute]
    id: str | None = None
    name: str | None = None
    description: str | None = None


def read_schema(path: Path) -> Schema:
    """Read a schema; an error names everything that is wrong with it, with its line."""
    document = read_document(path)
    reader = _Reader(document)
    schema = reader.schema(path)
    if reader.problems:
        raise InputError("{path}, {problems}", path=path, problems=_all_said(reader.problems))
    return schema


def _all_said(problems: list[tuple[int, str]]) -> str:
    said: list[str] = [
        phrase("line {line}: {problem}", line=line, problem=problem)
        for line, problem in sorted(problems)[:MOST_PROBLEMS]
    ]
    more = len(problems) - len(said)
    if more:
        said.append(phrase("and {number} more", number=more))
    return joined(said, "; ")


class _Reader:
    """Reads one file and notes what is wrong with it."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[tuple[int, str]] = []

    def schema(self, path: Path) -> Schema:
        content = self.document.value
        if not isinstance(content, Mapping):
            self.note((), phrase("a schema has the key 'attributes', with the columns below it"))
            return Schema(path, {})
        self.refuse_unknown((), content, _SCHEMA_KEYS, None)
        texts = {key: self.text((key,), content, None) for key in ("id", "name", "description")}
        attributes = self.attributes(content)
        return Schema(path, MappingProxyType(attributes), **texts)

    def attributes(self, content: _Options) -> dict[str, Attribute]:
        given = content.get("attributes")
        if not isinstance(given, Mapping) or not given:
            if "attributes" in content:
                self.note(("attributes",), phrase("attributes names no column"))
            else:
                self.note((), phrase("the key 'attributes' is missing, with the columns below it"))
            return {}
        found: dict[str, Attribute] = {}
        for key, options in given.items():
            at = ("attributes", key)
            if not isinstance(key, str):
                self.note(
                    at, phrase("the column name {name!r} is not text; put it in quotes", name=key)
                )
                continue
            name = trim(key)
            if not name:
                self.note(at, phrase("a column name is empty"))
            elif name in found:
                self.note(at, phrase("column {name!r} stands here twice", name=shortened(name)))
            else:
                found[name] = self.attribute(at, name, options)
        return found

    def attribute(self, at: _At, name: str, options: Any) -> Attribute:
        if options is None:
            return Attribute()
        if not isinstance(options, Mapping):
            self.note(at, phrase("options were expected, as in {{type: int}}"), name)
            return Attribute()
        self.refuse_unknown(at, options, _ATTRIBUTE_KEYS, name)
        type_ = self.type((*at, "type"), options, name)
        return Attribute(
            type=type_,
            nullable=self.truth((*at, "nullable"), options, True, name),
            category=self.truth((*at, "category"), options, False, name),
            precision=self.precision((*at, "precision"), options, type_, name),
            format=self.format((*at, "format"), options, type_, name),
            description=self.text((*at, "description"), options, name),
        )

    def type(self, at: _At, options: _Options, column: str) -> TypeName | None:
        if "type" not in options:
            return None
        given = options["type"]
        if given in _TYPES:
            return cast(TypeName, given)
        plain = str(given).strip().lower()
        if plain == "category":
            advice = phrase("write category: true beside a type")
        elif plain in OTHER_TYPES:
            advice = phrase("it is called {name!r} here", name=OTHER_TYPES[plain])
        else:
            advice = phrase("types are {types}", types=listing(_TYPES))
        nearest = "" if plain in OTHER_TYPES else suggestion(plain, _TYPES)
        problem = phrase(
            "unknown type {type}{near}; {advice}", type=_shown(given), near=nearest, advice=advice
        )
        self.note(at, problem, column)
        return None

    def truth(self, at: _At, options: _Options, default: bool, column: str) -> bool:
        given = options.get(at[-1], default)
        if isinstance(given, bool):
            return given
        problem = phrase(
            "{key} is {given}; true or false was expected", key=at[-1], given=_shown(given)
        )
        self.note(at, problem, column)
        return default

    def precision(self, at: _At, options: _Options, type_: str | None, column: str) -> int | None:
        if "precision" not in options:
            return None
        given = options["precision"]
        if (
            isinstance(given, bool)
            or not isinstance(given, int)
            or not 0 <= given <= _MOST_DECIMALS
        ):
            problem = phrase(
                "precision is {given}; a number of decimals from 0 to {most} was expected",
                given=_shown(given),
                most=_MOST_DECIMALS,
            )
            self.note(at, problem, column)
            return None
        if self.fits(at, options, type_, ("float",), column):
            return given
        return None

    def format(self, at: _At, options: _Options, type_: str | None, column: str) -> str | None:
        given = self.text(at, options, column)
        if given is None or not self.fits(at, options, type_, ("date", "datetime"), column):
            return None
        problem = None if type_ is None else format_problem(type_, given)
        if problem is not None:
            self.note(at, problem, column)
        return given

    def fits(
        self, at: _At, options: _Options, type_: str | None, wanted: tuple[str, ...], column: str
    ) -> bool:
        """Whether an option belongs to the type; one that could not be read was noted already."""
        if type_ in wanted or (type_ is None and "type" in options):
            return True
        what = phrase("no type") if type_ is None else phrase("type {type!r}", type=type_)
        problem = phrase(
            "{key} is only for the type {wanted}, not for {what}",
            key=at[-1],
            wanted=joined(wanted, " or "),
            what=what,
        )
        self.note(at, problem, column)
        return False

    def text(self, at: _At, options: _Options, column: str | None) -> str | None:
        if at[-1] not in options:
            return None
        given = options[at[-1]]
        if isinstance(given, str):
            return given
        problem = phrase("{key} is {given}; text was expected", key=at[-1], given=_shown(given))
        self.note(at, problem, column)
        return None

    def refuse_unknown(
        self, at: _At, given: _Options, known: tuple[str, ...], column: str | None
    ) -> None:
        for key in given:
            if key in known:
                continue
            if key in PETSARD_KEYS:
                problem = phrase(
                    "PETsARD's {key} is not built here; {advice}", key=key, advice=PETSARD_KEYS[key]
                )
            else:
                problem = phrase(
                    "unknown key {key}{near}; keys are {keys}",
                    key=_shown(key),
                    near=suggestion(str(key), known),
                    keys=listing(known),
                )
            self.note((*at, key), problem, column)

    def note(self, at: _At, problem: str, column: str | None = None) -> None:
        if column is not None:
            problem = phrase(
                "column {column!r}: {problem}", column=shortened(column), problem=problem
            )
        self.problems.append((self.document.line_of(at) or 1, problem))


def _shown(value: object) -> str:
    return shortened(repr(value))


__all__ = ["Attribute", "Schema", "read_schema", "typed"]


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
    >>> schema = Schema(Path("schema.yaml"), {"age": Attribute("int", nullable=False)})
    >>> typed(open_source(pa.table({"age": ["39", "5.0"]})), schema).to_arrow()["age"].to_pylist()
    [39, 5]
    >>> typed(open_source(pa.table({"age": ["39", "old", ""]})), schema)
    Traceback (most recent call last):
    petaudit.errors.InputError: the frame breaks schema.yaml: column 'age' has 1 cell that is no \
int, column 'age' has 1 null and is not nullable
    """
    _check_columns(source, schema)
    types = {
        name: ColumnType(own.type, own.nullable, own.precision, own.format)
        for name, own in schema.attributes.items()
    }
    found, breaks = typed_source(source, types)
    if breaks:
        said = [
            phrase(
                "column {column!r} has {problem}", column=shortened(one.column), problem=one.problem
            )
            for one in breaks
        ]
        raise InputError(_breaks(source, schema, _listed(said)))
    return found


def _check_columns(source: Source, schema: Schema) -> None:
    missing = [name for name in schema.attributes if name not in source.columns]
    strange = [name for name in source.columns if name not in schema.attributes]
    said: list[str] = []
    if missing:
        # A name may be near only to one that the schema does not have: those it has are there.
        names: list[str] = [
            # Nothing to translate: these are two things side by side.
            Phrase(
                "{name}{near}",
                {
                    "name": repr(shortened(name)),
                    "near": "" if header_doubt(source.columns) else suggestion(name, strange),
                },
            )
            for name in missing
        ]
        said.append(phrase("{table} lacks {columns}", table=source.name, columns=_columns(names)))
    if strange:
        names = [repr(shortened(name)) for name in strange]
        described = _columns(names)
        if header_doubt(source.columns):
            described = columns_named(strange, source.columns)
        said.append(phrase("the schema does not describe {columns}", columns=described))
    if said:
        raise ColumnError(_breaks(source, schema, joined(said, "; ")))


def _breaks(source: Source, schema: Schema, problems: str) -> str:
    return phrase(
        "{table} breaks {schema}: {problems}",
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
