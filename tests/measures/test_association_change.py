"""Association change: agreement with the definition, worked examples, options, conventions."""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import strategies
from budget import examples
from measures import comparison_twin as twin
from measures.running import computing
from petaudit import ranges
from petaudit.errors import ColumnError, NotMeasurableError, OptionError, PetauditWarning
from petaudit.inputs import Inputs, gather
from petaudit.measures.association_change import association_change
from petaudit.tables.associations import PairChange
from strategies import NULL, Release, arrow

compute = computing("association-change")

# --- agreement with the twin ----------------------------------------------------------------


Expected = dict[tuple[str, str], tuple[float, float, float] | None]


def assert_is_the_twins(inputs: Inputs, expected: Expected, correlation: str = "pearson") -> None:
    told = [entry for entry in expected.values() if entry is not None]
    if not told:
        with pytest.raises(NotMeasurableError, match="no pair is left: nothing can be said about"):
            compute(inputs, correlation=correlation)
        return
    result = compute(inputs, correlation=correlation)
    assert [(entry.first, entry.second) for entry in result.pairs] == list(expected)
    for entry in result.pairs:
        figures = (entry.original, entry.released, entry.change)
        figures_of_twin = expected[entry.first, entry.second] or (None, None, None)
        assert figures == pytest.approx(figures_of_twin, abs=1e-7), entry
        assert (entry.kind == "number-number") == (entry.pearson_original is not None)
        if entry.kind == "number-number":
            assert entry.original == getattr(entry, f"{correlation}_original")
            assert entry.released == getattr(entry, f"{correlation}_released")
    assert result.value == pytest.approx(sum(entry[2] for entry in told) / len(told), abs=1e-7)
    assert bool(result.crowded_columns) == (len(told) < len(expected))


@settings(max_examples=examples(120))
@given(release=strategies.releases(), kept=st.integers(1, 25))
def test_the_changes_are_the_twins(release: Release, kept: int) -> None:
    released = release.released[:kept][::-1]
    inputs = gather(
        arrow(released), original=arrow(release.original), hierarchies=release.given_hierarchies
    )
    names = [*release.quasi_identifiers, "pay", "disease"]
    expected = twin.association_changes(release.original, released, names, release.hierarchies)
    assert_is_the_twins(inputs, expected)


AGES = {"1": ["1-2"], "2": ["1-2"], "5": ["5-9"], "9": ["5-9"], NULL: [NULL]}
CELLS = st.tuples(
    st.sampled_from(["1", "2", "5", "9", NULL, "*"]),
    st.sampled_from(["1", "2.0", "1-2", "5-9", "*", NULL]),
    st.sampled_from(["-1", "0.5", "7", NULL]),
    st.sampled_from(["-1", "0.5", "7", "*"]),
    st.sampled_from(["x", "y", NULL]),
)


@settings(max_examples=examples(150))
@given(
    rows=st.lists(CELLS, min_size=1, max_size=20),
    correlation=st.sampled_from(["pearson", "spearman"]),
    with_tree=st.booleans(),
)
def test_numbers_and_their_ranges_are_the_twins(
    rows: list[tuple[str, ...]], correlation: str, with_tree: bool
) -> None:
    original = [{"age": row[0], "pay": row[2], "job": row[4]} for row in rows]
    released = [{"age": row[1], "pay": row[3], "job": row[4]} for row in rows[::-1]]
    trees = {"age": AGES} if with_tree else {}
    inputs = gather(
        arrow(released),
        original=arrow(original),
        hierarchies={name: strategies.given_hierarchy(tree) for name, tree in trees.items()},
    )
    expected = twin.association_changes(
        original, released, ["age", "pay", "job"], trees, correlation
    )
    assert_is_the_twins(inputs, expected, correlation)


# --- by hand --------------------------------------------------------------------------------


def pair(original: dict[str, Any], released: dict[str, Any], **given: Any) -> PairChange:
    [result] = association_change(pa.table(original), pa.table(released), **given).pairs
    return result


def test_pearson_and_spearman_by_hand() -> None:
    # Means 2 and 2: covariance -1*-2 + 0*-1 + 1*3 = 5 over sqrt(2 * 14); ranks agree.
    result = pair({"x": [1, 2, 3], "y": [0, 1, 5]}, {"x": [1, 2, 3], "y": [5, 1, 0]})
    assert result.kind == "number-number"
    assert result.original == pytest.approx(5 / sqrt(28), abs=1e-12)
    assert result.released == pytest.approx(-5 / sqrt(28), abs=1e-12)
    assert result.change == pytest.approx(5 / sqrt(28), abs=1e-12)
    assert (result.spearman_original, result.spearman_released) == pytest.approx((1, -1), abs=1e-12)


def test_a_reversed_correlation_is_the_largest_change() -> None:
    result = pair({"x": [1, 2], "y": [1, 2]}, {"x": [1, 2], "y": [2, 1]}, limit=1)
    assert result.change == 1


def test_eta_by_hand() -> None:
    # Mean 4; within a 1 + 1, within b 1 + 1, over 4 - 2; all 9 + 1 + 1 + 9 = 20, over 4 - 1.
    original = {"g": ["a", "a", "b", "b"], "x": [1, 3, 5, 7]}
    released = {"g": ["a", "b", "b", "a"], "x": [1, 3, 5, 7]}
    result = pair(original, released)
    assert (result.kind, result.coefficient) == ("category-number", "eta")
    assert result.original == pytest.approx(sqrt(1 - (4 / 2) / (20 / 3)), abs=1e-12)
    assert (result.released, result.change) == pytest.approx((0, sqrt(0.7)), abs=1e-12)
    turned = pair({"x": original["x"], "g": original["g"]}, {"g": ["a"] * 4, "x": [1, 3, 5, 7]})
    assert (turned.kind, turned.released) == ("category-number", 0)


def test_cramers_v_by_hand() -> None:
    # 3 1 / 1 3: every cell expects 2, chi-square is 4 * 1/2 = 2 of 8 rows, phi-square 1/4. By
    # chance it is 1 * 1 / 7; corrected, there are 2 - 1/7 values on both sides.
    left = ["a"] * 4 + ["b"] * 4
    result = pair({"x": left, "y": list("uuuvuvvv")}, {"x": left, "y": list("uvuvuvuv")})
    assert (result.kind, result.coefficient) == ("category-category", "cramers-v")
    assert result.original == pytest.approx(sqrt((1 / 4 - 1 / 7) / (1 - 1 / 7)), abs=1e-12)
    assert result.released == 0


def test_a_range_is_the_middle_of_its_leaves() -> None:
    original = {"age": [20, 24, 30, 38], "pay": [1, 2, 3, 5]}
    released = {"age": ["[20,30[", "[20,30[", "[30,40[", "[30,40["], "pay": [1, 2, 3, 5]}
    result = pair(original, released, hierarchies={"age": ranges(10)})
    # Middles 22, 22, 34, 34: as good as 0 0 1 1.
    assert result.kind == "number-number"
    assert result.released == pytest.approx(
        stats.pearsonr([0, 0, 1, 1], [1, 2, 3, 5]).statistic, abs=1e-12
    )


def test_labels_that_nothing_explains_make_the_column_one_of_categories_in_both_tables() -> None:
    original = {"age": [20, 20, 38, 38], "pay": [1, 1, 3, 3]}
    released = {"age": ["young", "young", "old", "old"], "pay": [1, 2, 3, 5]}
    result = pair(original, released)
    assert (result.kind, result.coefficient) == ("category-number", "eta")
    assert result.original == pytest.approx(1, abs=1e-12)
    # Where every age of the original is a group by itself, chance explains as much.
    with pytest.raises(NotMeasurableError, match="fewer than two rows per label in age"):
        pair({"age": [20, 24, 30, 38], "pay": [1, 2, 3, 5]}, released)


def test_suppressed_cells_are_left_out() -> None:
    original = {"x": [1, 1, 2, 2], "y": [1, 1, 2, 2], "z": ["a", "a", "b", "b"]}
    original = {name: [*cells, cells[-1]] for name, cells in original.items()}
    released = {"x": ["1", "1", "2", "2", "*"], "y": [1, 1, 2, 2, -99], "z": [*"aabb*"]}
    result = association_change(pa.table(original), pa.table(released))
    assert [entry.released for entry in result.pairs] == pytest.approx([1, 1, 1], abs=1e-12)


def test_the_root_of_a_hierarchy_says_nothing_either() -> None:
    tree = {"1": ["?"], "2": ["?"]}
    original = {"x": [1, 1, 2, 2], "y": ["a", "a", "b", "b"]}
    released = {"x": ["1", "1", "2", "2", "?"], "y": ["a", "a", "b", "b", "a"]}
    result = pair(original, released, hierarchies={"x": tree})
    assert (result.released, result.change) == pytest.approx((1, 0), abs=1e-12)


def test_a_constant_column_has_no_association_and_the_reader_is_told() -> None:
    original = pa.table({"x": [1, 1, 2, 2], "y": [3] * 4, "z": ["a", "a", "b", "b"]})
    result = association_change(original, original)
    assert [entry.original for entry in result.pairs] == pytest.approx([0, 1, 0], abs=1e-12)
    assert result.constant_columns == ("y",)
    assert result.explanation[1].endswith("association 0 by convention: y")


def test_a_table_that_says_nothing_any_more_has_no_association() -> None:
    original = pa.table({"x": ["a", "a", "b", "b"], "y": ["a", "a", "b", "b"]})
    released = pa.table({"x": ["*", "*"], "y": ["*", "*"]})
    assert association_change(original, released).value == 1


def test_one_row_tells_nothing_about_labels() -> None:
    table = pa.table({"x": [1], "y": ["a"]})
    with pytest.raises(NotMeasurableError, match="nothing can be said about 1 pair"):
        association_change(table, table, limit=0)
    numbers = pa.table({"x": [1], "y": [2]})
    assert association_change(numbers, numbers, limit=0).passed is True


def test_the_value_is_the_mean_over_pairs() -> None:
    original = pa.table({"a": list("uuvv"), "b": list("uuvv"), "c": list("uvuv")})
    released = pa.table({"a": list("uuvv"), "b": list("uvuv"), "c": list("uvuv")})
    result = association_change(original, released)
    # a-b 1 to 0, a-c stays 0, b-c 0 to 1.
    assert result.value == pytest.approx(2 / 3, abs=1e-12)
    assert result.explanation[0].startswith("3 pairs; largest change first: a and b 1 -> 0 (cram")


# --- limits, options, columns ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "passed"), [(0.5, True), (0.5 - 1e-13, True), (0.499999, False), (1, True)]
)
def test_limits_allow_for_rounding_only(limit: float, passed: bool) -> None:
    original = pa.table({"x": [1, 1, 2, 2], "y": [1, 1, 2, 2]})
    released = pa.table({"x": [1, 1, 2, 2], "y": [1, 2, 1, 2]})
    assert association_change(original, released, limit=limit).passed is passed


WIDE = pa.table({f"c{index}": [index, 1, 2] for index in range(5)})


def test_too_many_columns_are_left_out_and_named() -> None:
    with pytest.warns(PetauditWarning, match="2 columns of 5 left out; choose with columns, or"):
        result = association_change(WIDE, WIDE, most_columns=3)
    assert len(result.pairs) == 3
    assert result.explanation[-1] == "2 columns left out (most_columns): c3, c4"
    assert len(association_change(WIDE, WIDE).pairs) == 10


def test_columns_can_be_chosen() -> None:
    result = association_change(WIDE, WIDE, columns=("c3", "c1"))
    assert [(entry.first, entry.second) for entry in result.pairs] == [("c3", "c1")]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"correlation": "kendall"},
            OptionError,
            "correlation must be pearson or spearman, got 'kendall'",
        ),
        ({"most_columns": 1}, OptionError, "most_columns must be an integer >= 2, got 1"),
        ({"most_columns": True}, OptionError, "most_columns must be an integer >= 2, got true"),
        (
            {"columns": {}},
            OptionError,
            "columns must be the name of a column (quote numbers, yes and no) or a list (each: "
            "the name of a column (quote numbers, yes and no)), got an empty mapping",
        ),
        ({"columns": "c1"}, NotMeasurableError, "there is no pair of columns: only c1 is compared"),
        ({"columns": "c9"}, ColumnError, "unknown column 'c9'"),
        (
            {"limit": "x"},
            OptionError,
            "the limit of association-change must be a finite number, got 'x'",
        ),
    ],
)
def test_wrong_options_are_refused(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        association_change(WIDE, WIDE, **options)
    assert str(caught.value).startswith(message)


def test_details_have_a_row_per_pair() -> None:
    original = pa.table({"x": [1, 2, 4, 5], "g": ["a", "a", "b", "b"], "y": [1, 2, 3, 4]})
    result = association_change(original, original, correlation="spearman")
    details = result.table("details")
    assert details["kind"].values == ["number-category", "number-number", "category-number"]
    assert details["coefficient"].values == ["eta", "spearman", "eta"]
    assert details["pearson_original"].values[0] is None
    assert details["spearman_original"].values[1] == pytest.approx(1)
    assert result.figure == "association-change (spearman)"
    with pytest.raises(OptionError, match="has no table 'columnwise'"):
        result.table("columnwise")


@pytest.mark.parametrize("engine", strategies.TABLE_ENGINES)
def test_every_engine_says_the_same(engine: str, tmp_path: Path) -> None:
    original = {
        "x": [1.0, 2.0, None, 4.0] * 2,
        "y": [1.0, 3.0, 2.0, 9.0, 8.0, 7.0, 5.5, 0.5],
        "g": ["a", " b ", "a", None] * 2,
        "day": [f"2024-02-{day:02d}" for day in range(1, 9)],
    }
    released = {
        "x": [1.0, 4.0, None] * 2,
        "y": [9.0, 2.0, 2.0, 1.0, 1.0, 1.0],
        "g": ["a", "b", None] * 2,
        "day": [f"2024-02-{day:02d}" for day in (1, 5, 4, 3, 28, 29)],
    }
    results = [
        association_change(
            strategies.on_engine(original, entry, tmp_path / "original"),
            strategies.on_engine(released, entry, tmp_path / "released"),
        )
        for entry in ("pyarrow", engine)
    ]
    assert results[0] == results[1]


def test_pandas_categories_with_gaps() -> None:
    cells = {"g": pd.Categorical(["a", None, "b"] * 2), "h": ["u", "v", "w"] * 2}
    table = pd.DataFrame(cells)
    assert association_change(table, table).pairs[0].original == pytest.approx(1, abs=1e-12)


# --- the reference table --------------------------------------------------------------------


def test_adult(shared_data: Path) -> None:
    adult = shared_data / "adult"
    inputs = gather(adult / "adult_anonymized.csv", original=adult / "adult.csv")
    result = compute(inputs)
    assert len(result.pairs) == 36
    # The same again by pandas and scipy.
    before, after = (
        pd.read_csv(adult / name, sep=";", skipinitialspace=True)
        for name in ("adult.csv", "adult_anonymized.csv")
    )
    by_pair = {(entry.first, entry.second): entry for entry in result.pairs}
    for one, other in (("race", "sex"), ("education", "occupation")):
        kept = after[(after[one] != "*") & (after[other] != "*")]
        entry = by_pair.get((one, other)) or by_pair[other, one]
        for table, figure in ((before, entry.original), (kept, entry.released)):
            crossed = pd.crosstab(table[one], table[other])
            cramer = stats.contingency.association(crossed.to_numpy())
            n, (r, c) = crossed.to_numpy().sum(), crossed.shape
            phi = cramer**2 * (min(r, c) - 1) - (r - 1) * (c - 1) / (n - 1)
            smaller = min(entry - (entry - 1) ** 2 / (n - 1) for entry in (r, c)) - 1
            assert figure == pytest.approx(sqrt(phi / smaller), abs=1e-12)
    assert result.value < 1
