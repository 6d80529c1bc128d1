"""How a search for singled-out people looks on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from petaudit._version import __version__
from petaudit.cli.render import figures_of, finished, format_table
from petaudit.counts import Source
from petaudit.errors import counted, listing
from petaudit.singling.profiles import PROFILES
from petaudit.singling.result import MpuccsResult

_MOST_COMBINATIONS = 10
_MOST_CHANGES = 8


def as_text(
    found: MpuccsResult, sources: Sequence[Source], advice: Sequence[dict[str, Any]], code: int
) -> str:
    """The verdict, then the figures, the worst combinations, and what could be changed."""
    original, synthetic, *control = sources
    lines = [
        f"petaudit {__version__}: {Path(synthetic.name).name} against {Path(original.name).name}",
        f"{counted(synthetic.rows, 'synthetic row')}, {counted(original.rows, 'original row')}, "
        f"{counted(len(found.columns), 'column')}",
    ]
    lines += [f"control: {Path(own.name).name}, {counted(own.rows, 'row')}" for own in control]
    lines += ["", *_verdict(found, code), ""]
    lines += format_table(["figure", "value", "limit", "verdict", ""], _figures(found))
    lines += ["", *_worst(found), *_changes(advice), *_notes(found)]
    return "\n".join(finished(lines)) + "\n"


def verdict_text(found: MpuccsResult, code: int) -> str:
    """The verdict alone."""
    return "\n".join(finished(_verdict(found, code))) + "\n"


def _verdict(found: MpuccsResult, code: int) -> list[str]:
    figure = "identification rate" if _judges_rate(found) else "risk score"
    if found.passed is None:
        said = "no limit was given, so nothing was judged"
    elif found.undecided:
        said = f"undecided: the {figure} is a lower bound, and it is within the limit"
    elif found.passed:
        said = f"the {figure} keeps the limit"
    else:
        said = f"the {figure} breaks the limit"
    return [f"Verdict: {said} (exit code {code})", *(f"  {line}" for line in found.explanation)]


def _judges_rate(found: MpuccsResult) -> bool:
    if found.profile is not None:
        return PROFILES[found.profile].figure == "identification_rate"
    return not found.findings.options.calculate_baseline


def _figures(found: MpuccsResult) -> list[list[str]]:
    figures, bound = found.figures, "at least " if not found.complete else ""
    limit, verdict = "-", "-"
    value, shown_limit = figures_of(found)
    if found.limit is not None:
        limit = f"{'below' if found.is_strict else 'at most'} {shown_limit}"
        verdict = "ERROR" if found.undecided else "pass" if found.passed else "FAIL"
    judged = (limit, verdict)
    by_rate = _judges_rate(found)
    rows = []
    if found.findings.options.calculate_baseline:
        risk = f"{bound}{figures['privacy_risk_score']:.6g}" if by_rate else f"{bound}{value}"
        rows.append(["risk score", risk, *(("-", "-") if by_rate else judged), "lower is better"])
    rate = f"{bound}{value}" if by_rate else f"{bound}{figures['identification_rate']:.6g}"
    rows.append(["identification rate", rate, *(judged if by_rate else ("-", "-")), ""])
    identified = f"{bound}{figures['total_identified']:,} of {figures['total_syn_records']:,}"
    rows.append(["identified rows", identified, "-", "-", found.scope])
    excess = found.findings.excess
    if excess is not None:
        interval = f"95 % interval {excess.lower:.4f} to {excess.upper:.4f}"
        rows.append(["excess over the control", f"{excess.value:.4f}", "-", "-", interval])
    return rows


def _worst(found: MpuccsResult) -> list[str]:
    worst = found.findings.worst_combinations(_MOST_COMBINATIONS)
    if not worst:
        return []
    rows = [
        [f"{identified:,}", f"{unique:,}", " + ".join(columns)]
        for columns, identified, unique in worst
    ]
    title = "Combinations that expose most rows (a row counts for the first that identifies it)"
    return [title, *format_table(["identified", "unique", "columns"], rows), ""]


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
    return [
        f"What changing one column would do ({before:,} rows identified now, with up to {up_to} "
        "columns)",
        *format_table(["rows then", "difference", "column", "change"], rows),
        "",
    ]


def _notes(found: MpuccsResult) -> list[str]:
    removed = [
        f"{number:,} in the {table}"
        for table, number in (
            ("original", found.removed_original),
            ("synthetic table", found.removed_synthetic),
            ("control", found.removed_control),
        )
        if number
    ]
    notes = [f"  duplicates removed: {listing(removed)}"] if removed else []
    notes += [f"  warning: {text}" for text in found.warnings]
    return ["Notes", *notes, ""] if notes else []
