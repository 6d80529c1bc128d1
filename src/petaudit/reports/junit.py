"""A result as JUnit XML, which every CI system shows as a list of tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from xml.etree import ElementTree as Tree

from petaudit.errors import phrase, term
from petaudit.i18n.voice import Voice
from petaudit.reports.sentences import breach_sentence, headline
from petaudit.reports.view import Card, View, sorted_cards

_FAILURE: Final = "failure"
_ERROR: Final = "error"
_SKIPPED: Final = "skipped"
_EXIT_CODES: Final = {1: _FAILURE, 2: _ERROR}


@dataclass(frozen=True)
class _Case:
    name: str
    outcome: str | None
    """The name of the element that says so; None for a test that passed."""
    kind: str
    message: str
    lines: tuple[str, ...] = ()


def as_junit(view: View, voice: Voice) -> str:
    """One suite with a test for each measure or run."""
    cases = [*_cases(view)]
    if view.exit_code in _EXIT_CODES:
        outcome = _EXIT_CODES[view.exit_code]
        if all(case.outcome != outcome for case in cases):
            cases.append(_Case("verdict", outcome, "verdict", headline(view)))
    outcomes = Counter(case.outcome for case in cases)
    counts = {
        "tests": str(len(cases)),
        "failures": str(outcomes[_FAILURE]),
        "errors": str(outcomes[_ERROR]),
    }
    root = Tree.Element("testsuites", {"name": "petaudit", **counts})
    name = f"petaudit {voice.name(view.subject)}"
    skipped = {"skipped": str(outcomes[_SKIPPED])}
    suite = Tree.SubElement(root, "testsuite", {"name": name, **counts, **skipped})
    properties = Tree.SubElement(suite, "properties")
    for key, value in _properties(view, voice):
        Tree.SubElement(properties, "property", {"name": key, "value": voice.name(value)})
    seen: Counter[str] = Counter()
    for case in cases:
        shown = voice.name(case.name)
        seen[shown] += 1
        # CI systems take tests of the same name for one.
        title = shown if seen[shown] == 1 else f"{shown} #{seen[shown]}"
        names = {"classname": f"petaudit.{voice.name(view.kind)}", "name": title}
        test = Tree.SubElement(suite, "testcase", names)
        message = voice.say(case.message)
        tag, kind = "system-out", {}
        if case.outcome is not None:
            tag, kind = case.outcome, {"type": case.kind, "message": message}
        Tree.SubElement(test, tag, kind).text = "\n".join([message, *voice.say_all(case.lines)])
    Tree.indent(root)
    text = Tree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _properties(view: View, voice: Voice) -> Iterator[tuple[str, str]]:
    yield "petaudit.version", view.version
    yield "petaudit.verdict", view.verdict
    yield "petaudit.exit_code", str(view.exit_code)
    yield "petaudit.open_questions", str(len(view.questions))
    yield "petaudit.mode", voice.mode
    for policy in view.policies:
        yield from (("petaudit.policy", line) for line in policy.lines)
    yield "petaudit.contains_values", "true" if voice.revealed and view.holds_values else "false"


def _cases(view: View) -> Iterator[_Case]:
    for card in sorted_cards(view.cards):
        yield _of_card(card)
    for number, text in enumerate(view.breaks, start=1):
        yield _Case(f"release {number}", _FAILURE, "release", text)
    for number, text in enumerate(view.questions, start=1):
        # Neither passed nor failed, unless all questions must be answered.
        outcome = _ERROR if view.strict else _SKIPPED
        yield _Case(f"open question {number}", outcome, "open question", text)
    for number, problem in enumerate(view.problems, start=1):
        yield _Case(f"problem {number}", _ERROR, "problem", problem)
    for policy in view.policies:
        for number, demand in enumerate(policy.not_measured, start=1):
            yield _Case(f"policy {policy.name} {number}", _SKIPPED, "not measured", demand)
    for left_out in view.left_out:
        yield _Case(left_out.measure, _SKIPPED, "left out", left_out.reason)


def _of_card(card: Card) -> _Case:
    name = card.measure if card.run is None else card.run
    more = (*card.explanation, *card.warnings)
    if card.status == "error":
        return _Case(name, _ERROR, "not measured", breach_sentence(card), more)
    value = card.value_text
    if card.lower_bound and card.value is not None:
        value = f"≥ {value}"
    figure = phrase(
        "{title}: {value}; required: {rule}",
        title=card.title,
        value=value,
        rule=card.rule or term("nothing"),
    )
    if card.status == "failed":
        is_limit = card.worsening is None or card.breaks_limit
        kind = "limit" if is_limit else "worsening"
        return _Case(name, _FAILURE, kind, breach_sentence(card), (figure, *more))
    if card.status == "passed":
        return _Case(name, None, "", figure, more)
    no_limit = phrase("{title}: {value}; no limit was set", title=card.title, value=value)
    return _Case(name, None, "", no_limit, more)
