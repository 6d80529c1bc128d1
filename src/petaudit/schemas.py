"""Schemas: what the columns of a table must be, written down in a YAML file."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeAlias, cast, get_args

from petaudit.counts.source import Source
from petaudit.counts.typed import ColumnType, TypeName, format_problem, typed_source
from petaudit.errors import ColumnError, InputError, listing, shortened, suggestion
from petaudit.labels import trim
from petaudit.yaml_files import Document, read_document

_At: TypeAlias = tuple[Hashable, ...]
_Options: TypeAlias = Mapping[Any, Any]

_TYPES: Final = get_args(TypeName)
_SCHEMA_KEYS: Final = ("id", "name", "description", "attributes")
_ATTRIBUTE_KEYS: Final = ("type", "nullable", "category", "precision", "format", "description")
_MOST_PROBLEMS: Final = 10
_MOST_DECIMALS: Final = 30
_NOTHING: Final = "leave it away"
_PETSARD_KEYS: Final = MappingProxyType(
    {
        "enable_null": "write nullable for each attribute",
        "logical_type": "write type for each attribute",
        "type_attr": "write nullable, category and precision beside type",
        "enable_optimize_type": "the type is the one that is declared",
        "enable_stats": _NOTHING,
        "stats": _NOTHING,
        "na_values": "an empty cell is a null; replace other marks in the table first",
        "cast_errors": "a cell that breaks its type is an error",
        "null_strategy": "nulls are kept; write nullable: false to refuse them",
        "default_value": "nulls are kept; fill them in the table first",
        "is_constant": _NOTHING,
        "constraints": "write nullable, precision and format instead",
        "primary_key": "write nullable: false; uniqueness is not checked",
        "foreign_keys": "a schema is about one table",
        "indexes": _NOTHING,
        "sample_size": "all rows are checked",
        "stage": _NOTHING,
        "parent_schema_id": _NOTHING,
        "created_at": _NOTHING,
        "updated_at": _NOTHING,
    }
)
_OTHER_TYPES: Final[Mapping[str, str]] = MappingProxyType(
    dict.fromkeys(
        ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "integer"),
        "int",
    )
    | dict.fromkeys(("float16", "float32", "float64", "double", "decimal", "number"), "float")
    | dict.fromkeys(("string", "object", "text", "varchar"), "str")
    | dict.fromkeys(("boolean",), "bool")
    | dict.fromkeys(("datetime64", "datetime64[ns]", "datetime64[us]", "timestamp"), "datetime")
)


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
        raise InputError(f"{path}, {_joined(reader.problems)}")
    return schema


def typed(source: Source, schema: Schema) -> Source:
    """The table with its columns in the types of a schema; one that breaks it is an error.

    Text becomes what it spells: whole numbers (``5.0`` is 5, ``1e3`` is none), decimal numbers,
    ``true``, ``false``, 0 and 1, dates and date-times in ISO form or of the given format. Numbers
    that are whole may be int; any number that a float holds without losing digits may be float;
    integers may be str, since a file may hold a postcode as a number, and nothing else but text
    may; date-times at midnight may be dates.

    >>> import pyarrow as pa
    >>> from petaudit.counts import open_source
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
        said = [f"column {shortened(one.column)!r} has {one.problem}" for one in breaks]
        raise InputError(f"{source.name} breaks {schema.path}: {_listed(said)}")
    return found


def _check_columns(source: Source, schema: Schema) -> None:
    missing = [name for name in schema.attributes if name not in source.columns]
    strange = [name for name in source.columns if name not in schema.attributes]
    said = []
    if missing:
        # A name may be near only to one that the schema does not have: those it has are there.
        names = [f"{shortened(name)!r}{suggestion(name, strange)}" for name in missing]
        said.append(f"{source.name} lacks {_columns(names)}")
    if strange:
        names = [repr(shortened(name)) for name in strange]
        said.append(f"the schema does not describe {_columns(names)}")
    if said:
        raise ColumnError(f"{source.name} breaks {schema.path}: {'; '.join(said)}")


def _columns(names: list[str]) -> str:
    return f"column{'' if len(names) == 1 else 's'} {_listed(names)}"


def _listed(names: list[str]) -> str:
    # Not cut one by one, unlike in ``listing``: what stands behind a name must be legible.
    more = len(names) - _MOST_PROBLEMS
    return ", ".join(names[:_MOST_PROBLEMS]) + (f" and {more} more" if more > 0 else "")


def _joined(problems: list[tuple[int, str]]) -> str:
    said = [f"line {line}: {problem}" for line, problem in sorted(problems)[:_MOST_PROBLEMS]]
    more = len(problems) - len(said)
    return "; ".join(said) + (f"; and {more} more" if more else "")


class _Reader:
    """Reads one file and notes what is wrong with it."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[tuple[int, str]] = []

    def schema(self, path: Path) -> Schema:
        content = self.document.value
        if not isinstance(content, Mapping):
            self.note((), "a schema has the key 'attributes', with the columns below it")
            return Schema(path, {})
        self.refuse_unknown((), content, _SCHEMA_KEYS, "")
        texts = {key: self.text((key,), content, "") for key in ("id", "name", "description")}
        attributes = self.attributes(content)
        return Schema(path, MappingProxyType(attributes), **texts)

    def attributes(self, content: _Options) -> dict[str, Attribute]:
        given = content.get("attributes")
        if not isinstance(given, Mapping) or not given:
            if "attributes" in content:
                self.note(("attributes",), "attributes names no column")
            else:
                self.note((), "the key 'attributes' is missing, with the columns below it")
            return {}
        found: dict[str, Attribute] = {}
        for key, options in given.items():
            at = ("attributes", key)
            if not isinstance(key, str):
                self.note(at, f"the column name {key!r} is not text; put it in quotes")
                continue
            name = trim(key)
            if not name:
                self.note(at, "a column name is empty")
            elif name in found:
                self.note(at, f"column {shortened(name)!r} stands here twice")
            else:
                found[name] = self.attribute(at, name, options)
        return found

    def attribute(self, at: _At, name: str, options: Any) -> Attribute:
        whose = f"column {shortened(name)!r}: "
        if options is None:
            return Attribute()
        if not isinstance(options, Mapping):
            self.note(at, f"{whose}options were expected, as in {{type: int}}")
            return Attribute()
        self.refuse_unknown(at, options, _ATTRIBUTE_KEYS, whose)
        type_ = self.type((*at, "type"), options, whose)
        return Attribute(
            type=type_,
            nullable=self.truth((*at, "nullable"), options, True, whose),
            category=self.truth((*at, "category"), options, False, whose),
            precision=self.precision((*at, "precision"), options, type_, whose),
            format=self.format((*at, "format"), options, type_, whose),
            description=self.text((*at, "description"), options, whose),
        )

    def type(self, at: _At, options: _Options, whose: str) -> TypeName | None:
        if "type" not in options:
            return None
        given = options["type"]
        if given in _TYPES:
            return cast(TypeName, given)
        plain = str(given).strip().lower()
        if plain == "category":
            advice = "write category: true beside a type"
        elif plain in _OTHER_TYPES:
            advice = f"it is called {_OTHER_TYPES[plain]!r} here"
        else:
            advice = f"types are {listing(_TYPES)}"
        nearest = "" if plain in _OTHER_TYPES else suggestion(plain, _TYPES)
        self.note(at, f"{whose}unknown type {_shown(given)}{nearest}; {advice}")
        return None

    def truth(self, at: _At, options: _Options, default: bool, whose: str) -> bool:
        given = options.get(at[-1], default)
        if isinstance(given, bool):
            return given
        self.note(at, f"{whose}{at[-1]} is {_shown(given)}; true or false was expected")
        return default

    def precision(self, at: _At, options: _Options, type_: str | None, whose: str) -> int | None:
        if "precision" not in options:
            return None
        given = options["precision"]
        if (
            isinstance(given, bool)
            or not isinstance(given, int)
            or not 0 <= given <= _MOST_DECIMALS
        ):
            self.note(
                at,
                f"{whose}precision is {_shown(given)}; a number of decimals from 0 to "
                f"{_MOST_DECIMALS} was expected",
            )
            return None
        if self.fits(at, options, type_, ("float",), whose):
            return given
        return None

    def format(self, at: _At, options: _Options, type_: str | None, whose: str) -> str | None:
        given = self.text(at, options, whose)
        if given is None or not self.fits(at, options, type_, ("date", "datetime"), whose):
            return None
        problem = None if type_ is None else format_problem(type_, given)
        if problem is not None:
            self.note(at, f"{whose}{problem}")
        return given

    def fits(
        self, at: _At, options: _Options, type_: str | None, wanted: tuple[str, ...], whose: str
    ) -> bool:
        """Whether an option belongs to the type; one that could not be read was noted already."""
        if type_ in wanted or (type_ is None and "type" in options):
            return True
        what = "no type" if type_ is None else f"type {type_!r}"
        self.note(at, f"{whose}{at[-1]} is only for the type {' or '.join(wanted)}, not for {what}")
        return False

    def text(self, at: _At, options: _Options, whose: str) -> str | None:
        if at[-1] not in options:
            return None
        given = options[at[-1]]
        if isinstance(given, str):
            return given
        self.note(at, f"{whose}{at[-1]} is {_shown(given)}; text was expected")
        return None

    def refuse_unknown(self, at: _At, given: _Options, known: tuple[str, ...], whose: str) -> None:
        for key in given:
            if key in known:
                continue
            if key in _PETSARD_KEYS:
                said = f"PETsARD's {key} is not built here; {_PETSARD_KEYS[key]}"
            else:
                said = (
                    f"unknown key {_shown(key)}{suggestion(str(key), known)}; keys are "
                    f"{listing(known)}"
                )
            self.note((*at, key), f"{whose}{said}")

    def note(self, at: _At, problem: str) -> None:
        self.problems.append((self.document.line_of(at) or 1, problem))


def _shown(value: object) -> str:
    return shortened(repr(value))
