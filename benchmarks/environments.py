"""Environments of their own for the packages that petaudit is compared with."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_INSTALL_LIMIT: Final = 600


def python_with(
    environment: Path, package: str, version: str, also: Sequence[str] = ()
) -> tuple[str | None, str]:
    """The Python that has a version of a package, made on first use; or None and the reason."""
    python = environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    question = f"from importlib.metadata import version; print(version({package!r}))"
    if _answer([str(python), "-c", question]) == version:
        return str(python), ""
    pip = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    steps = (
        [sys.executable, "-m", "venv", "--clear", str(environment)],
        [*pip, "install", f"{package}=={version}", *also],
    )
    for step in steps:
        try:
            done = subprocess.run(
                step, capture_output=True, text=True, timeout=_INSTALL_LIMIT, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as problem:
            return None, str(problem)
        if done.returncode:
            return None, (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    return str(python), ""


def _answer(command: Sequence[str]) -> str | None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if not done.returncode else None
