"""How a result looks on a terminal: the verdict first, and as much of the rest as a screen holds.

``petaudit check``, ``run`` and ``demo`` print this, and ``print(audit)`` in Python.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Final

from petaudit.errors import Phrase, argument, counted, joined, listing, phrase, term
from petaudit.i18n.numbers import Unit
from petaudit.i18n.phrases import translate
from petaudit.i18n.text import terminal_width
from petaudit.judging.document import ATTACK, MPUCCS
from petaudit.measures import all_measures
from petaudit.measures.result import ScreenTable
from petaudit.reports.sentences import what_to_do
from petaudit.reports.terminal import (
    ERROR,
    FAIL,
    PASS,
    finished,
    format_table,
    indented,
    rounded,
    section,
    title_line,
    wrapped,
)
from petaudit.reports.verdict import and_more, figure_and_rule, is_new, judged_cards, verdict_of
from petaudit.reports.view import Card, LeftOut, View
from petaudit.roles import Role

SCREEN: Final = 40
"""Lines that everybody sees without scrolling."""
VERDICTS: Final = {"passed": PASS, "failed": FAIL, "error": ERROR, "measured": "-"}
ALL_DIGITS: Final = 17
_MOST_JUDGED: Final = 12
_MOST_ENTRIES: Final = 5
_FEW_ENTRIES: Final = 3
_MOST_COLUMNS: Final = 100
_NO_BREAK: Final = "\N{NO-BREAK SPACE}"


def screen_text(
    view: View,
    *,
    details: bool = False,
    is_command: bool = True,
    offered: Sequence[ScreenTable] = (),
    folder: str | None = None,
    files: Sequence[str] = (),
    below: int = 0,
) -> str:
    """Return the verdict, the limits with their figures, what to do, open questions, the rest.

    What is behind the figures is told as far as a screen has room; ``details`` tells everything.
    ``offered`` are the tables of results, ``folder`` and ``files`` what a run has written, and
    ``below`` the lines that follow.
    """
    judged = judged_cards(view)
    failed = [card for card in judged if card.status == "failed"]

    def lines(
        explained: Sequence[Card],
        tables: Sequence[ScreenTable] = (),
        most: int = _MOST_ENTRIES,
        *,
        has_roles: bool = True,
        has_figures: bool = True,
    ) -> list[str]:
        has_all = len(explained) == len(view.cards) and len(tables) == len(offered)
        has_all &= all(len(table.rows) <= most for table in tables)
        rest = _rest(view, explained, details=details, has_roles=has_roles, has_figures=has_figures)
        return finished(
            [
                *_top(view, judged, details=details, is_command=is_command),
                *rest,
                *_tables(tables, most),
                *_more(view, has_all=has_all, details=details, is_command=is_command),
                *([] if folder is None else _written(folder, files, details=details)),
            ]
        )

    def attempts() -> Iterator[list[str]]:
        for most in (_MOST_ENTRIES, _FEW_ENTRIES):
            yield lines(view.cards, offered, most)
        for end in reversed(range(len(offered))):
            yield lines(view.cards, offered[:end])
        yield from map(lines, (judged, failed, ()))
        yield lines((), has_roles=False)
        yield lines((), has_roles=False, has_figures=False)

    room = SCREEN - below
    if details:
        shown = lines(view.cards, offered, sys.maxsize)
    else:
        tried = [*attempts()]
        shown = next((each for each in tried if len(each) <= room), tried[-1])
    return "\n".join(shown).rstrip("\n").replace(_NO_BREAK, " ") + "\n"


def _top(view: View, judged: Sequence[Card], *, details: bool, is_command: bool) -> Iterator[str]:
    """What everybody reads."""
    yield from wrapped(translate(_title(view)), "")
    yield from wrapped(translate(verdict_of(view)), "")
    yield ""
    most = len(judged) if details else _MOST_JUDGED
    if judged:
        yield from _limits(view, judged[:most], ALL_DIGITS if details else 3)
        if len(judged) > most:
            yield indented(and_more(len(judged) - most))
        yield ""
    for title, entries, most in (
        # A reason not to release is never cut.
        (term("Reasons not to release"), view.breaks, len(view.breaks)),
        *((title, entries, _MOST_ENTRIES) for title, entries in _undecided(view)),
        (term("What to do"), what_to_do(view, is_command=is_command), 2 * _MOST_ENTRIES),
        (term("Open questions"), view.questions, _MOST_ENTRIES),
        (term("Warnings"), list(_warnings(view)), _MOST_ENTRIES),
    ):
        yield from section(title, entries if details else _cut(entries, most))


def _rest(
    view: View, explained: Sequence[Card], *, details: bool, has_roles: bool, has_figures: bool
) -> Iterator[str]:
    """Figures without a limit, what was looked at, and what is behind the figures."""
    others = [card for card in view.cards if card.status == "measured"]
    if details and view.cards:
        yield from [*_by_family(view), ""]
    elif others and has_figures:
        yield from section(term("Figures without a limit"), list(_compact(others)))
    elif others:
        number = counted(len(others), "measure")
        yield phrase("{title}: {columns}", title=term("Figures without a limit"), columns=number)
    for policy in view.policies:
        lines = policy.sentences if details else _cut(policy.sentences)
        yield from section(term("Policy"), lines)
    yield from section(term("Settings"), list(_roles(view)) if has_roles else [])
    for card in explained:
        title = card.title if card.run is None else card.run
        yield from section(title, [*card.explanation, *_worst_classes(card)])
    if not details:
        others = [card for card in judged_cards(view) if card not in explained]
        revealed = [line for card in others for line in _worst_classes(card)]
        yield from section(term("Worst classes"), _cut(revealed, SCREEN // 4))


def _tables(tables: Sequence[ScreenTable], most: int) -> Iterator[str]:
    """The tables behind the figures, of each so many rows."""
    for table in tables:
        yield from (table.title, *format_table(table.header, table.rows[:most]))
        if len(table.rows) > most:
            yield indented(and_more(len(table.rows) - most))
        yield ""


def _more(view: View, *, has_all: bool, details: bool, is_command: bool) -> Iterator[str]:
    """What was left out, in a line; or all of it."""
    if details:
        yield from section(
            term("Left out"),
            [
                phrase("{names}: {reason}", names=entry.measure, reason=entry.reason)
                for entry in view.left_out
            ],
        )
        return
    if view.left_out:
        yield from wrapped(translate(_left_out(view.left_out)), "")
    if is_command and (view.left_out or not has_all):
        yield from wrapped(translate(term("All digits, explanations and reasons: --details")), "")


def _title(view: View) -> Phrase:
    if view.kind == "run":
        runs = counted(len(view.cards), "run")
        tables = counted(len(view.tables), "table")
        return title_line(
            joined([view.subject, phrase("{runs} on {tables}", runs=runs, tables=tables)])
        )
    sizes = [
        size
        for table in view.tables[:1]
        for size in (
            None if table.rows is None else counted(table.rows, "row"),
            counted(len(table.columns), "column"),
        )
        if size is not None
    ]
    subject = view.subject
    if view.kind in (MPUCCS, ATTACK) and len(view.tables) > 1:
        original = view.tables[1].name
        subject = phrase("{synthetic} against {original}", synthetic=subject, original=original)
    return title_line(joined([subject, *sizes]))


def _limits(view: View, judged: Sequence[Card], digits: int) -> list[str]:
    has_before = view.compared_with is not None
    header = [term("measure"), term("value"), *([term("before")] if has_before else [])]
    header += [term("limit"), term("verdict"), *([term("run")] if view.kind == "run" else [])]
    rows = []
    for card in judged:
        value, rule = figure_and_rule(card, digits)
        before = (
            [rounded(None if card.before is None else card.before.value, digits)]
            if has_before
            else []
        )
        where = [] if card.run is None else [_place(card)]
        rows.append([card.measure, value, *before, rule, VERDICTS[card.status], *where])
    return format_table(header, rows)


def _by_family(view: View) -> Iterator[str]:
    """One table of all figures with a line above each family, where there are several."""
    families = view.by_family()
    cards = [card for of_family in families.values() for card in of_family]
    lines: list[str] = []
    for digits, has_better in ((ALL_DIGITS, True), (ALL_DIGITS, False), (6, False)):
        # A limit tells the direction, too, and `petaudit measures` does.
        lines = _figures(view, cards, digits, has_better=has_better)
        if len(lines[1]) <= terminal_width():
            break
    head, line, *shown = lines
    yield from (head, line)
    if len(families) == 1 or view.kind == "run":
        yield from shown
        return
    for family, of_family in families.items():
        yield phrase("{family}:", family=term(family.value))
        yield from shown[: len(of_family)]
        del shown[: len(of_family)]


def _figures(view: View, cards: Sequence[Card], digits: int, *, has_better: bool) -> list[str]:
    header = [term("measure"), term("value"), term("limit"), term("verdict")]
    header += [term("better")] if has_better else []
    header += [term("run")] if view.kind == "run" else []
    rows = [
        [
            card.measure,
            *figure_and_rule(card, digits),
            VERDICTS[card.status],
            *([term(card.better)] if has_better else []),
            *([] if card.run is None else [_place(card)]),
        ]
        for card in cards
    ]
    return format_table(header, rows)


def _compact(cards: Sequence[Card]) -> Iterator[Phrase]:
    """A sentence for each family, the figures rounded."""
    names = [card.measure for card in cards]
    families = dict.fromkeys(card.family for card in cards)
    for family in families:
        figures = []
        for card in cards:
            if card.family is family:
                is_one = card.run is None or names.count(card.measure) == 1
                name = card.measure if is_one else f"{card.measure} ({card.run})"
                figures.append(f"{name}{_NO_BREAK}{translate(rounded(card.value, 3))}")
        yield phrase("{family}: {figures}", family=term(family.value), figures=joined(figures))


def _roles(view: View) -> Iterator[Phrase]:
    person = view.settings.get("person")
    known = all_measures()
    cards = () if view.kind == "run" else view.cards
    if any(known[card.measure].has_same_columns for card in cards if card.measure in known):
        # The other tables are half of what such a measure is about.
        for table in view.tables[1:]:
            rows = [] if table.rows is None else [counted(table.rows, "row")]
            yield phrase(
                "{title}: {columns}", title=table.part, columns=joined([table.name, *rows])
            )
    for title, columns in (
        (term("quasi-identifiers"), _with_role(view, Role.QUASI_IDENTIFIER)),
        (term("sensitive"), _with_role(view, Role.SENSITIVE)),
        (term("person"), [] if person is None else [person]),
        (
            term("changed for this run"),
            [name for name in view.settings if name.startswith("--set ")],
        ),
    ):
        if columns:
            names = listing(columns, _MOST_COLUMNS)
            yield phrase("{title}: {columns}", title=title, columns=names)


def _with_role(view: View, role: Role) -> list[str]:
    return [column for column, named in view.roles.items() if named == role.value]


def _worst_classes(card: Card) -> list[Phrase]:
    """The quasi-identifier values of the worst classes, where the user asked for them."""
    return [
        phrase(
            "{attribute} {figure} in {rows}: {labels}",
            attribute=worst.attribute,
            figure=rounded(worst.figure, 6),
            rows=Unit.ROW.counted(worst.rows or 0),
            labels=joined([f"{name} = {label}" for name, label in worst.labels.items()]),
        )
        for worst in card.worst
        if worst.labels is not None
    ]


def _undecided(view: View) -> Iterator[tuple[str, list[str]]]:
    """What could not be measured, decided or compared, with the reasons; each reason once."""
    broken = view.with_status("failed")
    errors = [*view.with_status("error"), *(card for card in broken if card.value is None)]
    for title, cards in (
        (term("Not measured"), [card for card in errors if card.value is None]),
        (term("Not decided"), [card for card in errors if card.value is not None]),
    ):
        names: dict[str, list[str]] = {}
        for card in cards:
            names.setdefault(card.reason or "-", []).append(card.run or card.measure)
        yield (
            title,
            [
                phrase("{names}: {reason}", names=joined(several), reason=reason)
                for reason, several in names.items()
            ],
        )
    yield term("Not compared or evaluated"), [*view.problems]


def _warnings(view: View) -> Iterator[str]:
    yield from view.all_warnings
    for card in view.cards:
        if view.kind == "run" and is_new(card) and card.before is not None:
            yield phrase(
                "{run} was not compared: {reason}", run=card.run, reason=card.before.reason or "-"
            )


def _left_out(entries: Sequence[LeftOut]) -> Phrase:
    """How many measures were left out, and by which arguments they would come in."""
    known = all_measures()
    arguments: dict[str, None] = {}
    for entry in entries:
        measure = known.get(entry.measure)
        needs = () if measure is None else (*measure.needs, *(need for need, _ in measure.either))
        lacking = [need.name.lower() for need in needs if need.value in entry.reason]
        if not lacking:
            lacking = ["options" if entry.reason.startswith("needs ") else "measures"]
        arguments |= dict.fromkeys(map(argument, lacking))
    return phrase(
        "Left out: {measures}, for want of {arguments}",
        measures=counted(len(entries), "measure"),
        arguments=joined([*arguments]),
    )


def _written(folder: str, files: Sequence[str], *, details: bool) -> list[str]:
    files = sorted(files, key=lambda name: name != "result.json")
    names = listing(files, len(files) if details else _MOST_ENTRIES)
    return wrapped(
        translate(phrase("Written to {folder}: {files}", folder=folder, files=names)), ""
    )


def _place(card: Card) -> str:
    """The run of a card; with blanks, so that a narrow terminal breaks it between the modules."""
    return (card.run or "").replace("]_", "] ")


def _cut(entries: Sequence[str], most: int = _MOST_ENTRIES) -> list[str]:
    if len(entries) <= most:
        return [*entries]
    return [*entries[:most], and_more(len(entries) - most)]
