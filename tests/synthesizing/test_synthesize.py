"""What a synthetic table keeps of the real one, what it must not keep, and what is refused."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from petaudit import datasets
from petaudit.errors import ColumnError, InputError, OptionError
from petaudit.synthesizing import METHODS, copula, ordering, synthesize
from synthesizing.tables import cramers_v

INCOME = datasets.load("adult-income_ori").path
ROWS = 20_000
EVERY_MACHINE: dict[str, dict[str, list[Any]]] = {
    "gaussian-copula": {
        "x": [5, 5, 2, 1, None, 2],
        "y": ["c", "b", "a", None, "a", "b"],
        "z": [19.73, 44.58, 15.34, 61.09, 2.54, 5.94],
    },
    "independent": {
        "x": [5, 5, 5, 2, 1, 2],
        "y": ["b", "a", "a", None, "c", "a"],
        "z": [10.17, 64.09, 51.78, 43.17, 8.81, 12.03],
    },
}
both_methods = pytest.mark.parametrize("method", METHODS)


@pytest.fixture(scope="module")
def original() -> pa.Table:
    return pq.read_table(INCOME)


@pytest.fixture(scope="module")
def drawn() -> dict[str, pa.Table]:
    return {method: synthesize(INCOME, method, seed=1) for method in METHODS}


@both_methods
def test_shares_of_values_are_near(
    original: pa.Table, drawn: dict[str, pa.Table], method: str
) -> None:
    total = original.num_rows
    assert drawn[method].schema.equals(original.schema)
    for name in set(original.column_names) - {"fnlwgt"}:
        given, made = (Counter(table[name].to_pylist()) for table in (original, drawn[method]))
        assert set(made) <= set(given)
        assert max(abs(given[value] - made[value]) for value in given) / total < 0.01, name
    given, made = (np.sort(table["fnlwgt"].to_numpy()) for table in (original, drawn[method]))
    both = np.concatenate([given, made])
    shares = [np.searchsorted(one, both, side="right") / total for one in (given, made)]
    assert np.abs(shares[0] - shares[1]).max() < 0.015
    assert np.isin(made, given).mean() < 0.2


def test_the_copula_keeps_what_depends_on_what(
    original: pa.Table, drawn: dict[str, pa.Table]
) -> None:
    for one, other in (
        ("marital-status", "income"),
        ("education", "income"),
        ("occupation", "income"),
        ("relationship", "marital-status"),
        ("gender", "income"),
    ):
        given = cramers_v(original[one], original[other])
        made = cramers_v(drawn["gaussian-copula"][one], drawn["gaussian-copula"][other])
        assert 0.8 * given < made < 1.1 * given, (one, other)
    numbers = ["age", "educational-num", "hours-per-week", "capital-gain"]
    given, made = (
        np.corrcoef([table[name].to_numpy() for name in numbers])
        for table in (original, drawn["gaussian-copula"])
    )
    assert np.abs(given - made).max() < 0.08


def test_independent_columns_depend_on_nothing(drawn: dict[str, pa.Table]) -> None:
    made = drawn["independent"]
    for name in ("marital-status", "education", "gender", "relationship"):
        assert cramers_v(made[name], made["income"]) < 0.03
    assert abs(np.corrcoef(made["age"].to_numpy(), made["hours-per-week"].to_numpy())[0, 1]) < 0.03


def test_labels_are_ordered_by_what_depends_on_them() -> None:
    """The names of the labels, by which they would be sorted, tell nothing."""
    number = np.random.default_rng(6).integers(0, 100, ROWS)
    label = np.array(["q", "a", "z", "b", "y"])[number // 20]
    made = synthesize(pa.table({"label": label, "number": number}))
    means = [
        made["number"].to_numpy()[np.array(made["label"].to_pylist()) == name].mean()
        for name in "qazby"
    ]
    assert means == sorted(means)
    assert means[-1] - means[0] > 60


def test_two_columns_of_labels_find_a_common_order() -> None:
    place = np.random.default_rng(6).integers(0, 6, ROWS)
    table = pa.table(
        {
            "one": np.array(list("qazbyc"))[place],
            "noise": np.random.default_rng(7).integers(0, 9, ROWS).astype(str),
            "other": np.array(list("fmdxke"))[place],
        }
    )
    made = synthesize(table)
    assert cramers_v(made["one"], made["other"]) > 0.6
    assert cramers_v(made["one"], made["noise"]) < 0.05


def test_the_names_of_labels_may_say_that_there_is_no_dependence() -> None:
    """In the order of the names the two columns are not correlated at all."""
    table = pa.table({"one": list("abcd") * 500, "other": list("bdac") * 500})
    made = synthesize(table)
    assert cramers_v(made["one"], made["other"]) > 0.7


def test_some_rows_are_enough_to_order_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    number = np.random.default_rng(6).integers(0, 100, ROWS)
    label = np.array([f"label {i * 37 % 100}" for i in range(100)])[number]
    table = pa.table({"label": label, "number": number})
    monkeypatch.setattr(ordering, "MOST_ROWS", 1000)
    made = synthesize(table)
    assert made.equals(synthesize(table))
    place = {f"label {i * 37 % 100}": i for i in range(100)}
    places = [place[name] for name in made["label"].to_pylist()]
    assert np.corrcoef(places, made["number"].to_numpy())[0, 1] > 0.9


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("others", ["rise", "fall"])
def test_nulls_depend_on_the_other_columns(sign: int, others: str) -> None:
    x = np.random.default_rng(9).standard_normal(ROWS)
    y = x if others == "rise" else -x
    is_null = sign * x > 0.5
    table = pa.table({"x": pa.array(np.round(10 * x), mask=is_null), "y": np.round(10 * y)})
    made = synthesize(table, seed=4)
    missing = made["x"].is_null().to_numpy()
    assert missing.mean() == pytest.approx(is_null.mean(), abs=0.02)
    gap = table["y"].to_numpy()[is_null].mean() - table["y"].to_numpy()[~is_null].mean()
    own = made["y"].to_numpy()
    assert own[missing].mean() - own[~missing].mean() == pytest.approx(gap, rel=0.15)
    alone = synthesize(table, "independent", seed=4)
    missing, own = alone["x"].is_null().to_numpy(), alone["y"].to_numpy()
    assert missing.mean() == pytest.approx(is_null.mean(), abs=0.02)
    assert abs(own[missing].mean() - own[~missing].mean()) < 0.5


@both_methods
def test_no_text_of_an_identifier_is_repeated(method: str) -> None:
    count = 500
    mails = [f"person{i}@example.org" for i in range(count)]
    mostly = [f"text {i}" if i % 5 else "shared" for i in range(count)]
    table = pa.table(
        {
            "mail": pa.array([None if i % 10 == 0 else mail for i, mail in enumerate(mails)]),
            "mostly": mostly,
            "city": [f"city {i % 7}" for i in range(count)],
        }
    )
    made = synthesize(table, method, rows=2000)
    for name in ("mail", "mostly"):
        cells = made[name].drop_null().to_pylist()
        assert not set(cells) & set(table[name].to_pylist())
        assert len(set(cells)) == len(cells)
    assert made["mail"].null_count / 2000 == pytest.approx(0.1, abs=0.03)
    assert made["mail"].drop_null().to_pylist()[-1].startswith("text ")
    assert made["mostly"].to_pylist()[1999] == "synthetic text 2000"
    assert set(made["city"].to_pylist()) == set(table["city"].to_pylist())


def test_placeholders_are_counted_through_blocks_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copula, "BLOCK_ROWS", 7)
    made = synthesize(pa.table({"name": ["Ann", "Bo", "Cy"]}), rows=20)
    assert made["name"].to_pylist() == [f"text {i}" for i in range(1, 21)]


@both_methods
def test_numbers_and_dates_of_single_people_are_not_repeated(method: str) -> None:
    random = np.random.default_rng(2)
    table = pa.table(
        {
            "id": random.integers(0, 10**15, 200),
            "seen": pa.array(random.integers(0, 10**15, 200), pa.timestamp("us")),
            "weight": random.standard_normal(200),
        }
    )
    made = synthesize(table, method, rows=5000)
    for name in table.column_names:
        assert not set(made[name].to_pylist()) & set(table[name].to_pylist())


@both_methods
def test_the_draw_depends_on_the_seed_alone(method: str, drawn: dict[str, pa.Table]) -> None:
    assert synthesize(INCOME, method, seed=1).equals(drawn[method])
    assert synthesize(pq.read_table(INCOME), method, seed=1).equals(drawn[method])
    assert not synthesize(INCOME, method, seed=2).equals(drawn[method])


@both_methods
def test_the_draw_is_that_of_every_machine(method: str) -> None:
    table = pa.table(
        {
            "x": [1, 1, 2, None, 2, 5, 5, 5] * 5,
            "y": ["a", "a", "b", "b", "c", "c", None, "c"] * 5,
            "z": [0.25 * i * (i % 8) for i in range(40)],
        }
    )
    assert synthesize(table, method, rows=6, seed=5).to_pydict() == EVERY_MACHINE[method]


@both_methods
def test_hostile_names_are_kept(method: str) -> None:
    names = ['a "quoted" name', "it's; DROP TABLE x --", "年齡", "`c0`", "c1", "x\ny", "%s {0}"]
    table = pa.table({name: [1, 2, 2, 1] * 5 for name in names})
    made = synthesize(table, method)
    assert made.column_names == names
    assert set(made["年齡"].to_pylist()) == {1, 2}


@both_methods
def test_hostile_values_are_kept(method: str) -> None:
    texts = ["=cmd()", "台北", 'say "hi"', "a;b,c\nd", "\U0001f600", "e\u0301", "\u202eabc"]
    table = pa.table(
        {"text": texts * 30, "nan": [float("nan"), -0.0, 0.0, 1.5, None, 2.5, 2.5] * 30}
    )
    made = synthesize(table, method, rows=1000)
    assert set(made["text"].to_pylist()) == set(texts)
    assert set(made["nan"].to_pylist()) == {None, 0.0, 1.5, 2.5}
    assert made["nan"].null_count / 1000 == pytest.approx(2 / 7, abs=0.05)


@both_methods
def test_more_labels_than_cells_keep_their_shares(method: str) -> None:
    labels = [f"label {i}" for i in range(1500) for _ in range(1 + i % 20)]
    made = synthesize(pa.table({"x": labels, "y": list(range(len(labels)))}), method, rows=100_000)
    given, own = Counter(labels), Counter(made["x"].to_pylist())
    assert set(own) <= set(given)
    for size in (1, 20):
        named = [label for label, count in given.items() if count == size]
        share = sum(own[label] for label in named) / 100_000
        assert share == pytest.approx(size * len(named) / len(labels), rel=0.1)


@both_methods
def test_constant_and_empty_columns_and_single_rows(method: str) -> None:
    table = pa.table({"same": ["x"] * 5, "none": pa.nulls(5, pa.date32()), "n": [7] * 5})
    made = synthesize(table, method, rows=3)
    assert made.to_pydict() == {"same": ["x"] * 3, "none": [None] * 3, "n": [7] * 3}
    one = pa.table({"n": [7], "x": [2.5], "name": ["Ann"], "none": pa.nulls(1)})
    made = synthesize(one, method, rows=2)
    assert made.to_pydict() == {
        "n": [7, 7], "x": [2.5, 2.5], "name": ["text 1", "text 2"], "none": [None, None]
    }  # fmt: skip


@both_methods
def test_a_table_without_rows_is_refused(method: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the frame has no rows"):
        synthesize(pa.table({"x": pa.array([], pa.int64())}), method)
    path = tmp_path / "empty.parquet"
    pq.write_table(pa.table({"x": pa.array([], pa.string())}), path)
    with pytest.raises(InputError, match=r"empty\.parquet has no rows"):
        synthesize(path, method)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "gausian-copula"}, r"'gausian-copula'.*did you mean 'gaussian-copula'"),
        ({"method": "ctgan"}, "known: gaussian-copula, independent"),
        ({"method": None}, "unknown method None"),
        ({"method": ["independent"]}, "unknown method"),
        ({"rows": 0}, "rows must be an integer from 1 to"),
        ({"rows": -1}, "rows must be an integer from 1 to 1,000,000,000, got -1"),
        (
            {"rows": 10**30},
            "rows must be an integer from 1 to 1,000,000,000, got 1000000000000000000000000000000",
        ),
        ({"rows": 2.0}, r"rows must be an integer from 1 to 1,000,000,000, got 2\.0"),
        ({"rows": True}, "rows must be an integer from 1 to 1,000,000,000, got True"),
        ({"rows": "5"}, "rows must be an integer from 1 to 1,000,000,000, got '5'"),
        ({"seed": -1}, "seed must be an integer >= 0, got -1"),
        ({"seed": None}, "seed must be an integer >= 0, got None"),
        ({"seed": 0.5}, r"seed must be an integer >= 0, got 0\.5"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        synthesize(pa.table({"x": [1, 2]}), **options)


def test_columns_that_cannot_be_counted_are_refused() -> None:
    with pytest.raises(ColumnError, match="column 'x' is of kind"):
        synthesize(pa.table({"x": [[1], [2]]}))
    with pytest.raises(InputError, match=r"frame .*, got int$"):
        synthesize(5)


def test_any_whole_number_is_a_seed() -> None:
    table = pa.table({"x": [1, 1, 2, 2]})
    for seed in (np.int64(3), 2**200):
        assert synthesize(table, rows=np.int32(9), seed=seed).num_rows == 9
    assert synthesize(table, seed=np.int64(3)).equals(synthesize(table, seed=3))
