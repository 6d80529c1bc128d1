"""How an audit looks on a terminal and in a file."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from petaudit._version import __version__
from petaudit.auditing.runner import Audit, NotMeasured
from petaudit.auditing.verdict import ERROR as UNDECIDED
from petaudit.auditing.verdict import holds_line
from petaudit.cli.folding import folded, terminal_width, width_of
from petaudit.cli.streams import printable
from petaudit.errors import Phrase, counted, joined, listing, phrase, revealed, term
from petaudit.i18n.catalogue import ENGLISH, language
from petaudit.i18n.phrases import translate
from petaudit.measures import Better, Family, Result, all_measures, find_measure
from petaudit.measures.limits import limit_rule

PASS, FAIL, ERROR = term("pass"), term("FAIL"), term("ERROR")
_COLOURS = {PASS: "32", FAIL: "31;1", ERROR: "31;1"}
_VERDICTS = {"passed": PASS, "failed": FAIL, "measured": "-"}
_DEEPEST_INDENT = 4
_MOST_COLUMNS = 100
_FEW = 6


def as_text(found: Audit, *, details: bool = False) -> str:
    """A table of measures, the reasons below it, and the verdict last."""
    table = found.inputs.table
    lines: list[str] = [title_line(Path(table.name).name)]
    lines.append(joined([counted(table.rows, "row"), counted(len(table.columns), "column")]))
    if found.columns.summary is not None:
        without_role = phrase("columns without a role: {columns}", columns=found.columns.summary)
        lines.append(indented(without_role))
    roles = found.inputs.roles
    for title, columns in (
        (term("quasi-identifiers"), roles.quasi_identifiers),
        (term("sensitive"), roles.sensitive),
        (term("person"), (found.inputs.person,) if found.inputs.person is not None else ()),
    ):
        if columns:
            names = listing(columns, _MOST_COLUMNS)
            lines.append(indented(phrase("{title}: {columns}", title=title, columns=names)))
    lines.append("")
    rows = {result.measure: _row(result) for result in found.results}
    rows |= {
        entry.measure: [entry.measure, "-", "-", ERROR, ""]
        for entry in found.not_measured
        if entry.asked_for
    }
    if rows:
        lines += [*_table_by_family(rows), ""]
    explained = [result for result in found.results if details or _is_explained(result, found)]
    for result in explained:
        measure = find_measure(result.measure)
        lines += section(term(measure.title), [*result.explanation, *_revealed(result)])
    if len(explained) < len(found.results):
        some = term("What is behind the other figures: --details")
        lines += [some if explained else term("What is behind the figures: --details"), ""]
    left_out = [entry for entry in found.not_measured if not entry.asked_for]
    lines += section(
        term("Left out"),
        [phrase("{names}: {reason}", names=own.measure, reason=own.reason) for own in left_out],
    )
    failed = by_reason([entry for entry in found.not_measured if entry.asked_for])
    lines += section(term("Not measured"), failed)
    warnings = [phrase("warning: {text}", text=text) for text in found.warnings]
    lines += section(term("Warnings"), warnings)
    if found.policy is not None:
        lines += section(term("Policy"), found.policy.lines)
    lines += section(term("Open questions"), found.open_questions)
    lines += section(term("Not to be released"), found.problems)
    lines.append(_verdict(found))
    return "\n".join(finished(lines)) + "\n"


def title_line(what: str) -> Phrase:
    """The first line: who says this, and what it is about."""
    return phrase("petaudit {version}: {what}", version=__version__, what=what)


def by_reason(
    entries: Iterable[NotMeasured], *, with_rows: bool = False, reveal: bool = False
) -> list[Phrase]:
    """The names of measures and why they gave no figure, each reason once.

    The numbers of rows and values of the data are for the owner.
    """
    found: dict[str, list[str]] = {}
    for entry in entries:
        reason = entry.problem.text if with_rows else entry.reason
        reason = revealed(reason) if reveal else reason
        found.setdefault(reason, []).append(entry.measure)
    return [
        phrase("{names}: {reason}", names=joined(names), reason=reason)
        for reason, names in found.items()
    ]


def _is_explained(result: Result, found: Audit) -> bool:
    """Judged figures are explained, and all where they are few or were asked for by name."""
    few = len(found.results) <= _FEW or found.options.get("measures") is not None
    return few or result.passed is not None


def _table_by_family(rows: Mapping[str, Sequence[str]]) -> list[str]:
    """One table with a line above each family, where there are several."""
    families: dict[Family, list[Sequence[str]]] = {}
    for name in sorted(rows, key=list(all_measures()).index):
        families.setdefault(find_measure(name).family, []).append(rows[name])
    ordered = [row for own in families.values() for row in own]
    columns = [term("measure"), term("value"), term("limit"), term("verdict"), term("better")]
    header, line, *shown = format_table(columns, ordered)
    if len(line) > terminal_width():
        # A limit tells the direction, too, and `petaudit measures` does.
        header, line, *shown = format_table(columns[:-1], [row[:-1] for row in ordered])
    if len(families) == 1:
        return [header, line, *shown]
    lines = [header, line]
    for family, own in families.items():
        lines += [phrase("{family}:", family=term(family.value)), *shown[: len(own)]]
        del shown[: len(own)]
    return lines


def finished(lines: Iterable[str]) -> list[str]:
    """Lines that are safe to print; indented ones are sentences and wrapped."""
    done: list[str] = []
    is_english = language() == ENGLISH
    for own in lines:
        line = printable(translate(own))
        indent = line[: len(line) - len(line.lstrip(" "))]
        # A deeper indent is the rest of a table's cell, which was wrapped before.
        is_sentence = 0 < len(indent) <= _DEEPEST_INDENT and bool(line.strip())
        # Lines of a table are no phrases.
        is_sentence |= isinstance(own, Phrase) and not is_english
        done += _wrapped(line.strip(), indent) if is_sentence else [line]
    return done


def coloured(text: str) -> str:
    """Colour the verdicts if standard output is a terminal."""
    if sys.stdout is None or not sys.stdout.isatty() or "NO_COLOR" in os.environ:
        return text
    colours = {translate(word): colour for word, colour in _COLOURS.items()}
    return re.sub(
        rf"(?<=  )({'|'.join(colours)})(?=  |$)",
        lambda verdict: f"\033[{colours[verdict[1]]}m{verdict[1]}\033[0m",
        text,
        flags=re.MULTILINE,
    )


def format_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Aligned columns; the last one is wrapped where the terminal ends."""
    shown = [[printable(translate(cell)) for cell in row] for row in (header, *rows)]
    widths = [max(map(width_of, column)) for column in zip(*shown, strict=True)]
    room = max(terminal_width() - sum(width + 2 for width in widths[:-1]), 20)
    widths[-1] = min(widths[-1], room)
    shown.insert(1, ["-" * width for width in widths])
    lines: list[str] = []
    for *cells, last in shown:
        first = "".join(
            cell + " " * (width - width_of(cell) + 2)
            for cell, width in zip(cells, widths, strict=False)
        )
        for number, part in enumerate(folded(last, room, room)):
            lines.append(((" " * width_of(first) if number else first) + part).rstrip())
    return lines


def _row(result: Result) -> list[str]:
    value, bound = figures_of(result)
    limit = term("true") if result.better is Better.TRUE else bound
    if result.limit is not None:
        rule = limit_rule(result.better.value, strict=result.is_strict, limit=bound)
        limit = joined([rule, *result.conditions])
    better = term(result.better.value)
    return [result.measure, value, limit, _VERDICTS[result.status], better]


def figures_of(result: Result) -> tuple[str, str]:
    """The figure and its limit, with as many digits as it takes to tell them apart."""
    value, bound = figure_text(result.value, result.limit)
    bound = result.limit_exact or bound
    if value == bound and not result.passed:
        # They differ beyond the last digit of a float.
        value = str(getattr(result, "exact_value", value))
    return value, bound


def figure_text(value: float | bool | None, limit: float | bool | None) -> tuple[str, str]:
    """A figure and its limit, as far as floats tell them apart; a dash for none.

    >>> figure_text(0.1, None), figure_text(0.30000001, 0.3)
    (('0.1', '-'), ('0.30000001', '0.3'))
    """
    if value is None or isinstance(value, bool):
        return "-" if value is None else _short(value), "-" if limit is None else _short(limit)
    if limit is None:
        return _short(value), "-"
    shown, bound = _short(value), _short(limit)
    return (repr(value), repr(limit)) if shown == bound and value != limit else (shown, bound)


def _short(value: float | bool) -> str:
    if isinstance(value, bool):
        return term("true") if value else term("false")
    return f"{value:.6g}"


def _revealed(result: Result) -> list[str]:
    """The quasi-identifier values of the worst classes, where the user asked for them."""
    lines: list[str] = []
    for attribute in getattr(result, "attributes", ()):
        for worst in attribute.worst_classes:
            if worst.labels is not None:
                labels = [f"{name} = {label}" for name, label in worst.labels.items()]
                lines.append(
                    phrase(
                        "{attribute} {figure:.6g} in {rows}: {labels}",
                        attribute=attribute.attribute,
                        figure=worst.figure,
                        rows=counted(worst.rows, "row"),
                        labels=joined(labels),
                    )
                )
    return lines


def _verdict(found: Audit) -> Phrase:
    limited = [result for result in found.results if result.passed is not None]
    breached = sum(result.passed is False for result in limited)
    broken = phrase(
        "{breached} of {limits} limits breached", breached=breached, limits=len(limited)
    )
    is_unmeasured = any(entry.asked_for for entry in found.not_measured) or not found.results
    if is_unmeasured:
        what = term("could not be measured as asked")
    elif found.problems and breached:
        what = joined([term("the table still names people"), broken])
    elif found.problems:
        what = term("the table still names people")
    elif breached:
        what = broken
    elif found.verdict == UNDECIDED:
        what = term("open questions, which --strict does not allow")
    elif limited:
        what = holds_line(len(limited), found.open_questions)
    else:
        what = term("no limit was given, so nothing was judged")
    return verdict_line(what, found.exit_code)


def verdict_line(what: str, code: int) -> Phrase:
    """The last line, which tells the exit code, too."""
    return phrase("Verdict: {what} (exit code {code})", what=what, code=code)


def section(title: str, entries: Sequence[str]) -> list[str]:
    """A title with entries below it, if there are any."""
    return [title, *map(indented, entries), ""] if entries else []


def indented(entry: str) -> str:
    """An entry below a title, in the chosen language."""
    return f"  {translate(entry)}"


def _wrapped(text: str, indent: str) -> list[str]:
    room = terminal_width() - len(indent)
    first, *rest = folded(text, room, room - 2)
    return [f"{indent}{first}", *(f"{indent}  {part}" for part in rest)]
