"""What a PostgreSQL session is set to while it counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

COUNTING: Final[Mapping[str, str]] = {
    # What labels look like must not depend on the settings of a server or a user.
    "TimeZone": "UTC",
    "DateStyle": "ISO, YMD",
    "extra_float_digits": "1",
    # A constant ends where its quote ends, whatever is in it.
    "standard_conforming_strings": "on",
    # Rows that a policy hides would be missing from every count: better an error.
    "row_security": "off",
}
READING: Final[Mapping[str, str]] = {
    **COUNTING,
    "default_transaction_read_only": "on",
    # Then no function that somebody put into a schema can take the place of the real one.
    "search_path": "",
}
"""The same, of a session of our own."""


def setting(wanted: Mapping[str, str], *, local: bool) -> tuple[str, list[str]]:
    """The query that makes settings, for one transaction or for the session, and its values."""
    calls = ", ".join([f"pg_catalog.set_config(%s, %s, {str(local).lower()})"] * len(wanted))
    return f"SELECT {calls}", [text for pair in wanted.items() for text in pair]
