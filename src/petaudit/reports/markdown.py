"""A result as a comment on a pull request, for GitHub and GitLab.

Names and reasons come from whoever owns the data. A word that Markdown, or what GitHub and GitLab
do after it (mentions, references, links, emoji, formulas), could take for anything but text is
written as code: inside code all of them leave every character alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from petaudit.errors import joined, phrase, term
from petaudit.i18n.voice import Voice
from petaudit.measures.limits import short
from petaudit.pictures.notebook import MARKS, STATUS_WORDS
from petaudit.reports.sentences import breach_sentence, concerns, headline, next_steps
from petaudit.reports.view import Card, TableFacts, View, WorstClass, sorted_cards

MOST: Final = 60_000
"""GitHub takes 65,536 characters."""
_FOR_TABLE: Final = 20_000
_FOR_BREACHES: Final = 16_000
_FOR_ERRORS: Final = 8_000
_FOR_REST: Final = 5_000
_LONGEST: Final = 600

_RUN: Final = re.compile("[!-~]+")
_PLAIN: Final = re.compile(
    r"""[("']*(?:[<>]=?(?=[0-9]))?-?"""
    r"""(?:[A-Za-z0-9]+(?:(?:\)?-|['/=]|(?<=[0-9])[.,:](?=[0-9]))[A-Za-z0-9]+)*)?"""
    r"""[-%]?["')]*[.,;:!?]?["')]*|[<>]=?|[-=/+]"""
)
_NOT_PLAIN: Final = re.compile(
    r"www\.|(?<![0-9]\.)\b[0-9a-f]{7,}\b|\b[a-z][a-z0-9]*-[0-9]", re.IGNORECASE
)
_LIST_MARK: Final = re.compile(r"(?:[-+]|[0-9]{1,9}[.)])(?= |$)")
_OPENING: Final = "%!:"
"""Marks that may begin a reference or an emoji, if a letter follows."""
_BACKTICKS: Final = re.compile("`+")


def as_markdown(view: View, voice: Voice) -> str:
    """The verdict, a table with the worst first, the reasons, and the rest to unfold."""
    verdict = f"{MARKS[view.tone]} petaudit: {_text(voice, STATUS_WORDS[view.tone])}"
    parts = [
        f"## {verdict} · {neutral(voice.name(view.subject))}",
        _text(voice, headline(view)),
        *_concerns(view, voice),
        *_table(view, voice),
        *_section(_policies(view, voice), term("Policy"), voice, _FOR_ERRORS),
        *_section(_breaches(view, voice), term("What is not met"), voice, _FOR_BREACHES),
        *_section(_errors(view, voice), term("What could not be measured"), voice, _FOR_ERRORS),
    ]
    used = sum(len(part) + 2 for part in parts)
    parts += _details(view, voice, MOST - _FOR_REST - used)
    return "\n\n".join([*parts, "---", _footer(view, voice)]) + "\n"


def neutral(text: str) -> str:
    """A text in which nothing means anything to Markdown.

    >>> print(neutral("ask @everyone | see [x](javascript:1) in *3* of <5 rows"))
    ask `@everyone` `|` see `[x](javascript:1)` in `*3*` of &lt;5 rows
    """
    text = " ".join(text.split())
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}…"
    shown = _RUN.sub(lambda run: _word(run[0], text[run.end() : run.end() + 1]), text)
    mark = _LIST_MARK.match(shown)
    if mark is not None:
        shown = f"{shown[: mark.end() - 1]}\\{shown[mark.end() - 1 :]}"
    return shown or r"\-"


def _word(word: str, after: str) -> str:
    is_plain = _PLAIN.fullmatch(word) and not _NOT_PLAIN.search(word)
    if is_plain and not (word[-1] in _OPENING and after.isalnum()):
        return word.replace("<", "&lt;").replace(">", "&gt;")
    return _code_in_sentence(word, after)


def _code_in_sentence(word: str, after: str) -> str:
    """A word as code, without the marks around it that belong to the sentence."""
    before, behind = "", ""
    if len(word) > 1 and word[-1] in ".,;:" and not (word[-1] in _OPENING and after.isalnum()):
        word, behind = word[:-1], word[-1]
    opened, closed = word.count("("), word.count(")")
    is_around = word.startswith("(") and word.endswith(")")
    if len(word) > 2 and word.startswith("(") and (is_around or opened > closed):
        word, before = word[1:], "("
    if len(word) > 1 and word.endswith(")") and (is_around or closed > opened):
        word, behind = word[:-1], f"){behind}"
    return f"{before}{_code(word)}{behind}"


def _code(word: str) -> str:
    """A word as code, between more backticks than it has in a row itself."""
    longest = max((len(run) for run in _BACKTICKS.findall(word)), default=0)
    fence = "`" * (longest + 1)
    room = " " if word[0] == "`" or word[-1] == "`" else ""
    return f"{fence}{room}{word}{room}{fence}"


def _text(voice: Voice, text: str) -> str:
    return neutral(voice.say(text))


def _concerns(view: View, voice: Voice) -> Iterator[str]:
    shown, is_cut = _fitting((f"- {_text(voice, text)}" for text in concerns(view)), _FOR_ERRORS)
    if shown:
        yield "\n".join(shown)
        yield from _cut(is_cut, voice)


def _table(view: View, voice: Voice) -> Iterator[str]:
    if not view.cards:
        return
    is_compared = any(card.before is not None for card in view.cards)
    titles = [
        term("Measure"),
        term("Value"),
        *([term("Before")] if is_compared else []),
        term("Limit"),
        term("Verdict"),
    ]
    head = [_row([_text(voice, title) for title in titles]), _row(["---"] * len(titles))]
    rows = (_row(_cells(card, voice, is_compared)) for card in sorted_cards(view.cards))
    shown, is_cut = _fitting(rows, _FOR_TABLE)
    yield "\n".join([*head, *shown])
    yield from _cut(is_cut, voice)


def _row(cells: Iterable[str]) -> str:
    """A row of a table, where a bar is written with a backslash even in code."""
    escaped = [cell.replace("|", "\\|") for cell in cells]
    return f"| {' | '.join(escaped)} |"


def _cells(card: Card, voice: Voice, is_compared: bool) -> Iterator[str]:
    yield _named(card, voice)
    value = card.value_text
    yield _text(voice, f"≥ {value}" if card.lower_bound and card.value is not None else value)
    if is_compared:
        yield _text(voice, short(None if card.before is None else card.before.value))
    yield _text(voice, _limit(card))
    yield f"{MARKS[card.status]} {_text(voice, STATUS_WORDS[card.status])}"


def _limit(card: Card) -> str:
    has_none = card.limit is None and card.status in ("measured", "error")
    return "-" if has_none else card.rule_with_profile or "-"


def _named(card: Card, voice: Voice) -> str:
    title = _text(voice, card.title)
    return title if card.run is None else f"{title} · {neutral(voice.name(card.run))}"


def _policies(view: View, voice: Voice) -> Iterator[str]:
    for policy in view.policies:
        yield from (f"- {_text(voice, text)}" for text in policy.said)


def _breaches(view: View, voice: Voice) -> Iterator[str]:
    for card in view.with_status("failed"):
        yield f"- **{_text(voice, breach_sentence(card))}**"
        yield from (f"  - {_text(voice, text)}" for text in card.explanation)
        if voice.revealed:
            yield from (f"  - {_worst(worst, voice)}" for worst in card.worst)


def _worst(worst: WorstClass, voice: Voice) -> str:
    """The worst classes of an attribute, which are told only where values are revealed."""
    facts = phrase(
        "Worst for {attribute}: {figure} (classes: {classes}, rows: {rows})",
        attribute=voice.name(worst.attribute),
        figure=short(worst.figure),
        classes=voice.count(worst.classes),
        rows=voice.count(worst.rows),
    )
    if worst.labels is None:
        return _text(voice, facts)
    null = voice.say(term("null"))
    labels = [
        f"{voice.name(name)} = {null if label is None else voice.name(repr(label))}"
        for name, label in worst.labels.items()
    ]
    return _text(voice, phrase("{facts}: {labels}", facts=facts, labels=joined(labels)))


def _errors(view: View, voice: Voice) -> Iterator[str]:
    for card in view.with_status("error"):
        yield f"- {_text(voice, breach_sentence(card))}"
        yield from (f"  - {_text(voice, text)}" for text in card.explanation)
    yield from (f"- {_text(voice, text)}" for text in view.problems)


def _details(view: View, voice: Voice, most: int) -> Iterator[str]:
    shown, is_cut = _fitting(_rest(view, voice), most)
    yield f"<details>\n<summary>{_text(voice, term('Details'))}</summary>"
    yield "\n".join(shown)
    yield from _cut(is_cut, voice)
    yield "</details>"


def _rest(view: View, voice: Voice) -> Iterator[str]:
    sections: dict[str, Iterator[str]] = {
        term("What to do next"): (f"- {_text(voice, text)}" for text in next_steps(view)),
        term("Left out"): (
            f"- {_text(voice, _with_reason(measure.title, measure.reason))}"
            for measure in view.left_out
        ),
        term("Not compared"): (
            f"- {_text(voice, _with_reason(card.run or card.title, card.before.reason))}"
            for card in view.cards
            if card.before is not None and card.before.reason is not None
        ),
        term("Warnings"): (f"- {_text(voice, text)}" for text in _warnings(view)),
        term("What this report is based on"): (
            f"- {_text(voice, _origin(table, voice))}" for table in view.tables
        ),
        term("Explanations"): _explanations(view, voice),
    }
    for title, lines in sections.items():
        for number, line in enumerate(lines):
            if number == 0:
                yield f"- **{_text(voice, title)}**"
            yield f"  {line}"


def _origin(table: TableFacts, voice: Voice) -> str:
    """Where a table came from, what counted it, and by what it can be told from another."""
    facts = [
        voice.name(table.place or table.name),
        *([] if table.counted is None else [table.counted]),
        phrase("rows: {rows}", rows=voice.count(table.rows, of=table.rows)),
        phrase("SHA-256: {hash}", hash=table.sha256 or table.why_no_hash),
    ]
    return phrase("{part}: {facts}", part=table.part, facts=joined(facts, "; "))


def _with_reason(title: str, reason: str) -> str:
    return phrase("{title}: {reason}", title=title, reason=reason)


def _warnings(view: View) -> list[str]:
    of_cards = [text for card in view.cards for text in card.warnings]
    return list(dict.fromkeys([*view.warnings, *of_cards]))


def _explanations(view: View, voice: Voice) -> Iterator[str]:
    for card in view.cards:
        if card.status in ("passed", "measured") and card.explanation:
            yield f"- {_named(card, voice)}"
            yield from (f"  - {_text(voice, text)}" for text in card.explanation)


def _section(lines: Iterable[str], title: str, voice: Voice, most: int) -> Iterator[str]:
    shown, is_cut = _fitting(lines, most)
    if shown:
        yield f"### {_text(voice, title)}"
        yield "\n".join(shown)
        yield from _cut(is_cut, voice)


def _fitting(lines: Iterable[str], most: int) -> tuple[list[str], bool]:
    """The first lines that have room, and whether there are more; the rest is not computed."""
    shown: list[str] = []
    used = 0
    for line in lines:
        used += len(line) + 1
        if used > most:
            return shown, True
        shown.append(line)
    return shown, False


def _cut(is_cut: bool, voice: Voice) -> Iterator[str]:
    if is_cut:
        text = phrase("The rest is not shown, to keep this short; the JSON result has it.")
        yield f"*{_text(voice, text)}*"


def _footer(view: View, voice: Voice) -> str:
    parts = [phrase("petaudit {version}", version=voice.name(view.version))]
    if view.compared_with is not None:
        parts.append(phrase("compared with {name}", name=voice.name(view.compared_with)))
    if not voice.revealed:
        parts.append(phrase("values hidden"))
        if voice.threshold > 1:
            parts.append(phrase("counts below {number} shown as <{number}", number=voice.threshold))
    elif view.holds_values:
        parts.append(phrase("CONTAINS VALUES OF THE DATA"))
    else:
        parts.append(phrase("no values of the data, but small counts are shown"))
    return _text(voice, joined(parts, "; "))
