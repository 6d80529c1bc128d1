"""Hierarchies from a folder: one CSV per attribute, ``<anything>hierarchy_<attribute>.csv``."""

from __future__ import annotations

import csv
import os
import re
from pathlib import Path

from petaudit.errors import LONGEST_PATH, HierarchyError, shortened
from petaudit.labels.cells import trim
from petaudit.labels.hierarchies.hierarchy import Hierarchy
from petaudit.system.files import before_reading, os_reason

_FILE_NAME = re.compile(r".*hierarchy_(?P<attribute>.+)\.csv", re.IGNORECASE | re.DOTALL)


def read_folder(folder: Path) -> dict[str, Hierarchy]:
    """Read every hierarchy file of a folder."""
    # These never raise, unlike the methods of Path: a name may be too long for the system.
    if not os.path.exists(folder):  # noqa: PTH110
        shown = shortened(str(folder), LONGEST_PATH)
        raise HierarchyError("hierarchy folder {folder!r} does not exist", folder=shown)
    if not os.path.isdir(folder):  # noqa: PTH112
        raise HierarchyError(
            "{folder!r} is a file; a folder of hierarchies was expected", folder=str(folder)
        )
    found: dict[str, Hierarchy] = {}
    for path in sorted(folder.iterdir()):
        match = _FILE_NAME.fullmatch(path.name)
        if match is None:
            continue
        attribute = trim(match["attribute"])
        if attribute in found:
            raise HierarchyError(
                "folder {folder!r} has two hierarchies for {column!r}: {first} and {second}",
                folder=str(folder),
                column=attribute,
                first=found[attribute].origin,
                second=path.name,
            )
        found[attribute] = read_file(path, attribute)
    if not found:
        raise HierarchyError(
            "folder {folder!r} has no file named <anything>hierarchy_<attribute>.csv",
            folder=str(folder),
        )
    return found


def read_file(path: Path, attribute: str) -> Hierarchy:
    """Read one hierarchy: ``;`` separated, no header, leaf first."""
    rows: list[list[str]] = []
    line_numbers: list[int] = []
    try:
        before_reading(path)
        with path.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.reader(lines, delimiter=";", strict=True)
            for row in reader:
                if any(trim(cell) for cell in row):
                    rows.append(row)
                    line_numbers.append(reader.line_num)
    except OSError as problem:
        shown = shortened(str(path), LONGEST_PATH)
        raise HierarchyError(
            "{path}: cannot be read ({reason})", path=shown, reason=os_reason(problem)
        ) from None
    except UnicodeDecodeError as problem:
        raise HierarchyError(
            "{path}: byte {place} is not UTF-8 text", path=path, place=problem.start
        ) from None
    except csv.Error as problem:
        raise HierarchyError(
            "{path}: not a ';' separated file ({reason})", path=path, reason=problem
        ) from None
    return Hierarchy(attribute, rows, path=path, line_numbers=line_numbers)
