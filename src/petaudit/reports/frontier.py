"""The page of risk against utility: one HTML file, without a script and without a network."""

from __future__ import annotations

from collections.abc import Sequence

from petaudit.errors import term
from petaudit.i18n.voice import Voice
from petaudit.pictures import Chart
from petaudit.reports.html import page_parts


def frontier_page(chart: Chart, facts: Sequence[str], voice: Voice) -> str:
    """Return the page of a chart that has a table."""
    from markupsafe import Markup  # noqa: PLC0415 (with Jinja, where a page is made)

    environment, style, policy = page_parts(voice)
    return environment.get_template("frontier.html.j2").render(
        voice=voice,
        chart=chart,
        # Made by us from numbers and escaped names.
        svg=Markup(chart.svg),  # noqa: S704
        style=Markup(style),  # noqa: S704
        policy=policy,
        facts=[voice.say(fact) for fact in facts],
        t=lambda text: voice.say(term(text)),
    )
