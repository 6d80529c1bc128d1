"""t-closeness: agreement with the definition, choice of distance, worst classes, limits."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import strategies
from budget import examples
from measures.running import computing
from petaudit import mask_right, t_closeness
from petaudit.errors import (
    ColumnError,
    HierarchyError,
    InputError,
    NotMeasurableError,
    OptionError,
    PetauditWarning,
    RoleError,
)
from petaudit.inputs import gather
from petaudit.measures.base import Remedy
from petaudit.tables import emd
from petaudit.tables.classes import blocks as _blocks
from petaudit.tables.classes import packed as _packed
from strategies import Closeness, Release

every_distance = pytest.mark.parametrize("ask", strategies.CLOSENESS, ids=lambda ask: ask.__name__)

# The seed's worked example; salaries in thousands.
EXAMPLE = {
    "born": ["197*", "197*", "198*", "198*", "198*"],
    "salary": ["3", "4", "5", "6", "8"],
    "disease": ["cancer", "flu", "flu", "gastritis", "cancer"],
}
DISEASES = {
    "flu": ["respiratory", "any"],
    "cancer": ["stomach", "any"],
    "gastritis": ["stomach", "any"],
}


def example(**changed: list[Any]) -> pa.Table:
    return pa.table(EXAMPLE | changed)


# --- agreement with the twins ---------------------------------------------------------------


@every_distance
@settings(max_examples=examples(50))
@given(release=strategies.releases())
def test_t_is_exactly_the_twins_however_it_is_evaluated(
    ask: Callable[[Release], Closeness], release: Release
) -> None:
    asked = ask(release)
    assume(asked.classes)
    # Counts are kept, so that each way needs a table of its own.
    with patch.object(_packed, "MOST_VALUES", -1):
        in_pairs = computing("t-closeness")(
            gather(asked.table, **asked.arguments), distance=asked.distance
        )
    inputs = gather(asked.table, **asked.arguments)
    with patch.object(emd, "_LARGEST_INT64", 0):
        in_large_numbers = computing("t-closeness")(inputs, distance=asked.distance)
    at_once = computing("t-closeness")(inputs, distance=asked.distance)
    revealing = computing("t-closeness")(
        replace(inputs, reveal_values=True), distance=asked.distance
    )
    expected = asked.exact_t
    for result in (at_once, in_pairs, in_large_numbers, revealing):
        assert result.exact_value == expected
        assert result.value == float(expected)
        assert result.attributes[0].classes == len(asked.classes)
    assert in_pairs == at_once == in_large_numbers


@every_distance
@settings(max_examples=examples(25))
@given(release=strategies.releases(most_rows=12))
def test_t_is_the_cheapest_transport(ask: Callable[[Release], Closeness], release: Release) -> None:
    asked = ask(release)
    assume(asked.classes)
    result = computing("t-closeness")(
        gather(asked.table, **asked.arguments), distance=asked.distance
    )
    assert result.value == pytest.approx(asked.transport_t, abs=1e-9)


@every_distance
@settings(max_examples=examples(25))
@given(release=strategies.releases(), data=st.data())
def test_classes_and_rows_above_the_limit_are_those_of_the_twin(
    ask: Callable[[Release], Closeness], release: Release, data: st.DataObject
) -> None:
    asked = ask(release)
    assume(asked.classes)
    classes = asked.exact_distances
    distances = sorted({distance for _, distance, _ in classes} | {Fraction(0)})
    limit = data.draw(st.sampled_from(distances))
    result = computing("t-closeness")(
        gather(asked.table, **asked.arguments), limit=limit, distance=asked.distance
    ).attributes[0]
    above = [rows for rows, distance, _ in classes if distance > limit]
    assert (result.classes_above_limit, result.rows_above_limit) == (len(above), sum(above))


@every_distance
@settings(max_examples=examples(25))
@given(release=strategies.releases())
def test_the_worst_classes_are_those_of_the_twin(
    ask: Callable[[Release], Closeness], release: Release
) -> None:
    asked = ask(release)
    assume(asked.classes)
    expected = asked.exact_distances
    inputs = gather(asked.table, **asked.arguments)
    folded = (
        computing("t-closeness")(inputs, distance=asked.distance, worst=99)
        .attributes[0]
        .worst_classes
    )
    assert {(w.rows, w.figure): w.classes for w in folded} == Counter(
        (rows, float(distance)) for rows, distance, _ in expected
    )
    shown = computing("t-closeness")(
        replace(inputs, reveal_values=True), distance=asked.distance, worst=99
    )
    revealed = shown.attributes[0].worst_classes
    assert {(w.rows, w.figure, tuple((w.labels or {}).values())) for w in revealed} == {
        (rows, float(distance), labels) for rows, distance, labels in expected
    }
    for listed in (folded, revealed):
        order = [(-worst.figure, -worst.rows) for worst in listed]
        assert order == sorted(order)


@pytest.mark.parametrize("distinct", [30, 300, 700])
@pytest.mark.parametrize("distance", ["ordered", "equal"])
def test_many_values_are_counted_another_way_with_the_same_result(
    distance: Any, distinct: int
) -> None:
    # 300 counters are too many for one pass over classes of this size, 700 for any.
    rows: strategies.Rows = [
        {"qi": "ab"[i * i % 7 > 3], "s": str(i * 7919 % distinct)} for i in range(1500)
    ]
    asked = Closeness(rows, ("qi",), "s", distance, "exclude")
    with patch.object(_blocks, "grouped_classes", wraps=_blocks.grouped_classes) as in_pairs:
        result = t_closeness(asked.table, distance=distance, **asked.arguments)
    assert in_pairs.called is (distinct > 30)
    assert result.exact_value == asked.exact_t > 0


@pytest.mark.parametrize("engine", strategies.TABLE_ENGINES)
@pytest.mark.parametrize("known", [False, True])
def test_a_large_class_after_many_small_ones_is_counted_rightly(
    engine: str, known: bool, tmp_path: Path
) -> None:
    # From the first rows nobody would guess how large the counter of the last class must be.
    small, large = 20_000, 20_000
    columns = {
        "qi": [f"q{row}" for row in range(small)] + ["large"] * large,
        "s": ["a", "b"] * (small // 2) + ["c"] * large,
    }
    table = strategies.on_engine(columns, engine, tmp_path / "table")
    inputs = gather(table, quasi_identifiers="qi", sensitive="s")
    if known:
        assert inputs.table.counts.class_histogram(["qi"]).sizes.tolist() == [1, large]
    [result] = computing("t-closeness")(inputs, limit="0.6").attributes
    assert [(w.rows, w.figure, w.classes) for w in result.worst_classes] == [
        (1, 0.75, small),
        (large, 0.5, 1),
    ]
    assert (result.exact_t, result.classes) == (Fraction(3, 4), small + 1)
    assert (result.classes_above_limit, result.rows_above_limit) == (small, small)


@pytest.mark.parametrize(
    ("values", "asked", "used"),
    [
        ([Decimal("1.50"), Decimal("2.00"), Decimal("2.00"), None], "ordered", "ordered"),
        ([Decimal("1.5"), Decimal("2.0"), Decimal("2.0"), Decimal("9.5")], None, "ordered"),
        ([date(2020, 1, 1), date(2020, 1, 2), date(2020, 1, 2), None], None, "equal"),
        ([True, False, False, None], None, "equal"),
    ],
)
def test_values_of_other_kinds_are_measured_too(values: list[Any], asked: Any, used: str) -> None:
    # By either distance a quarter has to move from one end to the other, or two quarters halfway.
    table = pa.table({"qi": ["a", "a", "b", "b"], "s": values})
    result = t_closeness(table, quasi_identifiers="qi", sensitive="s", distance=asked)
    assert (result.attributes[0].distance, result.exact_value) == (used, Fraction(1, 4))


# --- which distance is used -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "hierarchy", "expected"),
    [
        (["1", "2", "2", "3", "1"], False, "ordered"),
        (["1", "2.5", "-2e3", ".5", "+1."], False, "ordered"),
        ([1, 2, 2, 3, 1], False, "ordered"),
        ([1.5, 2.0, 2.5, 3.0, 1.5], False, "ordered"),
        (["3k", "4k", "5k", "6k", "8k"], False, "equal"),
        (["1", "2", "2", "3", "nan"], False, "equal"),
        (["1", "2", "2", "3", "inf"], False, "equal"),
        (["1", "2", "2", "3", "1_000"], False, "equal"),
        ([True, False, True, True, False], False, "equal"),
        (["a", "b", "a", "a", "b"], True, "hierarchical"),
        (["a", "b", "a", "a", None], True, "hierarchical"),
        (["a", "b", "a", "a", "b"], False, "equal"),
        (["a", None, "a", "a", "b"], False, "equal"),
    ],
)
def test_the_distance_follows_from_the_values(
    values: list[Any], hierarchy: bool, expected: str
) -> None:
    result = t_closeness(
        pa.table({"born": EXAMPLE["born"], "s": values}),
        quasi_identifiers="born",
        sensitive="s",
        hierarchies={"s": {"a": ["*"], "b": ["*"]}} if hierarchy else None,
    )
    assert result.attributes[0].distance == expected


def test_numbers_are_ordered_even_where_there_is_a_hierarchy() -> None:
    hierarchy = {value: ["*"] for value in EXAMPLE["salary"]}
    result = t_closeness(
        example(), quasi_identifiers="born", sensitive="salary", hierarchies={"salary": hierarchy}
    )
    assert result.attributes[0].distance == "ordered"
    assert result.exact_value == Fraction(3, 8)


def test_a_null_beside_numbers_asks_for_the_equal_distance_and_says_so() -> None:
    table = example(salary=["3", "4", "5", "6", None])
    with pytest.warns(PetauditWarning, match="'salary' holds nulls beside numbers"):
        result = t_closeness(table, quasi_identifiers="born", sensitive="salary")
    assert result.attributes[0].distance == "equal"
    assert result.exact_value == Fraction(3, 5)


def test_a_column_of_nulls_holds_no_number_to_warn_about() -> None:
    table = strategies.arrow_columns({"born": EXAMPLE["born"], "salary": [None] * 5})
    result = computing("t-closeness")(gather(table, quasi_identifiers="born", sensitive="salary"))
    assert (result.exact_value, result.warnings) == (0, ())


def test_a_null_lies_beyond_the_largest_number_when_an_order_is_asked_for() -> None:
    table = example(salary=["3", "4", "5", "6", None])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = t_closeness(
            table, quasi_identifiers="born", sensitive="salary", distance="ordered"
        )
    assert result.exact_value == Fraction(3, 8)


@pytest.mark.parametrize(
    ("distance", "expected"),
    [("equal", Fraction(1, 5)), ("hierarchical", Fraction(3, 20)), (None, Fraction(3, 20))],
)
def test_the_caller_names_the_distance(distance: str | None, expected: Fraction) -> None:
    result = t_closeness(
        example(),
        quasi_identifiers="born",
        sensitive="disease",
        hierarchies={"disease": DISEASES},
        distance=distance,
    )
    assert result.exact_value == expected


def test_each_attribute_can_have_its_own_distance() -> None:
    result = t_closeness(
        example(),
        quasi_identifiers="born",
        sensitive=["salary", "disease"],
        hierarchies={"disease": DISEASES},
        distance={"disease": "equal"},
    )
    assert {a.attribute: (a.distance, a.exact_t) for a in result.attributes} == {
        "salary": ("ordered", Fraction(3, 8)),
        "disease": ("equal", Fraction(1, 5)),
    }


def test_the_table_is_as_far_as_its_worst_attribute() -> None:
    result = t_closeness(
        example(),
        quasi_identifiers="born",
        sensitive=["disease", "salary"],
        hierarchies={"disease": DISEASES},
        limit="0.2",
    )
    assert [a.attribute for a in result.attributes] == ["disease", "salary"]
    assert result.exact_value == max(a.exact_t for a in result.attributes) == Fraction(3, 8)
    assert result.passed is False
    assert [a.rows_above_limit for a in result.attributes] == [0, 5]


def test_an_inner_label_is_a_sensitive_value_like_any_other() -> None:
    # "stomach" and "cancer" meet one level up, "stomach" and "flu" only at the root.
    table = pa.table({"qi": ["x", "y", "y"], "d": ["stomach", "cancer", "flu"]})
    result = t_closeness(table, quasi_identifiers="qi", sensitive="d", hierarchies={"d": DISEASES})
    assert result.exact_value == Fraction(1, 3) * Fraction(1, 2) + Fraction(1, 3) * 1


def test_a_suppressed_value_meets_the_others_at_the_root() -> None:
    # No label of the hierarchy is `*`: it is as far from "flu" as from "cancer".
    table = pa.table({"qi": ["x", "y", "y"], "d": ["*", "cancer", "gastritis"]})
    result = t_closeness(table, quasi_identifiers="qi", sensitive="d", hierarchies={"d": DISEASES})
    assert result.exact_value == Fraction(2, 3)


@pytest.mark.parametrize("values", [[1, 2, 3], [1.0, 2.0, 3.0], ["1", "2", "3"]])
def test_numbers_have_a_hierarchy_when_asked_for(values: list[Any]) -> None:
    # One is as far from two as two is from three, but two and three are both "more".
    hierarchy = {"1": ["one", "*"], "2": ["more", "*"], "3": ["more", "*"]}
    result = t_closeness(
        pa.table({"qi": ["x", "x", "y"], "s": values}),
        quasi_identifiers="qi",
        sensitive="s",
        hierarchies={"s": hierarchy},
        distance="hierarchical",
    )
    assert result.exact_value == Fraction(1, 3) * Fraction(1, 2) + Fraction(1, 3)


def test_a_rule_for_a_column_that_the_original_lacks_is_an_error() -> None:
    with pytest.raises(ColumnError, match="unknown column 'disease'"):
        t_closeness(
            example(),
            original=pa.table({"born": ["1970"]}),
            quasi_identifiers="born",
            sensitive="disease",
            hierarchies={"disease": mask_right()},
        )


DISTANCE = (
    "distance must be ordered, hierarchical or equal"
    " or a mapping NAME: VALUE (each: ordered, hierarchical or equal)"
)


@pytest.mark.parametrize(
    ("distance", "error", "message"),
    [
        ("eqal", OptionError, f"{DISTANCE}, got 'eqal' (did you mean 'equal'?)"),
        ("", OptionError, f"{DISTANCE}, got ''"),
        (5, OptionError, f"{DISTANCE}, got 5"),
        (
            {"disease": "far"},
            OptionError,
            "disease must be ordered, hierarchical or equal, got 'far'",
        ),
        ({"desease": "equal"}, ColumnError, "unknown column 'desease' (did you mean 'disease'?)"),
        ({"born": "equal"}, ColumnError, "unknown column 'born'"),
        ("ordered", OptionError, "column 'disease' holds values that are not numbers"),
        ("hierarchical", HierarchyError, "there is no hierarchy for column 'disease'"),
    ],
)
def test_a_distance_that_cannot_be_used_is_an_error(
    distance: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        t_closeness(example(), quasi_identifiers="born", sensitive="disease", distance=distance)
    assert message in str(caught.value)


def test_a_value_that_the_hierarchy_lacks_is_an_error() -> None:
    with pytest.raises(HierarchyError) as caught:
        t_closeness(
            example(disease=["cancer", "flu", "flue", "gastritis", "cancer"]),
            quasi_identifiers="born",
            sensitive="disease",
            hierarchies={"disease": DISEASES},
        )
    assert "'flue' (did you mean 'flu'?)" in caught.value.with_values
    assert "flue" not in str(caught.value)


# --- classes --------------------------------------------------------------------------------


SUPPRESSED = {"born": ["197*", "197*", "*", "*"], "zip": ["1", "1", "*", "*"], "s": list("aabb")}


@pytest.mark.parametrize(
    ("suppressed", "classes", "rows"), [("exclude", 1, [2]), ("class", 2, [2])]
)
def test_suppressed_rows_are_left_out_or_one_class(
    suppressed: Any, classes: int, rows: list[int]
) -> None:
    result = t_closeness(
        pa.table(SUPPRESSED),
        quasi_identifiers=["born", "zip"],
        sensitive="s",
        suppressed=suppressed,
    )
    # The table's own distribution covers the suppressed rows in both cases.
    assert result.exact_value == Fraction(1, 2)
    assert result.attributes[0].classes == classes
    assert [worst.rows for worst in result.attributes[0].worst_classes] == rows


def test_a_row_with_one_star_is_not_suppressed() -> None:
    table = pa.table(SUPPRESSED | {"zip": ["1", "1", "*", "2"]})
    result = t_closeness(table, quasi_identifiers=["born", "zip"], sensitive="s")
    # One star is a label; only the row of stars is the class of suppressed rows.
    assert result.attributes[0].classes == 3
    result = t_closeness(
        table, quasi_identifiers=["born", "zip"], sensitive="s", suppressed="exclude"
    )
    assert result.attributes[0].classes == 2


@pytest.mark.parametrize("reveal", [False, True])
def test_a_table_of_suppressed_rows_has_nothing_to_measure(reveal: bool) -> None:
    table = pa.table({"born": ["*", "*"], "s": ["a", "b"]})
    given: dict[str, Any] = {"quasi_identifiers": "born", "sensitive": "s", "reveal_values": reveal}
    for limit in (None, 0, 1):
        with pytest.raises(NotMeasurableError, match="every row is suppressed"):
            t_closeness(table, limit=limit, suppressed="exclude", **given)


@pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
@pytest.mark.parametrize("values", [["5", "5", "5"], ["a", "a", "a"], [None, None, None]])
def test_one_value_is_equally_common_everywhere(values: list[str | None]) -> None:
    table = strategies.arrow_columns({"qi": ["x", "y", None], "s": values})
    result = t_closeness(table, quasi_identifiers="qi", sensitive="s", limit=0)
    assert result.exact_value == 0
    assert result.passed is True


def test_one_class_is_the_table() -> None:
    result = t_closeness(
        example(born=["19**"] * 5), quasi_identifiers="born", sensitive="salary", limit=0
    )
    assert (result.exact_value, result.passed, result.attributes[0].classes) == (0, True, 1)


def test_null_equals_null_in_a_quasi_identifier() -> None:
    table = pa.table({"qi": [None, None, "x", "x"], "s": ["a", "b", "a", "b"]})
    result = t_closeness(table, quasi_identifiers="qi", sensitive="s")
    assert (result.exact_value, result.attributes[0].classes) == (0, 2)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"sensitive": "salary"}, RoleError, "no quasi-identifier is known"),
        ({"quasi_identifiers": "born"}, RoleError, "no sensitive attribute is known"),
        ({"quasi_identifiers": ["born", "zipp"], "sensitive": "salary"}, ColumnError, "'zipp'"),
        ({"quasi_identifiers": "born", "sensitive": "born"}, RoleError, "'born' is named as"),
        (
            {"quasi_identifiers": "born", "sensitive": "salary", "suppressed": "drop"},
            OptionError,
            "suppressed must be 'class' or 'exclude', got 'drop'",
        ),
    ],
)
def test_without_its_columns_it_is_an_error(
    given: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        t_closeness(example(), **given)
    assert message in str(caught.value)


def test_a_table_without_rows_is_an_error() -> None:
    empty = pa.table({"born": pa.array([], pa.string()), "salary": pa.array([], pa.string())})
    with pytest.raises(InputError, match="no rows"):
        t_closeness(empty, quasi_identifiers="born", sensitive="salary")


# --- worst classes --------------------------------------------------------------------------


WORST = {
    "qi": ["a", "a", "b", "b", "c", "d", "d", "d", "d"],
    "s": ["x", "x", "x", "x", "x", "y", "y", "y", "y"],
}


@pytest.mark.parametrize("worst", [0, 1, 2, 3, 50])
def test_as_many_of_the_worst_classes_are_shown_as_asked(worst: int) -> None:
    result = t_closeness(pa.table(WORST), quasi_identifiers="qi", sensitive="s", worst=worst)
    expected = [(4, 5 / 9, 1), (2, 4 / 9, 2), (1, 4 / 9, 1)]
    shown = [(w.rows, w.figure, w.classes) for w in result.attributes[0].worst_classes]
    assert shown == expected[:worst]


def test_their_labels_are_shown_only_on_request() -> None:
    given = {"quasi_identifiers": "qi", "sensitive": "s"}
    silent = t_closeness(pa.table(WORST), **given)
    assert [worst.labels for worst in silent.attributes[0].worst_classes] == [None] * 3
    open_ = t_closeness(pa.table(WORST), reveal_values=True, **given)
    shown = [(w.rows, w.classes, w.labels) for w in open_.attributes[0].worst_classes]
    assert shown[0] == (4, 1, {"qi": "d"})
    assert sorted(labels["qi"] for rows, _, labels in shown if rows == 2) == ["a", "b"]
    assert shown[3] == (1, 1, {"qi": "c"})


@pytest.mark.parametrize("worst", [-1, 1.5, "2", True, None])
def test_a_senseless_number_of_worst_classes_is_an_error(worst: Any) -> None:
    with pytest.raises(OptionError, match="worst must be an integer >= 0, got "):
        t_closeness(pa.table(WORST), quasi_identifiers="qi", sensitive="s", worst=worst)


# --- the explanation ------------------------------------------------------------------------


def test_the_explanation_gives_the_reason_for_the_verdict() -> None:
    result = t_closeness(pa.table(WORST), quasi_identifiers="qi", sensitive="s", limit="0.44")
    assert result.explanation == (
        "s: t = 0.56 (equal distance, 4 classes); farthest: a class of 4 rows; "
        "4 classes with 9 rows are above the limit",
        "9 rows break the limit",
    )


def test_the_explanation_counts_equally_far_classes() -> None:
    table = pa.table({"qi": list("aabb"), "s": list("xxyy")})
    result = t_closeness(table, quasi_identifiers="qi", sensitive="s")
    assert "farthest: 2 classes of 2 rows" in result.explanation[0]


# --- what the limit would take --------------------------------------------------------------


@settings(max_examples=examples(40))
@given(release=strategies.releases(), data=st.data(), reveal=st.booleans())
def test_the_rows_that_break_the_limit_are_those_of_any_attribute(
    release: Release, data: st.DataObject, reveal: bool
) -> None:
    """Classes that are too far for two attributes are not suppressed twice."""
    asked = [
        replace(entry, every=release.sensitive)
        for entry in (strategies.ordered_numbers(release), strategies.equal_labels(release))
    ]
    for entry in asked:
        # Both see the same classes; the twin knows one sensitive column at a time.
        assert entry.classes == asked[0].classes
    assume(asked[0].classes)
    far = [
        {labels: (rows, distance) for rows, distance, labels in entry.exact_distances}
        for entry in asked
    ]
    every = sorted({distance for entry in far for _, distance in entry.values()} | {Fraction(0)})
    limit = data.draw(st.sampled_from(every))
    breaking = {
        labels: rows
        for entry in far
        for labels, (rows, distance) in entry.items()
        if distance > limit
    }
    columns = {
        name: strategies.cells(asked[0].rows, name) for name in release.quasi_identifiers
    } | {entry.column: strategies.cells(entry.rows, entry.column) for entry in asked}
    inputs = gather(
        strategies.arrow_columns(columns),
        quasi_identifiers=release.quasi_identifiers,
        sensitive=[entry.column for entry in asked],
        suppressed=release.suppressed,
        reveal_values=reveal,
    )
    distance = {entry.column: entry.distance for entry in asked}
    result = computing("t-closeness")(inputs, limit=limit, distance=distance)
    rows = sum(breaking.values())
    in_classes = sum(size for size, _ in far[0].values())
    # Where every class breaks it, nothing would be left to measure.
    helps = not rows or (release.suppressed == "exclude" and rows < in_classes)
    assert result.remedy is not None
    assert result.remedy.rows_breaking == rows
    assert result.remedy.rows_to_suppress == (rows if helps else None)
    assert result.passed is (rows == 0)
    assert result.remedy is not None
    assert result.explanation[-1] == result.remedy.text


def test_suppressing_what_it_takes_reaches_the_limit() -> None:
    table = {"qi": list("aabbcc"), "s": list("xyxxyy"), "t": list("pqpqpp")}
    given = {"quasi_identifiers": "qi", "sensitive": ["s", "t"], "limit": "0.4"}
    result = t_closeness(pa.table(table), **given, suppressed="exclude")
    assert result.remedy is not None
    # The classes b and c have one value of s each: half of the table has the other one.
    assert (result.passed, result.remedy.rows_to_suppress) == (False, 4)
    assert result.remedy.share_to_suppress == 4 / 6
    released = pa.table(table | {"qi": list("aa****")})
    after = t_closeness(released, **given, suppressed="exclude")
    assert (after.passed, after.remedy and after.remedy.rows_breaking) == (True, 0)
    # Where suppressed rows are a class, neither is promised: dropping rows changes the table.
    as_class = t_closeness(pa.table(table), **given).remedy
    assert as_class == Remedy(4, None, None)
    assert t_closeness(pa.table(table), **given | {"limit": None}).remedy is None
