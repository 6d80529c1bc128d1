"""Classes of a table beside those of a population: on every engine what dictionaries give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from petaudit.errors import InputError
from petaudit.tables import open_source
from petaudit.tables.population import PopulationClasses, population_classes
from tables.cases import CASES
from tables.checks import class_sizes
from tables.engines import Cells, Column, NotExpressibleError, Table, held_by, label, text
from tables.test_conformance import SHORT_CUTS, take_short_cut

ENGINES = ("pyarrow", "pandas", "pandas-object", "polars", "duckdb", "csv", "parquet")


def unchanged(_: str, __: Any, labels: Sequence[str | None]) -> Sequence[str | None]:
    return labels


def rows_of(table: Table, names: list[str]) -> list[Cells]:
    return list(zip(*([label(cell) for cell in table[name].cells] for name in names), strict=True))


def entries(result: PopulationClasses) -> Counter[tuple[int, int]]:
    pairs = zip(result.sizes.tolist(), result.population_sizes.tolist(), strict=True)
    counted = list(zip(pairs, result.classes.tolist(), strict=True))
    assert len(dict(counted)) == len(counted), "classes of equal sizes are one entry"
    ordered = [(people, size) for (size, people), _ in counted]
    assert ordered == sorted(ordered)
    return Counter(dict(counted))


# --- coded classes ----------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", CASES)
def test_coded_classes_are_those_of_a_counter(name: str, engine: str, tmp_path: Path) -> None:
    case = CASES[name]
    try:
        held = held_by(engine, case.table, tmp_path)
    except NotExpressibleError:
        pytest.skip("this engine cannot hold the table")
    expected = Counter(
        zip(
            *(
                [label(cell) for cell in column.cells]
                for wanted in case.quasi_identifiers
                for name, column in case.table.items()
                if name.strip() == wanted
            ),
            strict=True,
        )
    )
    assert class_sizes(open_source(held).counts, case.quasi_identifiers) == expected


@pytest.mark.parametrize("short_cut", SHORT_CUTS[:2])
@pytest.mark.parametrize("name", ["plain", "nulls", "blanks around cells", "blank cells", "floats"])
def test_the_ways_of_large_files_give_the_same_codes(
    name: str, short_cut: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take_short_cut(monkeypatch, short_cut)
    case = CASES[name]
    source = open_source(held_by("parquet", case.table, tmp_path))
    expected = Counter(rows_of(case.table, case.quasi_identifiers))
    assert class_sizes(source.counts, case.quasi_identifiers) == expected


def test_coded_classes_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = open_source(pa.table({"a": ["x", "y", "x"]})).counts
    first = counts.coded_classes(["a"])
    monkeypatch.setattr(counts, "collected", None)
    assert counts.coded_classes(["a"]) is first


# --- sample and population --------------------------------------------------------------------

TABLE: Table = {
    "zip": text("47*", " 47*", "48*", None, "", "*", "* "),
    "age": Column("integer", [30, 30, 40, 40, 40, 30, 50]),
}
SAMPLE: Table = {
    "zip": text("47*", " 47*", "48*", None, "", "*", "* "),
    "age": text("30", "30 ", "40", "40", " 40", "*", "*"),
}
POPULATION: Table = {
    # Numbers where the table has text, and nulls in both: they are the same labels.
    "zip": text("47*", "47*", "47* ", "48*", None, " ", None, "49*", "49*", None),
    "age": Column("float", [30.0, 30.0, 30.0, 40.0, 40.0, 40.0, 40.0, 30.0, 30.0, None]),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("other", ["pyarrow", "csv", "polars"])
def test_classes_are_found_by_their_labels_whatever_holds_them(
    engine: str, other: str, tmp_path: Path
) -> None:
    (tmp_path / "p").mkdir()
    sample = open_source(held_by(engine, SAMPLE, tmp_path)).counts
    population = open_source(held_by(other, POPULATION, tmp_path / "p")).counts
    result = population_classes(sample, population, ["zip", "age"], unchanged)
    # (47*, 30): 2 of 3; (48*, 40): 1 of 1; (null, 40): 2 of 3.
    assert entries(result) == Counter({(2, 3): 2, (1, 1): 1})
    assert (result.rows, result.suppressed_rows, result.population_rows) == (5, 2, 10)
    # (49*, 30) with two people and (null, null) with one.
    assert (result.classes_without_rows, result.people_without_rows) == (2, 3)
    # (48*, 40), and (null, null).
    assert (result.uniques_with_rows, result.uniques_without_rows) == (1, 1)
    as_class = result.with_suppressed_as_class()
    # Three people fit no class of the table.
    assert entries(as_class) == Counter({(2, 3): 3, (1, 1): 1})
    assert (as_class.rows, as_class.suppressed_rows) == (7, 0)
    assert as_class.with_suppressed_as_class() is as_class


def test_numbers_of_the_table_are_no_suppressed_rows() -> None:
    held = open_source(held_by("pyarrow", TABLE, Path()))
    result = population_classes(held.counts, held.counts, ["zip", "age"], unchanged)
    assert entries(result) == Counter({(2, 2): 2, (1, 1): 3})
    assert (result.suppressed_rows, result.classes_without_rows) == (0, 0)


def test_suppressed_rows_of_the_population_are_in_no_class() -> None:
    sample = open_source(pa.table({"a": ["x", "*"], "b": ["*", "*"]})).counts
    population = open_source(
        pa.table({"a": ["x", "x", "*", "*"], "b": ["*", "*", "*", "y"]})
    ).counts
    result = population_classes(sample, population, ["a", "b"], unchanged)
    assert entries(result) == Counter({(1, 2): 1})
    assert (result.classes_without_rows, result.people_without_rows) == (1, 1)


def test_translated_labels_fall_together() -> None:
    seen = []

    def translate(column: str, released: Any, labels: Any) -> list[str]:
        seen.append((column, sorted(released), sorted(labels)))
        return [f"{label[0]}*" for label in labels]

    sample = open_source(pa.table({"a": ["1*", "1*", "2*", "*"]})).counts
    population = open_source(pa.table({"a": ["11", "12", "13", "21", "31", "32"]})).counts
    result = population_classes(sample, population, ["a"], translate)
    # What only suppressed rows have is no released label.
    assert seen == [("a", ["1*", "2*"], ["11", "12", "13", "21", "31", "32"])]
    assert entries(result) == Counter({(2, 3): 1, (1, 1): 1})
    assert (result.classes_without_rows, result.people_without_rows) == (1, 2)


@pytest.mark.parametrize(
    ("sample", "population", "message"),
    [
        (
            ["x", "x", "x", "secret", "y"],
            ["x", "x", "y", "y", "y", "y"],
            "2 classes of the table with 4 rows have fewer people in the population than rows in "
            "the table (1 of them nobody at all): the population must contain everybody",
        ),
        (
            ["x", "x", "y"],
            ["x", "y", "y"],
            "1 class of the table with 2 rows has fewer people in the population than rows in "
            "the table (0 of them nobody at all): the population must contain everybody",
        ),
        (
            ["x", "x", "*"],
            ["x", "x"],
            "the population has 2 rows, fewer than the 3 of the table; it must contain everybody",
        ),
    ],
)
def test_who_is_not_in_the_population_is_an_error_without_values(
    sample: list[str], population: list[str], message: str
) -> None:
    counts = [open_source(pa.table({"a": cells})).counts for cells in (sample, population)]
    with pytest.raises(InputError) as caught:
        population_classes(*counts, ["a"], unchanged)
    assert str(caught.value).startswith(message)
    assert "secret" not in str(caught.value)


def test_a_table_of_suppressed_rows_only_has_no_class() -> None:
    sample = open_source(pa.table({"a": ["*", "*"]})).counts
    population = open_source(pa.table({"a": ["x", "y"]})).counts
    result = population_classes(sample, population, ["a"], unchanged)
    assert (result.sizes.size, result.suppressed_rows, result.classes_without_rows) == (0, 2, 2)
    as_class = result.with_suppressed_as_class()
    assert entries(as_class) == Counter({(2, 2): 1})
    assert (as_class.uniques_with_rows, as_class.uniques_without_rows) == (0, 2)


def test_random_tables_with_more_combinations_than_a_number_holds() -> None:
    """Twelve columns of 60 labels: 60**12 is beyond 2**62, so keys are made dense on the way."""
    random = np.random.default_rng(5)
    names = [f"q{index}" for index in range(12)]
    people = random.integers(0, 60, (400, 12))
    people = people[random.integers(0, 400, 3000)]
    rows = people[:1000]
    tables = [
        pa.table({name: [f"l{cell}" for cell in part[:, i]] for i, name in enumerate(names)})
        for part in (rows, people)
    ]
    result = population_classes(*(open_source(table).counts for table in tables), names, unchanged)
    in_table, in_population = (Counter(map(tuple, part.tolist())) for part in (rows, people))
    expected = Counter((size, in_population[row]) for row, size in in_table.items())
    assert entries(result) == expected
    assert result.classes_without_rows == len(in_population) - len(in_table)
