"""The pages of the documentation: their files, their commands, their Python."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import in_process
import petaudit

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
CHINESE = "zh-TW/"
LANGUAGES = ("", CHINESE)
"""What stands before the name of a page, in its language."""

RELEASED = """zip,age,disease
130**,<40,flu
130**,<40,gout
130**,<40,flu
130**,<40,cancer
130**,<40,flu
148**,>=40,flu
148**,>=40,gout
148**,>=40,gout
148**,>=40,cancer
148**,>=40,flu
"""
"""What pages call released.csv where they say nothing more about it."""


@dataclass(frozen=True)
class Command:
    """A line of a page for the shell, and what the page says that comes of it."""

    page: str
    line: str
    output: str | None
    environment: tuple[tuple[str, str], ...] = ()

    @property
    def exit_code(self) -> int:
        """What the output says, or a comment behind the command; else 0."""
        # A verdict is folded to the width of the terminal.
        said = re.findall(r"[(（](?:exit\s+code|結\s*束\s*碼)\s+(\d)[)）]", self.output or "")
        said += re.findall(r"# (?:exit code|結束碼) (\d)$", self.line)
        return int(said[-1]) if said else 0

    @property
    def files(self) -> list[str]:
        """The files and folders that it writes."""
        return re.findall(r"--(?:out|report) ([\w./-]+)", self.line)


def text_of(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text_of(page), re.DOTALL | re.MULTILINE)


def commands(page: str) -> Iterator[Command]:
    """The commands for petaudit, and what copies its files, in order."""
    shown = r"^```sh\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?"
    exported = tuple(re.findall(r"^export (\w+)=(\S+)$", text_of(page), re.MULTILINE))
    for block, output in re.findall(shown, text_of(page), re.DOTALL | re.MULTILINE):
        lines = re.sub(r"\\\n\s*", "", block).splitlines()
        for line in lines:
            if line.startswith(("petaudit ", "cp ")):
                shows = output if output and len(lines) == 1 else None
                yield Command(page, line, shows, exported)


def write_files(page: str, folder: Path) -> None:
    """Save the tables and the YAML files that a page shows under the names that it gives them."""
    (folder / "released.csv").write_text(RELEASED, encoding="utf-8")
    tables = r"^(?:Save this as|將以下內容存成) `([\w.-]+)`[:：]\n\n```csv\n(.*?)^```$"
    for name, table in re.findall(tables, text_of(page), re.DOTALL | re.MULTILINE):
        (folder / name).write_text(table, encoding="utf-8")
    for block in blocks(page, "yaml"):
        if named := re.match(r"# ([\w-]+\.yaml)\n", block):
            (folder / named[1]).write_text(block, encoding="utf-8")


def perform(
    line: str, folder: Path, exported: tuple[tuple[str, str], ...] = ()
) -> subprocess.CompletedProcess[str]:
    """Do what a reader who copies the line does; a shell is started only where it is needed."""
    environment = {"COLUMNS": "100", "PETAUDIT_LANG": "en"} | dict(exported)
    command = re.sub(r"\s+# .*$", "", line.replace("\\\n", " ").strip())
    if command.startswith("petaudit ") and not re.search(r"[|<>&;$`*?\n]", command):
        return in_process.run(shlex.split(command)[1:], folder, environment)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["/bin/sh", "-c", line],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path} | environment,
        cwd=folder,
        timeout=300,
        check=False,
    )


def of_this_version(output: str) -> str:
    return re.sub(r"^petaudit [0-9.]+(?=[:：])", f"petaudit {petaudit.__version__}", output)
