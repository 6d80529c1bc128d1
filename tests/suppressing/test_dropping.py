"""Classes that are dropped until limits hold: the rest, measured anew, keeps them."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings

from budget import examples
from measures import registry_cases as cases
from petaudit.auditing.dropping import ClassLevel, is_of_classes
from petaudit.inputs import Inputs
from petaudit.measures import find_measure, usual_measures
from petaudit.tables import open_source

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")

OF_CLASSES = [name for name, own in cases.generic().items() if is_of_classes(own)]
ALONE = [
    *("k-anonymity", "l-diversity", "entropy-l-diversity", "recursive-l-diversity"),
    *("alpha-k-anonymity", "prosecutor-risk", "profitability"),
]
"""Limits that every class keeps or breaks by itself.

Not those of a population, whose people are looked for among the labels of the whole table.
"""


Rests = dict[tuple[int, ...], tuple[Inputs, int]]
"""What is left without some classes, and how many rows are not."""


def of_rows(inputs: Inputs, kept: Any) -> Inputs:
    """The inputs with some of their rows only, read as a table of its own."""
    table = inputs.table.to_arrow().filter(kept)
    return replace(inputs, table=open_source(table), _pairs={}, _in_population={})


def test_dropping_is_tried_for_all_but_utility() -> None:
    others = sorted(set(usual_measures()) - set(OF_CLASSES))
    assert all(find_measure(name).family.value == "utility" for name in others if name != "mpuccs")


@given(asked=cases.tables(most_rows=12))
@settings(max_examples=examples(40), phases=(Phase.generate,))
def test_what_is_left_keeps_the_limit(asked: cases.Tables) -> None:
    inputs = cases.in_frames(asked)
    if not inputs.class_histogram.sizes.size:
        return
    level = ClassLevel.of(inputs)
    rests: Rests = {}
    for name in OF_CLASSES:
        options = cases.ENTRIES[name].options
        before = cases.outcome(name, inputs, options)
        if isinstance(before, Exception):
            continue
        found = level.dropped_for({name: options})
        if found.out_of_reach is None:
            after = cases.outcome(name, of_rows(inputs, found.rows_kept), options)
            assert not isinstance(after, Exception), (name, after)
            assert after.passed, name
            assert bool(found.rows_dropped) is not before.passed
        else:
            assert not before.passed
        breaking = level.breaking(find_measure(name), options)
        if breaking is not None and before.remedy is not None and not before.passed:
            sizes = level.classes.sizes
            assert int(sizes[breaking].sum()) == before.remedy.rows_breaking, name
        if name in ALONE:
            # No smaller set of whole classes would do, and where there is one it is found.
            assert _fewest(level, name, rests) == (
                None if found.out_of_reach else found.rows_dropped
            )


def _fewest(level: ClassLevel, name: str, rests: Rests) -> int | None:
    """The fewest rows in classes without which the limit holds, by trying all sets of them."""
    classes, inputs = level.classes, level.inputs
    can_go = [
        place
        for place in range(classes.number)
        if place != classes.marked or inputs.suppressed == "class"
    ]
    if len(can_go) > 6:
        # Too many sets to try.
        return _found(level, name)
    sizes = []
    for gone in itertools.chain.from_iterable(
        itertools.combinations(can_go, many) for many in range(len(can_go))
    ):
        if gone not in rests:
            kept = ~np.isin(classes.of_rows, gone)
            rests[gone] = of_rows(inputs, kept), int((~kept).sum())
        rest, dropped = rests[gone]
        if sizes and dropped >= min(sizes):
            continue
        after = cases.outcome(name, rest, cases.ENTRIES[name].options)
        if not isinstance(after, Exception) and after.passed:
            sizes.append(dropped)
    return min(sizes, default=None)


def _found(level: ClassLevel, name: str) -> int | None:
    found = level.dropped_for({name: cases.ENTRIES[name].options})
    return None if found.out_of_reach else found.rows_dropped
