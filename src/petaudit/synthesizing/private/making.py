"""A differentially private table: options checked, cells counted, noise added, rows drawn."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa

from petaudit.errors import InputError, OptionError, PetauditWarning, counted, phrase, suggestion
from petaudit.synthesizing.exchange import read_cells
from petaudit.synthesizing.normal import Integers
from petaudit.synthesizing.private.accountant import Ledger, Spent, epsilon_of, rho_for
from petaudit.synthesizing.private.domains import (
    FROM_DATA,
    IDENTIFIER,
    OUTSIDE,
    Domain,
    Identifiers,
    domain_of,
)
from petaudit.synthesizing.private.guarantee import Guarantee
from petaudit.synthesizing.private.marginals import Counts, measure
from petaudit.synthesizing.private.noise import RandomBits
from petaudit.synthesizing.private.observed import observed_domain
from petaudit.synthesizing.private.tree import draw
from petaudit.system.progress import stage
from petaudit.tables.headers import check_column, columns_named, shown_names

EPSILONS: Final = (0.001, 100.0)
DELTAS: Final = (1e-18, 1e-3)
DELTA: Final = 1e-9
MOST_ROWS_PER_PERSON: Final = 1_000


@dataclass(frozen=True)
class Privacy:
    """What is promised, and what is known beforehand."""

    epsilon: float
    domain: Mapping[str, Any] | str
    """By column a list of values, a range, ``identifier`` or ``from-data``; or that for all."""
    delta: float = DELTA
    person: str | None = None
    rows_per_person: int = 1

    def specs(self, columns: Sequence[str], table: str) -> dict[str, Any]:
        """What is said of each column; an error names those of which nothing is."""
        if self.rows_per_person > 1 and self.person is None:
            raise OptionError("rows_per_person needs person, the column that tells people apart")
        if isinstance(self.domain, str):
            if self.domain != FROM_DATA:
                raise OptionError(
                    "domain must be a mapping COLUMN: DOMAIN or {word}, got {given!r}{near}",
                    word=FROM_DATA,
                    given=self.domain,
                    near=suggestion(self.domain, [FROM_DATA]),
                )
            said: dict[str, Any] = dict.fromkeys(columns, FROM_DATA)
        else:
            said = dict(self.domain)
        for column in [*said, *([] if self.person is None else [self.person])]:
            check_column(column, columns, table)
        if self.person is not None and said.get(self.person, FROM_DATA) == FROM_DATA:
            said[self.person] = IDENTIFIER
        missing = [column for column in columns if column not in said]
        if missing:
            raise OptionError(
                "domain lacks {columns}: give a list of values, a range {{from: 0, to: 99}}, "
                "identifier for a column that is not looked at, or from-data, which tells its "
                "values and range without protection",
                columns=columns_named(missing, columns),
            )
        if all(spec == IDENTIFIER for spec in said.values()):
            raise OptionError("every column is an identifier, so there is nothing to draw from")
        for column, spec in said.items():
            if spec != FROM_DATA:
                domain_of(spec, column)
        return {column: said[column] for column in columns}

    def guarantee(self, columns: Sequence[str], table: str, *, is_seeded: bool) -> Guarantee:
        """What a table that is made with these options promises."""
        specs = self.specs(columns, table)
        # Nobody typed these names: a file without a header calls its columns after a person.
        names = shown_names(columns)
        read = [names[column] for column, spec in specs.items() if spec == FROM_DATA]
        return Guarantee(
            self.epsilon, self.delta, self.person, self.rows_per_person, tuple(read), is_seeded
        )


@dataclass(frozen=True)
class PrivateTable:
    """A synthetic table, what it promises, and what was spent for it."""

    table: Any
    guarantee: Guarantee
    spent: Sequence[Spent]
    """The steps that looked at the rows, in zero-concentrated differential privacy."""

    @property
    def epsilon_spent(self) -> float:
        """The epsilon that the steps add up to, at the delta of the guarantee."""
        rho = sum(entry.rho * entry.times for entry in self.spent)
        return epsilon_of(rho, self.guarantee.delta)


def private_table(
    table: object, privacy: Privacy, key: bytes, *, rows: int | None, is_seeded: bool
) -> PrivateTable:
    """Draw a table from noisy marginals; the key determines all noise and must be secret."""
    source, columns = read_cells(table)
    specs = privacy.specs(source.columns, source.name)
    guarantee = privacy.guarantee(source.columns, source.name, is_seeded=is_seeded)
    if not source.rows:
        raise InputError(
            "{table} has no rows; a synthesizer has nothing to train on", table=source.name
        )
    cells = dict(zip(source.columns, columns, strict=True))
    with stage(phrase("counting marginals")):
        domains = {
            name: observed_domain(*column, is_untyped=source.is_untyped)
            if specs[name] == FROM_DATA
            else _fitting(domain_of(specs[name], name), column[1], name)
            for name, column in cells.items()
        }
        modelled = [name for name, domain in domains.items() if domain.size]
        if not modelled:
            raise OptionError("every column is an identifier, so there is nothing to draw from")
        encoded = [domains[name].encode(cells[name][0]) for name in modelled]
        kept = _kept(encoded, None if privacy.person is None else cells[privacy.person][0], privacy)
        bits = RandomBits(key, "noise")
        ledger = Ledger(rho_for(privacy.epsilon, privacy.delta))
        measured = measure(
            Counts(
                [column[kept] for column in encoded],
                [domains[name].size for name in modelled],
                privacy.rows_per_person,
            ),
            ledger,
            bits,
        )
    if privacy.delta * measured.rows > 1.0:
        message = phrase(
            "delta {delta:g} is more than 1 / (number of rows): the guarantee then "
            "allows a whole row to be disclosed; take a smaller one",
            delta=privacy.delta,
        )
        warnings.warn(message, PetauditWarning, stacklevel=3)
    with stage(phrase("drawing rows")):
        size = max(1, round(measured.rows)) if rows is None else rows
        drawn, within = draw(measured, size, RandomBits(key, "rows").seed())
        places = dict(zip(modelled, zip(drawn, within, strict=True), strict=True))
        nothing = (np.zeros(size, np.int64), np.zeros(size))
        arrays = [
            domains[name].decode(*places.get(name, nothing), cells[name][1])
            for name in source.columns
        ]
    return PrivateTable(
        pa.table(dict(zip(source.columns, arrays, strict=True))), guarantee, ledger.entries
    )


def _fitting(domain: Domain, kind: pa.DataType, column: str) -> Domain:
    """Check that a column can hold what its domain lists."""
    if not isinstance(domain, Identifiers):
        try:
            domain.decode(np.arange(domain.size), np.zeros(domain.size), kind)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            raise OptionError(
                "domain of column {column!r}: {problem}",
                column=column,
                problem=phrase(
                    "its values are not of the type of the column, {kind}", kind=str(kind)
                ),
            ) from None
    return domain


def _kept(encoded: Sequence[Integers], people: pa.Array | None, privacy: Privacy) -> Any:
    """The rows that fit into the domain, of each person only so many.

    Whether a row is kept depends on no row of anybody else.
    """
    fits = np.ones(len(encoded[0]), bool)
    for column in encoded:
        fits &= column != OUTSIDE
    left_out = int(np.count_nonzero(~fits))
    if left_out:
        message = phrase(
            "{rows} left out, which do not fit into domain",
            rows=counted(left_out, "row", of=len(fits)),
        )
        warnings.warn(message, PetauditWarning, stacklevel=4)
    [rows] = np.nonzero(fits)
    if people is None:
        return rows
    codes = people.dictionary_encode(null_encoding="encode").indices.to_numpy(zero_copy_only=False)
    order = np.argsort(codes[rows], kind="stable")
    ordered = codes[rows][order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(rows) else rows
    ranks = np.arange(len(ordered)) - np.repeat(starts, np.diff(np.append(starts, len(ordered))))
    within = np.sort(order[ranks < privacy.rows_per_person])
    if len(within) < len(rows):
        message = phrase(
            "{rows} left out, of people who have more than {most:,}",
            rows=counted(len(rows) - len(within), "row", of=len(fits)),
            most=privacy.rows_per_person,
        )
        warnings.warn(message, PetauditWarning, stacklevel=4)
    return rows[within]
