"""The pictures of a search for people who are singled out: by number of columns, and by column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from petaudit.errors import counted, phrase, share
from petaudit.i18n.voice import Voice
from petaudit.pictures.base import (
    Chart,
    Picture,
    check,
    interval,
    kept_name,
    more_columns,
    zone_notes,
)
from petaudit.pictures.control_comparison import control_comparison
from petaudit.pictures.search_tree import Identifying, identifying, search_tree
from petaudit.pictures.svg import Bar, bar_list, name_in_table

if TYPE_CHECKING:
    from petaudit.singling.findings import Findings

MOST_SIZES: Final = 12
MOST_COLUMNS: Final = 15


@dataclass(frozen=True)
class SizeCount:
    """The rows that combinations of so many columns identify, and no smaller ones."""

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
            notes.append(phrase("The search was not complete: these are the fewest there are."))
        return Chart.of(
            voice,
            bar_list(bars, header[0], header[1], say=voice.say, names_width=80),
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


def singled_out_of(_: object, result: Any) -> tuple[Picture, ...]:
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
