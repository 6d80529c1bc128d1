"""The command that checks a table that was just written, and makes the report to keep with it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from petaudit.cli.streams import say, say_lines
from petaudit.i18n.text import joined_names, printable
from petaudit.roles import Roles


def say_next_check(title: str, target: Path, roles: Roles, limits: Sequence[str]) -> None:
    """Say it below a title, on one line to be copied."""
    words = ["petaudit", "check", str(target), "--qi", joined_names(roles.quasi_identifiers)]
    if roles.sensitive:
        words += ["--sensitive", joined_names(roles.sensitive)]
    page = target.with_name(f"{target.name.partition('.')[0]}.html")
    say_lines([title])
    say(printable(f"  {shlex.join([*words, *limits, '--report', str(page)])}") + "\n")
