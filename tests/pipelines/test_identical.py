"""The same file, tables and seeds give the same bytes, wherever and however they are run."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import petaudit
from petaudit.pipelines.results import document_text
from pipelines.killing import PIPELINE, Place, contents, document, raw


@pytest.fixture(scope="module")
def from_python(tmp_path_factory: pytest.TempPathFactory) -> tuple[petaudit.Executor, Path]:
    place = Place.made(tmp_path_factory.mktemp("python"), PIPELINE)
    executor = petaudit.Executor(place.pipeline, out=place.out)
    executor.run()
    return executor, place.out


@pytest.mark.parametrize(
    ("seed", "folder"), [pytest.param("0", ".", marks=pytest.mark.long), ("12345", "other/results")]
)
def test_another_process_folder_and_hash_seed(
    tmp_path: Path, from_python: tuple[petaudit.Executor, Path], seed: str, folder: str
) -> None:
    place = Place.made(tmp_path / "place", PIPELINE)
    (tmp_path / "elsewhere").mkdir()
    out = os.path.relpath(place.root / "out" / folder, tmp_path / "elsewhere")
    surroundings = {"PYTHONHASHSEED": seed, "TZ": "Asia/Taipei", "LC_ALL": "C"}
    code, said = place.run(
        "--out", out, cwd=tmp_path / "elsewhere", environment=surroundings
    )  # fmt: skip
    assert code == 0, said
    assert contents(place.root / "out" / folder) == contents(from_python[1])
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_the_bytes_of_the_document_are_those_of_python(
    from_python: tuple[petaudit.Executor, Path],
) -> None:
    executor, out = from_python
    assert (out / "result.json").read_bytes() == document_text(executor.document)
    assert set(executor.document["timings"]) == {"steps", "stages"}
    text = json.dumps(document(out / "result.json"))
    started = executor.document["timings"]["steps"][0]["start_time"]
    # No time stamp hides anywhere else; a file name or a figure does not look like one.
    assert started[:10] not in text
    assert str(out) not in text


def test_again_into_the_same_folder(from_python: tuple[petaudit.Executor, Path]) -> None:
    executor, out = from_python
    first, figures = raw(out), contents(out)
    executor.run()
    assert contents(out) == figures
    changed = {Path(name).name for name, data in raw(out).items() if first[name] != data}
    assert changed == {"result.json", "petaudit_timing.csv"}


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_change_nothing(
    tmp_path: Path, from_python: tuple[petaudit.Executor, Path], threads: int
) -> None:
    place = Place.made(tmp_path, PIPELINE.replace("mpuccs,", f"mpuccs, threads: {threads},"))
    petaudit.Executor(place.pipeline, out=place.out).run()
    mine, other = document(place.out / "result.json"), document(from_python[1] / "result.json")
    assert mine.pop("configuration") != other.pop("configuration")
    for entry in mine["results"]:
        if entry["measure"] == "mpuccs":
            assert entry["options"].pop("threads") == threads
    assert mine == other
    mine_files, other_files = contents(place.out), contents(from_python[1])
    del mine_files["result.json"], other_files["result.json"]
    assert mine_files == other_files


def test_another_seed_is_another_result(
    tmp_path: Path, from_python: tuple[petaudit.Executor, Path]
) -> None:
    """Otherwise nothing above would say anything."""
    place = Place.made(tmp_path, PIPELINE.replace("random_state: 3", "random_state: 5"))
    petaudit.Executor(place.pipeline, out=place.out).run()
    mine, other = contents(place.out), contents(from_python[1])
    different = {name for name in other if mine.get(name) != other[name]}
    prefix = "table_Loader[adult]_Splitter[halves_[2-1]]_Synthesizer"
    assert f"{prefix}[copula].parquet" in different
    assert f"{prefix}[single].parquet" not in different


def test_a_table_that_changed_between_two_runs_is_read_again(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    text = """
Loader:
  table: {filepath: TABLE, roles: {quasi_identifier: a, sensitive_attribute: b}}
Evaluator:
  close: {method: t-closeness}
"""
    executor = petaudit.Executor(text.replace("TABLE", str(table)), out=tmp_path / "out")
    figures, inputs = [], []
    for content in ("a;b\n1;x\n1;y\n", "a;b\n1;x\n2;y\n"):
        table.write_text(content, encoding="utf-8")
        executor.run()
        figures.append(executor.document["results"][0]["value"])
        inputs.append(executor.document["inputs"])
    assert figures == [0.0, 0.5]
    assert inputs[0] != inputs[1]
