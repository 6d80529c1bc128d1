"""The document of results: what check, run, mpuccs and anonymize write, and how it is read.

Every document has the same keys, and every entry of ``results`` as well (:func:`entry_of`).
Documents of version 1, which had three kinds, are read as if they were of version 2
(:mod:`petaudit.judging.version1`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from petaudit._version import __version__
from petaudit.errors import InputError, listing
from petaudit.i18n.documents import phrases_in, restore_phrases
from petaudit.judging.gate import ERROR, Conclusion
from petaudit.judging.version1 import DOCUMENTS_1, from_version_1
from petaudit.system.files import json_of

DOCUMENT: Final = "petaudit.result/2"
COMMANDS: Final = ("check", "run", "mpuccs", "attack", "anonymize")
CHECK, RUN, MPUCCS, ATTACK, ANONYMIZE = COMMANDS
"""The commands that write one."""
TEXTS: Final = "texts"
_MOST_BYTES: Final = 256 << 20


def new_document(
    command: str,
    conclusion: Conclusion,
    *,
    inputs: Mapping[str, Any],
    results: Sequence[Mapping[str, Any]],
    strict: bool = False,
    left_out: Sequence[Mapping[str, Any]] = (),
    errors: Sequence[Mapping[str, Any]] = (),
    warnings: Sequence[str] = (),
    policies: Sequence[Mapping[str, Any]] = (),
    what_to_do: Sequence[Mapping[str, Any]] = (),
    timings: Mapping[str, Any] | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Return a document; ``settings`` is what a command says of itself.

    ``errors`` are beside those of entries, which are added. Entries of an interrupted run bring
    what their sentences are made of.

    >>> from petaudit.judging.gate import conclude
    >>> document = new_document(CHECK, conclude([], is_incomplete=True), inputs={}, results=[])
    >>> document["verdict"], document["exit_code"], document["errors"]
    ('error', 2, [])
    """
    content = {
        "problems": [*conclusion.problems],
        "open_questions": [*conclusion.open_questions],
        "strict": strict,
        **settings,
        "policies": [*policies],
        "inputs": dict(inputs),
        "results": [without_texts(entry) for entry in results],
        "left_out": [*left_out],
        "breaches": [
            *conclusion.breaches,
            *(breach for entry in results for breach in entry.get("breaches", ())),
        ],
        "errors": [
            *(
                {"run": entry.get("run"), "measure": entry["measure"], "reason": entry["reason"]}
                for entry in results
                if entry["status"] == ERROR
            ),
            *errors,
        ],
        "warnings": [*warnings],
        "what_to_do": [*what_to_do],
    }
    texts = phrases_in(content)
    for entry in results:
        texts |= entry.get(TEXTS, {})
    return {
        "document": DOCUMENT,
        "petaudit": __version__,
        "command": command,
        "verdict": conclusion.verdict,
        "exit_code": conclusion.exit_code,
        **content,
        TEXTS: texts,
        "timings": {"steps": [], "stages": {}} | dict(timings or {}),
    }


def without_texts(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry without what its sentences are made of, which the document has for all."""
    return {name: value for name, value in entry.items() if name != TEXTS}


def with_texts(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content with what its sentences are made of as the last key."""
    plain_content = without_texts(content)
    return plain_content | {TEXTS: phrases_in(plain_content)}


def read_document(path: Path, command: str | None = None) -> dict[str, Any]:
    """Read a document that was written as JSON; an error if it is none, or another command's."""
    document = json_of(path, _MOST_BYTES)
    written_by = command_of(document) if isinstance(document, dict) else None
    if not isinstance(document, dict) or written_by is None:
        raise InputError(
            "{path}: is not a result of petaudit; its document should be one of {known}",
            path=path,
            known=listing([DOCUMENT, *DOCUMENTS_1]),
        )
    if command not in (None, written_by):
        raise InputError(
            "{path}: is a result of petaudit {written_by}, and one of petaudit {command} is needed",
            path=path,
            written_by=written_by,
            command=command,
        )
    return document


def command_of(document: Mapping[str, Any]) -> str | None:
    """Return the command that wrote a document; None if it is no document of petaudit.

    >>> command_of({"document": "petaudit.check/1"}), command_of({"document": "other"})
    ('check', None)
    """
    kind, command = document.get("document"), document.get("command")
    if kind == DOCUMENT:
        return command if command in COMMANDS else None
    return DOCUMENTS_1.get(kind) if isinstance(kind, str) else None


def restored(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document that was read as one of this version, with its phrases."""
    known = document if document["document"] == DOCUMENT else from_version_1(document)
    texts = known.get(TEXTS)
    return dict(restore_phrases(dict(known), texts if isinstance(texts, Mapping) else {}))


def figure_of(value: Any) -> Any:
    """Return a figure as it was before it went into JSON, which has no word for infinity.

    >>> figure_of("inf"), figure_of(0.5), figure_of(True), figure_of("x")
    (inf, 0.5, True, 'x')
    """
    return float(value) if value in ("inf", "-inf") else value


def plain(value: Any) -> Any:
    """Return a setting as JSON can hold it: there is no infinity, and names are text."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if callable(value):
        # Its text has an address of memory in it, and may have values that it was made with.
        return str(getattr(value, "__name__", type(value).__name__))
    return value if isinstance(value, bool | int | float | str | None) else str(value)
