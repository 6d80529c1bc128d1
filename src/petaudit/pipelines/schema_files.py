"""Reading schemas: everything that is wrong with a file is said at once, with its line."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeAlias, cast, get_args

from petaudit.errors import InputError, joined, listing, phrase, shortened, suggestion
from petaudit.labels.cells import trim
from petaudit.pipelines.schema_words import OTHER_TYPES, PETSARD_KEYS
from petaudit.system.yaml_files import Document, read_document
from petaudit.tables.typed import TypeName, format_problem

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
