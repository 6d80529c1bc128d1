"""A steward who does not program, in the first hour: knows a file, and what the screens say.

    python tests/steward.py TABLE [LANGUAGE]

Commands run in a pseudo-terminal of 40 lines and 100 columns. Every word that is typed was on a
screen before, or is ``petaudit`` or the name of the file: otherwise :class:`NeverShownError` says
which word somebody would have to know.
"""

from __future__ import annotations

import fcntl
import os
import re
import select
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

LINES, COLUMNS = 40, 100
LOCALES: Final = {"en": "C.UTF-8", "zh-TW": "zh_TW.UTF-8"}
_KNOWN: Final = ("petaudit", "--help")
_PATIENCE: Final = 120.0
_MOST_TRIES: Final = 4
_ESCAPE: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_PROMPT: Final = re.compile(r"[:：] $")
_COMMAND: Final = re.compile(r"^ +(petaudit (?!.*\b(?:TABLE|NEW)\b).+)$", re.MULTILINE)
"""Without those that stand for a file that somebody may have later."""
_COMMANDS: Final = re.compile(r"(?:^ +petaudit .+\n)+", re.MULTILINE)
_OPTION: Final = re.compile(r"(--[a-z][a-z-]*) ('[^']*'|[^\s(),;'）；，]+)")
_PAGE: Final = re.compile(r"[\w.-]+\.html")
_GUESS: Final = re.compile(r"\[([^\]]+)\][^\[]*$")


class NeverShownError(AssertionError):
    """A step needs knowledge that no screen gave."""


class DeadEndError(AssertionError):
    """A screen does not say how to go on."""


@dataclass
class Screen:
    """What a command left on the terminal, and its exit code."""

    command: str
    text: str
    code: int

    @property
    def commands(self) -> list[str]:
        """The commands that it shows to copy, each on a line of its own."""
        return _COMMAND.findall(self.text)

    @property
    def ways(self) -> list[list[str]]:
        """The same, with those together that stand below each other and are typed in turn."""
        blocks = map(_COMMAND.findall, _COMMANDS.findall(self.text))
        return [commands for commands in blocks if commands]


@dataclass
class Steward:
    """Plays the hour with one table, in its folder."""

    table: Path
    language: str
    roles: Mapping[str, str] = field(default_factory=dict)
    """What the steward knows about columns that petaudit is not sure of: the key to answer."""
    screens: list[Screen] = field(default_factory=list)

    # --- what was shown -----------------------------------------------------------------------

    def look(self, text: str, what: str) -> None:
        """Take in another screen, such as a page in a browser."""
        self.screens.append(Screen(what, text, 0))

    def refuse_unknown(self, command: str) -> None:
        """Raise an error for the first word that nobody could know."""
        for word in shlex.split(command):
            if not self._is_known(word):
                raise NeverShownError(f"no screen showed {word!r}, needed for: {command}")

    def _is_known(self, word: str) -> bool:
        if word in (*_KNOWN, self.table.name) or self._was_shown(word):
            return True
        parts = re.split(r"[,=/]", word)
        return len(parts) > 1 and all(map(self._is_known, parts))

    def _was_shown(self, word: str) -> bool:
        whole = re.compile(rf"(?<![\w.-]){re.escape(word)}(?![\w-])")
        return bool(word) and any(whole.search(screen.text) for screen in self.screens)

    # --- what is typed ------------------------------------------------------------------------

    def type(self, command: str) -> Screen:
        """Type a command whose words are known, answer what it asks, and read what it says."""
        self.refuse_unknown(command)
        ours, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        process = subprocess.Popen(
            [sys.executable, "-m", *shlex.split(command)],
            stdin=theirs, stdout=theirs, stderr=theirs,
            cwd=self.table.parent, env=self._environment(), start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        raw = b""
        while select.select([ours], [], [], _PATIENCE)[0]:
            try:
                part = os.read(ours, 65_536)
            except OSError:
                # So Linux says that the other side is closed.
                break
            raw += part
            question = _as_shown(raw.decode(errors="ignore"))
            if _PROMPT.search(question) and not select.select([ours], [], [], 0.2)[0]:
                os.write(ours, self._answer(question).encode() + b"\r")
        os.close(ours)
        screen = Screen(command, _as_shown(raw.decode()), process.wait(timeout=_PATIENCE))
        self.screens.append(screen)
        return screen

    def _environment(self) -> dict[str, str]:
        """A plain shell in the language of the system, and no continuous integration."""
        left_out = ("CI", "COLUMNS", "LINES", "NO_COLOR", "LANGUAGE", "LC_MESSAGES")
        inherited = {name: value for name, value in os.environ.items() if name not in left_out}
        locale = LOCALES[self.language]
        return inherited | {"TERM": "xterm", "LC_ALL": locale, "LANG": locale}

    def _answer(self, question: str) -> str:
        """The key for a question: the guess, but for what only the steward can know."""
        *_, asked = question.splitlines()
        keys = re.split(r"\W+", asked.partition("]")[2] or asked)
        recent = question[question.rfind("\n\n") :]
        for name, key in self.roles.items():
            if re.search(rf"[:：] ?{re.escape(name)}$", recent, re.MULTILINE):
                if key not in keys:
                    raise NeverShownError(f"no screen showed the key {key!r} for {name}")
                return key
        return ""

    # --- the hour -----------------------------------------------------------------------------

    def begin(self) -> Screen:
        """From nothing to a file of roles: ``petaudit`` alone says what to type."""
        start = self.type("petaudit")
        if "petaudit init" not in start.text:
            raise DeadEndError("petaudit alone does not say how to begin")
        screen = self.insist(f"petaudit init {shlex.quote(self.table.name)}")
        asking = [command for command in screen.commands if "--interactive" in command]
        return self.insist(asking[0]) if asking else screen

    def insist(self, command: str) -> Screen:
        """Type a command, and again with the option that its error names."""
        for _ in range(_MOST_TRIES):
            screen = self.type(command)
            if screen.code != 2:
                return screen
            options = dict(_OPTION.findall(screen.text))
            missing = [name for name in options if name not in command]
            if not missing:
                break
            command = f"{command} {missing[0]} {options[missing[0]]}"
        raise DeadEndError(f"{screen.command}: the error names no option to give\n{screen.text}")

    def pages(self) -> list[Path]:
        """The pages that screens named and that are there."""
        names = dict.fromkeys(
            name for screen in self.screens for name in _PAGE.findall(screen.text)
        )
        return [path for name in names if (path := self.table.parent / name).exists()]

    def follow(self, way: Sequence[str]) -> Screen:
        """Type commands that belong together, and then what the last of them shows next."""
        for _ in range(_MOST_TRIES):
            screens = [self.type(command) for command in way]
            for screen in screens:
                if screen.code == 2:
                    raise DeadEndError(f"{screen.command} does not work:\n{screen.text}")
            if not screens[-1].ways:
                return screens[-1]
            [way, *_] = screens[-1].ways
        raise DeadEndError(f"{screens[-1].command} leads nowhere:\n{screens[-1].text}")


def _as_shown(raw: str) -> str:
    """What is left of a text after carriage returns: a line of progress is written over."""
    lines = _ESCAPE.sub("", raw).replace("\r\n", "\n").split("\n")
    return "\n".join(line.rpartition("\r")[2] for line in lines)


def main(arguments: Sequence[str]) -> None:
    """Play the hour with a copy of a table, and print every screen."""
    table, language = Path(arguments[0]), (*arguments[1:], "en")[0]
    with tempfile.TemporaryDirectory() as folder:
        steward = Steward(Path(shutil.copy(table, folder)), language)
        try:
            ran = [steward.type(command) for command in steward.begin().commands]
            for way in ran[-1].ways:
                steward.follow(way)
        finally:
            for screen in steward.screens:
                print(f"{'=' * COLUMNS}\n$ {screen.command}\n{screen.text}[{screen.code}]")


if __name__ == "__main__":
    main(sys.argv[1:])
