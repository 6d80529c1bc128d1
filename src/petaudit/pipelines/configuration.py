"""Where a pipeline comes from: a file or a text, and where its results go."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path

from petaudit.errors import InputError, OptionError, shortened
from petaudit.system.yaml_files import read_text

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
            "{path!r} is a link; remove it, or choose another folder (--out)", path=str(folder)
        )
    return folder


def configuration_text(given: str | PathLike[str]) -> tuple[str, Path | None]:
    """The text of a configuration and its path, if it is not given as text."""
    if not isinstance(given, str | PathLike):
        raise OptionError(
            "the configuration is a {kind}; a path or YAML text was expected",
            kind=type(given).__name__,
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
            "{given!r} is neither a file nor YAML text; a path or the text of a pipeline was "
            "expected",
            given=shortened(given),
        )
    return given, None
