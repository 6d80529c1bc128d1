"""How a search for singled-out people looks on a terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from petaudit.cli.render import (
    ERROR,
    FAIL,
    PASS,
    figures_of,
    finished,
    format_table,
    indented,
    section,
    title_line,
    verdict_line,
)
from petaudit.errors import counted, joined, listing, phrase, term
from petaudit.measures.limits import limit_rule
from petaudit.measures.mpuccs import MpuccsResult
from petaudit.singling.options import PROFILES
from petaudit.tables import Source

_MOST_COMBINATIONS = 10
_MOST_CHANGES = 8


def as_text(
    found: MpuccsResult, sources: Sequence[Source], advice: Sequence[dict[str, Any]], code: int
) -> str:
    """The verdict, then the figures, the worst combinations, and what could be changed."""
    original, synthetic, *control = sources
    both = phrase(
        "{synthetic} against {original}",
        synthetic=Path(synthetic.name).name,
        original=Path(original.name).name,
    )
    sizes = [counted(synthetic.rows, "synthetic row"), counted(original.rows, "original row")]
    lines: list[str] = [title_line(both)]
    lines.append(joined([*sizes, counted(len(found.columns), "column")]))
    lines += [
        phrase("control: {name}, {rows}", name=Path(own.name).name, rows=counted(own.rows, "row"))
        for own in control
    ]
    lines += ["", *_verdict(found, code), ""]
    header = [term("figure"), term("value"), term("limit"), term("verdict"), ""]
    lines += format_table(header, _figures(found))
    lines += ["", *_worst(found), *_changes(advice), *_notes(found)]
    return "\n".join(finished(lines)) + "\n"


def verdict_text(found: MpuccsResult, code: int) -> str:
    """The verdict alone."""
    return "\n".join(finished(_verdict(found, code))) + "\n"


def _verdict(found: MpuccsResult, code: int) -> list[str]:
    figure = term("identification rate") if _judges_rate(found) else term("risk score")
    if found.passed is None:
        what = term("no limit was given, so nothing was judged")
    elif found.undecided:
        what = phrase(
            "undecided: the {figure} is a lower bound, and it is within the limit", figure=figure
        )
    elif found.passed:
        what = phrase("the {figure} keeps the limit", figure=figure)
    else:
        what = phrase("the {figure} breaks the limit", figure=figure)
    return [verdict_line(what, code), *map(indented, found.explanation)]


def _judges_rate(found: MpuccsResult) -> bool:
    if found.profile is not None:
        return PROFILES[found.profile].figure == "identification_rate"
    return not found.findings.options.calculate_baseline


def _figures(found: MpuccsResult) -> list[list[str]]:
    figures = found.figures
    value, shown_limit = figures_of(found)
    judged: tuple[str, str] = ("-", "-")
    if found.limit is not None:
        verdict = ERROR if found.undecided else PASS if found.passed else FAIL
        rule = limit_rule(found.better.value, strict=found.is_strict, limit=shown_limit)
        judged = (rule, verdict)

    def bounded(figure: str) -> str:
        return figure if found.complete else phrase("at least {figure}", figure=figure)

    by_rate = _judges_rate(found)
    rows = []
    if found.findings.options.calculate_baseline:
        risk = bounded(f"{figures['privacy_risk_score']:.6g}" if by_rate else value)
        own = ("-", "-") if by_rate else judged
        rows.append([term("risk score"), risk, *own, term("lower is better")])
    rate = bounded(value if by_rate else f"{figures['identification_rate']:.6g}")
    rows.append([term("identification rate"), rate, *(judged if by_rate else ("-", "-")), ""])
    identified = phrase(
        "{part:,} of {whole:,}",
        part=figures["total_identified"],
        whole=figures["total_syn_records"],
    )
    rows.append([term("identified rows"), bounded(identified), "-", "-", found.scope])
    excess = found.findings.excess
    if excess is not None and math.isfinite(excess.lower):
        interval = phrase(
            "95 % interval {lower:.4f} to {upper:.4f}", lower=excess.lower, upper=excess.upper
        )
        excess_row = [term("excess over the control"), f"{excess.value:.4f}", "-", "-", interval]
        rows.append(excess_row)
    return rows


def _worst(found: MpuccsResult) -> list[str]:
    worst = found.findings.worst_combinations(_MOST_COMBINATIONS)
    if not worst:
        return []
    rows = [
        [f"{identified:,}", f"{unique:,}", " + ".join(columns)]
        for columns, identified, unique in worst
    ]
    title = term("Combinations that expose most rows (a row counts for the first that finds it)")
    header = [term("identified"), term("unique"), term("columns")]
    return [title, *format_table(header, rows), ""]


def _changes(advice: Sequence[dict[str, Any]]) -> list[str]:
    if not advice:
        return []
    before, up_to = advice[0]["rows_before"], advice[0]["up_to_columns"]
    helpful = [own for own in advice if own["rows_after"] < before][:_MOST_CHANGES]
    harmful = [own for own in advice if own["rows_after"] > before][-3:]
    rows = [
        [f"{own['rows_after']:,}", f"{own['rows_after'] - before:+,}", own["column"], own["change"]]
        for own in (*helpful, *harmful)
    ]
    if not rows:
        return []
    title = phrase(
        "What changing one column would do (now {rows:,} identified, up to {columns} columns)",
        rows=before,
        columns=up_to,
    )
    column = term("column")
    header = [term("rows then"), term("difference"), column, term("change")]
    return [title, *format_table(header, rows), ""]


def _notes(found: MpuccsResult) -> list[str]:
    removed = [
        told
        for told, number in (
            (
                phrase("{number:,} in the original", number=found.removed_original),
                found.removed_original,
            ),
            (
                phrase("{number:,} in the synthetic table", number=found.removed_synthetic),
                found.removed_synthetic,
            ),
            (
                phrase("{number:,} in the control", number=found.removed_control),
                found.removed_control,
            ),
        )
        if number
    ]
    notes = [phrase("duplicates removed: {tables}", tables=listing(removed))] if removed else []
    notes += [phrase("warning: {text}", text=text) for text in found.warnings]
    return section(term("Notes"), notes)
