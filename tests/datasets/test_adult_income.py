"""The synthetic Adult and the two parts of the real one are what the documents say."""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from petaudit import datasets

PARTS = ("ori", "control", "syn")
NUMBERS = ("age", "fnlwgt", "educational-num", "capital-gain", "capital-loss", "hours-per-week")
# Of the sorted lines of both raw files, without blanks and without the dots after the incomes.
SHA256_OF_ALL_ROWS = "c9c6db8d65230e5a79b64d4ef4ae0ab2536573521e45646780d65b6a9be354f7"


@pytest.fixture(scope="module")
def tables() -> dict[str, pa.Table]:
    return {part: pq.read_table(datasets.load(f"adult-income_{part}").path) for part in PARTS}


@pytest.fixture(scope="module")
def both(tables: dict[str, pa.Table]) -> pa.Table:
    return pa.concat_tables([tables["ori"], tables["control"]])


def rows_of(table: pa.Table) -> list[tuple[object, ...]]:
    return list(zip(*table.to_pydict().values(), strict=True))


def coded(column: pa.ChunkedArray) -> np.ndarray:
    return column.combine_chunks().dictionary_encode().indices.to_numpy()


def cramers_v(x: pa.ChunkedArray, y: pa.ChunkedArray) -> float:
    codes = coded(x), coded(y)
    observed = np.zeros([one.max() + 1 for one in codes])
    np.add.at(observed, codes, 1)
    total = observed.sum()
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0)) / total
    return float(
        np.sqrt(((observed - expected) ** 2 / expected).sum() / total / (min(observed.shape) - 1))
    )


def test_the_parts_are_80_and_20_percent(tables: dict[str, pa.Table]) -> None:
    assert {part: table.num_rows for part, table in tables.items()} == {
        "ori": 39_074,
        "control": 9_768,
        "syn": 39_074,
    }
    assert round(48_842 * 0.8) == 39_074


def test_the_parts_together_are_all_rows_of_the_raw_files(both: pa.Table) -> None:
    lines = sorted(",".join(map(str, row)) + "\n" for row in rows_of(both))
    assert len(lines) == 48_842
    assert hashlib.sha256("".join(lines).encode()).hexdigest() == SHA256_OF_ALL_ROWS


def like_adult(table: pa.Table) -> list[tuple[object, ...]]:
    """The columns that `adult` has too, in its order."""
    columns = pq.read_schema(datasets.load("adult").path).names
    names = {"sex": "gender", "salary-class": "income"}
    return rows_of(table.select([names.get(name, name) for name in columns]))


def test_the_parts_hold_the_complete_rows_of_adult(both: pa.Table) -> None:
    adult = rows_of(pq.read_table(datasets.load("adult").path))
    assert not Counter(adult) - Counter(like_adult(both))


def test_the_parts_keep_the_order_of_the_raw_file(
    tables: dict[str, pa.Table], both: pa.Table
) -> None:
    """Adult has that order too, and rows that occur only once show it."""
    counts = Counter(like_adult(both))
    adult = rows_of(pq.read_table(datasets.load("adult").path))
    places = {row: i for i, row in enumerate(adult) if counts[row] == 1}
    for part in ("ori", "control"):
        result = [places[row] for row in like_adult(tables[part]) if row in places]
        assert len(result) > 1000
        assert result == sorted(result)


def test_numbers_are_whole_and_the_rest_is_text(tables: dict[str, pa.Table]) -> None:
    for table in tables.values():
        assert {field.name for field in table.schema if field.type == pa.int64()} == set(NUMBERS)
        assert {str(field.type) for field in table.schema} == {"int64", "string"}
        assert all(column.null_count == 0 for column in table.columns)
        assert set(table["income"].to_pylist()) == {"<=50K", ">50K"}
        assert "?" in table["workclass"].to_pylist()


def test_the_files_are_small() -> None:
    for part in PARTS:
        assert datasets.load(f"adult-income_{part}").path.stat().st_size < 500_000


def test_the_schema_describes_the_tables(tables: dict[str, pa.Table]) -> None:
    path = datasets.schemas()["adult-income_schema"]
    schema = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert list(schema) == ["id", "name", "attributes"]
    for table in tables.values():
        assert list(schema["attributes"]) == table.column_names
        for field in table.schema:
            text = field.type == pa.string()
            described = {"type": "str" if text else "int", "nullable": False}
            assert schema["attributes"][field.name] == described | (
                {"category": True} if text else {}
            )


def test_they_go_with_each_other() -> None:
    ori, control, syn = (datasets.load(f"adult-income_{part}") for part in PARTS)
    assert (ori.original, ori.control) == (None, control.path)
    assert (control.original, control.control) == (None, None)
    assert (syn.original, syn.control) == (ori.path, control.path)


def test_synthetic_values_occur_in_the_original(tables: dict[str, pa.Table]) -> None:
    for name in set(tables["ori"].column_names) - {"fnlwgt"}:
        assert set(tables["syn"][name].to_pylist()) <= set(tables["ori"][name].to_pylist()), name


def test_synthetic_weights_are_not_those_of_people(tables: dict[str, pa.Table]) -> None:
    given = np.sort(tables["ori"]["fnlwgt"].to_numpy())
    drawn = np.sort(tables["syn"]["fnlwgt"].to_numpy())
    assert np.isin(drawn, given).mean() < 0.1
    assert given[0] <= drawn[0]
    assert drawn[-1] <= given[-1]
    both = np.concatenate([given, drawn])
    shares = [np.searchsorted(one, both, side="right") / len(one) for one in (given, drawn)]
    assert np.abs(shares[0] - shares[1]).max() < 0.01


def test_synthetic_shares_are_near_the_original_ones(tables: dict[str, pa.Table]) -> None:
    total = tables["ori"].num_rows
    for name in set(tables["ori"].column_names) - {"fnlwgt"}:
        given, drawn = (Counter(tables[part][name].to_pylist()) for part in ("ori", "syn"))
        gaps = [abs(given[value] - drawn[value]) / total for value in given]
        assert max(gaps) < 0.005, name
        assert sum(gaps) / 2 < 0.02, name


def test_synthetic_rows_are_no_copies(tables: dict[str, pa.Table]) -> None:
    known = set(rows_of(tables["ori"])) | set(rows_of(tables["control"]))
    assert not known & set(rows_of(tables["syn"]))


def test_rows_without_the_weight_are_copied_less_than_people_resemble_each_other(
    tables: dict[str, pa.Table],
) -> None:
    kept = [name for name in tables["ori"].column_names if name != "fnlwgt"]
    known = set(rows_of(tables["ori"].select(kept)))
    copied = {
        part: np.mean([row in known for row in rows_of(tables[part].select(kept))])
        for part in ("control", "syn")
    }
    assert copied["syn"] == pytest.approx(0.057, abs=0.0005)
    assert copied["control"] == pytest.approx(0.179, abs=0.0005)


def test_numbers_are_correlated_as_in_the_original(tables: dict[str, pa.Table]) -> None:
    given, drawn = (
        np.corrcoef([tables[part][name].to_numpy() for name in NUMBERS]) for part in ("ori", "syn")
    )
    assert np.abs(given - drawn).max() < 0.05


def test_the_income_depends_on_text_as_in_the_original(tables: dict[str, pa.Table]) -> None:
    for name in set(tables["ori"].column_names) - set(NUMBERS) - {"income"}:
        given, drawn = (
            cramers_v(tables[part][name], tables[part]["income"]) for part in ("ori", "syn")
        )
        assert drawn == pytest.approx(given, abs=0.03), name


def test_text_is_never_more_associated_than_in_the_original(tables: dict[str, pa.Table]) -> None:
    texts = [name for name in tables["ori"].column_names if name not in NUMBERS]
    for one, other in combinations(texts, 2):
        given, drawn = (
            cramers_v(tables[part][one], tables[part][other]) for part in ("ori", "syn")
        )
        assert drawn < given + 0.01, (one, other)


def test_an_education_has_one_number(tables: dict[str, pa.Table]) -> None:
    pairs = [
        set(rows_of(table.select(["education", "educational-num"]))) for table in tables.values()
    ]
    assert [len(result) for result in pairs] == [16, 16, 16]
    assert pairs[0] == pairs[1] == pairs[2]
