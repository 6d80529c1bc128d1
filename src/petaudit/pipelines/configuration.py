"""Where a pipeline comes from: a file or a text, with changes for one run."""

from __future__ import annotations

import contextlib
import copy
import os
from collections.abc import Hashable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from petaudit.errors import (
    InputError,
    OptionError,
    argument,
    given_as,
    listing,
    shortened,
    suggestion,
)
from petaudit.pipelines.models import EXECUTOR, MODULES
from petaudit.system.kinds import KeyPath, key_text
from petaudit.system.yaml_files import Document, parse_yaml, read_text

_YAML = (".yaml", ".yml")


def default_folder(path: Path | None) -> Path:
    """Where results go if nobody says: beside nothing else, named after the file.

    >>> str(default_folder(Path("audits/adult.yaml"))), str(default_folder(None))
    ('adult-results', 'petaudit-results')
    """
    folder = Path(f"{'petaudit' if path is None else path.stem}-results")
    if folder.is_symlink():
        # It may have come with the pipeline file.
        raise InputError(
            "{path!r} is a link; remove it, or choose another folder ({argument})",
            path=str(folder),
            argument=argument("out"),
        )
    return folder


def configuration_text(given: str | PathLike[str]) -> tuple[str, Path | None]:
    """The text of a configuration and its path, if it is not given as text."""
    if not isinstance(given, str | PathLike):
        raise OptionError(
            "the configuration must be a path or YAML text, got {kind}", kind=type(given).__name__
        )
    if isinstance(given, PathLike):
        path = Path(given)
        return read_text(path), path
    name = given.strip()
    is_text = "\n" in given or (": " in given or given.rstrip().endswith(":"))
    if os.path.isfile(given) or (name.lower().endswith(_YAML) and "\n" not in given):  # noqa: PTH113
        return read_text(Path(given)), Path(given)
    if not is_text:
        raise InputError(
            "{given!r} is neither a file nor YAML text; expected a path or the text of a pipeline",
            given=shortened(given),
        )
    return given, None


def with_overrides(document: Document, changes: Sequence[str]) -> Document:
    """The document with each ``Module.name.option=value`` put into it; values are YAML.

    >>> document = parse_yaml("Evaluator: {x: {method: mpuccs}}", "example")
    >>> with_overrides(document, ["Evaluator.x.limit=0.1"]).value
    {'Evaluator': {'x': {'method': 'mpuccs', 'limit': 0.1}}}
    """
    if not changes:
        return document
    content = copy.deepcopy(document.value)
    lines: dict[KeyPath, int | None] = dict(document.lines)
    taken: list[KeyPath] = []
    for change in changes:
        at, text = _taken_apart(content, change)
        if any(path[: len(at)] == at for path in taken):
            raise OptionError(
                "{change}: duplicate setting; the first would be ignored",
                change=given_as("overrides", change),
            )
        taken.append(at)
        try:
            name = shortened(change.removesuffix(f"={text}"))
            value = parse_yaml(text, argument("overrides", name)).value
        except InputError as problem:
            raise OptionError(problem.text) from None
        if not text.strip():
            # As when a variable of a CI job is not set: that must not switch a limit off.
            raise OptionError(
                "{change} has no value; use null to remove the setting",
                change=given_as("overrides", change),
            )
        _put(content, at, value)
        # What a change brought stands on no line of the file.
        lines = {path: line for path, line in lines.items() if path[: len(at)] != at} | {at: None}
    return Document(content, lines)


def _taken_apart(content: Any, change: str) -> tuple[KeyPath, str]:
    """The path and the text of the value; both may hold the sign that stands between them."""
    path, equals, text = change.partition("=")
    if not equals or not path.strip():
        raise OptionError(
            "{change}: expected MODULE.NAME.OPTION=VALUE, as in Evaluator.risk.limit=0.1",
            change=given_as("overrides", change),
        )
    try:
        return _path(content, path.strip(), change), text
    except OptionError as problem:
        while "=" in text:
            more, _, text = text.partition("=")
            path = f"{path}={more}"
            with contextlib.suppress(OptionError):
                return _path(content, path.strip(), change), text
        raise problem from None


def _path(content: Any, path: str, change: str) -> KeyPath:
    """The keys of a path: names of experiments may hold dots themselves."""
    given = given_as("overrides", change)
    module, _, rest = path.partition(".")
    if module == EXECUTOR and isinstance(content, Mapping):
        if not rest:
            raise OptionError(
                "{change}: name an option, as in Executor.compare_to=previous.json", change=given
            )
        # Its settings are about the run and need no section of their own in the file.
        return (module, rest)
    if not isinstance(content, Mapping) or module not in content:
        known = [key_text(name) for name in content] if isinstance(content, Mapping) else []
        hint = "" if module in MODULES else suggestion(module, MODULES)
        raise OptionError(
            "{change}: the file has no module {module!r}{near}; it has {known}",
            change=given,
            module=shortened(module),
            near=hint,
            known=listing(known),
        )
    experiments = content[module] if isinstance(content[module], Mapping) else {}
    fitting = [name for name in experiments if rest.startswith(f"{_text(name)}.")]
    if not fitting:
        names = [_text(name) for name in experiments]
        wanted = rest.partition(".")[0]
        if wanted in names:
            raise OptionError(
                "{change}: name an option of {name!r}", change=given, name=shortened(wanted)
            )
        raise OptionError(
            "{change}: {module} has no {name!r}{near}; it has {known}",
            change=given,
            module=module,
            name=shortened(wanted),
            near=suggestion(wanted, names),
            known=listing(names),
        )
    name = max(fitting, key=lambda name: len(_text(name)))
    options = rest[len(_text(name)) + 1 :]
    if not all(options.split(".")):
        raise OptionError("{change}: expected MODULE.NAME.OPTION=VALUE", change=given)
    return (module, name, *options.split("."))


def _text(name: Hashable) -> str:
    return name if isinstance(name, str) else key_text(name)


def _put(content: Any, at: KeyPath, value: Any) -> None:
    inner = content
    for key in at[:-1]:
        if not isinstance(inner.get(key), dict):
            inner[key] = {}
        inner = inner[key]
    if value is None:
        inner.pop(at[-1], None)
    else:
        inner[at[-1]] = value
