"""Hierarchies from a folder: one CSV per attribute, ``<anything>hierarchy_<attribute>.csv``."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from petaudit.errors import HierarchyError
from petaudit.files import require_regular
from petaudit.hierarchies.hierarchy import Hierarchy
from petaudit.labels import trim

_FILE_NAME = re.compile(r".*hierarchy_(?P<attribute>.+)\.csv", re.IGNORECASE | re.DOTALL)


def read_folder(folder: Path) -> dict[str, Hierarchy]:
    """Read every hierarchy file of a folder."""
    if not folder.exists():
        raise HierarchyError(f"hierarchy folder {str(folder)!r} does not exist")
    if not folder.is_dir():
        raise HierarchyError(f"{str(folder)!r} is a file; a folder of hierarchies was expected")
    found: dict[str, Hierarchy] = {}
    for path in sorted(folder.iterdir()):
        match = _FILE_NAME.fullmatch(path.name)
        if match is None:
            continue
        attribute = trim(match["attribute"])
        if attribute in found:
            raise HierarchyError(
                f"folder {str(folder)!r} has two hierarchies for {attribute!r}: "
                f"{found[attribute].origin} and {path.name}"
            )
        found[attribute] = read_file(path, attribute)
    if not found:
        raise HierarchyError(
            f"folder {str(folder)!r} has no file named <anything>hierarchy_<attribute>.csv"
        )
    return found


def read_file(path: Path, attribute: str) -> Hierarchy:
    """Read one hierarchy: ``;`` separated, no header, leaf first."""
    rows: list[list[str]] = []
    line_numbers: list[int] = []
    try:
        require_regular(path)
        with path.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.reader(lines, delimiter=";", strict=True)
            for row in reader:
                if any(trim(cell) for cell in row):
                    rows.append(row)
                    line_numbers.append(reader.line_num)
    except OSError as problem:
        raise HierarchyError(f"{path}: cannot be read ({problem.strerror})") from None
    except UnicodeDecodeError as problem:
        raise HierarchyError(f"{path}: byte {problem.start} is not UTF-8 text") from None
    except csv.Error as problem:
        raise HierarchyError(f"{path}: not a ';' separated file ({problem})") from None
    return Hierarchy(attribute, rows, path=path, line_numbers=line_numbers)
