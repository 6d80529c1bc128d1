"""Result documents for reports: from a file that may hold anything, to a view.

The dataclasses of the view are the schema: what is taken from a document is read as their fields,
and what does not fit is refused. Errors do not quote it, since it may be a value of the data.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any, Final, TypeAlias

from petaudit.errors import InputError, OptionError, phrase
from petaudit.exact.fractions import quotient
from petaudit.judging.document import CHECK, MPUCCS, RUN, new_document, read_document, restored
from petaudit.judging.gate import (
    ERROR,
    EXIT_CODES,
    Figure,
    JudgedTable,
    conclude,
    sensitive_columns,
    settle,
    tables_of,
)
from petaudit.judging.review import ColumnReview
from petaudit.measures import Result, all_measures
from petaudit.pictures import pictures_in
from petaudit.reports.view import Before, Card, Sentence, View, read_number, read_sentence
from petaudit.roles import Role
from petaudit.system.plain import Reader
from petaudit.tables import is_address, parse_address, shown_table

_READER: Final = Reader(ignores_others=True)
_TAKEN: Final = ("verdict", "exit_code", "roles", "warnings", "policies")
"""What a view has as the document says it; all else is worked out."""
_LONGEST_NAME: Final = 60
_URI: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://.*", re.DOTALL)
_OF_THIS_MACHINE: Final = "file"
_PARTS: Final = {
    "table": phrase("released table"),
    "synthetic": phrase("synthetic table"),
    "original": phrase("original table"),
    "control": phrase("control table"),
    "population": phrase("population table"),
}


Plain: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class _Document:
    """What views are worked out from; documents of each kind have some of it."""

    petaudit: str
    verdict: str
    inputs: Mapping[str, Plain] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)
    options: Plain = field(default_factory=dict)
    columns: Plain | None = None
    results: tuple[Plain, ...] = ()
    not_measured: tuple[Plain, ...] = ()
    problems: tuple[Sentence, ...] = ()
    open_questions: tuple[Sentence, ...] = ()
    configuration: Plain = field(default_factory=dict)
    compare_to: Plain | None = None
    errors: tuple[Plain, ...] = ()
    result: Plain = field(default_factory=dict)
    changes: tuple[Plain, ...] = ()
    strict: bool = False


def any_view(result: object) -> View:
    """Return the view of anything that :func:`petaudit.report` takes."""
    if isinstance(result, str | Path):
        return view_of(read_document(Path(result)), origin=str(result))
    if isinstance(result, Result):
        # A check of which nothing else is known.
        entry = result.to_entry()
        verdict = entry["status"] if entry["status"] in EXIT_CODES else ERROR
        return view_of(new_document(CHECK, verdict, {"inputs": {}, "results": [entry]}))
    document = result if isinstance(result, Mapping) else getattr(result, "document", None)
    if document is None and hasattr(result, "not_measured") and hasattr(result, "to_dict"):
        document = result.to_dict()
    if isinstance(document, Mapping):
        return view_of(document)
    raise OptionError(
        "cannot report on {kind}; expected an audit, a pipeline that has run, a result document or "
        "the path of one",
        kind=type(result).__name__,
    )


def view_of(document: Plain, *, origin: str = "the document") -> View:
    """Return the view of a result document.

    >>> view = view_of({"document": "petaudit.check/1", "petaudit": "1", "verdict": "error",
    ...                 "exit_code": 2, "inputs": {}, "results": []})
    >>> view.kind, view.cards
    ('check', ())
    """
    contents = {CHECK: _check, RUN: _run, MPUCCS: _mpuccs}
    try:
        content = contents[document["document"]]
        plain = restored(document)
        read = _READER.read(_Document, plain)
        taken = {name: plain.get(name) for name in _TAKEN} | {"version": read.petaudit}
        view = _READER.read(View, taken | content(read))
        if view.verdict not in EXIT_CODES:
            raise ValueError("the verdict is none of the known ones")
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError):
        raise InputError("{origin}: its results cannot be read", origin=origin) from None
    if not _agrees(view):
        raise InputError("{origin}: its verdict does not follow from its results", origin=origin)
    return view


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


def _check(document: _Document) -> dict[str, Any]:
    options = document.options
    failures = [entry for entry in document.not_measured if entry.get("status") == ERROR]
    cards = [_card(entry) for entry in document.results]
    cards += [_card(entry, limit=_asked_limit(entry["measure"], options)) for entry in failures]
    review = _review(document, cards)
    figures = [_figure(card) for card in cards]
    conclusion = conclude([JudgedTable(figures, [review], sensitive_columns(document.roles))])
    return {
        "kind": "check",
        "subject": title_of(document.inputs.get("table", {}).get("name")),
        "tables": _tables(document.inputs, _PARTS),
        "cards": cards,
        "left_out": [entry for entry in document.not_measured if entry not in failures],
        "breaks": _once(conclusion.problems, document.problems),
        "questions": _once(conclusion.open_questions, document.open_questions),
        "strict": options.get("strict") is True,
        "settings": _settings(options),
        "holds_values": options.get("reveal_values") is True,
    }


def _run(document: _Document) -> dict[str, Any]:
    entries, configuration = document.results, document.configuration
    inputs, compare_to = document.inputs, document.compare_to
    cards = [_run_card(entry) for entry in entries]
    roles = [entry["roles"] for entry in entries if entry.get("roles")]
    conclusion = conclude(tables_of(entries))
    settings = {"sha256": str(configuration.get("sha256"))}
    return {
        "kind": "run",
        "subject": file_name(configuration.get("name")),
        "tables": _tables(inputs, {part: part for part in inputs}),
        "roles": roles[0] if roles and all(each == roles[0] for each in roles) else {},
        "cards": cards,
        "warnings": _once(*(card.warnings for card in cards)),
        "problems": [
            phrase("{run}: {reason}", run=error["run"], reason=read_sentence(error["reason"]))
            for error in document.errors
            if error["run"] not in {card.run for card in cards}
        ],
        "breaks": _once(conclusion.problems, document.problems),
        "questions": _once(conclusion.open_questions, document.open_questions),
        "strict": configuration.get("strict") is True,
        "settings": settings | {f"--set {each}": "" for each in configuration.get("set") or ()},
        "runs_left_out": configuration.get("runs_left_out") or 0,
        "compared_with": None if compare_to is None else file_name(compare_to.get("name")),
        "holds_values": any(worst.labels is not None for card in cards for worst in card.worst),
    }


def _mpuccs(document: _Document) -> dict[str, Any]:
    verdict, card = document.verdict, _card(document.result)
    conclusion = conclude([JudgedTable([_figure(card)])])
    return {
        "kind": "mpuccs",
        "subject": title_of(document.inputs.get("synthetic", {}).get("name")),
        "verdict": ERROR if verdict == "undecided" else verdict,
        "tables": _tables(document.inputs, _PARTS),
        "roles": {},
        "cards": [card],
        "questions": _once(conclusion.open_questions, document.open_questions),
        "strict": document.strict,
        "changes": [each for each in document.changes if each.get("change") == "left out"],
        "settings": _settings({"options": {"mpuccs": document.options}}),
    }


def _figure(card: Card) -> Figure:
    judged = (card.measure, card.status, card.value, card.limit)
    return Figure(*judged, bool(card.strict), card.conditions)


def _tables(inputs: Mapping[str, Plain], parts: Mapping[str, str]) -> list[dict[str, Any]]:
    tables = []
    for part, title in parts.items():
        if part in inputs:
            name = inputs[part].get("name")
            names = {"part": title, "name": title_of(name), "place": place_of(name)}
            tables.append({**inputs[part], **names})
    return tables


def _card(entry: Plain, **changes: Any) -> Card:
    """Return the card of a result; the measure's own keys are in ``details`` if there are any."""
    details = entry.get("details") or entry
    entry = {**entry, **changes}
    pictures, notes = pictures_in(entry.get("pictures"))
    status, limit, limit_exact = entry["status"], entry.get("limit"), entry.get("limit_exact")
    if limit_exact is not None:
        # A file may say anything: it must be a quotient, and that of the limit.
        number = quotient(limit_exact)
        limit_exact = None if number is None or float(number) != limit else limit_exact
    if status == "undecided":
        entry["reason"] = phrase(
            "the figure is a lower bound, so it does not show that the limit holds"
        )
    exact = details.get("exact_value")
    derived = {
        "status": status if status in EXIT_CODES else ERROR,
        "limit": None if isinstance(limit, bool) else limit,
        "limit_exact": limit_exact,
        "exact": exact if isinstance(exact, str) else None,
        "warnings": _once(entry.get("warnings"), notes),
        "pictures": pictures,
        "remedy": details.get("remedy"),
        "suppressed_left_out": bool(details.get("suppressed_rows")),
        "unit": details.get("counts"),
        "worst": [
            {
                **worst,
                "attribute": attribute["attribute"],
                "figure": worst.get("figure", worst.get("distance")),
            }
            for attribute in details.get("attributes") or ()
            for worst in attribute.get("worst_classes") or ()
        ],
    }
    # These come from comparing runs, whatever an entry says of them.
    compared = dict.fromkeys(("line", "before", "worsening", "breaks_limit"))
    return _READER.read(Card, {**entry, **compared, **derived})


def _run_card(entry: Plain) -> Card:
    """Return the card of a run of a pipeline, compared with an earlier one."""
    card, comparison = _card(entry), entry.get("comparison")
    breaches = entry.get("breaches") or ()
    worse = [breach for breach in breaches if breach.get("kind") == "worsening"]
    if card.run is None:
        raise ValueError("a run has a name")
    if comparison is not None:
        before = {"value": comparison.get("previous"), "reason": comparison.get("reason")}
        card = replace(card, before=_READER.read(Before, before))
    if worse:
        previous, allowed = (read_number(worse[0].get(name)) for name in ("limit", "allowed"))
        worsening = phrase(
            "it was {before}, and only {allowed} worse is allowed",
            before="-" if previous is None else f"{previous:.6g}",
            allowed="-" if allowed is None else f"{allowed:.6g}",
        )
        card = replace(card, worsening=worsening, breaks_limit=len(worse) < len(breaches))
    lines = [int(breach["line"]) for breach in breaches if breach.get("line") is not None]
    return replace(card, line=lines[0] if lines else None)


def _once(*texts: Iterable[str] | None) -> tuple[str, ...]:
    """Return what follows from the rest of a document, and what it says itself, each once."""
    return tuple(dict.fromkeys(text for several in texts for text in several or ()))


def _review(document: _Document, cards: Sequence[Card]) -> ColumnReview:
    """Return the columns of the table without a role; a document of 0.6 says only their names.

    A measure that compares all columns of two tables has looked at every one of them.
    """
    known = all_measures()
    if all(card.measure in known and known[card.measure].has_same_columns for card in cards):
        return ColumnReview()
    options, columns = document.options, document.columns
    review = ColumnReview() if columns is None else ColumnReview.from_dict(columns)
    table = document.inputs.get("table", {})
    without_role = {
        name: review.without_role.get(name, Role.INSENSITIVE.value)
        for name in table.get("columns") or ()
        if name not in {*document.roles, options.get("key"), options.get("person")}
    }
    return replace(review, without_role=without_role)


def _asked_limit(measure: str, options: Plain) -> float | None:
    """Return the limit that was asked for, where nothing came of it; text is as it was typed."""
    given = ((options.get("options") or {}).get(measure) or {}).get("limit")
    try:
        return None if given is None or isinstance(given, bool) else float(Fraction(str(given)))
    except (ValueError, ZeroDivisionError):
        return None


def _settings(options: Plain) -> dict[str, str]:
    """Return what was set, by name; the limits stand with their measures."""
    settings = {
        f"{measure}.{name}": value
        for measure, of_measure in (options.get("options") or {}).items()
        for name, value in (of_measure or {}).items()
        if name != "limit"
    }
    for name in ("suppressed", "key", "person", "person_is_pseudonym"):
        settings[name] = options.get(name)
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in settings.items()
        if value is not None
    }


def file_name(given: str | None) -> str:
    """Return the name of a file without its folder, which reports do not disclose."""
    path = given or "-"
    return PurePosixPath(path.replace("\\", "/")).name or path


def place_of(name: str | None) -> str:
    """Return the whole address of a table, without users; of a file only its name.

    >>> place_of("postgresql://eve@db:5432/health?table=t"), place_of("/home/ann/t.csv")
    ('postgresql://db:5432/health?table=t', 't.csv')
    >>> place_of("s3a://eve@store/out/t.parquet"), place_of("duckdb:///home/ann/a.db?table=t")
    ('s3a://store/out/t.parquet', 'duckdb://a.db?table=t')
    """
    given = name or "-"
    uri = _URI.fullmatch(given)
    if uri is None or uri[1].casefold() == _OF_THIS_MACHINE:
        return file_name(given)
    try:
        return shown_table(given)
    except InputError:
        # petaudit writes no such address, so it may hold anything.
        return f"{uri[1]}://…"


def title_of(name: str | None) -> str:
    """Return what a table is called where there is no room for its address.

    >>> title_of("postgresql://db:5432/health?table=released"), title_of("/home/ann/t.csv")
    ('released (health on db:5432)', 't.csv')
    >>> title_of("duckdb:///home/ann/a.duckdb?table=clinic.t")
    'clinic.t (a.duckdb)'
    """
    given = name or "-"
    if not is_address(given):
        return file_name(given)
    try:
        address = parse_address(given)
    except InputError:
        return place_of(given)
    table = _short(address.table if address.schema is None else f"{address.schema}.{address.table}")
    if address.path is not None:
        return phrase("{table} ({place})", table=table, place=_short(address.path.name))
    database, server = _short(address.server.get("dbname", "")), _short(address.place)
    if database and server:
        return phrase(
            "{table} ({database} on {server})", table=table, database=database, server=server
        )
    if database or server:
        return phrase("{table} ({place})", table=table, place=database or server)
    return table


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
