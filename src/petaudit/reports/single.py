"""A document of one result, for those who ask for one measure alone."""

from __future__ import annotations

from typing import Any

from petaudit.auditing.document import CHECK, new_document
from petaudit.measures import Result


def document_of(result: Result) -> dict[str, Any]:
    """The result as a check of which nothing else is known.

    >>> import petaudit, pyarrow as pa
    >>> found = petaudit.k_anonymity(pa.table({"zip": ["1", "1"]}), quasi_identifiers="zip")
    >>> document_of(found)["verdict"]
    'measured'
    """
    entry = result.to_entry()
    status = str(entry["status"])
    verdict = status if status in ("passed", "failed", "measured") else "error"
    return new_document(CHECK, verdict, {"inputs": {}, "results": [entry]})
