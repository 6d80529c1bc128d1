"""Limits: a policy, or figures by hand, each with what it means in this table."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from petaudit.errors import OptionError, counted, phrase, share, term
from petaudit.judging.policy import Policy, policies
from petaudit.measures import Better, Family, Measure, Need, all_measures, find_measure
from petaudit.reports.view import Card
from petaudit.studio import document
from petaudit.studio.document import Content
from petaudit.studio.session import Finished

if TYPE_CHECKING:
    from petaudit.studio.session import Studio

TITLE: Final = term("Limits")
_FIRST: Final = ("k-anonymity", "l-diversity", "t-closeness", "prosecutor-risk")
_USUAL: Final[Mapping[str, tuple[str, ...]]] = {
    "l-diversity": ("2", "3", "5"),
    "t-closeness": ("0.1", "0.2", "0.3", "0.5"),
    "prosecutor-risk": ("0.05", "0.09", "0.2", "0.33"),
}


@cache
def offered() -> dict[str, Measure]:
    """The measures that a limit can be set for with nothing but roles."""
    usual = {
        name: measure
        for name, measure in all_measures().items()
        if measure.limit_help
        and measure.better is not Better.TRUE
        and measure.family in (Family.PRIVACY, Family.RISK)
        and not measure.only_by_name
        and {*measure.needs} <= {Need.QUASI_IDENTIFIERS, Need.SENSITIVE}
        and not any(option.required for option in measure.options)
    }
    return {name: usual[name] for name in (*_FIRST, *usual) if name in usual}


def context(studio: Studio, _: Mapping[str, str]) -> dict[str, Any]:
    """Each measure with its limit, and what that does to the table."""
    studio.ensure_run()
    content = studio.content
    asked = document.limits(content)
    all_limits = document.all_limits(content)
    own = studio.result
    result = own if isinstance(own, Finished) else None
    cards = {} if result is None else {card.measure: card for card in result.view.cards}
    rows = [
        {
            "measure": measure,
            "is_asked": name in asked,
            "limit": all_limits.get(name),
            "is_of_policy": asked.get(name) is None and name in all_limits,
            "card": cards.get(name),
            "means": None if name not in cards else _meaning(cards[name]),
            "choices": _choices(name, result),
        }
        for name, measure in offered().items()
        if name in asked or name in _FIRST[:3]
    ]
    return {
        "rows": rows,
        "others": [measure for name, measure in offered().items() if name not in asked],
        "policies": policies(),
        "policy": document.policy(content),
        "can_run": studio.can_run,
        "result": own,
    }


def _meaning(card: Card) -> str | None:
    """What keeping the limit would cost this table."""
    remedy = card.remedy
    if card.limit is None or remedy is None:
        return None
    rows = remedy.rows_to_suppress or remedy.rows_to_drop or remedy.rows_breaking
    limit = f"{card.limit:g}"
    if card.status == "passed" or not rows:
        return None
    total = remedy.of_rows or rows
    return phrase(
        "With {limit}, {rows} ({share}) would have to go.",
        limit=limit,
        rows=counted(rows, "row", of=total),
        share=share(rows, total),
    )


def _choices(measure: str, result: Finished | None) -> list[tuple[str, str | None]]:
    """Usual limits; of k with the rows in smaller classes, which the measure counted."""
    for entry in () if result is None else result.document["results"]:
        if entry["measure"] == measure == "k-anonymity" and "curve" in entry["details"]:
            total = entry["details"]["rows"]
            return [
                (str(point["k"]), counted(point["rows"], "row", of=total))
                for point in entry["details"]["curve"]
                if point["k"] <= 20
            ]
    usual = _USUAL.get(measure, ("2", "3", "5", "10", "20") if measure == "k-anonymity" else ())
    return [(each, None) for each in usual]


def policy_of(studio: Studio) -> Policy | None:
    """The policy that sets limits, if it is one of petaudit's."""
    return policies().get(document.policy(studio.content) or "")


def set_limit(studio: Studio, form: Mapping[str, str]) -> None:
    """Set the limit of a measure, ask for its figure only, or leave it out."""
    measure = find_measure(form["measure"])
    if measure.name not in offered():
        raise OptionError("{measure} takes no limit", measure=measure.name)
    if form.get("how") == "leave":
        studio.edit(
            phrase("{measure}: left out", measure=measure.name),
            lambda content: document.set_limit(content, measure.name, None, asked=False),
        )
        return
    limit = checked_limit(studio, measure, form.get("limit", ""))
    shown = "-" if limit is None else str(limit)
    studio.edit(
        phrase("{measure}: limit {limit}", measure=measure.name, limit=shown),
        lambda content: document.set_limit(content, measure.name, limit),
    )


def checked_limit(studio: Studio, measure: Measure, given: str) -> int | float | str | None:
    """A limit as somebody types it: one that the measure takes, and no looser than the policy."""
    limit = document.number(given)
    if limit is not None:
        try:
            Fraction(limit)
            is_taken = measure.limit_kind.takes(limit)
        except (ValueError, ArithmeticError):
            is_taken = False
        if not is_taken:
            raise OptionError(
                "the limit of {measure} must be {expected}, got {value!r}",
                measure=measure.name,
                value=given,
                expected=measure.limit_kind.expected,
            )
    named = policy_of(studio)
    demand = None if named is None else named.demands.get(measure.name)
    if named is not None and demand is not None and limit is not None and demand.is_looser(limit):
        raise OptionError(
            "the policy {policy} demands {rule}; a limit may be tighter, but not looser",
            policy=named.name,
            rule=demand.rule,
        )
    return limit


def set_policy(studio: Studio, form: Mapping[str, str]) -> None:
    """Take the limits from a published rule."""
    name = form.get("policy") or None
    if name is not None and name not in policies():
        raise OptionError("{value!r} is none of the choices", value=name)

    def change(content: Content) -> None:
        document.set_policy(content, name)

    studio.edit(phrase("policy: {name}", name=name or "-"), change)


ACTIONS: Final = {"limit": set_limit, "policy": set_policy}
