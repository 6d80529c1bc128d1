"""A result as SARIF 2.1.0, which code scanning shows beside the file that it is about.

Only what is wrong becomes a result: code scanning takes every result for a finding, whatever its
kind. What could not be measured is one of them, of kind ``fail`` and level ``error``: any other
kind must have the level ``none``, and would count as if nothing were wrong. An open question has
the level ``warning``.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final
from urllib.parse import quote

from petaudit.errors import phrase, term
from petaudit.i18n.text import json_text
from petaudit.i18n.voice import Voice
from petaudit.measures import all_measures
from petaudit.reports.sentences import breach_sentence, headline
from petaudit.reports.view import Card, View, sorted_cards

SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_AUDIT: Final = "audit"
"""The rule of what belongs to no measure."""
_LONGEST: Final = 1000
_EXIT_CODES: Final = {1: "failed", 2: "error"}
_ABSOLUTE: Final = re.compile(r"[/~]|[A-Za-z][A-Za-z0-9+.-]*:")


@dataclass(frozen=True)
class _Finding:
    rule: str
    texts: tuple[str, ...]
    run: str | None = None
    line: int | None = None
    card: Card | None = None
    level: str = "error"


def as_sarif(view: View, voice: Voice, *, location: str | None = None) -> str:
    """What is wrong, as findings; ``location`` is the file that they are shown at.

    Of an absolute path only the name is told.
    """
    findings = list(_findings(view))
    names = [card.measure for card in view.cards] + [finding.rule for finding in findings]
    rules = list(dict.fromkeys(voice.name(name) for name in names))
    driver = {
        "name": "petaudit",
        "version": voice.name(view.version),
        "language": voice.language,
        "rules": [_rule(name, voice) for name in rules],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [_invocation(view, voice)],
        "properties": {"petaudit": voice.mode},
        "results": list(_results(findings, rules, _uri(location or view.subject), voice)),
    }
    return json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}) + "\n"


def _findings(view: View) -> Iterator[_Finding]:
    wrong = [card for card in sorted_cards(view.cards) if card.status in ("failed", "error")]
    for card in wrong:
        texts = (breach_sentence(card), *card.explanation)
        yield _Finding(card.measure, texts, card.run, card.line, card)
    for text in view.breaks:
        yield _Finding(_AUDIT, (text,), text)
    for text in view.questions:
        yield _Finding(_AUDIT, (text,), text, level="error" if view.strict else "warning")
    for problem in view.problems:
        yield _Finding(_AUDIT, (problem,), problem)
    statuses = {card.status for card in wrong} | ({"error"} if view.problems else set())
    statuses |= {"failed"} if view.breaks else set()
    statuses |= {"error"} if view.strict and view.questions else set()
    if view.exit_code in _EXIT_CODES and _EXIT_CODES[view.exit_code] not in statuses:
        yield _Finding(_AUDIT, (headline(view),))


def _rule(name: str, voice: Voice) -> dict[str, Any]:
    """A measure as code scanning describes it; all three texts must be there."""
    known = all_measures().get(name)
    title, question = name, name
    explained: list[str] = []
    if known is not None:
        title, question = term(known.title), term(known.question)
        explained = [term(text) for text in (known.meaning, known.does_not_say) if text]
    elif name == _AUDIT:
        title = phrase("The audit as a whole")
        question = phrase("Was everything measured that was requested, and does every limit hold?")
    return {
        "id": name,
        "name": "".join(word[:1].upper() + word[1:] for word in name.split("-")),
        "shortDescription": _message(voice, title),
        "fullDescription": _message(voice, question),
        "help": _message(voice, *(explained or [question])),
        "defaultConfiguration": {"level": "error"},
    }


def _results(
    findings: list[_Finding], rules: list[str], uri: str, voice: Voice
) -> Iterator[dict[str, Any]]:
    seen: Counter[str] = Counter()
    places = {name: place for place, name in enumerate(rules)}
    for finding in findings:
        rule = voice.name(finding.rule)
        # The same for the same measure of the same run, whatever the figure and the language.
        identity = f"{finding.rule}\0{finding.run or ''}"
        mark = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        seen[mark] += 1
        place = {
            "artifactLocation": {"uri": uri},
            "region": {"startLine": max(finding.line or 1, 1)},
        }
        properties: dict[str, Any] = {}
        if finding.card is not None:
            properties["status"] = finding.card.status
            properties["value"] = _number(finding.card.value)
            properties["limit"] = _number(finding.card.limit)
            properties["run"] = None if finding.run is None else voice.name(finding.run)
        properties = {name: value for name, value in properties.items() if value is not None}
        yield {
            "ruleId": rule,
            "ruleIndex": places[rule],
            "kind": "fail",
            "level": finding.level,
            "message": _message(voice, *finding.texts),
            "locations": [{"physicalLocation": place}],
            "partialFingerprints": {"primaryLocationLineHash": f"{mark}:{seen[mark]}"},
            **({"properties": properties} if properties else {}),
        }


def _number(value: float | bool | None) -> float | bool | str | None:
    """A number that JSON has, or its name."""
    return value if value is None or math.isfinite(value) else str(value)


def _invocation(view: View, voice: Voice) -> dict[str, Any]:
    errors = [breach_sentence(card) for card in view.with_status("error")] + [*view.problems]
    texts = {"error": errors, "warning": view.all_warnings, "note": view.policy_sentences}
    notes = [
        {"level": level, "message": _message(voice, text)}
        for level, several in texts.items()
        for text in several
    ]
    return {
        # A breach is no failure of the tool, but a measure that could not run is one.
        "executionSuccessful": _EXIT_CODES.get(view.exit_code) != "error" and not errors,
        "exitCode": view.exit_code,
        "exitCodeDescription": voice.say(headline(view)),
        **({"toolExecutionNotifications": notes} if notes else {}),
    }


def _message(voice: Voice, *texts: str) -> dict[str, str]:
    """Plain text; SARIF would make links of ``[](...)`` and put something else for ``{0}``."""
    lines = []
    for text in texts:
        shown = voice.say(text)
        shown = shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
        lines.append(shown.replace("](", "] (").replace("{", "{{").replace("}", "}}"))
    return {"text": "\n".join(lines)}


def _uri(path: str) -> str:
    r"""A relative URI that tells nothing about the machine.

    >>> _uri("ci/my audit.yaml"), _uri("/home/ann/audit.yaml"), _uri("C:\\x\\audit.yaml")
    ('ci/my%20audit.yaml', 'audit.yaml', 'audit.yaml')
    """
    given = path.replace("\\", "/")
    parts = PurePosixPath(given).parts
    if _ABSOLUTE.match(given) or ".." in parts:
        parts = (PurePosixPath(given).name,)
    kept = [part for part in parts if part not in ("", "/", "..")]
    return quote("/".join(kept), safe="/", errors="replace") or "petaudit"
