"""The runs on tables beyond memory, each a program of its own that is run as a user would."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from measuring import HERE

SCRIPTS: Final[Mapping[str, str]] = {"large": "large.py", "mpuccs_large": "mpuccs_large.py"}
_TIME_LIMIT: Final = 3 * 3600


def measure_large_runs(
    folder: Path, place: Path = HERE
) -> Iterator[tuple[str, dict[str, Any] | None, str]]:
    """Each program's document; None and the reason where there is none."""
    for name, script in SCRIPTS.items():
        if not (place / script).is_file():
            yield name, None, f"there is no {script}"
            continue
        print(f"\n{script}", flush=True)
        target = folder / f"{name}.json"
        target.unlink(missing_ok=True)
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, str(place / script), "--json", str(target)]
        command += ["--data", str(folder)]
        try:
            done = subprocess.run(command, timeout=_TIME_LIMIT, check=False)
        except subprocess.TimeoutExpired:
            yield name, None, f"{script} took more than {_TIME_LIMIT // 3600} hours"
            continue
        if not target.is_file():
            yield name, None, f"{script} ended with {done.returncode} and wrote nothing"
            continue
        yield name, {"exit_code": done.returncode, **json.loads(target.read_text())}, ""
