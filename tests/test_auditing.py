"""An audit runs what it can, says what it could not, and never passes what it did not measure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from petaudit import __version__, audit, mask_right, ranges
from petaudit.auditing import Audit, NotMeasured
from petaudit.errors import (
    HierarchyError,
    InputError,
    NotMeasurableError,
    OptionError,
    RoleError,
)
from petaudit.inputs import Inputs
from petaudit.measures import Measure, Result, all_measures

TABLE = {"zip": ["4760*", "4760*", "4790*", "4790*"], "disease": ["flu", "flu", "flu", "cold"]}
ORIGINAL = {"zip": ["47602", "47605", "47905", "47909"], "disease": TABLE["disease"]}
ZIPS = {code: [f"{code[:4]}*", "*"] for code in ORIGINAL["zip"]}
GAME = {"cost": 4, "gain": 300, "loss": 300, "benefit": 1200}

QI: dict[str, Any] = {"quasi_identifiers": "zip"}
SENSITIVE: dict[str, Any] = QI | {"sensitive": "disease"}
HIERARCHIES: dict[str, Any] = {"hierarchies": {"zip": ZIPS}}
EVERYTHING: dict[str, Any] = SENSITIVE | HIERARCHIES | {"original": pa.table(ORIGINAL)}


def audited(**given: Any) -> Audit:
    return audit(pa.table(TABLE), **given)


def measured(found: Audit) -> set[str]:
    return {result.measure for result in found.results}


def reasons(found: Audit, status: str) -> dict[str, str]:
    return {entry.measure: entry.reason for entry in found.not_measured if entry.status == status}


# --- what is run ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (SENSITIVE, {"t-closeness"}),
        (HIERARCHIES, {"precision"}),
        (QI | HIERARCHIES, {"precision"}),
        (SENSITIVE | HIERARCHIES, {"t-closeness", "precision"}),
        (EVERYTHING, {"t-closeness", "precision", "non-uniform-entropy"}),
        (EVERYTHING | {"options": {"profitability": GAME}}, set(all_measures()) - {"mpuccs"}),
        (QI | {"options": {"profitability": GAME}}, {"profitability"}),
    ],
)
def test_all_that_the_inputs_allow_is_measured(given: dict[str, Any], expected: set[str]) -> None:
    found = audited(**given)
    assert measured(found) == expected
    assert set(reasons(found, "skipped")) == set(all_measures()) - expected
    assert found.exit_code == 0
    assert found.passed is True


def test_what_was_left_out_says_what_it_would_need() -> None:
    skipped = reasons(audited(**SENSITIVE), "skipped")
    assert skipped["precision"].startswith("needs hierarchies")
    assert "hierarchies" in skipped["non-uniform-entropy"]
    assert "the original table" in skipped["non-uniform-entropy"]
    assert skipped["profitability"] == "needs the options cost, gain, loss, benefit"


@pytest.mark.parametrize(
    "names",
    [["precision"], ("Precision",), iter(["PRECISION"]), {"precision": 1}.keys()],
    ids=["list", "tuple", "iterator", "keys"],
)
def test_only_the_named_measures_are_run(names: Iterable[str]) -> None:
    found = audited(measures=names, **EVERYTHING)
    assert measured(found) == {"precision"}
    assert found.not_measured == ()


def test_named_measures_are_run_in_the_order_named() -> None:
    found = audited(measures=["precision", "t-closeness"], **EVERYTHING)
    assert [result.measure for result in found.results] == ["precision", "t-closeness"]


def test_a_measure_named_twice_is_run_once() -> None:
    found = audited(measures=["precision", "Precision"], **EVERYTHING)
    assert [result.measure for result in found.results] == ["precision"]


def test_a_single_name_may_stand_alone() -> None:
    assert measured(audited(measures="precision", **EVERYTHING)) == {"precision"}


def test_a_measure_with_an_option_is_run_beside_the_named_ones() -> None:
    found = audited(measures=["precision"], options={"t-closeness": {"limit": 1}}, **EVERYTHING)
    assert measured(found) == {"precision", "t-closeness"}


def test_options_are_found_under_any_spelling_of_the_name() -> None:
    found = audited(options={"T_Closeness": {"limit": 0}}, **SENSITIVE)
    assert found["t-closeness"].passed is False


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"measures": []}, "the list of measures is empty"),
        ({"measures": ["precison"]}, "unknown measure 'precison' (did you mean 'precision'?)"),
        ({"options": {"k-anonymity": {}}}, "unknown measure 'k-anonymity'"),
        ({"options": {"t-closeness": {"limt": 1}}}, "has no option 'limt' (did you mean 'limit'?)"),
        ({"options": {"profitability": GAME | {"limit": 1}}}, "has no option 'limit'"),
        ({"options": {"t-closeness": {"limit": "x"}}}, "the limit of t-closeness is 'x'"),
        ({"options": {"t-closeness": {"distance": "ordered"}}}, "has no order"),
        (
            {"options": {"t-closeness": {"limit": 1}, "T_Closeness": {"limit": 0}}},
            "the options of t-closeness are given twice",
        ),
        ({"suppressed": "never"}, "suppressed is 'never'"),
    ],
)
def test_a_wrong_request_is_an_error_and_no_result(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        audited(**EVERYTHING | wrong)
    assert message in str(caught.value)


def test_without_roles_and_hierarchies_there_is_one_clear_error() -> None:
    with pytest.raises(RoleError, match="no quasi-identifier is known"):
        audited()


# --- verdicts -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "exit_code", "verdict"),
    [
        ({}, 0, "measured"),
        ({"t-closeness": {"limit": 0.25}}, 0, "passed"),
        ({"t-closeness": {"limit": 0.24}}, 1, "failed"),
        ({"t-closeness": {"limit": 0.24}, "precision": {"limit": 0.5}}, 1, "failed"),
        ({"t-closeness": {"limit": 0.25}, "precision": {"limit": 0.6}}, 1, "failed"),
        ({"profitability": GAME}, 0, "passed"),
        ({"profitability": GAME | {"allow_attack": False}}, 1, "failed"),
        ({"profitability": {"cost": 4}}, 2, "error"),
        ({"profitability": {"cost": 4}, "t-closeness": {"limit": 0.1}}, 2, "error"),
    ],
)
def test_the_exit_code_follows_from_limits_and_errors(
    options: dict[str, Any], exit_code: int, verdict: str
) -> None:
    found = audited(options=options, **EVERYTHING)
    assert found.exit_code == exit_code
    assert found.passed is (exit_code == 0)
    assert found.to_dict()["verdict"] == verdict
    assert found.to_dict()["exit_code"] == exit_code


def test_a_named_measure_that_lacks_an_input_is_an_error() -> None:
    found = audited(measures=["precision", "t-closeness"], **SENSITIVE)
    assert measured(found) == {"t-closeness"}
    assert list(reasons(found, "error")) == ["precision"]
    assert found.exit_code == 2


def test_a_measure_with_a_limit_that_lacks_an_input_is_an_error() -> None:
    found = audited(options={"precision": {"limit": 0.5}}, **SENSITIVE)
    assert list(reasons(found, "error")) == ["precision"]
    assert found.exit_code == 2


def test_nothing_measured_is_never_a_pass() -> None:
    found = audited(**QI)
    assert found.results == ()
    assert (found.exit_code, found.passed) == (2, False)
    assert set(reasons(found, "skipped")) == set(all_measures())


BAD_LABELS = {"hierarchies": {"zip": {"47602": ["4760*", "*"]}, "disease": {"flu": ["*"]}}}


def test_a_measure_that_fails_is_an_error_when_nothing_was_asked_for_in_particular() -> None:
    found = audited(**SENSITIVE | BAD_LABELS)
    assert set(reasons(found, "error")) == {"t-closeness", "precision"}
    assert found.exit_code == 2


def test_a_measure_that_fails_beside_those_asked_for_is_left_out() -> None:
    found = audited(options={"profitability": GAME}, **SENSITIVE | BAD_LABELS)
    assert measured(found) == {"profitability"}
    left_out = {"t-closeness", "precision", "non-uniform-entropy", "mpuccs"}
    assert set(reasons(found, "skipped")) == left_out
    assert found.exit_code == 0


def test_a_measure_that_fails_although_it_was_asked_for_is_an_error() -> None:
    found = audited(options={"precision": {"limit": 0}}, **SENSITIVE | BAD_LABELS)
    assert "precision" in reasons(found, "error")
    assert found.exit_code == 2


def test_tables_that_do_not_fit_are_an_error_even_beside_other_limits() -> None:
    short = {"original": pa.table({"zip": ["47602"]})}
    found = audited(options={"profitability": GAME}, **EVERYTHING | short)
    assert "different numbers of rows" in reasons(found, "error")["non-uniform-entropy"]
    assert found.exit_code == 2


@pytest.mark.parametrize("asked_for", [True, False])
def test_an_error_never_passes(asked_for: bool) -> None:
    problem = NotMeasured("precision", HierarchyError("broken"), asked_for)
    found = audited(**SENSITIVE)
    assert Audit(found.inputs, found.results, (problem,)).passed is not asked_for
    assert Audit(found.inputs, (), (problem,)).passed is False


# --- reasons --------------------------------------------------------------------------------


def test_reasons_hold_no_value_of_the_data() -> None:
    found = audited(**EVERYTHING | BAD_LABELS)
    document = json.dumps(found.to_dict()["not_measured"])
    assert set(reasons(found, "error")) == {"t-closeness", "precision", "non-uniform-entropy"}
    for cell in {
        cell for table in (TABLE, ORIGINAL) for column in table.values() for cell in column
    }:
        assert cell not in document


def test_a_rule_that_does_not_fit_the_values_names_none_of_them() -> None:
    found = audited(
        **EVERYTHING | {"hierarchies": {"zip": ranges(10)}, "original": pa.table(TABLE)}
    )
    failed = reasons(found, "error")
    assert set(failed) == {"precision", "non-uniform-entropy"}
    assert not any("4760" in reason for reason in failed.values())
    with pytest.raises(NotMeasurableError, match="'4760\\*'"):
        found["precision"]


def test_rules_are_built_from_the_original() -> None:
    found = audited(**EVERYTHING | {"hierarchies": {"zip": mask_right()}})
    assert found["precision"].columns == {"zip": 0.8}


def test_a_missing_measure_says_why() -> None:
    found = audited(**SENSITIVE)
    with pytest.raises(NotMeasurableError, match="precision was not measured: needs hierarchies"):
        found["precision"]
    only = audited(measures=["precision"], **EVERYTHING)
    with pytest.raises(NotMeasurableError, match="t-closeness was not measured: not asked"):
        only["t-closeness"]
    with pytest.raises(OptionError, match="unknown measure 'presicion'"):
        only["presicion"]


def test_a_result_is_found_under_any_spelling_of_its_name() -> None:
    found = audited(**SENSITIVE)
    assert found["T Closeness"] is found.results[0]


def test_an_entry_without_figure_becomes_plain_data() -> None:
    problem = HierarchyError("column 'zip' has 1 unknown label", values=["47602"])
    entry = NotMeasured("precision", problem, asked_for=True)
    assert entry.to_dict() == {
        "measure": "precision",
        "status": "error",
        "reason": "column 'zip' has 1 unknown label",
    }
    assert NotMeasured("precision", problem, asked_for=False).status == "skipped"


# --- the document ---------------------------------------------------------------------------


def test_the_document_tells_tool_inputs_options_and_results(tmp_path: Path) -> None:
    path = tmp_path / "released.csv"
    path.write_text("zip;disease\n4760*;flu\n4790*;cold\n", encoding="utf-8")
    found = audit(
        path,
        original=pa.table({"zip": ["47602", "47905"], "disease": ["flu", "cold"]}),
        roles={"zip": "quasi_identifier", "disease": "sensitive_attribute"},
        options={"t_closeness": {"limit": Decimal("0.5"), "distance": {"disease": "equal"}}},
        suppressed="class",
    )
    document = found.to_dict()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert document["document"] == "petaudit.check/1"
    assert document["petaudit"] == __version__
    assert document["inputs"]["table"] == {
        "name": str(path),
        "rows": 2,
        "columns": ["zip", "disease"],
        "engine": "duckdb",
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }
    assert document["inputs"]["original"]["rows"] == 2
    assert "sha256" not in document["inputs"]["original"]
    assert document["roles"] == {"zip": "quasi_identifier", "disease": "sensitive_attribute"}
    assert document["options"] == {
        "measures": None,
        "options": {"t-closeness": {"limit": "0.5", "distance": {"disease": "equal"}}},
        "suppressed": "class",
        "key": None,
        "reveal_values": False,
        "delimiter": None,
        "encoding": None,
    }
    assert [result["measure"] for result in document["results"]] == ["t-closeness"]
    assert document["warnings"] == list(found.warnings)


@pytest.mark.parametrize("limit", [Fraction(1, 4), Decimal("0.25"), 0.25, "0.25"])
def test_every_kind_of_limit_is_written_down(limit: Any) -> None:
    found = audited(options={"t-closeness": {"limit": limit}}, **SENSITIVE)
    written = json.loads(json.dumps(found.to_dict()))["options"]["options"]["t-closeness"]["limit"]
    assert written in (0.25, "0.25", "1/4")
    assert found["t-closeness"].passed is True


def test_warnings_are_collected_once_each() -> None:
    hierarchy = {"a": ["b"], "b": ["b"]}
    found = audit(
        pa.table({"x": ["b", "b"]}),
        original=pa.table({"x": ["b", "b"]}),
        hierarchies={"x": hierarchy},
    )
    assert measured(found) == {"precision", "non-uniform-entropy"}
    assert len(found.warnings) == 1


@pytest.mark.filterwarnings("error")
def test_warnings_stay_in_the_result() -> None:
    found = audited(options={"t-closeness": {"limit": 2}}, **SENSITIVE)
    assert "never exceeds 1" in found.warnings[0]


def test_tables_are_opened_and_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Inputs] = []
    run = Measure.run

    def remembered(measure: Measure, inputs: Inputs, options: Any) -> Result:
        seen.append(inputs)
        return run(measure, inputs, options)

    monkeypatch.setattr(Measure, "run", remembered)
    found = audited(options={"profitability": GAME}, **EVERYTHING)
    assert len(seen) == len(found.results) == 4
    assert all(inputs is found.inputs for inputs in seen)


def test_auditing_twice_gives_the_same_answer() -> None:
    assert audited(**EVERYTHING).to_dict() == audited(**EVERYTHING).to_dict()


def test_a_table_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(InputError, match="does not exist"):
        audit("nowhere.csv", **QI)


@pytest.mark.parametrize("role", ["table", "original"])
def test_a_table_without_rows_is_an_error(role: str) -> None:
    empty = pa.table(TABLE).slice(0, 0)
    tables = {"table": pa.table(TABLE), "original": pa.table(ORIGINAL)} | {role: empty}
    with pytest.raises(InputError, match="has a header but no rows"):
        audit(**tables, **SENSITIVE)
