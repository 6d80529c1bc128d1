"""The part each column plays, and where that is written down."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from os import PathLike
from pathlib import Path
from typing import Any, Final

from petaudit.errors import (
    InputError,
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
    reading: Mapping[str, Any] = field(default_factory=dict)
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


READING: Final = ("delimiter", "encoding")
"""What a Loader says about reading its table."""
LOADER_KEYS: Final = (
    *("filepath", "schema", "nrows", "original", "population", "key"),
    *("roles", "hierarchies", "person", "person_is_pseudonym", *READING),
)
_MODULES: Final = {"Executor", "Loader", "Splitter", "Synthesizer", "Evaluator", "Reporter"}


def side_car_path(table: Path) -> Path | None:
    """The side-car of a table file, if there is one: the same name, ending in ``.yaml``.

    A pipeline file of that name is one if it loads the table, once.
    """
    name = table.name
    while True:
        candidate = table.with_name(f"{name}.yaml")
        # Unlike Path.is_file, this takes a name that is too long for a name that is not there.
        if os.path.isfile(candidate) and candidate != table and _is_about(candidate, table):  # noqa: PTH113
            return candidate
        if "." not in name.lstrip("."):
            return None
        name = name.rsplit(".", 1)[0]


def _is_about(path: Path, table: Path) -> bool:
    """Whether a YAML file says something about a table: an audit may be that of another."""
    content = _content(path)
    return not _is_pipeline(content) or len(_loading(content, path, table)) == 1


def _content(path: Path) -> Any:
    """What a YAML file holds; None where it cannot be read, which whoever needs it will say."""
    try:
        return read_yaml(path)
    except InputError:
        return None


def _is_pipeline(content: object) -> bool:
    return isinstance(content, Mapping) and bool(content) and set(content) <= _MODULES


def read_side_car(path: Path, table: object = None) -> SideCar:
    """Read what a file says about a table: a side-car, or a pipeline file that loads the table.

    A pipeline with a single Loader is taken to be about the table, whatever it is called.
    """
    content = read_yaml(path)
    with error_context(path):
        if _is_pipeline(content):
            return _from_loader(path, _loader(content, path, table))
        dataset = content.get("DATASET") if isinstance(content, Mapping) else None
        if not isinstance(dataset, Mapping):
            raise RoleError("the key DATASET is missing")
        refuse_unknown_keys(content, ("DATASET",), RoleError)
        keys = ("ATTRIBUTE_TYPE", "HIERARCHY", *_PERSON, *_PSEUDONYM)
        refuse_unknown_keys(dataset, keys, RoleError)
        return SideCar(
            path,
            _roles(dataset, "ATTRIBUTE_TYPE"),
            dataset.get("HIERARCHY"),
            *_person(dataset, _PERSON, _PSEUDONYM),
        )


def reading_beside(table: object) -> Mapping[str, Any]:
    """How the side-car of a table that is not open yet says that it is read."""
    if not isinstance(table, str | PathLike):
        return {}
    file = Path(os.path.expanduser(table))  # noqa: PTH111 (never raises)
    path = side_car_path(file) if os.path.isfile(file) else None  # noqa: PTH113
    if path is None or not _is_pipeline(_content(path)):
        return {}
    return read_side_car(path, file).reading


def _from_loader(path: Path, loader: Mapping[Any, Any]) -> SideCar:
    refuse_unknown_keys(loader, LOADER_KEYS, RoleError)
    reading = {name: loader[name] for name in READING if loader.get(name) is not None}
    if reading.get("delimiter") == "tab":
        reading["delimiter"] = "\t"
    return SideCar(
        path,
        _roles(loader, "roles"),
        loader.get("hierarchies"),
        *_person(loader, _PERSON[1:], _PSEUDONYM[1:]),
        reading=reading,
        is_pipeline=True,
    )


def _loader(content: Mapping[Any, Any], path: Path, table: object) -> Mapping[Any, Any]:
    """The entry of a pipeline file that is about a table."""
    entries = _loaders(content)
    meant = _loading(content, path, table) or entries
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


def _loaders(content: Mapping[Any, Any]) -> dict[Any, Mapping[Any, Any]]:
    entries = content.get("Loader")
    if not isinstance(entries, Mapping):
        return {}
    return {
        name: entry
        for name, entry in entries.items()
        if isinstance(entry, Mapping) and isinstance(entry.get("filepath"), str)
    }


def _loading(content: Mapping[Any, Any], path: Path, table: object) -> dict[Any, Mapping[Any, Any]]:
    """The Loaders of a table: those that name its very path, or else a file of its name."""
    if not isinstance(table, str | PathLike):
        return {}
    wanted = os.fspath(table)
    # Addresses of other tables than files are compared as they are.
    named: dict[str, dict[Any, Mapping[Any, Any]]] = {"same": {}, "alike": {}}
    for name, entry in _loaders(content).items():
        given = entry["filepath"]
        resolved = os.path.join(path.parent, os.path.expanduser(given))  # noqa: PTH111, PTH118
        if given == wanted or os.path.realpath(resolved) == os.path.realpath(wanted):
            named["same"][name] = entry
        if os.path.basename(given) == os.path.basename(wanted):  # noqa: PTH119
            named["alike"][name] = entry
    return named["same"] or named["alike"]


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
