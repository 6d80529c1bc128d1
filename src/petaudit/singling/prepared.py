"""From encoded tables to what the search works on: columns in order, duplicates removed.

Do the values of both tables mean the same? Where hardly any occurs in both, nothing can match. How
many synthetic cells of a column should occur in the original can be told from the original alone:
if they were drawn alike, about as many as its cells whose value it has more than once (Good and
Turing). In a column of measurements that is next to none, in one of categories nearly all. A column
with far fewer is written in another way, or belongs to another table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from petaudit.errors import NotMeasurableError, Phrase, listing, phrase
from petaudit.singling.control import CONTROL, ORIGINAL, SYNTHETIC, Overlap, overlap_of
from petaudit.singling.kernels import Codes, Indices, Rows
from petaudit.singling.partition import Pair, first_rows
from petaudit.singling.search import Settings, SizeFindings, exposed_people, search
from petaudit.tables.joint import JointColumn, JointTables
from petaudit.tables.joint.store import LISTED_AT_ONCE, Exposed, Listed

_FEWEST: Final = 10
"""Fewer expected cells than that may be missing by chance."""
_ALMOST_NONE: Final = 0.05


class ColumnUse(NamedTuple):
    """Cells of a column, without nulls."""

    synthetic: int
    common: int
    """Synthetic cells whose value the original has."""
    original: int
    alone: int
    """Original cells whose value it has nowhere else."""

    @classmethod
    def of(cls, synthetic: npt.NDArray[np.int64], original: npt.NDArray[np.int64]) -> ColumnUse:
        """From how often each value occurs in either table.

        >>> ColumnUse.of(np.array([3, 0, 1]), np.array([2, 1, 0]))
        ColumnUse(synthetic=4, common=3, original=3, alone=1)
        """
        return cls(
            int(synthetic.sum()),
            int(synthetic[original > 0].sum()),
            int(original.sum()),
            int(np.count_nonzero(original == 1)),
        )

    @property
    def expected(self) -> float:
        """How many synthetic cells should have a value of the original."""
        return self.synthetic * (1 - self.alone / self.original) if self.original else 0.0

    @property
    def is_foreign(self) -> bool:
        """Whether far fewer have."""
        return self.expected >= _FEWEST and self.common < _ALMOST_NONE * self.expected


@dataclass(frozen=True, kw_only=True)
class SearchTables:
    """Two or three tables in the order of the search: synthetic, original, control."""

    columns: tuple[str, ...]
    rows: tuple[int, ...]
    """How many rows each table has as it was given."""
    people: tuple[int, ...]
    """How many people each table has: rows without duplicates, if no person is named.

    Synthetic rows are counted as rows.
    """
    removed: tuple[int, ...]
    """How many duplicates there were."""
    distinct: tuple[int, ...]
    """How many values the original has in each column; null is a value."""
    joined: Mapping[str, JointColumn]
    """What the codes mean, by column."""
    uses: Mapping[str, ColumnUse]
    """How many cells of each column the synthetic table and the original have in common."""
    merges_equal: bool
    """Whether equal rows are one person."""

    @property
    def entries(self) -> tuple[int, ...]:
        """How many people may be drawn of each table: its rows, or the people that are named."""
        return self.rows

    @property
    def doubts(self) -> tuple[Phrase, ...]:
        """Why it may say nothing that nobody is singled out."""
        known = [use for use in self.uses.values() if min(use.synthetic, use.original) >= _FEWEST]
        foreign = [repr(name) for name, use in self.uses.items() if use.is_foreign]
        if known and len(known) == len(self.uses) and not any(use.common for use in known):
            doubt = phrase(
                "no value of any column occurs in both tables: they are formatted differently, or "
                "this is another original; who is singled out cannot be determined"
            )
        elif foreign:
            doubt = phrase(
                "the values of {columns} hardly ever occur in the original, so no combination with "
                "them can single out anybody: they are formatted differently, or belong to another "
                "table",
                columns=listing(foreign),
            )
        else:
            return ()
        spelled = [repr(name) for name in self.columns if self.joined[name].is_spelled_differently]
        if spelled:
            hint = phrase(
                "ignoring case, width, spaces, punctuation, leading zeros and the order of parts, "
                "the values of {columns} do occur in both",
                columns=listing(spelled),
            )
            doubt = phrase("{doubt}; {hint}", doubt=doubt, hint=hint)
        return (doubt,)


@dataclass(frozen=True, kw_only=True)
class Prepared(SearchTables):
    """Tables in memory."""

    pair: Pair
    """The synthetic rows and those of the original, without duplicates."""
    kept: tuple[Rows, ...]
    """The rows of each table that do not duplicate an earlier one."""
    person_codes: tuple[Rows | None, ...]
    """The person of each row of each table, where one is named."""
    everything: Codes | None
    """All rows of all tables, in search order, where there is a control to compare with."""
    lists_rows: bool = True
    """Whether rows have numbers: those of a cluster came in any order."""

    @property
    def can_be_sampled(self) -> bool:
        """Whether samples can be drawn again: they are drawn by the numbers of rows."""
        return self.lists_rows

    @property
    def entries(self) -> tuple[int, ...]:
        """How many people may be drawn of each table: its rows, or the people that are named."""
        return tuple(map(_people, self.rows, self.person_codes))

    def search(self, settings: Settings) -> Iterator[SizeFindings]:
        """Search combinations of the given sizes, one size after the other."""
        return search(self.pair, settings)

    def exposed(
        self, sample: Indices, sizes: Sequence[SizeFindings], settings: Settings
    ) -> Exposed | None:
        """Count who of a sample and of the control is singled out; None if out of time."""
        # Synthetic rows, some people of the original, and everybody of the control beside them.
        groups = [
            (SYNTHETIC, self.kept[SYNTHETIC]),
            (ORIGINAL, self._rows_of(ORIGINAL, sample)),
            (CONTROL, self._rows_of(CONTROL, np.arange(self.entries[CONTROL]))),
        ]
        start, size = (len(rows) for _, rows in groups[:2])
        people = np.concatenate([self._codes(*group) for group in groups[1:]], axis=1)
        person_codes = _person_codes([(self.person_codes[table], rows) for table, rows in groups])
        places = np.arange(people.shape[1])
        first_control = start + size
        if self.merges_equal:
            # Equal rows are one person, wherever they are: the first stands for all.
            first = first_rows(people)
            is_first = first == places
            people, first_control = people[:, is_first], start + int(is_first[:size].sum())
            places = (np.cumsum(is_first) - 1)[first]
        codes = np.concatenate([self.pair.codes[:, :start], people], axis=1)
        exposed = exposed_people(Pair(codes, start, person_codes), first_control, settings)
        if exposed is None:
            return None
        original, control = np.split(exposed[start + places], [size])
        flags = (original & 1, original == 2, control & 1, control == 2)
        return Exposed(*(int(np.count_nonzero(each)) for each in flags))

    def _rows_of(self, table: int, people: Indices) -> Rows:
        person_codes, kept = self.person_codes[table], self.kept[table]
        if person_codes is None:
            return people.astype(np.uint32)
        return kept[np.isin(person_codes[kept], people)]

    def _codes(self, table: int, rows: Rows) -> Codes:
        assert self.everything is not None  # noqa: S101 (a control was given)
        return self.everything[:, sum(self.rows[:table]) + rows.astype(np.int64)]

    @property
    def overlap(self) -> Overlap:
        """How many rows the control has in common with the original."""
        assert self.everything is not None  # noqa: S101 (a control was given)
        both = self.everything[:, self.rows[SYNTHETIC] :]
        return overlap_of(first_rows(both), self.rows[ORIGINAL])

    def listed(self, findings: SizeFindings) -> Iterator[Listed]:
        """List the rows that combinations of a size identify, in batches."""
        if not self.lists_rows:
            raise NotMeasurableError(
                "the rows come from a cluster, where they have no numbers: there is no list of the "
                "rows that are identified"
            )
        identified = findings.listed
        assert identified is not None  # noqa: S101 (found by a search in memory)
        for start in range(0, len(identified.rows), LISTED_AT_ONCE):
            some = slice(start, start + LISTED_AT_ONCE)
            rows, targets = identified.rows[some], identified.targets[some]
            yield Listed(
                rows.astype(np.int64),
                identified.combinations[some],
                targets.astype(np.int64),
                self.kept[SYNTHETIC][rows].astype(np.int64),
                self.kept[ORIGINAL][targets].astype(np.int64),
            )

    def value_combos(
        self, listed: Listed, combinations: Sequence[Sequence[int]]
    ) -> Iterator[tuple[object, ...]]:
        """Return the values that identify rows, each in the columns of its combination."""
        for row, columns in zip(listed.rows.tolist(), combinations, strict=True):
            yield tuple(self._value(row, column) for column in columns)

    def _value(self, row: int, column: int) -> object:
        joint = self.joined[self.columns[column]]
        code = int(self.pair.codes[column, row])
        return None if code == joint.null else joint.value(code)


def prepare(tables: JointTables, *, deduplicate: bool, lists_rows: bool = True) -> Prepared:
    """Sort the columns by their number of distinct synthetic values, and remove duplicates.

    Uses up the codes of the tables: twice of them is more than large tables leave room for.
    """
    starts = np.cumsum([0, *tables.rows])
    parts = np.split(tables.codes, starts[1:-1], axis=1)
    distinct = [[_distinct(column) for column in part] for part in parts[:CONTROL]]
    order = sorted(range(len(tables.columns)), key=lambda column: -distinct[SYNTHETIC][column])
    persons_by_table = tables.person_codes or (None,) * len(parts)
    kept = tuple(
        _kept(part[order], persons) if deduplicate else np.arange(part.shape[1], dtype=np.uint32)
        for part, persons in zip(parts, persons_by_table, strict=True)
    )
    uses = {
        name: _use(tables.joined[name], *(part[column] for part in parts[:CONTROL]))
        for column, name in enumerate(tables.columns)
    }
    everything = tables.codes[order] if len(parts) > CONTROL else None
    _reorder(tables.codes, order)
    wanted = np.concatenate([kept[SYNTHETIC], starts[ORIGINAL] + kept[ORIGINAL].astype(np.int64)])
    kept_rows = tuple(map(len, kept))
    return Prepared(
        columns=tuple(tables.columns[column] for column in order),
        rows=tables.rows,
        people=(
            kept_rows[SYNTHETIC],
            *map(_people, kept_rows[ORIGINAL:], persons_by_table[ORIGINAL:]),
        ),
        removed=tuple(rows - many for rows, many in zip(tables.rows, kept_rows, strict=True)),
        distinct=tuple(distinct[ORIGINAL][column] for column in order),
        joined=tables.joined,
        uses=uses,
        pair=Pair(
            _compacted(tables.codes, wanted),
            kept_rows[SYNTHETIC],
            _person_codes(list(zip(persons_by_table, kept, strict=True))[:CONTROL]),
        ),
        kept=kept,
        person_codes=persons_by_table,
        everything=everything,
        lists_rows=lists_rows,
        merges_equal=deduplicate and all(persons is None for persons in persons_by_table),
    )


def _kept(codes: Codes, person_codes: Rows | None) -> Rows:
    """The rows that do not duplicate an earlier one of the same person."""
    first = first_rows(codes if person_codes is None else np.vstack([codes, person_codes]))
    return np.flatnonzero(first == np.arange(len(first))).astype(np.uint32)


def _person_codes(groups: Sequence[tuple[Rows | None, Rows]]) -> Rows | None:
    """The number of each row's person in a pair: that of the person's first row in it.

    Each group has the persons of all rows of its table, if any, and which rows are in the pair.
    """
    if all(person_codes is None for person_codes, _ in groups):
        return None
    numbers = []
    start = 0
    for person_codes, rows in groups:
        number = np.arange(len(rows))
        if person_codes is not None:
            _, first, place = np.unique(person_codes[rows], return_index=True, return_inverse=True)
            number = first[place]
        numbers.append(start + number)
        start += len(rows)
    return np.concatenate(numbers).astype(np.uint32)


def _reorder(codes: Codes, order: Sequence[int]) -> None:
    """Reorder the columns in place."""
    done = [False] * len(order)
    for first in range(len(order)):
        if done[first] or order[first] == first:
            continue
        held, place = codes[first].copy(), first
        while not done[place]:
            done[place] = True
            source = order[place]
            codes[place] = held if source == first else codes[source]
            place = source


def _compacted(codes: Codes, wanted: npt.NDArray[np.int64]) -> Codes:
    """The wanted rows of all columns, in the same memory: each column moves to the front."""
    if len(wanted) == codes.shape[1]:
        return codes
    flat = codes.reshape(-1)
    many = len(wanted)
    for column in range(len(codes)):
        flat[column * many : (column + 1) * many] = codes[column][wanted]
    return flat[: len(codes) * many].reshape(len(codes), many)


def _people(rows: int, person_codes: Rows | None) -> int:
    return rows if person_codes is None else len(np.unique(person_codes))


def _use(column: JointColumn, synthetic: Codes, original: Codes) -> ColumnUse:
    counts = [np.bincount(codes, minlength=column.size) for codes in (synthetic, original)]
    return ColumnUse.of(*(count[: column.null] for count in counts))


def _distinct(column: npt.NDArray[np.uint32]) -> int:
    return int(np.count_nonzero(np.bincount(column))) if column.size else 0
