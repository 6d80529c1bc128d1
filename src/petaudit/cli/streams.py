"""What the command line says: every line passes through here on its way out."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import warnings
from collections.abc import Iterator

from petaudit.errors import InputError, PetauditWarning, phrase
from petaudit.i18n.phrases import translate
from petaudit.i18n.text import json_text as as_json
from petaudit.i18n.text import printable, without_passwords

__all__ = [
    "as_json",
    "complain",
    "complain_of_error",
    "finish",
    "prepare",
    "printable",
    "say",
    "standard_output",
    "takes_unicode",
    "warnings_said",
    "without_passwords",
]


def prepare() -> None:
    """A character that a terminal cannot show is no reason to fail."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def say(text: str) -> None:
    """Print a finished text, whose lines are printable."""
    with standard_output():
        # There is none in a service, or after ``>&-`` in a shell.
        if sys.stdout is not None:
            sys.stdout.write(text)


def complain(message: str) -> None:
    """Print one line to standard error, where people and CI look for what went wrong."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            sys.stderr.write(f"petaudit: {without_passwords(printable(translate(message)))}\n")
            sys.stderr.flush()


def complain_of_error(message: str) -> None:
    """Print what is wrong, as an error."""
    complain(phrase("error: {message}", message=message))


@contextlib.contextmanager
def warnings_said() -> Iterator[None]:
    """Say our own warnings at once, which matters before a long wait; others may quote cells."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", PetauditWarning)
        warnings.showwarning = lambda message, *_, **__: complain(
            phrase("warning: {text}", text=_text_of(message))
        )
        yield


def _text_of(message: Warning | str) -> str:
    """The phrase that a warning was given, or its mere text."""
    [text] = message.args if isinstance(message, Warning) and len(message.args) == 1 else [message]
    return text if isinstance(text, str) else str(text)


def finish() -> None:
    """Write out what is still held back, so that a failure is noticed and not lost at exit."""
    with standard_output():
        if sys.stdout is not None:
            sys.stdout.flush()


@contextlib.contextmanager
def standard_output() -> Iterator[None]:
    """Turn a full disk into an error; a reader that has left is told apart as a broken pipe."""
    try:
        yield
    except BrokenPipeError:
        _abandon_output()
        raise
    except OSError as problem:
        _abandon_output()
        raise InputError(
            "cannot write to standard output ({reason})", reason=problem.strerror or problem
        ) from None


def _abandon_output() -> None:
    """Let what is still held back vanish: Python would complain about it once more at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def takes_unicode() -> bool:
    """Whether standard output can hold every character."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return encoding.lower().replace("_", "-").startswith("utf-")
