"""Result documents for reports: from a file that may hold anything, to a view."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any, Final

from petaudit.errors import InputError, listing, phrase
from petaudit.files import require_regular
from petaudit.languages.kept import with_phrases
from petaudit.languages.numbers import foreign
from petaudit.pictures import Picture, picture_from
from petaudit.reports.view import Before, Card, Change, LeftOut, TableFacts, View, WorstClass

CHECK: Final = "petaudit.check/1"
RUN: Final = "petaudit.result/1"
MPUCCS: Final = "petaudit.mpuccs/1"
_LARGEST: Final = 256 << 20
_MOST_WORST: Final = 3
_MOST_PICTURES: Final = 20


def read_document(path: Path) -> dict[str, Any]:
    """Read what ``petaudit check``, ``run`` or ``mpuccs`` wrote as JSON."""
    try:
        require_regular(path)
        if path.stat().st_size > _LARGEST:
            raise InputError(
                phrase("{path}: larger than {size:,} bytes; not read", path=path, size=_LARGEST)
            )
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise InputError(phrase("file {path!r} does not exist", path=str(path))) from None
    except OSError as problem:
        reason = problem.strerror or type(problem).__name__
        raise InputError(
            phrase("{path}: cannot be read ({reason})", path=path, reason=reason)
        ) from None
    except (ValueError, RecursionError):
        raise InputError(phrase("{path}: is no JSON", path=path)) from None
    known = (CHECK, RUN, MPUCCS)
    if not isinstance(content, dict) or content.get("document") not in known:
        raise InputError(
            phrase(
                "{path}: is no result of petaudit; its document should be one of {known}",
                path=path,
                known=listing(known),
            )
        )
    return content


def view_of(document: Mapping[str, Any], *, origin: str = "the document") -> View:
    """The view of a result document.

    >>> view = view_of({"document": "petaudit.check/1", "petaudit": "1", "verdict": "error",
    ...                 "exit_code": 2, "inputs": {}, "results": []})
    >>> view.kind, view.cards
    ('check', ())
    """
    makers = {CHECK: _check, RUN: _run, MPUCCS: _mpuccs}
    try:
        view = makers[document["document"]](_with_phrases(document))
        if not _agrees(view):
            raise InputError(
                phrase("{origin}: its verdict does not follow from its results", origin=origin)
            )
        return view
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError):
        # Which value was no good is not said: it may be a value of the data.
        raise InputError(phrase("{origin}: its results cannot be read", origin=origin)) from None


def _agrees(view: View) -> bool:
    """Whether the verdict is that of the cards: a file may say anything, but not a wrong "safe"."""
    statuses = {card.status for card in view.cards} | ({"error"} if view.problems else set())
    worst = next((own for own in ("error", "failed", "passed") if own in statuses), "measured")
    if view.kind == "check" and not view.cards:
        # Nothing could be measured, so nothing holds.
        worst = "error"
    if any(card.status == "passed" and not card.keeps_limit for card in view.cards):
        return False
    codes = {"passed": 0, "measured": 0, "failed": 1, "error": 2}
    return view.verdict == worst and view.exit_code == codes[view.verdict]


def _with_phrases(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with phrases again: each entry of a pipeline has its own texts."""
    texts = document.get("texts")
    found = with_phrases(dict(document), texts if isinstance(texts, Mapping) else {})
    if isinstance(found.get("results"), list):
        of_entries: dict[str, Any] = {}
        for entry in found["results"]:
            own = entry.get("texts")
            if isinstance(own, Mapping):
                of_entries |= own
        if of_entries:
            found = with_phrases(found, of_entries)
    return dict(found)


def _check(document: Mapping[str, Any]) -> View:
    inputs = _mapping(document.get("inputs"))
    cards = [_card(entry, entry) for entry in _entries(document, "results")]
    not_measured = _entries(document, "not_measured")
    options = _mapping(document.get("options"))
    cards += [
        Card(
            measure=str(entry["measure"]),
            status="error",
            value=None,
            limit=_limit_of(str(entry["measure"]), options),
            better=_better(entry),
            reason=_sentence(entry.get("reason")),
        )
        for entry in not_measured
        if entry.get("status") == "error"
    ]
    name = _file_name(_mapping(inputs.get("table")).get("name"))
    return View(
        kind="check",
        subject=name,
        version=str(document["petaudit"]),
        verdict=_verdict(document),
        exit_code=int(document["exit_code"]),
        tables=_tables({part: inputs[part] for part in _PARTS if part in inputs}, _PARTS),
        roles=_texts_by_name(document.get("roles")),
        cards=tuple(cards),
        left_out=tuple(
            LeftOut(str(entry["measure"]), _required(entry.get("reason")))
            for entry in not_measured
            if entry.get("status") != "error"
        ),
        warnings=_texts(document.get("warnings")),
        settings=_settings(options),
        holds_values=options.get("reveal_values") is True,
    )


def _limit_of(measure: str, options: Mapping[str, Any]) -> float | None:
    """The limit that was asked for, where nothing came of it; text is as it was typed."""
    given = _mapping(_mapping(options.get("options")).get(measure)).get("limit")
    try:
        return None if given is None or isinstance(given, bool) else float(Fraction(str(given)))
    except (ValueError, ZeroDivisionError):
        return None


def _run(document: Mapping[str, Any]) -> View:
    entries = _entries(document, "results")
    configuration = _mapping(document["configuration"])
    compare_to = document.get("compare_to")
    ran = {entry.get("run") for entry in entries}
    cards = [_run_card(entry) for entry in entries]
    return View(
        kind="run",
        subject=_file_name(configuration.get("name")),
        version=str(document["petaudit"]),
        verdict=_verdict(document),
        exit_code=int(document["exit_code"]),
        tables=_tables(_mapping(document.get("inputs")), {}),
        roles=_common_roles(entries),
        cards=tuple(cards),
        warnings=tuple(dict.fromkeys(text for card in cards for text in card.warnings)),
        problems=tuple(
            phrase("{run}: {reason}", run=own["run"], reason=_required(own["reason"]))
            for own in _entries(document, "errors")
            if own["run"] not in ran
        ),
        settings={
            "sha256": str(configuration.get("sha256")),
            **{f"--set {own}": "" for own in _texts(configuration.get("set"))},
        },
        compared_with=(
            _file_name(_mapping(compare_to).get("name")) if compare_to is not None else None
        ),
        holds_values=any(own.labels is not None for card in cards for own in card.worst),
    )


def _run_card(entry: Mapping[str, Any]) -> Card:
    details = _mapping(entry.get("details"))
    card = _card(entry, details)
    comparison = entry.get("comparison")
    lines = [own.get("line") for own in _entries(entry, "breaches")]
    worse = [own for own in _entries(entry, "breaches") if own.get("kind") == "worsening"]
    changes: dict[str, Any] = {
        "run": str(entry["run"]),
        "line": next((int(line) for line in lines if line is not None), None),
    }
    if comparison is not None:
        own = _mapping(comparison)
        changes["before"] = Before(_figure(own.get("previous")), _sentence(own.get("reason")))
    if worse:
        changes["breaks_limit"] = len(worse) < len(_entries(entry, "breaches"))
        changes["worsening"] = phrase(
            "it was {before}, and only {allowed} worse is allowed",
            before=_shown(worse[0].get("limit")),
            allowed=_shown(worse[0].get("allowed")),
        )
    return replace(card, **changes)


def _mpuccs(document: Mapping[str, Any]) -> View:
    result = _mapping(document["result"])
    inputs = _mapping(document["inputs"])
    card = _card({**result, "status": document["verdict"]}, result)
    undecided = document["verdict"] == "undecided"
    return View(
        kind="mpuccs",
        subject=_file_name(_mapping(inputs.get("synthetic")).get("name")),
        version=str(document["petaudit"]),
        verdict="error" if undecided else _verdict(document),
        exit_code=int(document["exit_code"]),
        tables=_tables({part: inputs[part] for part in _PARTS if part in inputs}, _PARTS),
        roles={},
        cards=(card,),
        warnings=_texts(document.get("warnings")),
        changes=tuple(
            Change(str(own["column"]), int(own["rows_before"]), int(own["rows_after"]))
            for own in _entries(document, "changes")
            if own.get("change") == "left out"
        ),
        settings=_settings({"options": {"mpuccs": _mapping(document.get("options"))}}),
    )


_PARTS: Final = {
    "table": phrase("released table"),
    "synthetic": phrase("synthetic table"),
    "original": phrase("original table"),
    "control": phrase("control table"),
    "population": phrase("population table"),
}


def _card(entry: Mapping[str, Any], details: Mapping[str, Any]) -> Card:
    status = str(entry["status"])
    remedy = details.get("remedy")
    limit = entry.get("limit")
    exact = details.get("exact_value")
    reason = _sentence(entry.get("reason"))
    if status == "undecided":
        reason = phrase("the figure is a lower bound, so it does not show that the limit holds")
    return Card(
        measure=str(entry["measure"]),
        status=status if status in ("passed", "failed", "measured", "error") else "error",
        value=_figure(entry.get("value")),
        limit=None if limit is None or isinstance(limit, bool) else float(limit),
        better=_better(entry),
        strict=entry.get("strict") is True,
        conditions=_texts(entry.get("conditions")),
        profile=_text(entry.get("profile")),
        lower_bound=entry.get("lower_bound") is True,
        figure=_text(entry.get("figure")),
        exact=exact if isinstance(exact, str) else None,
        reason=reason,
        explanation=_texts(entry.get("explanation")),
        warnings=_texts(entry.get("warnings")),
        pictures=_pictures(entry.get("pictures") or ()),
        remedy=None if remedy is None else _mapping(remedy),
        worst=tuple(_worst(details)),
    )


def _pictures(given: Sequence[Any]) -> tuple[Picture, ...]:
    if len(given) > _MOST_PICTURES:
        raise ValueError
    return tuple(picture_from(_mapping(own)) for own in given)


def _worst(details: Mapping[str, Any]) -> list[WorstClass]:
    found = []
    for attribute in details.get("attributes") or ():
        own = _mapping(attribute)
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
        str(name): None if label is None else str(label) for name, label in _mapping(given).items()
    }


def _tables(inputs: Mapping[str, Any], parts: Mapping[str, str]) -> tuple[TableFacts, ...]:
    found = []
    for part, given in inputs.items():
        facts = _mapping(given)
        rows = facts.get("rows")
        found.append(
            TableFacts(
                part=parts.get(part, part),
                name=_file_name(facts.get("name")),
                rows=None if rows is None else int(rows),
                columns=tuple(str(name) for name in facts.get("columns") or ()),
                sha256=_text(facts.get("sha256")),
            )
        )
    return tuple(found)


def _common_roles(entries: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The roles of all entries that have any, if they agree."""
    given = [_texts_by_name(own.get("roles")) for own in entries if own.get("roles")]
    return given[0] if given and all(own == given[0] for own in given) else {}


def _settings(options: Mapping[str, Any]) -> dict[str, str]:
    """What was set, by name; the limits stand with their measures."""
    found = {}
    for measure, own in _mapping(options.get("options") or {}).items():
        for name, value in _mapping(own).items():
            if name != "limit" and value is not None:
                found[f"{measure}.{name}"] = _setting(value)
    for name in ("suppressed", "key"):
        if options.get(name) is not None:
            found[name] = _setting(options[name])
    return found


def _setting(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _entries(document: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    return [_mapping(own) for own in document.get(name) or ()]


def _mapping(given: object) -> Mapping[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise TypeError
    return given


def _texts(given: object) -> tuple[str, ...]:
    if given is None:
        return ()
    if not isinstance(given, list | tuple) or not all(isinstance(own, str) for own in given):
        raise TypeError
    return tuple(map(foreign, given))


def _text(given: object) -> str | None:
    if given is not None and not isinstance(given, str):
        raise TypeError
    return given


def _sentence(given: object) -> str | None:
    text = _text(given)
    return None if text is None else foreign(text)


def _required(given: object) -> str:
    found = _sentence(given)
    if found is None:
        raise TypeError
    return found


def _texts_by_name(given: object) -> dict[str, str]:
    return {str(name): str(value) for name, value in _mapping(given).items()}


def _figure(value: object) -> float | bool | None:
    """A figure; JSON has no word for infinity."""
    if value is None or isinstance(value, bool):
        return value
    if not isinstance(value, int | float) and value not in ("inf", "-inf"):
        raise TypeError
    number = float(value)
    return None if math.isnan(number) else number


def _shown(value: object) -> str:
    number = _figure(value)
    return "-" if number is None else f"{number:.6g}"


def _better(entry: Mapping[str, Any]) -> str:
    return str(entry.get("better") or "lower")


def _verdict(document: Mapping[str, Any]) -> str:
    verdict = str(document["verdict"])
    if verdict not in ("passed", "failed", "error", "measured"):
        raise ValueError
    return verdict


def _file_name(given: object) -> str:
    """Where a file lies is nobody's business who reads a report."""
    text = str(given or "-")
    return PurePosixPath(text.replace("\\", "/")).name or text
