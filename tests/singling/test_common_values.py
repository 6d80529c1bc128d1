"""Tables whose values do not mean the same: nobody singled out then shows nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import csv

import petaudit
from petaudit.cli import main
from petaudit.errors import ColumnError, UndecidedError
from petaudit.inputs import gather
from petaudit.measures import find_measure
from petaudit.singling.prepared import ColumnUse

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
ways = pytest.mark.parametrize("way", ["memory", "engine"])
SEXES, CITIES = ("female", "male"), ("Rome", "Oslo", "Bern", "Riga")


def people(rows: int, seed: int) -> pa.Table:
    chance = np.random.default_rng(seed)
    return pa.table(
        {
            "sex": chance.choice(SEXES, rows),
            "city": chance.choice(CITIES, rows),
            "born": [f"11 0{month} 1{age}" for age, month in chance.integers(1, 9, (rows, 2))],
            "zip": [f"{code:05d}" for code in chance.integers(1, 30, rows)],
        }
    )


def respelled(table: pa.Table, column: str, spell: Callable[[str], str]) -> pa.Table:
    place = table.column_names.index(column)
    return table.set_column(place, column, pa.array(map(spell, table[column].to_pylist())))


SPELLINGS: dict[str, tuple[str, Callable[[str], str]]] = {
    "case": ("city", str.upper),
    "blanks": ("sex", lambda text: text[0] + " " + text[1:]),
    "width": ("city", lambda text: "".join(chr(ord(entry) + 0xFEE0) for entry in text)),
    "date form": ("born", lambda text: "/".join(reversed(text.split()))),
    "marks": ("city", lambda text: f"<{text}>"),
}
HINTED = {"case", "width", "date form", "marks"}


@ways
@pytest.mark.parametrize("name", SPELLINGS)
def test_another_spelling_is_noticed_and_decides_nothing(name: str, way: str) -> None:
    original, (column, spell) = people(200, 1), SPELLINGS[name]
    synthetic = respelled(people(150, 2), column, spell)
    result = petaudit.mpuccs(original, synthetic, max_baseline_cols=2, search=way)
    [said] = result.warnings
    assert said.startswith(f"the values of {column!r} hardly ever occur in the original")
    assert (f"the values of {column!r} do occur in both" in said) == (name in HINTED)
    judged = result.judged(limit=1 / 2)
    assert (judged.status, judged.passed) == ("undecided", False)
    assert result.judged(limit=0).status == ("undecided" if not result.value else "failed")


@ways
def test_the_wrong_original_is_noticed(way: str) -> None:
    words = [f"word {row % 7} {row % 3}" for row in range(150)]
    others = pa.table({"sex": words, "city": words, "born": words, "zip": ["99999", "88888"] * 75})
    result = petaudit.mpuccs(people(200, 1), others, max_baseline_cols=2, search=way)
    assert result.warnings[0].startswith("no value of any column occurs in both tables")
    assert result.figures["total_identified"] == 0
    assert result.judged(limit=0).status == "undecided"


@ways
def test_measurements_need_not_coincide(way: str) -> None:
    """Of numbers that nobody has twice none is expected to be there."""
    chance = np.random.default_rng(3)
    tables = [
        people(rows, seed).append_column("pay", pa.array(chance.lognormal(10, 1, rows)))
        for rows, seed in ((200, 1), (150, 2))
    ]
    result = petaudit.mpuccs(*tables, max_baseline_cols=2, search=way)
    assert result.warnings == ()
    assert result.judged(limit=1).status == "passed"


def test_a_table_of_its_own_and_small_tables_raise_no_doubt() -> None:
    original = people(200, 1)
    assert petaudit.mpuccs(original, original, max_baseline_cols=1).warnings == ()
    assert petaudit.mpuccs(pa.table({"a": [1, 1]}), pa.table({"a": [2, 2]})).warnings == ()


def test_by_hand() -> None:
    """Of 40 cells 10 have a value of their own: three quarters of 100 are expected."""
    use = ColumnUse(synthetic=100, common=3, original=40, alone=10)
    assert use.expected == 75
    assert use.is_foreign
    assert not use._replace(common=4).is_foreign
    assert not use._replace(alone=37).is_foreign


FRAMES: list[Callable[[pa.Table], Any]] = [lambda item: item, pa.Table.to_pandas, pl.from_arrow]


@ways
@pytest.mark.parametrize("frame", FRAMES, ids=["pyarrow", "pandas", "polars"])
@pytest.mark.parametrize(
    ("original", "synthetic", "expected"),
    [
        (
            ["low", "high"] * 20,
            ["1", "2"] * 20,
            "text in .* and numbers in|numbers in .* and text in",
        ),
        (
            ["2024-01-02"] * 40,
            ["17", "18"] * 20,
            "numbers in .* and dates in|dates in .* and numbers",
        ),
        (["12", "13"] * 20, ["12.0", "13.0"] * 20, "writes the same values in different ways"),
        ([1, 2] * 20, ["1", "2"] * 20, "text in .* and numbers in"),
    ],
    ids=["words and digits", "dates and digits", "decimals", "numbers and text"],
)
def test_frames_are_checked_as_files_are(
    original: list[Any], synthetic: list[Any], expected: str, frame: Callable[..., Any], way: str
) -> None:
    with pytest.raises(ColumnError, match=expected):
        petaudit.mpuccs(
            frame(pa.table({"a": original})), frame(pa.table({"a": synthetic})), search=way
        )


def test_text_that_is_alike_in_both_frames_is_compared_as_text() -> None:
    tables = [pd.DataFrame({"a": own}) for own in (["007", "08", "x9"], ["007", "12", "x9"])]
    assert petaudit.mpuccs(*tables).figures["total_identified"] == 2


def test_check_says_why_nothing_is_decided() -> None:
    synthetic = respelled(people(150, 2), "city", str.upper)
    inputs = gather(synthetic, original=people(200, 1))
    with pytest.raises(
        UndecidedError, match="does not show that the limit holds: the values of 'city'"
    ):
        find_measure("mpuccs").run(inputs, {"limit": 0.9, "max_baseline_cols": 2})


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(tmp_path / name) for name in ("original.csv", "synthetic.csv")]
    csv.write_csv(people(200, 1), paths[0])
    csv.write_csv(respelled(people(150, 2), "city", str.upper), paths[1])
    assert main(["mpuccs", *paths, "--max-cols", "2", "--limit", "0.9"]) == 2
    told = " ".join(capsys.readouterr().out.split())
    assert "undecided" in told
    assert "the values of 'city' hardly ever occur in the original" in told
    assert "ROME" not in told, "no value is told"
