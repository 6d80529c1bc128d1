"""What the columns are: facts, the guessed role and why, and what the steward says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from petaudit.errors import phrase, term
from petaudit.roles import Role
from petaudit.starter.starter import ROLE_NAMES, can_be_named
from petaudit.studio import document
from petaudit.studio.document import Content, only

if TYPE_CHECKING:
    from petaudit.studio.session import Studio

TITLE: Final = term("Columns and roles")
OPEN: Final = "open"
"""No role yet."""
_KEYS: Final = {
    Role.IDENTIFIER.value: "i",
    Role.QUASI_IDENTIFIER.value: "q",
    Role.SENSITIVE.value: "s",
    Role.INSENSITIVE.value: "n",
    OPEN: "u",
}
_NAMES: Final = {role.value: ROLE_NAMES[role] for role in Role} | {OPEN: term("no role yet")}
_HELP: Final = {
    Role.IDENTIFIER.value: term("Identifies a person directly: should not be released."),
    Role.QUASI_IDENTIFIER.value: term(
        "Others may know these; together they may identify a person."
    ),
    Role.SENSITIVE.value: term("Must not become known about a person."),
    Role.INSENSITIVE.value: term("Not used by the measures."),
}


def context(studio: Studio, _: Mapping[str, str]) -> dict[str, Any]:
    """A card per column, those without a role first."""
    known = document.roles(studio.content)
    person = document.loader(studio.content).get("person")
    facts = studio.facts
    cards = [
        {
            **column,
            "number": number,
            "given": known.get(column["name"], OPEN),
            "is_person": column["name"] == person,
            "is_named": can_be_named(column["name"]),
        }
        for number, column in enumerate(facts["columns"] if facts else ())
    ]
    return {
        "facts": facts,
        "look": studio.look,
        "cards": sorted(cards, key=lambda card: card["given"] != OPEN),
        "undecided": sum(card["given"] == OPEN for card in cards),
        "role_names": _NAMES,
        "role_keys": _KEYS,
        "role_help": _HELP,
    }


def set_role(studio: Studio, form: Mapping[str, str]) -> None:
    """Give a column a role, and say whether it tells people apart."""
    column = _column(studio, form)
    role = only(form["role"], [*_NAMES])
    is_person = "person" in form

    def change(content: Content) -> None:
        known = document.roles(content)
        known.pop(column, None)
        if role != OPEN:
            known[column] = role
        document.set_roles(content, known)
        if is_person or document.loader(content).get("person") == column:
            document.set_person(content, column if is_person else None)

    note = phrase("{column}: {role}", column=column, role=_NAMES[role])
    if is_person:
        note = phrase("{column}: {role}, tells people apart", column=column, role=_NAMES[role])
    studio.edit(note, change)


def _column(studio: Studio, form: Mapping[str, str]) -> str:
    """A column by its number: a name may hold anything, and a form would change it."""
    facts = studio.facts
    if facts is None:
        raise LookupError
    number = int(form["column"])
    return str(facts["columns"][number]["name"] if number >= 0 else "")


ACTIONS: Final = {"role": set_role}
