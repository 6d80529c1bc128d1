"""A result as a comment on a pull request, for GitHub and GitLab.

Names and reasons come from whoever owns the data. A word that Markdown, or what GitHub and GitLab
do after it (mentions, references, links, emoji, formulas), could take for anything but text is
written as code: inside code all of them leave every character alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
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
    return _Page(view, voice).text()


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


@dataclass(frozen=True)
class _Page:
    view: View
    voice: Voice

    def text(self) -> str:
        view, say = self.view, self.say
        verdict = f"{MARKS[view.tone]} petaudit: {say(STATUS_WORDS[view.tone])}"
        parts = [
            f"## {verdict} · {neutral(self.voice.name(view.subject))}",
            say(headline(view)),
            *self.block(self.bullets(concerns(view)), _FOR_ERRORS),
            *self.table(),
            *self.section(term("Policy"), self.bullets(view.policy_sentences), _FOR_ERRORS),
            *(
                part
                for each in view.sections
                for part in self.section(each.title, self.bullets(each.lines), _FOR_ERRORS)
            ),
            *self.section(term("What is not met"), self.breaches(), _FOR_BREACHES),
            *self.section(term("What could not be measured"), self.errors(), _FOR_ERRORS),
        ]
        used = sum(len(part) + 2 for part in parts)
        parts += [
            f"<details>\n<summary>{say(term('Details'))}</summary>",
            *self.block(self.details(), MOST - _FOR_REST - used),
            "</details>",
            "---",
            say(joined([*self.footer()], "; ")),
        ]
        return "\n\n".join(parts) + "\n"

    def say(self, text: str) -> str:
        return neutral(self.voice.say(text))

    def bullets(self, texts: Iterable[str], indent: str = "") -> Iterator[str]:
        return (f"{indent}- {self.say(text)}" for text in texts)

    def block(self, lines: Iterable[str], most: int, head: Sequence[str] = ()) -> Iterator[str]:
        """The first lines that have room, with a note if there are more, which are not computed."""
        shown: list[str] = []
        used, is_cut = 0, False
        for line in lines:
            used += len(line) + 1
            if used > most:
                is_cut = True
                break
            shown.append(line)
        if shown:
            yield "\n".join([*head, *shown])
        if is_cut:
            text = phrase("The rest is not shown, to keep this short; the JSON result has it.")
            yield f"*{self.say(text)}*"

    def section(self, title: str, lines: Iterable[str], most: int) -> Iterator[str]:
        """A block with a title, if there is anything in it."""
        parts = [*self.block(lines, most)]
        return iter([f"### {self.say(title)}", *parts] if parts else [])

    def table(self) -> Iterator[str]:
        cards = sorted_cards(self.view.cards)
        is_compared = any(card.before is not None for card in cards)
        titles = [
            term("Measure"),
            term("Value"),
            *([term("Before")] if is_compared else []),
            term("Limit"),
            term("Verdict"),
        ]
        head = [_row(map(self.say, titles)), _row(["---"] * len(titles))]
        rows = (_row(self.cells(card, is_compared)) for card in cards)
        return self.block(rows, _FOR_TABLE, head)

    def cells(self, card: Card, is_compared: bool) -> Iterator[str]:
        yield self.named(card)
        value = card.value_text
        yield self.say(f"≥ {value}" if card.lower_bound and card.value is not None else value)
        if is_compared:
            yield self.say(card.before_text)
        has_none = card.limit is None and card.status in ("measured", "error")
        yield self.say("-" if has_none else card.rule_with_profile or "-")
        yield f"{MARKS[card.status]} {self.say(STATUS_WORDS[card.status])}"

    def named(self, card: Card) -> str:
        title = self.say(card.title)
        return title if card.run is None else f"{title} · {neutral(self.voice.name(card.run))}"

    def breaches(self) -> Iterator[str]:
        """Cards that break a limit, with what is behind them."""
        for card in self.view.with_status("failed"):
            yield f"- **{self.say(breach_sentence(card))}**"
            yield from self.bullets(card.explanation, "  ")
            if self.voice.revealed:
                yield from self.bullets(map(self.worst, card.few_worst), "  ")

    def worst(self, worst: WorstClass) -> str:
        """The worst classes of an attribute, which are told only where values are revealed."""
        voice = self.voice
        facts = phrase(
            "Worst for {attribute}: {figure} (classes: {classes}, rows: {rows})",
            attribute=voice.name(worst.attribute),
            figure=short(worst.figure),
            classes=voice.count(worst.classes),
            rows=voice.count(worst.rows),
        )
        if worst.labels is None:
            return facts
        null = voice.say(term("null"))
        labels = [
            f"{voice.name(name)} = {null if label is None else voice.name(repr(label))}"
            for name, label in worst.labels.items()
        ]
        return phrase("{facts}: {labels}", facts=facts, labels=joined(labels))

    def errors(self) -> Iterator[str]:
        for card in self.view.with_status("error"):
            yield f"- {self.say(breach_sentence(card))}"
            yield from self.bullets(card.explanation, "  ")
        yield from self.bullets(self.view.problems)

    def details(self) -> Iterator[str]:
        view = self.view
        sections: dict[str, Iterator[str]] = {
            term("What to do next"): self.bullets(next_steps(view)),
            term("Left out"): self.bullets(
                phrase("{title}: {reason}", title=measure.title, reason=measure.reason)
                for measure in view.left_out
            ),
            term("Not compared"): self.bullets(
                phrase("{title}: {reason}", title=card.run or card.title, reason=card.before.reason)
                for card in view.cards
                if card.before is not None and card.before.reason is not None
            ),
            term("Warnings"): self.bullets(view.all_warnings),
            term("What this report is based on"): self.bullets(map(self.origin, view.tables)),
            term("Explanations"): self.explanations(),
        }
        for title, lines in sections.items():
            for number, line in enumerate(lines):
                if number == 0:
                    yield f"- **{self.say(title)}**"
                yield f"  {line}"

    def origin(self, table: TableFacts) -> str:
        """Where a table came from, what counted it, and by what it can be told from another."""
        facts = [
            self.voice.name(table.place or table.name),
            *([] if table.counted is None else [table.counted]),
            phrase("rows: {rows}", rows=self.voice.count(table.rows, of=table.rows)),
            phrase("SHA-256: {hash}", hash=table.sha256 or table.why_no_hash),
        ]
        return phrase("{part}: {facts}", part=table.part, facts=joined(facts, "; "))

    def explanations(self) -> Iterator[str]:
        """What is behind the figures that break nothing."""
        for card in self.view.cards:
            if card.status in ("passed", "measured") and card.explanation:
                yield f"- {self.named(card)}"
                yield from self.bullets(card.explanation, "  ")

    def footer(self) -> Iterator[str]:
        view, voice = self.view, self.voice
        yield phrase("petaudit {version}", version=voice.name(view.version))
        if view.reviewer is not None:
            yield phrase("reviewed by {name}", name=voice.name(view.reviewer))
        if view.compared_with is not None:
            yield phrase("compared with {name}", name=voice.name(view.compared_with))
        if not voice.revealed:
            yield phrase("values hidden")
            if voice.threshold > 1:
                yield phrase("counts below {number} shown as <{number}", number=voice.threshold)
        elif view.holds_values:
            yield phrase("CONTAINS VALUES OF THE DATA")
        else:
            yield phrase("no values of the data, but small counts are shown")


def _row(cells: Iterable[str]) -> str:
    """A row of a table, where a bar is written with a backslash even in code."""
    escaped = [cell.replace("|", "\\|") for cell in cells]
    return f"| {' | '.join(escaped)} |"
