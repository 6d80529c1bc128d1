"""Attacks on a synthetic table: how often each succeeds on whom, and what is in excess of that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar, Final

from petaudit.errors import phrase
from petaudit.i18n.voice import Voice
from petaudit.pictures.base import Chart, Picture, check, finite, kept_name
from petaudit.pictures.svg import (
    BREACH,
    DASHED,
    INK,
    LINE,
    MAIN,
    MUTED,
    OTHER,
    STUB,
    WIDTH,
    Sheet,
    bar_paint,
    name_in_table,
    percent,
    scale,
)

if TYPE_CHECKING:
    from petaudit.inputs import Inputs

MOST_ATTACKS: Final = 16
_LEFT, _RIGHT = 150, WIDTH - 20
_TOP, _STEP, _TICK = 48, 26, 36
_FARTHEST_BELOW: Final = -0.5
"""What is below zero is noise; a wide interval must not push the rest together."""


@dataclass(frozen=True)
class DrawnAttack:
    """What is drawn of an attack, or of an attack on some of the people."""

    name: str
    rate: float
    control_rate: float | None
    excess: float | None
    lower: float | None
    upper: float | None
    people: int
    control_people: int | None
    rounded_to: float | None = None
    attack: str = ""
    """Whose group this is, where there are several attacks."""

    def __post_init__(self) -> None:
        check(0 <= self.rate <= 1, "a rate is a share")
        check(self.lower is None or self.upper is not None, "an interval has two ends")
        if self.lower is not None and self.upper is not None:
            check(self.lower <= self.upper <= 1, "the interval ends before it begins")

    def label(self, voice: Voice) -> str:
        """What it is called, with the attack where that is not clear."""
        if not self.attack:
            return self.name
        return voice.say(phrase("{name}: {told}", name=self.attack, told=voice.say(self.name)))

    def hides(self, voice: Voice) -> bool:
        """Whether one of the rates is of very few people: the excess would tell it."""
        parts = [(self.rate, self.people), (self.control_rate, self.control_people)]
        return any(_is_small(rate, people, voice) for rate, people in parts)


def _is_small(rate: float | None, people: int | None, voice: Voice) -> bool:
    return rate is not None and people is not None and 0 < rate * people < voice.threshold


@dataclass(frozen=True)
class AttackIntervals(Picture):
    """The excess of every attack with its interval, and the limit."""

    kind: ClassVar[str] = "attack-intervals"

    attacks: tuple[DrawnAttack, ...]
    limit: float | None = None

    def draw(self, voice: Voice) -> Chart | None:
        """Draw a point on a line for each attack."""
        known = [each for each in self.attacks if each.excess is not None]
        if not known:
            return None
        shown = [each for each in known if not each.hides(voice)]
        ends = [end for each in shown for end in (each.lower, each.upper) if end is not None]
        limits = [] if self.limit is None else [self.limit]
        least = max(min([0.0, *ends]), _FARTHEST_BELOW)
        most = max([0.1, *ends, *limits])
        x = scale((least, most), (_LEFT, _RIGHT))
        lines: list[DrawnAttack | str] = []
        for heading, group in groupby(known, lambda each: each.attack):
            lines += [*filter(None, [heading]), *group]
        bottom = _TOP + _STEP * len(lines)
        sheet = Sheet(height=bottom + 22, say=voice.say)
        sheet.text(_LEFT, 12, phrase("excess over strangers, with its 95 % interval"), fill=MUTED)
        sheet.line(x(0), x(0), _TOP - 8, bottom, stroke=INK)
        ticks: list[float] = []
        for tick in (0.0, *limits, most, least):
            if all(abs(x(tick) - x(other)) > _TICK for other in ticks):
                ticks.append(tick)
                sheet.text(x(tick), bottom + 12, f"{tick:.2f}", fill=MUTED, anchor="middle")
        for limit in limits:
            sheet.line(x(limit), x(limit), _TOP - 8, bottom, **DASHED)
            sheet.text(x(limit), _TOP - 12, phrase("limit"), fill=MUTED, anchor="middle")
        table = []
        for place, each in enumerate(lines):
            y = _TOP + (place + 0.5) * _STEP
            if isinstance(each, str):
                sheet.text(_LEFT - 8, y, each, fill=MUTED, anchor="end", room=_LEFT - 12)
                continue
            name = each.label(voice)
            sheet.line(_LEFT, _RIGHT, y, y, stroke=LINE)
            sheet.text(_LEFT - 8, y, each.name, anchor="end", room=_LEFT - 12)
            if each not in shown or each.lower is None or each.upper is None:
                sheet.text(x(0) + 6, y, phrase("very few people"), fill=MUTED)
                table.append((name_in_table(name), "", ""))
                continue
            excess = f"{each.excess:.2f}"
            interval = phrase("{low:.2f} to {high:.2f}", low=each.lower, high=each.upper)
            is_broken = self.limit is not None and each.lower > self.limit
            color = BREACH if is_broken else MAIN
            label = phrase(
                "{name}: {excess}, {interval}", name=name, excess=excess, interval=interval
            )
            sheet.line(x(max(each.lower, least)), x(each.upper), y, y, stroke=color, stroke_width=3)
            at = x(max(each.excess or 0.0, least))
            sheet.symbol(at, y, "diamond", area=110, fill=color, label=voice.say(label))
            table.append((name_in_table(name), excess, interval))
        return Chart.of(
            voice,
            sheet,
            title=phrase("Excess of each attack"),
            words=phrase(
                "A limit is kept where the whole line is left of it, and broken where the whole "
                "line is right of it."
            ),
            header=(phrase("attack"), phrase("excess"), phrase("95 % interval")),
            rows=table,
        )


@dataclass(frozen=True)
class AttackRates(Picture):
    """How often each attack succeeds on people of the original, and on strangers."""

    kind: ClassVar[str] = "attack-rates"

    attacks: tuple[DrawnAttack, ...]

    def draw(self, voice: Voice) -> Chart | None:
        """Draw two bars for each attack."""
        if not self.attacks:
            return None
        rows = []
        for each in self.attacks:
            step = each.rounded_to
            rates = [(phrase("original"), each.rate, each.people, step, MAIN)]
            if each.control_rate is not None and each.control_people is not None:
                control = (phrase("control"), each.control_rate, each.control_people, step, OTHER)
                rates.append(control)
            rows += [(each.name, *rate) for rate in rates]
        told = [rate for _, _, rate, people, *_ in rows if not _is_small(rate, people, voice)]
        x = scale((0, max([0.01, *told])), (_LEFT, _RIGHT - 110))
        sheet = Sheet(height=_TOP + 18 * len(rows) + 6, say=voice.say)
        sheet.text(_LEFT, 12, phrase("share of people on whom the attack succeeds"), fill=MUTED)
        table = []
        for place, (name, whose, rate, people, step, color) in enumerate(rows):
            y = _TOP + (place + 0.5) * 18
            # A rate that is rounded to nobody, or of very few people: how many is not told.
            is_hidden = _is_small(rate, people, voice) or (step is not None and rate <= 0)
            text = percent(rate)
            if is_hidden:
                bound = voice.threshold / people if step is None else step / 2
                text = f"<{percent(min(bound, 1.0))}"
            elif step is not None and rate >= 1:
                text = f">{percent(1 - step / 2)}"
            end = x(0) + STUB if is_hidden else x(rate)
            label = phrase("{name}, {whose}: {share}", name=name, whose=whose, share=text)
            paint = bar_paint(color, voice.say(label), is_hidden=is_hidden)
            sheet.rect(x(0), end, y - 7, y + 7, **paint)
            sheet.text(end + 6, y, f"{text} {voice.say(whose)}")
            if whose == rows[0][1]:
                sheet.text(_LEFT - 8, y, name, anchor="end", room=_LEFT - 12)
            table.append((name_in_table(name), whose, text))
        return Chart.of(
            voice,
            sheet,
            title=phrase("Success on the original beside the control"),
            words=phrase(
                "What succeeds on strangers as often tells how the population is, and nothing "
                "about anybody."
            ),
            header=(phrase("attack"), phrase("table"), phrase("share")),
            rows=table,
        )


def draw_all_attacks(
    results: Iterable[tuple[str, str, Sequence[Picture]]], voice: Voice
) -> Chart | None:
    """The excess of all attacks of several measures (name, title, pictures) in one picture."""
    drawn: list[DrawnAttack] = []
    measures, limits = 0, set()
    for measure, title, pictures in results:
        kinds = {type(picture): picture for picture in pictures}
        intervals, rates = kinds.get(AttackIntervals), kinds.get(AttackRates)
        if isinstance(intervals, AttackIntervals) and isinstance(rates, AttackRates):
            measures += 1
            limits.add(intervals.limit)
            drawn += [
                replace(each, name=voice.say(title))
                if each.name == measure
                else replace(each, attack=voice.say(title))
                # Without the groups of people, which are in the picture of the measure.
                for each in intervals.attacks[: len(rates.attacks)]
            ]
    if measures < 2:
        return None
    # Limits that differ are in the picture of each measure.
    limit = limits.pop() if len(limits) == 1 else None
    return AttackIntervals(tuple(drawn[:MOST_ATTACKS]), limit).draw(voice)


def attacks_of(inputs: Inputs | None, result: Any) -> tuple[Picture, ...]:
    """Return the pictures of a result of attacks."""
    drawn = tuple(
        _drawn(each, each.attack or result.by.name, each.value)
        for each in result.attacks[:MOST_ATTACKS]
    )
    rare = tuple(
        _drawn(group, group.group, group.excess, group.attack if len(result.attacks) > 1 else "")
        # Groups of a column may be values of people.
        for group in result.exposed[: 2 * len(result.attacks)]
        if group.excess is not None
    )
    intervals = AttackIntervals((*drawn, *rare)[:MOST_ATTACKS], result.limit)
    return (intervals, AttackRates(drawn)) if drawn else ()


def _drawn(figure: Any, name: str, excess: float | None, attack: str = "") -> DrawnAttack:
    """What is drawn of the figure of an attack, or of an exposed group."""
    has_excess = finite(excess) is not None
    return DrawnAttack(
        kept_name(name),
        figure.attack_rate,
        figure.control_rate,
        finite(excess),
        finite(figure.lower) if has_excess else None,
        finite(figure.upper) if has_excess else None,
        figure.people,
        figure.control_people,
        figure.rounded_to,
        kept_name(attack) if attack else "",
    )
