"""The file beside a table that says what is known about it: where it is, and how to read the table.

Roles and hierarchies in it are the matter of :mod:`petaudit.roles`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Final, TypeAlias

from petaudit.errors import InputError, OptionError, error_context
from petaudit.system.reading import Reading
from petaudit.system.settings import settings_of
from petaudit.system.yaml_files import read_yaml

READING_KEYS: Final = {
    spelling: name for name in settings_of(Reading) for spelling in (name.upper(), name)
}
"""The option of reading by each spelling of its key."""


_MODULES: Final = {
    *("Executor", "Loader", "Splitter", "Synthesizer", "Anonymizer", "Evaluator", "Reporter")
}
Entry: TypeAlias = Mapping[Any, Any]


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
    return not is_pipeline(content) or len(loading(content, path, table)) == 1


def _content(path: Path) -> Any:
    """What a YAML file holds; None where it cannot be read, which whoever needs it will say."""
    try:
        return read_yaml(path)
    except InputError:
        return None


def is_pipeline(content: object) -> bool:
    """Whether the content of a YAML file describes an audit."""
    return isinstance(content, Mapping) and bool(content) and set(content) <= _MODULES


def loaders(content: Entry) -> dict[Any, Entry]:
    """The Loaders of a pipeline file that name a table.

    YAML reads the key null as a null.
    """
    entries = content.get("Loader")
    if not isinstance(entries, Mapping):
        return {}
    return {
        name: {"null" if key is None else key: value for key, value in entry.items()}
        for name, entry in entries.items()
        if isinstance(entry, Mapping) and isinstance(entry.get("filepath"), str)
    }


def loading(content: Entry, path: Path, table: object) -> dict[Any, Entry]:
    """The Loaders of a table: those that name its very path, or else a file of its name."""
    if not isinstance(table, str | PathLike):
        return {}
    wanted = os.fspath(table)
    # Addresses of other tables than files are compared as they are.
    named: dict[str, dict[Any, Entry]] = {"same": {}, "alike": {}}
    for name, entry in loaders(content).items():
        given = entry["filepath"]
        resolved = os.path.join(path.parent, os.path.expanduser(given))  # noqa: PTH111, PTH118
        if given == wanted or os.path.realpath(resolved) == os.path.realpath(wanted):
            named["same"][name] = entry
        if os.path.basename(given) == os.path.basename(wanted):  # noqa: PTH119
            named["alike"][name] = entry
    return named["same"] or named["alike"]


def dataset_of(content: object) -> dict[Any, Any] | None:
    """What stands under DATASET; None where there is no such key.

    YAML reads the key NULL as null.
    """
    dataset = content.get("DATASET") if isinstance(content, Mapping) else None
    if not isinstance(dataset, Mapping):
        return None
    return {"NULL" if key is None else key: value for key, value in dataset.items()}


def reading_in(entry: Entry) -> Reading:
    """The options of reading among the keys of a side-car or Loader."""
    said: dict[str, Any] = {}
    for key, value in entry.items():
        name = READING_KEYS.get(key) if isinstance(key, str) else None
        if name in said:
            raise OptionError("{key} is given twice", key=key)
        if name is not None:
            said[name] = value
    return Reading.checked(**said)


def with_side_car(reading: Reading, table: Path) -> tuple[Reading, Path | None]:
    """What is given, completed by the side-car of a table; and the side-car, if it said anything.

    What else is wrong with it is said by whoever needs the rest of it.
    """
    path = side_car_path(table)
    content = None if path is None else _content(path)
    if path is None or content is None:
        return reading, None
    entries = [*loading(content, path, table).values()] if is_pipeline(content) else []
    with error_context(path):
        said = reading_in(entries[0] if entries else dataset_of(content) or {})
    is_silent = all(value is None for value in said.options.values())
    return reading.over(said.options), None if is_silent else path
