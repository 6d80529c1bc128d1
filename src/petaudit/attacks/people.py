"""On whom an attack succeeds, and who of them stands out: rare people, and groups."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from petaudit.attacks.mixed_rows import Weights
from petaudit.attacks.tables import AttackTables
from petaudit.errors import term
from petaudit.exact.excess import Excess, Successes, excess
from petaudit.singling.control import CONTROL, ORIGINAL

_RAREST: Final = ((0.01, term("the rarest 1 %")), (0.05, term("the rarest 5 %")))


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

    def rates(self, tables: AttackTables) -> tuple[Successes, Successes | None]:
        """On how many people it succeeds, of the original and of the control."""
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


def rarest(tables: AttackTables, attack: Attack) -> Iterator[Exposure]:
    """Among people far from everybody else of the original: the rarest 1 % and 5 %."""
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


def by_group(tables: AttackTables, attack: Attack, column: str) -> Iterator[tuple[int, Exposure]]:
    """Every value of a column that somebody of the original has, by its code."""
    codes = tables.joint.codes[tables.columns.index(column)]
    own = codes[tables.part(ORIGINAL)]
    others = codes[tables.part(CONTROL)] if tables.has_control else None
    for code in np.unique(own).tolist():
        is_other = None if others is None else others == code
        yield code, _exposure(tables, attack, "", own == code, is_other)


def _exposure(
    tables: AttackTables,
    attack: Attack,
    group: str,
    people: npt.NDArray[np.bool_],
    others: npt.NDArray[np.bool_] | None,
) -> Exposure:
    training = tables.successes(ORIGINAL, attack.training, people)
    exposure = Exposure(attack.name, group, training.people, training.share)
    if attack.control is None or others is None:
        return exposure
    control = tables.successes(CONTROL, attack.control, others)
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
