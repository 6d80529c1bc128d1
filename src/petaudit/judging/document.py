"""The documents of results: how they begin, what a figure is in them, and how they are read.

``petaudit check``, ``run`` and ``mpuccs`` write one document each. All begin alike and end with
``texts``, what their sentences are made of, so that they can be translated when they are read.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from petaudit._version import __version__
from petaudit.errors import InputError, listing
from petaudit.i18n.documents import phrases_in, restore_phrases
from petaudit.judging.gate import ERROR, EXIT_CODES, UNDECIDED
from petaudit.system.files import before_reading

CHECK: Final = "petaudit.check/1"
RUN: Final = "petaudit.result/1"
MPUCCS: Final = "petaudit.mpuccs/1"
TEXTS: Final = "texts"
_MOST_BYTES: Final = 256 << 20


def new_document(kind: str, verdict: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document with its head and, unless the content has them, its texts.

    >>> [*new_document(CHECK, "failed", {"results": []}).items()][2:]
    [('verdict', 'failed'), ('exit_code', 1), ('results', []), ('texts', {})]
    """
    head = {
        "document": kind,
        "petaudit": __version__,
        "verdict": verdict,
        "exit_code": EXIT_CODES[ERROR if verdict == UNDECIDED else verdict],
    }
    return {**head, **content} if TEXTS in content else {**head, **with_texts(content)}


def with_texts(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content with what its sentences are made of as the last key."""
    plain_content = {name: value for name, value in content.items() if name != TEXTS}
    return plain_content | {TEXTS: phrases_in(plain_content)}


def read_document(path: Path, known: Sequence[str] = (CHECK, RUN, MPUCCS)) -> dict[str, Any]:
    """Read a document that was written as JSON; an error if it is of no known kind."""
    try:
        before_reading(path)
        if path.stat().st_size > _MOST_BYTES:
            raise InputError(
                "{path}: larger than {size:,} bytes; not read", path=path, size=_MOST_BYTES
            )
        document = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise InputError("file {path!r} does not exist", path=str(path)) from None
    except OSError as problem:
        reason = problem.strerror or type(problem).__name__
        raise InputError("{path}: cannot be read ({reason})", path=path, reason=reason) from None
    except (ValueError, RecursionError):
        raise InputError("{path}: is not valid JSON", path=path) from None
    if not isinstance(document, dict) or document.get("document") not in known:
        raise InputError(
            "{path}: is not a result of petaudit; its document should be one of {known}",
            path=path,
            known=listing(known),
        )
    return document


def restored(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document that was read with its phrases; entries of a pipeline have their own."""
    texts = document.get(TEXTS)
    with_phrases = restore_phrases(dict(document), texts if isinstance(texts, Mapping) else {})
    entries = with_phrases.get("results")
    of_entries: dict[str, Any] = {}
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry.get(TEXTS), Mapping):
            of_entries |= entry[TEXTS]
    return dict(restore_phrases(with_phrases, of_entries) if of_entries else with_phrases)


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
