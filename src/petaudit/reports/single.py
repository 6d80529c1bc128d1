"""A document of one result, for those who ask for one measure alone."""

from __future__ import annotations

from typing import Any

from petaudit._version import __version__
from petaudit.measures import Result
from petaudit.reports.reading import CHECK


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
    return {
        "document": CHECK,
        "petaudit": __version__,
        "verdict": verdict,
        "exit_code": {"passed": 0, "measured": 0, "failed": 1, "error": 2}[verdict],
        "inputs": {},
        "results": [entry],
    }
