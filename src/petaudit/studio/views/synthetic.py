"""A synthetic table: what is tried against it, what is allowed, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from petaudit.errors import OptionError, phrase, term
from petaudit.judging.policy import policies
from petaudit.measures import find_measure
from petaudit.reports.html import report_body
from petaudit.singling.options import PROFILES
from petaudit.studio import document, trio
from petaudit.studio.document import Content, only
from petaudit.studio.session import Finished
from petaudit.studio.views.limits import checked_limit, set_policy

if TYPE_CHECKING:
    from petaudit.studio.session import Studio

TITLE: Final = term("Synthetic tables")
_MOST_COLUMNS: Final = (1, 2, 3, 4)
_JUDGED: Final = "privacy_risk_score"
_LISTS: Final = {
    "secret": term("secret"),
    "first": term("one source knows"),
    "second": term("another source knows"),
}


def context(studio: Studio, _: Mapping[str, str]) -> dict[str, Any]:
    """What is tried, and the body of the report on it."""
    content, parts = studio.content, trio.parts(studio.content)
    if parts is not None:
        studio.ensure_run()
        content = studio.content
    facts = studio.facts
    own = studio.result
    finished = own if isinstance(own, Finished) and parts is not None else None
    first, second = trio.links(content)
    all_limits = document.all_limits(content)
    return {
        "parts": parts,
        "facts": facts,
        "look": studio.look,
        "can_run": studio.can_run,
        "result": own,
        "finished": finished,
        "body": "" if finished is None else report_body(finished.view, studio.voice),
        "lists": _LISTS,
        "chosen": {"secret": trio.secrets(content), "first": first, "second": second},
        "uncountable": [] if facts is None else trio.uncountable(facts),
        "attacks": [
            {
                "measure": find_measure(name),
                "limit": all_limits.get(name),
                "is_asked": name in trio.asked(content),
                "is_of_policy": name in all_limits and document.limits(content).get(name) is None,
            }
            for name in trio.ATTACKS
        ],
        "singled_out": trio.asked(content).get(trio.SINGLED_OUT, {}),
        "profiles": [name for name, each in PROFILES.items() if each.figure == _JUDGED],
        "most_columns": _MOST_COLUMNS,
        "policies": {
            name: each for name, each in policies().items() if {*each.demands} <= {*trio.ATTACKS}
        },
        "policy": document.policy(content),
    }


def set_attacks(studio: Studio, form: Mapping[str, str]) -> None:
    """Say what is tried, on which columns, and how much is allowed."""
    facts, parts = studio.facts, trio.parts(studio.content)
    if facts is None or parts is None:
        raise LookupError
    names = [column["name"] for column in facts["columns"]]
    profile = form["profile"] and only(form["profile"], [*PROFILES])
    most_columns = int(only(form["columns"], [*map(str, _MOST_COLUMNS)]))
    guessed, first, second = (
        [name for number, name in enumerate(names) if f"{each}-{number}" in form] for each in _LISTS
    )
    if bool(first) != bool(second):
        raise OptionError("linking needs columns of both sources, or of none")
    given = {name: form.get(f"limit-{name}") for name in trio.ATTACKS}
    limits = {
        name: checked_limit(studio, find_measure(name), text)
        for name, text in given.items()
        if text is not None
    }

    def change(content: Content) -> None:
        trio.set_singled_out(content, profile or None, most_columns)
        if not parts["control"]:
            return
        trio.set_columns(content, guessed, (first, second))
        for name in {*limits} & {*trio.asked(content)}:
            document.set_limit(content, name, limits[name])

    studio.edit(phrase("what is tried on the synthetic table"), change)


ACTIONS: Final = {"attacks": set_attacks, "attack-policy": set_policy}
