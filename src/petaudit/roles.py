"""The part each column plays, and where that is written down."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from petaudit.errors import (
    RoleError,
    error_context,
    listing,
    phrase,
    refuse_unknown_keys,
    shortened,
    suggestion,
)
from petaudit.labels.cells import trim
from petaudit.labels.hierarchies import Hierarchies
from petaudit.system.reading import Reading
from petaudit.system.settings import settings_of
from petaudit.system.side_cars import (
    READING_KEYS,
    dataset_of,
    is_pipeline,
    loaders,
    loading,
    reading_in,
)
from petaudit.system.yaml_files import read_yaml
from petaudit.tables.headers import check_column


class Role(StrEnum):
    """What a column tells about a person."""

    IDENTIFIER = "identifier"
    QUASI_IDENTIFIER = "quasi_identifier"
    SENSITIVE = "sensitive_attribute"
    INSENSITIVE = "insensitive_attribute"


_PERSON = ("PERSON", "person")
_PSEUDONYM = ("PERSON_IS_PSEUDONYM", "person_is_pseudonym")
_SPELLINGS = {role.value: role for role in Role} | {role.name.lower(): role for role in Role}


@dataclass(frozen=True)
class Roles:
    """Role by column name; a column without one takes no part.

    >>> roles = Roles({"zip": "quasi_identifier", "disease": Role.SENSITIVE})
    >>> roles.quasi_identifiers, roles.sensitive
    (('zip',), ('disease',))
    """

    by_column: Mapping[str, Role]

    def __init__(self, by_column: Mapping[str, Role | str]) -> None:
        parsed = _by_column((role, [column]) for column, role in by_column.items())
        object.__setattr__(self, "by_column", parsed)

    @classmethod
    def of(
        cls,
        quasi_identifiers: Iterable[str] = (),
        sensitive: Iterable[str] = (),
        identifiers: Iterable[str] = (),
        insensitive: Iterable[str] = (),
    ) -> Roles:
        """Collect lists of columns; a column in two lists, or twice in one, is an error."""
        lists = (
            (Role.QUASI_IDENTIFIER, quasi_identifiers),
            (Role.SENSITIVE, sensitive),
            (Role.IDENTIFIER, identifiers),
            (Role.INSENSITIVE, insensitive),
        )
        return cls(_by_column(lists))

    def to_dict(self) -> dict[str, str]:
        """The word for the role of each column."""
        return {column: role.value for column, role in self.by_column.items()}

    def within(self, columns: Collection[str]) -> Roles:
        """The roles of the columns that a table has."""
        return Roles({name: role for name, role in self.by_column.items() if name in columns})

    def columns(self, role: Role) -> tuple[str, ...]:
        """The columns that have this role, in the order given."""
        return tuple(column for column, its_role in self.by_column.items() if its_role is role)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """Columns that together may identify a person."""
        return self.columns(Role.QUASI_IDENTIFIER)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Columns whose value a person would not want to be known."""
        return self.columns(Role.SENSITIVE)

    def checked_against(self, columns: Sequence[str], table: str) -> Roles:
        """Return self if every column exists in the table."""
        for column in self.by_column:
            check_column(column, columns, table)
        return self


def parse_role(role: Role | str) -> Role:
    """Read a role in any of its spellings.

    >>> parse_role("QUASI_IDENTIFIER")
    <Role.QUASI_IDENTIFIER: 'quasi_identifier'>
    """
    known = _SPELLINGS.get(str(role).strip().lower())
    if known is None:
        raise RoleError(
            "unknown role {role!r}{near}; roles are {roles}",
            role=str(role),
            near=suggestion(str(role), _SPELLINGS),
            roles=listing([known_role.value for known_role in Role]),
        )
    return known


@dataclass(frozen=True)
class SideCar:
    """What a file says about a table; its hierarchies are read when they are asked for."""

    path: Path
    roles: Roles
    hierarchy_entry: object
    person: str | None = None
    """The column that tells people apart."""
    person_is_pseudonym: bool = False
    reading: Reading = field(default_factory=Reading)
    """How the table is read, as far as the file says."""
    is_pipeline: bool = False

    def hierarchies(self) -> Hierarchies:
        """The hierarchies that the file names, relative to its own folder."""
        if self.hierarchy_entry is None:
            return Hierarchies({})
        with error_context(self.path):
            if isinstance(self.hierarchy_entry, str):
                folder = os.path.expanduser(self.hierarchy_entry)  # noqa: PTH111 (never raises)
                return Hierarchies.of(self.path.parent / folder)
            return Hierarchies.from_yaml(self.hierarchy_entry, self.path)


LOADER_KEYS: Final = (
    *("filepath", "schema", "nrows", "original", "population", "key"),
    *("roles", "hierarchies", "person", "person_is_pseudonym", *settings_of(Reading)),
)


def read_side_car(path: Path, table: object = None) -> SideCar:
    """Read what a file says about a table: a side-car, or a pipeline file that loads the table.

    A pipeline with a single Loader is taken to be about the table, whatever it is called.
    """
    content = read_yaml(path)
    with error_context(path):
        if is_pipeline(content):
            return _from_loader(path, _loader(content, path, table))
        dataset = dataset_of(content)
        if dataset is None:
            raise RoleError("the key DATASET is missing")
        refuse_unknown_keys(content, ("DATASET",), RoleError)
        keys = ("ATTRIBUTE_TYPE", "HIERARCHY", *_PERSON, *_PSEUDONYM, *READING_KEYS)
        refuse_unknown_keys(dataset, keys, RoleError)
        return SideCar(
            path,
            _roles(dataset, "ATTRIBUTE_TYPE"),
            dataset.get("HIERARCHY"),
            *_person(dataset, _PERSON, _PSEUDONYM),
            reading_in(dataset),
        )


def _from_loader(path: Path, loader: Mapping[Any, Any]) -> SideCar:
    refuse_unknown_keys(loader, LOADER_KEYS, RoleError)
    return SideCar(
        path,
        _roles(loader, "roles"),
        loader.get("hierarchies"),
        *_person(loader, _PERSON[1:], _PSEUDONYM[1:]),
        reading_in(loader),
        is_pipeline=True,
    )


def _loader(content: Mapping[Any, Any], path: Path, table: object) -> Mapping[Any, Any]:
    """The entry of a pipeline file that is about a table."""
    entries = loaders(content)
    meant = loading(content, path, table) or entries
    if len(meant) == 1:
        [loader] = meant.values()
        return loader
    if not entries:
        raise RoleError("the file has no Loader, which would name the roles of a table")
    raise RoleError(
        "{number} Loaders may be meant: {names}; keep one of them in a file of its own",
        number=len(meant),
        names=listing(
            [
                phrase("{name} ({table})", name=str(name), table=shortened(str(entry["filepath"])))
                for name, entry in meant.items()
            ]
        ),
    )


def _roles(entries: Mapping[Any, Any], key: str) -> Roles:
    by_role = entries.get(key) or {}
    if not isinstance(by_role, Mapping):
        raise RoleError("{key} lists columns under each role", key=key)
    return Roles(_by_column((str(role), names or ()) for role, names in by_role.items()))


def _person(
    entries: Mapping[Any, Any], person_keys: Sequence[str], pseudonym_keys: Sequence[str]
) -> tuple[str | None, bool]:
    """The person column, and whether its values are pseudonyms."""
    person = _said_once(entries, person_keys)
    # An empty line must not make rows of people.
    if any(key in entries for key in person_keys) and not isinstance(person, str):
        raise RoleError(
            "{key} must be the name of a column, got {value!r}", key=person_keys[0], value=person
        )
    is_pseudonym = _said_once(entries, pseudonym_keys)
    if is_pseudonym not in (None, True, False):
        raise RoleError(
            "{key} must be true or false, got {value!r}", key=pseudonym_keys[0], value=is_pseudonym
        )
    return None if person is None else trim(person), bool(is_pseudonym)


def _said_once(dataset: Mapping[Any, Any], spellings: Sequence[str]) -> Any:
    """What stands under one of the spellings of a key."""
    given = [key for key in spellings if key in dataset]
    if len(given) > 1:
        raise RoleError("{key} is given twice", key=given[0])
    return dataset[given[0]] if given else None


def _by_column(columns: Iterable[tuple[Role | str, Any]]) -> dict[str, Role]:
    """Turn columns by role into roles by column; a column that is named twice is an error."""
    by_column: dict[str, Role] = {}
    for given, names in columns:
        role = parse_role(given)
        if not isinstance(names, Iterable):
            raise RoleError("columns must be a list of names, got {columns!r}", columns=names)
        for name in [names] if isinstance(names, str) else names:
            column = trim(str(name))
            if column not in by_column:
                by_column[column] = role
            elif by_column[column] is role:
                raise RoleError(
                    "column {column!r} is named twice as {role}", column=column, role=role.value
                )
            else:
                raise RoleError(
                    "column {column!r} is named as {first} and as {second}",
                    column=column,
                    first=by_column[column].value,
                    second=role.value,
                )
    return by_column
