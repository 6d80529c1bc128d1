"""Tables with a guarantee: what they hold, what they keep, what they say, what is refused."""

from __future__ import annotations

import warnings
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pytest

from petaudit.errors import ColumnError, OptionError, PetauditWarning
from petaudit.synthesizing import synthesize_private
from petaudit.synthesizing.private.accountant import rho_for
from petaudit.synthesizing.private.domains import domain_of
from synthesizing.tables import cramers_v, every_type

ROWS = 3_000
KINDS: dict[str, tuple[pa.DataType, list[Any], Any, set[Any] | None]] = {
    "labels": (pa.string(), ["a", "b", None], ["a", "b", "c", None], {"a", "b", None}),
    "numbers listed": (pa.int8(), [1, 5], [1, 2, 5], {1, 5}),
    "truths": (pa.bool_(), [True, False, None], [True, False, None], {True, False, None}),
    "decimals": (pa.decimal128(8, 2), [Decimal("1.25"), Decimal("3.50")],
                 {"from": 1.25, "to": 3.5}, None),
    "floats": (pa.float32(), [0.5, 2.5], {"from": 0.5, "to": 2.5, "bins": 4}, None),
    "whole": (pa.uint16(), [3, 900], {"from": 0, "to": 1000}, None),
    "days": (pa.date32(), [date(2020, 2, 1), date(2024, 5, 5)],
             {"from": date(2020, 1, 1), "to": "2024-12-31"}, None),
    "moments": (pa.timestamp("ns", "UTC"), [datetime(2020, 1, 1, 10, tzinfo=UTC)],
                {"from": "2020-01-01 00:00", "to": "2020-01-02 00:00"}, None),
    "empty cells": (pa.int64(), [7, None], {"from": 0, "to": 9, "nulls": True}, None),
    "keys": (pa.string(), ["A1", "B2"], "identifier", None),
}  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_column_comes_back_in_its_type_and_domain(name: str) -> None:
    kind, values, spec, expected = KINDS[name]
    cells = pa.array([values[i % len(values)] for i in range(ROWS)], kind)
    other = ["x" if i % 2 else "y" for i in range(ROWS)]
    table = pa.table({"cell": cells, "other": other})
    made = synthesize_private(table, {"cell": spec, "other": ["x", "y"]}, 1.0, seed=3).table
    assert made.schema.types == table.schema.types
    assert made.num_rows == pytest.approx(ROWS, abs=150)
    drawn = made["cell"].to_pylist()
    if expected is not None:
        # Nothing but noise speaks for a value that does not occur.
        assert expected <= set(drawn)
        assert sum(value not in expected for value in drawn) < 0.02 * ROWS
    elif isinstance(spec, dict):
        domain = domain_of(spec, "cell")
        assert (domain.encode(made["cell"].combine_chunks()) >= 0).all()
        known = [value for value in drawn if value is not None]
        real = [value for value in values if value is not None]
        assert (None in drawn) == spec.get("nulls", False)
        width = (max(real) - min(real)) / 4 if len(set(real)) > 1 else None
        if width:
            near = sum(min(abs(value - one) for one in real) <= width for value in known)
            assert near > 0.9 * len(known)
    else:
        assert drawn == [f"text {number}" for number in range(1, len(drawn) + 1)]
        assert not set(drawn) & set(values)


def test_files_without_types(tmp_path: Path) -> None:
    table = pa.table(
        {
            "age": ["31", "47"] * 500,
            "height": ["1.75", "1.6"] * 500,
            "born": ["1980-02-03", ""] * 500,
            "sick": ["yes", "no"] * 500,
        }
    )
    path = tmp_path / "people.csv"
    pyarrow.csv.write_csv(table, path)
    domain = {
        "age": {"from": 20, "to": 59, "bins": 4},
        "height": {"from": 1.5, "to": 2.0, "decimals": 2},
        "born": {"from": "1950-01-01", "to": "1999-12-31", "nulls": True},
        "sick": ["yes", "no"],
    }
    made = synthesize_private(path, domain, 2.0, seed=1).table
    assert set(made["sick"].to_pylist()) == {"yes", "no"}
    assert all(20 <= int(age) <= 59 for age in made["age"].to_pylist())
    assert all(len(height) == 4 for height in made["height"].to_pylist())
    born = made["born"].to_pylist()
    assert 0.4 < born.count(None) / len(born) < 0.6
    assert all(1950 <= date.fromisoformat(day).year < 2000 for day in born if day is not None)


def test_the_table_depends_on_the_seed_alone_and_noise_is_new_without_one() -> None:
    table = pa.table({"x": list("ab") * 300, "y": list("cd") * 300})
    domain = {"x": ["a", "b"], "y": ["c", "d"]}
    one, same, other = (synthesize_private(table, domain, 1.0, seed=s) for s in (4, 4, 5))
    assert one.table.equals(same.table)
    assert not one.table.equals(other.table)
    sizes = {synthesize_private(table, domain, 0.1).table.num_rows for _ in range(5)}
    assert len(sizes) > 1
    assert synthesize_private(table, domain, 0.1, rows=17).table.num_rows == 17


def test_pairs_that_depend_stay_together_and_columns_that_do_not_stay_apart() -> None:
    random = np.random.default_rng(2)
    x = random.integers(0, 6, 20_000)
    table = pa.table(
        {"x": x, "y": (x + (random.random(20_000) < 0.2)) % 6, "z": random.permutation(x)}
    )
    made = synthesize_private(table, {name: list(range(6)) for name in "xyz"}, 1.0, seed=1).table
    assert cramers_v(made["x"], made["y"]) == pytest.approx(
        cramers_v(table["x"], table["y"]), abs=0.03
    )
    assert cramers_v(made["x"], made["z"]) < 0.05


def test_domains_from_the_data_for_every_type() -> None:
    table = pa.table(every_type())
    made = synthesize_private(table, "from-data", 50.0, seed=1)
    assert made.table.num_columns == table.num_columns
    assert list(made.guarantee.from_data) == table.column_names
    assert not made.guarantee.holds
    small = np.array(made.table["int8"].drop_null().to_pylist())
    assert small.mean() == pytest.approx(50, abs=5)


def test_a_frame_of_pandas_comes_back_as_one() -> None:
    frame = pd.DataFrame({"x": ["a", "b"] * 50, "n": [1, 2] * 50})
    made = synthesize_private(frame, {"x": ["a", "b"], "n": [1, 2]}, 1.0, seed=1).table
    assert isinstance(made, pd.DataFrame)
    assert made["n"].dtype == frame["n"].dtype


def test_rows_that_do_not_fit_are_left_out_and_counted() -> None:
    table = pa.table({"x": ["a", "b", "strange", None] * 100, "n": [5, 500, 7, 7] * 100})
    with pytest.warns(PetauditWarning, match="200 rows left out, which do not fit") as warned:
        made = synthesize_private(table, {"x": ["a", "b"], "n": {"from": 0, "to": 99}}, 5.0, seed=1)
    assert "strange" not in str(warned[0].message)
    assert made.table.num_rows == pytest.approx(200, abs=40)
    # 500 is beyond the range and counts as its end.
    assert max(made.table["n"].to_pylist()) >= 90


def test_names_that_may_be_a_person_are_not_told() -> None:
    table = pa.table({"Ann": ["x", "y"] * 50, "33": ["a", "b"] * 50, "2020-01-01": ["c", "d"] * 50})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        promise = synthesize_private(table, "from-data", 1.0).guarantee
        with pytest.raises(OptionError) as raised:
            synthesize_private(table, {"33": ["a", "b"]}, 1.0)
    said = [*promise.sentences, *promise.to_dict()["domain_from_data"], str(raised.value)]
    assert not [text for text in said if "Ann" in text]


def test_a_large_delta_is_said() -> None:
    table = pa.table({"x": ["a", "b"] * 3000})
    with pytest.warns(PetauditWarning, match="delta 0.001 is more than 1"):
        synthesize_private(table, {"x": ["a", "b"]}, 1.0, 1e-3, seed=1)


def test_what_is_promised_is_said_only_where_it_holds() -> None:
    table = pa.table({"who": ["p", "q"] * 50, "x": ["a", "b"] * 50})
    domain = {"x": ["a", "b"]}
    with pytest.warns(PetauditWarning, match="90 rows left out, of people who have more than 5"):
        made = synthesize_private(table, domain, 1.0, person="who", rows_per_person=5)
    # Five rows of a person may be in one cell: the noise is five times as wide.
    [entry] = made.spent
    assert entry.rho == Fraction(25, 2 * (entry.variance or 0)) <= rho_for(1.0, 1e-9)
    promise = made.guarantee
    assert promise.holds
    assert "is differentially private with epsilon 1 and delta 1e-09" in promise.sentences[0]
    assert "2.72 times as likely as without any one person" in promise.sentences[0]
    assert "5 rows of each" in promise.sentences[1]
    domain["who"] = "identifier"
    seeded = synthesize_private(table, domain, 1.0, seed=1).guarantee
    assert "is not differentially private" in seeded.sentences[0]
    assert "several rows" in seeded.sentences[1]
    read = synthesize_private(table, domain | {"x": "from-data"}, 20.0).guarantee
    assert "only towards those who know the values and ranges of x already" in read.sentences[0]
    assert any("almost no protection" in sentence for sentence in read.sentences)
    assert [each.to_dict()["holds"] for each in (promise, seeded, read)] == [True, False, False]


ODD = [
    *("1e999999", "-1e999999", "9" * 400, "NaN", "sNaN", "Infinity", "", " 5 ", "0x10", "5"),
    *("0001-01-01", "9999-12-31 23:59:59-12:00", "0001-01-01T00:00:00+12:00", "2020-02-30"),
]


@pytest.mark.parametrize(
    ("spec", "places"),
    [
        ({"from": 0, "to": 9.123456789, "bins": 2}, [1, 0, 1, -1, -1, 1, -1, 1, -1, 1, *[-1] * 4]),
        ({"from": "2020-01-01", "to": "2021-01-01", "bins": 2}, [*[-1] * 10, 0, 1, 0, -1]),
        ({"from": "2020-01-01 00:00", "to": "2021-01-01 00:00"}, [*[-1] * 10, 0, 31, 0, -1]),
    ],
)
def test_odd_cells_fit_or_do_not_and_nothing_is_raised(spec: Any, places: list[int]) -> None:
    assert domain_of(spec, "x").encode(pa.array(ODD)).tolist() == places


PEOPLE = pa.table({"age": [30, 40], "name": ["Ann", "Bo"]})


@pytest.mark.parametrize(
    ("domain", "options", "message"),
    [
        ({"age": [1]}, {}, "domain lacks 'name': give a list"),
        ({"age": [1], "nane": "identifier"}, {}, "did you mean 'name'"),
        ("from_data", {}, "did you mean 'from-data'"),
        ("from-data", {"epsilon": 0}, "epsilon must be a number from 0.001 to 100, got 0"),
        ("from-data", {"epsilon": True}, "epsilon must be"),
        ("from-data", {"delta": 0.5}, "delta must be a number from 1e-18 to 0.001, got 0.5"),
        ("from-data", {"rows_per_person": 2}, "needs person"),
        ("from-data", {"rows_per_person": 0, "person": "name"}, "rows_per_person must be"),
        ("from-data", {"person": "nam"}, "did you mean 'name'"),
        ("from-data", {"seed": -1}, "seed must be"),
        ({"age": "identifier", "name": "identifier"}, {}, "every column is an identifier"),
        ({"age": ["x"], "name": "identifier"}, {}, "not of the type of the column, int64"),
        ({"age": [1, 1], "name": "identifier"}, {}, "twice"),
        ({"age": [[1]], "name": "identifier"}, {}, "a list or a mapping in it"),
        ({"age": [], "name": "identifier"}, {}, "column 'age': expected a list"),
        ({"age": "identifer", "name": "identifier"}, {}, "did you mean 'identifier'"),
        ({"age": {"from": 9, "to": 3}, "name": "identifier"}, {}, "from the smaller one"),
        ({"age": {"from": 9}, "name": "identifier"}, {}, "from and to must be"),
        ({"age": {"from": 1, "to": "2020-01-01"}, "name": "identifier"}, {}, "two numbers or two"),
        ({"age": {"form": 9, "to": 10}, "name": "identifier"}, {}, "did you mean 'from'"),
        ({"age": {"from": 1, "to": 9, "bins": 0}, "name": "identifier"}, {}, "bins must be"),
        ({"age": {"from": 1, "to": 9, "cuts": [0]}, "name": "identifier"}, {}, "must be ascending"),
        ({"age": {"from": 1, "to": 9, "cuts": 5}, "name": "identifier"}, {}, "must be ascending"),
        ({"name": ["x"], "age": {"from": 1, "to": 9, "cuts": [2], "bins": 2}}, {}, "not both"),
        ({"age": {"from": 1, "to": 9, "nulls": 1}, "name": "identifier"}, {}, "nulls must be"),
        ({"name": ["x"], "age": {"from": 1, "to": 9, "decimals": -1}}, {}, "decimals must be"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(domain: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises((OptionError, ColumnError), match=message):
        synthesize_private(PEOPLE, domain, **({"epsilon": 1.0} | options))
