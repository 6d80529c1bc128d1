"""Where it is known how many people are exposed: intervals hold it as often as they promise.

The truth about a synthetic table is the excess in the whole population of people and strangers:
copies are exposed beyond them. In `make test` a few tables, in `make simulations` 400 of each kind.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import pyarrow as pa
import pytest

import petaudit
from attacks.truth import Scenario, tables
from budget import IS_SIMULATION
from petaudit.measures import Result

RUNS = 400 if IS_SIMULATION else 12
SCENARIOS = {
    "fresh": Scenario(),
    "fresh, control four times smaller": Scenario(people=2000, control=500),
    "few copies": Scenario(copies=0.01),
    "copies": Scenario(copies=0.05),
    "many copies": Scenario(copies=0.4),
    "copied outliers": Scenario(copies=0.05, only_outliers=True),
}
Attack = Callable[[pa.Table, pa.Table, pa.Table], Result]
ATTACKS: dict[str, Attack] = {
    "copied rows": petaudit.copied_rows,
    "membership": petaudit.membership,
    "linkability": lambda *given: petaudit.linkability(
        *given, aux_cols=(["age", "job"], ["pay", "town"])
    ),
    "inference": lambda *given: petaudit.attribute_inference(
        *given, secret=["kind"], known=["age", "pay", "job", "town"]
    ),
}
TOLERANCE = {"inference": 0.02, "linkability": 0.01, "membership": 0.015}
"""A person who is copied is exposed nearly always; and fresh rows are somebody's nearest, too."""


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.filterwarnings("ignore::petaudit.PetauditWarning")
def test_intervals_hold_the_truth(scenario: str, attack: str) -> None:
    chosen = SCENARIOS[scenario]
    found = [ATTACKS[attack](*tables(chosen, seed)) for seed in range(RUNS)]
    slack = TOLERANCE.get(attack, 0.0) * (chosen.copies > 0)
    low, high = chosen.copies - slack, chosen.copies
    held = sum(each.interval[0] <= high and each.interval[1] >= low for each in found)
    false_alarms = sum(each.interval[0] > chosen.copies for each in found)
    # Of 400, three standard errors below 95 %; of a few, one may miss.
    assert held >= (RUNS * 0.95 - 3 * (RUNS * 0.0475) ** 0.5 if IS_SIMULATION else RUNS - 2)
    assert false_alarms <= max(
        1, RUNS * 0.035 + (3 * (RUNS * 0.034) ** 0.5 if IS_SIMULATION else 0)
    )


@pytest.mark.filterwarnings("ignore::petaudit.PetauditWarning")
def test_membership_sees_copies_with_noise_that_others_do_not_see() -> None:
    given = tables(Scenario(copies=0.2, noise=0.02), seed=1)
    assert petaudit.copied_rows(*given).value < 0.02
    assert petaudit.membership(*given).interval[0] > 0.1


@pytest.mark.filterwarnings("ignore::petaudit.PetauditWarning")
def test_unequal_sizes_are_no_risk() -> None:
    """SDMetrics 0.32.0 gives this table a score of 0.302, and 0.848 at equal sizes."""
    given = tables(Scenario(people=2000, control=500), seed=1)
    assert petaudit.closest_record(*given).value == pytest.approx(0.5, abs=0.03)
    assert petaudit.replicated_uniques(*given, keys=["job", "town", "age"]).interval[0] < 0


@pytest.mark.filterwarnings("ignore::petaudit.PetauditWarning")
@pytest.mark.parametrize("people", [12, 40, 90])
def test_a_small_control_does_not_hide_copies(people: int) -> None:
    """One stranger in a hundred cannot be told from so few: the least rate is used instead."""
    given = tables(Scenario(copies=0.4, control=people), seed=3)
    found = petaudit.membership(*given)
    assert found.fpr == 1 / (people // 2 + 1)
    assert found.interval[1] > 0.4
    assert found.attack_rate > 0.35


@pytest.mark.parametrize(("people", "is_warned"), [(196, True), (198, False)])
def test_a_control_that_is_large_enough_is_not_warned_of(people: int, is_warned: bool) -> None:
    given = tables(Scenario(control=people), seed=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = petaudit.membership(*given)
    assert any("false positive rate" in text for text in found.warnings) is is_warned
