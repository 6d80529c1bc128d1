"""The language of a command, of its help, and of what argparse says.

It is known before anything is parsed, because help is said in it, too.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from petaudit.errors import OptionError, term
from petaudit.i18n.catalogue import ENGLISH, LANGUAGES, language, translation, use_language
from petaudit.i18n.phrases import translate
from petaudit.i18n.text import folded, width_of
from petaudit.system.languages import VARIABLE, checked_language, chosen_language

OPTION: Final = "--lang"
_ANY_CHINESE: Final = "語言"
_OF_ARGPARSE: Final = (
    term("usage: "),
    term("%(heading)s:"),
    term("argument %(argument_name)s: %(message)s"),
    term("the following arguments are required: %s"),
    term("one of the arguments %s is required"),
    term("not allowed with argument %s"),
    term("expected one argument"),
    term("expected at most one argument"),
    term("expected at least one argument"),
    term("expected %s argument"),
    term("ignored explicit argument %r"),
    term("unrecognized arguments: %s"),
    term("unexpected option string: %s"),
)
"""Every text that argparse may look up for us, so that the catalogue has it."""


def add_general(group: argparse._ActionsContainer) -> None:
    """Add help, the language and the log, which may stand before and after the command."""
    # Of two languages the later one counts.
    group.add_argument("-h", "--help", action="help", help=term("show this help message and exit"))
    group.add_argument(
        OPTION,
        metavar=f"{{{','.join(LANGUAGES)}}}",
        type=lambda name: checked_language(name, OPTION),
        default=argparse.SUPPRESS,
        help=term("language of what is printed (default: PETAUDIT_LANG, else that of the system)"),
    )
    group.add_argument(
        "--log-format",
        choices=("text", "json"),
        default=argparse.SUPPRESS,
        help=term(
            "progress, warnings and errors on standard error: text (default), or json, one object "
            "a line"
        ),
    )


def choose_language(arguments: Sequence[str] | None) -> None:
    """Speak the language of the option, else of ``PETAUDIT_LANG``, else of the locale."""
    option = given(arguments, OPTION)
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


def given(arguments: Sequence[str] | None, option: str) -> str | None:
    """The last value of an option; what is wrong with its place is said by the parser."""
    value = None
    before = ""
    for argument in sys.argv[1:] if arguments is None else arguments:
        if argument == "--":
            break
        if before == option and not argument.startswith("-"):
            value = argument
        elif argument.startswith(f"{option}="):
            value = argument.partition("=")[2]
        before = argument
    return value


def _of_the_locale() -> str:
    """English where a locale is Chinese and standard output cannot hold a single ideograph."""
    try:
        _ANY_CHINESE.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeError, LookupError):
        return ENGLISH
    return chosen_language(None, {**os.environ, VARIABLE: ""})


@contextmanager
def translated_argparse() -> Iterator[None]:
    """Let argparse look up its own texts in our catalogue; it has nothing but these two names."""
    spoken, module = language(), vars(argparse)
    if spoken == ENGLISH:
        yield
        return
    before = {name: module[name] for name in ("_", "ngettext")}
    module["_"] = lambda text: translation(text, spoken)
    module["ngettext"] = lambda one, _many, _number: translation(one, spoken)
    try:
        yield
    finally:
        module.update(before)


class HelpFormatter(argparse.HelpFormatter):
    """Says phrases in the chosen language, and knows that ideographs are wide."""

    def start_section(self, heading: str | None) -> None:
        """A heading may be a phrase."""
        super().start_section(None if heading is None else translate(heading))

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return None if action.help is None else translate(action.help)

    def _format_text(self, text: str) -> str:
        return super()._format_text(translate(text))

    def _split_lines(self, text: str, width: int) -> list[str]:
        if language() == ENGLISH:
            return super()._split_lines(text, width)
        return folded(" ".join(text.split()), width, width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if language() == ENGLISH:
            return super()._fill_text(text, width, indent)
        room = width - len(indent)
        return "\n".join(f"{indent}{line}" for line in folded(" ".join(text.split()), room, room))

    def _format_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[Any],
        prefix: str | None,
    ) -> str:
        if prefix is not None or language() == ENGLISH:
            return super()._format_usage(usage, actions, groups, prefix)
        # argparse counts characters, so it gets as many as there are columns.
        title = translate(term("usage: "))
        stand_in = "\0" * width_of(title)
        return super()._format_usage(usage, actions, groups, stand_in).replace(stand_in, title, 1)
