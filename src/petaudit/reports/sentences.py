"""The few sentences that a manager needs, and what to do next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, cast

from petaudit.errors import counted, exactly, joined, listing, phrase, tally
from petaudit.judging.gate import verdict_sentence
from petaudit.measures import Family, all_measures
from petaudit.measures.base import ReportedFigure
from petaudit.reports.advice import advice_lines, advice_sentences
from petaudit.reports.view import Card, RemedyFacts, View
from petaudit.roles import Role

_MOST_NAMED: Final = 4


def headline(view: View) -> str:
    """Return the verdict in one sentence."""
    return verdict_sentence(
        view.verdict,
        failed=len(view.with_status("failed")),
        judged=len(view.judged),
        names_people=bool(view.breaks),
        has_questions=bool(view.questions),
        is_incomplete=bool(view.with_status("error") or view.problems or not view.cards),
    )


def concerns(view: View) -> list[str]:
    """What breaks the release whatever the figures say, and what stays open."""
    return [phrase("{text}.", text=text) for text in (*view.breaks, *view.questions)]


def lead(view: View) -> Iterator[str]:
    """The verdict by its figures: what breaks a limit, or else how the limits hold."""
    wrong = (*view.with_status("failed"), *view.with_status("error"))
    titles = Counter(card.title for card in view.cards)
    for card in wrong[:_MOST_NAMED]:
        # Where a measure ran once, nobody needs the name of its run.
        yield breach_sentence(card if titles[card.title] > 1 else replace(card, run=None))
    if len(wrong) > _MOST_NAMED:
        yield phrase("{number} more are listed below.", number=len(wrong) - _MOST_NAMED)
    kept = [card for card in view.with_status("passed") if card.better != "true"]
    if view.verdict == "passed" and kept:
        named = [
            phrase(
                "{title} is {value} ({rule})",
                title=card.title if titles[card.title] == 1 else _named(card),
                value=card.value_text,
                rule=card.rule or "-",
            )
            for card in kept[:_MOST_NAMED]
        ]
        yield phrase("{text}.", text=joined(named, "; "))


def summary(view: View) -> Iterator[str]:
    """What the figures say, what was looked at, and what that does not mean."""
    if view.kind != "run":
        yield from _plain_words(view)
    yield from _looked_at(view)
    for policy in view.policies:
        if policy.not_measured:
            yield phrase(
                "The policy {name} demands more than was measured; this report does not show that "
                "all of it is met.",
                name=policy.name,
            )
        else:
            yield phrase("Limits of the policy {name} were applied.", name=policy.name)
    if view.verdict == "passed":
        yield phrase(
            "That is what was asked for. It does not mean that there is no risk: each measure "
            "below states what it does not say."
        )
    if view.verdict == "measured":
        yield phrase(
            "The figures below are right, but whether they are good enough is for your "
            "organisation's limits to decide."
        )


def next_steps(view: View) -> list[str]:
    """What to do, the most urgent first; there is always something."""
    return list(dict.fromkeys(_steps(view)))


def what_to_do(view: View, *, is_command: bool = True) -> list[str]:
    """What would open the gate: lines for each obstacle and for the limits that are breached.

    Reports have it among the next steps, the terminal below the limits.
    """
    lines = advice_lines(view.what_to_do, is_command=is_command)
    return list(dict.fromkeys((*_obstacles(view), *lines, *_unreached(view))))


def _obstacles(view: View) -> Iterator[str]:
    for card in view.with_status("error"):
        if card.is_estimate and card.value is not None:
            yield phrase(
                "{title}: nothing is decided yet; its reason says why, and how many people in the "
                "control would decide it, if any number would.",
                title=_named(card),
            )
            continue
        yield phrase(
            "Fix what kept {title} from being measured; until then nothing is decided.",
            title=_named(card),
        )
    for problem in view.problems:
        yield phrase("Resolve: {problem}", problem=problem)
    if view.breaks:
        left_out = [name for each in view.what_to_do for name in each.leaves_out]
        if all(any(name in text for name in left_out) for text in view.breaks):
            yield phrase("The columns that name people have to go: the commands leave them out.")
        else:
            yield phrase("Remove the columns that name people, and check again.")


def _steps(view: View) -> Iterator[str]:
    yield from _obstacles(view)
    if view.questions:
        yield phrase(
            "Answer the open questions above before the table is released, and record the answers."
        )
    yield from advice_sentences(view.what_to_do)
    yield from _unreached(view)
    if view.kind == "check" and view.verdict == "measured":
        yield phrase(
            "Set limits, for example --k 5 for k-anonymity, so that the next report says whether "
            "they hold."
        )
    if view.kind == "mpuccs":
        yield from _for_search(view)
    elif view.verdict == "passed" and view.kind != "attack":
        yield phrase(
            "Check that the quasi-identifiers include every column by which somebody could "
            "recognise a person; a forgotten column is not protected."
        )
    if view.left_out:
        yield phrase(
            "Check what was left out ({measures}), and provide what it needs where it matters.",
            measures=counted(len(view.left_out), "measure"),
        )
    if view.verdict in ("passed", "measured"):
        yield phrase(
            "Keep this report with the release: it names the files and settings that were used."
        )


def _looked_at(view: View) -> Iterator[str]:
    if view.kind == "run":
        yield phrase(
            "{runs} of {name} on {tables}.",
            runs=counted(len(view.cards), "run"),
            name=view.subject,
            tables=counted(len(view.tables), "table"),
        )
        return
    identifying = _columns(view, Role.QUASI_IDENTIFIER)
    if identifying:
        yield phrase("Somebody could recognise people by {columns}.", columns=identifying)
    sensitive = _columns(view, Role.SENSITIVE)
    if sensitive:
        yield phrase("Sensitive attribute: {columns}.", columns=sensitive)


def _columns(view: View, role: Role) -> str:
    columns = [name for name, value in view.roles.items() if value == role.value]
    return listing(columns, _MOST_NAMED) if columns else ""


def _plain_words(view: View) -> Iterator[str]:
    """The figures that everybody asks for, without a word of jargon."""
    by_name = {card.measure: card for card in view.cards if card.status != "error"}
    for measure in all_measures().values():
        card = by_name.get(measure.name)
        if card is not None and card.value is not None and not isinstance(card.value, bool):
            words = measure.plain_words(cast(ReportedFigure, card))
            if words is not None:
                yield words


def breach_sentence(card: Card) -> str:
    """What is wrong with one measure."""
    if card.status == "error" or (card.value is None and card.reason is not None):
        return phrase(
            "{title} could not be measured: {reason}.",
            title=_named(card),
            reason=card.reason or phrase("no reason was given"),
        )
    if card.worsening is not None:
        worse = phrase(
            "{title} is {value}: {why}.",
            title=_named(card),
            value=card.value_text,
            why=card.worsening,
        )
        return joined([worse, _broken_limit(card)], " ") if card.breaks_limit else worse
    return _broken_limit(card)


def _broken_limit(card: Card) -> str:
    if card.better == "true":
        return phrase("{title} does not hold.", title=_named(card))
    return phrase(
        "{title} is {value}, and must be {rule}.",
        title=_named(card),
        value=card.value_text,
        rule=card.rule or "-",
    )


def _named(card: Card) -> str:
    if card.run is None:
        return card.title
    return phrase("{title} ({run})", title=card.title, run=card.run)


def _unreached(view: View) -> Iterator[str]:
    """A sentence for every limit that neither a command reaches nor a note is about."""
    told = {name for each in view.what_to_do for name in (*each.about, *each.reaches)}
    for card in view.with_status("failed"):
        if card.measure not in told and card.value is not None:
            yield _for_breach(card)


def _for_breach(card: Card) -> str:
    remedy = card.remedy or RemedyFacts()
    title = _named(card)
    if remedy.rows_to_suppress:
        return phrase(
            "{title}: suppressing {rows} would be enough; generalising the quasi-identifiers "
            "further keeps more rows.",
            title=title,
            rows=_to_remove(card, remedy.rows_to_suppress, remedy),
        )
    if remedy.rows_to_drop:
        return phrase(
            "{title}: dropping {rows} from the table would be enough; generalising the "
            "quasi-identifiers further keeps more rows.",
            title=title,
            rows=_to_remove(card, remedy.rows_to_drop, remedy),
        )
    if card.measure == "mpuccs":
        return phrase(
            "Generalise or drop the columns that expose most people (below), or generate the "
            "synthetic table again with more protection, and check again."
        )
    if card.is_estimate:
        return phrase(
            "{title}: generate the synthetic table again with more protection, and attack it "
            "again.",
            title=title,
        )
    if card.family in (Family.PRIVACY, Family.RISK):
        return phrase(
            "{title}: generalise the quasi-identifiers further, or release fewer of them.",
            title=title,
        )
    if card.family is Family.UTILITY:
        return phrase(
            "{title}: too much was lost; generalise less where the privacy limits allow it.",
            title=title,
        )
    return phrase("{title}: see below.", title=title)


def _to_remove(card: Card, number: int, remedy: RemedyFacts) -> str:
    unit, of_rows = card.unit, remedy.of_rows
    all_rows = unit.counted(max(remedy.rows_breaking, number), of=of_rows)
    rows = exactly(unit.counted(number, of=of_rows), all_rows)
    return unit.choose(rows, phrase("the rows of {people} in these classes", people=rows))


def _for_search(view: View) -> Iterator[str]:
    if view.verdict == "measured":
        yield phrase(
            "Set a limit, for example --profile research, so that the next report says whether it "
            "holds."
        )
    best = min(view.changes, key=lambda change: change.rows_after, default=None)
    if best is not None and best.rows_after < best.rows_before:
        yield phrase(
            "Leaving out {column} would help most: {after} of {before} would still single out "
            "somebody, with combinations of few columns.",
            column=best.column,
            after=tally(best.rows_after),
            before=counted(best.rows_before, "identified row"),
        )
    if not any(table.part == "control table" for table in view.tables):
        yield phrase(
            "Provide a control of people not used for training: without one, nobody knows how much "
            "of this is coincidence."
        )
    if any(card.lower_bound for card in view.cards):
        yield phrase(
            "Complete the search: the figure is a lower bound, and the actual one may be worse."
        )
