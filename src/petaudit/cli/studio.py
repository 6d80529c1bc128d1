"""``petaudit studio``."""

from __future__ import annotations

import argparse
import importlib.util
import sys

from petaudit.cli.arguments import whole_number
from petaudit.cli.streams import say
from petaudit.errors import InputError, OptionError
from petaudit.i18n.catalogue import language
from petaudit.system.memory import set_memory
from petaudit.tables import is_address, remove_orphans
from petaudit.tables.files import find_files

_NEEDED = ("starlette", "uvicorn")
_LAST_PORT = 65_535


def studio(chosen: argparse.Namespace) -> int:
    """Open the studio and answer until Ctrl-C."""
    if any(importlib.util.find_spec(name) is None for name in _NEEDED):
        raise InputError(
            "the studio needs {packages}, which are not installed; install petaudit[studio]",
            packages=" and ".join(_NEEDED),
        )
    port = whole_number(chosen.port, "--port")
    if not 0 <= port <= _LAST_PORT:
        raise OptionError("--port must be from 0 to {most}, got {port}", most=_LAST_PORT, port=port)
    set_memory(chosen.memory)
    if chosen.table is not None and not is_address(chosen.table):
        # Whoever typed it is here, and not yet at the page.
        find_files(chosen.table)
    # It needs the two packages.
    from petaudit.studio.server import serve  # noqa: PLC0415
    from petaudit.studio.session import Studio  # noqa: PLC0415

    remove_orphans()
    state = Studio(language=language(), memory=chosen.memory)
    try:
        if chosen.table is not None:
            state.open(chosen.table)
        serve(state, port=port, opens_browser=not chosen.no_browser, say=_say)
    except KeyboardInterrupt:
        # How one leaves it.
        pass
    finally:
        state.close()
    return 0


def _say(address: str) -> None:
    """Print the address at once: programs wait for it, too."""
    say(f"{address}\n")
    if sys.stdout is not None:
        sys.stdout.flush()
