"""Questions at a terminal: the role of one column after another, with the guess as the answer."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from petaudit.cli.streams import say_lines
from petaudit.errors import InputError, phrase, shortened, term
from petaudit.i18n.phrases import translate
from petaudit.i18n.text import printable
from petaudit.roles import Role
from petaudit.starter import Guess
from petaudit.starter.starter import ROLE_NAMES

_KEYS: Final = {
    "i": Role.IDENTIFIER,
    "q": Role.QUASI_IDENTIFIER,
    "s": Role.SENSITIVE,
    "n": Role.INSENSITIVE,
}
_UNDECIDED: Final = "u"
_BACK: Final = "b"
_ALL: Final = "a"
_HELP: Final = "?"
_EXPLAINED: Final = (
    phrase("  i  identifier: tells who a person is, such as a name or a number of a person"),
    phrase("  q  quasi-identifier: others may know it, such as age, sex, place or a date"),
    phrase("  s  sensitive: must not become known, such as an illness, an income or a mark"),
    phrase("  n  insensitive: neither known to others nor worth protecting"),
    phrase("  u  undecided: the column stays without a role, and every run asks about it"),
    phrase("  b  back to the column before"),
    phrase("  a  all the rest as guessed"),
    phrase("  Enter takes the guess. Ctrl-C leaves, and nothing is written."),
)


def can_ask() -> bool:
    """Whether a person can be asked and can see the question."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def ask_roles(guesses: Sequence[Guess], is_about_people: bool) -> tuple[bool, tuple[Guess, ...]]:
    """Ask whether rows are people, if that is in doubt, and what each column is."""
    if not is_about_people:
        question = phrase("No column says that the rows are people. Are they? y or n [n]: ")
        if _answer(question, ("y", "n", "")) != "y":
            return False, tuple(guesses)
    say_lines(_EXPLAINED)
    answers = list(guesses)
    place = 0
    while place < len(guesses):
        answer = _ask(guesses[place], answers[place], place, len(guesses))
        if answer == _ALL:
            break
        if answer == _BACK:
            place = max(place - 1, 0)
        elif isinstance(answer, Guess):
            answers[place] = answer
            place += 1
    return True, tuple(answers)


def _ask(guess: Guess, before: Guess, place: int, many: int) -> Guess | str:
    """The answer about one column, or where to go. An earlier answer is what Enter takes."""
    name = shortened(guess.column.strip(), 60) or term("(no name)")
    say_lines(
        [
            "",
            phrase("{place} of {many}: {column}", place=place + 1, many=many, column=name),
            guess.reason,
        ]
    )
    taken = ROLE_NAMES[before.role] if before.is_sure else term("not sure")
    question = phrase("  [{answer}] i, q, s, n, u, b, a or ?: ", answer=taken)
    while True:
        answer = _answer(question, (*_KEYS, _UNDECIDED, _BACK, _ALL, _HELP, ""))
        if answer == "":
            return before
        if answer in (_BACK, _ALL):
            return answer
        if answer == _UNDECIDED:
            return replace(guess, is_sure=False)
        if answer != _HELP:
            return _decided(guess, _KEYS[answer])
        say_lines(_EXPLAINED)


def _decided(guess: Guess, role: Role) -> Guess:
    if role is guess.role and guess.is_sure:
        return guess
    return replace(guess, role=role, is_sure=True, is_certain=False, reason=term("your answer"))


def _answer(question: str, known: Sequence[str]) -> str:
    """One of the known keys; the question comes again after any other."""
    while True:
        try:
            given = input(printable(translate(question)))
        except EOFError:
            raise InputError(
                "the answers ended before the last question; nothing is written"
            ) from None
        # An input method for Chinese may type letters of full width.
        key = unicodedata.normalize("NFKC", given).strip().lower()
        if key in known:
            return key
        say_lines([phrase("  that is none of the keys")])
