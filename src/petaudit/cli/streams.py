"""What the command line says: every line passes through here on its way out."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator

from petaudit.cli.logs import json_log
from petaudit.cli.progress import without_progress
from petaudit.errors import InputError, PetauditWarning, phrase
from petaudit.i18n.phrases import translate
from petaudit.i18n.text import json_text, printable, without_passwords
from petaudit.reports.terminal import as_text


def prepare() -> None:
    """Escape characters that a terminal cannot show instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def say(text: str) -> None:
    """Print a finished text, whose lines are printable."""
    with standard_output():
        # There is none in a service, or after ``>&-`` in a shell.
        if sys.stdout is not None:
            sys.stdout.write(text)


def say_lines(lines: Iterable[str]) -> None:
    """Print lines in the chosen language, folded to the width of the terminal."""
    say(as_text(lines))


def say_json(document: object) -> None:
    """Print a document as JSON that standard output can hold."""
    say(json_text(document, ascii_only=not takes_unicode()) + "\n")


def complain(message: str, level: str = "info", *, shown: str | None = None) -> None:
    """Print one line to standard error, where people and CI look for what went wrong.

    People are shown another text than a log, which has the level apart.
    """
    log = json_log()
    if log is not None:
        event = "message" if level == "info" else level
        log.put(level, event, message=without_passwords(translate(message)))
    elif sys.stderr is not None:
        text = without_passwords(printable(translate(message if shown is None else shown)))
        with contextlib.suppress(OSError), without_progress():
            sys.stderr.write(f"petaudit: {text}\n")
            sys.stderr.flush()


def complain_of_error(message: str) -> None:
    """Print what is wrong, as an error."""
    complain(message, "error", shown=phrase("error: {message}", message=message))


def complain_of_warning(message: str) -> None:
    """Print what the reader should know, as a warning."""
    complain(message, "warning", shown=phrase("warning: {text}", text=message))


@contextlib.contextmanager
def printed_warnings() -> Iterator[None]:
    """Print our warnings at once, before a long wait, and each once."""
    said: set[str] = set()

    def show(text: str) -> None:
        if text not in said:
            said.add(text)
            complain_of_warning(text)

    with _warnings_to(show):
        yield


@contextlib.contextmanager
def kept_warnings() -> Iterator[list[str]]:
    """Keep our warnings for later, for what shows them itself."""
    kept: list[str] = []
    with _warnings_to(kept.append):
        yield kept


@contextlib.contextmanager
def _warnings_to(show: Callable[[str], None]) -> Iterator[None]:
    """Have our warnings handed over; others are ignored: they may quote cells."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", PetauditWarning)
        warnings.showwarning = lambda message, *_, **__: show(
            message.args[0] if isinstance(message, PetauditWarning) else str(message)
        )
        yield


def finish() -> None:
    """Write out what is still held back, so that a failure is noticed and not lost at exit."""
    with standard_output():
        if sys.stdout is not None:
            sys.stdout.flush()


@contextlib.contextmanager
def standard_output() -> Iterator[None]:
    """Turn a full disk into an error; a reader that has left is told apart as a broken pipe."""
    try:
        with without_progress():
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
