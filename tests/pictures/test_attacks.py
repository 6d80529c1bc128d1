"""Attacks of several measures in one picture."""

from __future__ import annotations

from petaudit.i18n.voice import Voice
from petaudit.pictures import AttackIntervals, AttackRates, Picture
from petaudit.pictures.attacks import DrawnAttack, draw_all_attacks


def pictures(limit: float, *names: str) -> tuple[Picture, ...]:
    """Of a measure, with a group of people after its attacks."""
    *attacks, group = (
        DrawnAttack(name, 0.5, 0.4, 0.16, 0.1, 0.2, 1000, 1000) for name in (*names, "the rarest")
    )
    return AttackIntervals((*attacks, group), limit), AttackRates(tuple(attacks))


def test_all_attacks_stand_in_one_picture() -> None:
    copied = ("copied-rows", "Copied rows", pictures(0.3, "copied-rows"))
    guessed = ("attribute-inference", "Attribute inference", pictures(0.3, "income", "job"))
    chart = draw_all_attacks([copied, ("mpuccs", "mpUCCs", ()), guessed], Voice())
    assert chart is not None
    assert [row[:2] for row in chart.table[1]] == [
        ("Copied rows", "0.16"),
        ("Attribute inference: income", "0.16"),
        ("Attribute inference: job", "0.16"),
    ]
    assert (chart.svg.count(">limit<"), chart.svg.count(">Attribute inference<")) == (1, 1)


def test_limits_that_differ_stay_in_the_picture_of_each() -> None:
    copied = ("copied-rows", "Copied rows", pictures(0.3, "copied-rows"))
    linked = ("linkability", "Linkability", pictures(0.05, "a+b:c"))
    chart = draw_all_attacks([copied, linked], Voice())
    assert chart is not None
    assert ">limit<" not in chart.svg


def test_one_measure_needs_no_second_picture() -> None:
    one = ("copied-rows", "Copied rows", pictures(0.3, "copied-rows"))
    assert draw_all_attacks([one], Voice()) is None
