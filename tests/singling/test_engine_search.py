"""The search that an engine does: the same answer as the twin and as the search in memory."""

from __future__ import annotations

import gc
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import csv, parquet

import mpuccs_twin as twin
import petaudit
from budget import examples
from petaudit.singling import engine, prepared
from petaudit.tables._private_folder import private_folder
from petaudit.tables.engines.scratch import OutOfTimeError, Scratch
from petaudit.tables.joint import duck_coding, duck_pair, levels
from singling.frames import assert_answer, held
from singling.pairs import Pair, pairs

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")


def people(rows: int, seed: int, values: int = 12) -> pa.Table:
    chance = np.random.default_rng(seed)
    columns: dict[str, Any] = {name: chance.integers(0, values, rows) for name in "abc"}
    columns["text"] = pa.array([f" v{code} " for code in chance.integers(0, 9, rows)])
    columns["day"] = pa.array(chance.integers(0, 30, rows).astype("datetime64[D]"))
    columns["share"] = pa.array(chance.integers(0, 5, rows) / 4, mask=chance.random(rows) < 0.1)
    return pa.table(columns)


def answers(*tables: Any, **options: Any) -> list[Any]:
    return [petaudit.mpuccs(*tables, search=way, **options) for way in ("memory", "engine")]


def assert_same(*tables: Any, **options: Any) -> Any:
    """Every figure and every row, to the last digit."""
    memory, engine = answers(*tables, **options)
    for name in ("global_", "details", "tree"):
        assert getattr(memory, name).equals(getattr(engine, name)), name
    for name in ("figures", "columns", "precision", "combinations", "complete", "warnings"):
        assert getattr(memory, name) == getattr(engine, name), name
    assert memory.findings.excess == engine.findings.excess
    assert memory.findings.rows_helped() == engine.findings.rows_helped()
    return engine


@settings(max_examples=examples(25))
@given(
    pair=pairs(),
    engine=st.sampled_from(["pyarrow", "duckdb", "polars-lazy", "parquet"]),
    numbers=st.booleans(),
    narrows=st.booleans(),
)
def test_the_twin(pair: Pair, engine: str, numbers: bool, narrows: bool) -> None:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(duck_coding, "MANY_VALUES", 0 if numbers else 1 << 40)
        patch.setattr(duck_coding, "_LARGE_DICTIONARY", 2 if numbers else 1 << 40)
        patch.setattr(levels, "_ROWS_PER_GROUP", 1 << 40 if narrows else 0)
        patch.setattr(levels, "_WORTH_COPYING", 2.0)
        patch.setattr(duck_pair, "_WORTH_FORGETTING", 0.0 if narrows else 2.0)
        tables = []
        for name in ("original", "synthetic"):
            place = Path(folder, name)
            place.mkdir()
            tables.append(held(getattr(pair, name), engine, place))
        result = petaudit.mpuccs(*tables, **pair.options, search="engine")
        assert_answer(result, twin.evaluate(*pair.cells, **pair.options), pair.options)


@pytest.mark.parametrize(
    "options",
    [
        {"max_baseline_cols": 2},
        {"max_baseline_cols": 2, "deduplicate": False, "min_entropy_delta": 0.05},
        {"n_cols": [1, 3], "renyi_alpha": 1.0, "min_entropy_delta": 0.02},
    ],
    ids=["plain", "pruned", "with gaps"],
)
def test_files_and_a_control(options: dict[str, Any], tmp_path: Path) -> None:
    made = people(200, 2)
    tables = [people(400, 1), pa.concat_tables([made, made.slice(0, 20)]), people(90, 3)]
    paths = []
    for place, table in enumerate(tables):
        paths.append(tmp_path / (f"{place}.parquet" if place else "0.csv"))
        if place:
            parquet.write_table(table, paths[-1])
        else:
            csv.write_csv(table, paths[-1])
    result = assert_same(*paths, **options)
    assert result.findings.excess is not None
    assert result.removed_synthetic == (20 if options.get("deduplicate", True) else 0)


def test_rows_are_listed_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The files are the same, and no block has more rows than are listed at once."""
    synthetic = people(300, 2)
    tables = people(400, 1), pa.concat_tables([synthetic, synthetic.slice(0, 40)])
    expected = petaudit.mpuccs(*tables, max_baseline_cols=2, search="memory")
    for module in (duck_pair, prepared):
        monkeypatch.setattr(module, "LISTED_AT_ONCE", 7)
    for result in answers(*tables, max_baseline_cols=2):
        for with_values in (True, False):
            blocks = list(result.findings.details_blocks(with_values=with_values))
            sizes = [len(entry["syn_row"].values) for entry in blocks]
            assert max(sizes) == 7
            assert sum(sizes) == expected.figures["total_identified"] > 100
            for name, whole in expected.findings.details_columns(with_values=with_values).items():
                assert [cell for entry in blocks for cell in entry[name].values] == whole.values


def test_a_control_that_is_larger() -> None:
    assert_same(people(60, 1), people(150, 2), people(400, 3), max_baseline_cols=2, seed=5)


def test_empty_tables_and_single_rows() -> None:
    table = people(3, 1)
    for original, synthetic in ((table.slice(0, 0), table), (table, table.slice(0, 0))):
        memory, engine = answers(original, synthetic, people(3, 2), limit=0.5)
        assert engine.tree.equals(memory.tree)
        for result in (memory, engine):
            assert result.findings.is_empty
            assert result.findings.why_no_changes is None
            assert (result.complete, result.figures, result.warnings) == (True, {}, ())
            assert (result.passed, result.undecided, result.changes) == (False, True, [])
    assert_same(table.slice(0, 1), table.slice(0, 1))


def test_a_control_is_left_out_where_samples_would_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_DRAWING", 2**62)
    result = petaudit.mpuccs(*(people(30, seed) for seed in (1, 2, 3)), search="engine")
    assert result.figures["excess_risk"] is None
    assert any("takes more memory than is available" in text for text in result.warnings)


def test_stopped_halfway_the_first_combinations_count(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = people(200, 1), people(150, 2)
    whole = petaudit.mpuccs(*tables, search="engine", max_baseline_cols=2)
    count, calls = duck_pair.DuckPair.count, 0

    def some(self: Any, *given: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > 3:
            raise OutOfTimeError
        return count(self, *given, **named)

    monkeypatch.setattr(duck_pair.DuckPair, "count", some)
    result = petaudit.mpuccs(*tables, search="engine", max_baseline_cols=2)
    assert not result.complete
    # All single columns, and the pairs that begin with the first two.
    assert result.combinations == 6 + 5 + 4
    assert result.tree.equals(whole.tree.slice(0, result.combinations))
    assert result.details.equals(whole.details.slice(0, result.details.num_rows))


def test_the_time_limit_ends_a_query() -> None:
    scratch = Scratch()
    endless = "SELECT count(*) FROM range(1000000) AS a, range(1000000) AS b"
    with scratch.deadline.at(time.monotonic() + 0.2), pytest.raises(OutOfTimeError):
        scratch.run(endless)
    assert scratch.number("SELECT 7") == 7


def test_an_interrupt_is_passed_on_and_nothing_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    before = stored()

    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(duck_pair.DuckPair, "count", interrupted)
    with pytest.raises(KeyboardInterrupt):
        petaudit.mpuccs(people(50, 1), people(50, 2), search="engine")
    assert stored() == before


def test_the_tables_on_disk_go_with_the_result() -> None:
    before = stored()
    result = petaudit.mpuccs(people(50, 1), people(50, 2), search="engine", max_baseline_cols=1)
    assert len(stored()) == len(before) + 1
    assert result.details.num_rows == result.figures["total_identified"]
    del result
    assert stored() == before


def stored() -> set[Path]:
    gc.collect()
    return {path.parent for path in private_folder().rglob("*.db")}


def test_an_engine_does_not_try_changes() -> None:
    result = petaudit.mpuccs(people(50, 1), people(50, 2), search="engine", max_baseline_cols=1)
    with pytest.warns(petaudit.PetauditWarning, match="computed in memory only"):
        assert result.changes == []
