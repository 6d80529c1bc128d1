"""Result documents for reports: from a file that may hold anything, to a view.

The dataclasses of the view are the schema: what is taken from a document is read as their fields,
and what does not fit is refused. Errors do not quote it, since it may be a value of the data.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any, Final, TypeAlias

from petaudit.errors import InputError, OptionError, phrase
from petaudit.exact.fractions import quotient
from petaudit.judging.document import (
    ATTACK,
    CHECK,
    MPUCCS,
    RUN,
    command_of,
    new_document,
    read_document,
    restored,
)
from petaudit.judging.gate import ERROR, EXIT_CODES, conclude, settle, tables_of
from petaudit.judging.review import ColumnReview
from petaudit.measures import Result, all_measures
from petaudit.pictures import pictures_in
from petaudit.reports.view import Before, Card, Sentence, View, read_number, read_sentence
from petaudit.roles import Role
from petaudit.system.plain import Reader
from petaudit.tables import is_address, parse_address, shown_table

_READER: Final = Reader(ignores_others=True)
_TAKEN: Final = ("verdict", "exit_code", "strict", "policies", "what_to_do", "left_out", "sections")
"""What a view has as the document says it; all else is worked out."""
_NO_TABLES: Final = ("hierarchies",)
"""What was read beside tables."""
_LONGEST_NAME: Final = 60
_URI: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://.*", re.DOTALL)
_OF_THIS_MACHINE: Final = "file"
_PARTS: Final = {
    "table": phrase("released table"),
    "original": phrase("original table"),
    "control": phrase("control table"),
    "population": phrase("population table"),
}


Plain: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class _Document:
    """What views are worked out from."""

    petaudit: str
    command: str
    inputs: Mapping[str, Plain] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)
    options: Plain = field(default_factory=dict)
    columns: Plain | None = None
    results: tuple[Plain, ...] = ()
    problems: tuple[Sentence, ...] = ()
    open_questions: tuple[Sentence, ...] = ()
    configuration: Plain = field(default_factory=dict)
    compare_to: Plain | None = None
    errors: tuple[Plain, ...] = ()
    warnings: tuple[Sentence, ...] = ()
    strict: bool = False

    @property
    def entries(self) -> list[dict[str, Any]]:
        """The results, each with what the document says of all of them."""
        of_all = {"roles": self.roles, "columns": self.columns}
        return [{**of_all, **entry} for entry in self.results]


def any_view(result: object) -> View:
    """Return the view of anything that :func:`petaudit.report` takes."""
    if isinstance(result, str | Path):
        return view_of(read_document(Path(result)), origin=str(result))
    if isinstance(result, Result):
        # A check of which nothing else is known.
        entry = result.to_entry()
        if entry["status"] not in EXIT_CODES:
            entry["status"] = ERROR
        conclusion = conclude(tables_of([entry]))
        return view_of(new_document(CHECK, conclusion, inputs={}, results=[entry]))
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

    >>> view = view_of({"document": "petaudit.result/2", "petaudit": "1", "command": "check",
    ...                 "verdict": "error", "exit_code": 2, "inputs": {}, "results": []})
    >>> view.kind, view.cards
    ('check', ())
    """
    try:
        plain = restored(document)
        view = _view(_READER.read(_Document, plain), plain)
        if view.verdict not in EXIT_CODES or command_of(document) is None:
            raise ValueError("the verdict or the command is none of the known ones")
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError):
        raise InputError("{origin}: its results cannot be read", origin=origin) from None
    if not _agrees(view):
        raise InputError("{origin}: its verdict does not follow from its results", origin=origin)
    return view


def _agrees(view: View) -> bool:
    """Whether the verdict is that of the cards: a file may say anything, but not a wrong "safe"."""
    statuses = {card.status for card in view.cards} | ({ERROR} if view.problems else set())
    if view.kind != RUN and not view.cards:
        # Nothing could be measured, so nothing holds.
        statuses.add(ERROR)
    if any(card.status == "passed" and not card.keeps_limit for card in view.cards):
        return False
    verdict = settle(statuses, problems=view.breaks, questions=view.questions, strict=view.strict)
    return view.verdict == verdict and view.exit_code == EXIT_CODES[verdict]


def _view(document: _Document, plain: Plain) -> View:
    entries, inputs, configuration = document.entries, document.inputs, document.configuration
    cards = [_card(entry) for entry in entries]
    if document.command == RUN and any(card.run is None for card in cards):
        raise ValueError("a run of a pipeline has a name")
    if "table" in inputs:
        review = _review(document, cards).to_dict()
        entries = [{**entry, "columns": review} for entry in entries]
    conclusion = conclude(tables_of(entries))
    roles = [entry["roles"] for entry in entries if entry["roles"]]
    is_same = all(each == roles[0] for each in roles)
    compare_to = document.compare_to
    known = {
        "version": document.petaudit,
        "kind": document.command,
        "subject": (
            file_name(configuration.get("name"))
            if document.command == RUN
            else title_of(inputs.get("table", {}).get("name"))
        ),
        "tables": _tables(inputs, is_synthetic=document.command in (MPUCCS, ATTACK)),
        "roles": roles[0] if roles and is_same else document.roles,
        "cards": cards,
        "warnings": _once(document.warnings, *(card.warnings for card in cards)),
        "problems": [
            phrase("{run}: {reason}", run=error["run"], reason=read_sentence(error["reason"]))
            for error in document.errors
            if error["run"] not in {card.run for card in cards}
        ],
        "breaks": _once(conclusion.problems, document.problems),
        "questions": _once(conclusion.open_questions, document.open_questions),
        "changes": [
            change
            for entry in entries
            for change in (entry.get("details") or {}).get("changes") or ()
            if change.get("change") == "left out"
        ],
        "settings": _settings(document.options, configuration),
        "runs_left_out": configuration.get("runs_left_out") or 0,
        "compared_with": None if compare_to is None else file_name(compare_to.get("name")),
        "holds_values": document.options.get("reveal_values") is True
        or any(worst.labels is not None for card in cards for worst in card.worst),
    }
    return _READER.read(View, {name: plain.get(name) for name in _TAKEN} | known)


def _tables(inputs: Mapping[str, Plain], *, is_synthetic: bool) -> list[dict[str, Any]]:
    titles = _PARTS | ({"table": phrase("synthetic table")} if is_synthetic else {})
    known = [part for part in _PARTS if part in inputs]
    others = [part for part in inputs if part not in _NO_TABLES]
    return [
        {
            **inputs[part],
            "part": titles.get(part, part),
            "name": title_of(inputs[part].get("name")),
            "place": place_of(inputs[part].get("name")),
        }
        for part in dict.fromkeys((*known, *others))
    ]


def _card(entry: Plain) -> Card:
    """Return the card of a result."""
    details = entry.get("details") or {}
    pictures, notes = pictures_in(entry.get("pictures"))
    status, limit, limit_exact = entry["status"], entry.get("limit"), entry.get("limit_exact")
    if limit_exact is not None:
        # A file may say anything: it must be a quotient, and that of the limit.
        number = quotient(limit_exact)
        limit_exact = None if number is None or float(number) != limit else limit_exact
    exact = details.get("exact_value")
    derived = {
        "status": status if status in EXIT_CODES else ERROR,
        "limit": None if isinstance(limit, bool) else limit,
        "limit_exact": limit_exact,
        "exact": exact if isinstance(exact, str) else None,
        "is_rounded": details.get("rounded_to") is not None,
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
    return _compared(_READER.read(Card, {**entry, **compared, **derived}), entry)


def _compared(card: Card, entry: Plain) -> Card:
    """Return the card of a run of a pipeline, compared with an earlier one."""
    comparison, breaches = entry.get("comparison"), entry.get("breaches") or ()
    worse = [breach for breach in breaches if breach.get("kind") == "worsening"]
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


def _settings(options: Plain, configuration: Plain) -> dict[str, str]:
    """Return what was set, by name; the limits stand with their measures."""
    of_pipeline = {f"--set {each}": "" for each in configuration.get("set") or ()}
    if configuration:
        of_pipeline = {"sha256": str(configuration.get("sha256")), **of_pipeline}
    settings = {
        f"{measure}.{name}": value
        for measure, of_measure in (options.get("options") or {}).items()
        for name, value in (of_measure or {}).items()
        if name != "limit"
    }
    for name in ("suppressed", "key", "person", "person_is_pseudonym"):
        settings[name] = options.get(name)
    return of_pipeline | {
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
