"""How a result looks on a terminal: the verdict first, and as much of the rest as a screen holds.

``petaudit check``, ``run`` and ``demo`` print this, and ``print(audit)`` in Python.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from petaudit.errors import Phrase, argument, counted, joined, listing, phrase, term
from petaudit.exact.fractions import quotient
from petaudit.i18n.numbers import Unit
from petaudit.i18n.phrases import translate
from petaudit.i18n.text import printable, terminal_width
from petaudit.measures import Better, all_measures
from petaudit.measures.limits import limit_rule
from petaudit.reports.sentences import what_to_do
from petaudit.reports.terminal import (
    ERROR,
    FAIL,
    PASS,
    figure_text,
    finished,
    format_table,
    indented,
    rounded,
    section,
    title_line,
    verdict_line,
    wrapped,
)
from petaudit.reports.view import STATUSES, Card, LeftOut, View
from petaudit.roles import Role

SCREEN: Final = 40
"""Lines that everybody sees without scrolling."""
VERDICTS: Final = {"passed": PASS, "failed": FAIL, "error": ERROR, "measured": "-"}
NO_LIMIT: Final = term("no limit was given, so nothing was judged")
ALL_DIGITS: Final = 17
_MOST_IN_VERDICT: Final = 3
_MOST_JUDGED: Final = 12
_MOST_ENTRIES: Final = 5
_MOST_COLUMNS: Final = 100
_NO_BREAK: Final = "\N{NO-BREAK SPACE}"


def verdict_text(view: View) -> str:
    """Return the verdict in one line, as ``--quiet`` prints it."""
    return printable(translate(_verdict(view))) + "\n"


def screen_text(
    view: View,
    *,
    details: bool = False,
    is_command: bool = True,
    folder: str | None = None,
    files: Sequence[str] = (),
) -> str:
    """Return the verdict, the limits with their figures, what to do, open questions, the rest.

    What is behind the figures is told as far as a screen has room; ``details`` tells everything.
    ``folder`` and ``files`` are what a run has written.
    """
    judged = _judged(view)
    failed = [card for card in judged if card.status == "failed"]

    def lines(explained: Sequence[Card], *, has_roles: bool = True) -> list[str]:
        return finished(
            [
                *_top(view, judged, details=details, is_command=is_command),
                *_rest(view, explained, details=details, has_roles=has_roles),
                *_more(view, explained, details=details, is_command=is_command),
                *([] if folder is None else _written(folder, files, details=details)),
            ]
        )

    shown = lines(view.cards)
    if not details and len(shown) > SCREEN:
        fewer = (lines(judged), lines(failed), lines(()), lines((), has_roles=False))
        shown = next((each for each in fewer if len(each) <= SCREEN), fewer[2])
    return "\n".join(shown).rstrip("\n").replace(_NO_BREAK, " ") + "\n"


def figure_and_rule(card: Card, digits: int = 3) -> tuple[str, str]:
    """Return the figure and its rule, with as many digits as it takes to tell them apart.

    >>> figure_and_rule(Card("t-closeness", "passed", 0.693254, 0.7))
    ('0.693', 'at most 0.7')
    >>> figure_and_rule(Card("t-closeness", "passed", 0.69996, 0.7))
    ('0.69996', 'at most 0.7')
    >>> figure_and_rule(Card("t-closeness", "failed", 4 / 15, 4 / 15, exact="4/15"))
    ('4/15', 'at most 0.266667')
    """
    value, bound = figure_text(card.value, card.limit, digits)
    exact = None if card.exact is None else quotient(card.exact)
    if card.value == card.limit and card.status != "passed" and exact not in (None, card.limit):
        # They differ beyond the last digit of a float.
        value = str(exact)
    if card.limit is not None:
        bound = card.limit_exact or bound
        rule = limit_rule(card.better, strict=card.strict, limit=bound)
        return value, joined([rule, *card.conditions])
    if card.better == Better.TRUE.value:
        return value, term("true")
    if card.before is not None and card.status in ("passed", "failed"):
        return value, phrase("not worse than {before}", before=rounded(card.before.value, digits))
    return value, "-"


def _judged(view: View) -> list[Card]:
    """Cards with a limit, the worst first: far beyond it, not measured, close to it."""

    def urgency(card: Card) -> tuple[int, float]:
        value, limit = card.value, card.limit
        gap = 1.0
        if value is not None and limit is not None and math.isfinite(value) and value != limit:
            gap = abs(value - limit) / max(abs(value), abs(limit))
        elif value is not None and value == limit:
            gap = 0.0
        return STATUSES.index(card.status), -gap if card.status == "failed" else gap

    return sorted((card for card in view.cards if card.status != "measured"), key=urgency)


def _top(view: View, judged: Sequence[Card], *, details: bool, is_command: bool) -> Iterator[str]:
    """What everybody reads."""
    yield from wrapped(translate(_title(view)), "")
    yield from wrapped(translate(_verdict(view)), "")
    yield ""
    most = len(judged) if details else _MOST_JUDGED
    if judged:
        yield from _limits(view, judged[:most], ALL_DIGITS if details else 3)
        if len(judged) > most:
            yield indented(_and_more(len(judged) - most))
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
    view: View, explained: Sequence[Card], *, details: bool, has_roles: bool
) -> Iterator[str]:
    """Figures without a limit, what was looked at, and what is behind the figures."""
    others = [card for card in view.cards if card.status == "measured"]
    if details and view.cards:
        yield from [*_by_family(view), ""]
    elif others:
        yield from section(term("Figures without a limit"), list(_compact(others)))
    for policy in view.policies:
        lines = policy.sentences if details else _cut(policy.sentences)
        yield from section(term("Policy"), lines)
    yield from section(term("Settings"), list(_roles(view)) if has_roles else [])
    for card in explained:
        title = card.title if card.run is None else card.run
        yield from section(title, [*card.explanation, *_worst_classes(card)])
    if not details:
        others = [card for card in _judged(view) if card not in explained]
        revealed = [line for card in others for line in _worst_classes(card)]
        yield from section(term("Worst classes"), _cut(revealed, SCREEN // 4))


def _more(
    view: View, explained: Sequence[Card], *, details: bool, is_command: bool
) -> Iterator[str]:
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
    if is_command and (view.left_out or len(explained) < len(view.cards)):
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
    return title_line(joined([view.subject, *sizes]))


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
    return [column for column, own in view.roles.items() if own == role.value]


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
    errors = view.with_status("error")
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
        if view.kind == "run" and _is_new(card) and card.before is not None:
            yield phrase(
                "{run} was not compared: {reason}", run=card.run, reason=card.before.reason or "-"
            )


def _is_new(card: Card) -> bool:
    """Whether there is no earlier figure to compare it with."""
    return card.before is not None and card.before.value is None and card.status != "error"


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


def _verdict(view: View) -> Phrase:
    """The verdict in words that name figures and limits, and the exit code."""
    said, cards = _judgement(view)
    told = [_sentence(view, card) for card in cards]
    if told:
        shown = told[:_MOST_IN_VERDICT]
        if len(told) > len(shown):
            shown.append(_and_more(len(told) - len(shown)))
        said = phrase("{verdict}: {reasons}", verdict=said, reasons=joined(shown, "; "))
    parts = [said]
    new = sum(map(_is_new, view.cards))
    if view.kind == "run" and new:
        parts.append(phrase("{runs} without an earlier figure", runs=counted(new, "run")))
    if view.runs_left_out:
        runs = counted(view.runs_left_out, "run")
        parts.append(phrase("{runs} left out by --only", runs=runs))
    return verdict_line(joined(parts, "; "), view.exit_code)


def _judgement(view: View) -> tuple[Phrase, list[Card]]:
    """Why the verdict is what it is, the worst counts; and the cards that it is about."""
    judged = _judged(view)
    errors = [card for card in judged if card.status == "error"]
    broken = [card for card in judged if _is_broken(card)]
    breached = _breached(view, broken, judged)
    if view.kind == "run" and not view.cards:
        return term("there is no Evaluator, so nothing was measured"), []
    if errors or view.problems or not view.cards:
        names = [card.run or card.measure for card in errors]
        said = term("could not be measured as requested")
        if view.kind == "run":
            said = term("could not be measured or compared as requested")
        if names:
            said = phrase("{what}: {names}", what=said, names=listing(names, 3))
        return (joined([said, breached]) if broken else said), broken
    if view.breaks or broken:
        reasons = [term("the table still names people")] if view.breaks else []
        return joined([*reasons, *([breached] if broken else [])]), broken
    if view.verdict == "error":
        option = argument("strict").rstrip("=")
        return phrase("open questions, which {option} does not allow", option=option), []
    if not judged:
        return NO_LIMIT, []
    held = term("the limit holds")
    if len(judged) > 1:
        held = phrase("all {limits} limits hold", limits=len(judged))
    if view.questions:
        held = phrase("{held}, with open questions", held=held)
    return held, judged


def _breached(view: View, broken: Sequence[Card], judged: Sequence[Card]) -> Phrase:
    if len(judged) == 1:
        return term("the limit is breached")
    return phrase(
        "{breached} of {limits} limits breached", breached=len(broken), limits=len(judged)
    )


def _is_broken(card: Card) -> bool:
    """Whether a limit is broken, also where the comparison with an earlier result failed."""
    if card.status == "error":
        is_figure = card.value is not None and not card.lower_bound and not card.is_estimate
        return is_figure and not card.keeps_limit
    return card.status == "failed"


def _sentence(view: View, card: Card) -> Phrase:
    """A figure and what it must be; where, if several runs of a measure could be meant."""
    where: list[str] = []
    if card.run is not None and [each.measure for each in view.cards].count(card.measure) > 1:
        where.append(card.run)
    if card.line is not None:
        # Where the file sets the limit.
        where.append(phrase("line {line}", line=card.line))
    name: str = card.measure
    if where:
        name = phrase("{measure} ({where})", measure=card.measure, where=joined(where))
    value, rule = figure_and_rule(card)
    if card.profile is not None:
        rule = phrase("{rule} (profile {profile})", rule=rule, profile=card.profile)
    if card.worsening is not None and not card.breaks_limit:
        return phrase("{measure} is {value}: {why}", measure=name, value=value, why=card.worsening)
    return phrase("{measure} is {value}, must be {rule}", measure=name, value=value, rule=rule)


def _place(card: Card) -> str:
    """The run of a card; with blanks, so that a narrow terminal breaks it between the modules."""
    return (card.run or "").replace("]_", "] ")


def _cut(entries: Sequence[str], most: int = _MOST_ENTRIES) -> list[str]:
    if len(entries) <= most:
        return [*entries]
    return [*entries[:most], _and_more(len(entries) - most)]


def _and_more(number: int) -> Phrase:
    return phrase("and {number:,} more", number=number)
