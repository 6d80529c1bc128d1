"""The bundled tables are what the catalogue says they are."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections import Counter
from dataclasses import FrozenInstanceError
from itertools import pairwise
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from petaudit import datasets
from petaudit.errors import InputError

ADULT_COLUMNS = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
]
INCOME_COLUMNS = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "educational-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "gender",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income",
]
COLUMNS = {
    "adult": ADULT_COLUMNS,
    "adult-deidentified": ADULT_COLUMNS,
    "adult-income_ori": INCOME_COLUMNS,
    "adult-income_control": INCOME_COLUMNS,
    "adult-income_syn": INCOME_COLUMNS,
    "patient": ["ZIPCode", "Age", "Salary", "Disease"],
    "patient-deidentified": ["ZIPCode", "Age", "Salary", "Disease"],
    "delta": ["zip", "age", "nationality", "salary-class"],
    "delta-deidentified": ["zip", "age", "nationality", "salary-class"],
    "example-t-closeness": ["birth_year", "salary", "disease"],
    "example-non-uniform-entropy": ["birth_year"],
    "example-precision": ["birthplace", "birth_year"],
    "example-profitability": ["birth_year"],
}
SHARED = Path(__file__).parents[3] / "shared" / "data"
everywhere = pytest.mark.parametrize("name", datasets.names())
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the reference tables are not here")


def read(path: Path) -> dict[str, list[str]]:
    """Read a table as columns of text, without petaudit."""
    if path.suffix == ".parquet":
        table = pq.read_table(path)
        return {name: list(map(str, table[name].to_pylist())) for name in table.column_names}
    with path.open(encoding="utf-8", newline="") as lines:
        header, *rows = ([cell.strip() for cell in row] for row in csv.reader(lines, delimiter=";"))
    return {name: [row[i] for row in rows] for i, name in enumerate(header)}


def hierarchies_of(dataset: datasets.Dataset) -> dict[str, list[list[str]]]:
    """Read the folder of hierarchies: column to leaf-first lines."""
    result = {}
    for path in sorted(dataset.hierarchies.iterdir()) if dataset.hierarchies else ():
        column = path.stem.rpartition("hierarchy_")[2]
        result[column] = [line.split(";") for line in path.read_text("utf-8").splitlines()]
    return result


def test_names_are_those_of_the_catalogue() -> None:
    assert datasets.names() == tuple(COLUMNS)
    assert [dataset.name for dataset in datasets.catalogue()] == list(COLUMNS)


@everywhere
def test_a_name_is_found_in_any_case(name: str) -> None:
    assert datasets.load(f" {name.upper()} ") is datasets.load(name)


@pytest.mark.parametrize("name", ["adlut", "", "nothing-like-it", "../adult"])
def test_an_unknown_name_lists_the_known_ones(name: str) -> None:
    with pytest.raises(InputError) as caught:
        datasets.load(name)
    assert repr(name) in str(caught.value)
    assert all(known in str(caught.value) for known in datasets.names())


def test_a_near_miss_gets_a_suggestion() -> None:
    with pytest.raises(InputError, match=r"did you mean 'patient'\?"):
        datasets.load("patients")


def test_a_schema_is_no_table_but_can_be_found() -> None:
    schema = datasets.load("adult-income_syn").schema
    assert datasets.schemas() == {"adult-income_schema": schema}
    with pytest.raises(InputError) as caught:
        datasets.load("Adult-Income_Schema")
    assert str(caught.value) == f"'Adult-Income_Schema' is not a table but a schema: {schema}"


def test_a_dataset_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        datasets.load("adult").rows = 0  # type: ignore[misc]


def test_importing_the_catalogue_loads_no_engine() -> None:
    code = "import sys, petaudit.datasets; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "petaudit.datasets" in loaded
    assert not loaded & {"duckdb", "pyarrow", "pandas", "polars", "narwhals", "numpy"}


@everywhere
def test_rows_columns_and_roles_are_as_stated(name: str) -> None:
    dataset = datasets.load(name)
    table = read(dataset.path)
    assert list(table) == COLUMNS[name]
    assert {len(cells) for cells in table.values()} == {dataset.rows}
    roles = dataset.quasi_identifiers + dataset.sensitive
    assert bool(dataset.quasi_identifiers) == (dataset.schema is None)
    assert len(set(roles)) == len(roles)
    assert set(roles) <= set(table)
    assert dataset.title
    assert dataset.source
    assert dataset.licence


@everywhere
def test_companion_tables_have_the_same_columns(name: str) -> None:
    dataset = datasets.load(name)
    if dataset.original:
        original = read(dataset.original)
        assert list(original) == COLUMNS[name]
        assert len(original[COLUMNS[name][0]]) == dataset.rows
    if dataset.control:
        assert list(read(dataset.control)) == COLUMNS[name]
    if dataset.population:
        population = read(dataset.population)
        assert list(population) == COLUMNS[name]
        assert len(population[COLUMNS[name][0]]) > dataset.rows


def test_every_bundled_file_belongs_to_a_dataset() -> None:
    known: set[Path] = set()
    for dataset in datasets.catalogue():
        known.add(dataset.path)
        known |= {dataset.path.with_suffix(".yaml")} if dataset.quasi_identifiers else set()
        companions = (dataset.original, dataset.control, dataset.population, dataset.schema)
        known |= {path for path in companions if path}
        known |= set(dataset.hierarchies.iterdir()) if dataset.hierarchies else set()
    data = datasets.load("adult").path.parent
    assert {path for path in data.rglob("*") if path.is_file()} == known


@everywhere
def test_hierarchies_are_trees(name: str) -> None:
    for column, lines in hierarchies_of(datasets.load(name)).items():
        assert column in COLUMNS[name]
        assert len({len(line) for line in lines}) == 1, column
        assert len({line[0] for line in lines}) == len(lines), column
        assert len({line[-1] for line in lines}) == 1, column
        parents: dict[str, set[str]] = {}
        levels: dict[str, set[int]] = {}
        for line in lines:
            for level, label in enumerate(line):
                levels.setdefault(label, set()).add(level)
            for label, parent in pairwise(line):
                parents.setdefault(label, set()).add(parent)
        assert all(len(result) == 1 for result in parents.values()), column
        assert all(len(result) == 1 for result in levels.values()), column


@everywhere
def test_every_quasi_identifier_of_a_pair_has_a_hierarchy(name: str) -> None:
    dataset = datasets.load(name)
    if dataset.original or dataset.population:
        assert set(dataset.quasi_identifiers) <= set(hierarchies_of(dataset))


@everywhere
def test_labels_are_in_the_hierarchies_and_generalise_the_original(name: str) -> None:
    dataset = datasets.load(name)
    released = read(dataset.path)
    before = read(dataset.original) if dataset.original else None
    for column, lines in hierarchies_of(dataset).items():
        above = {line[0]: {*line, "*"} for line in lines}
        if before:
            pairs = set(zip(before[column], released[column], strict=True))
            assert all(label in above[leaf] for leaf, label in pairs), column
        else:
            labels = {label for line in lines for label in line}
            assert set(released[column]) <= labels, column


@pytest.mark.parametrize("name", ["adult", "patient", "delta"])
def test_original_values_are_leaves(name: str) -> None:
    dataset = datasets.load(name)
    table = read(dataset.path)
    for column, lines in hierarchies_of(dataset).items():
        assert set(table[column]) <= {line[0] for line in lines}, column


def test_adult_hierarchies_cover_all_columns_and_end_in_a_star() -> None:
    hierarchies = hierarchies_of(datasets.load("adult"))
    assert set(hierarchies) == set(ADULT_COLUMNS)
    assert {line[-1] for lines in hierarchies.values() for line in lines} == {"*"}
    assert len(hierarchies["native-country"]) == 41
    assert [line[0] for line in hierarchies["age"]] == [str(age) for age in range(17, 91)]


def test_adult_is_text_except_the_age() -> None:
    schema = pq.read_schema(datasets.load("adult").path)
    assert str(schema.field("age").type) == "int64"
    assert {str(field.type) for field in schema if field.name != "age"} == {"string"}
    released = pq.read_schema(datasets.load("adult-deidentified").path)
    assert {str(field.type) for field in released} == {"string"}


def test_the_released_adult_has_classes_of_at_least_five() -> None:
    dataset = datasets.load("adult-deidentified")
    table = read(dataset.path)
    rows = list(zip(*(table[column] for column in dataset.quasi_identifiers), strict=True))
    sizes = Counter(row for row in rows if set(row) != {"*"})
    assert min(sizes.values()) == 5
    assert len(sizes) == 571
    assert len(rows) - sum(sizes.values()) == 1962
    assert not any("*" in row for row in sizes)
    assert table["workclass"] == read(datasets.load("adult").path)["workclass"]


@needs_shared
@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("adult", "adult/adult.csv"),
        ("patient-deidentified", "patient/patient_anonymized.csv"),
        ("delta", "delta/delta.csv"),
        ("delta-deidentified", "delta/delta_anonymized.csv"),
    ],
)
def test_tables_agree_with_the_reference_row_by_row(name: str, reference: str) -> None:
    assert read(datasets.load(name).path) == read(SHARED / reference)
