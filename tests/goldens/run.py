"""Runs the cases of cases.yaml and the calls of api.py; as a program it renews what is expected."""

from __future__ import annotations

import atexit
import shlex
import shutil
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pyarrow.parquet as pq
import yaml

from goldens import api
from goldens.normal import normalized
from in_process import run

HERE = Path(__file__).resolve().parent
EXPECTED = HERE / "expected"
LANGUAGES = ("en", "zh-TW")
SCHEMA = "petaudit.schema.json"
"""Written beside a file for editors; the case of its command has it."""
KEPT = ".petaudit-run"
"""What ``--resume`` goes on from; no reader has any use for it."""


@cache
def _documents() -> list[dict[str, list[str]]]:
    text = (HERE / "cases.yaml").read_text(encoding="utf-8")
    return [
        {name: [run] if isinstance(run, str) else run for name, run in known.items()}
        for known in yaml.safe_load_all(text)
    ]


def cases() -> Mapping[str, list[str]]:
    """The commands of each case."""
    in_both, in_english = _documents()
    return in_both | in_english


def languages(name: str) -> tuple[str, ...]:
    """The languages that a case is run in."""
    return LANGUAGES if name in _documents()[0] else LANGUAGES[:1]


def outcome(commands: list[str], language: str) -> str:
    """All that a case prints and writes, and its exit codes."""
    parts = []
    environment = {"PETAUDIT_LANG": language, "COLUMNS": "80", "SOURCE_DATE_EPOCH": "1790000000"}
    folder = _folder()
    before = _state(folder)
    for command in commands:
        done = run(shlex.split(command), folder, environment)
        parts.append(f"$ petaudit {command}\n[exit code {done.returncode}]\n{done.stdout}")
        if done.stderr:
            parts.append(f"[standard error]\n{done.stderr}")
    after = _state(folder)
    assert before.items() <= after.items(), "the case changed an input, which others need"
    for path in sorted(after.keys() - before.keys()):
        if path.name != SCHEMA and KEPT not in path.parts:
            parts.append(f"[{path.relative_to(folder)}]\n{_content(path)}")
        path.unlink()
    text = "\n".join(part.rstrip("\n") for part in parts) + "\n"
    return normalized(text, folder)


@cache
def _folder() -> Path:
    """A folder for the cases of this process, with copies of inputs/ and examples/."""
    folder = Path(tempfile.mkdtemp(prefix="goldens-"))
    atexit.register(shutil.rmtree, folder)
    shutil.copytree(HERE / "inputs", folder, dirs_exist_ok=True)
    shutil.copytree(HERE.parents[1] / "examples", folder / "examples")
    return folder


def _state(folder: Path) -> dict[Path, int]:
    """The files of the folder, and when each was changed."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def _content(path: Path) -> str:
    if path.suffix == ".parquet":
        return str(pq.read_table(path).to_pydict())
    return path.read_text(encoding="utf-8-sig").replace("\r\n", "\n")


def expected_file(name: str, language: str) -> Path:
    """Where the outcome of a case is kept; in Chinese only where it is not the English one."""
    english, path = (EXPECTED / own / f"{name}.txt" for own in (LANGUAGES[0], language))
    return path if path.exists() else english


def renew(name: str) -> None:
    """Keep what the case gives now."""
    english = ""
    for language in languages(name):
        text = outcome(cases()[name], language)
        path = EXPECTED / language / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        if text != english:
            path.write_text(text, encoding="utf-8")
        english = english or text


def api_file(group: str) -> Path:
    """Where the outcome of a group of calls is kept."""
    return EXPECTED / "api" / f"{group}.json"


def renew_api(group: str) -> None:
    """Keep what the calls of the group give now."""
    path = api_file(group)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(api.outcome(group), encoding="utf-8")


if __name__ == "__main__":
    for case in sys.argv[1:] or (*cases(), *api.GROUPS):
        if case in api.GROUPS:
            renew_api(case)
        else:
            renew(case)
