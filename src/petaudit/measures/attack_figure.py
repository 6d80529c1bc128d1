"""What one attack gave, in figures and in sentences that reports may show."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from petaudit.errors import Phrase, argument, counted, exactly, phrase, share
from petaudit.exact import coarse
from petaudit.exact.coarse import one_digit
from petaudit.exact.excess import Excess, Successes, excess
from petaudit.system import kinds

if TYPE_CHECKING:
    from petaudit.attacks.people import Attack, Exposure
    from petaudit.attacks.tables import AttackTables

ExactFigures: TypeAlias = Annotated[
    bool,
    kinds.Boolean(),
    "write and show exact figures: two audits that differ by a person may tell about that person",
]


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
    rounded_to: float | None = None
    """The step that the figures are on; None where they are exact."""

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
    def headline(self) -> dict[str, Any]:
        """What a result says of its worst attack."""
        names = ("attack_rate", "control_rate", "base_rate", "people", "control_people")
        return {
            "interval": None if self.lower is None else (self.lower, self.upper),
            **{name: getattr(self, name) for name in (*names, "people_needed")},
        }

    @property
    def text(self) -> Phrase:
        """The figures in a sentence."""
        people = phrase(
            "{rate} of {people} of the original",
            rate=_share(self.attack_rate, self.people, self.rounded_to),
            people=counted(self.people, "person", "people", of=self.people),
        )
        if self.control_rate is None or self.control_people is None:
            told = people
        else:
            told = phrase(
                "{people}, {control} of {others} of the control",
                people=people,
                control=_share(self.control_rate, self.control_people, self.rounded_to),
                others=counted(self.control_people, "person", "people", of=self.control_people),
            )
        if self.base_rate is not None:
            base = _share(self.base_rate, self.control_people or self.people, self.rounded_to)
            told = phrase("{told} ({base} by guessing)", told=told, base=base)
        if self.value is None and self.control_rate is not None:
            told = phrase("{told}: every stranger is exposed, nothing can be concluded", told=told)
        elif self.value is not None and self.lower is not None and self.upper is not None:
            told = _with_excess(told, self.value, self.lower, self.upper, self.rounded_to)
        return phrase("{name}: {told}", name=self.attack, told=told) if self.attack else told

    def rounded(self, limit: float | None) -> AttackFigure:
        """The figures on steps of several people, each on its own side of the limit."""
        fewest = min(self.people, self.control_people or self.people)
        parts = coarse.parts_of(fewest)
        if self.control_rate is not None:
            # A share of the strangers who are safe: of few, each weighs more.
            safe = 1 - coarse.rounded(self.control_rate, parts)
            parts = coarse.parts_of(fewest * safe)
        return replace(
            self,
            value=_rounded(self.value, parts, limit, "above"),  # never toward "safe"
            lower=_rounded(self.lower, parts, limit, "below"),
            upper=_rounded(self.upper, parts, limit, "above"),
            attack_rate=coarse.rounded(self.attack_rate, parts),
            control_rate=_rounded(self.control_rate, parts),
            base_rate=_rounded(self.base_rate, parts),
            people_needed=None if self.people_needed is None else one_digit(self.people_needed),
            rounded_to=1 / parts,
        )


def _rounded(
    value: float | None, parts: int, limit: float | None = None, to: Any = "nearest"
) -> float | None:
    return None if value is None else coarse.rounded(value, parts, limit, to)


def rounded_exposure(group: Exposure) -> Exposure:
    """How exposed a group is, on steps of several people; of a small group nothing is told."""
    fewest = min(
        group.people, group.people if group.control_people is None else group.control_people
    )
    many = coarse.people_rounded(group.people)
    strangers = (
        None if group.control_people is None else coarse.people_rounded(group.control_people)
    )
    if group.attack_rate is None or fewest < coarse.FEWEST:
        told = dict.fromkeys(("attack_rate", "control_rate", "excess", "lower", "upper"))
        return replace(group, people=many, control_people=strangers, **told)  # type: ignore[arg-type]
    rates = (group.attack_rate, group.control_rate, None, group.people, group.control_people)
    figure = AttackFigure("", group.excess, group.lower, group.upper, *rates).rounded(None)
    if figure.rounded_to == coarse.WIDEST:
        figure = replace(figure, value=None, lower=None, upper=None)
    return replace(
        group,
        people=many,
        attack_rate=figure.attack_rate,
        control_people=strangers,
        control_rate=figure.control_rate,
        excess=figure.value,
        lower=figure.lower,
        upper=figure.upper,
        rounded_to=figure.rounded_to,
    )


def percent(rate: float, step: float | None, digits: int = 2) -> str:
    """A rate in percent; on a step, next to nobody and nearly everybody are said to be so.

    >>> percent(0.0, None), percent(0.0, 0.01), percent(1.0, 0.05), percent(0.77, 0.01)
    ('0.00%', '<0.5%', '>97.5%', '77%')
    """
    if step is None:
        return f"{rate:.{digits}%}"
    if rate <= 0:
        return f"<{50 * step:g}%"
    return f">{100 - 50 * step:g}%" if rate >= 1 else f"{100 * rate:.0f}%"


def rounding_text(steps: Iterable[float | None]) -> list[Phrase]:
    """Say that figures are rounded, if some are."""
    if all(step is None for step in steps):
        return []
    return [
        phrase(
            "figures are rounded to steps of at least ten people, an excess upwards: audits that "
            "differ by a person rarely tell about that person; verdicts are of exact figures "
            "({argument})",
            argument=argument("exact_figures"),
        )
    ]


def _share(rate: float, people: int, step: float | None) -> str:
    """A rate in percent, as a range where it is of very few people."""
    return share(round(rate * people), people, 2) if step is None else percent(rate, step)


def _with_excess(
    told: Phrase, value: float, lower: float, upper: float, step: float | None
) -> Phrase:
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
    excess = rounded if step is not None else exactly(exact, rounded)
    return phrase("{told}: {excess}", told=told, excess=excess)


def exposed_text(group: Exposure) -> Phrase:
    """How exposed some of the people are, in a sentence."""
    if group.attack_rate is None:
        return phrase("{group}: too few people to tell", group=group.group)
    step = group.rounded_to
    rate = _share(group.attack_rate, group.people, step)
    told = phrase("{group}: {rate} exposed", group=group.group, rate=rate)
    if group.control_rate is None or group.control_people is None:
        return told
    control = _share(group.control_rate, group.control_people, step)
    told = phrase("{told}, {control} in the control", told=told, control=control)
    if group.excess is None or group.lower is None or group.upper is None:
        return phrase("{told}: too few people to compare", told=told)
    return _with_excess(told, group.excess, group.lower, group.upper, step)


def badness(figure: AttackFigure) -> float:
    """What the worst attack is told by."""
    return figure.attack_rate if figure.value is None else figure.value


def rate_error(rate: float | None, people: int | None) -> float | None:
    """Half of the interval of a rate."""
    if rate is None or not people:
        return None
    _, low, high = Successes(people, rate * people).safe
    return (high - low) / 2
