"""Hierarchies built from a rule."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petaudit.errors import HierarchyError, OptionError
from petaudit.labels.numbers import range_of
from petaudit.labels.rules import PathRule, Rule, dates, mask_right, ordered, ranges


def path(rule: Rule, leaf: str | None, *others: str | None) -> tuple[str, ...]:
    return rule.build("x", [leaf, *others]).path_of(leaf)


# Ranges ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("leaf", "expected"),
    [
        ("20", ("20", "[20,25[", "[20,30[", "*")),
        ("24", ("24", "[20,25[", "[20,30[", "*")),
        ("24.99", ("24.99", "[20,25[", "[20,30[", "*")),
        ("25", ("25", "[25,30[", "[20,30[", "*")),
        ("0", ("0", "[0,5[", "[0,10[", "*")),
        ("-1", ("-1", "[-5,0[", "[-10,0[", "*")),
        ("-10", ("-10", "[-10,-5[", "[-10,0[", "*")),
        ("1e2", ("1e2", "[100,105[", "[100,110[", "*")),
    ],
)
def test_numbers_fall_into_half_open_ranges(leaf: str, expected: tuple[str, ...]) -> None:
    assert path(ranges(5, 10), leaf) == expected


def test_ranges_may_start_anywhere() -> None:
    assert path(ranges(10, origin=18), "27") == ("27", "[18,28[", "*")
    assert path(ranges(10, origin=18), "17") == ("17", "[8,18[", "*")


@pytest.mark.parametrize(
    ("leaf", "label"),
    [("17", "<18"), ("18", "[10,20["), ("79", "[70,80["), ("80", ">=80"), ("120", ">=80")],
)
def test_tails_can_be_coded(leaf: str, label: str) -> None:
    assert path(ranges(10, bottom=18, top=80), leaf) == (leaf, label, "*")


@pytest.mark.parametrize("width", [0.1, "0.1", Decimal("0.1"), Fraction(1, 10)])
def test_widths_mean_what_was_written(width: Any) -> None:
    """Three times 0.1 is 0.3: a float sum would put 0.3 into the range below."""
    assert path(ranges(width), "0.3")[1] == "[0.3,0.4["


@given(
    start=st.integers(-(10**12), 10**12),
    steps=st.lists(st.integers(0, 400), min_size=2, max_size=5, unique=True),
)
def test_two_ranges_never_share_a_label(start: int, steps: list[int]) -> None:
    leaves = [str(start + Decimal(step) / 100) for step in steps]
    built = ranges("0.25").build("x", leaves)
    quarters = {leaf: Fraction(leaf) // Fraction(1, 4) for leaf in leaves}
    for one in leaves:
        for other in leaves:
            same_range = quarters[one] == quarters[other]
            assert (built.generalize(one, 1) == built.generalize(other, 1)) == same_range


def test_nulls_meet_the_numbers_at_the_root() -> None:
    hierarchy = ranges(5, 10).build("x", ["7", None])
    assert [hierarchy.generalize(None, level) for level in range(4)] == [None, None, None, "*"]


def test_a_value_that_is_no_number_is_refused() -> None:
    with pytest.raises(HierarchyError) as caught:
        ranges(5).build("age", ["23", "2*"])
    said = (
        "rule ranges for 'age': 1 value cannot be read as a number (other: true in the rule puts "
        "such values into a level of their own)"
    )
    assert str(caught.value) == said
    assert caught.value.with_values == f"{said}: '2*'"


@pytest.mark.parametrize(
    ("widths", "options", "complaint"),
    [
        ((), {}, "at least one width"),
        ((0,), {}, "each above 0"),
        ((-5,), {}, "each above 0"),
        ((5, 12), {}, "width 12 is not a larger multiple of 5"),
        ((5, 5), {}, "width 5 is not a larger multiple of 5"),
        ((10, 5), {}, "width 5 is not a larger multiple of 10"),
        (("wide",), {}, "a range width must be a finite number, got 'wide'"),
        ((True,), {}, "a range width must be a finite number, got True"),
        ((5,), {"origin": "x"}, "origin must be a finite number, got 'x'"),
        ((5,), {"top": float("nan")}, "top must be a finite number, got nan"),
        ((5,), {"bottom": 80, "top": 20}, "bottom"),
    ],
)
def test_ranges_that_make_no_sense(
    widths: tuple[Any, ...], options: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(OptionError, match=complaint):
        ranges(*widths, **options)


@pytest.mark.parametrize(
    ("leaf", "expected"),
    [
        ("20", ("20", "20-24", "20-39", "*")),
        ("39.0", ("39.0", "35-39", "20-39", "*")),
        ("-1", ("-1", "-5--1", "-20--1", "*")),
        ("1,039", ("1,039", "1035-1039", "1020-1039", "*")),
        ("90", ("90", ">=80", ">=80", "*")),
    ],
)
def test_closed_ranges_are_written_as_people_do(leaf: str, expected: tuple[str, ...]) -> None:
    rule = ranges(5, 20, closed=True, top=None if leaf == "1,039" else 80)
    assert path(rule, leaf) == expected


@given(st.integers(-(10**6), 10**6), st.integers(2, 50), st.integers(-100, 100))
def test_a_closed_range_is_read_back_as_its_integers(number: int, width: int, start: int) -> None:
    low, high = range_of(path(ranges(width, origin=start, closed=True), str(number))[1]) or (1, 0)
    assert low <= number <= high
    assert high - low == width - 1
    assert (low - start) % width == 0


def test_a_closed_range_takes_integers_only() -> None:
    with pytest.raises(HierarchyError, match="1 value cannot be read as an integer"):
        ranges(20, closed=True).build("age", ["39", "39.5"])


# Masks -------------------------------------------------------------------------------------------


def test_characters_are_hidden_from_the_right() -> None:
    assert path(mask_right(), "476") == ("476", "47*", "4**", "***")


def test_a_short_value_has_as_many_levels_as_the_longest() -> None:
    built = mask_right().build("zip", ["47677", "47"])
    assert built.path_of("47") == ("47", "4*", "**", "***", "****", "*****")
    assert built.path_of("47677")[-1] == built.top == "*****"


def test_a_mask_may_stop_early() -> None:
    assert path(mask_right(levels=2), "47677", "11111") == ("47677", "4767*", "476**", "*")
    assert path(mask_right(levels=9), "47", "11") == ("47", "4*", "**")


def test_another_mark() -> None:
    assert path(mask_right(mark="#"), "47", "11") == ("47", "4#", "##")


def test_chinese_characters_are_hidden_one_by_one() -> None:
    assert path(mask_right(), "王小明") == ("王小明", "王小*", "王**", "***")


def test_a_masked_null_is_null_up_to_the_root() -> None:
    built = mask_right().build("zip", ["476", None])
    assert [built.generalize(None, level) for level in range(4)] == [None, None, None, "***"]


def test_a_value_with_the_mark_is_refused() -> None:
    with pytest.raises(
        HierarchyError,
        match=r"rule mask for 'zip': 1 value cannot be masked, because of the mask character '\*'",
    ):
        mask_right().build("zip", ["476**"])


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"mark": ""}, "must be one character"),
        ({"mark": "**"}, "must be one character"),
        ({"levels": 0}, "hides nothing"),
        ({"levels": -1}, "hides nothing"),
    ],
)
def test_masks_that_make_no_sense(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(OptionError, match=complaint):
        mask_right(**options)


# Dates -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "leaf", "expected"),
    [
        ((), "1977-03-09", ("1977-03", "1977")),
        (("month", "year"), "1977/03/09", ("1977-03", "1977")),
        (("day", "month"), "1977-03-09 10:30:00", ("1977-03-09", "1977-03")),
        (("quarter",), "1977-03-31", ("1977-Q1",)),
        (("quarter",), "1977-04-01", ("1977-Q2",)),
        (("quarter",), "1977-12-31", ("1977-Q4",)),
        (("year", "decade"), "1977-03-09", ("1977", "197*")),
        (("decade",), "2000-01-01", ("200*",)),
    ],
)
def test_dates_grow_coarser(steps: tuple[str, ...], leaf: str, expected: tuple[str, ...]) -> None:
    assert path(dates(*steps), leaf) == (leaf, *expected, "*")


@pytest.mark.parametrize(
    "leaf", ["09.03.77", "31.02.1977", "1977-13-01", "1977-02-30", "yesterday", "1977"]
)
def test_a_value_that_is_no_date_is_refused(leaf: str) -> None:
    with pytest.raises(HierarchyError, match="1 value cannot be read as a date") as caught:
        dates().build("birth", [leaf])
    assert leaf not in str(caught.value)


@pytest.mark.parametrize(
    ("steps", "complaint"),
    [
        (("week",), "unknown date step 'week'; steps are day, month, quarter, year, decade"),
        (("year", "month"), "must grow coarser"),
        (("year", "year"), "must grow coarser"),
    ],
)
def test_date_steps_that_make_no_sense(steps: tuple[str, ...], complaint: str) -> None:
    with pytest.raises(OptionError, match=complaint):
        dates(*steps)


# Ordered lists -----------------------------------------------------------------------------------

RISKS = ["none", "low", "mid", "high", "top"]


def test_neighbours_form_groups() -> None:
    assert path(ordered(RISKS, 2, 4), "low") == ("low", "none..low", "none..high", "*")
    assert path(ordered(RISKS, 2, 4), "mid") == ("mid", "mid..high", "none..high", "*")


def test_the_last_group_may_be_smaller() -> None:
    assert path(ordered(RISKS, 3), "high") == ("high", "high..top", "*")
    last = path(ordered(RISKS, 2), "top")
    assert last[0] == "top"
    assert last[1] in {"top", "top..top"}


def test_a_list_without_groups_has_only_a_root() -> None:
    assert path(ordered(RISKS), "mid", "top") == ("mid", "*")


def test_a_null_in_an_ordered_column() -> None:
    assert ordered(RISKS, 2).build("risk", [None, "low"]).generalize(None, 2) == "*"


def test_a_value_outside_the_list_is_refused() -> None:
    with pytest.raises(
        HierarchyError, match="1 value cannot be found in the ordered list"
    ) as caught:
        ordered(RISKS, 2).build("risk", ["low", "huge"])
    assert "huge" not in str(caught.value)
    assert caught.value.with_values.endswith(": 'huge'")


@pytest.mark.parametrize(
    ("values", "sizes", "complaint"),
    [
        ([], (), "at least one value"),
        (["a", "a"], (), "each value once"),
        (["a", " a "], (), "each value once"),
        (RISKS, (1,), "must be integers >= 2"),
        (RISKS, (2.0,), "must be integers >= 2"),
        (RISKS, ("2",), "must be integers >= 2"),
        (RISKS, (2, 3), "group size 3 is not a larger multiple of 2"),
        (RISKS, (4, 2), "group size 2 is not a larger multiple of 4"),
    ],
)
def test_ordered_lists_that_make_no_sense(
    values: list[str], sizes: tuple[Any, ...], complaint: str
) -> None:
    with pytest.raises(OptionError, match=complaint):
        ordered(values, *sizes)


# All rules ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "leaf"),
    [
        (ranges(5, 10), "7"),
        (mask_right(), "476"),
        (dates(), "1977-03-09"),
        (ordered(["low", "high"], 2), "low"),
    ],
    ids=["ranges", "mask", "dates", "ordered"],
)
def test_a_column_of_nulls_has_a_hierarchy_too(rule: Rule, leaf: str) -> None:
    assert rule.build("x", [None]).is_leaf(None)
    both = rule.build("x", [leaf, None, leaf])
    assert both.is_leaf(None)
    assert both.leaves[0] == leaf


@pytest.mark.parametrize(
    ("rule", "leaf", "expected"),
    [
        (ranges(5, 10, other=True), "7", ("x y", "other", "other", "*")),
        (dates("month", "year", other="no date"), "1977-03-09", ("x y", "no date", "no date", "*")),
        (ordered(["low", "high"], 2, other=True), "low", ("x y", "other", "*")),
        (mask_right("x", other=True), "476", ("x y", "other", "other", "xxx")),
        (mask_right("x", levels=2, other=True), "4767", ("x y", "other", "other", "*")),
    ],
    ids=["ranges", "dates", "ordered", "mask", "short mask"],
)
def test_what_does_not_fit_has_a_level_of_its_own(
    rule: Rule, leaf: str, expected: tuple[str, ...]
) -> None:
    built = rule.build("x", [leaf, "x y", None, leaf.replace("7", "8")])
    assert built.path_of("x y") == expected
    assert built.others == ("x y",)
    assert expected[1] not in built.path_of(leaf)
    assert built.generalize(None, 1) is None


def test_all_values_may_be_others() -> None:
    assert path(ranges(5, 10, other=True), "a", "b") == ("a", "other", "other", "*")
    assert path(mask_right(other=True), "a*", "b*") == ("a*", "*")


def test_a_label_of_other_values_that_others_have_is_refused() -> None:
    with pytest.raises(HierarchyError, match=r"the label '\[5,10\[' of other values is one of its"):
        ranges(5, other="[5,10[").build("x", ["7", "seven"])


def test_a_suppressed_cell_is_no_other_value() -> None:
    """As a leaf of level 0 it would make every suppressed cell look as if nothing were lost."""
    with pytest.raises(HierarchyError, match="1 value cannot be read as a number"):
        ranges(5, other=True).build("x", ["7", "seven", "*"])


@pytest.mark.parametrize(
    ("rule", "labels", "known"),
    [
        (ranges(5, other=True), ["7", "seven", "[5,10[", ">=80", "*", "other"], ["7", "seven"]),
        (ranges(5), ["7", "seven", "[5,10["], ["7"]),
        (dates(other=True), ["1977-03-09", "1977-03", "197*", "1977", "?"], ["1977-03-09", "?"]),
        (ordered(["a", "b"], 2, other=True), ["a", "a..b", "c"], ["a", "c"]),
        (mask_right(other=True), ["476", "47*"], ["476"]),
        (ranges(5), ["1.234,5", "1.234", "[5,10["], ["1.234", "1.234,5"]),
    ],
)
def test_labels_of_a_population_that_is_generalised_already_are_no_other_values(
    rule: PathRule, labels: list[str], known: list[str]
) -> None:
    built = rule.build_known("x", labels)
    assert built is not None
    assert sorted(built.leaves) == known
    assert rule.build_known("x", ["*"]) is None


def test_the_whole_population_decides_how_it_is_written() -> None:
    """Not the part of it that fits: 1.234 alone is less than two."""
    built = cast(PathRule, ranges(1000)).build_known("x", ["1.234,5", "1.234", "[5,10["])
    assert built is not None
    assert built.generalize("1.234", 1) == "[1000,2000["
