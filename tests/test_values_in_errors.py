"""Exceptions, their traces and warnings hold no value of the data; who asks gets a few."""

from __future__ import annotations

import json
import pickle
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import narwhals.stable.v2 as nw
import pandas as pd
import pyarrow as pa
import pytest

import petaudit
from petaudit.cli import main
from petaudit.errors import (
    EngineError,
    HierarchyError,
    PetauditError,
    PetauditWarning,
    revealed,
    without_row_numbers,
)
from petaudit.i18n.documents import from_plain, phrases_in
from petaudit.i18n.phrases import cells, joined, phrase, render, row_numbers
from petaudit.tables import open_source

MARKS = [f"canary{number:05}" for number in range(7, 12)]
IDENTITY, BORN = "A1234" + "56789", "1977-" + "03-09"
"""Put together here, so that no line of this file that a trace shows holds them."""


def failing(**more: Any) -> Callable[[], object]:
    table = pa.table({"zip": MARKS, "ill": ["flu"] * 5})
    given = {"quasi_identifiers": ["zip"], "sensitive": ["ill"], **more}
    return lambda: petaudit.precision(table, **given)


def headless() -> pd.DataFrame:
    frame = pd.DataFrame([["x", "B123456780", "1980-01-01"], ["y", "C123456780", "1981-01-01"]])
    frame.columns = [MARKS[0], IDENTITY, BORN]
    return frame


def mixed() -> pd.DataFrame:
    frame = headless()
    frame[IDENTITY] = [{MARKS[1]: 1}, 5]
    return frame


CASES: dict[str, Callable[[], object]] = {
    "labels": failing(hierarchies={"zip": {"other": "*"}}),
    "a rule": lambda: petaudit.generalize(
        pa.table({"zip": MARKS}), levels={"zip": 1}, hierarchies={"zip": petaudit.ranges(5)}
    ),
    "leaves": lambda: petaudit.generalize(
        pa.table({"zip": MARKS}), levels={"zip": 1}, hierarchies={"zip": {"other": "*"}}
    ),
    "a hierarchy": lambda: petaudit.Hierarchy("zip", [[MARKS[0], "*"], [MARKS[1], "a", "*"]]),
    "a path": lambda: petaudit.Hierarchy("zip", [["a", "*"]]).path_of(MARKS[0]),
    "a level": lambda: petaudit.Hierarchy("zip", [["a", "*"]]).level_of(MARKS[0]),
    "no header": lambda: petaudit.k_anonymity(headless(), quasi_identifiers="zip"),
    "no header, several kinds": lambda: petaudit.k_anonymity(mixed(), quasi_identifiers="zip"),
    "no header in mpuccs": lambda: petaudit.mpuccs(pa.table({"zip": MARKS}), headless()),
    "a function": lambda: petaudit.utility_bias(
        pa.table({"zip": MARKS}), pa.table({"zip": MARKS}), function=lambda t: int(str(t["zip"][0]))
    ),
}


def text_as_numbers() -> pa.Table:
    """A query that DuckDB cannot answer, and says why."""
    counts = open_source(duckdb.from_arrow(pa.table({"zip": MARKS}))).counts
    return counts.collected(counts.frame.select(nw.col("c0").cast(nw.Int64)))


CASES["an engine"] = text_as_numbers


@pytest.mark.parametrize("case", CASES)
def test_no_value_is_in_an_exception_or_its_trace(case: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(PetauditError) as problem:
            CASES[case]()
    told = [str(problem.value), repr(problem.value), *map(str, problem.value.args)]
    told += traceback.format_exception(problem.value)
    told += [str(own.message) for own in caught]
    for value in (*MARKS, IDENTITY, BORN):
        assert not any(value in text for text in told), case
    assert not any(value in str(pickle.loads(pickle.dumps(problem.value.text))) for value in MARKS)  # noqa: S301


def test_an_engine_that_quotes_a_cell_really_did() -> None:
    with pytest.raises(EngineError) as problem:
        CASES["an engine"]()
    assert MARKS[0] in str(problem.value.__context__)


def test_who_asks_is_told_a_few() -> None:
    with pytest.raises(HierarchyError) as problem:
        CASES["labels"]()
    assert str(problem.value) == (
        "column 'zip' holds 5 labels not found in its hierarchy (hierarchy of 'zip'), in 5 rows of "
        "the frame (data rows 1, 2, 3 and 2 more)"
    )
    shown = problem.value.with_values
    assert shown == f"{problem.value}: '{MARKS[0]}', '{MARKS[1]}', '{MARKS[2]}' and 2 more"


def test_values_in_a_message_stay_hidden_wherever_it_goes() -> None:
    inner = phrase("1 label{rows}{values}", rows=row_numbers(" (row 7)"), values=cells(": 'Ann'"))
    whole = phrase("{file}: {problem}", file="t.csv", problem=joined([inner, inner], "; "))
    assert whole == "t.csv: 1 label (row 7); 1 label (row 7)"
    assert render(whole, "zh-TW") == "t.csv: 1 label (row 7)；1 label (row 7)"
    assert render(whole, hide_below=5) == "t.csv: 1 label; 1 label"
    assert revealed(whole) == "t.csv: 1 label (row 7): 'Ann'; 1 label (row 7): 'Ann'"
    kept = without_row_numbers(whole)
    assert kept == "t.csv: 1 label; 1 label"
    assert "Ann" not in json.dumps(phrases_in([kept]))
    assert from_plain(phrases_in([kept])[kept]) == kept


HEADLESS = f"{MARKS[0]};{IDENTITY};{BORN};33\n" + "".join(
    f"{name};B12345678{place};1980-01-0{place + 1};4{place}\n" for place, name in enumerate(MARKS)
)


@pytest.mark.parametrize("more", [(), ("--format", "json"), ("--format", "html")])
def test_check_says_that_the_first_row_looks_like_data_and_names_no_column_of_it(
    more: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(HEADLESS)
    main(["check", "t.csv", "--qi", "33", *more])
    found = capsys.readouterr()
    told = " ".join(found.out.split())
    assert "the first line of t.csv may be data, not a header: 3 of 4 names look like" in told
    for value in (MARKS[0], IDENTITY, BORN):
        assert value not in found.out + found.err
    assert "column 2" in told
    main(["check", "t.csv", "--qi", "33", "--reveal-values", *more])
    assert IDENTITY in capsys.readouterr().out


def test_columns_that_a_program_numbered_are_no_data() -> None:
    frame = pd.DataFrame([["a", "b", "c"], ["a", "b", "d"]])
    with warnings.catch_warnings():
        warnings.simplefilter("error", PetauditWarning)
        assert petaudit.k_anonymity(frame, quasi_identifiers=["0", "1"]).value == 2
    with pytest.raises(PetauditError, match="columns are 0, 1, 2"):
        petaudit.k_anonymity(frame, quasi_identifiers="zip")


def test_documents_hold_no_row_numbers() -> None:
    table = pa.table({"zip": MARKS})
    given = {"quasi_identifiers": "zip", "hierarchies": {"zip": {"other": "*"}}}
    found = petaudit.audit(table, measures=["precision"], **given)
    [entry] = found.not_measured
    assert "data rows 1, 2, 3" in str(entry.problem)
    assert "rows" not in entry.reason
    assert "data rows" not in json.dumps(found.to_dict())
