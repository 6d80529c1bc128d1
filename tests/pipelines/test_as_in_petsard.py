"""What files of PETsARD give here: the same, or one line that says what differs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import petaudit
from petaudit.errors import PetauditError
from petaudit.i18n.catalogue import catalogue
from petaudit.pipelines.petsard import petsard_words

DOCS = Path(__file__).parents[2] / "docs"


def table(rows: int) -> str:
    Path("t.csv").write_text("id;x\n" + "".join(f"{row};{row % 3}\n" for row in range(rows)))
    return "t.csv"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def ran(frame: str = "pandas", **modules: Any) -> dict[str, Any]:
    executor = petaudit.Executor(json.dumps(modules) + "\n", frame=frame)
    executor.run()
    return executor.get_result()


def problems(**modules: Any) -> str:
    with pytest.raises(PetauditError) as caught:
        petaudit.Executor(json.dumps(modules) + "\n").validate()
    return str(caught.value)


# The Splitter. In PETsARD 1.10.1, loader/splitter.py: round(len(index) * train_split_ratio).


@pytest.mark.parametrize(
    ("rows", "ratio", "train"),
    [(11, 0.8, 9), (10, 0.8, 8), (5, 0.5, 2), (7, 0.5, 4), (9, 0.7, 6), (48_842, 0.8, 39_074)],
)
def test_parts_have_as_many_rows(rows: int, ratio: float, train: int) -> None:
    [result] = ran(
        Loader={"a": {"filepath": table(rows)}}, Splitter={"s": {"train_split_ratio": ratio}}
    ).values()
    assert [len(result["train"]), len(result["validation"])] == [train, rows - train]


def test_parts_have_as_many_rows_at_any_share() -> None:
    draw = np.random.default_rng(5)
    for _ in range(20):
        rows, ratio = int(draw.integers(4, 60)), round(float(draw.uniform(0.2, 0.8)), 2)
        [result] = ran(
            Loader={"a": {"filepath": table(rows)}}, Splitter={"s": {"train_split_ratio": ratio}}
        ).values()
        both = pd.concat([result["train"], result["validation"]])["id"].astype(int)
        assert (len(result["train"]), sorted(both)) == (round(rows * ratio), list(range(rows)))


# The names of runs, and what get_result() gives of files without an Evaluator.


def test_a_loader_alone_gives_its_table() -> None:
    result = ran(Loader={"a": {"filepath": table(5)}, "b": {"filepath": "t.csv", "nrows": 2}})
    assert {name: len(entry) for name, entry in result.items()} == {"Loader[a]": 5, "Loader[b]": 2}
    assert list(result["Loader[a]"].columns) == ["id", "x"]


@pytest.mark.parametrize("frame", ["pandas", "polars", "pyarrow"])
def test_tables_are_of_the_kind_that_was_asked_for(frame: str) -> None:
    [result] = ran(frame, Loader={"a": {"filepath": table(5)}}).values()
    assert type(result).__module__.partition(".")[0] == frame


def test_samples_are_numbered_with_zeros_in_front() -> None:
    result = ran(Loader={"a": {"filepath": table(9)}}, Splitter={"s": {"num_samples": 10}})
    assert list(result) == [f"Loader[a]_Splitter[s_[10-{n:02}]]" for n in range(1, 11)]
    assert {tuple(value) for value in result.values()} == {("train", "validation")}
    assert len({tuple(value["train"]["id"]) for value in result.values()}) > 1


def test_given_parts_are_the_tables_themselves() -> None:
    table(5)
    files = {"ori": "t.csv", "control": "c.csv"}
    Path("c.csv").write_text("id;x\n9;9\n")
    result = ran(Splitter={"s": {"method": "custom_data", "filepath": files}})
    assert {name: len(entry) for name, entry in result["Splitter[s]"].items()} == {
        "train": 5, "validation": 1,
    }  # fmt: skip


def test_a_synthesizer_alone_gives_its_table() -> None:
    result = ran(
        Loader={"a": {"filepath": table(9)}},
        Synthesizer={"g": {"method": "independent", "sample_num_rows": 4}},
    )
    assert {name: len(entry) for name, entry in result.items()} == {"Loader[a]_Synthesizer[g]": 4}


def test_a_table_that_changed_is_not_handed_out() -> None:
    executor = petaudit.Executor(f"Loader: {{a: {{filepath: {table(5)}}}}}\n")
    executor.run()
    table(6)
    with pytest.raises(PetauditError, match="changed"):
        executor.get_result()


# The tree of mpUCCs. In PETsARD 1.10.1, evaluator/mpuccs.py, a record gets its keys in this order.


@pytest.mark.parametrize("more", [{}, {"min_entropy_delta": 0.01}])
def test_the_tree_has_the_columns_in_the_same_order(more: dict[str, Any]) -> None:
    [result] = ran(
        Loader={"a": {"filepath": table(9)}},
        Synthesizer={"g": {"method": "independent"}},
        Evaluator={"e": {"method": "mpuccs", **more}},
    ).values()
    assert list(result["tree"].columns) == [
        *("check_order", "field_combo", "combo_size", "is_pruned", "mpuccs_cnt"),
        *("mpuccs_collision_cnt", "baseline_protection", "entropy_gain", "overall_protection"),
        *(("entropy", "field_weight", "weighted_collision") if more else ()),
    ]


def test_the_gain_by_hand() -> None:
    """Synthetic (a, x), (a, y), (b, z), (b, z): sums of squares 8, 6 and 6 of 16 pairs."""
    synthetic = pd.DataFrame({"p": ["a", "a", "b", "b"], "q": ["x", "y", "z", "z"]})
    original = pd.DataFrame({"p": ["a", "b", "c"], "q": ["x", "y", "z"]})
    result = petaudit.mpuccs(original, synthetic, deduplicate=False).tree
    gains = dict(zip(result["field_combo"], result["entropy_gain"], strict=True))
    of_p, of_q = (np.log2(16 / squares) / 2 for squares in (8, 6))
    both = next(combo for combo in gains if len(combo) == 2)
    assert gains == pytest.approx({("p",): of_p, ("q",): of_q, both: of_q - gains[both[:1]]})


# What is not built here.


def test_the_whole_of_adult_income_is_explained() -> None:
    said = problems(Loader={"a": {"filepath": "benchmark://adult-income"}})
    assert "is a benchmark of PETsARD that does not come with petaudit" in said
    for name, rows in (("ori", 39_074), ("control", 9_768)):
        assert f"benchmark://adult-income_{name}" in said
        assert petaudit.datasets.load(f"adult-income_{name}").rows == rows


@pytest.mark.parametrize(
    ("source", "instead"),
    [
        ("Postprocessor", "use Synthesizer"),
        ("Preprocessor", "use Splitter or Loader"),
        (["Loader", "Constrainer"], "use Synthesizer"),
    ],
)
def test_the_source_of_saved_tables(source: Any, instead: str) -> None:
    said = problems(
        Loader={"a": {"filepath": table(5)}},
        Reporter={"r": {"method": "save_data", "source": source}},
    )
    assert instead in said
    assert "not supported" in said


@pytest.mark.parametrize(
    "options",
    [
        {"method": "mlutility-cluster"},
        {"method": "mlutility-clustering"},
        {"method": "MLUtility-Clustering"},
        {"method": "mlutility", "task_type": "clustering"},
        {"method": "mlutility", "task_type": "Cluster", "n_clusters": 3},
        {"method": "model-utility", "task_type": "clustering"},
    ],
)
def test_clustering_is_not_sent_to_a_measure_that_does_not_cluster(options: Any) -> None:
    said = problems(Loader={"a": {"filepath": table(5)}}, Evaluator={"e": options})
    assert "as nothing is clustered" in said
    assert "use model-utility" not in said
    assert "use task of" not in said


def test_an_option_that_python_cannot_write_is_no_reason_to_fail() -> None:
    text = f"Evaluator:\n  e:\n    ? 0x{'f' * 5_000}\n    : 1\n    method: mlutility\n"
    with pytest.raises(PetauditError, match="use model-utility"):
        petaudit.Executor(text)


def test_other_tasks_are_sent_to_model_utility() -> None:
    for options in (
        {"method": "mlutility", "task_type": "regression"},
        {"method": "mlutility-class"},
    ):
        said = problems(Loader={"a": {"filepath": table(5)}}, Evaluator={"e": options})
        assert "use model-utility" in said


def test_values_that_are_built_have_no_sentence() -> None:
    assert (
        not {"Loader", "Splitter", "Synthesizer"}
        & petsard_words()["values"]["Reporter"]["source"].keys()
    )


# Pages that are named are on the site, in both languages.

_PAGE = re.compile(r"\(see '([^']+)' in the documentation\)")


def test_pages_that_messages_name_are_on_the_site() -> None:
    messages = catalogue("zh-TW")
    named = {text: page for text in messages for page in _PAGE.findall(text)}
    assert len(named) >= 2
    for folder, wanted in (
        (DOCS, named.values()),
        (DOCS / "zh-TW", [re.findall(r"「([^」]+)」", messages[text])[0] for text in named]),
    ):
        pages = [*folder.glob("*.md"), *folder.glob("m*/*.md"), *folder.glob("tutorials/*.md")]
        titles = {
            line.lstrip("#").strip()
            for path in pages
            for line in path.read_text(encoding="utf-8").splitlines()
            if line.startswith("#")
        }
        assert set(wanted) <= titles


def test_messages_name_no_file_of_the_source() -> None:
    """Neither the wheel nor the site has it."""
    is_file = re.compile(r"docs/|CONTRIBUTING|README|\w\.md\b")
    assert [text for text in catalogue("zh-TW") if is_file.search(text)] == []
