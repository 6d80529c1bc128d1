"""delta-presence: how sure anybody can be that somebody of the population is in the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

from petaudit.errors import NotMeasurableError, OptionError, counted, joined, phrase
from petaudit.exact.class_figures import ClassFigures, ratio_figures
from petaudit.exact.fractions import Number
from petaudit.inputs import Inputs, gather
from petaudit.measures._old import OldMeasure
from petaudit.measures._risk import ALL_SUPPRESSED, SHARE, share, upper_limit
from petaudit.measures._suppressed import left_out
from petaudit.measures.base import Better, Family, Need, Option, Remedy, Result, announce
from petaudit.tables.population import PopulationClasses


@dataclass(frozen=True)
class DeltaPresenceResult(Result):
    """The largest and the smallest share of a class of the population that is in the table."""

    measure: ClassVar[str] = "delta-presence"
    better: ClassVar[Better] = Better.LOWER

    exact_value: Fraction
    smallest: float
    exact_smallest: Fraction
    least: float | None
    classes: int
    rows: int
    suppressed_rows: int
    population_rows: int
    classes_without_rows: int
    people_without_rows: int
    remedy: Remedy | None = field()

    @property
    def conditions(self) -> tuple[str, ...]:
        """The least share that was asked for."""
        if self.least is None:
            return ()
        return (phrase("smallest share at least {least:g}", least=self.least),)

    @property
    def explanation(self) -> tuple[str, ...]:
        """The range of shares, classes of the population without a row, what the limit takes."""
        parts = [
            phrase(
                "shares of the population in the table: {smallest:.6g} to {largest:.6g}, in "
                "{classes} of the table",
                smallest=self.smallest,
                largest=self.value,
                classes=counted(self.classes, "class", "classes"),
            )
        ]
        if self.suppressed_rows:
            parts.append(
                phrase(
                    "{rows} suppressed",
                    rows=self.unit.counted(
                        self.suppressed_rows, of=self.rows + self.suppressed_rows
                    ),
                )
            )
        lines: list[str] = [joined(parts, "; ")]
        if self.classes_without_rows:
            lines.append(self._nobody())
        if self.remedy is not None and (self.remedy.rows_breaking or self.passed):
            lines.append(self.remedy.text)
        elif self.remedy is not None:
            lines.append(
                phrase(
                    "the limit is missed because nobody of these classes is in the table; "
                    "suppressing rows does not change that"
                )
            )
        return tuple(lines)

    def _nobody(self) -> str:
        """The classes of the population without a row."""
        found = phrase(
            "{classes} of the population with {people}: no row in the table",
            classes=counted(self.classes_without_rows, "class", "classes"),
            people=counted(self.people_without_rows, "person", "people"),
        )
        if not self.least:
            return found
        return phrase(
            "{found}, a share of 0 where {least:g} is the least", found=found, least=self.least
        )


def delta_presence(
    table: object, *, limit: Number | None = None, least: Number | None = None, **given: Any
) -> DeltaPresenceResult:
    """Measure delta-presence against a population (Nergiz, Atzori and Clifton 2007).

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**", "148**"]})
    >>> population = pa.table({"zip": ["130**"] * 2 + ["148**"] * 4})
    >>> found = delta_presence(table, population=population, quasi_identifiers="zip", limit=0.5)
    >>> found.value, found.smallest, found.passed
    (0.5, 0.25, True)
    """
    result = compute(gather(table, **given), limit=limit, least=least)
    announce(result)
    return result


def compute(
    inputs: Inputs, limit: Number | None = None, least: Number | None = None
) -> DeltaPresenceResult:
    """Measure delta-presence from opened inputs."""
    name = DeltaPresenceResult.measure
    bound = upper_limit(limit, name)
    lower = None if least is None else share(least, "least")
    check({"limit": limit, "least": least})
    found = inputs.population_classes
    if not found.sizes.size:
        raise NotMeasurableError(ALL_SUPPRESSED)
    shares = _shares(found)
    largest = Fraction(shares.largest)
    # Who may be suppressed is in a class of the population as well, and that is the share to ask.
    said = inputs.population_classes_but_suppressed
    smallest = Fraction(0)
    if said.sizes.size and not found.classes_without_rows:
        smallest = Fraction(_shares(said).smallest)
    passed = remedy = None
    if bound is not None:
        passed = largest <= bound and (lower is None or smallest >= lower)
        remedy = _remedy(inputs, found, shares, bound, lower or Fraction(0))
    return DeltaPresenceResult(
        value=float(largest),
        limit=None if bound is None else float(bound),
        passed=passed,
        warnings=left_out(found.suppressed_rows, inputs.unit),
        exact_value=largest,
        smallest=float(smallest),
        exact_smallest=smallest,
        least=None if lower is None else float(lower),
        classes=int(found.classes.sum()),
        rows=found.rows,
        suppressed_rows=found.suppressed_rows,
        population_rows=found.population_rows,
        classes_without_rows=found.classes_without_rows,
        people_without_rows=found.people_without_rows,
        remedy=remedy,
        unit=inputs.unit,
    )


def _shares(classes: PopulationClasses) -> ClassFigures:
    return ratio_figures(classes.sizes, classes.population_sizes, classes.sizes, classes.classes)


def _remedy(
    inputs: Inputs, found: PopulationClasses, shares: ClassFigures, limit: Fraction, least: Fraction
) -> Remedy:
    """Too large a share takes some rows of the class; for too small a share nothing helps."""
    above = shares.above(limit)
    said = _shares(inputs.population_classes_but_suppressed)
    below = said.below(least)
    breaking = shares.rows(above) + said.rows(below)
    if not above.any():
        helps = not breaking and not (least and found.classes_without_rows)
        return Remedy.of(breaking, 0 if helps else None, inputs.counted.rows, inputs.unit)
    rows = zip(
        found.sizes[above].tolist(),
        found.population_sizes[above].tolist(),
        found.classes[above].tolist(),
        strict=True,
    )
    # As many rows of each class as may stay.
    stay = [(size, limit.numerator * of // limit.denominator, of, n) for size, of, n in rows]
    enough = sum((size - some) * n for size, some, _, n in stay)
    smaller_shares_hold = all(some >= least * of for _, some, of, _ in stay)
    holds_elsewhere = not below.any() and not (least and found.classes_without_rows)
    helps = (
        not found.fit_elsewhere and enough < found.rows and smaller_shares_hold and holds_elsewhere
    )
    by_dropping = inputs.suppressed == "class"
    return Remedy.of(
        breaking,
        enough if helps else None,
        inputs.counted.rows,
        inputs.unit,
        by_dropping=by_dropping,
    )


def check(given: Mapping[str, Any]) -> None:
    """Raise an error for bounds that no table keeps, and for a least without a limit."""
    name = DeltaPresenceResult.measure
    limit, least = given.get("limit"), given.get("least")
    if least is None:
        return
    smallest, largest = share(least, "least"), upper_limit(limit, name)
    if largest is None:
        raise OptionError(
            "least is judged together with the limit of {measure}; give a limit, too", measure=name
        )
    if smallest > largest:
        raise OptionError(
            "least is {least}, above the limit {limit}: no share keeps both",
            least=least,
            limit=limit,
        )


MEASURE = OldMeasure(
    name="delta-presence",
    title="delta-presence",
    family=Family.PRIVACY,
    question="How sure can anybody be that somebody of the population is in the table?",
    better=Better.LOWER,
    range=(0.0, 1.0),
    needs=(Need.QUASI_IDENTIFIERS, Need.POPULATION),
    formula=(
        "largest f/F over the classes of the population, with f rows in the table and F people; "
        "with least also the smallest f/F, which is 0 where the table has no row of a class"
    ),
    reference=(
        "M. E. Nergiz, M. Atzori, C. Clifton: Hiding the Presence of Individuals from Shared "
        "Databases. SIGMOD, 2007, doi 10.1145/1247480.1247554"
    ),
    compute=compute,
    limit_help="no share may be larger than this (delta_max)",
    options=(
        Option(
            "least",
            "no share may be smaller than this (delta_min); needs a limit, and classes of the "
            "population without a row count as 0",
            kind=SHARE,
        ),
    ),
    check=check,
    meaning=(
        "How sure somebody who knows the population can be that a certain person is in the table. "
        "With 0.75, three of four people of some class are in it; with 1, everybody of some class "
        "is."
    ),
    does_not_say=(
        "It holds for the population that was given: an attacker with a smaller list of people "
        "may be surer. That somebody is certainly not in the table is judged only where least is "
        "given."
    ),
)
