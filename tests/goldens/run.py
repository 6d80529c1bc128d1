"""Runs the cases of cases.yaml; as a program it renews what is expected."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pyarrow.parquet as pq
import yaml

from in_process import run
from petaudit._version import __version__

HERE = Path(__file__).resolve().parent
EXPECTED = HERE / "expected"
LANGUAGES = ("en", "zh-TW")
SCHEMA = "petaudit.schema.json"
"""Written beside a file for editors; the case of its command has it."""
# What differs from run to run, or from version to version, and nothing else.
CHANGING = (
    (re.escape(__version__), "VERSION"),
    (r"\b\d+(?:\.\d+)? (s|ms|秒|毫秒)\b", r"TIME \1"),
    (r'("(?:\w*seconds|encode|prepare|search|total)": )\d+\.[\de-]+', r"\1TIME"),
    (r"\d{4}-\d\d-\d\d[T_ ]\d\d[:-]?\d\d[:-]?\d\d(?:\.\d+)?(?:\+00:00|Z)?", "MOMENT"),
    (r"(?s)<style>.*?</style>", "<style></style>"),
)


def cases() -> Mapping[str, list[str]]:
    """The commands of each case."""
    known = yaml.safe_load((HERE / "cases.yaml").read_text(encoding="utf-8"))
    return {name: [run] if isinstance(run, str) else run for name, run in known.items()}


def outcome(commands: list[str], language: str) -> str:
    """All that a case prints and writes, and its exit codes."""
    parts = []
    environment = {"PETAUDIT_LANG": language, "COLUMNS": "80"}
    with tempfile.TemporaryDirectory(prefix="goldens-") as name:
        folder = Path(name)
        shutil.copytree(HERE / "inputs", folder, dirs_exist_ok=True)
        before = set(folder.rglob("*"))
        for command in commands:
            done = run(shlex.split(command), folder, environment)
            parts.append(f"$ petaudit {command}\n[exit code {done.returncode}]\n{done.stdout}")
            if done.stderr:
                parts.append(f"[standard error]\n{done.stderr}")
        for path in sorted(set(folder.rglob("*")) - before):
            if path.is_file() and path.name != SCHEMA:
                parts.append(f"[{path.relative_to(folder)}]\n{_content(path)}")
        text = "\n".join(part.rstrip("\n") for part in parts) + "\n"
        text = text.replace(str(folder.resolve()), "FOLDER").replace(name, "FOLDER")
    for pattern, shown in CHANGING:
        text = re.sub(pattern, shown, text)
    return text


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
    english, chinese = (outcome(cases()[name], language) for language in LANGUAGES)
    for language, text in zip(LANGUAGES, (english, chinese), strict=True):
        path = EXPECTED / language / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        if language == LANGUAGES[0] or text != english:
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for case in sys.argv[1:] or cases():
        renew(case)
