"""What stands in a document, taken only as what it should be; anything else is an error.

Errors say nothing: what was found instead may be a value of the data.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from petaudit.i18n.numbers import foreign


def entries_of(document: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """Mappings in a list; none where there is no list."""
    return [mapping(own) for own in document.get(name) or ()]


def mapping(given: object) -> Mapping[str, Any]:
    """A mapping, or an empty one for null."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise TypeError
    return given


def texts(given: object) -> tuple[str, ...]:
    """Sentences; those that are no phrases keep their small numbers to themselves."""
    if given is None:
        return ()
    if not isinstance(given, list | tuple) or not all(isinstance(own, str) for own in given):
        raise TypeError
    return tuple(map(foreign, given))


def text(given: object) -> str | None:
    """A text, or None."""
    if given is not None and not isinstance(given, str):
        raise TypeError
    return given


def sentence(given: object) -> str | None:
    """A sentence, or None."""
    found = text(given)
    return None if found is None else foreign(found)


def required(given: object) -> str:
    """A sentence that must be there."""
    found = sentence(given)
    if found is None:
        raise TypeError
    return found


def texts_by_name(given: object) -> dict[str, str]:
    """Texts by name."""
    return {str(name): str(value) for name, value in mapping(given).items()}


def figure(value: object) -> float | bool | None:
    """A figure; JSON has no word for infinity."""
    if value is None or isinstance(value, bool):
        return value
    if not isinstance(value, int | float) and value not in ("inf", "-inf"):
        raise TypeError
    number = float(value)
    return None if math.isnan(number) else number


def shown(value: object) -> str:
    """A figure in a sentence."""
    number = figure(value)
    return "-" if number is None else f"{number:.6g}"


def better_of(entry: Mapping[str, Any]) -> str:
    """Which way is better."""
    return str(entry.get("better") or "lower")


def verdict_of(document: Mapping[str, Any]) -> str:
    """One of the verdicts."""
    verdict = str(document["verdict"])
    if verdict not in ("passed", "failed", "error", "measured"):
        raise ValueError
    return verdict


def file_name(given: object) -> str:
    """Where a file lies is nobody's business who reads a report."""
    path = str(given or "-")
    return PurePosixPath(path.replace("\\", "/")).name or path
