"""The report as one HTML file: no script, no network, and a policy in the file that says so."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from petaudit.errors import counted, joined, phrase, term
from petaudit.i18n.numbers import Unit
from petaudit.i18n.text import printable
from petaudit.i18n.voice import Voice
from petaudit.measures import Family, Measure, all_measures
from petaudit.measures.limits import short
from petaudit.pictures import Chart, if_possible
from petaudit.pictures.attacks import draw_all_attacks
from petaudit.pictures.before_after import ComparedFigure, draw_comparison
from petaudit.pictures.notebook import MARKS, STATUS_WORDS
from petaudit.reports.advice import THEN, calls_in_folder
from petaudit.reports.sentences import concerns, headline, lead, next_steps, summary
from petaudit.reports.view import Card, View, sorted_cards

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_Drawings: TypeAlias = tuple[list[Chart], list[str]]
"""The charts of a card, and what is said of pictures that could not be drawn."""
GAUGE_WIDTH: Final = 200.0
MOST_CHARTS: Final = 12
"""Each costs time and space; a pipeline of a hundred runs has hundreds."""
_MOST_TILES: Final = 5
_FEWEST_TILES: Final = 3
_TOLD_FIRST: Final = (
    *("k-anonymity", "l-diversity", "t-closeness", "prosecutor-risk", "mpuccs", "precision"),
)
"""What tiles show where there are few limits."""
_HASH_SHOWN: Final = 12
_KEYS: Final = {
    Family.PRIVACY: "privacy",
    Family.RISK: "risk",
    Family.UTILITY: "utility",
    Family.OTHER: "other",
}
_BETTER: Final = {"lower": phrase("a lower figure"), "higher": phrase("a higher figure")}
_ROLES: Final = {
    "identifier": phrase("identifiers"),
    "quasi_identifier": phrase("quasi-identifiers"),
    "sensitive_attribute": phrase("sensitive attributes"),
    "insensitive_attribute": phrase("insensitive attributes"),
}


def as_html(view: View, voice: Voice) -> str:
    """Return the report in a voice.

    What comes from the data's owner is escaped by the template, always; the pictures are the only
    markup that is put in as it is, and they are made by :mod:`petaudit.pictures`.
    """
    from markupsafe import Markup  # noqa: PLC0415 (with Jinja, where a page is made)

    environment, style, policy = page_parts(voice)
    return environment.get_template("report.html.j2").render(
        policy=policy,
        # A file of this package.
        style=Markup(style),  # noqa: S704
        **_parts(view, voice),
    )


def report_body(view: View, voice: Voice) -> Markup:
    """Return what the page has between its head and its foot, to stand in another page."""
    from markupsafe import Markup  # noqa: PLC0415 (with Jinja, where a page is made)

    body = page_parts(voice)[0].get_template("body.html.j2")
    return Markup(body.render(**_parts(view, voice)))  # noqa: S704 (it escapes what it is given)


def _parts(view: View, voice: Voice) -> dict[str, Any]:
    """Return what the body of the page is made of."""
    from markupsafe import Markup  # noqa: PLC0415 (with Jinja, where a page is made)

    charts, undrawn = _charts(view, voice)
    comparison, notes = if_possible(_comparison, view, voice)
    attacks, problems = if_possible(_attacks, view, voice)
    notes = (*notes, *problems)
    numbers = {id(card): number for number, card in enumerate(view.cards)}
    groups = [
        {
            "key": _KEYS[family],
            "title": family.value,
            "cards": [
                _card(card, f"measure-{numbers[id(card)]}", charts[id(card)], view, voice)
                for card in sorted_cards(cards)
            ],
        }
        for family, cards in view.by_family().items()
    ]
    if undrawn:
        # What is not drawn is said, so that nobody looks for it.
        more = phrase(
            "{number} more pictures are not drawn, to keep the page small.", number=undrawn
        )
        notes = (*notes, more)
    # What several cards warn of is about a table, and said once.
    with_cards = {text for card in view.cards for text in card.warnings} - view.shared_warnings
    warnings = [text for text in view.all_warnings if text not in with_cards]
    return {
        "view": view,
        "voice": voice,
        "say": voice.say,
        "name": voice.name,
        "t": lambda text: voice.say(term(text)),
        # Drawings are made by us from numbers and escaped names.
        "markup": Markup,
        "marks": MARKS,
        "status_words": STATUS_WORDS,
        "kicker": _kicker(view, voice),
        "headline": headline(view),
        "lead": [*lead(view)],
        "concerns": concerns(view),
        "tiles": _tiles(view, numbers, voice),
        "facts": _facts(view, voice),
        "contents": _contents(view, groups, has_notes=bool(view.problems or warnings)),
        "summary": summary(view),
        "steps": [_as_code(voice.say(step), view) for step in next_steps(view)],
        "groups": groups,
        "has_before": any(card.before is not None for card in view.cards),
        "at_a_glance": [chart for chart in (attacks, comparison) if chart is not None],
        "compared_with": None
        if view.compared_with is None
        else phrase("The earlier figures are from {name}.", name=voice.name(view.compared_with)),
        "undrawn": notes,
        "short": short,
        "warnings": warnings,
        "left_out_title": counted(len(view.left_out), "measure"),
        "roles": _roles(view, voice),
    }


def _as_code(step: str, view: View) -> Markup:
    """A step in which commands stand on lines of their own, to be typed in turn."""
    from markupsafe import Markup, escape  # noqa: PLC0415 (with Jinja, where a page is made)

    page = escape(step)
    for calls in filter(None, map(calls_in_folder, view.what_to_do)):
        code = Markup().join(Markup("<code>{}</code>").format(printable(call)) for call in calls)
        page = page.replace(escape(printable(THEN.join(calls))), code)
    return page


def page_parts(voice: Voice) -> tuple[Environment, str, str]:
    """What every page is made with: the templates, the style, and the policy that says so."""
    style = _style() + _print_style(voice)
    return _environment(), style, _policy(style)


def _kicker(view: View, voice: Voice) -> str:
    subject = voice.name(view.subject)
    match view.kind:
        case "run":
            return phrase("Privacy audit by the pipeline {subject}", subject=subject)
        case "mpuccs":
            return phrase("Singling-out audit of {subject}", subject=subject)
    return phrase("Privacy audit of {subject}", subject=subject)


def _tiles(view: View, numbers: Mapping[int, int], voice: Voice) -> list[dict[str, Any]]:
    """Return what is to be seen first: what breaks the release, the limits, and what is open."""

    def counted_tile(status: str, title: str, texts: Sequence[str]) -> list[dict[str, Any]]:
        tile = {"title": title, "value": f"{len(texts):,}", "rule": phrase("see above")}
        return [tile | {"status": status, "target": "verdict", "exact": None}] if texts else []

    breaks = counted_tile("failed", phrase("Reasons not to release"), view.breaks)
    questions = counted_tile("open", phrase("Open questions"), view.questions)
    limits = [card for card in sorted_cards(view.cards) if card.status != "measured"]
    limits.sort(key=lambda card: card.status == "passed" and isinstance(card.value, bool))
    others = {card.measure: card for card in view.cards if card.status == "measured"}
    few = max(_FEWEST_TILES - len(limits), 0)
    shown = [*limits, *[others[name] for name in _TOLD_FIRST if name in others][:few]]
    figures = [
        {
            "title": card.title,
            "value": shown_value(card),
            "rule": card.rule or phrase("no limit was set"),
            "status": card.status,
            "target": f"measure-{numbers[id(card)]}",
            "exact": card.exact_text(voice),
        }
        for card in shown[: _MOST_TILES - len(breaks) - len(questions)]
    ]
    return [*breaks, *figures, *questions]


def _facts(view: View, voice: Voice) -> list[tuple[str, str | None]]:
    """Return who looked at which file, and when."""
    table = view.tables[0] if view.tables else None
    sha256 = view.settings.get("sha256")
    if view.kind != "run" and table is not None:
        sha256 = table.sha256
    facts = {
        term("File"): view.subject,
        term("Rows"): None
        if view.kind == "run" or table is None or table.rows is None
        else voice.count(table.rows, table.rows),
        "SHA-256": None if sha256 is None else f"{sha256[:_HASH_SHOWN]}…",
        term("Date"): view.date,
        term("Reviewed by"): view.reviewer,
        "petaudit": view.version,
    }
    return [(title, text) for title, text in facts.items() if text is not None]


def _contents(view: View, groups: Sequence[Mapping[str, Any]], *, has_notes: bool) -> Any:
    """Return the parts of the page, each with its title."""
    parts = [
        ("next", term("What to do next"), True),
        ("policy", term("Policy"), view.policies),
        *((f"section-{number}", each.title, True) for number, each in enumerate(view.sections)),
        ("glance", term("At a glance"), groups),
        *((f"group-{group['key']}", term(group["title"]), True) for group in groups),
        ("notes", term("Notes"), has_notes),
        ("left-out", term("What was not measured"), view.left_out),
        ("about", term("What this report is based on"), True),
    ]
    return [(target, title) for target, title, is_there in parts if is_there]


def _charts(view: View, voice: Voice) -> tuple[dict[int, _Drawings], int]:
    """Return the drawings of each card, breaches first, and how many pictures have no room."""
    drawings: dict[int, _Drawings] = {}
    left, undrawn = MOST_CHARTS, 0
    for card in sorted_cards(view.cards):
        charts, notes = drawings[id(card)] = [], []
        undrawn += max(len(card.pictures) - left, 0)
        for picture in card.pictures[:left]:
            shown = picture if voice.revealed else picture.without_values()
            chart, problems = if_possible(shown.draw, voice)
            notes += problems
            if chart is not None:
                charts.append(chart)
                left -= 1
    return drawings, undrawn


def _attacks(view: View, voice: Voice) -> Chart | None:
    """Every attack of the report in one picture."""
    return draw_all_attacks(
        [(card.measure, card.title, card.pictures) for card in view.cards], voice
    )


def _comparison(view: View, voice: Voice) -> Chart | None:
    titles = Counter(card.title for card in view.cards)
    figures = [
        ComparedFigure(
            # The run where several have the same title.
            voice.say(card.title if titles[card.title] == 1 or card.run is None else card.run),
            card.before.value,
            card.value,
            card.limit,
            card.better,
        )
        for card in view.cards
        if card.before is not None and card.before.value is not None and card.value is not None
    ]
    return draw_comparison(figures, voice)


def _card(
    card: Card, identity: str, drawings: _Drawings, view: View, voice: Voice
) -> dict[str, Any]:
    """Return a card for the template: texts that are still to be said, and what is drawn."""
    gauge, notes = if_possible(gauge_of, card)
    charts, undrawn = drawings
    value, shown = card.value_text, shown_value(card)
    gauge_text = phrase("{value}; no limit was set", value=value)
    if card.rule is not None:
        gauge_text = phrase("{value}; it must be {rule}", value=value, rule=card.rule)
    return {
        "id": identity,
        "result": card,
        "measure": _explained(all_measures().get(card.measure), card.unit),
        "value": shown,
        "exact": card.exact_text(voice),
        "rule": card.rule_with_profile or phrase("none set"),
        "before": card.before_text,
        "not_compared": (
            None
            if card.before is None or card.before.reason is None
            else phrase("Not compared: {reason}", reason=card.before.reason)
        ),
        "better": _BETTER.get(card.better, phrase("that it holds")),
        "gauge": gauge,
        "gauge_text": gauge_text,
        "open": card.status != "measured" or len(view.cards) == 1,
        "warnings": [
            text
            for text in dict.fromkeys((*card.warnings, *undrawn, *notes))
            if text not in view.shared_warnings
        ],
        "charts": charts,
        # Classes by their labels, which are there only where values are to be seen.
        "worst": [each for each in card.few_worst if each.labels is not None and voice.revealed],
    }


def shown_value(card: Card) -> str:
    """Return a figure as it stands beside its limit.

    >>> shown_value(Card("profitability", "passed", True, None, "true"))
    'holds'
    """
    if isinstance(card.value, bool):
        return phrase("holds") if card.value else phrase("does not hold")
    if card.lower_bound and card.value is not None:
        return phrase("at least {value}", value=card.value_text)
    return card.value_text


def _explained(measure: Measure | None, unit: Unit) -> dict[str, str]:
    """Return what a measure says about itself, where rows or people were counted."""
    if measure is None:
        return dict.fromkeys(("question", "meaning", "formula", "does_not_say", "reference"), "")
    does_not_say = measure.does_not_say
    meaning: str = term(measure.meaning) if measure.meaning else ""
    if unit is Unit.PERSON:
        does_not_say = measure.does_not_say_of_people or does_not_say
        if meaning and measure.meaning_of_people:
            meaning = term(measure.meaning_of_people)
        elif meaning:
            people = phrase(
                "People were counted, not rows: everyone once in each class they are in."
            )
            meaning = joined([meaning, people], " ")
    return {
        "question": term(measure.question),
        "meaning": meaning,
        "formula": term(measure.formula),
        "does_not_say": term(does_not_say) if does_not_say else "",
        "reference": measure.reference,
    }


def _roles(view: View, voice: Voice) -> dict[str, str]:
    """Return the columns of each role."""
    columns: dict[str, list[str]] = {}
    for column, role in view.roles.items():
        columns.setdefault(role, []).append(voice.name(column))
    return {_ROLES.get(role, role): joined(names) for role, names in columns.items()}


@dataclass(frozen=True)
class Gauge:
    """Places from 0 to :data:`GAUGE_WIDTH`; lower figures are to the left."""

    value: float
    limit: float | None
    good_from: float = 0.0
    """Where the stretch begins in which the figure keeps its limit."""
    good_width: float = 0.0
    """How long that stretch is."""


def gauge_of(card: Card) -> Gauge | None:
    """The gauge of a card; None where there is no figure, or no scale to put it on.

    >>> gauge_of(Card("t-closeness", "failed", 0.75, 0.5, "lower"))
    Gauge(value=150.0, limit=100.0, good_from=0.0, good_width=100.0)
    """
    value = card.value
    known = all_measures().get(card.measure)
    if value is None or isinstance(value, bool) or known is None:
        return None
    low, high = known.range
    place = _place(float(value), low, high, card.limit)
    limit = None if card.limit is None else _place(card.limit, low, high, card.limit)
    if place is None:
        return None
    if limit is None:
        return Gauge(place, None)
    if card.better == "higher":
        return Gauge(place, limit, limit, round(GAUGE_WIDTH - limit, 2))
    return Gauge(place, limit, 0.0, limit)


def _place(value: float, low: float, high: float, limit: float | None) -> float | None:
    """Where a figure stands; without an end to the scale, the limit stands in its middle.

    From there each way is a matter of ratios: ten times the limit is near the end.
    """
    if math.isnan(value) or math.isinf(low):
        return None
    if math.isfinite(high):
        share = (value - low) / (high - low) if high > low else 0.0
    elif math.isinf(value):
        share = 1.0
    else:
        middle = max((limit if limit is not None else 10 + low) - low, 1e-12)
        share = (value - low) / (value - low + middle) if value > low else 0.0
    return round(GAUGE_WIDTH * min(max(share, 0.0), 1.0), 2)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 (slow)

    return Environment(
        loader=PackageLoader("petaudit.reports", "page"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )


@cache
def _style() -> str:
    from importlib.resources import files  # noqa: PLC0415 (with the rest of a page)

    text = (files("petaudit.reports") / "page" / "report.css").read_text(encoding="utf-8")
    return "".join(line.strip() + "\n" for line in text.splitlines())


def _print_style(voice: Voice) -> str:
    """Return what every printed page says at its foot: whether values are hidden."""
    mark = json.dumps(voice.mark, ensure_ascii=False)
    return f"@page {{ @bottom-left {{ content: {mark}; }} }}\n"


def _policy(style: str) -> str:
    """Nothing is loaded, nothing runs, and only this very style sheet counts."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )
