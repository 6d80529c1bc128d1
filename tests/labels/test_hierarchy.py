"""One hierarchy: its levels, its paths, and what is no hierarchy."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import twins
from petaudit.errors import HierarchyError
from petaudit.labels.hierarchy import Hierarchy

CITY = Hierarchy(
    "city", [["臺北", "北部", "臺灣"], ["基隆", "北部", "臺灣"], ["高雄", "南部", "臺灣"]]
)


def test_levels_and_paths() -> None:
    assert CITY.levels == 3
    assert CITY.top == "臺灣"
    assert CITY.leaves == ("臺北", "基隆", "高雄")
    assert CITY.path_of("基隆") == ("基隆", "北部", "臺灣")
    assert [CITY.generalize("高雄", level) for level in range(3)] == ["高雄", "南部", "臺灣"]
    assert [CITY.level_of(label) for label in ("高雄", "南部", "臺灣")] == [0, 1, 2]
    assert CITY.path_from("北部") == ("北部", "臺灣")
    assert CITY.is_leaf("臺北")
    assert not CITY.is_leaf("北部")
    assert CITY.ambiguous_labels == ()


def test_cells_are_trimmed_and_numbers_are_labels() -> None:
    hierarchy = Hierarchy("age", [[23, " 2*\u3000", "*"], [24.0, "2*", "*"]])
    assert hierarchy.leaves == ("23", "24")
    assert hierarchy.path_of("24") == ("24", "2*", "*")


def test_a_mapping_from_leaf_to_labels() -> None:
    hierarchy = Hierarchy.from_mapping("sex", {"F": ["person"], "M": "person"})
    assert hierarchy.path_of("M") == ("M", "person")
    assert Hierarchy.from_mapping("x", {"a": ("b", "c")}).path_of("a") == ("a", "b", "c")


def test_a_line_may_stand_twice() -> None:
    assert Hierarchy("x", [["a", "*"], ["a", "*"], ["b", "*"]]).leaves == ("a", "b")


# Roots and suppression ---------------------------------------------------------------------------


def test_several_labels_at_the_top_get_a_root() -> None:
    hierarchy = Hierarchy("x", [["a", "p"], ["b", "q"]])
    assert hierarchy.levels == 3
    assert hierarchy.top == "*"
    assert hierarchy.path_of("a") == ("a", "p", "*")


def test_leaves_alone_get_a_root_too() -> None:
    assert Hierarchy("x", [["a"], ["b"]]).path_of("b") == ("b", "*")


def test_one_label_at_the_top_is_the_root() -> None:
    assert Hierarchy("x", [["a", "p"], ["b", "p"]]).levels == 2
    assert Hierarchy("x", [["only"]]).levels == 1


def test_a_star_is_the_top_where_no_level_names_it() -> None:
    assert CITY.level_of("*") == 2
    assert CITY.holds("*")
    assert CITY.path_from("*") == ("臺灣",)
    assert not CITY.is_leaf("*")


def test_a_star_is_where_the_hierarchy_names_it() -> None:
    hierarchy = Hierarchy("x", [["*", "hidden", "all"], ["a", "shown", "all"]])
    assert hierarchy.level_of("*") == 0
    assert hierarchy.is_leaf("*")


# Labels at several levels ------------------------------------------------------------------------


def test_a_label_counts_at_its_lowest_level() -> None:
    """As 50 in data/adult: a raw age and the label of all ages above."""
    age = Hierarchy("age", [["49", "<50"], ["50", "50"], ["51", "50"]])
    assert age.level_of("50") == 0
    assert age.level_of("<50") == 1
    assert age.ambiguous_labels == ("50",)
    assert age.path_from("50") == ("50", "50", "*")


def test_the_lowest_level_is_found_in_any_row() -> None:
    """The label stands higher in the first row than in the last."""
    hierarchy = Hierarchy("x", [["a", "p", "m"], ["b", "p", "m"], ["m", "q", "m"]])
    assert hierarchy.level_of("m") == 0
    assert hierarchy.ambiguous_labels == ("m",)


def test_the_same_label_twice_at_one_level_is_not_ambiguous() -> None:
    assert Hierarchy("x", [["a", "p", "1"], ["b", "p", "2"]]).ambiguous_labels == ()


LABELS = st.sampled_from("abcdef*")


@given(rows=st.dictionaries(LABELS, st.tuples(LABELS, LABELS), min_size=1, max_size=7))
def test_levels_agree_with_the_definition(rows: dict[str, tuple[str, str]]) -> None:
    hierarchy = Hierarchy.from_mapping("x", dict(rows))
    plain = {leaf: list(path) for leaf, path in rows.items()}
    expected = twins.paths_from_leaf(plain)
    assert {leaf: list(hierarchy.path_of(leaf)) for leaf in hierarchy.leaves} == {
        leaf: path for leaf, path in expected.items() if leaf is not None
    }
    for label in "abcdef*":
        try:
            level = twins.level_of(label, plain)
        except KeyError:
            assert not hierarchy.holds(label)
            with pytest.raises(HierarchyError):
                hierarchy.level_of(label)
        else:
            assert hierarchy.holds(label)
            assert hierarchy.level_of(label) == level


# Nulls -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("blank", ["", "  ", None])
def test_a_blank_leaf_stands_for_null(blank: str | None) -> None:
    hierarchy = Hierarchy("x", [["a", "known", "*"], [blank, "unknown", "*"]])
    assert hierarchy.holds(None)
    assert hierarchy.is_leaf(None)
    assert hierarchy.level_of(None) == 0
    assert hierarchy.path_of(None)[1:] == ("unknown", "*")
    assert hierarchy.generalize(None, 1) == "unknown"


def test_a_null_may_stay_null_for_some_levels() -> None:
    hierarchy = Hierarchy("x", [["a", "known", "*"], ["", "", "*"]])
    assert [hierarchy.generalize(None, level) for level in range(3)] == [None, None, "*"]
    assert hierarchy.level_of(None) == 0
    assert hierarchy.ambiguous_labels == (), "a null at several levels needs no warning"


def test_a_hierarchy_without_a_blank_leaf_does_not_hold_null() -> None:
    assert not CITY.holds(None)
    with pytest.raises(HierarchyError, match="null"):
        CITY.level_of(None)


# What is no hierarchy ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([], "hierarchy of 'x' is empty"),
        ([[]], "line 1: the row is empty"),
        ([["a", "p"], []], "line 2: the row is empty"),
        ([["a", "p", "*"], ["b", "*"]], "line 2: the leaf has 2 levels where .* before have 3"),
        ([["a", "*"], ["b", "p", "*"]], "line 2: the leaf has 3 levels where .* before have 2"),
        ([["a", "p"], ["b", "p"], ["a", "q"]], "line 3: the leaf .* with another path"),
        ([["a", "", "*"]], "line 1: the leaf has an empty label above it"),
        ([["a", "p", None]], "line 1: the leaf has an empty label above it"),
    ],
)
def test_malformed_rows_are_refused_with_line_and_label(rows: list[Any], complaint: str) -> None:
    with pytest.raises(HierarchyError, match=complaint):
        Hierarchy("x", rows)


def test_a_row_that_is_one_text_is_not_read_letter_by_letter() -> None:
    with pytest.raises(HierarchyError):
        Hierarchy("x", ["ab", "cd"])


# Labels that are not there -----------------------------------------------------------------------


def test_an_unknown_label_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(HierarchyError) as caught:
        Hierarchy("disease", [["influenza", "lung"], ["ulcer", "gut"]]).level_of("influenca")
    said = "column 'disease' holds 1 label not found in its hierarchy (hierarchy of 'disease')"
    assert str(caught.value) == said
    assert caught.value.with_values == f"{said}: 'influenca' (did you mean 'influenza'?)"


def test_an_unknown_leaf_is_refused() -> None:
    with pytest.raises(HierarchyError, match=r"'city' holds 1 value that is not a leaf") as caught:
        CITY.path_of("北部")
    assert "北部" not in str(caught.value)
    assert "'北部'" in caught.value.with_values


def test_at_most_three_labels_are_quoted_and_none_unless_asked_for() -> None:
    problem = CITY.unknown_labels(["v1", "v2", "v3", "v4", "v5"])
    assert "'v1', 'v2', 'v3' and 2 more" in problem.with_values
    assert "v1" not in str(problem)
    assert "v1" not in repr(problem)
    assert "5 labels" in str(problem)
