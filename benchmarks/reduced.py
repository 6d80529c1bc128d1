"""The results of a run without what nobody reads again: `benchmarks/results/latest.json`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from measuring import HERE, BenchError

LATEST: Final = HERE / "results" / "latest.json"
FORMAT: Final = 1
_KEPT: Final = ("date", "kind", "rows", "repetitions", "machine", "versions", "peers")
_LISTS: Final = ("comparisons", "growth", "checks")
_PLACES: Final = re.compile(r"\S*[/\\]\S*")
"""Paths and addresses, which belong to the machine and not to the results."""


def reduced(document: Mapping[str, Any]) -> dict[str, Any]:
    """What the page needs: every single measurement, and no paths.

    >>> document = {name: {} for name in (*_KEPT, *_LISTS)}
    >>> document["left_out"] = [{"what": "a", "why": "could not", "said": "no /tmp/x here"}]
    >>> reduced(document)["left_out"]
    [{'what': 'a', 'why': 'could not', 'said': 'no … here'}]
    """
    return {
        "format": FORMAT,
        **{name: document[name] for name in (*_KEPT, *_LISTS)},
        "left_out": _without_places(document["left_out"]),
    }


def read_latest(path: Path = LATEST) -> dict[str, Any]:
    """The results that the page is made of."""
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise BenchError(f"no results: {problem.strerror}") from problem
    if found.get("format") != FORMAT:
        raise BenchError(f"{path.name} has another format: make it anew from a run")
    return found


def written(document: Mapping[str, Any]) -> str:
    """As JSON with a line for each list of measurements, so that a file has hundreds of lines.

    >>> print(written({"a": [1.5, 2], "b": {"c": "d"}}), end="")
    {
     "a": [1.5, 2],
     "b": {
      "c": "d"
     }
    }
    """
    text = json.dumps(document, indent=1, ensure_ascii=False)
    numbers = re.compile(r"\[\s+([-+.\deE]+(?:,\s+[-+.\deE]+)*)\s+\]")
    return numbers.sub(lambda own: "[" + " ".join(own[1].split()) + "]", text) + "\n"


def _without_places(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_places(own) for name, own in value.items()}
    if isinstance(value, list):
        return [_without_places(own) for own in value]
    return _PLACES.sub("…", value) if isinstance(value, str) else value
