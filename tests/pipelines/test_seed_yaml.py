"""The YAML of the seed runs, byte for byte and offline, and gives what mpUCCs gives."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import petaudit
from petaudit.cli import main
from petaudit.measures.mpuccs import mpuccs
from pipelines.configs import SEED

# Tests below compare the bytes with this hash, and with the document itself where it is.
SHA256_OF_THE_SEED = "a6887aad42085c6e47d437477da05d8921470851179517a977aad539a4b510bb"
WITH_THREE = SEED.replace("max_baseline_cols: 2 ", "max_baseline_cols: 3 ")
RUN = "Splitter[external_split]_Synthesizer[external_data]_Evaluator[mpuccs_assessment]"
OPTIONS = {"min_entropy_delta": 0.01, "field_decay_factor": 0.5, "renyi_alpha": 2.0}

# Section 8 of the specification, after the seed's own lists.
GLOBAL = [
    *("privacy_risk_score", "overall_protection", "main_protection", "baseline_protection"),
    *("identification_rate", "total_identified", "total_syn_records"),
]
OF_CONTROL = [
    *("control_identification_rate", "excess_risk", "excess_risk_ci_lower"),
    "excess_risk_ci_upper",
]
DETAILS = [
    *("risk_level", "syn_idx", "ori_idx", "combo_size", "field_combo", "value_combo"),
    *("baseline_protection", "syn_row", "ori_row"),
]
TREE = [
    *("check_order", "field_combo", "combo_size", "is_pruned", "mpuccs_cnt"),
    *("mpuccs_collision_cnt", "baseline_protection", "entropy_gain"),
    "overall_protection",
]
TECHNICAL = ["entropy", "field_weight", "weighted_collision"]


@pytest.fixture(scope="module", params=[2, 3])
def size(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture(scope="module")
def text(size: int) -> str:
    return SEED if size == 2 else WITH_THREE


@pytest.fixture(scope="module")
def executor(text: str) -> petaudit.Executor:
    result = petaudit.Executor(text)
    assert result.run() == "measured"
    return result


@pytest.fixture(scope="module")
def direct(size: int) -> Any:
    with pytest.warns(petaudit.PetauditWarning, match="pruned"):
        return mpuccs(
            *("benchmark://adult-income_ori", "benchmark://adult-income_syn"),
            "benchmark://adult-income_control",
            max_baseline_cols=size,
            **OPTIONS,
        )


def test_the_text_is_that_of_the_seed() -> None:
    assert hashlib.sha256(SEED.encode()).hexdigest() == SHA256_OF_THE_SEED
    assert WITH_THREE != SEED


def test_the_text_is_that_of_the_document(shared_data: Path) -> None:
    [document] = shared_data.parent.glob("seeds/004*")
    block = document.read_bytes().partition(b"```yaml\n")[2].partition(b"```")[0]
    assert block == SEED.encode()


def test_it_has_one_run_with_the_tables_of_the_seed(executor: petaudit.Executor) -> None:
    result = executor.get_result()
    assert list(result) == [RUN]
    assert list(result[RUN])[:3] == ["global", "details", "tree"]
    assert result[RUN]["global"].column_names == GLOBAL + OF_CONTROL
    assert result[RUN]["details"].column_names == DETAILS
    assert result[RUN]["tree"].column_names == TREE + TECHNICAL


def test_it_gives_what_a_direct_call_gives(
    executor: petaudit.Executor, direct: Any, size: int
) -> None:
    result = executor.get_result()[RUN]
    assert result.value == direct.value
    assert result["global"].equals(direct.global_)
    assert result["details"].equals(direct.details)
    assert result["tree"].equals(direct.tree)
    # Known answers, so that not both are wrong.
    identified = {2: 3_055, 3: 11_114}[size]
    assert result["global"]["total_identified"].to_pylist() == [identified]
    assert result["details"].num_rows == identified
    assert result["tree"].num_rows == {2: 120, 3: 575}[size]


def test_the_plain_settings_hide_the_technical_columns() -> None:
    lines = [line for line in SEED.splitlines() if "min_entropy_delta" not in line]
    plain = petaudit.Executor("\n".join(lines).replace("cols: 2", "cols: 1"))
    plain.run()
    assert plain.get_result()[RUN]["tree"].column_names == TREE


def test_tuples_are_tuples_in_python() -> None:
    executor = petaudit.Executor(SEED.replace("cols: 2", "cols: 1"), frame="pandas")
    executor.run()
    details = executor.get_result()[RUN]["details"]
    assert len(details) > 0
    for name in ("field_combo", "value_combo"):
        assert {type(entry) for entry in details[name]} == {tuple}
    assert list(executor.get_timing().columns)[:4] == ["run", "module", "experiment", "step"]


def test_in_the_shell_the_file_runs_unchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("seed.yaml").write_bytes(SEED.encode())
    assert main(["run", "seed.yaml"]) == 0
    assert "Verdict: no limit was given" in capsys.readouterr().out
    result = json.loads(Path("seed-results/result.json").read_text(encoding="utf-8"))
    assert result["configuration"]["sha256"] == SHA256_OF_THE_SEED
    assert result["results"][0]["details"]["figures"]["total_identified"] == 3_055
    assert Path("seed.yaml").read_bytes() == SEED.encode()
    assert {path.name for path in Path("seed-results").iterdir()} == {"result.json"}
