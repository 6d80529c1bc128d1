"""Result documents for reports: from a file that may hold anything, to a view."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from petaudit.auditing.document import CHECK, MPUCCS, RUN, restored
from petaudit.auditing.gate import (
    ERROR,
    EXIT_CODES,
    Figure,
    JudgedTable,
    conclude,
    sensitive_columns,
    settle,
    tables_of,
)
from petaudit.auditing.review import ColumnReview
from petaudit.errors import InputError, phrase
from petaudit.measures import all_measures
from petaudit.reports.cards import card_of, run_card_of
from petaudit.reports.fields import (
    better_of,
    entries_of,
    file_name,
    mapping,
    required,
    sentence,
    text,
    texts,
    texts_by_name,
    verdict_of,
)
from petaudit.reports.places import place_of, title_of
from petaudit.reports.view import Card, Change, LeftOut, PolicyFacts, TableFacts, View
from petaudit.roles import Role


def view_of(document: Mapping[str, Any], *, origin: str = "the document") -> View:
    """The view of a result document.

    >>> view = view_of({"document": "petaudit.check/1", "petaudit": "1", "verdict": "error",
    ...                 "exit_code": 2, "inputs": {}, "results": []})
    >>> view.kind, view.cards
    ('check', ())
    """
    makers = {CHECK: _check, RUN: _run, MPUCCS: _mpuccs}
    try:
        view = makers[document["document"]](restored(document))
        if not _agrees(view):
            raise InputError(
                "{origin}: its verdict does not follow from its results", origin=origin
            )
        return view
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError):
        # Which value was no good is not said: it may be a value of the data.
        raise InputError("{origin}: its results cannot be read", origin=origin) from None


def _agrees(view: View) -> bool:
    """Whether the verdict is that of the cards: a file may say anything, but not a wrong "safe"."""
    statuses = {card.status for card in view.cards} | ({ERROR} if view.problems else set())
    if view.kind == "check" and not view.cards:
        # Nothing could be measured, so nothing holds.
        statuses.add(ERROR)
    if any(card.status == "passed" and not card.keeps_limit for card in view.cards):
        return False
    verdict = settle(statuses, problems=view.breaks, questions=view.questions, strict=view.strict)
    return view.verdict == verdict and view.exit_code == EXIT_CODES[verdict]


def _check(document: Mapping[str, Any]) -> View:
    inputs = mapping(document.get("inputs"))
    cards = [card_of(entry, entry) for entry in entries_of(document, "results")]
    not_measured = entries_of(document, "not_measured")
    options = mapping(document.get("options"))
    cards += [
        Card(
            measure=str(entry["measure"]),
            status="error",
            value=None,
            limit=_limit_of(str(entry["measure"]), options),
            better=better_of(entry),
            reason=sentence(entry.get("reason")),
        )
        for entry in not_measured
        if entry.get("status") == "error"
    ]
    name = title_of(mapping(inputs.get("table")).get("name"))
    review = _review(document, [card.measure for card in cards])
    roles = texts_by_name(document.get("roles"))
    figures = [
        Figure(
            *(card.measure, card.status, card.value, card.limit), card.strict, bool(card.conditions)
        )
        for card in cards
    ]
    conclusion = conclude([JudgedTable(figures, [review], sensitive_columns(roles))])
    return View(
        kind="check",
        subject=name,
        version=str(document["petaudit"]),
        verdict=verdict_of(document),
        exit_code=int(document["exit_code"]),
        tables=_tables({part: inputs[part] for part in _PARTS if part in inputs}, _PARTS),
        roles=roles,
        cards=tuple(cards),
        left_out=tuple(
            LeftOut(str(entry["measure"]), required(entry.get("reason")))
            for entry in not_measured
            if entry.get("status") != "error"
        ),
        warnings=texts(document.get("warnings")),
        breaks=_together(conclusion.problems, document.get("problems")),
        questions=_together(conclusion.open_questions, document.get("open_questions")),
        strict=options.get("strict") is True,
        policies=_policies(document),
        settings=_settings(options),
        holds_values=options.get("reveal_values") is True,
    )


def _together(followed: Sequence[str], said: object) -> tuple[str, ...]:
    """What follows from the rest of a document, and what it says itself, each once."""
    return tuple(dict.fromkeys((*followed, *texts(said))))


def _review(document: Mapping[str, Any], measures: Sequence[str]) -> ColumnReview:
    """The columns of the table without a role; a document of 0.6 does not say what they are like.

    A measure that compares all columns of two tables has looked at every one of them.
    """
    known = all_measures()
    if all(name in known and known[name].has_same_columns for name in measures):
        return ColumnReview()
    options = mapping(document.get("options"))
    told = ColumnReview()
    if document.get("columns") is not None:
        told = ColumnReview.from_dict(mapping(document["columns"]))
    table = mapping(mapping(document.get("inputs")).get("table"))
    looked_at = {*texts_by_name(document.get("roles")), options.get("key"), options.get("person")}
    without_role = {
        str(name): told.without_role.get(str(name), Role.INSENSITIVE.value)
        for name in table.get("columns") or ()
        if name not in looked_at
    }
    return replace(told, without_role=without_role)


def _policies(document: Mapping[str, Any]) -> tuple[PolicyFacts, ...]:
    return tuple(
        PolicyFacts(str(own["name"]), texts(own.get("lines")), texts(own.get("not_measured")))
        for own in entries_of(document, "policies")
    )


def _limit_of(measure: str, options: Mapping[str, Any]) -> float | None:
    """The limit that was asked for, where nothing came of it; text is as it was typed."""
    given = mapping(mapping(options.get("options")).get(measure)).get("limit")
    try:
        return None if given is None or isinstance(given, bool) else float(Fraction(str(given)))
    except (ValueError, ZeroDivisionError):
        return None


def _run(document: Mapping[str, Any]) -> View:
    entries = entries_of(document, "results")
    configuration = mapping(document["configuration"])
    compare_to = document.get("compare_to")
    ran = {entry.get("run") for entry in entries}
    cards = [run_card_of(entry) for entry in entries]
    conclusion = conclude(tables_of(entries))
    return View(
        kind="run",
        subject=file_name(configuration.get("name")),
        version=str(document["petaudit"]),
        verdict=verdict_of(document),
        exit_code=int(document["exit_code"]),
        tables=_tables(mapping(document.get("inputs")), {}),
        roles=_common_roles(entries),
        cards=tuple(cards),
        warnings=tuple(dict.fromkeys(text for card in cards for text in card.warnings)),
        problems=tuple(
            phrase("{run}: {reason}", run=own["run"], reason=required(own["reason"]))
            for own in entries_of(document, "errors")
            if own["run"] not in ran
        ),
        breaks=_together(conclusion.problems, document.get("problems")),
        questions=_together(conclusion.open_questions, document.get("open_questions")),
        strict=configuration.get("strict") is True,
        policies=_policies(document),
        settings={
            "sha256": str(configuration.get("sha256")),
            **{f"--set {own}": "" for own in texts(configuration.get("set"))},
        },
        compared_with=(
            file_name(mapping(compare_to).get("name")) if compare_to is not None else None
        ),
        holds_values=any(own.labels is not None for card in cards for own in card.worst),
    )


def _mpuccs(document: Mapping[str, Any]) -> View:
    result = mapping(document["result"])
    inputs = mapping(document["inputs"])
    card = card_of({**result, "status": document["verdict"]}, result)
    undecided = document["verdict"] == "undecided"
    return View(
        kind="mpuccs",
        subject=title_of(mapping(inputs.get("synthetic")).get("name")),
        version=str(document["petaudit"]),
        verdict="error" if undecided else verdict_of(document),
        exit_code=int(document["exit_code"]),
        tables=_tables({part: inputs[part] for part in _PARTS if part in inputs}, _PARTS),
        roles={},
        cards=(card,),
        warnings=texts(document.get("warnings")),
        changes=tuple(
            Change(str(own["column"]), int(own["rows_before"]), int(own["rows_after"]))
            for own in entries_of(document, "changes")
            if own.get("change") == "left out"
        ),
        policies=_policies(document),
        settings=_settings({"options": {"mpuccs": mapping(document.get("options"))}}),
    )


_PARTS: Final = {
    "table": phrase("released table"),
    "synthetic": phrase("synthetic table"),
    "original": phrase("original table"),
    "control": phrase("control table"),
    "population": phrase("population table"),
}


def _tables(inputs: Mapping[str, Any], parts: Mapping[str, str]) -> tuple[TableFacts, ...]:
    found = []
    for part, given in inputs.items():
        facts = mapping(given)
        rows = facts.get("rows")
        found.append(
            TableFacts(
                part=parts.get(part, part),
                name=title_of(facts.get("name")),
                rows=None if rows is None else int(rows),
                columns=tuple(str(name) for name in facts.get("columns") or ()),
                sha256=text(facts.get("sha256")),
                place=place_of(facts.get("name")),
                engine=text(facts.get("engine")),
            )
        )
    return tuple(found)


def _common_roles(entries: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The roles of all entries that have any, if they agree."""
    given = [texts_by_name(own.get("roles")) for own in entries if own.get("roles")]
    return given[0] if given and all(own == given[0] for own in given) else {}


def _settings(options: Mapping[str, Any]) -> dict[str, str]:
    """What was set, by name; the limits stand with their measures."""
    found = {}
    for measure, own in mapping(options.get("options") or {}).items():
        for name, value in mapping(own).items():
            if name != "limit" and value is not None:
                found[f"{measure}.{name}"] = _setting(value)
    for name in ("suppressed", "key", "person", "person_is_pseudonym"):
        if options.get(name) is not None:
            found[name] = _setting(options[name])
    return found


def _setting(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
