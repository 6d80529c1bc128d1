"""Profitability: does publishing pay for the publisher, and would an attack pay for anyone?"""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from math import floor
from typing import Any, ClassVar

from petaudit.errors import NotMeasurableError, OptionError, Phrase, counted, phrase, tally
from petaudit.exact.fractions import Number, exact_nonnegative
from petaudit.i18n.numbers import Unit
from petaudit.inputs import Inputs, gather
from petaudit.measures import kinds
from petaudit.measures._old import OldMeasure
from petaudit.measures._risk import ALL_SUPPRESSED
from petaudit.measures._suppressed import left_out
from petaudit.measures._tables import DETAILS, no_such_table
from petaudit.measures.base import GLOBAL, Better, Family, Need, Option, Result, announce
from petaudit.tables.result_frames import ResultColumn

_TABLES = (GLOBAL, DETAILS)
_MONEY = kinds.Number()


@dataclass(frozen=True)
class Payoffs:
    """What a row of a class of this size means for both sides."""

    class_size: int
    adversary_expected_gain: float
    adversary_payoff: float
    publisher_risk: float
    publisher_payoff: float


@dataclass(frozen=True)
class ProfitabilityResult(Result):
    """Whether publishing pays for every row, and where it does not."""

    measure: ClassVar[str] = "profitability"
    better: ClassVar[Better] = Better.TRUE

    allow_attack: bool
    adversary_cost: float
    adversary_gain: float
    publisher_loss: float
    publisher_benefit: float
    rows: int
    suppressed_rows: int
    """Those that were left out."""
    rows_failing_benefit: int
    rows_worth_attacking: int
    worst_row: Payoffs | None
    smallest_passing_class: int | None

    @property
    def explanation(self) -> tuple[str, ...]:
        """The reason for the verdict."""
        lines = [
            phrase("benefit above risk: {holds}", holds=self._holds(self.rows_failing_benefit))
        ]
        holds = self._holds(self.rows_worth_attacking)
        if self.allow_attack:
            lines.append(phrase("attack does not pay: {holds} (allowed)", holds=holds))
        else:
            lines.append(phrase("attack does not pay: {holds}", holds=holds))
        if self.worst_row is not None:
            worst = {
                "size": tally(self.worst_row.class_size),
                "publisher": self.worst_row.publisher_payoff,
                "attacker": self.worst_row.adversary_payoff,
            }
            lines.append(
                self.unit.choose(
                    phrase(
                        "worst row (class of {size}): publisher gains {publisher:g}, an attacker "
                        "{attacker:g}",
                        **worst,
                    ),
                    phrase(
                        "worst case (class of {size} people): publisher gains {publisher:g}, an "
                        "attacker {attacker:g}",
                        **worst,
                    ),
                )
            )
        if self.smallest_passing_class is None:
            lines.append(phrase("no class size would pass"))
        else:
            # Not a number of people: it follows from the amounts, and is never hidden.
            size = (
                counted(self.smallest_passing_class, "row or more", "rows or more")
                if self.unit is Unit.ROW
                else counted(self.smallest_passing_class, "person or more", "people or more")
            )
            lines.append(phrase("classes of {size} pass", size=size))
        return tuple(lines)

    def _holds(self, failing: int) -> Phrase:
        if not failing:
            return self.unit.choose(phrase("holds for every row"), phrase("holds for everybody"))
        return phrase(
            "fails for {failing} of {rows}",
            failing=tally(failing, of=self.rows + self.suppressed_rows),
            rows=self.unit.counted(self.rows, of=self.rows + self.suppressed_rows),
        )

    def table(self, granularity: str, *, with_values: bool = False) -> dict[str, ResultColumn]:
        """``details`` has the payoffs of the worst row, if there is any row."""
        if granularity == DETAILS:
            worst = () if self.worst_row is None else (self.worst_row,)
            return {
                item.name: ResultColumn(
                    "integer" if item.name == "class_size" else "number",
                    [getattr(row, item.name) for row in worst],
                )
                for item in fields(Payoffs)
            }
        if granularity == GLOBAL:
            return super().table(granularity)
        raise no_such_table(self.measure, granularity, _TABLES)


@dataclass(frozen=True)
class _Game:
    cost: Fraction
    gain: Fraction
    loss: Fraction
    benefit: Fraction
    allow_attack: bool

    def attack_pays_not(self, size: int) -> bool:
        return self.cost > self.gain / size

    def risk(self, size: int) -> Fraction:
        return Fraction(0) if self.gain / size < self.cost else self.loss / size

    def benefit_exceeds_risk(self, size: int) -> bool:
        return self.benefit > self.risk(size)

    def passes(self, size: int) -> bool:
        return self.benefit_exceeds_risk(size) and (self.allow_attack or self.attack_pays_not(size))

    def smallest_passing_class(self) -> int | None:
        """The first size from which all pass: each condition, once true, stays true."""
        candidates = [1]
        if self.cost > 0:
            candidates.append(floor(self.gain / self.cost) + 1)
        if self.benefit > 0:
            candidates.append(floor(self.loss / self.benefit) + 1)
        return min((size for size in candidates if self.passes(size)), default=None)


def profitability(
    table: object,
    *,
    cost: Number,
    gain: Number,
    loss: Number,
    benefit: Number,
    allow_attack: bool = True,
    **given: Any,
) -> ProfitabilityResult:
    """Decide whether a table is profitable to publish (Wan et al. 2015, Prasser et al. 2017).

    >>> import pyarrow as pa
    >>> table = pa.table({"born": ["197*", "198*", "198*"]})
    >>> found = profitability(
    ...     table, quasi_identifiers="born", cost=4, gain=300, loss=300, benefit=200
    ... )
    >>> found.passed, found.rows_failing_benefit, found.smallest_passing_class
    (False, 1, 2)
    """
    result = compute(
        gather(table, **given),
        cost=cost,
        gain=gain,
        loss=loss,
        benefit=benefit,
        allow_attack=allow_attack,
    )
    announce(result)
    return result


def compute(
    inputs: Inputs,
    cost: Number,
    gain: Number,
    loss: Number,
    benefit: Number,
    allow_attack: bool = True,
) -> ProfitabilityResult:
    """Decide profitability from opened inputs."""
    if not isinstance(allow_attack, bool):
        raise OptionError(
            "allow_attack is {value!r}; true or false was expected", value=allow_attack
        )
    game = _Game(
        exact_nonnegative(cost, phrase("the adversary's cost")),
        exact_nonnegative(gain, phrase("the adversary's gain")),
        exact_nonnegative(loss, phrase("the publisher's loss")),
        exact_nonnegative(benefit, phrase("the publisher's benefit")),
        allow_attack,
    )
    histogram = inputs.class_histogram
    if not histogram.sizes.size:
        raise NotMeasurableError(ALL_SUPPRESSED)
    sizes = list(zip(histogram.sizes.tolist(), histogram.classes.tolist(), strict=True))
    failing_benefit = sum(c * n for c, n in sizes if not game.benefit_exceeds_risk(c))
    worth_attacking = sum(c * n for c, n in sizes if not game.attack_pays_not(c))
    holds = failing_benefit == 0 and (allow_attack or worth_attacking == 0)
    smallest = min((size for size, _ in sizes), default=None)
    return ProfitabilityResult(
        value=holds,
        limit=None,
        passed=holds,
        warnings=left_out(histogram.suppressed_rows, inputs.unit),
        allow_attack=allow_attack,
        adversary_cost=float(game.cost),
        adversary_gain=float(game.gain),
        publisher_loss=float(game.loss),
        publisher_benefit=float(game.benefit),
        rows=histogram.rows,
        suppressed_rows=histogram.suppressed_rows,
        rows_failing_benefit=failing_benefit,
        rows_worth_attacking=worth_attacking,
        worst_row=None if smallest is None else _payoffs(game, smallest),
        smallest_passing_class=game.smallest_passing_class(),
        unit=inputs.unit,
    )


def _payoffs(game: _Game, size: int) -> Payoffs:
    expected, risk = game.gain / size, game.risk(size)
    return Payoffs(
        class_size=size,
        adversary_expected_gain=float(expected),
        adversary_payoff=float(expected - game.cost),
        publisher_risk=float(risk),
        publisher_payoff=float(game.benefit - risk),
    )


MEASURE = OldMeasure(
    name="profitability",
    title="Profitability",
    family=Family.PRIVACY,
    question="Does publishing pay for every row, risk of re-identification included?",
    better=Better.TRUE,
    range=(0.0, 1.0),
    needs=(Need.QUASI_IDENTIFIERS,),
    formula=(
        "for every row in a class of c: benefit > risk, where risk is loss/c if gain/c >= cost, "
        "else 0; without allowed attacks also cost > gain/c"
    ),
    reference=(
        "Z. Wan et al.: A Game Theoretic Framework for Analyzing Re-Identification Risk. PLOS ONE "
        "10(3), 2015, doi 10.1371/journal.pone.0120592"
    ),
    meaning=(
        "True means that for every row the benefit of publishing it is above the loss to be "
        "expected from attacks. False means that there are rows that should not be published "
        "like this."
    ),
    does_not_say=(
        "The verdict is as good as the four amounts that were given. It takes attackers for "
        "people who calculate; a curious neighbour does not ask whether an attack pays."
    ),
    compute=compute,
    options=(
        Option("cost", "what one attack costs the adversary", required=True, kind=_MONEY),
        Option("gain", "what a successful attack brings the adversary", required=True, kind=_MONEY),
        Option("loss", "what a successful attack costs the publisher", required=True, kind=_MONEY),
        Option(
            "benefit", "what publishing one row brings the publisher", required=True, kind=_MONEY
        ),
        Option(
            "allow_attack",
            "false: no attack may pay for the adversary either",
            kind=kinds.Boolean(),
        ),
    ),
    granularities=_TABLES,
)
