"""Before and after: an earlier result beside the one that is shown."""

from __future__ import annotations

from dataclasses import replace

from petaudit.errors import InputError, phrase
from petaudit.i18n.numbers import Unit
from petaudit.reports.view import Before, Card, View


def with_baseline(view: View, earlier: View, name: str) -> View:
    """The view with the figures of an earlier one, where both measured the same thing.

    >>> now = View("check", "a.csv", "1", "measured", 0, (), {}, (
    ...     Card("precision", "measured", 0.5, None, "higher"),))
    >>> then = View("check", "a.csv", "1", "measured", 0, (), {}, (
    ...     Card("precision", "measured", 0.8, None, "higher"),))
    >>> with_baseline(now, then, "then.json").cards[0].before
    Before(value=0.8, reason=None)
    """
    found = {_key(card): card for card in earlier.cards}
    cards = tuple(_compared(card, found.get(_key(card)), view, earlier) for card in view.cards)
    if not any(card.before is not None and card.before.value is not None for card in cards):
        raise InputError("{name}: it has no figure that this result has, too", name=name)
    return replace(view, cards=cards, compared_with=name)


def _key(card: Card) -> tuple[str, str | None]:
    return card.measure, card.run


def _compared(card: Card, before: Card | None, view: View, earlier: View) -> Card:
    if card.before is not None and card.before.value is not None:
        # The gate of the pipeline compared it already.
        return card
    if before is None or before.value is None:
        return replace(card, before=Before(None, phrase("the earlier result has no such figure")))
    is_same = card.figure == before.figure and _whose(card, view) == _whose(before, earlier)
    if view.roles != earlier.roles or not is_same:
        return replace(
            card, before=Before(None, phrase("the earlier figure was measured otherwise"))
        )
    return replace(card, before=Before(before.value))


def _whose(card: Card, view: View) -> tuple[str, str | None]:
    """What was counted, and by which column people were told apart."""
    if card.unit is Unit.ROW:
        return card.unit.value, None
    return card.unit.value, card.person or view.settings.get("person")
