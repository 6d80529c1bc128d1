"""What a differentially private table promises, on which conditions, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from petaudit.errors import counted, listing, phrase
from petaudit.synthesizing.private.accountant import rho_for

LITTLE_PROTECTION: Final = 10.0
"""From this epsilon on, the promise says next to nothing."""


@dataclass(frozen=True)
class Guarantee:
    """How well the rows of a table are protected, and what that does not cover.

    >>> promise = Guarantee(epsilon=1.0, delta=1e-9)
    >>> promise.holds, round(promise.factor, 3)
    (True, 2.718)
    >>> Guarantee(epsilon=1.0, delta=1e-9, is_seeded=True).holds
    False
    """

    epsilon: float
    delta: float
    person: str | None = None
    """The column that tells people apart: they are protected, not only rows."""
    rows_per_person: int = 1
    from_data: Sequence[str] = ()
    """Columns whose values or ranges were read from the table."""
    is_seeded: bool = False

    @property
    def holds(self) -> bool:
        """Whether it holds without a condition on what others know."""
        return not (self.is_seeded or self.from_data)

    @property
    def rho(self) -> float:
        """The budget in zero-concentrated differential privacy."""
        return float(rho_for(self.epsilon, self.delta))

    @property
    def factor(self) -> float:
        """How much more likely anything can be because of one row, up to delta."""
        return math.exp(self.epsilon)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The promise first, then what limits it."""
        return tuple(self._sentences())

    def _sentences(self) -> Iterator[str]:
        numbers = phrase(
            "epsilon {epsilon:g} and delta {delta:g}", epsilon=self.epsilon, delta=self.delta
        )
        if self.is_seeded:
            yield phrase(
                "the synthetic table is not differentially private ({numbers} were asked for): its "
                "noise comes from a seed, and whoever knows or guesses the seed can take it off; "
                "leave the seed out before anything is released",
                numbers=numbers,
            )
        elif self.from_data:
            yield phrase(
                "the synthetic table is differentially private with {numbers} only towards those "
                "who know the values and ranges of {columns} already: these were read from the "
                "table and are told without protection; name them in domain",
                numbers=numbers,
                columns=listing(self.from_data),
            )
        else:
            yield phrase(
                "the synthetic table is differentially private with {numbers}: what anybody "
                "concludes from it is at most {factor:,.3g} times as likely as without {whom}",
                numbers=numbers,
                factor=self.factor,
                whom=phrase("any one row") if self.person is None else phrase("any one person"),
            )
        if self.person is None:
            yield phrase(
                "the guarantee is about rows: a person with several rows is protected less; name "
                "the person column"
            )
        else:
            yield phrase(
                "the guarantee is about people: {rows} of each were used at most",
                rows=counted(self.rows_per_person, "row"),
            )
        if self.epsilon >= LITTLE_PROTECTION:
            yield phrase(
                "epsilon {epsilon:g} gives almost no protection; 1 is usual", epsilon=self.epsilon
            )
        yield phrase(
            "the guarantee covers this one table: tables made again from the same rows add up, and "
            "the figures of an audit are taken from the original and are not covered"
        )

    def to_dict(self) -> dict[str, Any]:
        """The promise as plain data."""
        return {
            "holds": self.holds,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "rho": self.rho,
            "neighbours": "add or remove one row"
            if self.person is None
            else "add or remove one person",
            "rows_per_person": None if self.person is None else self.rows_per_person,
            "domain_from_data": list(self.from_data),
            "seeded": self.is_seeded,
        }
