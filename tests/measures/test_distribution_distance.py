"""Distribution distance: agreement with the definition, worked examples, limits, options."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, time, timedelta
from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ks_2samp, wasserstein_distance

import strategies
from budget import examples
from measures import comparison_twin as twin
from measures.running import computing
from petaudit import ranges
from petaudit.errors import ColumnError, NotMeasurableError, OptionError, PetauditWarning
from petaudit.inputs import gather
from petaudit.measures import Result, find_measure
from petaudit.measures.association_change import association_change
from petaudit.measures.distribution_distance import FIGURES, distribution_distance
from strategies import NULL, Release, arrow

compute = computing("distribution-distance")

PLACES = {"Paris": ["France", "Europe"], "Lyon": ["France", "Europe"], "Rome": ["Italy", "Europe"]}


def of(result: Result, column: str) -> Any:
    return next(entry for entry in result.columns if entry.column == column)


# --- agreement with the twin ----------------------------------------------------------------


@settings(max_examples=examples(150))
@given(release=strategies.releases(), kept=st.integers(1, 25), asked=st.sampled_from(FIGURES))
def test_the_distances_are_the_twins(release: Release, kept: int, asked: str) -> None:
    # Some rows are gone: neither their number nor their order matters.
    released = release.released[:kept][::-1]
    inputs = gather(
        arrow(released),
        original=arrow(release.original),
        hierarchies=release.given_hierarchies,
        quasi_identifiers=release.quasi_identifiers,
    )
    names = [*release.quasi_identifiers, "pay", "disease"]
    by_column: dict[str, dict[str, Any]] = {}
    for name in names:
        tree = release.hierarchies.get(name)
        before, after = ([row[name] for row in rows] for rows in (release.original, released))
        p, q = (twin.shares(labels, tree) for labels in (before, after))
        ordered = twin.holds_numbers(before, tree)
        entry: dict[str, Any] = {
            "total-variation": twin.total_variation(p, q),
            "hellinger": twin.hellinger(p, q),
            "kolmogorov-smirnov": twin.kolmogorov_smirnov(p, q) if ordered else None,
            "wasserstein": twin.wasserstein(p, q)[0] if ordered else None,
            "raw": twin.wasserstein(p, q)[1] if ordered else None,
        }
        kind = "kolmogorov-smirnov" if twin.is_continuous(before, tree) else "total-variation"
        by_column[name] = entry | {"auto": entry[kind]}
    expected = [entry[asked] for entry in by_column.values() if entry[asked] is not None]
    if not expected:
        with pytest.raises(NotMeasurableError, match="no column holds numbers or dates only"):
            compute(inputs, figure=asked)
        return
    result = compute(inputs, figure=asked)
    assert [entry.column for entry in result.columns] == names
    for column in result.columns:
        figures = by_column[column.column]
        exact = [None if entry is None else float(entry) for entry in figures.values()]
        assert column.hellinger == pytest.approx(exact.pop(1), abs=1e-7)
        assert exact == [
            column.total_variation,
            column.kolmogorov_smirnov,
            column.wasserstein,
            column.wasserstein_raw,
            float(figures["auto"]),
        ]
        judged = None if figures[asked] is None else float(figures[asked])
        assert column.distance == pytest.approx(judged, abs=1e-7)
        assert (column.kind == "labels") == (column.kolmogorov_smirnov is None)
    if asked == "hellinger":
        assert result.exact_value is None
        assert result.value == pytest.approx(sum(expected) / len(expected), abs=1e-7)
    else:
        assert result.exact_value == Fraction(sum(expected)) / len(expected)
        assert result.value == float(result.exact_value)


NUMBERS = st.lists(st.integers(-50, 50), min_size=1, max_size=30)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@settings(max_examples=examples(60))
@given(before=NUMBERS, after=NUMBERS)
def test_distances_of_numbers_are_scipys(before: list[int], after: list[int]) -> None:
    [result] = distribution_distance(pa.table({"x": before}), pa.table({"x": after})).columns
    assert result.wasserstein_raw == pytest.approx(wasserstein_distance(before, after), abs=1e-9)
    assert result.kolmogorov_smirnov == pytest.approx(
        ks_2samp(before, after, method="asymp").statistic, abs=1e-12
    )
    assert result.kolmogorov_smirnov <= result.total_variation + 1e-12


@settings(max_examples=examples(30))
@given(
    before=NUMBERS,
    after=NUMBERS,
    form=st.sampled_from(["%Y-%m-%d", "%Y/%m/%d", "%Y-%m-%dT00:00Z", "%Y-%m-%d 00:00:00.0"]),
)
def test_dates_are_numbers_of_days(before: list[int], after: list[int], form: str) -> None:
    days = [
        [date(2000, 2, 29) + timedelta(days=entry) for entry in side] for side in (before, after)
    ]
    spelled = [[day.strftime(form) for day in side] for side in days]
    [as_numbers] = distribution_distance(pa.table({"x": before}), pa.table({"x": after})).columns
    for one, other in (days, spelled):
        [result] = distribution_distance(pa.table({"x": one}), pa.table({"x": other})).columns
        assert result == replace(as_numbers, kind="dates")


def test_instants_and_times() -> None:
    def kinds(*sides: list[Any]) -> tuple[str, float | None]:
        [result] = distribution_distance(*(pa.table({"x": side}) for side in sides)).columns
        return result.kind, result.wasserstein_raw

    # The same instants, seen from Taipei and from London; then by the clock on the wall.
    taipei, utc = ["2024-03-09 08:00:00+08:00"], ["2024-03-09T00:00Z"]
    assert kinds(taipei, utc) == ("dates", 0)
    assert kinds(taipei, ["2024-03-09"]) == ("dates", pytest.approx(8 / 24))
    assert kinds([time(8, 30), time(9)], [time(8, 30, 30), time(9)]) == ("times", 15)
    assert kinds([timedelta(days=2)], [timedelta(days=1, seconds=1)]) == ("times", 86_399)
    assert kinds(["2024-03-09 00:00:00.123456789"], ["2024-03-09"])[1] == pytest.approx(
        0.123456789 / 86_400
    )
    # None of these is a date.
    for label in ("2024-02-30", "2024-03-09 24:00", "09.03.2024", "2024-03", "2024-3-9"):
        assert kinds([label], [label]) == ("labels", None)


@pytest.mark.parametrize(
    ("original", "kind", "judged"),
    [
        # Ten values with five rows each are compared one by one, eleven are not.
        ([*range(10)] * 5, "numbers", "total_variation"),
        ([*range(11)] * 5, "numbers", "kolmogorov_smirnov"),
        ([*range(10)] * 4, "numbers", "kolmogorov_smirnov"),
        ([f"{own:02d}" for own in range(11)], "labels", "total_variation"),
        ([*"abcdefghijk", "1"], "labels", "total_variation"),
    ],
)
def test_which_columns_are_judged_as_numbers(original: list[Any], kind: str, judged: str) -> None:
    released = [original[0], original[-1], original[3], *original[4:6] * 2]
    [result] = distribution_distance(pa.table({"x": original}), pa.table({"x": released})).columns
    assert result.kind == kind
    assert result.distance == getattr(result, judged)
    assert result.total_variation != result.kolmogorov_smirnov


# SDMetrics 0.32.0 on these columns: KSComplement, TVComplement, CorrelationSimilarity.
PEOPLE = {
    "age": [23, 45, 31, 62, 18, 39, 51, 27, 44, 36, 29, 58],
    "pay": [2.5, 4.1, 3.3, 5.0, 1.2, 3.9, 4.8, 2.9, 4.4, 3.0, 2.7, 5.2],
    "sex": ["F", "M", "F", "F", "M", "M", "F", "M", "F", "M", "F", "M"],
}
OTHERS = {
    "age": [25, 40, 33, 70, 19, 35, 47, 22, 41, 60],
    "pay": [3.1, 2.2, 4.0, 3.5, 1.9, 5.5, 2.4, 3.6, 4.2, 2.0],
    "sex": ["F", "F", "F", "M", "M", "F", "F", "M", "F", "F"],
}
SDMETRICS = (0.8666666666666667, 0.6833333333333333, 0.8, 0.47874009746749036)


def test_figures_are_those_of_sdmetrics() -> None:
    tables = (pa.table(PEOPLE), pa.table(OTHERS))
    age, pay, sex = distribution_distance(*tables).columns
    pairs = association_change(*tables, columns=["age", "pay"]).pairs
    assert (age.distance, pay.distance) == (age.kolmogorov_smirnov, pay.kolmogorov_smirnov)
    figures = (age.distance, pay.distance, sex.distance, pairs[0].change)
    assert [1 - (entry or 0) for entry in figures] == pytest.approx(SDMETRICS, abs=1e-12)


@pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
@settings(max_examples=examples(50))
@given(release=strategies.releases())
def test_a_table_is_at_no_distance_from_itself(release: Release) -> None:
    table = arrow(release.released)
    result = distribution_distance(table, table, hierarchies=release.given_hierarchies, limit=0)
    assert result.value == 0
    assert result.passed is True
    assert {column.hellinger for column in result.columns} == {0.0}


# --- by hand --------------------------------------------------------------------------------


def test_distances_by_hand() -> None:
    # Shares 1/2 1/4 1/4 against 1/4 1/4 1/2 of the numbers 0, 1 and 4.
    result = distribution_distance(
        pa.table({"x": [0, 0, 1, 4]}), pa.table({"x": [0, 1, 4, 4]}), figure="wasserstein"
    )
    entry = result.columns[0]
    assert entry.total_variation == (1 / 4 + 0 + 1 / 4) / 2
    assert entry.hellinger == pytest.approx(sqrt(1 / 2) - 1 / 2, abs=1e-15)
    # A quarter goes from 0 to 4; the range is 4.
    assert (entry.wasserstein_raw, entry.wasserstein) == (1, 1 / 4)
    assert (result.value, result.exact_value) == (1 / 4, Fraction(1, 4))


def test_hellinger_of_disjoint_values_is_1() -> None:
    result = distribution_distance(
        pa.table({"x": ["a", "b", "c"]}), pa.table({"x": ["d"]}), figure="hellinger", limit=1
    )
    assert result.value == 1
    assert result.passed is True
    assert result.columns[0].total_variation == 1


def test_a_generalised_label_is_spread_over_its_leaves() -> None:
    original = pa.table({"city": ["Paris", "Lyon", "Rome", "Rome"]})
    released = pa.table({"city": ["France", "France", "Rome", "Rome"]})
    assert distribution_distance(original, released, hierarchies={"city": PLACES}).value == 0
    # Without the hierarchy France is a city that nobody lived in.
    assert distribution_distance(original, released).value == 1 / 2


@pytest.mark.parametrize("label", ["*", "Europe"])
def test_a_label_that_says_nothing_is_a_value_by_itself(label: str) -> None:
    original = pa.table({"city": ["Paris", "Lyon", "Rome"]})
    released = pa.table({"city": [label]})
    assert distribution_distance(original, released, hierarchies={"city": PLACES}).value == 1
    assert distribution_distance(original, released).value == 1


def test_the_original_is_spread_as_well() -> None:
    table = pa.table({"city": ["France", "*", "Rome"]})
    assert distribution_distance(table, table, hierarchies={"city": PLACES}).value == 0


def test_numbers_compare_by_value() -> None:
    original = pa.table({"x": ["5", "6.50"]})
    result = distribution_distance(original, pa.table({"x": [5.0, 6.5]}))
    assert result.value == 0
    assert result.columns[0].wasserstein == 0
    under = {"x": {"5.0": ["*"], "6.5": ["*"]}}
    assert distribution_distance(original, original, hierarchies=under).warnings == ()


def test_ranges_of_numbers_are_spread_over_the_numbers_of_the_original() -> None:
    result = distribution_distance(
        pa.table({"age": [21, 29, 35]}),
        pa.table({"age": ["[20,30[", "[20,30[", "[30,40["]}),
        hierarchies={"age": ranges(10)},
        figure="wasserstein",
    )
    assert result.value == 0


def test_nulls_count_though_they_have_no_place_among_numbers() -> None:
    result = distribution_distance(pa.table({"x": [1, 3, None]}), pa.table({"x": [1, 3, 3]}))
    entry = result.columns[0]
    assert entry.total_variation == pytest.approx(1 / 3, abs=1e-15)
    # At most 1, or null: 2/3 against 1/3.
    assert entry.kolmogorov_smirnov == pytest.approx(1 / 3, abs=1e-15)
    # A third moved from null by the whole range, and of the other two thirds a sixth.
    assert entry.wasserstein == pytest.approx(1 / 3 + 2 / 3 * 1 / 6, abs=1e-15)
    # 1/2 1/2 against 1/3 2/3: a sixth is moved by 2.
    assert entry.wasserstein_raw == pytest.approx(1 / 3, abs=1e-15)


def test_a_constant_column_of_numbers_is_at_no_distance() -> None:
    result = distribution_distance(
        pa.table({"x": [7]}), pa.table({"x": [7, 7]}), figure="wasserstein"
    )
    assert result.value == 0


def test_the_value_is_the_mean_and_the_worst_column_is_named() -> None:
    original = pa.table({"a": ["x", "y"], "b": ["x", "y"], "n": [1, 2]})
    released = pa.table({"n": [1, 1], "b": ["x", "y"], "a": ["z", "z"]})
    result = distribution_distance(original, released)
    assert result.exact_value == Fraction(1 + 0, 3) + Fraction(1, 2) / 3
    assert result.worst_column == "a"
    assert result.explanation == (
        "mean distance (Kolmogorov-Smirnov for numbers, total variation for labels) over 3 "
        "columns; largest first: a 1, n 0.5, b 0",
    )
    by_number = distribution_distance(original, released, figure="wasserstein")
    assert by_number.value == 1 / 2
    assert (
        by_number.explanation[1] == "left out, because they hold more than numbers or dates: b, a"
    )


# --- columns --------------------------------------------------------------------------------


TWO = pa.table({"id": [1, 2], "zip": ["a", "b"], "age": [3, 4]})


def test_identifiers_the_key_and_columns_of_one_table_take_no_part() -> None:
    original = TWO.append_column("more", pa.array([1, 2]))
    by_role = distribution_distance(original, TWO, roles={"id": "identifier"})
    assert [column.column for column in by_role.columns] == ["zip", "age"]
    by_key = distribution_distance(original, TWO, key="id")
    assert [column.column for column in by_key.columns] == ["zip", "age"]


@pytest.mark.parametrize("columns", ["age", ["age"], ("age",), " age ", ["age", "age"]])
def test_columns_can_be_chosen(columns: Any) -> None:
    result = distribution_distance(TWO, TWO, columns=columns)
    assert [column.column for column in result.columns] == ["age"]


def test_columns_can_come_with_commas_as_the_shell_passes_them() -> None:
    result = compute(gather(TWO, original=TWO), columns="age, zip")
    assert [column.column for column in result.columns] == ["age", "zip"]


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(ColumnError, match=r"unknown column 'agee' \(did you mean 'age'\?\)"):
        distribution_distance(TWO, TWO, columns="agee")


def test_tables_without_a_common_column_cannot_be_compared() -> None:
    with pytest.raises(NotMeasurableError, match="share no column"):
        distribution_distance(TWO, pa.table({"x": [1]}))


# --- limits, options, messages --------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "passed"), [(0.3, True), ("0.3", True), (0.29999999999999993, False), (1, True)]
)
def test_limits_are_exact(limit: Any, passed: bool) -> None:
    # 3 of 10 rows moved.
    original = pa.table({"x": ["a"] * 10})
    released = pa.table({"x": ["a"] * 7 + ["b"] * 3})
    assert distribution_distance(original, released, limit=limit).passed is passed


def test_hellinger_keeps_a_limit_that_it_equals_but_for_rounding() -> None:
    # sqrt(1 - sqrt(1/4)) = sqrt(1/2): an irrational figure, given as a float.
    original, released = pa.table({"x": ["a"]}), pa.table({"x": ["a", "b", "b", "b"]})
    for below, passed in ((0, True), (1e-13, True), (1e-9, False)):
        limit = sqrt(0.5) - below
        result = distribution_distance(original, released, figure="hellinger", limit=limit)
        assert result.passed is passed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"figure": "hellingr"},
            "figure must be auto, total-variation, hellinger, kolmogorov-smirnov or wasserstein, "
            "got 'hellingr' (did you mean 'hellinger'?)",
        ),
        (
            {"figure": 3},
            "figure must be auto, total-variation, hellinger, kolmogorov-smirnov or wasserstein, "
            "got 3",
        ),
        (
            {"columns": []},
            "columns must be the name of a column (quote numbers, yes and no) or a list (each: "
            "the name of a column (quote numbers, yes and no)), got an empty list",
        ),
        (
            {"columns": [1]},
            "item 1 of columns must be the name of a column (quote numbers, yes and no), got 1",
        ),
        ({"limit": -1}, "the limit of distribution-distance must not be negative, got -1"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        distribution_distance(TWO, TWO, **options)
    assert str(caught.value).startswith(message)


def test_labels_that_the_hierarchy_does_not_know_are_told() -> None:
    original = pa.table({"city": ["Paris", "Atlantis"]})
    with pytest.warns(
        PetauditWarning, match=r"'city': 1 label of the frame is in no level of its hierarchy"
    ):
        result = distribution_distance(
            original, pa.table({"city": ["Paris"]}), hierarchies={"city": PLACES}
        )
    assert result.value == 1 / 2
    assert "Atlantis" not in str(result.to_dict())


def test_tables_and_documents() -> None:
    result = distribution_distance(TWO, TWO)
    columnwise = result.table("columnwise")
    assert columnwise["attribute"].values == ["id", "zip", "age"]
    assert columnwise["wasserstein"].values == [0.0, None, 0.0]
    assert result.figure == "distribution-distance (auto)"
    assert "exact_value" not in result.to_dict()
    with pytest.raises(OptionError, match="has no table 'details'"):
        result.table("details")
    assert find_measure("distribution-distance").range == (0.0, 1.0)


@pytest.mark.parametrize("engine", strategies.TABLE_ENGINES)
def test_every_engine_says_the_same(engine: str, tmp_path: Path) -> None:
    original = {"x": ["a", "b", None, "a"], "n": [1.5, 2.0, None, 7.0]}
    released = {"x": ["a", "*", None], "n": [2.0, 2.0, None]}
    result = distribution_distance(
        strategies.on_engine(original, engine, tmp_path / "original"),
        strategies.on_engine(released, engine, tmp_path / "released"),
        columns=["x", "n"],
    )
    # x: 1/2 1/4 1/4 against 1/3 0 1/3 and 1/3 of `*`.
    assert of(result, "x").total_variation == pytest.approx(5 / 12, abs=1e-15)
    # n: 1/4 each against 2/3 of 2 and 1/3 of null.
    assert of(result, "n").total_variation == pytest.approx(1 / 2, abs=1e-15)
    # Without nulls 1.5, 2, 7 against 2, 2: 1/3 by 0.5 and 1/3 by 5.
    assert of(result, "n").wasserstein_raw == pytest.approx(5.5 / 3, abs=1e-15)


def test_null_is_what_strategies_say() -> None:
    assert twin.NULL == NULL


@pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
def test_adult(shared_data: Path) -> None:
    adult = shared_data / "adult"
    result = distribution_distance(adult / "adult.csv", adult / "adult_anonymized.csv")
    # A suppressed row says nothing about sex.
    rows = [line.split(";")[0] for line in (adult / "adult.csv").read_text().splitlines()[1:]]
    released = [
        line.split(";")[0] for line in (adult / "adult_anonymized.csv").read_text().splitlines()[1:]
    ]
    gained = [max(rows.count(entry) - released.count(entry), 0) for entry in ("Male", "Female")]
    assert of(result, "sex").total_variation == sum(gained) / 30_162
    # Every column lost just these rows.
    assert result.value == pytest.approx(0.27285988992772364, abs=1e-15)
