"""petaudit init --interactive: question by question, and nothing is written before the last."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from petaudit.cli import asking

Run = Callable[..., Any]
Write = Callable[[str, "str | bytes"], Path]

PEOPLE = "name;age;disease;qx\n" + "".join(f"P{n};{n % 3};{n % 2};{n % 5}\n" for n in range(30))


@pytest.fixture
def people(write: Write) -> Path:
    return write("people.csv", PEOPLE)


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What a person types, line by line."""
    typed: list[str] = []

    def type_next(_: str) -> str:
        if not typed:
            raise EOFError
        return typed.pop(0)

    monkeypatch.setattr("builtins.input", type_next)
    monkeypatch.setattr("petaudit.cli.init.can_ask", lambda: True)
    yield typed
    assert not typed


def roles() -> dict[str, list[str]]:
    content = yaml.safe_load(Path("audit.yaml").read_text(encoding="utf-8"))
    found: dict[str, list[str]] = content["Loader"]["people"]["roles"]
    return found


def test_enter_takes_the_guesses(run: Run, people: Path, answers: list[str]) -> None:
    run("init", people)
    guessed = Path("audit.yaml").read_bytes()
    answers += [""] * 4
    assert run("init", people, "--force", "--interactive").code == 0
    assert Path("audit.yaml").read_bytes() == guessed


def test_keys(run: Run, people: Path, answers: list[str]) -> None:
    """Wrong keys are asked again; going back, Enter takes the earlier answer, not the guess."""
    answers += ["Q", "x", "?", "ｓ", "b", "", "u", "b", "", " i "]
    done = run("init", people, "--interactive")
    assert done.code == 0
    assert roles() == {
        "identifier": ["qx"],
        "quasi_identifier": ["name"],
        "sensitive_attribute": ["age"],
    }
    assert "that is none of the keys" in done.out
    assert done.out.count("others may know it") == 2
    assert "#   - disease" in Path("audit.yaml").read_text(encoding="utf-8")


def test_all_the_rest(run: Run, people: Path, answers: list[str]) -> None:
    """As guessed, and an answer that was given before stays."""
    answers += ["q", "a"]
    assert run("init", people, "--interactive").code == 0
    assert roles() == {"quasi_identifier": ["name", "age"], "sensitive_attribute": ["disease"]}


def test_rows_that_may_be_no_people(run: Run, write: Write, answers: list[str]) -> None:
    write("people.csv", "species;egg;sex\na;1;m\nb;2;f\n")
    answers += ["n"]
    assert run("init", "people.csv", "--interactive").code == 0
    assert "roles" not in yaml.safe_load(Path("audit.yaml").read_text())["Loader"]["people"]
    answers += ["y", "q", "s", ""]
    assert run("init", "people.csv", "--interactive", "--force").code == 0
    assert roles() == {"quasi_identifier": ["species", "sex"], "sensitive_attribute": ["egg"]}


def test_answers_that_end_too_early_write_nothing(
    run: Run, people: Path, answers: list[str]
) -> None:
    answers += ["", "q"]
    done = run("init", people, "--interactive")
    assert done.code == 2
    assert "the answers ended before the last question" in done.err
    assert {path.name for path in Path().iterdir()} == {"people.csv"}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ([], "--interactive needs a terminal"),
        (["--out", "-"], "needs a file to write to"),
        (["--synthetic", "people.csv"], "no column needs a role"),
    ],
)
def test_where_nobody_can_be_asked(run: Run, people: Path, more: list[str], said: str) -> None:
    done = run("init", people, "--interactive", *more)
    assert done.code == 2
    assert said in done.err
    assert not Path("audit.yaml").exists()


def test_where_there_is_nothing_to_ask(
    run: Run, write: Write, people: Path, answers: list[str]
) -> None:
    write("people.yaml", "DATASET: {ATTRIBUTE_TYPE: {IDENTIFIER: [name]}}\n")
    done = run("init", people, "--interactive")
    assert done.code == 2
    assert "people.yaml gives the columns their roles already" in done.err


def test_a_first_line_that_may_be_data_is_not_asked_about(
    run: Run, write: Write, answers: list[str]
) -> None:
    write("people.csv", "Smith;33;2024-01-02\nJones;34;2024-01-03\n")
    done = run("init", "people.csv", "--interactive")
    assert done.code == 2
    assert "may be data" in done.err
    assert "Smith" not in done.err + done.out


_PATIENCE = 5.0
"""Seconds in which the program should say something."""


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no pseudo-terminals")
class TestAtATerminal:
    """The real program with a person at the keys."""

    @staticmethod
    def talk(keys: list[bytes], *arguments: str) -> tuple[int, str]:
        """Answer every question as it appears; return the exit code and the screen."""
        ours, theirs = os.openpty()
        command = [sys.executable, "-m", "petaudit", "init", "people.csv", "--interactive"]
        process = subprocess.Popen(
            [*command, *arguments], stdin=theirs, stdout=theirs, stderr=theirs,
            start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        screen = b""
        waiting = list(keys)
        while True:
            if not select.select([ours], [], [], _PATIENCE)[0] and not waiting:
                # Ctrl-C between a prompt and the wait for its answer is seen after the next key.
                process.send_signal(signal.SIGINT)
                continue
            try:
                part = os.read(ours, 4_096)
            except OSError:
                # So Linux says that the other side is closed.
                break
            if not part:
                break
            screen += part
            if screen.endswith((b"?: ", "?： ".encode())) and waiting:
                key = waiting.pop(0)
                if key == b"\x03":
                    process.send_signal(signal.SIGINT)
                else:
                    os.write(ours, key)
        os.close(ours)
        return process.wait(timeout=60), screen.decode()

    def test_a_file_is_written(self, people: Path) -> None:
        code, screen = self.talk([b"\r", b"\r", b"\r", b"s\r"])
        assert code == 0
        assert "4 of 4: qx" in screen
        assert roles()["sensitive_attribute"] == ["disease", "qx"]

    def test_leaving_leaves_nothing(self, people: Path) -> None:
        code, screen = self.talk([b"\r", b"\x03"], "--lang", "zh-TW")
        assert code == 130
        assert "第 2 個，共 4 個：age" in screen
        assert {path.name for path in Path().iterdir()} == {"people.csv"}


def test_a_stream_that_is_missing_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert not asking.can_ask()
