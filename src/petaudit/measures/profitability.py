"""Profitability: does publishing pay for the publisher, and would an attack pay for anyone?"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated

from petaudit.errors import NotMeasurableError, Phrase, counted, phrase, tally
from petaudit.exact.publishing_game import Payoffs, PublishingGame
from petaudit.i18n.numbers import Unit
from petaudit.inputs import Inputs
from petaudit.measures.base import Better, Family, Measure, Need, Remedy, Result, left_out, rows_of
from petaudit.system import kinds

_MONEY = kinds.Number()


class Profitability(Measure):
    """Does publishing every row pay off, given the re-identification risk?

    True means that for every row the benefit of publishing it exceeds the expected loss from
    attacks. False means that some rows should not be published like this.

    Does not say: The verdict is only as good as the four amounts given. It assumes attackers who
    calculate; a curious neighbour does not ask whether an attack pays.

    Formula: for every row in a class of c: benefit > risk, where risk is loss/c if gain/c >= cost,
    else 0; without allowed attacks also cost > gain/c

    Reference: Z. Wan et al.: A Game Theoretic Framework for Analyzing Re-Identification Risk. PLOS
    ONE 10(3), 2015, doi 10.1371/journal.pone.0120592; F. Prasser et al.: An Open Source Tool for
    Game Theoretic Health Data De-Identification. AMIA 2017

    >>> import pyarrow as pa
    >>> table = pa.table({"born": ["197*", "198*", "198*"]})
    >>> result = profitability(
    ...     table, quasi_identifiers="born", cost=4, gain=300, loss=300, benefit=200
    ... )
    >>> result.passed, result.rows_failing_benefit, result.smallest_passing_class
    (False, 1, 2)
    """

    name = "profitability"
    rank = 130
    family = Family.PRIVACY
    better = Better.TRUE
    range = (0.0, 1.0)
    needs = (Need.QUASI_IDENTIFIERS,)
    details = rows_of(Payoffs, "worst_row")

    def compute(  # type: ignore[override]
        self,
        inputs: Inputs,
        limit: Fraction | None,
        *,
        cost: Annotated[Fraction, _MONEY, "what one attack costs the adversary"],
        gain: Annotated[Fraction, _MONEY, "what the adversary gains from a successful attack"],
        loss: Annotated[Fraction, _MONEY, "what a successful attack costs the publisher"],
        benefit: Annotated[Fraction, _MONEY, "what the publisher gains from publishing one row"],
        allow_attack: Annotated[
            bool, kinds.Boolean(), "false: no attack may pay off for the adversary either"
        ] = True,
    ) -> Result:
        """Decide profitability for every size of a class."""
        game = PublishingGame(cost, gain, loss, benefit, allow_attack)
        histogram = inputs.class_histogram
        if not histogram.sizes.size:
            raise NotMeasurableError("every row is suppressed: there is no class to measure")
        sizes = list(zip(histogram.sizes.tolist(), histogram.classes.tolist(), strict=True))
        failing = sum(size * n for size, n in sizes if not game.benefit_exceeds_risk(size))
        worth_attacking = sum(size * n for size, n in sizes if not game.attack_pays_not(size))
        breaking = sum(size * n for size, n in sizes if not game.passes(size))
        holds = not breaking
        return self.result(
            holds,
            None,
            passed=holds,
            warnings=left_out(histogram.suppressed_rows, inputs.unit),
            breakdown={
                "allow_attack": allow_attack,
                "adversary_cost": float(cost),
                "adversary_gain": float(gain),
                "publisher_loss": float(loss),
                "publisher_benefit": float(benefit),
                "rows": histogram.rows,
                "suppressed_rows": histogram.suppressed_rows,
                "rows_failing_benefit": failing,
                "rows_worth_attacking": worth_attacking,
                "worst_row": game.payoffs(sizes[0][0]),
                "smallest_passing_class": game.smallest_passing_class(),
                "remedy": Remedy.by_suppressing(
                    breaking,
                    histogram.rows,
                    inputs.counted.rows,
                    can=inputs.suppressed == "exclude",
                    can_drop=True,
                    unit=inputs.unit,
                ),
            },
            unit=inputs.unit,
        )

    def explain(self, result: Result) -> Iterator[str]:
        """Name the reason for the verdict."""
        unit, worst = result.unit, result.worst_row
        holds = _holds(result, result.rows_failing_benefit)
        yield phrase("benefit above risk: {holds}", holds=holds)
        holds = _holds(result, result.rows_worth_attacking)
        if result.allow_attack:
            yield phrase("attack does not pay: {holds} (allowed)", holds=holds)
        else:
            yield phrase("attack does not pay: {holds}", holds=holds)
        payoffs = {
            "size": tally(worst.class_size),
            "publisher": worst.publisher_payoff,
            "attacker": worst.adversary_payoff,
        }
        yield unit.choose(
            phrase(
                "worst row (class of {size}): publisher gains {publisher:g}, an attacker "
                "{attacker:g}",
                **payoffs,
            ),
            phrase(
                "worst case (class of {size} people): publisher gains {publisher:g}, an attacker "
                "{attacker:g}",
                **payoffs,
            ),
        )
        smallest = result.smallest_passing_class
        if smallest is None:
            yield phrase("no class size would pass")
            return
        # Not a number of people: it follows from the amounts, and is never hidden.
        size = counted(smallest, "row or more", "rows or more")
        if unit is Unit.PERSON:
            size = counted(smallest, "person or more", "people or more")
        yield phrase("classes of {size} pass", size=size)


profitability = Profitability.as_function()


def _holds(result: Result, failing: int) -> Phrase:
    if not failing:
        return result.unit.choose(phrase("holds for every row"), phrase("holds for everybody"))
    rows = result.counted(result.rows)
    return phrase("fails for {failing} of {rows}", failing=result.tally(failing), rows=rows)
