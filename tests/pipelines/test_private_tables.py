"""Tables with a guarantee in pipelines: what the document says, and that noise is drawn once."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import petaudit
from petaudit.errors import ManyProblemsError

PIPELINE = """\
Loader:
  people: {filepath: people.csv}
Synthesizer:
  private:
    method: dp-marginals
    epsilon: 1
    domain: {who: identifier, age: {from: 0, to: 99}, ill: [yes it is, no it is not]}
Evaluator:
  shares: {method: distribution-distance, columns: [ill]}
  pairs: {method: association-change, columns: [age, ill]}
Reporter:
  tables: {method: save_data, source: Synthesizer, format: parquet}
"""
SAVED = "petaudit_Loader[people]_Synthesizer[private].parquet"


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    people = pa.table(
        {
            "who": [f"person {number // 2}" for number in range(800)],
            "age": [number % 90 for number in range(800)],
            "ill": [("yes it is", "no it is not")[number % 90 < 60] for number in range(800)],
        }
    )
    pyarrow.csv.write_csv(people, "people.csv")


def document(text: str, out: str = "out", **more: bool) -> dict[str, object]:
    Path("audit.yaml").write_text(text, encoding="utf-8")
    executor = petaudit.Executor("audit.yaml", out=out, **more)
    assert executor.run() == "measured"
    written = json.loads((Path(out) / "result.json").read_text(encoding="utf-8"))
    assert written == executor.document
    return executor.document


def test_the_document_says_what_is_promised() -> None:
    found = document(PIPELINE)
    for entry in found["results"]:
        assert entry["steps"]["Synthesizer"]["guarantee"] == {
            "holds": True,
            "epsilon": 1,
            "delta": 1e-9,
            "rho": pytest.approx(0.014973, abs=1e-6),
            "neighbours": "add or remove one row",
            "rows_per_person": None,
            "domain_from_data": [],
            "seeded": False,
        }
        assert entry["seeds"] == {}
        assert "is differentially private with epsilon 1" in entry["warnings"][0]
        assert any("several rows" in text for text in entry["warnings"])
    # Nobody saved the secret behind the noise.
    assert not [path for path in Path("out").rglob("*") if "key" in path.name]


@pytest.mark.parametrize(
    ("change", "by", "says"),
    [
        ("epsilon: 1", "epsilon: 1\n    random_state: 7", "is not differentially private"),
        ("{from: 0, to: 99}", "from-data", "only towards those who know the values and"),
    ],
)  # fmt: skip
def test_what_voids_the_promise_is_said_first(change: str, by: str, says: str) -> None:
    found = document(PIPELINE.replace(change, by))
    assert says in found["warnings"][0]
    assert not found["results"][0]["steps"]["Synthesizer"]["guarantee"]["holds"]


def test_people_of_the_loader_are_protected() -> None:
    found = document(PIPELINE.replace("people.csv", "people.csv, person: who"))
    assert found["results"][0]["steps"]["Synthesizer"]["guarantee"]["rows_per_person"] == 1
    assert "without any one person" in found["warnings"][0]
    assert any("400 rows left out, of people who have more than 1" in t for t in found["warnings"])


def test_a_table_without_a_measure_has_its_promise_too() -> None:
    text = PIPELINE[: PIPELINE.index("Evaluator")] + PIPELINE[PIPELINE.index("Reporter") :]
    found = document(text)
    assert found["results"] == []
    assert "is differentially private with epsilon 1" in found["warnings"][0]


def test_noise_is_drawn_once_in_a_run_and_anew_in_the_next() -> None:
    """Another draw would spend the budget again, and be another table than the measured one."""
    [*_, private] = PIPELINE[: PIPELINE.index("Evaluator")].partition("Synthesizer:\n")
    text = PIPELINE.replace("Evaluator:", private.replace("private", "other") + "Evaluator:")
    Path("audit.yaml").write_text(text, encoding="utf-8")
    executor = petaudit.Executor("audit.yaml", out="out")
    executor.run()
    saved = pq.read_table(f"out/{SAVED}")
    run = executor.runs[0]
    assert executor._tables.of_step(run, "Synthesizer", "").to_arrow().equals(saved)
    assert not pq.read_table(f"out/{SAVED.replace('private', 'other')}").equals(saved)
    first = executor._checked().keys
    executor.run()
    assert not pq.read_table(f"out/{SAVED}").equals(saved)
    # A result that was kept belongs to a table that is gone.
    assert not set(first.values()) & set(executor._checked().keys.values())


def test_a_seed_brings_the_table_back() -> None:
    text = PIPELINE.replace("epsilon: 1", "epsilon: 1\n    random_state: 7")
    document(text, "one")
    document(text, "other")
    assert pq.read_table(f"one/{SAVED}").equals(pq.read_table(f"other/{SAVED}"))


@pytest.mark.parametrize(
    ("change", "by", "problem"),
    [
        ("epsilon: 1", "epsilon: 0", "line 6: Synthesizer.private: epsilon must be a number from"),
        ("    epsilon: 1\n", "", "epsilon is missing"),
        ("age: {from", "agee: {from", "line 7: Synthesizer.private: unknown column 'agee' ("),
        ("age: {from: 0, to: 99}, ", "", "line 7: Synthesizer.private: domain lacks 'age'"),
        ("to: 99", "too: 99", "domain of column 'age': unknown key 'too' (did you mean 'to'?)"),
        ("epsilon: 1", "epsilon: 1\n    rows_per_person: 2", "rows_per_person needs person"),
        ("who: identifier, ", "'': 1, ", "unknown column ''"),
    ],
)  # fmt: skip
def test_wrong_settings_are_told_once_with_their_line(change: str, by: str, problem: str) -> None:
    with pytest.raises(ManyProblemsError) as raised:
        petaudit.Executor(PIPELINE.replace(change, by)).validate()
    assert len(raised.value.messages) == 1
    assert problem in raised.value.messages[0]
