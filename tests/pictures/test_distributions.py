"""Distributions: by hand, and against counting the rows of each class."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
from budget import examples
from measures import sensitive_twin
from measures.running import computing
from petaudit.errors import NotMeasurableError
from petaudit.inputs import gather
from petaudit.measures import find_measure
from petaudit.pictures import Distributions, picture_from
from petaudit.pictures.distributions import MOST_BINS, MOST_CLASSES, SHOWABLE
from strategies import Release, arrow


def pictured(
    table: object, options: dict[str, object] | None = None, **given: object
) -> list[Distributions]:
    inputs = gather(table, **given)  # type: ignore[arg-type]
    result = find_measure("t-closeness").pictures(
        inputs, find_measure("t-closeness").run(inputs, options or {})
    )
    assert all(isinstance(entry, Distributions) for entry in result)
    return list(result)  # type: ignore[arg-type]


def test_by_hand() -> None:
    table = pa.table(
        {"born": ["197*"] * 2 + ["198*"] * 3, "pay": [3, 4, 5, 6, 8], "ill": list("ababb")}
    )
    pay, ill = pictured(table, quasi_identifiers=["born"], sensitive=["pay", "ill"])
    assert (pay.attribute, pay.distance, [entry.rows for entry in pay.bins]) == (
        "pay",
        "ordered",
        [1] * 5,
    )
    assert [(entry.rows, entry.counts) for entry in pay.classes] == [
        (2, (1, 1, 0, 0, 0)),
        (3, (0, 0, 1, 1, 1)),
    ]
    assert pay.classes[0].distance == 0.375
    # The most frequent comes first.
    assert (ill.distance, [entry.rows for entry in ill.bins]) == ("equal", [3, 2])
    assert {entry.counts for entry in ill.classes} == {(1, 1), (2, 1)}


def test_labels_only_where_values_are_revealed() -> None:
    table = pa.table({"zip": ["a", "b"] * 10, "pay": list(range(20))})
    given = {"table": table, "quasi_identifiers": ["zip"], "sensitive": ["pay"]}
    [hidden] = pictured(**given)  # type: ignore[arg-type]
    [shown] = pictured(**given, reveal_values=True)  # type: ignore[arg-type]
    assert {entry.labels for entry in hidden.bins} == {None}
    assert shown.bins[0].labels == ("0", "1")
    assert [entry.rows for entry in shown.bins] == [entry.rows for entry in hidden.bins]


def test_the_rest_of_many_labels_is_one_bin_without_labels() -> None:
    table = pa.table({"zip": ["a", "b"] * 15, "ill": [f"x{place}" for place in range(30)]})
    [result] = pictured(table, quasi_identifiers=["zip"], sensitive=["ill"], reveal_values=True)
    assert len(result.bins) == MOST_BINS
    assert (result.bins[-1].values, result.bins[-1].labels) == (30 - MOST_BINS + 1, ())


def test_classes_that_a_report_may_show_are_kept_beside_the_worst() -> None:
    zips = [str(place) for place in range(8)] + ["large"] * 25 + ["middle"] * 6
    pay = [100 + place for place in range(8)] + list(range(25)) + list(range(6))
    [result] = pictured(
        pa.table({"zip": zips, "pay": pay}), quasi_identifiers="zip", sensitive="pay"
    )
    assert {1, 6, 25} == {entry.rows for entry in result.classes}
    assert len(result.classes) <= MOST_CLASSES * len(SHOWABLE)
    distances = [entry.distance for entry in result.classes]
    assert distances == sorted(distances, reverse=True)


def test_suppressed_rows_are_pictured_as_the_class_that_they_are() -> None:
    table = pa.table({"zip": ["*", "*", "a", "a"], "pay": [1, 2, 2, 2]})
    given = {"table": table, "quasi_identifiers": ["zip"], "sensitive": ["pay"]}
    [result] = pictured(**given)  # type: ignore[arg-type]
    assert sorted(entry.counts for entry in result.classes) == [(0, 2), (1, 1)]
    [without] = pictured(**given, suppressed="exclude")  # type: ignore[arg-type]
    assert [entry.counts for entry in without.classes] == [(0, 2)]
    assert [entry.rows for entry in without.bins] == [1, 3]


def test_nobody_is_in_a_class() -> None:
    given = {"quasi_identifiers": ["zip"], "sensitive": ["pay"]}
    stars = pa.table({"zip": ["*", "*"], "pay": [1, 2]})
    blanked = pa.table({"zip": ["*", "*"], "pay": pa.array([None, None], pa.int64())})
    for table, more in ((stars, {"suppressed": "exclude"}), (blanked, {})):
        with pytest.raises(NotMeasurableError, match="every row is suppressed"):
            pictured(table, **given, **more)
    [result] = pictured(stars, **given)
    assert [(entry.rows, entry.distance, entry.counts) for entry in result.classes] == [
        (2, 0.0, (1, 1))
    ]


@pytest.mark.parametrize("reveal", [False, True])
@settings(max_examples=examples(40))
@given(drawn=strategies.releases(), has_tree=st.booleans())
def test_counts_are_those_of_a_class(reveal: bool, drawn: Release, has_tree: bool) -> None:
    # A hierarchy with two spellings of a value in two places is an error.
    release = strategies.told_apart(drawn) if has_tree else drawn
    trees = release.given_hierarchies
    inputs = gather(
        arrow(release.released),
        quasi_identifiers=release.quasi_identifiers,
        sensitive=release.sensitive,
        hierarchies=trees
        if has_tree
        else {name: trees[name] for name in release.quasi_identifiers},
        suppressed=release.suppressed,
        reveal_values=reveal,
    )
    columns = strategies.columns_of(release.released)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    classes = {
        name: sensitive_twin.classes(
            rows, release.quasi_identifiers, name, release.suppressed, release.sensitive
        )
        for name in release.sensitive
    }
    if not classes[release.number]:
        with pytest.raises(NotMeasurableError, match="every row is suppressed"):
            computing("t-closeness")(inputs)
        return
    result = computing("t-closeness")(inputs)
    pictures = find_measure("t-closeness").pictures(inputs, result)
    assert len(pictures) == len(release.sensitive)
    for outcome in pictures:
        assert isinstance(outcome, Distributions)
        assert picture_from(outcome.to_dict()) == outcome
        assert sum(entry.rows for entry in outcome.bins) == len(rows)
        entry = next(entry for entry in result.attributes if entry.attribute == outcome.attribute)
        assert outcome.classes[0].distance == pytest.approx(entry.t)
        table = Counter(classes[outcome.attribute][0].table)
        if len(table) <= MOST_BINS:
            # Every value has a bin of its own, so classes are known by their counts.
            assert sorted(entry.rows for entry in outcome.bins) == sorted(table.values())
            profiles = [sorted(Counter(entry.own).values()) for entry in classes[outcome.attribute]]
            for each in outcome.classes:
                assert sorted(filter(None, each.counts)) in profiles


@given(st.lists(st.integers(0, 60), min_size=1, max_size=200))
def test_bins_of_numbers_are_in_order_and_about_equal(pay: list[int]) -> None:
    [result] = pictured(
        pa.table({"zip": ["a"] * len(pay), "pay": pay}),
        quasi_identifiers="zip",
        sensitive="pay",
        reveal_values=True,
    )
    assert len(result.bins) <= MOST_BINS
    ends = [
        int(label) for entry in result.bins for label in entry.labels or () if label is not None
    ]
    assert ends == sorted(ends)
    most_frequent = max(Counter(pay).values())
    if len(set(pay)) > MOST_BINS:
        assert max(entry.rows for entry in result.bins) <= len(pay) / MOST_BINS + most_frequent + 1
