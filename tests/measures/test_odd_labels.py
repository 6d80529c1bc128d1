"""Labels that look like numbers, dates or nothing twice: no utility figure is better for them.

The truth is known by construction: labels above the leaves of a hierarchy mean their leaves,
whatever they are called, and a column that was shuffled or replaced kept nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import examples
from measures.running import computing
from petaudit.errors import NotMeasurableError, PetauditError
from petaudit.inputs import gather
from petaudit.learning.encoding import feature_encoder
from petaudit.measures import Better, Family, Measure, all_measures

association_change = computing("association-change")
distribution_distance = computing("distribution-distance")
MEASURES: Final = [
    measure
    for measure in all_measures().values()
    if measure.family is Family.UTILITY and measure.name not in ("model-utility", "utility-bias")
]
ROUNDING: Final = 1e-9

LEAVES: Final = {
    "ages": [str(age) for age in range(20, 32)],
    "decimals": [f"{number}.5" for number in range(-4, 8)],
    "dates": [f"2024-02-{day:02d}" for day in range(18, 30)],
    "years": [str(year) for year in range(1970, 1982)],
    "codes": [f"{code:03d}" for code in range(12)],
    "words": [f"{letter}{letter}" for letter in "abcdefghijkl"],
}
ODD: Final = ["50", "29.5", "20-29", "1e3", "-7", "2024-01-01", "1999", "007", "[0,9[", ">=3", "24"]
NEUTRAL: Final = [f"L{label}" for label in ODD]


@dataclass(frozen=True)
class Case:
    """A generalised column, and two spellings of its labels above the leaves."""

    original: Mapping[str, list[str]]
    released: Sequence[Mapping[str, list[str]]]
    hierarchies: Sequence[Mapping[str, Any]]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    leaves = LEAVES[draw(st.sampled_from(sorted(LEAVES)))]
    leaves = draw(st.lists(st.sampled_from(leaves), min_size=2, max_size=8, unique=True))
    places = draw(st.permutations(range(len(ODD))))
    # What is a leaf as well counts at its lowest level, as the tests of each measure have it.
    free = [
        place for place in places if float_or_text(ODD[place]) not in map(float_or_text, leaves)
    ]
    groups = draw(st.lists(st.integers(0, 2), min_size=len(leaves), max_size=len(leaves)))
    rows = draw(
        st.lists(
            st.tuples(st.sampled_from(range(len(leaves))), st.integers(0, 2)),
            min_size=6,
            max_size=25,
        )
    )
    pay = draw(st.lists(st.integers(0, 9), min_size=len(rows), max_size=len(rows)))
    job = [("a", "b")[number % 2] for number in pay]
    trees, tables = [], []
    for names in (ODD, NEUTRAL):
        paths = {
            leaf: [leaf, names[free[group]], names[free[3]]]
            for leaf, group in zip(leaves, groups, strict=True)
        }
        trees.append({leaf: path[1:] for leaf, path in paths.items()})
        tables.append({"x": [paths[leaves[leaf]][level] for leaf, level in rows]})
    original = {"x": [leaves[leaf] for leaf, _ in rows]}
    others = {"pay": [str(number) for number in pay], "job": job}
    return Case(
        original | others, [table | others for table in tables], [{"x": tree} for tree in trees]
    )


def float_or_text(label: str) -> float | str:
    try:
        return float(label)
    except ValueError:
        return label


def figure(measure: Measure, case: Case, spelling: int) -> float | str:
    inputs = gather(
        pa.table(dict(case.released[spelling])),
        original=pa.table(dict(case.original)),
        hierarchies=case.hierarchies[spelling],
        quasi_identifiers=["x"],
    )
    try:
        return measure.run(inputs, {}).value
    except PetauditError as problem:
        return type(problem).__name__


@pytest.mark.parametrize("measure", MEASURES, ids=[own.name for own in MEASURES])
@settings(max_examples=examples(40))
@given(case=cases())
def test_no_figure_is_better_for_labels_that_look_like_something_else(
    measure: Measure, case: Case
) -> None:
    odd, neutral = (figure(measure, case, spelling) for spelling in range(2))
    if isinstance(odd, str) or isinstance(neutral, str):
        assert odd == neutral
        return
    better = odd - neutral if measure.better is Better.HIGHER else neutral - odd
    assert better <= ROUNDING, (odd, neutral)


@settings(max_examples=examples(60))
@given(case=cases())
def test_models_learn_the_same_from_labels_of_any_name(case: Case) -> None:
    """Model utility: what a model gets to see does not depend on what labels are called."""
    seen = []
    for spelling in range(2):
        inputs = gather(
            pa.table(dict(case.released[spelling])),
            original=pa.table(dict(case.original)),
            hierarchies=case.hierarchies[spelling],
        )
        assert inputs.original is not None
        encoder = feature_encoder(
            inputs.original.counts.value_counts("x"), inputs.leaves_under("x")
        )
        seen.append(encoder.encoded(case.released[spelling]["x"]).tolist())
    assert seen[0] == seen[1]


# --- destroyed columns ----------------------------------------------------------------------

Rows = list[Any]
ROWS: Final = 240
COLUMNS: Final[Mapping[str, Callable[[int], Any]]] = {
    "numbers": lambda row: row,
    "decimals": lambda row: row / 7,
    "text numbers": str,
    "dates": lambda row: date(1990, 1, 1) + timedelta(days=9 * row),
    "dates as text": lambda row: f"{1990 + row % 30}/03/{row % 28 + 1:02d}",
    "times": lambda row: time(row // 60, row % 60),
    "years": lambda row: 1800 + row,
    "codes": lambda row: f"{row % 40:05d}",
    "all-different codes": lambda row: f"{row:05d}",
    "all-different words": lambda row: f"word {row}",
    "months": lambda row: f"{1990 + row // 12}-{row % 12 + 1:02d}",
    "ranges": lambda row: f"{row % 8 * 10}-{row % 8 * 10 + 9}",
    "words": lambda row: f"w{row % 12}",
}


def shuffled(cells: Rows) -> Rows:
    return [cells[place] for place in np.random.default_rng(5).permutation(len(cells))]


@pytest.mark.parametrize("one", COLUMNS)
@pytest.mark.parametrize("other", COLUMNS)
def test_a_shuffled_column_has_lost_its_relations(one: str, other: str) -> None:
    """Shuffled, a column has nothing to do with any other: all that there was is the change."""
    first, second = ([COLUMNS[name](row) for row in range(ROWS)] for name in (one, other))
    original = pa.table({"x": first, "y": second})
    released = pa.table({"x": first, "y": shuffled(second)})
    inputs = gather(released, original=original)
    if {one, other} & {"all-different codes", "all-different words", "months"}:
        with pytest.raises(NotMeasurableError, match="nothing can be said"):
            association_change(inputs)
        return
    [pair] = association_change(inputs).pairs
    assert pair.original is not None
    assert pair.released is not None
    assert abs(pair.released) < 0.35
    assert pair.change == pytest.approx(
        abs(pair.original - pair.released) / (2 if pair.kind == "number-number" else 1)
    )


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("kept", ["*", None, "50", "1999", "2024-01-01", "[0,300[", "word"])
def test_a_replaced_column_is_far_from_what_it_was(name: str, kept: str | None) -> None:
    """Of 240 rows all got one cell; at the least half of them would have to change."""
    values = [COLUMNS[name](row) for row in range(ROWS)]
    original = pa.table({"x": values, "y": values})
    released = pa.table({"x": pa.array([kept] * ROWS, pa.string()), "y": values})
    for asked in ("auto", "total-variation"):
        x, y = distribution_distance(gather(released, original=original), figure=asked).columns
        assert x.distance is not None
        assert x.distance >= 0.5
        assert y.distance == 0
