"""Entries of documents as cards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from petaudit.errors import phrase
from petaudit.exact.fractions import quotient
from petaudit.i18n.numbers import Unit
from petaudit.pictures.optional import pictures_in
from petaudit.reports.fields import (
    better_of,
    entries_of,
    figure,
    mapping,
    sentence,
    shown,
    text,
    texts,
)
from petaudit.reports.view import Before, Card, WorstClass

_MOST_WORST: Final = 3


def card_of(entry: Mapping[str, Any], details: Mapping[str, Any]) -> Card:
    """The card of a result; ``details`` is where the measure's own keys are."""
    status = str(entry["status"])
    remedy = details.get("remedy")
    limit = entry.get("limit")
    exact = details.get("exact_value")
    reason = sentence(entry.get("reason"))
    pictures, notes = pictures_in(entry.get("pictures"))
    if status == "undecided":
        reason = phrase("the figure is a lower bound, so it does not show that the limit holds")
    return Card(
        measure=str(entry["measure"]),
        status=status if status in ("passed", "failed", "measured", "error") else "error",
        value=figure(entry.get("value")),
        limit=None if limit is None or isinstance(limit, bool) else float(limit),
        better=better_of(entry),
        strict=entry.get("strict") is True,
        conditions=texts(entry.get("conditions")),
        profile=text(entry.get("profile")),
        lower_bound=entry.get("lower_bound") is True,
        figure=text(entry.get("figure")),
        exact=exact if isinstance(exact, str) else None,
        limit_exact=_quotient(entry),
        reason=reason,
        explanation=texts(entry.get("explanation")),
        warnings=tuple(dict.fromkeys((*texts(entry.get("warnings")), *notes))),
        pictures=pictures,
        remedy=None if remedy is None else mapping(remedy),
        suppressed_left_out=bool(details.get("suppressed_rows")),
        unit=Unit.PERSON if details.get("counts") == Unit.PERSON.value else Unit.ROW,
        person=text(entry.get("person")),
        worst=tuple(_worst(details)),
    )


def _quotient(entry: Mapping[str, Any]) -> str | None:
    """The limit as a quotient, if it is that of the limit; a file may say anything."""
    given, limit = entry.get("limit_exact"), entry.get("limit")
    number = quotient(given) if isinstance(given, str) else None
    return None if number is None or float(number) != limit else given


def run_card_of(entry: Mapping[str, Any]) -> Card:
    """The card of a run of a pipeline."""
    details = mapping(entry.get("details"))
    card = card_of(entry, details)
    comparison = entry.get("comparison")
    lines = [own.get("line") for own in entries_of(entry, "breaches")]
    worse = [own for own in entries_of(entry, "breaches") if own.get("kind") == "worsening"]
    changes: dict[str, Any] = {
        "run": str(entry["run"]),
        "line": next((int(line) for line in lines if line is not None), None),
    }
    if comparison is not None:
        own = mapping(comparison)
        changes["before"] = Before(figure(own.get("previous")), sentence(own.get("reason")))
    if worse:
        changes["breaks_limit"] = len(worse) < len(entries_of(entry, "breaches"))
        changes["worsening"] = phrase(
            "it was {before}, and only {allowed} worse is allowed",
            before=shown(worse[0].get("limit")),
            allowed=shown(worse[0].get("allowed")),
        )
    return replace(card, **changes)


def _worst(details: Mapping[str, Any]) -> list[WorstClass]:
    found = []
    for attribute in details.get("attributes") or ():
        own = mapping(attribute)
        for worst in (own.get("worst_classes") or ())[:_MOST_WORST]:
            figure = worst.get("figure", worst.get("distance"))
            found.append(
                WorstClass(
                    attribute=str(own["attribute"]),
                    figure=None if figure is None else float(figure),
                    rows=None if worst.get("rows") is None else int(worst["rows"]),
                    classes=None if worst.get("classes") is None else int(worst["classes"]),
                    labels=_labels(worst.get("labels")),
                )
            )
    return found


def _labels(given: object) -> Mapping[str, str | None] | None:
    if given is None:
        return None
    return {
        str(name): None if label is None else str(label) for name, label in mapping(given).items()
    }
