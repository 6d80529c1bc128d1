"""Results as tables: the same figures, and no value of the data unless it is asked for."""

from __future__ import annotations

from functools import cache
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import petaudit
from measures.registry_cases import ATTACKS, PASSING, passing_inputs, suited
from petaudit import datasets
from petaudit.errors import NotMeasurableError, OptionError
from petaudit.measures import Result, all_measures
from petaudit.tables.result_frames import ResultColumn, result_frame

EXAMPLE = pa.table(
    {
        "born": ["197*", "197*", "198*", "198*", "198*"],
        "zip": ["47", "47", None, None, None],
        "salary": [3, 4, 5, 6, 8],
        "disease": ["cancer", "flu", "flu", "gastritis", "cancer"],
    }
)
GIVEN: dict[str, Any] = {"quasi_identifiers": ["born", "zip"], "sensitive": ["salary", "disease"]}
MPUCCS = {"limit": 1, "max_baseline_cols": 2}
every_table = pytest.mark.parametrize(
    ("name", "granularity"),
    [(name, own) for name, measure in all_measures().items() for own in measure.granularities],
)


def rows(columns: dict[str, ResultColumn]) -> list[tuple[Any, ...]]:
    return list(zip(*(column.values for column in columns.values()), strict=True))


@cache
def bundled(table: str, reveal: bool = False) -> dict[str, Result]:
    """The results on a bundled table; mpUCCs as if a small one were synthetic and its original."""
    own = datasets.load(table)
    given = {"reveal_values": reveal, "original": own.original}
    searching = ("mpuccs", "model-utility", *ATTACKS)
    generalized = petaudit.audit(
        own.path,
        hierarchies=own.hierarchies,
        quasi_identifiers=own.quasi_identifiers,
        sensitive=own.sensitive,
        population=own.original,
        options={name: options for name, options in PASSING.items() if name not in searching},
        **given,
    )
    assert {entry.measure for entry in generalized.not_measured} == {"mpuccs", "model-utility"}
    results = list(generalized.results)
    if own.rows < 100:
        copied = petaudit.audit(
            own.original, measures="mpuccs", options={"mpuccs": MPUCCS}, **given
        )
        results += copied.results
        # Nine rows are nothing to learn from.
        learned = all_measures()["model-utility"].run(
            passing_inputs(reveal_values=reveal), PASSING["model-utility"]
        )
        results.append(learned)
        results += [
            all_measures()[name].run(suited(name, passing_inputs(reveal_values=reveal)), options)
            for name, options in ATTACKS.items()
        ]
    return {result.measure: result for result in results}


# By hand -----------------------------------------------------------------------------------------


def test_t_closeness_has_a_row_per_sensitive_attribute() -> None:
    found = petaudit.t_closeness(EXAMPLE, limit=0.3, distance={"salary": "ordered"}, **GIVEN)
    table = found.table("columnwise")
    assert list(table) == [
        *("attribute", "distance", "t", "classes", "classes_above_limit", "rows_above_limit")
    ]
    # Salary: cumulated 1, 2, 2, 2 of 2 against 1, 2, 3, 4 of 5. Disease: half of the class of two
    # are cancer and flu each, and of all two fifths, two fifths, one fifth.
    assert rows(table) == [
        ("salary", "ordered", 0.375, 2, 1, 2),
        ("disease", "equal", pytest.approx(0.2), 2, 0, 0),
    ]


def test_without_a_limit_nothing_is_above_it() -> None:
    found = petaudit.t_closeness(EXAMPLE, **GIVEN)
    assert [row[-2:] for row in rows(found.table("columnwise"))] == [(None, None)] * 2
    for kind in ("pyarrow", "pandas", "polars"):
        made = result_frame(kind, found.table("columnwise"))
        for name in ("classes_above_limit", "rows_above_limit"):
            assert all(pd.isna(value) for value in listed(made, name))


def test_the_worst_classes_have_labels_only_on_request() -> None:
    silent = petaudit.t_closeness(EXAMPLE, worst=1, **GIVEN)
    shown = petaudit.t_closeness(EXAMPLE, worst=1, reveal_values=True, **GIVEN)
    names = ["attribute", "rows", "distance", "classes", "quasi_identifiers", "labels"]
    assert list(silent.table("details")) == list(shown.table("details")) == names
    expected = [("salary", 2, 0.375, 1), ("disease", 2, pytest.approx(0.2), 1)]
    for table in (silent.table("details", with_values=True), shown.table("details")):
        assert rows(table) == [(*row, None, None) for row in expected]
    pair = (("born", "zip"), ("197*", "47"))
    assert rows(shown.table("details", with_values=True)) == [(*row, *pair) for row in expected]
    made = result_frame("pyarrow", shown.table("details", with_values=True))
    assert made.column("labels").to_pylist() == [["197*", "47"]] * 2


def test_a_null_among_the_labels_stays_a_null() -> None:
    shown = petaudit.t_closeness(EXAMPLE, worst=9, reveal_values=True, **GIVEN)
    table = shown.table("details", with_values=True)
    assert set(table["labels"].values) == {("197*", "47"), ("198*", None)}
    made = result_frame("pyarrow", table)
    assert ["198*", None] in made.column("labels").to_pylist()


def test_no_class_and_no_worst_class_are_tables_without_rows() -> None:
    assert rows(petaudit.t_closeness(EXAMPLE, worst=0, **GIVEN).table("details")) == []
    suppressed = pa.table({"born": ["*", "*"], "salary": [1, 2]})
    given = {"quasi_identifiers": "born", "sensitive": "salary"}
    # Suppressed rows are a class; left out, they leave nothing to lay out.
    found = petaudit.t_closeness(suppressed, **given)
    assert [row[:4] for row in rows(found.table("columnwise"))] == [("salary", "ordered", 0.0, 1)]
    with pytest.raises(NotMeasurableError, match="every row is suppressed"):
        petaudit.t_closeness(suppressed, suppressed="exclude", **given)


def test_precision_and_entropy_have_a_row_per_quasi_identifier() -> None:
    released = pa.table({"place": ["Europe"] * 4, "born": ["1970", "198*", "198*", "198*"]})
    original = pa.table(
        {"place": ["DE", "DE", "FR", "FR"], "born": ["1970", "1981", "1983", "1988"]}
    )
    hierarchies = {
        "born": {y: [y[:3] + "*", "*"] for y in ("1970", "1981", "1983", "1988")},
        "place": {"DE": ["Europe", "*"], "FR": ["Europe", "*"]},
    }
    given = {"quasi_identifiers": ["place", "born"], "hierarchies": hierarchies}
    found: Result = petaudit.precision(released, **given)
    # place: every cell one of two levels up; born: three cells of four.
    assert rows(found.table("columnwise")) == [("place", 0.5), ("born", 0.625)]
    found = petaudit.non_uniform_entropy(original, released, **given)
    [(place, nothing), (born, some)] = rows(found.table("columnwise"))
    assert (place, nothing, born) == ("place", 0.0, "born")
    # Each of three cells loses log2 3 of 4 * log2 4 bits.
    assert some == pytest.approx(1 - 3 * 1.584962500721156 / 8)


def test_profitability_shows_the_payoffs_of_the_worst_row() -> None:
    table = pa.table({"born": ["197*", "198*", "198*"]})
    game = {"cost": 4, "gain": 300, "loss": 300, "benefit": 200}
    found = petaudit.profitability(table, quasi_identifiers="born", **game)
    details = found.table("details")
    assert {name: column.values for name, column in details.items()} == {
        "class_size": [1],
        "adversary_expected_gain": [300],
        "adversary_payoff": [296],
        "publisher_risk": [300],
        "publisher_payoff": [-100],
    }
    suppressed = pa.table({"born": ["*", "*"]})
    # Suppressed rows are a class; left out, they leave nothing to show.
    found = petaudit.profitability(suppressed, quasi_identifiers="born", **game)
    assert found.table("details")["class_size"].values == [2]
    assert list(found.table("details")) == list(details)
    with pytest.raises(NotMeasurableError, match="every row is suppressed"):
        petaudit.profitability(suppressed, quasi_identifiers="born", suppressed="exclude", **game)


# All measures ------------------------------------------------------------------------------------


def listed(frame: Any, name: str) -> list[Any]:
    column = frame[name]
    return column.to_pylist() if hasattr(column, "to_pylist") else list(column)


def is_same(found: Any, expected: Any) -> bool:
    """Whether a cell of a frame is the value that went in; frames have several nulls."""
    if isinstance(expected, tuple):
        return [None if own is None else str(own) for own in found] == [
            None if own is None else str(own) for own in expected
        ]
    if expected is None or expected != expected:  # NaN
        return bool(pd.isna(found))
    return bool(found == expected)


@every_table
@pytest.mark.parametrize("with_values", [False, True])
@pytest.mark.parametrize("table", ["adult-deidentified", "patient-deidentified"])
def test_every_table_is_a_frame_of_any_kind(
    name: str, granularity: str, with_values: bool, table: str
) -> None:
    results = bundled(table, reveal=True)
    if name not in results:
        pytest.skip("too large for this search")
    columns = results[name].table(granularity, with_values=with_values)
    assert columns
    assert len({len(column.values) for column in columns.values()}) == 1
    for kind in ("pyarrow", "pandas", "polars"):
        made = result_frame(kind, columns)
        names = made.column_names if kind == "pyarrow" else list(made.columns)
        assert names == list(columns)
        for column, own in columns.items():
            found = listed(made, column)
            assert len(found) == len(own.values)
            assert all(map(is_same, found, own.values)), (kind, column)


@pytest.mark.parametrize("name", all_measures())
def test_the_first_table_has_the_figure_and_the_verdict(name: str) -> None:
    found = bundled("patient-deidentified")[name]
    assert all_measures()[name].granularities[0] == "global"
    columns = found.table("global")
    assert all(len(column.values) == 1 for column in columns.values())
    if name == "mpuccs":
        assert columns["privacy_risk_score"].values == [found.value]
        return
    row = {key: column.values[0] for key, column in columns.items()}
    # Attacks have the columns of PETsARD as well.
    starts = ("risk", "attack_", "baseline_", "control_")
    more = {key: row.pop(key) for key in (*row,) if key.startswith(starts)}
    assert bool(more) is (name in ATTACKS and name != "closest-record")
    assert row == {
        "measure": name,
        "value": found.published.value,
        "limit": found.limit,
        "status": found.status,
        "better": all_measures()[name].better,
    }


@pytest.mark.parametrize("table", ["adult-deidentified", "patient-deidentified"])
def test_the_tables_agree_with_the_figures(table: str) -> None:
    found: Any = bundled(table)
    inputs = datasets.load(table)
    closeness = found["t-closeness"].table("columnwise")
    assert tuple(closeness["attribute"].values) == inputs.sensitive
    assert max(closeness["t"].values) == found["t-closeness"].value
    worst = found["t-closeness"].table("details")
    assert max(worst["distance"].values) == found["t-closeness"].value
    assert len(worst["rows"].values) > 0
    for name in ("precision", "non-uniform-entropy"):
        columns = found[name].table("columnwise")
        assert tuple(columns["attribute"].values) == inputs.quasi_identifiers
        assert columns["value"].values == list(found[name].columns.values())
    precisions = found["precision"].table("columnwise")["value"].values
    assert sum(precisions) / len(precisions) == pytest.approx(found["precision"].value)
    [size] = found["profitability"].table("details")["class_size"].values
    assert size == found["profitability"].worst_row.class_size


@every_table
def test_no_table_holds_a_value_that_was_not_asked_for(name: str, granularity: str) -> None:
    """Values were revealed to the audit; the table must be asked on its own."""
    own = datasets.load("patient-deidentified")
    assert own.original is not None
    cells = {
        str(cell)
        for path in (own.path, own.original)
        for column in petaudit.tables.open_source(path).to_arrow().columns
        for cell in column.to_pylist()
        if cell is not None and not str(cell).isdecimal()
    }
    assert "4760*" in cells
    columns = bundled("patient-deidentified", reveal=True)[name].table(granularity)
    for column in columns.values():
        for value in column.values:
            for item in value if isinstance(value, tuple) else (value,):
                assert str(item) not in cells


@pytest.mark.parametrize("name", all_measures())
@pytest.mark.parametrize("granularity", ["", "Global", "colunmwise", "detail", "x"])
def test_an_unknown_table_names_the_ones_there_are(name: str, granularity: str) -> None:
    found = bundled("patient-deidentified")[name]
    with pytest.raises(OptionError) as caught:
        found.table(granularity)
    message = str(caught.value)
    assert message.startswith(f"{name} has no table {granularity!r}")
    assert message.endswith(f"; it has {', '.join(all_measures()[name].granularities)}")


def test_a_near_name_is_suggested() -> None:
    with pytest.raises(OptionError) as caught:
        bundled("patient-deidentified")["precision"].table("column-wise")
    assert str(caught.value) == (
        "precision has no table 'column-wise' (did you mean 'columnwise'?); it has global, "
        "columnwise"
    )
