"""Every engine gives the counts that ``collections.Counter`` gives."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from budget import examples
from petaudit.tables import open_source
from petaudit.tables.classes import grouped as _grouped
from petaudit.tables.classes import keys as _class_keys
from tables.cases import CASES, MANY_CLASSES
from tables.checks import (
    Case,
    Profile,
    by_profile,
    check_everything,
    class_sizes,
    class_table,
    counted_profiles,
)
from tables.engines import ENGINES, Column, NotExpressibleError, Table, arrow_table, held_by, text

NOT_EXPRESSIBLE: dict[str, set[str]] = {
    "duckdb": {"names in two cases"},
    "csv": {"line breaks around cells"},
    "pandas": {"integers beyond floats with gaps", "booleans with gaps"},
}
"""What a form cannot hold at all; a case that is not named here must be counted."""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", CASES)
def test_engine_counts_like_counter(name: str, engine: str, tmp_path: Path) -> None:
    case = CASES[name]
    if name in NOT_EXPRESSIBLE.get(engine, ()):
        with pytest.raises(NotExpressibleError):
            held_by(engine, case.table, tmp_path)
        return
    check_everything(open_source(held_by(engine, case.table, tmp_path)), case)


SHORT_CUTS = (
    *("raw", "coded", "coded in blocks", "coded classes, values apart"),
    "too many labels for a code",
)


@pytest.mark.parametrize("short_cut", SHORT_CUTS)
@pytest.mark.parametrize("name", CASES)
def test_short_cuts_for_large_files_count_like_counter(
    name: str, short_cut: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Large files are grouped by their raw cells or by codes; here small ones are, too."""
    take_short_cut(monkeypatch, short_cut)
    case = CASES[name]
    check_everything(open_source(held_by("parquet", case.table, tmp_path)), case)


def take_short_cut(patch: pytest.MonkeyPatch, short_cut: str) -> None:
    patch.setattr(_class_keys, "_LARGE_TABLE", 0)
    patch.setattr(_class_keys, "_has_few_classes", lambda _: short_cut == "raw")
    if short_cut == "coded in blocks":
        patch.setattr(_grouped, "_ROWS_PER_BLOCK", 2)
    if short_cut == "coded classes, values apart":
        patch.setattr(_grouped, "LARGEST_KEY", 0)
    if short_cut == "too many labels for a code":
        patch.setattr(_class_keys, "LARGEST_KEY", 0)


@pytest.fixture(scope="module")
def profiles_of_many_classes() -> Counter[Profile]:
    """How many of the hundred thousand classes have each size and counts of p, q and r."""
    return counted_profiles(MANY_CLASSES.table, ["a"], ["v"])


@pytest.mark.parametrize("engine", ENGINES)
def test_engine_counts_a_hundred_thousand_classes(
    engine: str, profiles_of_many_classes: Counter[Profile], tmp_path: Path
) -> None:
    counts = open_source(held_by(engine, MANY_CLASSES.table, tmp_path)).counts
    assert by_profile(class_table(counts, ["a"], ["v"])) == profiles_of_many_classes
    histogram = counts.class_histogram(["a"])
    assert histogram.sizes.tolist() == [1, 2]
    assert histogram.classes.tolist() == [90_000, 10_000]


@pytest.mark.parametrize(
    ("engine", "name"),
    [
        ("duckdb", "duckdb"),
        ("parquet", "duckdb"),
        ("csv", "duckdb"),
        ("polars", "polars"),
        ("polars-lazy", "polars"),
        ("pandas", "pyarrow"),
        ("pandas-nullable", "pyarrow"),
        ("pandas-pyarrow", "pyarrow"),
        ("pandas-object", "pyarrow"),
        ("pyarrow", "pyarrow"),
    ],
)
def test_a_frame_stays_on_its_own_engine_and_pandas_goes_to_arrow(
    engine: str, name: str, tmp_path: Path
) -> None:
    source = open_source(held_by(engine, CASES["plain"].table, tmp_path))
    assert source.counts.engine == name


NO_SHRINKING = (Phase.explicit, Phase.generate)
"""These tables are small as they come, and every try goes through all engines."""

CELLS = {
    "text": st.sampled_from(["x", " x", "y", "*", "臺北", "e\u0301", "a;b", '"', "nan", None]),
    "category": st.sampled_from(["x", "*", "b ", None]),
    "integer": st.sampled_from([0, 1, -7, 2**53, 2**53 + 1, None]),
    "float": st.sampled_from([0.0, -0.0, 1.5, 7.0, float("nan"), None]),
    "boolean": st.sampled_from([True, False, None]),
}


@st.composite
def cases(draw: st.DrawFn) -> Case:
    kinds = draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=4))
    rows = draw(st.integers(0, 12))
    columns: Table = {
        f"column {place}": Column(kind, draw(st.lists(CELLS[kind], min_size=rows, max_size=rows)))
        for place, kind in enumerate(kinds)
    }
    names = list(columns)
    return Case(columns, names[: max(1, len(names) - 1)], names[-1])


@settings(max_examples=examples(15), phases=NO_SHRINKING)
@given(case=cases())
def test_engines_agree_on_random_tables(case: Case) -> None:
    held = 0
    with TemporaryDirectory() as folder:
        for engine in ENGINES:
            try:
                table = held_by(engine, case.table, Path(folder))
            except NotExpressibleError:
                continue
            check_everything(open_source(table), case)
            held += 1
    assert held >= len(ENGINES) - 1


@settings(max_examples=examples(20), phases=NO_SHRINKING)
@given(
    case=cases(),
    cuts=st.lists(st.integers(0, 12), max_size=2),
    short_cut=st.sampled_from([None, *SHORT_CUTS]),
)
def test_cutting_a_parquet_file_changes_no_count(
    case: Case, cuts: list[int], short_cut: str | None
) -> None:
    whole = arrow_table(case.table)
    bounds = sorted([0, whole.num_rows, *(min(cut, whole.num_rows) for cut in cuts)])
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        if short_cut is not None:
            take_short_cut(patch, short_cut)
        paths = []
        for start, stop in pairwise(bounds):
            paths.append(Path(folder) / f"part {len(paths)}.parquet")
            parquet.write_table(whole.slice(start, stop - start), paths[-1])
        check_everything(open_source(paths), case)
        check_everything(open_source(folder), case)


@settings(max_examples=examples(20), phases=NO_SHRINKING)
@given(case=cases(), data=st.data())
def test_row_order_changes_no_count(case: Case, data: st.DataObject) -> None:
    whole = arrow_table(case.table)
    order = data.draw(st.permutations(range(whole.num_rows)))
    first = open_source(whole).counts
    second = open_source(whole.take(pa.array(order, pa.int64()))).counts
    for name in case.table:
        one, other = first.value_counts(name), second.value_counts(name)
        assert (one.labels, one.counts.tolist()) == (other.labels, other.counts.tolist())
    names = case.quasi_identifiers
    assert class_sizes(first, names) == class_sizes(second, names)


def test_the_order_of_quasi_identifiers_changes_no_histogram() -> None:
    table = arrow_table({"a": text(*"xxyy*"), "b": text(*"ppqr*"), "c": text(*"12121")})
    one = open_source(table).counts.class_histogram(["a", "b", "c"])
    other = open_source(table).counts.class_histogram(["c", "a", "b"])
    assert one.sizes.tolist() == other.sizes.tolist() == [1]
    assert one.classes.tolist() == other.classes.tolist() == [5]


def test_suppressed_rows_depend_on_the_quasi_identifiers_asked_for() -> None:
    counts = open_source(arrow_table({"a": text("*", "*", "x"), "b": text("*", "y", "*")})).counts
    assert [counts.suppressed_rows(names) for names in (["a"], ["b"], ["a", "b"])] == [2, 2, 1]
    assert counts.class_histogram(["a"]).suppressed_rows == 2
    assert counts.class_histogram(["a", "b"]).suppressed_rows == 1
