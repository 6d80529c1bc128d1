"""The report as one HTML file: no script, no network, and a policy in the file that says so."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from petaudit.errors import counted, joined, phrase, term
from petaudit.i18n.numbers import Unit
from petaudit.measures import Family, Measure, all_measures
from petaudit.pictures.optional import if_possible
from petaudit.reports.charts import draw, draw_comparison
from petaudit.reports.gauge import gauge_of
from petaudit.reports.sentences import concerns, headline, next_steps, status_word, summary
from petaudit.reports.view import MARKS, Card, View, short, sorted_cards, value_text
from petaudit.reports.voice import Voice

if TYPE_CHECKING:
    from jinja2 import Environment

    from petaudit.pictures import Picture
    from petaudit.reports.charts import Chart

MOST_CHARTS: Final = 12
"""Each costs time and space; a pipeline of a hundred runs has hundreds."""
_FEW_CARDS: Final = 6
_KEYS: Final = {
    Family.PRIVACY: "privacy",
    Family.RISK: "risk",
    Family.UTILITY: "utility",
    Family.OTHER: "other",
}


def as_html(view: View, voice: Voice) -> str:
    """The report in a voice.

    What comes from the data's owner is escaped by the template, always; the pictures are the only
    markup that is put in as it is, and they are made by :mod:`petaudit.reports.charts`.
    """
    template = _environment().get_template("report.html.j2")
    return template.render(_Page(view, voice).content())


class _Page:
    def __init__(self, view: View, voice: Voice) -> None:
        self.view, self.voice = view, voice
        self.charts_left = MOST_CHARTS
        self.charts_made = 0
        self.undrawn = 0
        self.notes: dict[int, list[str]] = {id(card): [] for card in view.cards}
        """What is said of pictures that could not be drawn, by card."""

    def content(self) -> dict[str, Any]:
        view, say = self.view, self.voice.say
        style = _style()
        charts = self._charts()
        comparison, notes = if_possible(self._comparison)
        numbers = {id(card): number for number, card in enumerate(view.cards)}
        groups = [
            {
                "key": _KEYS[family],
                "title": say(term(family.value)),
                "cards": [
                    self._card(card, numbers[id(card)], charts[id(card)])
                    for card in sorted_cards(cards)
                ],
            }
            for family, cards in view.by_family().items()
        ]
        return {
            "t": lambda text: say(term(text)),
            "language": self.voice.language,
            "policy": _policy(style),
            "style": _safe_style(style),
            "version": self.voice.name(view.version),
            "subject": self.voice.name(view.subject),
            "verdict": view.tone,
            "status_title": say(status_word(view.tone)),
            "marks": MARKS,
            "word": lambda status: say(status_word(status)),
            "revealed": self.voice.revealed,
            "mark": self.voice.mark,
            "mode": self.voice.mode,
            "kicker": say(self._kicker()),
            "headline": say(headline(view)),
            "concerns": self.voice.say_all(concerns(view)),
            "summary": self.voice.say_all(summary(view)),
            "steps": self.voice.say_all(next_steps(view)),
            "policies": [self.voice.say_all(own.said) for own in view.policies],
            "groups": groups,
            "number_of_cards": len(view.cards),
            "has_before": any(card.before is not None for card in view.cards),
            "comparison": comparison,
            "compared_with": self._compared_with(),
            "undrawn": self.voice.say_all([*notes, *self._left_undrawn()]),
            "chart": self._chart_markup,
            "problems": self.voice.say_all(view.problems),
            "warnings": self._warnings(),
            "left_out_title": say(counted(len(view.left_out), "measure")),
            "left_out": [
                {"title": say(own.title), "reason": self.voice.say(own.reason)}
                for own in view.left_out
            ],
            "tables": [
                {
                    "part": say(own.part),
                    "place": self.voice.name(own.place or own.name),
                    "counted": None if own.counted is None else self.voice.name(own.counted),
                    "rows": self.voice.count(own.rows, of=own.rows),
                    "columns": f"{len(own.columns):,}",
                    "sha256": None if own.sha256 is None else self.voice.name(own.sha256),
                    "why_no_hash": say(own.why_no_hash),
                }
                for own in view.tables
            ],
            "roles": self._roles(),
            "settings": [
                {"name": self.voice.name(name), "value": self.voice.name(value)}
                for name, value in view.settings.items()
            ],
        }

    def _kicker(self) -> str:
        subject = self.voice.name(self.view.subject)
        match self.view.kind:
            case "run":
                return phrase("Privacy audit by the pipeline {subject}", subject=subject)
            case "mpuccs":
                return phrase("Singling-out audit of {subject}", subject=subject)
        return phrase("Privacy audit of {subject}", subject=subject)

    def _warnings(self) -> list[str]:
        """Those that stand with no card."""
        with_cards = {text for card in self.view.cards for text in card.warnings}
        return self.voice.say_all(text for text in self.view.warnings if text not in with_cards)

    def _charts(self) -> dict[int, list[Chart]]:
        """The pictures of each card; breaches have the first claim to them."""
        drawn: dict[int, list[Chart]] = {id(card): [] for card in self.view.cards}
        for card in sorted_cards(self.view.cards):
            self.undrawn += max(len(card.pictures) - self.charts_left, 0)
            for picture in card.pictures[: self.charts_left]:
                chart, notes = if_possible(self._drawn, picture)
                self.notes[id(card)] += notes
                if chart is not None:
                    drawn[id(card)].append(chart)
                    self.charts_left -= 1
        return drawn

    def _drawn(self, picture: Picture) -> Chart | None:
        shown = picture if self.voice.revealed else picture.without_values()
        return draw(shown, language=self.voice.language, hide_below=self.voice.threshold)

    def _compared_with(self) -> str | None:
        if self.view.compared_with is None:
            return None
        name = self.voice.name(self.view.compared_with)
        return self.voice.say(phrase("Before is what {name} says.", name=name))

    def _left_undrawn(self) -> Iterator[str]:
        """What is not drawn is said, so that nobody looks for it."""
        if self.undrawn:
            yield phrase(
                "{number} more pictures are not drawn, to keep the page small.", number=self.undrawn
            )

    def _comparison(self) -> Chart | None:
        titles = Counter(card.title for card in self.view.cards)
        rows = [
            (
                self.voice.say(_named(card, titles[card.title] == 1)),
                card.before.value,
                card.value,
                card.limit,
                card.better,
            )
            for card in self.view.cards
            if card.before is not None and card.before.value is not None and card.value is not None
        ]
        if not rows:
            return None
        return draw_comparison(rows, language=self.voice.language)

    def _chart_markup(self, chart: Chart) -> Any:
        from markupsafe import Markup  # noqa: PLC0415 (with Jinja, where a page is made)

        self.charts_made += 1
        template = _environment().get_template("chart.html.j2")
        text = template.render(
            chart=chart,
            # Made by us from numbers and escaped names; see petaudit.reports.charts.
            svg=Markup(chart.svg),  # noqa: S704
            id=f"chart-{self.charts_made}",
            t=lambda text: self.voice.say(term(text)),
        )
        return Markup(text)  # noqa: S704

    def _card(self, card: Card, number: int, charts: Sequence[Chart]) -> dict[str, Any]:
        say = self.voice.say
        known = all_measures().get(card.measure)
        is_few = len(self.view.cards) <= _FEW_CARDS
        gauge, notes = if_possible(gauge_of, card)
        return {
            "id": f"measure-{number}",
            "title": say(card.title),
            "run": None if card.run is None else self.voice.name(card.run),
            "status": card.status,
            "value": self._value(card),
            "rule": say(_rule(card)),
            "before": self._before(card),
            "has_before": card.before is not None,
            "not_compared": (
                None
                if card.before is None or card.before.reason is None
                else say(phrase("Not compared: {reason}", reason=card.before.reason))
            ),
            "better": say(_better(card)),
            "gauge": gauge,
            "better_is": card.better,
            "gauge_text": say(self._gauge_text(card)),
            "open": is_few or card.status != "measured" or bool(charts),
            "question": "" if known is None else say(term(known.question)),
            "meaning": "" if known is None else say(_meaning(known, card.unit)),
            "formula": "" if known is None else say(term(known.formula)),
            "does_not_say": "" if known is None else say(_does_not_say(known, card.unit)),
            "reference": "" if known is None else known.reference,
            "reason": None if card.reason is None else self.voice.say(card.reason),
            "explanation": self.voice.say_all(card.explanation),
            "warnings": self.voice.say_all(
                dict.fromkeys((*card.warnings, *self.notes[id(card)], *notes))
            ),
            "charts": charts,
            "worst": self._worst(card),
        }

    def _value(self, card: Card) -> str:
        if isinstance(card.value, bool):
            return self.voice.say(phrase("holds") if card.value else phrase("does not hold"))
        shown = value_text(card)
        if card.lower_bound and card.value is not None:
            return self.voice.say(phrase("at least {value}", value=shown))
        return shown

    def _before(self, card: Card) -> str:
        if card.before is None or card.before.value is None:
            return "-"
        return short(card.before.value)

    def _gauge_text(self, card: Card) -> str:
        if card.rule is None:
            return phrase("{value}; no limit was set", value=value_text(card))
        return phrase("{value}; it must be {rule}", value=value_text(card), rule=card.rule)

    def _worst(self, card: Card) -> list[dict[str, str]]:
        """Classes by their labels, which are there only where values are to be seen."""
        if not self.voice.revealed:
            return []
        return [
            {
                "attribute": self.voice.name(own.attribute),
                "figure": short(own.figure),
                "rows": self.voice.count(own.rows),
                "labels": ", ".join(
                    f"{self.voice.name(name)} = {self.voice.name('-' if label is None else label)}"
                    for name, label in own.labels.items()
                ),
            }
            for own in card.worst
            if own.labels is not None
        ]

    def _roles(self) -> list[dict[str, str]]:
        found: dict[str, list[str]] = {}
        for column, role in self.view.roles.items():
            found.setdefault(role, []).append(self.voice.name(column))
        return [
            {"title": self.voice.say(_role(role)), "columns": self.voice.say(joined(columns))}
            for role, columns in found.items()
        ]


def _named(card: Card, is_alone: bool) -> str:
    """The title, or the run where several have the same title."""
    return card.title if is_alone or card.run is None else card.run


def _meaning(known: Measure, unit: Unit) -> str:
    if unit is Unit.ROW or not known.meaning:
        return term(known.meaning) if known.meaning else ""
    if known.meaning_of_people:
        return term(known.meaning_of_people)
    counted_people = phrase(
        "People were counted here, not rows: everybody once in each class that they are in."
    )
    return joined([term(known.meaning), counted_people], " ")


def _does_not_say(known: Measure, unit: Unit) -> str:
    own = known.does_not_say_of_people if unit is Unit.PERSON else ""
    return term(own or known.does_not_say) if own or known.does_not_say else ""


def _rule(card: Card) -> str:
    if card.rule is None:
        return phrase("none set")
    if card.profile is None:
        return card.rule
    return phrase("{rule} (profile {profile})", rule=card.rule, profile=card.profile)


def _better(card: Card) -> str:
    words: Mapping[str, str] = {
        "lower": phrase("a lower figure"),
        "higher": phrase("a higher figure"),
    }
    return words.get(card.better, phrase("that it holds"))


def _role(role: str) -> str:
    words: Mapping[str, str] = {
        "identifier": phrase("identifiers"),
        "quasi_identifier": phrase("quasi-identifiers"),
        "sensitive_attribute": phrase("sensitive attributes"),
        "insensitive_attribute": phrase("insensitive attributes"),
    }
    return words.get(role, role)


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


def _safe_style(style: str) -> Any:
    from markupsafe import Markup  # noqa: PLC0415 (as above)

    return Markup(style)  # noqa: S704 (a file of this package)


def _policy(style: str) -> str:
    """Nothing is loaded, nothing runs, and only this very style sheet counts."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )
