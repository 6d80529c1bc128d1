"""What a report shows, whatever it looks like: the same for HTML, Markdown, JUnit and SARIF.

Texts are phrases; whoever shows a view says them in a language and hides small counts
(:class:`petaudit.reports.voice.Voice`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from petaudit.errors import joined, phrase, term
from petaudit.i18n.numbers import Unit
from petaudit.measures import Better, Family, all_measures
from petaudit.measures.limits import limit_rule
from petaudit.pictures import Picture

STATUSES: Final = ("failed", "error", "passed", "measured")
"""The worst first."""
MARKS: Final = {"failed": "✗", "error": "?", "passed": "✓", "measured": "·", "open": "!"}
"""A sign for each, so that colour is never all there is."""


@dataclass(frozen=True)
class Before:
    """The figure of an earlier result, or why there is none to compare with."""

    value: float | bool | None
    reason: str | None = None


@dataclass(frozen=True)
class Card:
    """One measure, or one run of a pipeline."""

    measure: str
    status: str
    """One of :data:`STATUSES`."""
    value: float | bool | None
    limit: float | None
    better: str
    """``lower``, ``higher`` or ``true``."""
    strict: bool = False
    conditions: tuple[str, ...] = ()
    profile: str | None = None
    lower_bound: bool = False
    figure: str | None = None
    run: str | None = None
    """The run of a pipeline; None for a check."""
    line: int | None = None
    """Where the pipeline file sets the limit that is breached."""
    exact: str | None = None
    """The figure as a fraction, where floats could not tell it from the limit."""
    limit_exact: str | None = None
    """The limit as a quotient, where no float shows it as it is."""
    reason: str | None = None
    explanation: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    remedy: Mapping[str, Any] | None = None
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
        if self.better == Better.TRUE.value:
            return phrase("must hold")
        if self.limit is None and self.status in ("passed", "failed") and self.before is not None:
            return phrase("not worse than {before}", before=short(self.before.value))
        if self.limit is None:
            return None
        said = limit_rule(self.better, strict=self.strict, limit=limit_text(self))
        return joined([said, *self.conditions]) if self.conditions else said


@dataclass(frozen=True)
class WorstClass:
    """Classes that are worst for an attribute; labels only where values were revealed."""

    attribute: str
    figure: float | None
    rows: int | None
    classes: int | None
    labels: Mapping[str, str | None] | None


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
    rows: int | None
    columns: tuple[str, ...]
    sha256: str | None
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
            return phrase("none: Spark reads it where it lies, and it can change at any time")
        if self.engine == "postgres" or (self.place or "").startswith("postgresql://"):
            return phrase("none: a table of a server can change at any time")
        return phrase("none: it was no file")

    @property
    def is_on_spark(self) -> bool:
        """Whether a Spark cluster counted it."""
        return (self.engine or "").startswith("pyspark")


@dataclass(frozen=True)
class LeftOut:
    """A measure that was not asked for by name and does not suit the inputs."""

    measure: str
    reason: str

    @property
    def title(self) -> str:
        """The name of the measure for people."""
        known = all_measures().get(self.measure)
        return self.measure if known is None else term(known.title)


@dataclass(frozen=True)
class PolicyFacts:
    """A published rule that set limits."""

    name: str
    lines: tuple[str, ...]
    """What it is, what it demands, and where that stands."""
    not_measured: tuple[str, ...] = ()
    """What it demands beside the limits; nothing shows that this is kept."""

    @property
    def said(self) -> tuple[str, ...]:
        """All of it."""
        still_open = (phrase("not measured: {demand}", demand=own) for own in self.not_measured)
        return (*self.lines, *still_open)


@dataclass(frozen=True)
class View:
    """Everything that a report shows."""

    kind: str
    """``check``, ``run`` or ``mpuccs``."""
    subject: str
    """The name of the table or of the pipeline file."""
    version: str
    verdict: str
    """``passed``, ``failed``, ``error`` or ``measured``."""
    exit_code: int
    tables: tuple[TableFacts, ...]
    roles: Mapping[str, str]
    cards: tuple[Card, ...]
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    """Errors that belong to no card."""
    breaks: tuple[str, ...] = ()
    """Why the table must not be released, whatever the figures say."""
    questions: tuple[str, ...] = ()
    """What the limits did not ask, and somebody should."""
    strict: bool = False
    """Whether open questions leave the audit undecided."""
    policies: tuple[PolicyFacts, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    compared_with: str | None = None
    changes: tuple[Change, ...] = ()
    holds_values: bool = False
    """Whether the document has values of the data in it, which a report may yet hide."""

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

    def by_family(self) -> dict[Family, tuple[Card, ...]]:
        """The cards of each family that there is, in the order of the families."""
        found = {
            family: tuple(own for own in self.cards if own.family is family) for family in Family
        }
        return {family: cards for family, cards in found.items() if cards}


def value_text(card: Card) -> str:
    """The figure, with as many digits as it takes to tell it from the limit; a dash for none."""
    return _figures(card)[0]


def limit_text(card: Card) -> str:
    """The limit, with as many digits as it takes to tell it from the figure."""
    return card.limit_exact or _figures(card)[1]


def short(value: float | bool | None) -> str:
    """A figure for people.

    >>> short(0.123456789), short(True), short(None), short(float("inf")), short(30162.0)
    ('0.123457', 'true', '-', '∞', '30,162')
    """
    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    if value in (float("inf"), float("-inf")):
        return "∞" if value > 0 else "-∞"
    if float(value).is_integer() and abs(value) < _MOST_DIGITS:
        return f"{int(value):,}"
    return f"{value:.6g}"


_MOST_DIGITS: Final = 1e15


def _figures(card: Card) -> tuple[str, str]:
    value, limit = card.value, card.limit
    shown, bound = short(value), short(limit)
    if shown == bound and value is not None and value != limit:
        return repr(value), repr(limit)
    if shown == bound and card.status == "failed" and card.exact is not None:
        # They differ beyond the last digit of a float.
        return card.exact, bound
    return shown, bound


def sorted_cards(cards: Sequence[Card]) -> tuple[Card, ...]:
    """Breaches first, then what could not be measured, each in the order of the document."""
    return tuple(sorted(cards, key=lambda card: STATUSES.index(card.status)))
