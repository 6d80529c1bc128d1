"""Whether somebody still answers at a Spark master: its own client waits for it in silence."""

from __future__ import annotations

import re
import socket
from typing import Final

_SECONDS_TO_CONNECT: Final = 5.0
_STANDALONE = re.compile(r"spark://(.+)")


def addresses_of(master: str) -> list[tuple[str, int]]:
    """Where a standalone master listens; several may stand in for each other.

    >>> addresses_of("spark://a:7077,b:7078"), addresses_of("yarn"), addresses_of("spark://[::1]:7")
    ([('a', 7077), ('b', 7078)], [], [('::1', 7)])
    """
    found = _STANDALONE.fullmatch(master)
    named = [own.rpartition(":") for own in found[1].split(",")] if found else []
    return [(host.strip("[]"), int(port)) for host, _, port in named if host and port.isdecimal()]


def answers(master: str) -> bool:
    """Whether one of the addresses takes a connection; a master without addresses is taken to."""
    addresses = addresses_of(master)
    return not addresses or any(map(_takes_connections, addresses))


def _takes_connections(address: tuple[str, int]) -> bool:
    try:
        with socket.create_connection(address, timeout=_SECONDS_TO_CONNECT):
            return True
    except (OSError, OverflowError, UnicodeError):
        return False
