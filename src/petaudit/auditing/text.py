"""An audit in words: the verdict in a line, and why measures gave no figure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from petaudit.errors import Phrase, joined, phrase, revealed, term
from petaudit.i18n.phrases import translate
from petaudit.judging.gate import ERROR as UNDECIDED
from petaudit.measures import Result
from petaudit.reports.verdict import figure_and_rule
from petaudit.reports.view import Card

if TYPE_CHECKING:
    from petaudit.auditing.outcome import Audit, NotMeasured

_SUMMARIES: Final = {
    "passed": term("passed"),
    "failed": term("failed"),
    "error": term("undecided"),
    "measured": term("measured"),
}


def summary_text(audit: Audit) -> str:
    """Return the verdict and what breaks it, in a line."""
    reasons = [
        phrase(
            "{measure} is {value}, must be {rule}", measure=result.measure, value=value, rule=rule
        )
        for result in audit.results
        if result.passed is False
        for value, rule in [figure_and_rule(card_of(result), digits=6)]
    ]
    reasons += by_reason(entry for entry in audit.not_measured if entry.asked_for)
    others = [*audit.problems]
    if audit.verdict == UNDECIDED and not reasons:
        others += audit.open_questions
    verdict = _SUMMARIES[audit.verdict]
    if not reasons and not others:
        return translate(verdict)
    return translate(
        phrase("{verdict}: {reasons}", verdict=verdict, reasons=joined([*reasons, *others], "; "))
    )


def by_reason(
    entries: Iterable[NotMeasured], *, with_rows: bool = False, reveal: bool = False
) -> list[Phrase]:
    """The names of measures and why they gave no figure, each reason once.

    The numbers of rows and values of the data are for the owner.
    """
    names: dict[str, list[str]] = {}
    for entry in entries:
        reason = entry.problem.text if with_rows else entry.reason
        names.setdefault(revealed(reason) if reveal else reason, []).append(entry.measure)
    return [
        phrase("{names}: {reason}", names=joined(measures), reason=reason)
        for reason, measures in names.items()
    ]


def card_of(result: Result) -> Card:
    """What a table shows of a result."""
    result = result.published
    exact = getattr(result, "exact_value", None)
    return Card(
        measure=result.measure,
        status=result.status,
        value=result.value,
        limit=result.limit,
        better=result.better.value,
        strict=result.is_strict,
        conditions=result.conditions,
        exact=None if exact is None else str(exact),
        limit_exact=result.limit_exact,
    )
