"""On whom an attack succeeds, and who of them stands out: rare people, and groups."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from petaudit.attacks.mixed_rows import Weights
from petaudit.attacks.tables import AttackTables, ComparedTables
from petaudit.errors import term
from petaudit.exact.excess import Excess, Successes, excess
from petaudit.singling.control import CONTROL, ORIGINAL
from petaudit.singling.kernels import Indices

_RAREST: Final = ((0.01, term("the rarest 1 %")), (0.05, term("the rarest 5 %")))


Rates: TypeAlias = tuple[Successes, Successes | None]
"""On how many people an attack succeeds, of the original and of the control."""


@dataclass(frozen=True)
class Attack:
    """An attack on everybody: the probability that it succeeds, row by row."""

    name: str
    training: Weights
    control: Weights | None
    base_rate: float | None = None
    """How often a guess without the synthetic rows succeeds."""
    judged: Successes | None = None
    """The people of the control to compare with, where they are not all."""
    counted: Callable[[str | None], Mapping[int | None, Rates]] | None = None
    """Where rows stay in an engine: the rates by the code of a column, or of everybody (None)."""

    def rates(self, tables: ComparedTables) -> Rates:
        """On how many people it succeeds, of the original and of the control."""
        if self.counted is not None:
            return self.counted(None)[None]
        assert isinstance(tables, AttackTables)  # noqa: S101 (rows are told from them)
        training = tables.successes(ORIGINAL, self.training)
        if self.control is None:
            return training, None
        return training, self.judged or tables.successes(CONTROL, self.control)


@dataclass(frozen=True)
class Exposure:
    """How exposed some of the people are."""

    attack: str
    group: str
    people: int
    attack_rate: float | None
    """None where there are too few people to tell."""
    control_people: int | None = None
    control_rate: float | None = None
    excess: float | None = None
    lower: float | None = None
    upper: float | None = None
    rounded_to: float | None = None


def rarest(tables: ComparedTables, attack: Attack) -> Iterator[Exposure]:
    """Among people far from everybody else of the original: the rarest 1 % and 5 %."""
    if not isinstance(tables, AttackTables):
        return
    far = tables.nearest(ORIGINAL, tables.columns, among=ORIGINAL, second=True).second
    others = None
    if attack.control is not None:
        others = tables.nearest(CONTROL, tables.columns, among=ORIGINAL, second=True).distance
    for part, name in _RAREST:
        # Whoever is as far away belongs to them, so that the order of rows does not matter.
        threshold = np.sort(far)[-max(math.ceil(part * len(far)), 1)]
        yield _exposure(
            tables, attack, name, far >= threshold, None if others is None else others >= threshold
        )


def by_group(tables: ComparedTables, attack: Attack, column: str) -> Iterator[tuple[int, Exposure]]:
    """Every value of a column that somebody of the original has, by its code."""
    if attack.counted is not None:
        for known, rates in attack.counted(column).items():
            if known is not None:
                yield known, _compared(attack, "", *rates)
    if not isinstance(tables, AttackTables):
        return
    codes = tables.joint.codes[tables.columns.index(column)]
    original = codes[tables.part(ORIGINAL)]
    others = codes[tables.part(CONTROL)] if tables.has_control else None
    for code in np.unique(original).tolist():
        is_other = None if others is None else others == code
        yield code, _exposure(tables, attack, "", original == code, is_other)


def _exposure(
    tables: AttackTables,
    attack: Attack,
    group: str,
    people: npt.NDArray[np.bool_],
    others: npt.NDArray[np.bool_] | None,
) -> Exposure:
    training = tables.successes(ORIGINAL, attack.training, people)
    if attack.control is None or others is None:
        return _compared(attack, group, training, None)
    return _compared(attack, group, training, tables.successes(CONTROL, attack.control, others))


def _compared(
    attack: Attack, group: str, training: Successes, control: Successes | None
) -> Exposure:
    exposure = Exposure(attack.name, group, training.people, training.share)
    if control is None:
        return exposure
    compared: Excess = excess(training, control)
    known = {"control_people": control.people, "control_rate": control.share}
    if compared.has_few_people or not math.isfinite(compared.lower):
        return replace(exposure, **known)  # type: ignore[arg-type]
    return replace(
        exposure,
        **known,  # type: ignore[arg-type]
        excess=compared.value,
        lower=compared.lower,
        upper=compared.upper,
    )


def alone_among(sizes: Indices, many: int, drawn: int) -> Weights:
    """The probability to be unique among people drawn, for one of so many with the same keys.

    >>> alone_among(np.array([1, 2, 3]), many=4, drawn=2).tolist()
    [1.0, 0.6666666666666666, 0.3333333333333333]
    >>> alone_among(np.array([1, 2]), many=4, drawn=4).tolist()
    [1.0, 0.0]
    """
    by_size = [1.0, 1.0]
    # C(N - n, m - 1) / C(N - 1, m - 1), from one n to the next.
    while len(by_size) <= int(sizes.max(initial=1)) and by_size[-1] > 0:
        others = len(by_size) - 1
        by_size.append(by_size[-1] * max(many - drawn - others + 1, 0) / (many - others))
    known = np.array([*by_size, 0.0])
    alone: Weights = known[np.minimum(sizes, len(known) - 1)]
    return alone
