"""The file beside a table that says what is known about it: where it is, and how to read the table.

Roles and hierarchies in it are the matter of :mod:`petaudit.roles`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from petaudit.errors import InputError, OptionError, error_context
from petaudit.system.reading import Reading
from petaudit.system.settings import settings_of
from petaudit.system.yaml_files import read_yaml

READING_KEYS: Final = {
    spelling: name for name in settings_of(Reading) for spelling in (name.upper(), name)
}
"""The option of reading by each spelling of its key."""


def side_car_path(table: Path) -> Path | None:
    """The side-car of a table file, if there is one: the same name, ending in ``.yaml``."""
    name = table.name
    while True:
        candidate = table.with_name(f"{name}.yaml")
        # Unlike Path.is_file, this takes a name that is too long for a name that is not there.
        if os.path.isfile(candidate) and candidate != table and not _is_pipeline(candidate):  # noqa: PTH113
            return candidate
        if "." not in name.lstrip("."):
            return None
        name = name.rsplit(".", 1)[0]


def _is_pipeline(path: Path) -> bool:
    """Whether a YAML file describes an audit: people name it after the table, too."""
    try:
        content = read_yaml(path)
    except InputError:
        return False
    modules = {"Executor", "Loader", "Splitter", "Synthesizer", "Evaluator", "Reporter"}
    return isinstance(content, Mapping) and bool(content) and set(content) <= modules


def dataset_of(content: object) -> dict[Any, Any] | None:
    """What stands under DATASET; None where there is no such key.

    YAML reads the key NULL as null.
    """
    dataset = content.get("DATASET") if isinstance(content, Mapping) else None
    if not isinstance(dataset, Mapping):
        return None
    return {"NULL" if key is None else key: value for key, value in dataset.items()}


def with_side_car(reading: Reading, table: Path) -> tuple[Reading, Path | None]:
    """What is given, completed by the side-car of a table; and the side-car, if it said anything.

    What else is wrong with it is said by whoever needs the rest of it.
    """
    path = side_car_path(table)
    if path is None:
        return reading, None
    try:
        dataset = dataset_of(read_yaml(path))
    except InputError:
        return reading, None
    with error_context(path):
        said: dict[str, Any] = {}
        for key, value in (dataset or {}).items():
            name = READING_KEYS.get(key) if isinstance(key, str) else None
            if name in said:
                raise OptionError("{key} is given twice", key=key)
            if name is not None:
                said[name] = value
        checked = Reading.checked(**said)
    return reading.over(checked.options), path if said else None
