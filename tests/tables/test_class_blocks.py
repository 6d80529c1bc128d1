"""Classes in blocks: whoever asks all of them knows as much as of all classes at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import ibis
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import strategies
from budget import examples
from petaudit.inputs import Inputs, gather
from petaudit.measures import Result, find_measure
from petaudit.tables import TableCounts, open_source
from petaudit.tables._private_folder import private_folder
from petaudit.tables.classes import blocks as _blocks
from petaudit.tables.classes import grouped as _grouped
from petaudit.tables.classes import keys as _class_keys
from petaudit.tables.classes import packed as _packed
from petaudit.tables.classes import remote_blocks as _numbered_blocks
from petaudit.tables.classes.blocks import Answer_co, BlockQuestion, ClassBlocks, HeldBlocks
from petaudit.tables.classes.table import ClassLabels
from strategies import Release
from tables.checks import classes_of

MODELS: dict[str, dict[str, Any]] = {
    "t-closeness": {"limit": 0.25},
    "l-diversity": {"limit": 2},
    "entropy-l-diversity": {"limit": 2},
    "recursive-l-diversity": {"limit": 2, "l": 2},
    "alpha-k-anonymity": {"limit": 0.5, "k": 2},
    "beta-likeness": {"limit": 1},
    "enhanced-beta-likeness": {"limit": 1},
    "delta-disclosure": {"limit": 1},
}


@contextmanager
def in_pieces(*, packed: bool) -> Iterator[None]:
    """Every class is a block of its own, and lies in a file."""
    with ExitStack() as stack:
        for module, name, value in (
            (_blocks, "_PAIRS_PER_BLOCK", 1),
            (_packed, "_CELLS_PER_BLOCK", 1),
            (_packed, "MOST_VALUES", 512 if packed else -1),
            (_packed, "MOST_FETCHED", 1000 if packed else 0),
            (_grouped, "_ROWS_PER_BLOCK", 1),
            (_class_keys, "_LARGE_TABLE", 0),
            (_numbered_blocks, "PAIRS_AT_ONCE", 2),
            (_blocks, "working_memory", lambda: 0),
            # Slices of the rows, too: as many as there are bytes in a few rows.
            (_grouped, "working_memory", lambda: 3 * 200),
        ):
            stack.enter_context(patch.object(module, name, value))
        yield


def measured(inputs: Inputs) -> dict[str, Result]:
    return {name: find_measure(name).run(inputs, own) for name, own in MODELS.items()}


def told(results: dict[str, Result]) -> dict[str, Any]:
    return {name: own.to_dict() for name, own in results.items()}


def given_of(release: Release) -> dict[str, Any]:
    return {
        "quasi_identifiers": release.quasi_identifiers,
        "sensitive": release.sensitive,
        "suppressed": release.suppressed,
    }


def some_row_is_said(release: Release) -> bool:
    names = release.quasi_identifiers
    return release.suppressed == "class" or any(
        any(row[name] != "*" for name in names) for row in release.released
    )


@pytest.mark.parametrize("packed", [True, False])
@settings(max_examples=examples(15))
@given(release=strategies.releases().filter(some_row_is_said), labels=st.sampled_from("rct"))
def test_all_models_see_the_same_in_pieces(
    packed: bool, release: Release, labels: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("blocks") / "table.parquet"
    parquet.write_table(strategies.arrow(release.released), path)
    whole = told(measured(gather(strategies.arrow(release.released), **given_of(release))))
    with in_pieces(packed=packed):
        short_cut = {"r": True, "c": False}.get(labels)
        if short_cut is None:
            inputs = gather(path, **given_of(release))
            assert told(measured(inputs)) == whole
            return
        with patch.object(_class_keys, "_has_few_classes", return_value=short_cut):
            inputs = gather(path, **given_of(release))
            assert told(measured(inputs)) == whole


@pytest.mark.parametrize("packed", [True, False])
@settings(max_examples=examples(4), deadline=None)
@given(release=strategies.releases().filter(some_row_is_said))
def test_a_database_tells_the_same_in_slices(packed: bool, release: Release) -> None:
    table = strategies.arrow(release.released)
    whole = told(measured(gather(table, **given_of(release))))
    with in_pieces(packed=packed):
        assert told(measured(gather(ibis.memtable(table), **given_of(release)))) == whole


def test_a_database_tells_labels_of_the_worst_classes_only(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table(
        {
            "zip": ["1", "1", "2", "2", "3", "3", None],
            "sick": ["flu", "flu", "flu", "cancer", "cancer", "cancer", "flu"],
        }
    )
    asked: list[int] = []
    outcome = _numbered_blocks.NumberedBlocks.labels_of
    monkeypatch.setattr(
        _numbered_blocks.NumberedBlocks,
        "labels_of",
        lambda self, number: [asked.append(number), outcome(self, number)][1],
    )
    inputs = gather(
        ibis.memtable(table), quasi_identifiers="zip", sensitive="sick", reveal_values=True
    )
    with in_pieces(packed=False):
        result = find_measure("l-diversity").run(inputs, {"worst": 1}).to_dict()
    [worst] = result["attributes"][0]["worst_classes"]
    assert (worst["rows"], worst["labels"]["zip"] in {"1", "3"}) == (2, True)
    # Of each slice the worst class is looked at.
    assert 1 <= len(asked) <= 4


class Travelled(ClassBlocks):
    """Blocks whose answers come by way of JSON, as those of workers do."""

    def __init__(self, blocks: ClassBlocks) -> None:
        self.blocks = blocks

    def ask(self, question: BlockQuestion[Answer_co], *, with_suppressed: bool) -> list[Answer_co]:
        answers = self.blocks.ask(question, with_suppressed=with_suppressed)
        plain = [json.dumps(asdict(own), default=str) for own in answers]  # type: ignore[call-overload]
        return [question.from_plain(json.loads(own)) for own in plain]


def send_answers_through_json(counts: TableCounts) -> None:
    for key, result in counts._results.items():
        if isinstance(result, ClassBlocks):
            counts._results[key] = Travelled(result)


@pytest.mark.parametrize("reveal_values", [True, False])
@settings(max_examples=examples(15))
@given(release=strategies.releases().filter(some_row_is_said))
def test_answers_survive_the_way_through_json(reveal_values: bool, release: Release) -> None:
    given_ = given_of(release) | {"reveal_values": reveal_values}
    inputs = gather(strategies.arrow(release.released), **given_)
    whole = measured(inputs)
    counts = inputs.table.counts
    send_answers_through_json(counts)
    assert measured(inputs) == whole


@pytest.mark.parametrize("name", ["far_classes", "farthest"])
def test_a_picture_that_cannot_be_told_of_is_no_hindrance(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In pieces, and through JSON: the figure is the same, and there is nothing to draw."""
    path = tmp_path / "table.parquet"
    table = pa.table({"zip": ["1", "1", "2", "2", "3"], "sick": ["a", "b", "a", "a", "b"]})
    parquet.write_table(table, path)
    asked: dict[str, Any] = {"quasi_identifiers": "zip", "sensitive": "sick"}
    measure = find_measure("t-closeness")
    whole = measure.run(gather(table, **asked), {"limit": 0.3})
    monkeypatch.setattr(f"petaudit.measures._class_question.{name}", lambda *_: 1 / 0)
    with in_pieces(packed=False):
        inputs = gather(path, **asked)
        assert measure.run(inputs, {"limit": 0.3}) == whole
        counts = inputs.table.counts
        send_answers_through_json(counts)
        result = measure.run(inputs, {"limit": 0.3})
    assert result == whole
    entry = result.to_entry(inputs)
    assert entry["pictures"] == []
    assert entry["warnings"][-1].startswith("A chart could not be drawn")


@pytest.mark.parametrize("labels", [True, False])
def test_blocks_for_which_there_is_no_room_lie_in_private_files(labels: bool) -> None:
    blocks = [classes_of({0: 2, 1: 1}), classes_of({1: 4}, {0: 1})]
    if labels:
        blocks = [
            replace(own, labels=ClassLabels((("a", "b"),), (np.arange(len(own.sizes)),)))
            for own in blocks
        ]
    before = set(private_folder().iterdir())
    held = HeldBlocks(blocks, room=1)
    made = set(private_folder().iterdir()) - before
    assert len(made) == 2
    for _ in range(2):
        result = list(held.tables())
        assert [own.sizes.tolist() for own in result] == [[3], [4, 1]]
        assert [own.columns["v"].counts.tolist() for own in result] == [[2, 1], [4, 1]]
        spelled = [own.labels and own.labels[len(own.sizes) - 1] for own in result]
        assert spelled == ([("a",), ("b",)] if labels else [None, None])
    del held
    assert not made & set(private_folder().iterdir())
    HeldBlocks(blocks, room=10**6)
    assert set(private_folder().iterdir()) == before


def test_the_histogram_is_that_of_all_blocks(tmp_path: Path) -> None:
    table = pa.table({"zip": [*"aabbcd*", None], "sick": list("xyxyxyxy")})
    path = tmp_path / "table.parquet"
    parquet.write_table(table, path)
    with in_pieces(packed=True):
        counts = open_source(path).counts
        blocks = counts.class_blocks(["zip"], ["sick"])
        assert isinstance(blocks, HeldBlocks)
        result = blocks.histogram
    assert (result.sizes.tolist(), result.classes.tolist()) == ([1, 2], [3, 2])
    assert result.suppressed_rows == 1


def test_no_block_is_asked_where_every_row_is_suppressed() -> None:
    table = pa.table({"zip": ["*", "*"], "sick": ["x", "y"]})
    inputs = gather(table, quasi_identifiers="zip", sensitive="sick")
    assert find_measure("t-closeness").run(inputs, {"limit": 1}).value == 0
