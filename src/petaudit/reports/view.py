"""What a report shows, whatever it looks like: the same for HTML, Markdown, JUnit and SARIF.

Texts are phrases; whoever shows a view says them in a language and hides small counts
(:class:`petaudit.i18n.voice.Voice`).
"""

from __future__ import annotations

import math
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Final, TypeAlias

from petaudit.errors import InputError, phrase, term
from petaudit.i18n.numbers import Unit, foreign
from petaudit.i18n.voice import Voice
from petaudit.measures import Better, Family, all_measures
from petaudit.measures.limits import figure_rule, rounded_texts
from petaudit.measures.risk import RiskMeasure
from petaudit.pictures import Picture

_OWN_NAME: Final = "petaudit"
STATUSES: Final = ("failed", "error", "passed", "measured")
"""The worst first."""
_MOST_WORST: Final = 3


def read_sentence(plain: object) -> str:
    """Return a sentence of a document; one that is no phrase keeps its small numbers to itself."""
    if not isinstance(plain, str):
        raise ValueError("a sentence is text")
    return foreign(plain)


def read_number(plain: object) -> float | bool | None:
    """Return a figure of a document, for which JSON has no word if it is infinite."""
    if plain is None or isinstance(plain, bool):
        return plain
    if not isinstance(plain, int | float) and plain not in ("inf", "-inf"):
        raise ValueError("a figure is a number")
    number = float(plain)
    return None if math.isnan(number) else number


def read_label(plain: object) -> str | None:
    """Return a label of the data."""
    return None if plain is None else str(plain)


Sentence: TypeAlias = Annotated[str, read_sentence]
Number: TypeAlias = Annotated[float | bool | None, read_number]
Limit: TypeAlias = Annotated[float | None, read_number]
Label: TypeAlias = Annotated[str | None, read_label]


@dataclass(frozen=True)
class Before:
    """The figure of an earlier result, or why there is none to compare with."""

    value: Number
    reason: Sentence | None = None


@dataclass(frozen=True)
class Card:
    """One measure, or one run of a pipeline."""

    measure: str
    status: str
    """One of :data:`STATUSES`."""
    value: Number = None
    limit: Limit = None
    better: str = Better.LOWER.value
    """``lower``, ``higher`` or ``true``."""
    strict: bool = False
    conditions: tuple[Sentence, ...] = ()
    profile: str | None = None
    lower_bound: bool = False
    figure: str | None = None
    run: str | None = None
    """The run of a pipeline; None for a check."""
    line: int | None = None
    """Where the pipeline file sets the limit that is breached."""
    exact: str | None = None
    is_rounded: bool = False
    """Whether the figure has no more digits, lest it tells about single people."""
    """The figure as a fraction, where floats could not tell it from the limit."""
    limit_exact: str | None = None
    """The limit as a quotient, where no float shows it as it is."""
    reason: Sentence | None = None
    explanation: tuple[Sentence, ...] = ()
    warnings: tuple[Sentence, ...] = ()
    pictures: tuple[Picture, ...] = ()
    remedy: RemedyFacts | None = None
    suppressed_left_out: bool = False
    """Whether the figure is of a table that has suppressed rows as well."""
    unit: Unit = Unit.ROW
    """What its numbers of rows are numbers of."""
    person: str | None = None
    """The column that tells people apart; None also where the document does not say."""
    before: Before | None = None
    worst: tuple[WorstClass, ...] = ()
    worsening: str | None = None
    """Why it fails against the earlier result, if it does."""
    breaks_limit: bool = True
    """Whether a failure is one of the limit, too, and not only against the earlier result."""

    @property
    def keeps_limit(self) -> bool:
        """Whether the figure, as a float, keeps the limit; conditions are not looked at."""
        if self.better == Better.TRUE.value:
            return self.value is True
        if self.limit is None:
            return True
        if self.value is None or self.value == self.limit:
            return self.value is not None and not self.strict
        is_above = self.value > self.limit
        return is_above if self.better == Better.HIGHER.value else not is_above

    @property
    def few_worst(self) -> tuple[WorstClass, ...]:
        """The worst classes of each attribute, as many as a report has room for."""
        attributes = [worst.attribute for worst in self.worst]
        return tuple(
            worst
            for number, worst in enumerate(self.worst)
            if attributes[:number].count(worst.attribute) < _MOST_WORST
        )

    @property
    def is_estimate(self) -> bool:
        """Whether an interval decides, so that a figure beyond the limit need not break it."""
        known = all_measures().get(self.measure)
        return known is not None and known.decides_by_interval

    @property
    def family(self) -> Family:
        """What the measure is about."""
        known = all_measures().get(self.measure)
        return Family.OTHER if known is None else known.family

    @property
    def title(self) -> str:
        """The name of the measure for people."""
        known = all_measures().get(self.measure)
        return self.measure if known is None else term(known.title)

    @property
    def rule(self) -> str | None:
        """What the figure must be, in relation to the limit: a phrase with ``{limit}`` filled in.

        None without a limit.
        """
        is_judged = self.status in ("passed", "failed") and self.better != Better.TRUE.value
        if self.limit is None and self.before is not None and is_judged:
            return phrase("not worse than {before}", before=self.before_text)
        limit = None if self.limit is None else self.limit_exact or self._texts[1]
        return figure_rule(self.better, limit, strict=self.strict, conditions=self.conditions)

    @property
    def rule_with_profile(self) -> str | None:
        """The same, with the profile that set the limit."""
        if self.rule is None or self.profile is None:
            return self.rule
        return phrase("{rule} (profile {profile})", rule=self.rule, profile=self.profile)

    @property
    def value_text(self) -> str:
        """The figure, with as many digits as it takes to tell it from the limit."""
        return self._texts[0]

    @property
    def before_text(self) -> str:
        """The earlier figure; a dash for none."""
        return self._texts[2]

    def exact_text(self, voice: Voice) -> str | None:
        """The figure with all its digits, where the text has fewer.

        Its fraction would show anybody how many people are in the class that decides it.
        """
        value = self.value
        if not isinstance(value, float) or not math.isfinite(value) or value.is_integer():
            return None
        if self.is_rounded:
            return None
        return f"{value!r} = {self.exact}" if self.exact and voice.is_exact else repr(value)

    @cached_property
    def _texts(self) -> tuple[str, str, str]:
        return rounded_texts(
            self.value,
            self.limit,
            None if self.before is None else self.before.value,
            exact=self.exact if self.status == "failed" else None,
            percent=self.is_share,
        )

    @property
    def is_share(self) -> bool:
        """Whether people read the figure as a part of all: risks, and what is kept or lost."""
        known = all_measures().get(self.measure)
        is_part = self.family in (Family.RISK, Family.UTILITY) or isinstance(known, RiskMeasure)
        return known is not None and is_part and known.range == (0, 1)


@dataclass(frozen=True)
class RemedyFacts:
    """What would be enough to keep a limit."""

    rows_to_suppress: int = 0
    rows_to_drop: int = 0
    rows_breaking: int = 0
    of_rows: int | None = None


@dataclass(frozen=True)
class WorstClass:
    """Classes that are worst for an attribute; labels only where values were revealed."""

    attribute: str
    figure: Limit = None
    rows: int | None = None
    classes: int | None = None
    labels: Mapping[str, Label] | None = None


@dataclass(frozen=True)
class Change:
    """What leaving out one column would do to the rows that single out somebody."""

    column: str
    rows_before: int
    rows_after: int


@dataclass(frozen=True)
class TableFacts:
    """A table that was read."""

    part: str
    """What it is for: a phrase such as ``table`` or ``original``, or a pipeline's own name."""
    name: str
    """What it is called, where there is no room for more."""
    rows: int | None = None
    columns: tuple[str, ...] = ()
    sha256: str | None = None
    place: str | None = None
    """The whole address, where there is more to it than the name of a file."""
    engine: str | None = None
    """What counted it, by the name that documents have for it."""

    @property
    def counted(self) -> str | None:
        """What counted it, in words."""
        if self.engine is None:
            return None
        if self.is_on_spark:
            return phrase("counted on Spark")
        if self.engine == "postgres":
            return phrase("counted in PostgreSQL")
        names = {"duckdb": "DuckDB", "ibis": "Ibis", "polars": "Polars", "pyarrow": "PyArrow"}
        return phrase("counted by {engine}", engine=names.get(self.engine, self.engine))

    @property
    def why_no_hash(self) -> str:
        """Why there is no SHA-256, where there is none."""
        if self.is_on_spark:
            return phrase("none: Spark reads it in place, and it can change at any time")
        if self.engine == "postgres" or (self.place or "").startswith("postgresql://"):
            return phrase("none: a table on a server can change at any time")
        return phrase("none: it was not a file")

    @property
    def is_on_spark(self) -> bool:
        """Whether a Spark cluster counted it."""
        return (self.engine or "").startswith("pyspark")


@dataclass(frozen=True)
class LeftOut:
    """A measure that was not asked for by name and does not suit the inputs."""

    measure: str
    reason: Sentence

    @property
    def title(self) -> str:
        """The name of the measure for people."""
        known = all_measures().get(self.measure)
        return self.measure if known is None else term(known.title)


@dataclass(frozen=True)
class PolicyFacts:
    """A published rule that set limits."""

    name: str
    lines: tuple[Sentence, ...] = ()
    """What it is, what it demands, and where that stands."""
    not_measured: tuple[Sentence, ...] = ()
    """What it demands beside the limits; nothing shows that this is kept."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """Everything a report says about it."""
        still_open = (
            phrase("not measured: {demand}", demand=demand) for demand in self.not_measured
        )
        return (*self.lines, *still_open)


@dataclass(frozen=True)
class ChangedFigure:
    """What a figure would be, and whether it would keep its limit."""

    measure: str
    value: Number
    passed: bool


@dataclass(frozen=True)
class Advice:
    """A command that reaches limits, a note about one, or what changing a column would do."""

    kind: str
    """``command``, ``note`` or ``change``."""
    text: Sentence
    reaches: tuple[str, ...] = ()
    """The measures whose limits are breached and would hold."""
    command: tuple[str, ...] = ()
    """The command, word by word; none where the table is no file."""
    python: str | None = None
    rows_dropped: int | None = None
    column: str | None = None
    change: str | None = None
    """``without`` it, or one level ``coarser``."""
    improves: bool = False
    """Whether a change makes any of the figures better."""
    figures: tuple[ChangedFigure, ...] = ()
    about: tuple[str, ...] = ()
    """The measures that a note is about."""
    first: tuple[str, ...] = ()
    """A command that must be run before, word by word."""

    @property
    def shown_first(self) -> str | None:
        """The command that must be run before, as a shell takes it."""
        return shlex.join(self.first) if self.first[:1] == (_OWN_NAME,) else None

    @property
    def leaves_out(self) -> list[str]:
        """The identifiers that the command leaves out.

        >>> Advice("command", "", command=("petaudit", "--identifier", "name,id")).leaves_out
        ['name', 'id']
        """
        option = "--identifier"
        if option not in self.command[:-1]:
            return []
        names = self.command[self.command.index(option) + 1].split(",")
        return [name for name in names if name]

    @property
    def shown_command(self) -> str | None:
        """The command as a shell takes it, or else the call in Python.

        >>> Advice("command", "", command=("petaudit", "suppress", "a b.csv")).shown_command
        "petaudit suppress 'a b.csv'"
        """
        if self.command[:1] == (_OWN_NAME,):
            return shlex.join(self.command)
        return self.python


@dataclass(frozen=True)
class Section:
    """What a command says of itself, below a title."""

    title: Sentence
    lines: tuple[Sentence, ...] = ()


@dataclass(frozen=True)
class View:
    """Everything that a report shows."""

    kind: str
    """``check``, ``run``, ``mpuccs`` or ``anonymize``."""
    subject: str
    """The name of the table or of the pipeline file."""
    version: str
    verdict: str
    """``passed``, ``failed``, ``error`` or ``measured``."""
    exit_code: int
    tables: tuple[TableFacts, ...]
    roles: Mapping[str, str] = field(default_factory=dict)
    cards: tuple[Card, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[Sentence, ...] = ()
    problems: tuple[Sentence, ...] = ()
    """Errors that belong to no card."""
    breaks: tuple[str, ...] = ()
    """Why the table must not be released, whatever the figures say."""
    questions: tuple[str, ...] = ()
    """What the limits did not ask, and somebody should."""
    strict: bool = False
    """Whether open questions leave the audit undecided."""
    policies: tuple[PolicyFacts, ...] = ()
    sections: tuple[Section, ...] = ()
    """How the table was made, where petaudit made it."""
    settings: Mapping[str, str] = field(default_factory=dict)
    compared_with: str | None = None
    changes: tuple[Change, ...] = ()
    runs_left_out: int = 0
    """Runs of the pipeline that the user did not want this time."""
    what_to_do: tuple[Advice, ...] = ()
    """What reaches the limits that are breached, and what changing a column would do."""
    holds_values: bool = False
    """Whether the document has values of the data in it, which a report may yet hide."""
    date: str | None = None
    """The day of the audit; earlier documents do not say."""
    reviewer: str | None = None
    """Who looked at the tables, if they want to be named."""

    @property
    def tone(self) -> str:
        """How the verdict looks: the verdict itself, or ``open`` where it holds with questions."""
        return "open" if self.verdict == "passed" and self.questions else self.verdict

    @property
    def judged(self) -> tuple[Card, ...]:
        """Cards with a verdict."""
        return tuple(card for card in self.cards if card.status in ("passed", "failed"))

    def with_status(self, status: str) -> tuple[Card, ...]:
        """The cards of one status."""
        return tuple(card for card in self.cards if card.status == status)

    @property
    def all_warnings(self) -> list[str]:
        """The warnings of the document and of all cards, each once."""
        of_cards = (text for card in self.cards for text in card.warnings)
        return list(dict.fromkeys((*self.warnings, *of_cards)))

    @cached_property
    def shared_warnings(self) -> set[str]:
        """The warnings that several cards have."""
        times = Counter(text for card in self.cards for text in {*card.warnings})
        return {text for text, number in times.items() if number > 1}

    @property
    def policy_sentences(self) -> list[str]:
        """The sentences about all policies."""
        return [text for policy in self.policies for text in policy.sentences]

    def by_family(self) -> dict[Family, tuple[Card, ...]]:
        """The cards of each family that there is, in the order of the families."""
        cards = {
            family: tuple(card for card in self.cards if card.family is family) for family in Family
        }
        return {family: of_family for family, of_family in cards.items() if of_family}


def sorted_cards(cards: Sequence[Card]) -> tuple[Card, ...]:
    """Breaches first, then what could not be measured, each in the order of the document."""
    return tuple(sorted(cards, key=lambda card: STATUSES.index(card.status)))


def with_baseline(view: View, earlier: View, name: str) -> View:
    """The view with the figures of an earlier one, where both measured the same thing.

    >>> now = View("check", "a.csv", "1", "measured", 0, (), {}, (
    ...     Card("precision", "measured", 0.5, None, "higher"),))
    >>> then = View("check", "a.csv", "1", "measured", 0, (), {}, (
    ...     Card("precision", "measured", 0.8, None, "higher"),))
    >>> with_baseline(now, then, "then.json").cards[0].before
    Before(value=0.8, reason=None)
    """
    before = {(card.measure, card.run): card for card in earlier.cards}
    cards = tuple(
        _compared(card, before.get((card.measure, card.run)), view, earlier) for card in view.cards
    )
    if not any(card.before is not None and card.before.value is not None for card in cards):
        raise InputError("{name}: it has no figure in common with this result", name=name)
    return replace(view, cards=cards, compared_with=name)


def _compared(card: Card, before: Card | None, view: View, earlier: View) -> Card:
    if card.before is not None and card.before.value is not None:
        # The gate of the pipeline compared it already.
        return card
    if before is None or before.value is None:
        compared = Before(None, phrase("the earlier result has no such figure"))
    elif _measured(card, view) != _measured(before, earlier):
        compared = Before(None, phrase("the earlier figure was measured differently"))
    else:
        compared = Before(before.value)
    return replace(card, before=compared)


def _measured(card: Card, view: View) -> tuple[object, ...]:
    """What was measured and counted, and by which column people were told apart."""
    person = None if card.unit is Unit.ROW else card.person or view.settings.get("person")
    return view.roles, card.figure, card.unit, person
