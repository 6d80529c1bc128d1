"""What is asked of a search, checked and settled before any row is counted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, Literal, TypeAlias

from petaudit.auditing import Request
from petaudit.auditing.dropping import is_of_classes
from petaudit.errors import OptionError, OutOfReachError, argument
from petaudit.exact.fractions import Number
from petaudit.inputs import Inputs
from petaudit.judging.policy import PolicySpec
from petaudit.labels.cells import SUPPRESSED
from petaudit.labels.hierarchies import Hierarchies
from petaudit.labels.hierarchy import Hierarchy
from petaudit.labels.rules import PathRule, Rule
from petaudit.measures import find_measure
from petaudit.proposing import proposed_hierarchies

Recoding: TypeAlias = Literal["local", "global"]
LevelSpec: TypeAlias = int | str
COMPARED: Final = ("original", "control", "key")
"""What an audit takes and a search does not: its table is the original."""
_BOUND = re.compile(r"(?P<sign><=|>=|=|)\s*(?P<low>\d+)(?:\s*-\s*(?P<high>\d+))?", re.ASCII)


def read_bounds(column: str, given: LevelSpec) -> tuple[int | None, int | None]:
    """The lowest and the highest level that a column may have.

    >>> read_bounds("zip", 2), read_bounds("zip", "<=2"), read_bounds("zip", "1-3")
    ((2, 2), (None, 2), (1, 3))
    """
    match = None if isinstance(given, bool) else _BOUND.fullmatch(str(given).strip())
    if match is None or (match["sign"] in ("<=", ">=") and match["high"] is not None):
        raise OptionError(
            "the level of column {column!r} must be 2, '<=2', '>=2' or '1-2', got {value!r}",
            column=column,
            value=given,
        )
    low, high = int(match["low"]), int(match["high"] or match["low"])
    return (None if match["sign"] == "<=" else low), (None if match["sign"] == ">=" else high)


def wanted_limits(
    limits: Mapping[str, Number] | None,
    options: Mapping[str, Mapping[str, Any]] | None,
    policy: PolicySpec | None,
    population_size: Any,
) -> tuple[Request, dict[str, dict[str, Any]]]:
    """The limits that must hold, by measure, each with its options."""
    request = Request.checked(None, limits or {}, options or {}, policy)
    settings: dict[str, dict[str, Any]] = {}
    for name, given in request.options.items():
        measure = find_measure(name)
        if not is_of_classes(measure):
            raise OutOfReachError(
                "{measure} is not about classes of rows, so that no search can keep its limit: "
                "leave it out here, and check it afterwards",
                measure=measure.name,
            )
        takes_size = any(option.name == "population_size" for option in measure.options)
        settings[measure.name] = dict(given)
        if population_size is not None and takes_size:
            settings[measure.name].setdefault("population_size", population_size)
    if not settings:
        raise OptionError(
            "no limit is given, so there is nothing to generalise for: name one ({argument})",
            argument=argument("k", "5"),
        )
    return request, settings


def with_hierarchies(inputs: Inputs) -> tuple[Inputs, list[str]]:
    """The same with a hierarchy for every quasi-identifier, and which of them were proposed."""
    given = inputs.hierarchies
    missing = [name for name in inputs.quasi_identifiers if name not in given]
    proposed = proposed_hierarchies(inputs)
    entries: dict[str, Hierarchy | Rule] = {
        name: given.rule(name) or given.get(name, None) for name in given.attributes
    }
    for name in inputs.roles.sensitive:
        if name in entries:
            labels = inputs.table.counts.value_counts(name).labels
            # The table is the original, whose values a rule needs to know.
            entries[name] = given.get(name, dict.fromkeys([name], labels).__getitem__)
    for name in proposed.attributes:
        rule = proposed.rule(name)
        values = inputs.table.counts.value_counts(name).by_label
        leaves = {label: rows for label, rows in values.items() if label != SUPPRESSED}
        if not leaves:
            continue  # every cell is suppressed already
        if isinstance(rule, PathRule):
            # What depends on counts is as it is for this table, also for a population.
            rule = rule.fixed_for(name, leaves)
        entries[name] = rule or proposed.get(name, None)
    return replace(inputs, hierarchies=Hierarchies(entries)), missing
