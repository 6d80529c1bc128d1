"""The language of a command: known before anything is parsed, because help is said in it, too."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Final

from petaudit.errors import OptionError, term
from petaudit.i18n.catalogue import ENGLISH, LANGUAGES, use_language
from petaudit.system.languages import VARIABLE, checked_language, chosen_language

OPTION: Final = "--lang"
_ANY_CHINESE: Final = "語言"


def add_language(parser: argparse.ArgumentParser) -> None:
    """Add the option, which may stand before and after the command; the later one counts."""
    parser.add_argument(
        OPTION,
        metavar=f"{{{','.join(LANGUAGES)}}}",
        type=_checked,
        default=argparse.SUPPRESS,
        help=term("language of what is printed (default: PETAUDIT_LANG, else that of the system)"),
    )


def choose_language(arguments: Sequence[str] | None) -> None:
    """Speak the language of the option, else of ``PETAUDIT_LANG``, else of the locale."""
    option = _given(sys.argv[1:] if arguments is None else arguments)
    # What is wrong about a choice is said in the language that would be spoken without it.
    use_language(_of_the_locale())
    if os.environ.get(VARIABLE):
        try:
            use_language(chosen_language(None))
        except OptionError:
            if option is None:
                raise
    if option is not None:
        use_language(chosen_language(option))


def _checked(name: str) -> str:
    return checked_language(name, OPTION)


def _given(arguments: Sequence[str]) -> str | None:
    """The last value of the option; what is wrong with its place is said by the parser."""
    found = None
    before = ""
    for argument in arguments:
        if argument == "--":
            break
        if before == OPTION and not argument.startswith("-"):
            found = argument
        elif argument.startswith(f"{OPTION}="):
            found = argument.partition("=")[2]
        before = argument
    return found


def _of_the_locale() -> str:
    """English where a locale is Chinese and standard output cannot hold a single ideograph."""
    found = chosen_language(None, {**os.environ, VARIABLE: ""})
    try:
        _ANY_CHINESE.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeError, LookupError):
        return ENGLISH
    return found
