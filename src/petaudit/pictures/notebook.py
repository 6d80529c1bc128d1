"""Results in a notebook: a small table in the colors of whatever theme it has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from petaudit.errors import phrase, term
from petaudit.i18n.catalogue import language
from petaudit.i18n.voice import Voice

STATUS_WORDS: Final = {
    "failed": term("failed"),
    "error": term("not decided"),
    "passed": term("passed"),
    "measured": term("measured"),
    "open": term("passed, with open questions"),
}
MARKS: Final = {"failed": "✗", "error": "?", "passed": "✓", "measured": "·", "open": "!"}
"""A sign for each status, so that color is never all there is."""
_COLORS: Final = {
    # Legible on white as on black.
    "passed": "#0a8f6a",
    "failed": "#d9541e",
    "error": "#b0609a",
    "measured": "inherit",
}


class FigureRow(NamedTuple):
    """A figure as a row of a table."""

    title: str
    value: float | bool | None
    value_text: str
    rule: str | None
    status: str


def notebook_table(
    rows: Iterable[FigureRow], *, headline: str | None = None, lines: Iterable[str] = ()
) -> str:
    """Return figures as HTML, with a headline above and sentences below."""
    from markupsafe import Markup  # noqa: PLC0415 (only where somebody looks)

    say = Voice(language=language(), revealed=True).say
    cell = Markup('<td style="text-align:left;padding:.2em 1em .2em 0">{}</td>').format
    head = Markup('<th style="text-align:left;padding:.2em 1em .2em 0">{}</th>').format
    titles = (phrase("Measure"), phrase("Value"), phrase("Limit"), phrase("Verdict"))
    body = Markup("")
    for row in rows:
        value = row.value_text
        if isinstance(row.value, bool):
            value = say(phrase("holds") if row.value else phrase("does not hold"))
        # Undecided, for example, is not a verdict either.
        status = row.status if row.status in _COLORS else "error"
        verdict = Markup('<span style="color:{}">{} {}</span>').format(
            _COLORS[status], MARKS[status], say(STATUS_WORDS[status])
        )
        cells = head(say(row.title)) + cell(value) + cell(say(row.rule or "-")) + cell(verdict)
        body += Markup("<tr>{}</tr>").format(cells)
    html = Markup("<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>").format(
        Markup("").join(head(say(title)) for title in titles), body
    )
    if headline is not None:
        html = Markup("<p><strong>{}</strong></p>{}").format(say(headline), html)
    items = Markup("").join(Markup("<li>{}</li>").format(say(line)) for line in lines)
    return str(html + Markup("<ul>{}</ul>").format(items) if items else html)
