"""Loader, Splitter, Synthesizer and Evaluator: each table and figure is what it should be."""

from __future__ import annotations

import json
import math
import shutil
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import petaudit
from petaudit import datasets
from petaudit.measures import all_measures
from petaudit.pipelines import tables
from petaudit.tables import open_source

ADULT = datasets.load("adult-deidentified")
QUASI = ["sex", "age", "race", "salary-class"]
ROLES = f"roles: {{quasi_identifier: [{', '.join(QUASI)}], sensitive_attribute: workclass}}"
GIVEN = {"quasi_identifiers": QUASI, "sensitive": ["workclass"]}
# Limits on both sides of the figures, and an option of every kind.
OPTIONS: dict[str, dict[str, Any]] = {
    "k-anonymity": {"limit": 5},
    "k-map": {"limit": 20, "population_size": 100_000, "significance": 0.05},
    "alpha-k-anonymity": {"limit": 0.9, "k": 3, "worst": 2},
    "l-diversity": {"limit": 2, "worst": 2},
    "entropy-l-diversity": {"limit": 1.5, "worst": 0},
    "recursive-l-diversity": {"limit": 4, "l": 2, "worst": 2},
    "t-closeness": {"limit": 0.3, "distance": "equal", "worst": 2},
    "beta-likeness": {"limit": 2.5, "worst": 2},
    "enhanced-beta-likeness": {"limit": 2, "worst": 2},
    "delta-disclosure": {"limit": 2.5, "base": "2", "absent": "infinite", "worst": 2},
    "delta-presence": {"limit": 1, "least": 0.5},
    "strict-average-risk": {"limit": 0.05, "k": 5},
    "profitability": {"cost": 4, "gain": 300, "loss": 300, "benefit": 1200, "allow_attack": False},
    "prosecutor-risk": {"limit": 0.01, "figure": "average", "threshold": 0.1},
    "journalist-risk": {"limit": 0.5, "figure": "at-risk", "threshold": 0.01},
    "marketer-risk": {"limit": 0.01, "threshold": 0.1},
    "sample-uniques": {"limit": 0},
    "special-uniques": {"limit": 0.5, "max_columns": 2, "sampling_fraction": 0.5},
    "distinction": {"limit": 0.9, "max_columns": 2},
    "population-uniqueness": {"limit": 0.1, "population_size": 200_000, "model": "zayatz"},
    "mpuccs": {"max_baseline_cols": 2, "limit": 0.1},
    "copied-rows": {"limit": 1, "control": "control.parquet", "columns": QUASI},
    "membership": {"limit": 1, "control": "control.parquet", "fpr": 0.1},
    "attribute-inference": {
        "limit": 1,
        "control": "control.parquet",
        "secret": "workclass",
        "known": ["sex", "race"],
        "tolerance": 0.1,
    },
    "linkability": {
        "limit": 1,
        "control": "control.parquet",
        "aux_cols": [["sex", "age"], ["race", "salary-class"]],
    },
    "replicated-uniques": {"limit": 1, "control": "control.parquet", "keys": QUASI},
    "disco": {"limit": 1, "control": "control.parquet", "keys": QUASI, "target": "workclass"},
    "closest-record": {"limit": 1, "control": "control.parquet"},
    "suppression": {"limit": 0.1},
    "precision": {"limit": 0.5, "unknown": "error"},
    "granularity": {"limit": 0.5, "unknown": "error"},
    "non-uniform-entropy": {"limit": 0.9},
    "ambiguity": {"limit": 0.9, "unknown": "maximal"},
    "average-class-size": {"limit": 0.9},
    "discernibility": {"limit": 0.9},
    "attribute-squared-error": {"limit": 0.5, "unknown": "maximal"},
    "record-squared-error": {"limit": 0.5, "unknown": "error"},
    "distribution-distance": {"limit": 0.2, "figure": "hellinger", "columns": ["sex", "race"]},
    "association-change": {"limit": 0.2, "correlation": "spearman", "most_columns": 4},
    "model-utility": {"limit": 0.2, "target": "salary-class", "features": "sex", "folds": 2},
}
POPULATION = ("delta-presence", "journalist-risk", "strict-average-risk")


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def adult() -> None:
    """The bundled tables without their side-car, and the first rows of them."""
    shutil.copy(ADULT.path, "released.parquet")
    shutil.copy(datasets.load("adult").path, "original.parquet")
    shutil.copytree(ADULT.path.parent / "adult_hierarchies", "hierarchies")
    # Other people with the same labels.
    released = pq.read_table("released.parquet").slice(0, 2_000)
    others = {
        name: column.take(pa.array([*range(at, 2_000), *range(at)]))
        for at, (name, column) in enumerate(
            zip(released.column_names, released.columns, strict=True)
        )
    }
    pq.write_table(pa.table(others), "control.parquet")


def ran(text: str, **more: Any) -> petaudit.Executor:
    result = petaudit.Executor(text, **more)
    result.run()
    assert result.messages == {}
    return result


def evaluator(name: str, more: str = "") -> str:
    options = ", ".join(f"{key}: {json.dumps(entry)}" for key, entry in OPTIONS[name].items())
    return f"Evaluator: {{e: {{method: {name}, {options}{more}}}}}"


def only_result(executor: petaudit.Executor) -> Any:
    [result] = executor.get_result().values()
    return result


def test_every_measure_is_tried_here() -> None:
    # A file cannot hold a function, which is what that measure is about.
    assert {*OPTIONS, "utility-bias"} == set(all_measures())


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("place", ["Loader", "Evaluator", "side-car"])
def test_a_measure_gives_what_an_audit_gives(name: str, place: str, adult: None) -> None:
    about = f", {ROLES}, hierarchies: hierarchies"
    table, original = "released.parquet", "original.parquet"
    given: dict[str, Any] = {**GIVEN, "hierarchies": "hierarchies"}
    if place == "side-car":
        table, original = "benchmark://adult-deidentified", "benchmark://Adult"
        given = {}
    # Labels such as [20, 40[ and numbers cannot be the same person.
    population = f", population: {original}" if name in POPULATION else ""
    given |= {"population": original} if population else {}
    original = table if all_measures()[name].has_same_columns else original
    executor = ran(
        f"Loader: {{t: {{filepath: {table}, original: {original}{population}"
        f"{about if place == 'Loader' else ''}}}}}\n"
        f"{evaluator(name, about if place == 'Evaluator' else '')}"
    )
    wanted = petaudit.audit(
        table, original=original, measures=name, options={name: OPTIONS[name]}, **given
    )[name]
    result = only_result(executor)
    assert (result.value, result.status) == (wanted.value, wanted.status)
    assert (result.data["limit"], result.data["strict"]) == (wanted.limit, wanted.is_strict)
    assert result.data["figure"] == wanted.figure
    assert list(result) == [*all_measures()[name].granularities]
    assert result["global"].num_rows == 1


BORN = "born: {'1971': ['197*', '*'], '1985': ['198*', '*']}"


@pytest.mark.parametrize(
    "given",
    ["hierarchies", "hierarchies.yaml", f"{{zip: hierarchies/hierarchy_zip.csv, {BORN}}}"],
    ids=["folder", "YAML file", "inline"],
)
@pytest.mark.parametrize("place", ["Loader", "Evaluator"])
def test_hierarchies_come_in_three_forms(given: str, place: str) -> None:
    folder = Path("audits/hierarchies")
    folder.mkdir(parents=True)
    Path("audits/t.csv").write_text("zip;born\n1*;197*\n1*;198*\n10;198*\n")
    Path("audits/o.csv").write_text("zip;born\n10;1971\n12;1985\n10;1985\n")
    (folder / "hierarchy_zip.csv").write_text("10;1*;*\n12;1*;*\n")
    (folder / "hierarchy_born.csv").write_text("1971;197*;*\n1985;198*;*\n")
    Path("audits/hierarchies.yaml").write_text(f"zip: hierarchies/hierarchy_zip.csv\n{BORN}\n")
    more = f", hierarchies: {given}"
    Path("audits/a.yaml").write_text(
        f"Loader: {{t: {{filepath: t.csv, original: o.csv{more if place == 'Loader' else ''}}}}}\n"
        "Evaluator:\n"
        f"  p: {{method: precision{more if place == 'Evaluator' else ''}}}\n"
        f"  n: {{method: non-uniform-entropy{more if place == 'Evaluator' else ''}}}\n"
    )
    # Paths start from the folder of the file, wherever the call is made.
    precision, entropy = ran("audits/a.yaml").get_result().values()
    # By hand: two of three zips are one of two levels up, every year is.
    assert precision.value == pytest.approx(1 - (1 / 3 + 1 / 2) / 2, abs=1e-15)
    # Two zips lose a bit each; a year can be told from its decade.
    most = 2 * (2 * math.log2(3 / 2) + math.log2(3))
    assert entropy.value == pytest.approx(1 - 2 / most, abs=1e-15)


def test_the_evaluator_s_roles_win_and_suppressed_rows_are_a_class_unless_left_out() -> None:
    Path("t.csv").write_text("zip;ill\n*;a\n1*;a\n1*;b\n1*;a\n")
    roles = "roles: {quasi_identifier: zip, sensitive_attribute: ill}"
    out, in_ = (
        ran(
            "Loader: {t: {filepath: t.csv, roles: {quasi_identifier: ill}}}\n"
            f"Evaluator:\n  out: {{method: t-closeness, {roles}, suppressed: exclude}}\n"
            f"  in: {{method: t-closeness, {roles}}}\n"
        )
        .get_result()
        .values()
    )
    # A third of the class is b, a quarter of the table is; the suppressed row is none.
    assert (out.value, in_.value) == (pytest.approx(1 / 12), pytest.approx(1 / 4))
    assert (out.data["suppressed"], in_.data["suppressed"]) == ("exclude", "class")
    assert any("left out (suppressed: exclude): 1 row" in text for text in out.data["warnings"])


@pytest.mark.parametrize("place", ["Loader", "Evaluator"])
def test_the_key_joins_table_and_original(place: str) -> None:
    Path("o.csv").write_text("id;zip\n1;10\n2;10\n3;10\n4;12\n")
    Path("t.csv").write_text("id;zip\n4;1*\n3;1*\n2;1*\n1;10\n")
    rule = "hierarchies: {zip: {'10': ['1*', '*'], '12': ['1*', '*']}}"
    key = {place: ", key: id"}
    executor = ran(
        f"Loader: {{t: {{filepath: t.csv, original: o.csv, {rule}{key.get('Loader', '')}}}}}\n"
        f"Evaluator: {{e: {{method: non-uniform-entropy, roles: {{quasi_identifier: zip}}"
        f"{key.get('Evaluator', '')}}}}}\n"
    )
    # Of 10, 10 and 12 only 1* is left; by the order of the rows it would be three times 10.
    lost, most = 2 * math.log2(3 / 2) + math.log2(3), 3 * math.log2(4 / 3) + 2
    assert only_result(executor).value == pytest.approx(1 - lost / most, abs=1e-15)


ROWS = 60
SCHEMA = """\
attributes:
  id: {type: int, nullable: false}
  age: {type: int}
  pay: {type: float, precision: 2}
  born: {type: date}
  seen: {type: datetime, nullable: false}
  ok: {type: bool}
  city: {type: str, category: true}
"""
TYPES = {
    "id": pa.int64(), "age": pa.int64(), "pay": pa.float64(), "born": pa.date32(),
    "seen": pa.timestamp("us"), "ok": pa.bool_(), "city": pa.string(),
}  # fmt: skip


def mixed(kind: str) -> str:
    """A table of every type that a schema knows, with nulls; CSV without types."""

    def column(every: int, of: Any) -> list[Any]:
        return [None if every and row % every == 0 else of(row) for row in range(ROWS)]

    table = pa.table(
        {
            "id": column(0, lambda row: row),
            "age": column(7, lambda row: 20 + row % 9),
            "pay": column(11, lambda row: float(Decimal("100.25") + row * Decimal("1.5"))),
            "born": column(5, lambda row: date(1970, 1, 1) + timedelta(days=37 * (row % 20))),
            "seen": column(0, lambda row: datetime(2020, 1, 1, 3, 4, 5) + timedelta(hours=row)),
            "ok": column(13, lambda row: row % 3 == 0),
            "city": column(6, lambda row: "ABC"[row % 3]),
        }
    )
    if kind == "csv":
        text = pa.array([f"{cell:%Y-%m-%d %H:%M:%S}" for cell in table["seen"].to_pylist()])
        pc.write_csv(table.set_column(4, "seen", text), "t.csv")
    else:
        pq.write_table(table, "t.parquet")
    Path("schema.yaml").write_text(SCHEMA)
    return f"t.{kind}"


def made(kind: str, more: str) -> dict[str, pa.Table]:
    executor = ran(
        f"Loader: {{t: {{schema: schema.yaml, filepath: {mixed(kind)}}}}}\n"
        "Splitter: {s: {train_split_ratio: 0.75}}\n"
        f"Synthesizer: {{g: {{{more}}}}}\n"
        "Evaluator: {m: {method: mpuccs, max_baseline_cols: 2}}\n"
        "Reporter: {d: {method: save_data, source: [Splitter, Synthesizer], format: parquet}}\n",
        out="results",
    )
    start = "petaudit_Loader[t]_Splitter[s]_"
    names = [name for name in executor.file_names if name.startswith(start)]
    return {name.removeprefix(start): pq.read_table(f"results/{name}") for name in names}


@pytest.mark.parametrize("method", ["gaussian-copula", "independent"])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_made_table_keeps_the_schema(method: str, kind: str) -> None:
    result = made(kind, f"method: {method}, random_state: 5")
    assert list(result) == ["ori.parquet", "control.parquet", "Synthesizer[g].parquet"]
    assert [entry.num_rows for entry in result.values()] == [45, 15, 45]
    synthetic = result["Synthesizer[g].parquet"]
    for entry in result.values():
        assert dict(zip(entry.column_names, entry.schema.types, strict=True)) == TYPES
    for name in ("id", "seen"):
        assert synthetic[name].null_count == 0
    assert synthetic["age"].null_count > 0
    pays = [entry for entry in synthetic["pay"].to_pylist() if entry is not None]
    assert pays == [round(entry, 2) for entry in pays]
    assert set(synthetic["city"].to_pylist()) <= {"A", "B", "C", None}
    # The same seed gives the same table, another seed another one.
    again = made(kind, f"method: {method}, random_state: 5")
    other = made(kind, f"method: {method}, random_state: 6, sample_num_rows: 45")
    assert again["Synthesizer[g].parquet"].equals(synthetic)
    assert not other["Synthesizer[g].parquet"].equals(synthetic)


@pytest.mark.parametrize("method", ["gaussian-copula", "independent"])
def test_a_file_without_types_stays_comparable(method: str) -> None:
    """The drawn table counts for what it would be in a file like the one it was learned from."""
    executor = ran(
        f"Loader: {{t: {{filepath: {mixed('csv')}}}}}\n"
        f"Synthesizer: {{g: {{method: {method}}}}}\n"
        "Evaluator: {m: {method: mpuccs, max_baseline_cols: 2}}\n"
        "Reporter: {d: {method: save_data, source: Synthesizer}}\n",
        out="o",
    )
    saved = "o/petaudit_Loader[t]_Synthesizer[g].csv"
    synthetic = open_source(saved).to_arrow()
    assert {len(cell) for cell in synthetic["seen"].to_pylist()} == {19}
    assert all(cell.isdecimal() for cell in synthetic["id"].to_pylist())
    wanted = petaudit.mpuccs("t.csv", saved, max_baseline_cols=2)
    assert only_result(executor)["details"].equals(wanted.details)
    assert wanted.details.num_rows > 0


def test_a_drawn_table_that_breaks_the_schema_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    table = mixed("parquet")
    broken = pq.read_table(table).set_column(0, "id", pa.nulls(ROWS, pa.int64()))
    monkeypatch.setattr(tables, "synthesize", lambda *_, **__: broken)
    executor = petaudit.Executor(
        f"Loader: {{t: {{filepath: {table}, schema: schema.yaml}}}}\n"
        "Synthesizer: {g: {method: independent}}\nEvaluator: {m: {method: mpuccs}}\n"
    )
    assert executor.run() == "error"
    [message] = executor.messages.values()
    assert "column 'id' has 60 nulls and is not nullable" in message


def test_a_given_synthetic_table_is_read_as_it_is() -> None:
    original, synthetic = mixed("parquet"), "syn.parquet"
    table = pq.read_table(original).slice(10, 20)
    pq.write_table(table, synthetic)
    executor = ran(
        f"Loader: {{t: {{filepath: {original}, schema: schema.yaml}}}}\n"
        f"Synthesizer: {{g: {{method: custom_data, filepath: {synthetic}, schema: schema.yaml}}}}\n"
        "Evaluator: {m: {method: mpuccs, max_baseline_cols: 2}}\n"
    )
    assert (
        only_result(executor).value
        == petaudit.mpuccs(original, synthetic, max_baseline_cols=2).value
    )
    assert only_result(executor)["global"]["total_identified"].to_pylist() == [20]


def test_nrows_reads_the_first_rows() -> None:
    executor = ran(
        f"Loader: {{t: {{filepath: {mixed('csv')}, nrows: 7}}}}\n"
        "Reporter: {d: {method: save_data, source: Loader}}",
        out="o",
    )
    assert executor.document["inputs"]["Loader[t]"]["rows"] == 7
    saved = open_source("o/petaudit_Loader[t].csv").to_arrow()
    assert saved.equals(open_source("t.csv").to_arrow().slice(0, 7))
