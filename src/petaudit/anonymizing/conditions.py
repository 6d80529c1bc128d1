"""Limits as a search asks for them: which classes break one, and what that says of finer levels.

Every limit is decided by the arithmetic of its measure. ``least`` is what prunes: of every class
the fewest rows that are suppressed wherever its rows are, at these levels or at finer ones.

- *Monotone* (a part of a class that breaks the limit breaks it, too: all its rows): k-anonymity and
  everything else that asks for a number of people, k-map, distinct l-diversity.
- *Convex* (where every part keeps the limit, so does the whole; so some row of a class that breaks
  it has to go, and the farther off it is, the more of them): entropy and recursive l-diversity,
  t-closeness, (alpha, k), both kinds of beta-likeness, delta-presence; delta-disclosure only where
  values that a class lacks are infinitely far. Not so where the whole table that classes are
  compared with changes because rows are dropped.
- *Neither*: delta-disclosure that ignores absent values, shares of people who have several rows,
  and figures of all classes together (average risks, shares of rows at risk), which are monotone
  only where nothing is suppressed.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any, Final

import numpy as np

from petaudit.auditing.dropping import Settings, is_of_classes
from petaudit.errors import OptionError, joined, listing
from petaudit.exact.class_figures import ClassFigures, Integers, Truths, ratio_figures
from petaudit.exact.publishing_game import PublishingGame
from petaudit.exact.sampling import USUAL_SIGNIFICANCE, Population
from petaudit.inputs import Inputs
from petaudit.measures import Measure, find_measure
from petaudit.measures.population import assumed_size
from petaudit.measures.risk import _TIE, USUAL_THRESHOLD
from petaudit.measures.risk_classes import RiskClasses, SampledClasses
from petaudit.measures.sensitive import SensitiveMeasure
from petaudit.measures.t_closeness import _ground
from petaudit.tables import ClassTable, ClassValueCounts, ValueCounts
from petaudit.tables.emd import Ground, class_distances
from petaudit.tables.shares import commonest_against_rare, commonest_shares, is_lacking, log_figures

NEVER: Final = 2**62
"""More people than there are: a size that no class has."""
_SLACK: Final = 1e-6
_MARGIN: Final = 1e-9


@dataclass(frozen=True)
class Classes:
    """Some classes with everything that limits ask of them."""

    rows: Integers
    people: Integers
    """The people of each class; its rows where no column tells people apart."""
    pairs: Callable[[str], tuple[Integers, Integers, Integers]]
    """Class, value and rows of each value of a sensitive attribute."""
    whole: Mapping[str, ValueCounts]
    """The values of the whole table."""
    commonest: Callable[[str], Integers]
    """The most people of each class who may have a value of an attribute in common."""
    population: Integers | None = None
    """The people of the population who fit each class."""
    _tables: dict[str, ClassTable] = field(default_factory=dict, repr=False)

    def table(self, attribute: str) -> ClassTable:
        """The classes with the values of an attribute."""
        if attribute not in self._tables:
            columns = {attribute: ClassValueCounts(self.whole[attribute], *self.pairs(attribute))}
            ones = np.ones_like(self.rows)
            self._tables[attribute] = ClassTable(self.rows, ones, columns)
        return self._tables[attribute]


class Condition(ABC):
    """A limit that every class must keep."""

    attributes: tuple[str, ...] = ()
    """The sensitive attributes that are looked at."""
    compares_with_table = False
    """Whether classes are compared with the whole table."""
    size = 0
    """The rows that a class must have in any case."""

    def __init__(self, measure: str) -> None:
        self.measure = measure

    @abstractmethod
    def breaking(self, classes: Classes) -> Truths:
        """Which classes break the limit."""

    def least(self, classes: Classes, breaking: Truths) -> Integers:
        """The fewest rows of each class that are suppressed at these and all finer levels."""
        return np.zeros_like(classes.rows)


class TableCondition(ABC):
    """A limit of all classes together."""

    attributes: tuple[str, ...] = ()
    is_monotone = True
    """Whether it goes on to hold at coarser levels, as long as nothing is suppressed."""

    def __init__(self, measure: str) -> None:
        self.measure = measure

    @abstractmethod
    def holds(self, classes: Classes, individuals: int) -> bool:
        """Whether it holds; ``individuals`` are all people of the table."""


class SizeCondition(Condition):
    """So many people, or more, in every class."""

    def __init__(self, measure: str, smallest: int, attributes: tuple[str, ...] = ()) -> None:
        super().__init__(measure)
        self.size, self.attributes = smallest, attributes

    def breaking(self, classes: Classes) -> Truths:
        """Classes with fewer people."""
        return classes.people < self.size

    def least(self, classes: Classes, breaking: Truths) -> Integers:
        """All rows: a part of a class has no more people."""
        return np.where(breaking, classes.rows, 0)


class MapCondition(Condition):
    """So many people of the population in every class; the population must hold its rows."""

    def __init__(self, measure: str, people: int) -> None:
        super().__init__(measure)
        self.needed = people

    def breaking(self, classes: Classes) -> Truths:
        """Classes with fewer people, or fewer than rows, which no audit accepts."""
        people = _population(classes)
        return (people < self.needed) | (people < classes.people)

    def least(self, classes: Classes, breaking: Truths) -> Integers:
        """All rows of classes with too few people."""
        return np.where(_population(classes) < self.needed, classes.rows, 0)


class PresenceCondition(Condition):
    """No more than a share of the people of a class in the table."""

    def __init__(self, measure: str, largest: Fraction, *, of_rows: bool) -> None:
        super().__init__(measure)
        self.largest, self.of_rows = largest, of_rows

    def breaking(self, classes: Classes) -> Truths:
        """Classes of which too large a share is in the table."""
        people = _population(classes)
        ones = np.ones_like(people)
        shares = ratio_figures(classes.people, people, classes.people, ones)
        return shares.above(self.largest) | (people < classes.people)

    def least(self, classes: Classes, breaking: Truths) -> Integers:
        """What is above the share of all people; the parts of a class add up to it."""
        if not self.of_rows:
            return np.zeros_like(classes.rows)
        top, below = self.largest.numerator, self.largest.denominator
        may_stay = [top * people // below for people in _population(classes).tolist()]
        most = np.array(may_stay, dtype=np.int64)
        return np.where(breaking, np.maximum(classes.rows - most, 0), 0)


class EveryoneCondition(Condition):
    """At least a share of the people of every class of the population in the table.

    Nobody can be suppressed then: of that class nobody would be in the table.
    """

    def __init__(self, measure: str, smallest: Fraction) -> None:
        super().__init__(measure)
        self.smallest = smallest

    def breaking(self, classes: Classes) -> Truths:
        """Classes of which too small a share is in the table."""
        people = _population(classes)
        ones = np.ones_like(people)
        return ratio_figures(classes.people, people, classes.people, ones).below(self.smallest)

    def least(self, classes: Classes, breaking: Truths) -> Integers:
        """All rows: some part of the class has too small a share as well, or nobody at all."""
        return np.where(breaking, classes.rows, 0)


class SensitiveCondition(Condition):
    """A limit of a figure of the sensitive values of a class, decided as its measure does."""

    def __init__(
        self,
        measure: SensitiveMeasure,
        limit: Fraction,
        attributes: tuple[str, ...],
        figures: Callable[[str, ClassTable], ClassFigures],
        least: Callable[[ClassFigures, ClassTable, str], np.ndarray[Any, Any]] | None,
        *,
        is_monotone: bool = False,
        ground: Callable[[str, ValueCounts], Ground] | None = None,
    ) -> None:
        super().__init__(measure.name)
        self.limit, self.attributes, self.figures = limit, attributes, figures
        self.ground = ground
        """The distance between values, where it is one that is limited."""
        self.compares_with_table = measure.compares_with_table
        self.is_monotone = is_monotone
        self._least = least
        self._is_broken = measure._breaks(limit)

    def breaking(self, classes: Classes) -> Truths:
        """Classes that break it for any attribute."""
        breaking = np.zeros(len(classes.rows), dtype=bool)
        for name in self.attributes:
            breaking |= self._is_broken(self.figures(name, classes.table(name)))
        return breaking

    def least(self, classes: Classes, breaking: Truths) -> Integers:
        """All rows where parts break it, too; else at least one, or as many as are too far off."""
        if self.is_monotone:
            return np.where(breaking, classes.rows, 0)
        if self._least is None:
            return np.zeros_like(classes.rows)
        shares = np.zeros(len(classes.rows))
        for name in self.attributes:
            table = classes.table(name)
            with np.errstate(invalid="ignore", divide="ignore"):
                share = self._least(self.figures(name, table), table, name)
            shares = np.fmax(shares, np.clip(share, 0, 1))
        least = np.ceil(shares * classes.rows - _SLACK).astype(np.int64)
        return np.where(breaking, np.maximum(least, 1), 0)


class AlphaOfPeople(Condition):
    """The share of people of a class who may have one value in common."""

    def __init__(self, measure: str, limit: Fraction, attributes: tuple[str, ...]) -> None:
        super().__init__(measure)
        self.limit, self.attributes = limit, attributes

    def breaking(self, classes: Classes) -> Truths:
        """Classes in which too many people have one value."""
        breaking = np.zeros(len(classes.rows), dtype=bool)
        ones = np.ones_like(classes.people)
        for name in self.attributes:
            shares = ratio_figures(classes.commonest(name), classes.people, classes.people, ones)
            breaking |= shares.above(self.limit)
        return breaking


class RiskCondition(TableCondition):
    """A mean of risks, or a share of rows at risk, of all classes."""

    def __init__(
        self,
        measure: str,
        limit: Fraction,
        figure: str,
        *,
        threshold: Fraction = USUAL_THRESHOLD,
        in_population: bool = False,
        either_way: bool = False,
        size: int | None = None,
        of_people: bool = False,
    ) -> None:
        super().__init__(measure)
        self.limit, self.figure, self.threshold = limit, figure, threshold
        self.in_population, self.either_way, self.size = in_population, either_way, size
        self.is_monotone = not of_people

    def holds(self, classes: Classes, individuals: int) -> bool:
        """Whether the figure is at most the limit."""
        sizes = classes.people
        people = _population(classes) if self.in_population else sizes
        if not sizes.size:
            return False
        order = np.lexsort((sizes, people))
        given = (sizes[order], people[order], np.ones_like(sizes), 0, int(sizes.sum()), False)
        risks, bound = RiskClasses(*given), self.limit
        if self.size is not None and self.size > individuals:
            population = Population(individuals, self.size, USUAL_SIGNIFICANCE)
            risks = SampledClasses(*given, population=population)
            bound = self.limit * (1 + _TIE)
        if self.figure == "at-risk":
            return Fraction(risks.rows_above(self.threshold), risks.rows) <= bound
        if self.either_way and risks.per_person > bound:
            return False
        if not isinstance(risks, SampledClasses):
            with np.errstate(divide="ignore"):  # a class of which the population has nobody
                mean, limit = float((sizes / people).sum() / sizes.sum()), float(bound)
            if abs(mean - limit) > _MARGIN * max(limit, 1e-300):
                return mean < limit
        return risks.average <= bound


def _population(classes: Classes) -> Integers:
    assert classes.population is not None  # noqa: S101 (checked where conditions are made)
    return classes.population


def conditions_of(inputs: Inputs, settings: Settings) -> tuple[Condition | TableCondition, ...]:
    """The limits of settings; measures without a limit, or not of classes, are an error."""
    conditions: list[Condition | TableCondition] = []
    for name, options in settings.items():
        measure = find_measure(name)
        measure.check_options(options)
        maker = _MAKERS.get(measure.name)
        limit = measure.read_limit(options.get("limit"))
        if maker is None or not is_of_classes(measure):
            raise OptionError(
                "{measure} is not a limit that a search can keep; there are: {measures}",
                measure=measure.name,
                measures=listing(LIMITS),
            )
        if limit is None and measure.name != "profitability":
            raise OptionError("{measure} has no limit", measure=measure.name)
        missing = measure.missing(inputs, options)
        if missing:
            raise OptionError(
                "{measure} needs {missing}", measure=measure.name, missing=joined(missing, " and ")
            )
        measure.check(options)
        defaults = {parameter.name: parameter.default for parameter, _ in measure._parameters}
        values = defaults | {
            option.name: option.read(options[option.name])
            for option in measure.options
            if options.get(option.name) is not None
        }
        conditions += maker(inputs, measure, limit or Fraction(0), values)
    if not conditions:
        raise OptionError("no limit is given; the limits are: {measures}", measures=listing(LIMITS))
    return tuple(conditions)


Maker = Callable[[Inputs, Measure, Fraction, dict[str, Any]], list["Condition | TableCondition"]]


def _smallest(inputs: Inputs, measure: Measure, limit: Fraction, _: Any) -> list[Any]:
    return [SizeCondition(measure.name, math.ceil(limit))]


def _chosen_risk(inputs: Inputs, measure: Measure, limit: Fraction, given: Any) -> list[Any]:
    in_population = measure.name == "journalist-risk"
    if given["figure"] == "highest":
        size = math.ceil(1 / limit) if limit else NEVER
        kind = MapCondition if in_population else SizeCondition
        return [kind(measure.name, size)]
    return [
        RiskCondition(
            measure.name,
            limit,
            given["figure"],
            threshold=given["threshold"],
            in_population=in_population,
            either_way=in_population,
            of_people=inputs.person is not None,
        ),
        *([MapCondition(measure.name, 0)] if in_population else []),
    ]


def _marketer(inputs: Inputs, measure: Measure, limit: Fraction, _: Any) -> list[Any]:
    known = inputs.population is not None
    of_people = inputs.person is not None
    return [
        RiskCondition(measure.name, limit, "average", in_population=known, of_people=of_people),
        *([MapCondition(measure.name, 0)] if known else []),
    ]


def _uniques(inputs: Inputs, measure: Measure, limit: Fraction, _: Any) -> list[Any]:
    half, of_people = Fraction(1, 2), inputs.person is not None
    return [RiskCondition(measure.name, limit, "at-risk", threshold=half, of_people=of_people)]


def _strict_average(inputs: Inputs, measure: Measure, limit: Fraction, given: Any) -> list[Any]:
    size, k = assumed_size(inputs, given["population_size"]), given["k"]
    known = inputs.population is not None
    risk = RiskCondition(
        measure.name,
        limit,
        "average",
        in_population=known,
        size=size,
        of_people=inputs.person is not None,
    )
    if known:
        return [risk, MapCondition(measure.name, k or 0)]
    if k is None:
        return [risk]
    if size is not None and size > inputs.individuals:
        return [risk, SizeCondition(measure.name, _sample_size(inputs, size, k))]
    return [risk, SizeCondition(measure.name, k)]


def _map(inputs: Inputs, measure: Measure, limit: Fraction, given: Any) -> list[Any]:
    size, k = assumed_size(inputs, given["population_size"]), math.ceil(limit)
    if size is None:
        return [MapCondition(measure.name, k)]
    level = given["significance"] or USUAL_SIGNIFICANCE
    return [SizeCondition(measure.name, _sample_size(inputs, size, k, level))]


def _sample_size(
    inputs: Inputs, size: int, k: int, significance: Fraction = USUAL_SIGNIFICANCE
) -> int:
    """The fewest people of a class that are taken for k people of the population."""
    population = Population(inputs.individuals, size, significance)
    low, high = 0, max(inputs.individuals, k)
    while high - low > 1:
        middle = (low + high) // 2
        if population.is_taken_to_have(k, middle):
            high = middle
        else:
            low = middle
    return high if population.is_taken_to_have(k, high) else NEVER


def _presence(inputs: Inputs, measure: Measure, limit: Fraction, given: Any) -> list[Any]:
    conditions: list[Any] = [PresenceCondition(measure.name, limit, of_rows=inputs.person is None)]
    if given["least"]:
        conditions.append(EveryoneCondition(measure.name, given["least"]))
    return conditions


def _profit(inputs: Inputs, measure: Measure, limit: Fraction, given: Any) -> list[Any]:
    amounts = [given[name] for name in ("cost", "gain", "loss", "benefit", "allow_attack")]
    # No amount is below 0, so that what a row costs falls with the size of its class.
    smallest = PublishingGame(*amounts).smallest_passing_class()
    return [SizeCondition(measure.name, smallest or NEVER)]


def _sensitive(
    inputs: Inputs, measure: Measure, limit: Fraction, given: dict[str, Any]
) -> list[Any]:
    assert isinstance(measure, SensitiveMeasure)  # noqa: S101 (so they are registered below)
    attributes, bound = inputs.sensitive, float(limit)
    figures: Callable[[str, ClassTable], ClassFigures] = measure.figures
    least: Any = lambda figures, table, name: np.zeros(len(figures.values))  # noqa: E731
    is_monotone, ground = False, None
    match measure.name:
        case "l-diversity":
            is_monotone = True
        case "entropy-l-diversity" if bound > 1:
            least = lambda figures, *_: 1 - np.log(figures.values) / math.log(bound)  # noqa: E731
        case "recursive-l-diversity":
            figures = partial(commonest_against_rare, given["l"])
        case "alpha-k-anonymity":
            if inputs.person is not None:
                sized = [SizeCondition(measure.name, given["k"], attributes)] if given["k"] else []
                return [AlphaOfPeople(measure.name, limit, attributes), *sized]
            figures = commonest_shares
            least = lambda figures, *_: (figures.values - bound) / (1 - bound)  # noqa: E731
        case "t-closeness":
            ground = _grounds(inputs, given["distance"])
            figures = partial(_distances, ground)
            least = lambda figures, *_: (figures.values - bound) / (1 - bound)  # noqa: E731
        case "beta-likeness":

            def least(figures: ClassFigures, table: ClassTable, name: str) -> Any:
                values = table.columns[name].values
                most = values.rows / max(int(values.counts.min()), 1) - 1
                return (figures.values - bound) / (most - bound)

        case "delta-disclosure":
            base, absent = str(given["base"]), given["absent"] == "infinite"

            def figures(name: str, table: ClassTable) -> ClassFigures:
                return log_figures(name, table, base, is_lacking(name, table) if absent else None)

            least = least if absent else None
        case _:
            pass
    made: list[Any] = [
        SensitiveCondition(
            measure, limit, attributes, figures, least, is_monotone=is_monotone, ground=ground
        )
    ]
    if measure.name == "alpha-k-anonymity" and given["k"] is not None:
        made.append(SizeCondition(measure.name, given["k"], attributes))
    return made


@dataclass(frozen=True)
class _Kept:
    """As much of inputs as a distance asks for, with other values of an attribute."""

    inputs: Inputs
    values: ValueCounts

    @property
    def hierarchies(self) -> Any:
        return self.inputs.hierarchies

    def sensitive_values(self, _: str) -> ValueCounts:
        return self.values

    def hierarchy(self, attribute: str) -> Any:
        return self.inputs.hierarchy(attribute)


def _grounds(inputs: Inputs, distance: Any) -> Callable[[str, ValueCounts], Ground]:
    """The distance that is measured; where rows are dropped, between the values that are left."""
    grounds: dict[tuple[str, tuple[Any, ...]], Ground] = {}

    def ground(attribute: str, values: ValueCounts) -> Ground:
        key = (attribute, values.labels)
        if key not in grounds:
            chosen = distance.get(attribute) if isinstance(distance, Mapping) else distance
            kept: Any = _Kept(inputs, values)
            grounds[key] = _ground(kept, attribute, chosen, [])
        return grounds[key]

    return ground


def _distances(
    ground: Callable[[str, ValueCounts], Ground], attribute: str, table: ClassTable
) -> ClassFigures:
    pairs = table.columns[attribute]
    return class_distances(pairs, table.classes, ground(attribute, pairs.values))


_MAKERS: Final[dict[str, Maker]] = {
    "k-anonymity": _smallest,
    "k-map": _map,
    "prosecutor-risk": _chosen_risk,
    "journalist-risk": _chosen_risk,
    "marketer-risk": _marketer,
    "sample-uniques": _uniques,
    "strict-average-risk": _strict_average,
    "delta-presence": _presence,
    "profitability": _profit,
    **dict.fromkeys(
        (
            "l-diversity",
            "entropy-l-diversity",
            "recursive-l-diversity",
            "alpha-k-anonymity",
            "t-closeness",
            "beta-likeness",
            "enhanced-beta-likeness",
            "delta-disclosure",
        ),
        _sensitive,
    ),
}
LIMITS: Final = tuple(_MAKERS)
"""The measures whose limits a search can keep."""
