"""Special uniques: worked examples, agreement with counting all subsets, caps, limits, tables."""

from __future__ import annotations

import gc
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import petaudit
import strategies
import twins
from budget import examples
from measures import uniqueness_twin as twin
from measures.running import computing
from petaudit.errors import InputError, NotMeasurableError, OptionError
from petaudit.inputs import gather
from petaudit.measures.base import Result
from petaudit.measures.special_uniques import special_uniques
from petaudit.singling.column_sets import find_special, set_score
from petaudit.tables._private_folder import private_folder
from petaudit.tables.minimal_uniques import ColumnPart, MinimalSets
from strategies import Release

compute = computing("special-uniques")

ADULT = Path("/work/shared/data/adult")
ADULT_8 = [
    "age",
    "education",
    "marital-status",
    "native-country",
    "occupation",
    "race",
    "salary-class",
    "sex",
]

# Row 4 alone has the sex x; row 1 is the only f of 40; rows 2, 3 are the same.
SEX = ["f", "f", "m", "m", "x", "m"]
AGE = ["30", "40", "30", "30", "30", "40"]
JOB = ["a", "a", "a", "a", "a", "b"]


def example(**options: Any) -> Result:
    table = pa.table({"sex": SEX, "age": AGE, "job": JOB})
    return special_uniques(table, quasi_identifiers=["sex", "age", "job"], **options)


# --- worked by hand -------------------------------------------------------------------------


def test_minimal_sets_by_hand() -> None:
    """Row 0 is (f, 30): no other. Row 1 (f, 40), row 4 x, row 5 b and (m, 40).

    Row 1 is also alone on (age, job) = (40, a). With m = 3 and M = min(3, 2) = 2, a set of one
    column scores 3 - 1 = 2, and one of two columns 1.
    """
    result = example()
    assert result.unique_rows == 4
    assert result.special_rows == 4
    assert result.exact_value == Fraction(4, 6)
    assert result.sizes == (MinimalSets(1, 2, 2, 2), MinimalSets(2, 2, 4, 1))
    # Scores: row 0: 1; row 1: 1 + 1; row 4: 2; row 5: 2 + 1.
    assert result.highest_score == 3
    assert result.mean_score == (1 + 2 + 2 + 3) / 6
    # sex: {sex} 2, {sex, age} three times; age: the same pairs and (age, job); job: {job}, (40, a).
    assert result.columns == (
        ColumnPart("sex", 4, 5 / 8),
        ColumnPart("age", 4, 4 / 8),
        ColumnPart("job", 2, 3 / 8),
    )


def test_a_row_that_needs_all_columns_is_unique_but_not_special() -> None:
    table = pa.table({"a": ["0", "0", "1", "1"], "b": ["0", "1", "0", "1"]})
    result = special_uniques(table, quasi_identifiers=["a", "b"])
    assert (result.value, result.unique_rows) == (0.0, 4)
    assert result.sizes == (MinimalSets(2, 1, 4, 1),)


def test_dis_by_hand() -> None:
    """U = 4, one pair: d = 4 f / (4 f + 2 (1 - f)); with f = 1/2, d = 2/3 and U/d - U = 2."""
    result = example(population_size=12)
    power = 1 + (8 - 3) / 20
    total = 1 + 2 * 2**-power + 3**-power
    risks = [1 / (1 + 2 * score**-power / total) for score in (1, 2, 2, 3)]
    assert result.highest_dis == pytest.approx(max(risks))
    assert result.mean_dis == pytest.approx(sum(risks) / 4)
    assert example().highest_dis is None
    assert example(sampling_fraction="0.5").highest_dis == result.highest_dis
    assert example(sampling_fraction=1).mean_dis == 1.0


def test_the_score_is_elliots_product() -> None:
    assert [set_score(size, 8, 8) for size in (1, 6, 7, 8)] == [5040, 2, 1, 1]
    assert [set_score(size, 8, 3) for size in (1, 2, 3)] == [7 * 6, 6, 1]
    assert set_score(1, 1, 1) == 1


# --- agreement with the twin ----------------------------------------------------------------


@settings(max_examples=examples(80))
@given(
    rows=st.lists(st.tuples(*[st.sampled_from("abc")] * 4), min_size=1, max_size=30),
    up_to=st.integers(1, 6),
    population=st.integers(0, 100),
)
def test_every_figure_is_the_twins(
    rows: list[tuple[str, ...]], up_to: int, population: int
) -> None:
    names = ["p", "q", "r", "s"]
    columns = list(zip(*rows, strict=True))
    table = pa.table({name: list(column) for name, column in zip(names, columns, strict=True)})
    inputs = gather(table, quasi_identifiers=names)
    result = compute(inputs, max_columns=up_to, population_size=len(rows) + population)
    _agrees(result, rows, up_to, len(rows) / (len(rows) + population))


def _agrees(result: Result, rows: Any, up_to: int, fraction: float) -> None:
    many = len(rows[0])
    cap = min(up_to, many)
    all_sets = twin.minimal_uniques(rows, many)
    special = sum(any(len(entry) < many for entry in sets) for sets in all_sets)
    assert result.exact_value == Fraction(special, len(rows))
    assert result.unique_rows == sum(bool(sets) for sets in all_sets)
    sets = twin.minimal_uniques(rows, cap)
    expected = [(len(entry), entry) for each in sets for entry in each]
    assert result.sizes == tuple(
        MinimalSets(
            size,
            len({entry for n, entry in expected if n == size}),
            sum(n == size for n, _ in expected),
            twin.suda_score({tuple(range(size))}, many, cap),
        )
        for size in sorted({size for size, _ in expected})
    )
    scores = [twin.suda_score(entry, many, cap) for entry in sets]
    assert result.highest_score == max(scores)
    assert result.mean_score == pytest.approx(sum(scores) / len(rows))
    total = sum(scores)
    for place, column in enumerate(result.columns):
        with_column = [{entry for entry in each if place in entry} for each in sets]
        own_score = sum(twin.suda_score(each, many, cap) for each in with_column)
        assert column.minimal_uniques == sum(map(len, with_column))
        assert column.contribution == pytest.approx(own_score / total if total else 0)
    if any(scores):
        risks = twin.dis_scores(scores, rows, fraction)
        assert result.highest_dis == pytest.approx(max(risks))
        assert result.mean_dis == pytest.approx(sum(risks) / sum(map(bool, scores)))
    else:
        assert result.highest_dis == result.mean_dis == 0


@settings(max_examples=examples(60))
@given(release=strategies.releases())
def test_suppressed_rows_and_nulls_are_the_twins(release: Release) -> None:
    names = release.quasi_identifiers
    classes = twins.classes(release.released, names, release.suppressed)
    inputs = gather(
        strategies.arrow(release.released), quasi_identifiers=names, suppressed=release.suppressed
    )
    if not classes:
        with pytest.raises(NotMeasurableError, match="every row is suppressed"):
            compute(inputs)
        return
    kept = sorted(row for entry in classes for row in entry)
    rows = [tuple(release.released[row][name] for name in names) for row in kept]
    result = compute(inputs, sampling_fraction=0.5)
    assert result.rows == len(rows)
    assert result.suppressed_rows == len(release.released) - len(rows)
    _agrees(result, rows, len(names), len(rows) / (2 * len(release.released)))


def test_scores_beyond_a_float_are_refused_and_large_ones_are_not() -> None:
    names = [f"q{place}" for place in range(172)]
    table = pa.table({name: ["a", "b", "c"] for name in names})
    entry = {"quasi_identifiers": names[:100], "population_size": 50}
    result = special_uniques(table, max_columns=100, **entry)
    assert (result.value, result.highest_dis, result.mean_dis) == (1.0, 1.0, 1.0)
    with pytest.raises(OptionError, match="more than 300 digits"):
        special_uniques(table, quasi_identifiers=names, max_columns=172)
    assert special_uniques(table, quasi_identifiers=names).value == 1.0


# --- beyond memory --------------------------------------------------------------------------


@settings(max_examples=examples(15))
@given(
    rows=st.lists(st.tuples(*[st.sampled_from(["a", "b", None])] * 4), min_size=1, max_size=30),
    up_to=st.integers(1, 4),
    population=st.integers(0, 100),
)
def test_by_the_engine_every_figure_is_the_twins(
    rows: list[tuple[str | None, ...]], up_to: int, population: int
) -> None:
    names = ["p", "q", "r", "s"]
    columns = list(zip(*rows, strict=True))
    with by_the_engine(pa.table(dict(zip(names, map(list, columns), strict=True)))) as path:
        result = compute(
            gather(path, quasi_identifiers=names),
            max_columns=up_to,
            population_size=len(rows) + population,
        )
    _agrees(result, rows, up_to, len(rows) / (len(rows) + population))


@settings(max_examples=examples(15))
@given(release=strategies.releases())
def test_by_the_engine_suppressed_rows_are_what_they_are_in_memory(release: Release) -> None:
    entry: dict[str, Any] = {
        "quasi_identifiers": release.quasi_identifiers,
        "suppressed": release.suppressed,
    }
    table = strategies.arrow(release.released)
    if not twins.classes(release.released, release.quasi_identifiers, release.suppressed):
        return
    expected = compute(gather(table, **entry), sampling_fraction=0.5)
    with by_the_engine(table) as path:
        result = compute(gather(path, **entry), sampling_fraction=0.5)
    for name in ("exact_value", "unique_rows", "special_rows", "rows", "sizes", "columns"):
        assert getattr(result, name) == getattr(expected, name), name
    for name in ("highest_score", "mean_score", "highest_dis", "mean_dis"):
        assert getattr(result, name) == pytest.approx(getattr(expected, name)), name


@contextmanager
def by_the_engine(table: pa.Table) -> Iterator[Path]:
    """A file, and no memory to search it in; what is put away is gone afterwards."""
    before = set(private_folder().iterdir())
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("petaudit.singling.column_sets.memory_limit", lambda: 0)
        patch.setattr("petaudit.singling.column_sets.find_special", None)
        path = Path(folder, "table.parquet")
        parquet.write_table(table, path)
        yield path
    if not set(private_folder().iterdir()) <= before:
        gc.collect()
    assert set(private_folder().iterdir()) <= before


def test_by_the_engine_rows_may_need_more_columns_than_are_looked_at() -> None:
    table = pa.table({"a": ["x", "x", "y", "y"], "b": ["p", "q", "p", "q"]})
    with by_the_engine(table) as path:
        result = compute(gather(path, quasi_identifiers=["a", "b"]), max_columns=1)
    assert (result.unique_rows, result.special_rows, result.highest_score) == (4, 0, 0)


def test_more_columns_than_an_engine_has_bits_for() -> None:
    names = [f"x{place}" for place in range(61)]
    with (
        by_the_engine(pa.table({name: ["a", "b"] for name in names})) as path,
        pytest.raises(NotMeasurableError, match="among at most 60 quasi-identifiers"),
    ):
        compute(gather(path, quasi_identifiers=names), max_columns=1)


@pytest.mark.parametrize("columns", [64, 65])
def test_more_columns_than_bits_in_a_word(columns: int) -> None:
    rng = np.random.default_rng(columns)
    codes = rng.integers(0, 3, (columns, 12)).astype(np.uint32)
    rows = [tuple(map(str, row)) for row in codes.T.tolist()]
    result = find_special(codes, 2)
    expected: dict[tuple[int, ...], int] = {}
    for sets in twin.minimal_uniques(rows, 2):
        for entry in sets:
            expected[entry] = expected.get(entry, 0) + 1
    assert dict(zip(result.sets, result.rows_of_set.tolist(), strict=True)) == expected


def test_a_set_is_minimal_by_its_columns_in_every_word() -> None:
    """Row 0 is unique by column 64, and by 0 and 65, which only the second word tells apart."""
    codes = np.zeros((66, 4), np.uint32)
    codes[0] = [1, 1, 0, 0]
    codes[64] = [1, 0, 0, 0]
    codes[65] = [1, 0, 1, 0]
    result = find_special(codes, 2)
    rows = dict(zip(map(frozenset, result.sets), result.rows_of_set.tolist(), strict=True))
    # All rows are unique by columns 0 and 65.
    assert (rows[frozenset({64})], rows[frozenset({0, 65})]) == (1, 4)


@pytest.mark.parametrize("dense", [0, 8])
def test_large_groups_and_many_sets_are_counted_right(
    dense: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where groups have too many parts to count all that there could be."""
    monkeypatch.setattr("petaudit.singling.column_sets._DENSE", dense)
    rng = np.random.default_rng(1)
    codes = rng.integers(0, [[2], [3], [7], [30], [4], [2], [3]], (7, 400)).astype(np.uint32)
    rows = [tuple(map(str, row)) for row in codes.T.tolist()]
    result = find_special(codes, 7)
    sets = twin.minimal_uniques(rows, 7)
    assert int(result.rows_of_set.sum()) == sum(map(len, sets)) > 1_024
    assert len(result.sets) == len({entry for each in sets for entry in each}) > 64
    assert result.scores.tolist() == [twin.suda_score(entry, 7, 7) for entry in sets]


# --- caps -----------------------------------------------------------------------------------


def test_a_cap_leaves_the_share_exact_and_is_said() -> None:
    table = pa.table(
        {name: [str(n >> bit & 1) for n in range(8)] for bit, name in enumerate("abc")}
        | {"d": ["0"] * 8}
    )
    full = special_uniques(table, quasi_identifiers=list("abcd"))
    capped = special_uniques(table, quasi_identifiers=list("abcd"), max_columns=2)
    assert full.value == capped.value == 1.0
    assert full.sizes == (MinimalSets(3, 1, 8, 1),)
    assert capped.sizes == ()
    assert capped.highest_score == 0
    assert capped.is_capped
    assert not capped.is_lower_bound
    assert "no minimal unique set of up to 2 columns only" in capped.explanation
    assert not full.is_capped


def test_many_columns_are_capped_by_themselves() -> None:
    table = pa.table({f"c{n}": ["0", "1", "1"] for n in range(11)})
    result = special_uniques(table, quasi_identifiers=[f"c{n}" for n in range(11)])
    assert result.max_columns == 3
    assert result.is_capped
    ten = special_uniques(table, quasi_identifiers=[f"c{n}" for n in range(10)])
    assert (ten.max_columns, ten.is_capped) == (10, False)


# --- edges ----------------------------------------------------------------------------------


def test_with_one_column_nobody_is_special() -> None:
    result = special_uniques(pa.table({"a": ["0", "1", "1"]}), quasi_identifiers="a")
    assert (result.value, result.unique_rows) == (0.0, 1)
    assert result.sizes == (MinimalSets(1, 1, 1, 1),)


def test_one_row_is_special_on_every_column() -> None:
    result = special_uniques(pa.table({"a": ["0"], "b": ["1"]}), quasi_identifiers=["a", "b"])
    assert result.value == 1.0
    assert result.sizes == (MinimalSets(1, 2, 2, 1),)


def test_nobody_is_unique_in_a_table_of_twins() -> None:
    result = special_uniques(
        pa.table({"a": ["0", "0"], "b": [None, None]}),
        quasi_identifiers=["a", "b"],
        sampling_fraction=0.5,
    )
    assert (result.value, result.sizes, result.highest_score) == (0.0, (), 0.0)
    assert result.highest_dis == result.mean_dis == 0.0
    assert [column.contribution for column in result.columns] == [0.0, 0.0]
    assert result.explanation == (
        "0 of 2 rows unique, 0 of them on fewer than all 2 quasi-identifiers",
    )


def test_numbers_and_nulls_are_values() -> None:
    table = pa.table({"a": [1.0, 1.0, None, None], "b": [1, 2, 1, 1]})
    result = special_uniques(table, quasi_identifiers=["a", "b"])
    # Row 1 alone has b = 2; row 0 needs both; the nulls are equal.
    assert result.sizes == (MinimalSets(1, 1, 1, 1), MinimalSets(2, 1, 1, 1))


# --- limits and options ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "passed"), [("2/3", None), (0.6667, True), (0.6666, False), (1, True), (0, False)]
)
def test_limits_are_decided_exactly(limit: Any, passed: bool | None) -> None:
    if passed is None:
        result = example(limit=Fraction(2, 3))
        assert result.passed
        return
    result = example(limit=limit)
    assert result.passed is passed
    takes = result.remedy
    assert takes is not None
    assert takes.rows_breaking == (0 if passed else 4)
    if not passed:
        assert takes.rows_to_suppress is None
        assert result.explanation[-1] == "4 rows break the limit"


def test_a_limit_that_always_holds_is_an_error() -> None:
    with pytest.raises(OptionError, match="no table exceeds 1"):
        example(limit=2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_columns": 0}, "max_columns must be an integer >= 1, got 0"),
        ({"max_columns": "2"}, "max_columns must be an integer >= 1, got '2'"),
        ({"sampling_fraction": 0}, "sampling_fraction must be a number > 0 and <= 1, got 0"),
        ({"sampling_fraction": 1.5}, "a number > 0 and <= 1, got 1.5"),
        ({"population_size": 9, "sampling_fraction": 0.5}, "not both"),
        ({"limit": -1}, "the limit of special-uniques must not be negative, got -1"),
    ],
)
def test_wrong_options_are_refused(options: Mapping[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        example(**options)


def test_a_population_has_all_people_of_the_table() -> None:
    with pytest.raises(InputError, match="population_size is 5, fewer than the 6 rows"):
        example(population_size=5)


# --- tables and words -----------------------------------------------------------------------


def test_tables_and_explanation() -> None:
    result = example()
    columns = result.table("columnwise")
    assert columns["attribute"].values == ["sex", "age", "job"]
    assert columns["value"].values == [0.625, 0.5, 0.375]
    details = result.table("details")
    assert {name: entry.values for name, entry in details.items()} == {
        "columns": [1, 2],
        "sets": [2, 2],
        "minimal_uniques": [2, 4],
        "score": [2.0, 1.0],
    }
    assert result.table("global")["value"].values == [result.value]
    with pytest.raises(OptionError, match=r"has no table 'detail'.*did you mean 'details'"):
        result.table("detail")
    assert result.explanation == (
        "4 of 6 rows unique, 4 of them on fewer than all 3 quasi-identifiers",
        "minimal unique sets, by number of columns: 1: 2, 2: 4",
        "contribution to the scores: sex 0.625, age 0.5, job 0.375",
    )
    said = str(result.to_dict()) + " ".join(result.explanation)
    assert "'x'" not in said


# --- large tables ---------------------------------------------------------------------------


@pytest.mark.parametrize("suppressed", ["exclude", "class"])
@settings(max_examples=examples(30))
@given(
    rows=st.lists(st.tuples(*[st.sampled_from("ab*")] * 3), min_size=1, max_size=8, unique=True),
    data=st.data(),
)
def test_equal_rows_are_looked_at_as_one_with_the_same_figures(
    suppressed: Any, rows: list[tuple[str, ...]], data: st.DataObject
) -> None:
    times = data.draw(st.lists(st.integers(1, 9), min_size=len(rows), max_size=len(rows)))
    table = [row for row, many in zip(rows, times, strict=True) for _ in range(many)]
    names = ["a", "b", "c"]
    columns = dict(zip(names, zip(*table, strict=True), strict=True))
    inputs = gather(pa.table(columns), quasi_identifiers=names, suppressed=suppressed)
    if suppressed == "exclude" and set(table) == {("*", "*", "*")}:
        with pytest.raises(NotMeasurableError):
            compute(inputs)
        return
    result = compute(inputs, sampling_fraction=0.5)
    kept = [row for row in table if suppressed == "class" or row != ("*", "*", "*")]
    sets = twin.minimal_uniques(kept, 3)
    assert result.rows == len(kept)
    assert result.special_rows == sum(any(len(entry) < 3 for entry in each) for each in sets)
    assert result.unique_rows == sum(map(bool, sets))
    total = sum(set_score(len(entry), 3, 3) for each in sets for entry in each)
    assert result.mean_score == pytest.approx(total / len(kept), abs=1e-12)


def test_a_search_that_takes_long_waits_until_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"sex": SEX, "age": AGE, "job": JOB})
    asked = {"quasi_identifiers": ["sex", "age", "job"]}
    module = sys.modules["petaudit.measures.special_uniques"]
    # Seven sets of columns, four rows that are alone.
    monkeypatch.setattr(module, "_MOST_WORK", 28)
    assert petaudit.audit(table, **asked)["special-uniques"].value == 4 / 6
    monkeypatch.setattr(module, "_MOST_WORK", 27)
    result = petaudit.audit(table, **asked)
    [reason] = [entry.reason for entry in result.not_measured if entry.measure == "special-uniques"]
    assert reason.startswith("checks 7 sets of columns for 4 unique rows")
    named = petaudit.audit(table, measures="special-uniques", **asked)
    assert named["special-uniques"].value == 4 / 6


# --- Adult ----------------------------------------------------------------------------------


@pytest.mark.skipif(not ADULT.exists(), reason="the reference tables are not here")
def test_adult_agrees_with_the_twin_on_small_sets() -> None:
    inputs = gather(ADULT / "adult.csv", quasi_identifiers=ADULT_8)
    result = compute(inputs)
    assert result.rows == 30_162
    assert result.unique_rows == inputs.class_histogram.classes[0]
    columns = [inputs.table.counts.columns_values([name])[0].to_pylist() for name in ADULT_8]
    sets = twin.minimal_uniques(list(zip(*columns, strict=True)), 2)
    expected = [sum(len(entry) == size for each in sets for entry in each) for size in (1, 2)]
    assert [entry.minimal_uniques for entry in result.sizes[:2]] == expected


@pytest.mark.skipif(not ADULT.exists(), reason="the reference tables are not here")
def test_an_anonymized_table_has_none() -> None:
    result = compute(gather(ADULT / "adult_anonymized.csv", quasi_identifiers=ADULT_8))
    assert (result.value, result.unique_rows, result.sizes) == (0.0, 0, ())
    assert result.rows + result.suppressed_rows == 30_162
