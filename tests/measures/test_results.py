"""What every result can do: become JSON and HTML, explain itself, and keep the data to itself."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, fields
from functools import cache
from typing import Any

import pyarrow as pa
import pytest

import petaudit
from measures.registry_cases import PASSING
from petaudit.errors import PetauditWarning
from petaudit.measures import Result, all_measures

# No cell looks like anything that a result could say by itself.
ZIPS = ["secret-47677", "secret-47602", "secret-47905"]
LABELS = ["mask-476", "mask-476", "mask-479"]
# Ranges of numbers that are in one class with the labels beside them.
AGES = ["7654321", "7654322", "8654321", "8654323", "8654329", "8765432"]
RANGES = ["[7654000,7655000[", "[8654000,8655000["]
TABLE = {
    "zip <b>": [LABELS[0], LABELS[1], LABELS[2], LABELS[2], "*", "raw-twice"],
    "age": [RANGES[0], RANGES[0], RANGES[1], RANGES[1], "*", AGES[5]],
    "salary": ["98765431", "98765433", "98765437", None, "98765441", "98765443"],
    "disease": ["ulcer", "gastritis", "gastritis", None, "flu & <i>cold</i>", "flu & <i>cold</i>"],
}
ORIGINAL = TABLE | {"zip <b>": [*ZIPS, ZIPS[2], ZIPS[0], "raw-twice"], "age": AGES}
HIERARCHIES = {
    "zip <b>": {
        ZIPS[0]: [LABELS[0], "top"],
        ZIPS[1]: [LABELS[1], "top"],
        ZIPS[2]: [LABELS[2], "top"],
        # Two levels have this label, and that is worth a warning.
        "raw-twice": ["raw-twice", "top"],
    },
    "age": {
        **{age: [RANGES[0], "*"] for age in AGES[:2]},
        **{age: [RANGES[1], "*"] for age in AGES[2:5]},
        AGES[5]: ["a great age", "*"],
    },
    "disease": {name: ["any disease"] for name in TABLE["disease"] if name} | {"": ["any disease"]},
}
GIVEN: dict[str, Any] = {
    "quasi_identifiers": ["zip <b>", "age"],
    "sensitive": ["salary", "disease"],
    "hierarchies": HIERARCHIES,
}
OPTIONS: dict[str, Any] = {
    **PASSING,
    "t-closeness": {"limit": 0.9, "worst": 99},
    "precision": {"limit": "1.5"},
    "non-uniform-entropy": {"limit": 0.1},
    "profitability": {"cost": 1, "gain": 10, "loss": 10, "benefit": 5},
    "model-utility": {"target": "disease", "folds": 2},
    "attribute-inference": {"limit": 1, "secret": "disease"},
    "linkability": {"limit": 1, "aux_cols": [["zip <b>"], ["age"]]},
    "replicated-uniques": {"limit": 1, "keys": "age"},
    "disco": {"limit": 1, "target": "disease"},
}
# Other people: nobody has both of these.
CONTROL = ORIGINAL | {"age": ORIGINAL["age"][::-1]}
every_measure = pytest.mark.parametrize("name", all_measures())


@cache
def results(**given: Any) -> dict[str, Result]:
    audit = petaudit.audit(
        pa.table(TABLE),
        original=pa.table(ORIGINAL),
        population=pa.table(ORIGINAL),
        control=pa.table(CONTROL),
        options=OPTIONS,
        **GIVEN | given,
    )
    assert not audit.not_measured, [entry.reason for entry in audit.not_measured]
    return {result.measure: result for result in audit.results}


def texts(value: Any) -> Iterator[str]:
    """Every text and number in plain data, keys included."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts(item)
    else:
        yield str(value)


def cell_values() -> set[str]:
    cells = {cell for table in (TABLE, ORIGINAL) for column in table.values() for cell in column}
    return {str(cell) for cell in cells if cell not in (None, "*")}


@every_measure
def test_a_result_holds_no_value_of_the_data(name: str) -> None:
    result = results()[name]
    said = [*result.explanation, *texts(result.to_dict()), repr(result), result._repr_html_()]
    said = [html.unescape(text) for text in said]
    assert len(said) > 5
    for cell in cell_values():
        assert not any(cell in text for text in said), cell


def test_the_warnings_of_this_table_are_many_and_hold_no_value_either() -> None:
    warned = [text for result in results().values() for text in result.warnings]
    assert len(warned) >= 4
    for cell in cell_values():
        assert not any(cell in text for text in warned), cell


def test_values_are_revealed_on_request_in_the_worst_classes_only() -> None:
    revealed = results(reveal_values=True)
    outcome: Any = revealed["t-closeness"]
    [salary, _] = outcome.to_dict()["attributes"]
    labels = [worst["labels"]["zip <b>"] for worst in salary["worst_classes"]]
    # The suppressed rows are a class, and their label is no value.
    assert sorted(labels) == sorted({LABELS[0], LABELS[2], "raw-twice", "*"})
    silent = [text for result in revealed.values() for text in result.explanation]
    assert not any(cell in text for cell in cell_values() for text in silent)


@every_measure
@pytest.mark.parametrize("reveal", [False, True])
def test_a_result_becomes_json_and_comes_back(name: str, reveal: bool) -> None:
    result = results(reveal_values=reveal)[name]
    plain = result.to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["measure"] == name
    assert plain["status"] == result.status
    assert plain["better"] == all_measures()[name].better
    assert {item.name for item in fields(result) if item.repr} <= set(plain)


def test_exact_values_become_text() -> None:
    plain = results()["t-closeness"].to_dict()
    assert plain["exact_value"] == "5/6"
    assert plain["value"] == 5 / 6


@every_measure
def test_the_notebook_view_shows_markup_as_text(name: str) -> None:
    shown = results(reveal_values=True)[name]._repr_html_()
    assert shown.startswith("<table>")
    assert shown.endswith(("</table>", "</ul>"))
    assert "<b>" not in shown
    assert "<i>" not in shown
    lines = " ".join(results(reveal_values=True)[name].explanation)
    assert ("zip &lt;b&gt;" in shown) is ("zip <b>" in lines)
    assert f">{html.escape(all_measures()[name].title)}</th>" in shown


@every_measure
def test_a_result_cannot_be_changed(name: str) -> None:
    with pytest.raises(FrozenInstanceError):
        results()[name].passed = True  # type: ignore[misc]


@every_measure
def test_the_explanation_is_made_of_sentences(name: str) -> None:
    explanation = results()[name].explanation
    assert explanation
    assert all(isinstance(line, str) and line and "\n" not in line for line in explanation)


def test_functions_announce_warnings_where_they_are_called() -> None:
    with pytest.warns(PetauditWarning, match="never exceeds 1") as caught:
        petaudit.precision(pa.table({"x": ["a"]}), limit=2, hierarchies={"x": {"a": ["*"]}})
    assert {warning.filename for warning in caught} == {__file__}
