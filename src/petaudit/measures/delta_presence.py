"""delta-presence: how sure anybody can be that somebody of the population is in the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Annotated, Any

from petaudit.errors import OptionError, counted, joined, phrase
from petaudit.exact.class_figures import ClassFigures, ratio_figures
from petaudit.exact.fractions import exact
from petaudit.inputs import Inputs
from petaudit.measures.base import Family, Need, Remedy, Result, Riskiest
from petaudit.measures.limits import rounded_texts
from petaudit.measures.risk import RiskMeasure
from petaudit.measures.risk_classes import RiskClasses
from petaudit.system import kinds
from petaudit.tables.population import PopulationClasses

_LEAST_HELP = (
    "no share may be smaller than this (delta_min); needs a limit, and classes of the population "
    "without a row count as 0"
)


class DeltaPresence(RiskMeasure):
    """How certain can an attacker be that somebody is in the table?

    How certain somebody who knows the population can be that a given person is in the table. With
    0.75, three of four people of some class are in it; with 1, everybody of some class is.

    Does not say: It applies to the given population: an attacker with a smaller list of people may
    be more certain. Whether somebody is certainly not in the table is judged only where least is
    given.

    Formula: largest f/F over the classes of the population, with f rows in the table and F people;
    with least also the smallest f/F, which is 0 where the table has no row of a class

    Reference: M. E. Nergiz, M. Atzori, C. Clifton: Hiding the Presence of Individuals from Shared
    Databases. SIGMOD, 2007, doi 10.1145/1247480.1247554

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**", "148**"]})
    >>> population = pa.table({"zip": ["130**"] * 2 + ["148**"] * 4})
    >>> result = delta_presence(table, population=population, quasi_identifiers="zip", limit=0.5)
    >>> result.value, result.smallest, result.passed
    (0.5, 0.25, True)
    """

    name = "delta-presence"
    title = "delta-presence"
    rank = 110
    riskiest = Riskiest.LARGEST_SHARE
    family = Family.PRIVACY
    needs = (Need.QUASI_IDENTIFIERS, Need.POPULATION)
    limit_help = "no share may be larger than this (delta_max)"

    def compute(
        self,
        inputs: Inputs,
        limit: Fraction | None,
        *,
        least: Annotated[Fraction | None, kinds.Number(0, 1), _LEAST_HELP] = None,
    ) -> Result:
        """Measure the largest and the smallest share of a class of the population."""
        classes, people = RiskClasses.of_population(inputs), inputs.population_classes
        largest = Fraction(_shares(people).largest)
        # Who may be suppressed is in a class of the population as well, and that is the share to
        # ask.
        others = inputs.population_classes_but_suppressed
        smallest = Fraction(0)
        if others.sizes.size and not people.classes_without_rows:
            smallest = Fraction(_shares(others).smallest)
        breakdown = {
            "exact_value": largest,
            "smallest": float(smallest),
            "exact_smallest": smallest,
            "least": None if least is None else float(least),
            "classes": classes.number,
            "rows": classes.rows,
            "suppressed_rows": classes.suppressed_rows,
            "population_rows": people.population_rows,
            "classes_without_rows": people.classes_without_rows,
            "people_without_rows": people.people_without_rows,
        }
        conditions = []
        if least:
            conditions.append(phrase("smallest share at least {least:g}", least=float(least)))
        return self.judge(
            classes,
            largest,
            limit,
            lambda limit: _remedy(inputs, limit, least or Fraction(0)),
            breakdown,
            holds=least is None or smallest >= least,
            conditions=conditions,
        )

    def check(self, options: Mapping[str, Any]) -> None:
        """Refuse bounds that no table keeps, and a least without a limit."""
        least, limit = options.get("least"), self.read_limit(options.get("limit"))
        if least is None:
            return
        if limit is None:
            raise OptionError(
                "least is judged together with the limit of {measure}; give a limit, too",
                measure=self.name,
            )
        if exact(least, "least") > limit:
            raise OptionError(
                "least is {least}, above the limit {limit}: no share can meet both",
                least=least,
                limit=options["limit"],
            )

    def explain(self, result: Result) -> Iterator[str]:
        """The range of shares, classes of the population without a row, what the limit takes."""
        shares = phrase(
            "shares of the population in the table: {smallest} to {largest}, in "
            "{classes} of the table",
            smallest=rounded_texts(result.smallest, None)[0],
            largest=rounded_texts(result.value, result.limit)[0],
            classes=counted(result.classes, "class", "classes"),
        )
        suppressed = phrase("{rows} suppressed", rows=result.counted(result.suppressed_rows))
        yield joined([shares, suppressed] if result.suppressed_rows else [shares], "; ")
        if result.classes_without_rows:
            without = phrase(
                "{classes} of the population with {people}: no row in the table",
                classes=counted(result.classes_without_rows, "class", "classes"),
                people=counted(result.people_without_rows, "person", "people"),
            )
            if result.least:
                without = phrase(
                    "{found}, a share of 0 where {least:g} is the minimum",
                    found=without,
                    least=result.least,
                )
            yield without
        if result.remedy is not None and (result.remedy.rows_breaking or result.passed):
            yield result.remedy.text
        elif result.remedy is not None:
            yield phrase(
                "the limit is missed because nobody in these classes is in the table; suppressing "
                "rows does not change that"
            )


delta_presence = DeltaPresence.as_function()


def _shares(classes: PopulationClasses) -> ClassFigures:
    return ratio_figures(classes.sizes, classes.population_sizes, classes.sizes, classes.classes)


def _remedy(inputs: Inputs, limit: Fraction, least: Fraction) -> Remedy:
    """Too large a share takes some rows of the class; for too small a share nothing helps."""
    classes, others = inputs.population_classes, inputs.population_classes_but_suppressed
    shares, other_shares = _shares(classes), _shares(others)
    above, below = shares.above(limit), other_shares.below(least)
    breaking, enough = shares.rows(above) + other_shares.rows(below), 0
    nobody = classes.classes_without_rows or not others.sizes.size
    helps = not below.any() and not (least and nobody)
    entries = zip(
        classes.sizes[above].tolist(),
        classes.population_sizes[above].tolist(),
        classes.classes[above].tolist(),
        strict=True,
    )
    for size, people, number in entries:
        # As many rows of each class as may stay.
        stay = limit.numerator * people // limit.denominator
        enough += (size - stay) * number
        helps = helps and stay >= least * people
    if enough:
        helps = helps and not classes.fit_elsewhere and enough < classes.rows
    return Remedy.of(
        breaking,
        enough if helps else None,
        inputs.counted.rows,
        inputs.unit,
        by_dropping=inputs.suppressed == "class",
    )
