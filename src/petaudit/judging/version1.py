"""Documents of version 1 as those of version 2: each command wrote a kind of its own."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

from petaudit.errors import phrase
from petaudit.judging.gate import ERROR
from petaudit.measures.result import ENTRY_KEYS

DOCUMENTS_1: Final = {
    "petaudit.check/1": "check",
    "petaudit.result/1": "run",
    "petaudit.mpuccs/1": "mpuccs",
}
"""The kinds, and the command that wrote each."""
_UNDECIDED: Final = phrase("the figure is a lower bound, so it does not show that the limit holds")


def from_version_1(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document of version 1 with the keys and entries of version 2.

    >>> old = {"document": "petaudit.mpuccs/1", "verdict": "undecided", "result": {
    ...     "measure": "mpuccs", "status": "undecided", "value": 0.1, "complete": False}}
    >>> new = from_version_1(old)
    >>> new["verdict"], new["results"][0]["status"], new["results"][0]["details"]
    ('error', 'error', {'complete': False, 'changes': None})
    """
    command = DOCUMENTS_1[document["document"]]
    options, texts = document.get("options") or {}, dict(document.get("texts") or {})
    entries = [*(document.get("results") or ())]
    known = dict(document) | {"command": command}
    match command:
        case "check":
            known["strict"] = options.get("strict") is True
            not_measured = document.get("not_measured") or ()
            entries += [
                {**entry, "limit": _asked_limit(entry["measure"], options)}
                for entry in not_measured
                if entry.get("status") == ERROR
            ]
            known["left_out"] = [entry for entry in not_measured if entry.get("status") != ERROR]
        case "run":
            known["strict"] = (document.get("configuration") or {}).get("strict") is True
            for entry in entries:
                texts |= entry.get("texts") or {}
        case _:
            known["options"] = {"options": {"mpuccs": options}}
            known["inputs"] = {
                {"synthetic": "table"}.get(name, name): table
                for name, table in (document.get("inputs") or {}).items()
            }
            entries = [{**document["result"], "changes": document.get("changes")}]
            if document["verdict"] == "undecided":
                known["verdict"] = ERROR
    return known | {"texts": texts, "results": [_entry(entry) for entry in entries]}


def _entry(entry: Mapping[str, Any]) -> dict[str, Any]:
    """An entry with what the measure adds apart from what every entry has."""
    known = {"value": None, **entry}
    if known.get("status") == "undecided":
        known |= {"status": ERROR, "reason": _UNDECIDED}
    if "details" not in known:
        known["details"] = {name: value for name, value in entry.items() if name not in ENTRY_KEYS}
    return known


def _asked_limit(measure: str, options: Mapping[str, Any]) -> float | None:
    """The limit that was asked for, where nothing came of it; text is as it was typed."""
    given = ((options.get("options") or {}).get(measure) or {}).get("limit")
    try:
        return None if given is None or isinstance(given, bool) else float(Fraction(str(given)))
    except (ValueError, ZeroDivisionError):
        return None
