"""What one attack gave, in figures and in sentences that reports may show."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from petaudit.errors import Phrase, counted, exactly, phrase, share
from petaudit.exact.excess import Excess, Successes, excess
from petaudit.i18n.numbers import Share

if TYPE_CHECKING:
    from petaudit.attacks.people import Attack, Exposure
    from petaudit.attacks.tables import AttackTables


@dataclass(frozen=True)
class AttackFigure:
    """What one attack gave."""

    attack: str
    value: float | None
    """The excess; None without a control, or where every stranger is exposed."""
    lower: float | None
    upper: float | None
    attack_rate: float
    control_rate: float | None
    base_rate: float | None
    people: int
    control_people: int | None
    people_needed: int | None = None
    """How many people of the control would decide about the limit."""
    status: str = "measured"

    @classmethod
    def of(cls, attack: Attack, tables: AttackTables) -> tuple[AttackFigure, Excess | None]:
        """Compare the people of the original with those of the control."""
        training, control = attack.rates(tables)
        base = attack.base_rate
        if control is None:
            none = (None, None, None)
            return cls(attack.name, *none, training.share, None, base, training.people, None), None
        compared = excess(training, control)
        if math.isnan(compared.value):
            # Nobody is left whom the attack could expose beyond strangers: anything is possible.
            ends: tuple[float | None, float, float] = (None, 0.0, 1.0)
        else:
            ends = (compared.value, compared.lower, compared.upper)
        rates, people = (training.share, control.share), (training.people, control.people)
        return cls(attack.name, *ends, *rates, base, *people), compared

    @property
    def text(self) -> Phrase:
        """The figures in a sentence."""
        people = phrase(
            "{rate} of {people} of the original",
            rate=_share(self.attack_rate, self.people),
            people=counted(self.people, "person", "people", of=self.people),
        )
        if self.control_rate is None or self.control_people is None:
            told = people
        else:
            told = phrase(
                "{people}, {control} of {others} of the control",
                people=people,
                control=_share(self.control_rate, self.control_people),
                others=counted(self.control_people, "person", "people", of=self.control_people),
            )
        if self.base_rate is not None:
            base = _share(self.base_rate, self.control_people or self.people)
            told = phrase("{told} ({base} by guessing)", told=told, base=base)
        if self.value is None and self.control_rate is not None:
            told = phrase("{told}: every stranger is exposed, nothing can be concluded", told=told)
        elif self.value is not None and self.lower is not None and self.upper is not None:
            told = _with_excess(told, self.value, self.lower, self.upper)
        return phrase("{name}: {told}", name=self.attack, told=told) if self.attack else told


def _share(rate: float, people: int) -> Share:
    """A rate in percent, as a range where it is of very few people."""
    return share(round(rate * people), people, 2)


def _with_excess(told: Phrase, value: float, lower: float, upper: float) -> Phrase:
    """Add the excess; where counts are hidden, with two digits: they tell nobody."""
    exact = phrase(
        "excess {excess:.4f} (95 % interval {lower:.4f} to {upper:.4f})",
        excess=value,
        lower=lower,
        upper=upper,
    )
    rounded = phrase(
        "excess {excess:.2f} (95 % interval {lower:.2f} to {upper:.2f})",
        excess=value,
        lower=lower,
        upper=upper,
    )
    return phrase("{told}: {excess}", told=told, excess=exactly(exact, rounded))


def exposed_text(group: Exposure) -> Phrase:
    """How exposed some of the people are, in a sentence."""
    told = phrase(
        "{group}: {rate} exposed", group=group.group, rate=_share(group.attack_rate, group.people)
    )
    if group.excess is None or group.lower is None or group.upper is None:
        return told
    if group.control_rate is not None and group.control_people is not None:
        control = _share(group.control_rate, group.control_people)
        told = phrase("{told}, {control} in the control", told=told, control=control)
    return _with_excess(told, group.excess, group.lower, group.upper)


def badness(figure: AttackFigure) -> float:
    """What the worst attack is told by."""
    return figure.attack_rate if figure.value is None else figure.value


def rate_error(rate: float | None, people: int | None) -> float | None:
    """Half of the interval of a rate."""
    if rate is None or not people:
        return None
    _, low, high = Successes(people, rate * people).safe
    return (high - low) / 2
