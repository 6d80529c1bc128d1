"""The pictures of who is singled out: by number of columns, by column, and beside a control."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from petaudit.errors import counted, joined, phrase, share
from petaudit.exact.excess import Finding
from petaudit.i18n.voice import Voice
from petaudit.pictures.base import (
    STRIPES,
    Chart,
    Picture,
    check,
    interval,
    kept_name,
    more_columns,
    zone_notes,
)
from petaudit.pictures.search_tree import Identifying, identifying, search_tree
from petaudit.pictures.svg import (
    BREACH,
    LINE,
    MAIN,
    MUTED,
    OTHER,
    STUB,
    WIDTH,
    Bar,
    Sheet,
    bar_list,
    bar_paint,
    name_in_table,
    percent,
    scale,
)

if TYPE_CHECKING:
    from petaudit.singling.findings import Findings

MOST_SIZES: Final = 12
MOST_COLUMNS: Final = 15
_LEFT, _RIGHT = 165, WIDTH - 60
_ROWS = (44, 74, 112)
_FARTHEST_BELOW: Final = -1.0
"""An interval may end anywhere below zero; the line is cut here, its text is not."""
_VERDICTS: Final = {
    Finding.EXCESS: phrase("That is more than coincidence."),
    Finding.COINCIDENCE: phrase("Coincidence could explain it."),
    Finding.NOT_COMPARABLE: phrase(
        "The control is exposed more than the original: the two are not comparable, and nothing "
        "is decided."
    ),
    Finding.UNKNOWN: phrase("There are too few people to tell whether that is coincidence."),
}


@dataclass(frozen=True)
class SizeCount:
    """The rows that combinations of a size identify, and no smaller ones."""

    fewest: int
    most: int
    rows: int
    combinations: int
    pruned: int

    @property
    def text(self) -> str:
        """The numbers of columns."""
        return interval(self.fewest, self.most)


@dataclass(frozen=True)
class IdentifiedBySize(Picture):
    """Rows by the fewest columns that identify them; the last entry may stand for many sizes."""

    kind: ClassVar[str] = "identified-by-size"

    sizes: tuple[SizeCount, ...]
    rows: int
    complete: bool

    def __post_init__(self) -> None:
        check(sum(item.rows for item in self.sizes) <= self.rows, "more rows than there are")
        for item in self.sizes:
            check(item.fewest <= item.most, "sizes ascend")
            check(item.pruned <= item.combinations, "more pruned than there are")

    def draw(self, voice: Voice) -> Chart | None:
        """Draw a bar for each number of columns."""
        if not self.sizes:
            return None
        zones = voice.parts([item.rows for item in self.sizes], self.rows)
        bars, table = [], []
        for item, zone in zip(self.sizes, zones, strict=True):
            part = zone.percent(self.rows)
            texts = {"rows": zone.text, "share": part, "columns": item.text}
            label = phrase("{columns} columns identify {rows} rows, {share}", **texts)
            bars.append(Bar.of(item.text, zone, part, label))
            table.append((item.text, zone.text, part, f"{item.combinations:,}", f"{item.pruned:,}"))
        identified = sum(item.rows for item in self.sizes)
        header = (
            phrase("columns"),
            phrase("identified rows"),
            phrase("share of rows"),
            phrase("combinations"),
            phrase("pruned"),
        )
        notes = zone_notes(zones)
        if not self.complete:
            notes.append(phrase("The search was not complete: these counts are lower bounds."))
        return Chart.of(
            voice,
            bar_list(bars, header[0], header[1], say=voice.say),
            title=phrase("How many columns it takes to single somebody out"),
            words=phrase(
                "{identified} ({share}) of {rows} single out one person.",
                identified=counted(identified, "identified row", of=self.rows),
                share=share(identified, self.rows),
                rows=counted(self.rows, "synthetic row", of=self.rows),
            ),
            header=header,
            rows=table,
            notes=notes,
        )


@dataclass(frozen=True)
class ExposedColumn:
    """A column and the identified rows whose combination holds it."""

    column: str
    rows: int


@dataclass(frozen=True)
class ColumnExposure(Picture):
    """The columns that help most to single people out, of those that help at all."""

    kind: ClassVar[str] = "column-exposure"

    columns: tuple[ExposedColumn, ...]
    identified: int
    more: int
    smallest: int | None = None
    """The fewest rows, above none, that one combination identifies; None where nobody said so."""

    def __post_init__(self) -> None:
        check(len(self.columns) <= MOST_COLUMNS, f"there are at most {MOST_COLUMNS} columns")
        for item in self.columns:
            check(item.rows <= self.identified, "more rows than there are")

    def draw(self, voice: Voice) -> Chart | None:
        """Draw a bar for each column; those of one zone by name, since an order tells numbers."""
        if not self.columns:
            return None
        # How many rows are identified is told as a zone itself.
        identified = round(voice.zone(self.identified).middle)
        columns = sorted(
            ((item.column, voice.zone(item.rows)) for item in self.columns),
            key=lambda column: (-column[1].lowest, column[0]),
        )
        bars, table = [], []
        for column, zone in columns:
            name, part = name_in_table(column), zone.percent(identified)
            label = phrase(
                "{column} is among the columns of {rows} identified rows, {share}",
                column=name,
                rows=zone.text,
                share=part,
            )
            bars.append(Bar.of(column, zone, part, label))
            table.append((name, zone.text, part))
        header = (
            phrase("column name"),
            phrase("identified rows"),
            phrase("share of the identified rows"),
        )
        return Chart.of(
            voice,
            bar_list(bars, header[0], header[1], say=voice.say),
            title=phrase("Columns that expose most"),
            words=phrase(
                "{column} helps most: it is among the columns of {share} of the identified rows.",
                column=table[0][0],
                share=table[0][2],
            ),
            header=header,
            rows=table,
            notes=[*zone_notes(zone for _, zone in columns), *more_columns(self.more)],
        )


@dataclass(frozen=True)
class ControlComparison(Picture):
    """Shares of the people who are singled out, and the excess of the first with its interval."""

    kind: ClassVar[str] = "control-comparison"

    rate: float
    control_rate: float
    excess: float
    """It and the ends of its interval are below zero where the control is exposed more."""
    lower: float
    upper: float
    finding: str
    """What the interval says; see :class:`petaudit.exact.excess.Finding`."""
    people: int
    control_people: int

    def __post_init__(self) -> None:
        check(all(0 <= rate <= 1 for rate in (self.rate, self.control_rate)), "rates are shares")
        check(self.lower <= self.upper <= 1, "the interval ends before it begins")
        check(self.excess <= 1, "an excess is at most 1")
        check(self.finding in set(Finding), "what is said is one of the known findings")

    def draw(self, voice: Voice) -> Chart:
        """Draw two bars, and the excess as a point on a line."""
        say = voice.say
        texts, told, rates = [], [], []
        for name, rate, people, color in (
            (phrase("original"), self.rate, self.people, MAIN),
            (phrase("control"), self.control_rate, self.control_people, OTHER),
        ):
            is_hidden = 0 < rate * people < voice.threshold
            told += [] if is_hidden else [rate]
            few = min(voice.threshold, people)
            texts.append(f"<{percent(few / people)}" if is_hidden else percent(rate))
            rates.append((name, rate, texts[-1], color, is_hidden))
        # The excess is worked out from both rates, so it would tell the one that is hidden.
        has_excess = len(told) == len(rates)
        most = max([0.01, *told, *([self.upper] if has_excess else [])])
        least = max(min(0.0, self.lower), _FARTHEST_BELOW) if has_excess else 0.0
        x = scale((least, most), (_LEFT, _RIGHT))
        sheet = Sheet(height=146 if has_excess else 100, say=say)
        sheet.text(_LEFT, 14, phrase("share of people who are singled out"), fill=MUTED)
        sheet.line(x(0), x(0), 28, sheet.height - 8, stroke=LINE)
        table = []
        for (name, rate, text, color, is_hidden), y in zip(rates, _ROWS, strict=False):
            end = x(0) + STUB if is_hidden else x(rate)
            paint = bar_paint(color, f"{say(name)}: {text}", is_hidden=is_hidden)
            sheet.rect(x(0), end, y - 9, y + 9, **paint)
            sheet.text(end + 6, y, text)
            sheet.text(_LEFT - 8, y, name, anchor="end")
            table.append((name, text, ""))
        sentences = [
            phrase(
                "In samples of equal size, {rate} of the people in the original are singled out, "
                "and {control} of those in the control.",
                rate=texts[0],
                control=texts[1],
            )
        ]
        notes = []
        if has_excess:
            ends = {"lower": percent(self.lower), "upper": percent(self.upper)}
            interval = say(phrase("{lower} to {upper}", **ends))
            excess = f"{percent(self.excess)} ({interval})"
            excess_name = say(phrase("excess, 95 % interval"))
            lower, middle, upper = (
                x(max(number, least)) for number in (self.lower, self.excess, self.upper)
            )
            y = _ROWS[2]
            sheet.line(lower, upper, y, y, stroke=BREACH, stroke_width=3)
            for end in (lower, upper):
                sheet.line(end, end, y - 6, y + 6, stroke=BREACH, stroke_width=2)
            label = f"{excess_name}: {excess}"
            sheet.symbol(middle, y, "diamond", area=140, fill=BREACH, label=label)
            sheet.text(_LEFT - 8, y, excess_name, anchor="end", room=_LEFT - 12)
            sheet.text(_LEFT, y + 20, excess)
            table.append((phrase("excess"), percent(self.excess), interval))
            sentences.append(phrase("The excess is {excess}.", excess=excess))
        else:
            small = phrase(
                "The excess is not shown, because a small count could be derived from it."
            )
            notes = [STRIPES, small]
        return Chart.of(
            voice,
            sheet,
            title=phrase("The original beside the control"),
            words=joined([*sentences, _VERDICTS[Finding(self.finding)]], " "),
            header=(phrase("group"), phrase("share of people"), phrase("95 % interval")),
            rows=table,
            notes=notes,
        )


def singled_out_of(inputs: object, result: Any) -> tuple[Picture, ...]:
    """Return the pictures by number of columns, by column, of the search, and of the control."""
    findings: Findings = result.findings
    if findings.is_empty:
        return ()
    columns = findings.prepared.columns
    known = [identifying(size, len(columns)) for size in findings.sizes]
    return (
        identified_by_size(findings, complete=result.complete),
        column_exposure(columns, known),
        search_tree(findings, known),
        *control_comparison(findings),
    )


def identified_by_size(findings: Findings, *, complete: bool) -> IdentifiedBySize:
    """Return the rows size by size; the largest sizes as one where there are many."""
    counts = []
    for item in findings.sizes:
        pruned = int((item.repeated < 0).sum())
        counts.append(SizeCount(item.size, item.size, item.identified, len(item.repeated), pruned))
    shown, rest = counts[:MOST_SIZES], counts[MOST_SIZES:]
    if rest:
        shown.append(
            SizeCount(
                rest[0].fewest,
                rest[-1].most,
                sum(item.rows for item in rest),
                sum(item.combinations for item in rest),
                sum(item.pruned for item in rest),
            )
        )
    return IdentifiedBySize(tuple(shown), findings.rows, complete)


def column_exposure(names: Sequence[str], known: Sequence[Identifying]) -> ColumnExposure:
    """Return the rows of all combinations that hold a column, added up by column."""
    helped = np.zeros(len(names), np.int64)
    for item in known:
        np.add.at(helped, item.combinations, item.rows[:, np.newaxis])
    order = np.argsort(-helped, kind="stable")[: np.count_nonzero(helped)].tolist()
    shown = order[:MOST_COLUMNS]
    return ColumnExposure(
        tuple(ExposedColumn(kept_name(names[place]), int(helped[place])) for place in shown),
        sum(int(item.rows.sum()) for item in known),
        len(order) - len(shown),
        min((int(item.rows.min()) for item in known if item.rows.size), default=None),
    )


def control_comparison(findings: Findings) -> tuple[Picture, ...]:
    """Return none where there was no control, no time for it, or nothing to tell from it."""
    excess = findings.excess
    if excess is None or not math.isfinite(excess.lower):
        return ()
    return (
        ControlComparison(
            excess.original.share,
            excess.control.share,
            excess.value,
            excess.lower,
            excess.upper,
            excess.finding.value,
            excess.original.people,
            excess.control.people,
        ),
    )
