"""A control must be other people: one check, whoever asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

import petaudit
from petaudit.cli import main
from petaudit.errors import InputError, PetauditError
from petaudit.singling.control import Overlap, checked_control

SAME = "the control is the training table itself"


def people(rows: int, seed: int, values: tuple[int, ...] = (900, 90, 40)) -> pa.Table:
    chance = np.random.default_rng(seed)
    return pa.table({f"c{i}": chance.integers(0, most, rows) for i, most in enumerate(values)})


def shuffled(table: pa.Table) -> pa.Table:
    rows = np.random.default_rng(5).permutation(len(table))
    return table.take(rows).select(table.column_names[::-1])


ORIGINAL, SYNTHETIC, CONTROL = people(300, 1), people(200, 2), people(150, 3)
REFUSED = {
    "the original": (ORIGINAL, SAME),
    "a shuffled copy": (shuffled(ORIGINAL), SAME),
    "most rows": (
        pa.concat_tables([ORIGINAL.slice(0, 90), CONTROL.slice(0, 80)]),
        "most rows of the control are rows of the original (90 rows)",
    ),
    "a part": (
        ORIGINAL.slice(0, 60),
        "most rows of the control are rows of the original (60 rows)",
    ),
}


def by_mpuccs(folder: Path, control: pa.Table) -> str:
    paths = [written(folder, name, table) for name, table in tables(control).items()]
    with pytest.raises(InputError) as problem:
        petaudit.mpuccs(*paths, max_baseline_cols=1)
    return problem.value.text


def by_frames(folder: Path, control: pa.Table) -> str:
    with pytest.raises(InputError) as problem:
        petaudit.mpuccs(ORIGINAL, SYNTHETIC, control, max_baseline_cols=1, search="engine")
    return problem.value.text


def by_audit(folder: Path, control: pa.Table) -> str:
    result = petaudit.audit(
        SYNTHETIC,
        original=ORIGINAL,
        control=control,
        measures=["mpuccs"],
        options={"mpuccs": {"max_baseline_cols": 1}},
    )
    assert result.exit_code == 2
    return str(result.to_dict())


def by_run(folder: Path, control: pa.Table) -> str:
    for name, table in tables(control).items():
        written(folder, name, table)
    executor = petaudit.Executor(
        "Splitter: {s: {method: custom_data, "
        "filepath: {ori: original.csv, control: control.csv}}}\n"
        "Synthesizer: {s: {method: custom_data, filepath: synthetic.csv}}\n"
        "Evaluator: {risk: {method: mpuccs, max_baseline_cols: 1}}\n"
    )
    try:
        executor.run()
    except PetauditError as problem:
        return str(problem)
    [entry] = executor.document["results"]
    assert entry["status"] == "error"
    return str(entry["reason"])


def tables(control: pa.Table) -> dict[str, pa.Table]:
    return {"original": ORIGINAL, "synthetic": SYNTHETIC, "control": control}


def written(folder: Path, name: str, table: pa.Table) -> Path:
    path = folder / f"{name}.csv"
    csv.write_csv(table, path)
    return path


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("asked", [by_mpuccs, by_frames, by_audit, by_run])
@pytest.mark.parametrize("name", REFUSED)
def test_refused(asked: Callable[[Path, Any], str], name: str, tmp_path: Path) -> None:
    control, expected = REFUSED[name]
    assert expected in asked(tmp_path, control)


@pytest.mark.parametrize(
    "command",
    [
        "mpuccs original.csv synthetic.csv --control control.csv --max-cols 1",
        "check synthetic.csv --original original.csv --control control.csv --measures mpuccs "
        "--option mpuccs.max_baseline_cols=1",
    ],
    ids=["mpuccs", "check"],
)
def test_commands(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, table in tables(shuffled(ORIGINAL)).items():
        written(tmp_path, name, table)
    assert main(command.split()) == 2
    told = capsys.readouterr()
    assert SAME in " ".join((told.out + told.err).split())


@pytest.mark.parametrize("way", ["memory", "engine"])
def test_some_rows_are_a_warning_with_their_number(way: str) -> None:
    control = pa.concat_tables([CONTROL, ORIGINAL.slice(0, 12)])
    with pytest.warns(petaudit.errors.PetauditWarning, match="12 rows of the control are rows of"):
        result = petaudit.mpuccs(ORIGINAL, SYNTHETIC, control, max_baseline_cols=1, search=way)
    [said] = result.warnings
    assert said.startswith("12 rows of the control are rows of the original")
    few = pa.concat_tables([CONTROL, ORIGINAL.slice(0, 3)])
    assert not petaudit.mpuccs(ORIGINAL, SYNTHETIC, few, max_baseline_cols=1, search=way).warnings


@pytest.mark.parametrize("values", [(2,), (2, 3), (8, 6, 4), (10, 10, 10), (40, 30, 5)])
@pytest.mark.parametrize("rows", [(300, 300), (900, 100), (60, 500)])
def test_strangers_with_few_values_are_no_copies(
    values: tuple[int, ...], rows: tuple[int, int]
) -> None:
    """They have equal rows by chance, up to all of them."""
    warned = 0
    for seed in range(20):
        drawn = people(rows[0], 2 * seed, values), people(rows[1], 2 * seed + 1, values)
        warned += bool(checked_control(counted_overlap(*drawn)))
    assert warned <= 1


def test_whom_a_generator_copied() -> None:
    """Whatever it draws from, and with repeated rows taken out, it shares none beyond chance."""
    alarms, seen = 0, 0
    for seed in range(20):
        strangers = people(300, seed, (40, 30, 5))
        narrow, other = (people(300, 50 + seed, values) for values in ((20, 30, 5), (40, 30, 5)))
        thinned = people(450, 90 + seed, (40, 30, 5))
        thinned = thinned.group_by(thinned.column_names).aggregate([])
        given = (narrow, other, thinned)
        alarms += sum(bool(counted_overlap(each, strangers).copied_people) for each in given)
        copies = pa.concat_tables([narrow.slice(0, 200), strangers.slice(0, 100)])
        seen += counted_overlap(copies, strangers).copied_people > 50
    assert (alarms, seen) == (0, 20)


def counted_overlap(original: pa.Table, control: pa.Table) -> Overlap:
    """From the definition."""
    mine, theirs = (
        Counter(tuple(row.values()) for row in entry.to_pylist()) for entry in (original, control)
    )
    return Overlap(Counter((mine[row], theirs[row]) for row in mine.keys() | theirs.keys()))


@pytest.mark.parametrize("way", ["memory", "engine"])
@pytest.mark.parametrize("deduplicate", [True, False])
def test_the_twin(way: str, deduplicate: bool) -> None:
    tables = people(90, 1, (3, 4, 5)), people(10, 2, (3, 4, 5)), people(70, 3, (3, 4, 5))
    result = petaudit.mpuccs(*tables, search=way, deduplicate=deduplicate, max_baseline_cols=1)
    assert result.findings.prepared.overlap == counted_overlap(tables[0], tables[2])  # type: ignore[union-attr]


def test_by_hand() -> None:
    """Two people share a row 30 times, apart as often as chance has it, with equal tables."""
    fair = Overlap({(1, 0): 85, (0, 1): 85, (2, 0): 8, (0, 2): 7, (1, 1): 15})
    assert fair.by_chance[0] == pytest.approx(15, rel=0.01)
    assert checked_control(fair) == ()
    assert Overlap({(1, 0): 50, (0, 1): 30, (1, 1): 20}).known_people == 20
    assert not Overlap({}).is_same
