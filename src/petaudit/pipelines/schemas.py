"""Schemas: what the columns of a table must be, written down in a YAML file."""

from __future__ import annotations

from collections.abc import Sequence

from petaudit.errors import ColumnError, InputError, Phrase, joined, phrase, shortened, suggestion
from petaudit.pipelines.schema_files import MOST_PROBLEMS, Attribute, Schema, read_schema
from petaudit.tables.headers import columns_named, header_doubt
from petaudit.tables.source import Source
from petaudit.tables.typed import ColumnType, typed_source

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
