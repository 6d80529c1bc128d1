"""The verdict in a line that names figures and limits, as every screen starts with it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from petaudit.errors import Phrase, argument, counted, joined, listing, phrase, term
from petaudit.exact.fractions import quotient
from petaudit.i18n.phrases import translate
from petaudit.i18n.text import printable
from petaudit.measures import Better
from petaudit.measures.limits import limit_rule
from petaudit.reports.terminal import figure_text, rounded, verdict_line
from petaudit.reports.view import STATUSES, Card, View

NO_LIMIT: Final = term("no limit was given, so nothing was judged")
_MOST_IN_VERDICT: Final = 3


def verdict_text(view: View) -> str:
    """Return the verdict in one line, as ``--quiet`` prints it."""
    return printable(translate(verdict_of(view))) + "\n"


def verdict_of(view: View) -> Phrase:
    """The verdict in words that name figures and limits, and the exit code."""
    said, cards = _judgement(view)
    told = [_sentence(view, card) for card in cards]
    if told:
        shown = told[:_MOST_IN_VERDICT]
        if len(told) > len(shown):
            shown.append(and_more(len(told) - len(shown)))
        said = phrase("{verdict}: {reasons}", verdict=said, reasons=joined(shown, "; "))
    parts = [said]
    new = sum(map(is_new, view.cards))
    if view.kind == "run" and new:
        parts.append(phrase("{runs} without an earlier figure", runs=counted(new, "run")))
    if view.runs_left_out:
        runs = counted(view.runs_left_out, "run")
        parts.append(phrase("{runs} left out by --only", runs=runs))
    return verdict_line(joined(parts, "; "), view.exit_code)


def _judgement(view: View) -> tuple[Phrase, list[Card]]:
    """Why the verdict is what it is, the worst counts; and the cards that it is about."""
    judged = judged_cards(view)
    errors = [card for card in judged if card.status == "error"]
    broken = [card for card in judged if _is_broken(card)]
    breached = _breached(broken, judged)
    if view.kind == "run" and not view.cards:
        return term("there is no Evaluator, so nothing was measured"), []
    if errors or view.problems or not view.cards:
        names = [card.run or card.measure for card in errors]
        said = term("could not be measured as requested")
        if view.kind == "run":
            said = term("could not be measured or compared as requested")
        if errors and not view.problems and all(card.value is not None for card in errors):
            # There are figures, and they do not show whether the limits hold.
            said = term("undecided")
        if names:
            said = phrase("{what}: {names}", what=said, names=listing(names, 3))
        return (joined([said, breached]) if broken else said), broken
    if view.breaks or broken:
        reasons = [term("the table still names people")] if view.breaks else []
        return joined([*reasons, *([breached] if broken else [])]), broken
    if view.verdict == "error":
        option = argument("strict").rstrip("=")
        return phrase("open questions, which {option} does not allow", option=option), []
    if not judged:
        return NO_LIMIT, []
    held = term("the limit holds")
    if len(judged) > 1:
        held = phrase("all {limits} limits hold", limits=len(judged))
    if view.questions:
        held = phrase("{held}, with open questions", held=held)
    return held, judged


def _breached(broken: Sequence[Card], judged: Sequence[Card]) -> Phrase:
    if broken and all(card.value is None for card in broken):
        return term("no release keeps the limits")
    if len(judged) == 1:
        return term("the limit is breached")
    return phrase(
        "{breached} of {limits} limits breached", breached=len(broken), limits=len(judged)
    )


def _is_broken(card: Card) -> bool:
    """Whether a limit is broken, also where the comparison with an earlier result failed."""
    if card.status == "error":
        is_figure = card.value is not None and not card.lower_bound and not card.is_estimate
        return is_figure and not card.keeps_limit
    return card.status == "failed"


def _sentence(view: View, card: Card) -> Phrase:
    """A figure and what it must be; where, if several runs of a measure could be meant."""
    where: list[str] = []
    if card.run is not None and [each.measure for each in view.cards].count(card.measure) > 1:
        where.append(card.run)
    if card.line is not None:
        # Where the file sets the limit.
        where.append(phrase("line {line}", line=card.line))
    name: str = card.measure
    if where:
        name = phrase("{measure} ({where})", measure=card.measure, where=joined(where))
    if card.value is None:
        return phrase("{measure} was not measured", measure=name)
    value, rule = figure_and_rule(card)
    if card.profile is not None:
        rule = phrase("{rule} (profile {profile})", rule=rule, profile=card.profile)
    if card.worsening is not None and not card.breaks_limit:
        return phrase("{measure} is {value}: {why}", measure=name, value=value, why=card.worsening)
    return phrase("{measure} is {value}, must be {rule}", measure=name, value=value, rule=rule)


def figure_and_rule(card: Card, digits: int = 3) -> tuple[str, str]:
    """Return the figure and its rule, with as many digits as it takes to tell them apart.

    >>> figure_and_rule(Card("t-closeness", "passed", 0.693254, 0.7))
    ('0.693', 'at most 0.7')
    >>> figure_and_rule(Card("t-closeness", "passed", 0.69996, 0.7))
    ('0.69996', 'at most 0.7')
    >>> figure_and_rule(Card("t-closeness", "failed", 4 / 15, 4 / 15, exact="4/15"))
    ('4/15', 'at most 0.266667')
    """
    value, bound = figure_text(card.value, card.limit, digits)
    exact = None if card.exact is None else quotient(card.exact)
    if card.value == card.limit and card.status != "passed" and exact not in (None, card.limit):
        # They differ beyond the last digit of a float.
        value = str(exact)
    if card.limit is not None:
        bound = card.limit_exact or bound
        rule = limit_rule(card.better, strict=card.strict, limit=bound)
        return value, joined([rule, *card.conditions])
    if card.better == Better.TRUE.value:
        return value, term("true")
    if card.before is not None and card.status in ("passed", "failed"):
        return value, phrase("not worse than {before}", before=rounded(card.before.value, digits))
    return value, "-"


def judged_cards(view: View) -> list[Card]:
    """Cards with a limit, the worst first: far beyond it, not measured, close to it."""

    def urgency(card: Card) -> tuple[int, float]:
        value, limit = card.value, card.limit
        gap = 1.0
        if value is not None and limit is not None and math.isfinite(value) and value != limit:
            gap = abs(value - limit) / max(abs(value), abs(limit))
        elif value is not None and value == limit:
            gap = 0.0
        return STATUSES.index(card.status), -gap if card.status == "failed" else gap

    return sorted((card for card in view.cards if card.status != "measured"), key=urgency)


def is_new(card: Card) -> bool:
    """Whether there is no earlier figure to compare it with."""
    return card.before is not None and card.before.value is None and card.status != "error"


def and_more(number: int) -> Phrase:
    """Return how many entries are not shown."""
    return phrase("and {number:,} more", number=number)
