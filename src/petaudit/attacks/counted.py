"""Attacks that compare equal cells, as counts: where rows live in an engine, they stay there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from petaudit.attacks.people import Attack, Rates, alone_among
from petaudit.attacks.tables import ComparedTables, called
from petaudit.errors import phrase
from petaudit.exact.excess import Successes
from petaudit.singling.control import CONTROL, ORIGINAL, SYNTHETIC, Overlap
from petaudit.singling.kernels import Indices
from petaudit.tables import Source
from petaudit.tables.joint.elsewhere import Exposed, RowsElsewhere


class CountedTables(ComparedTables):
    """Tables of which at least one is elsewhere: equal rows are counted there."""

    def __init__(
        self, synthetic: Source, original: Source, control: Source | None, person: str | None
    ) -> None:
        sources = [synthetic, original, *([] if control is None else [control])]
        self._there = RowsElsewhere(sources, person)
        self.columns, self.constant = self._there.columns, self._there.constant
        self.has_control = control is not None
        self.left_out = phrase(
            "how exposed the rarest people are is left out: that compares rows, which stay in "
            "{engine}",
            engine=self._there.engine,
        )

    def people(self, table: int) -> int:
        """See the base class."""
        return self._there.people[table]

    def value(self, column: str, code: int) -> str:
        """See the base class."""
        return called(self._there.joined[column], code)

    def overlap(self, first: int, second: int) -> Overlap:
        """See the base class."""
        return Overlap(self._there.common(first, second))

    def copied(self, columns: Sequence[str]) -> Attack:
        """See :func:`petaudit.attacks.methods.copied`."""
        return self._attack("", self._there.copied(columns))

    def replicated(self, columns: Sequence[str]) -> Attack:
        """See :func:`petaudit.attacks.methods.replicated`."""
        # Whoever is one of few is unique in more of the samples.
        return self._attack("", self._there.single(columns), self._alone)

    def _alone(self, table: int, sizes: Indices) -> list[float]:
        many = self._there.many
        chances: list[float] = alone_among(sizes, many[table], min(many[ORIGINAL:])).tolist()
        return chances

    def disclosed(self, target: str, columns: Sequence[str]) -> Attack:
        """See :func:`petaudit.attacks.methods.disclosed`."""
        return self._attack(target, self._there.disclosed(target, columns, SYNTHETIC))

    def disclosed_in_original(self, target: str, columns: Sequence[str]) -> float:
        """See :func:`petaudit.attacks.methods.disclosed_in_original`."""
        attack = self._attack(target, self._there.disclosed(target, columns, ORIGINAL))
        return attack.rates(self)[0].share

    def _attack(
        self,
        name: str,
        exposed: Exposed,
        probable: Callable[[int, Indices], list[float]] | None = None,
    ) -> Attack:
        """An attack on whoever has exposed keys; ``probable`` says what n1, n2 mean, if not 1."""

        def successes(table: int, by: str | None) -> dict[int | None, Successes]:
            people = self._there.people_by(table, by)
            sums: dict[int | None, Fraction] = dict.fromkeys(people, Fraction(0))
            for code, each, many in self._there.having(exposed, table, by):
                share = 1 if probable is None else probable(table, np.array([each]))[0]
                # Exactly the sum over people, whatever the order.
                sums[code] += Fraction(share) * many
            return {code: Successes(people[code], float(sums[code])) for code in people}

        def of(by: str | None) -> dict[int | None, Rates]:
            training = successes(ORIGINAL, by)
            control = successes(CONTROL, by) if self.has_control else {}
            nobody = Successes(0, 0) if self.has_control else None
            return {code: (rates, control.get(code, nobody)) for code, rates in training.items()}

        return Attack(name, np.zeros(0), None, counted=of)
