"""Help and messages of argparse in the chosen language."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from petaudit.errors import term
from petaudit.i18n.catalogue import ENGLISH, language, translation
from petaudit.i18n.phrases import translate
from petaudit.i18n.text import folded, width_of

_OF_ARGPARSE: Final = (
    term("usage: "),
    term("positional arguments"),
    term("options"),
    term("%(heading)s:"),
    term("show this help message and exit"),
    term("show program's version number and exit"),
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


@contextmanager
def argparse_speaks() -> Iterator[None]:
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
        said = translate(term("usage: "))
        stand_in = "\0" * width_of(said)
        return super()._format_usage(usage, actions, groups, stand_in).replace(stand_in, said, 1)
