"""What is searched: distinct combinations of quasi-identifiers, counted once, and the limits.

Rows are counted by the engine, once; from there on only combinations are looked at.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from petaudit.anonymizing.coarse import Coarsened, that_fit
from petaudit.anonymizing.columns import Column, LevelBounds, columns_of
from petaudit.anonymizing.conditions import Condition, TableCondition, conditions_of
from petaudit.auditing.dropping import Settings
from petaudit.errors import OptionError, suggestion
from petaudit.exact.class_figures import Integers
from petaudit.exact.fractions import exact, parse_number
from petaudit.inputs import Inputs
from petaudit.tables import ValueCounts, class_indices, folded_pairs
from petaudit.tables.headers import check_column
from petaudit.tables.population import CodedClasses

Suppression: TypeAlias = Literal["class", "exclude", "drop"]
"""What becomes of suppressed rows: they stay as a class that keeps the limits, too; they stay and
nobody judges them, as in ARX; or they leave the table."""
Objective: TypeAlias = Literal[
    "loss", "loss-geometric", "granularity", "entropy", "discernibility", "class-size", "precision"
]
OBJECTIVES = get_args(Objective)


@dataclass(frozen=True)
class Pairs:
    """Counts of a second thing per combination: sensitive values, or people."""

    combination: Integers
    """Ascending."""
    other: Integers
    counts: Integers
    values: ValueCounts | None = None
    """The values, where ``other`` is one of them."""


@dataclass(frozen=True)
class PopulationCounts:
    """The combinations of a population, in the codes of the columns."""

    codes: Integers
    """By column and combination."""
    people: Integers
    """How many people each combination has; ones where ``person`` tells them apart."""
    person: Integers | None
    everybody: int


@dataclass(frozen=True)
class Problem:
    """A table to de-identify: its combinations, what must hold, and what should be kept.

    >>> import pyarrow as pa
    >>> from petaudit.inputs import gather
    >>> table = pa.table({"age": ["23", "24", "61"], "sex": ["f", "f", "m"]})
    >>> inputs = gather(table, quasi_identifiers=["age", "sex"])
    >>> problem = Problem.of(inputs, {"k-anonymity": {"limit": 2}}, max_suppression="40%")
    >>> problem.codes.tolist(), problem.rows.tolist(), problem.max_suppressed
    ([[0, 1, 2], [0, 0, 1]], [1, 1, 1], 1)
    """

    columns: tuple[Column, ...]
    codes: Integers
    """By column and combination: which leaf; combinations are in the order of their codes."""
    rows: Integers
    """The rows of every combination."""
    settings: Settings
    """The limits, and the options of the measures that have them."""
    conditions: tuple[Condition | TableCondition, ...]
    """The limits as the search asks for them."""
    objective: Objective = "loss"
    max_suppressed: int = 0
    """How many rows may be suppressed."""
    suppressed: Suppression = "class"
    sensitive: Mapping[str, Pairs] = field(default_factory=dict, repr=False)
    """The rows by combination and sensitive value."""
    people: Pairs | None = field(default=None, repr=False)
    """The rows by combination and person, where a column tells people apart."""
    sensitive_people: Mapping[str, tuple[Integers, Integers, Integers]] = field(
        default_factory=dict, repr=False
    )
    """Combination, value and person of every such triple, where a limit counts people so."""
    population: PopulationCounts | None = field(default=None, repr=False)
    inputs: Inputs | None = field(default=None, repr=False)
    coarsened: Coarsened | None = field(default=None, repr=False)
    """Where memory has no room for all combinations: those of coarser levels are counted, and each
    has the codes of one of them."""

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def total(self) -> int:
        """How many rows the table has."""
        return int(self.rows.sum())

    @property
    def number(self) -> int:
        """How many distinct combinations there are."""
        return len(self.rows)

    def leaf_rows(self, place: int) -> Integers:
        """The rows of every leaf of a column."""
        if self.coarsened is not None:
            return self.coarsened.leaf_rows[place]
        leaves = len(self.columns[place].leaves)
        counts = np.bincount(self.codes[place], weights=self.rows, minlength=leaves)
        return counts.astype(np.int64)

    @property
    def nodes(self) -> int:
        """How many combinations of levels there are."""
        return math.prod(column.highest - column.lowest + 1 for column in self.columns)

    @cached_property
    def bottom(self) -> tuple[int, ...]:
        """The finest levels that are allowed."""
        return tuple(column.lowest for column in self.columns)

    @cached_property
    def top(self) -> tuple[int, ...]:
        """The coarsest levels that are allowed."""
        return tuple(column.highest for column in self.columns)

    @classmethod
    def of(
        cls,
        inputs: Inputs,
        settings: Settings,
        *,
        objective: Objective = "loss",
        weights: Mapping[str, float] | None = None,
        levels: LevelBounds | None = None,
        max_suppression: int | float | str | Fraction = 0,
        suppressed: Suppression | None = None,
    ) -> Problem:
        """Count a table once.

        ``settings`` has limits and options by the name of a measure. ``weights`` say how much a
        column counts, ``levels`` bound its levels. ``max_suppression`` is a number of rows (an
        integer), a share of them, or text: ``5%``, ``0.05`` or ``100``. ``suppressed`` is
        ``inputs.suppressed`` unless rows are dropped.
        """
        names = inputs.quasi_identifiers
        for given in (weights or {}, levels or {}):
            for name in given:
                check_column(name, names, inputs.table.name)
        for name, weight in (weights or {}).items():
            if not 0 <= float(weight) < math.inf:
                raise OptionError(
                    "the weight of {column!r} must be a number >= 0, got {weight!r}",
                    column=name,
                    weight=weight,
                )
        if not any((weights or {}).get(name, 1) for name in names):
            raise OptionError("every column has the weight 0, so that nothing can be lost")
        _check_choice("objective", objective, OBJECTIVES)
        chosen = inputs.suppressed if suppressed is None else suppressed
        _check_choice("suppressed", chosen, get_args(Suppression))
        columns = columns_of(inputs, weights or {}, levels or {})
        conditions = conditions_of(inputs, settings)
        wanted = dict.fromkeys(name for condition in conditions for name in condition.attributes)
        columns, coarsened = that_fit(inputs, columns, tuple(wanted))
        counted = _counted(inputs, columns, tuple(wanted), coarsened)
        total = int(counted["rows"].sum())
        return cls(
            columns,
            settings=settings,
            conditions=conditions,
            objective=objective,
            max_suppressed=rows_allowed(max_suppression, total),
            suppressed=chosen,
            inputs=inputs,
            coarsened=coarsened,
            **counted,
        )


def rows_allowed(given: int | float | str | Fraction, rows: int) -> int:
    """How many rows a limit of suppression allows.

    >>> rows_allowed("5%", 1010), rows_allowed(0.05, 1010), rows_allowed(7, 1010)
    (50, 50, 7)
    """
    share: Fraction | None = None
    if isinstance(given, str) and given.strip().endswith("%"):
        number = parse_number(given.strip().removesuffix("%"))
        share = None if number is None else number / 100
    elif isinstance(given, str) and parse_number(given) is not None:
        number = exact(given, "max_suppression")
        share = None if number.denominator == 1 and "." not in given else number
        given = int(number) if share is None else given
    elif not isinstance(given, int | str):
        share = exact(given, "max_suppression")
    if isinstance(given, int) and not isinstance(given, bool) and given >= 0:
        return min(given, rows)
    if share is None or not 0 <= share <= 1:
        raise OptionError(
            "max_suppression must be a number of rows or a share such as 5%, got {value!r}",
            value=given,
        )
    return int(share * rows)


def _check_choice(name: str, chosen: object, choices: tuple[str, ...]) -> None:
    if chosen not in choices:
        raise OptionError(
            "{name} must be one of {choices}, got {given!r}{near}",
            name=name,
            choices=", ".join(choices),
            given=chosen,
            near=suggestion(str(chosen), choices),
        )


def _counted(
    inputs: Inputs,
    columns: tuple[Column, ...],
    wanted: tuple[str, ...],
    coarsened: Coarsened | None,
) -> dict[str, Any]:
    """Count combinations of leaves, with sensitive values and people where limits ask for them."""
    person = inputs.person
    names = [column.name for column in columns]
    counts = inputs.table.counts
    counted = (*names, *wanted, *(() if person is None else (person,)))
    if coarsened is None:
        coded = counts.combinations(counted)
    else:
        coded = counts.merged_classes(counted, coarsened.merged)
    codes = _leaf_codes(coded, columns)
    combination, first = _combinations(codes)
    sizes = coded.sizes
    rows = np.bincount(combination, weights=sizes, minlength=len(first)).astype(np.int64)
    sensitive, triples = {}, {}
    people = None
    if person is not None:
        who = coded.codes[len(names) + len(wanted)].astype(np.int64)
        people = Pairs(*folded_pairs(combination, who, sizes))
    for place, name in enumerate(wanted, len(names)):
        values = counts.sensitive_values(name).counts
        recode = np.array([values.index[label] for label in coded.labels[place]], dtype=np.int64)
        value = recode[coded.codes[place]]
        sensitive[name] = Pairs(*folded_pairs(combination, value, sizes), values)
        if person is not None:
            triple = np.unique(np.stack([combination, value, who]), axis=1)
            triples[name] = (triple[0], triple[1], triple[2])
    return {
        "codes": np.ascontiguousarray(codes[:, first]),
        "rows": rows,
        "sensitive": sensitive,
        "people": people,
        "sensitive_people": triples,
        "population": _population(inputs, columns),
    }


def _leaf_codes(coded: CodedClasses, columns: tuple[Column, ...]) -> Integers:
    """The leaf of every column and counted class."""
    codes = []
    for column, labels, positions in zip(columns, coded.labels, coded.codes, strict=False):
        place = {leaf: code for code, leaf in enumerate(column.leaves)}
        codes.append(np.array([place[label] for label in labels], dtype=np.int64)[positions])
    return np.stack(codes) if codes else np.zeros((0, len(coded.sizes)), dtype=np.int64)


def _combinations(codes: Integers) -> tuple[Integers, Integers]:
    """The distinct combinations in their order: which one each is, and where each is first."""
    index = class_indices(list(codes), codes.shape[1])
    first = np.zeros(int(index.max(initial=-1)) + 1, dtype=np.int64)
    first[index[::-1]] = np.arange(len(index) - 1, -1, -1)
    return index, first


def _population(inputs: Inputs, columns: tuple[Column, ...]) -> PopulationCounts | None:
    if inputs.population is None:
        return None
    person = inputs.population_person
    names = [column.name for column in columns]
    coded = inputs.population.counts.combinations([*names, *(() if person is None else (person,))])
    who = None if person is None else coded.codes[len(names)].astype(np.int64)
    sizes = coded.sizes if person is None else np.ones_like(coded.sizes)
    return PopulationCounts(_leaf_codes(coded, columns), sizes, who, inputs.population_individuals)
