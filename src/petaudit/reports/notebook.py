"""How results look in a notebook: a small table in the colours of whatever theme it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from petaudit.errors import phrase
from petaudit.i18n.catalogue import language
from petaudit.reports.reading import view_of
from petaudit.reports.sentences import headline, status_word
from petaudit.reports.single import document_of
from petaudit.reports.view import MARKS, Card, View, value_text
from petaudit.reports.voice import Voice

if TYPE_CHECKING:
    from petaudit.auditing.runner import Audit
    from petaudit.measures import Result

_COLOURS: Final = {
    # Legible on white as on black, and told apart by their marks, too.
    "passed": "#0a8f6a",
    "failed": "#d9541e",
    "error": "#b0609a",
    "measured": "inherit",
}


def audit_html(audit: Audit) -> str:
    """An audit as a table of its measures."""
    return _html(view_of(audit.to_dict(with_pictures=False)), with_headline=True)


def result_html(result: Result) -> str:
    """One result with what is behind it."""
    return _html(view_of(document_of(result)), with_headline=False)


def _html(view: View, *, with_headline: bool) -> str:
    from markupsafe import Markup, escape  # noqa: PLC0415 (only where somebody looks)

    voice = Voice(language=language(), revealed=True)
    say = voice.say
    cell = Markup('<td style="text-align:left;padding:.2em 1em .2em 0">{}</td>').format
    head = Markup('<th style="text-align:left;padding:.2em 1em .2em 0">{}</th>').format
    rows = [
        head(say(card.title)) + cell(_shown(card, voice)) + cell(say(card.rule or "-"))
        + cell(_status(card, voice))
        for card in view.cards
    ]  # fmt: skip
    titles = (phrase("Measure"), phrase("Value"), phrase("Limit"), phrase("Verdict"))
    top = Markup("").join(head(say(title)) for title in titles)
    found = escape("")
    if with_headline:
        found += Markup("<p><strong>{}</strong></p>").format(say(headline(view)))
    found += Markup("<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>").format(
        top, Markup("").join(Markup("<tr>{}</tr>").format(row) for row in rows)
    )
    if not with_headline:
        lines = [*view.cards[0].explanation, *view.cards[0].warnings]
        found += Markup("<ul>{}</ul>").format(
            Markup("").join(Markup("<li>{}</li>").format(say(line)) for line in lines)
        )
    return str(found)


def _shown(card: Card, voice: Voice) -> str:
    if isinstance(card.value, bool):
        return voice.say(phrase("holds") if card.value else phrase("does not hold"))
    return value_text(card)


def _status(card: Card, voice: Voice) -> Any:
    from markupsafe import Markup  # noqa: PLC0415 (as above)

    return Markup('<span style="color:{}">{} {}</span>').format(
        _COLOURS[card.status], MARKS[card.status], voice.say(status_word(card.status))
    )
