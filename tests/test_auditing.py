"""An audit runs what it can, says what it could not, and never passes what it did not measure."""

from __future__ import annotations

import hashlib
import inspect
import json
import pkgutil
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import petaudit
from petaudit import __version__, audit, datasets, mask_right, ranges
from petaudit.auditing import Audit, NotMeasured
from petaudit.cli import main
from petaudit.errors import (
    DataValues,
    HierarchyError,
    InputError,
    NotMeasurableError,
    OptionError,
    Phrase,
    RoleError,
)
from petaudit.i18n.documents import restore_phrases
from petaudit.inputs import Inputs
from petaudit.measures import Measure, Need, Result, all_measures, usual_measures
from petaudit.tables import open_source
from petaudit.tables.table_counts import TableCounts

TABLE = {"zip": ["4760*", "4760*", "4790*", "4790*"], "disease": ["flu", "flu", "flu", "cold"]}
ORIGINAL = {"zip": ["47602", "47605", "47905", "47909"], "disease": TABLE["disease"]}
ZIPS = {code: [f"{code[:4]}*", "*"] for code in ORIGINAL["zip"]}
GAME = {"cost": 4, "gain": 300, "loss": 300, "benefit": 1200}

QI: dict[str, Any] = {"quasi_identifiers": "zip"}
SENSITIVE: dict[str, Any] = QI | {"sensitive": "disease"}
HIERARCHIES: dict[str, Any] = {"hierarchies": {"zip": ZIPS}}
ORIGINAL_TABLE = pa.table(ORIGINAL)
EVERYTHING: dict[str, Any] = SENSITIVE | HIERARCHIES | {"original": ORIGINAL_TABLE}
POPULATION = pa.table({"zip": [*TABLE["zip"], "4760*", "4780*"]})


def audited(**given: Any) -> Audit:
    return audit(pa.table(TABLE), **given)


def measured(found: Audit) -> set[str]:
    return {result.measure for result in found.results}


def reasons(result: Audit, status: str) -> dict[str, str]:
    return {entry.measure: entry.reason for entry in result.not_measured if entry.status == status}


# --- what is run ----------------------------------------------------------------------------


def possible(given: Mapping[str, Any]) -> set[str]:
    """The measures whose needs are given, straight from what they declare."""
    needs = {
        Need.QUASI_IDENTIFIERS: "quasi_identifiers",
        Need.SENSITIVE: "sensitive",
        Need.HIERARCHIES: "hierarchies",
        Need.ORIGINAL: "original",
        Need.POPULATION: "population",
    }
    options = given.get("options", {})

    def is_possible(measure: Measure) -> bool:
        own = {"population_size": given.get("population_size")} | options.get(measure.name, {})
        return (
            measure.only_by_name is None
            and all(needs[need] in given for need in measure.needs)
            and all(own.get(option.name) for option in measure.options if option.required)
            and all(
                needs[need] in given or any(own.get(name) for name in names)
                for need, names in measure.either
            )
        )

    return {name for name, measure in usual_measures().items() if is_possible(measure)}


@pytest.mark.parametrize(
    ("given", "some"),
    [
        (QI, {"k-anonymity", "prosecutor-risk", "suppression"}),
        (SENSITIVE, {"k-anonymity", "l-diversity", "t-closeness", "delta-disclosure"}),
        (HIERARCHIES, {"precision", "granularity", "ambiguity"}),
        (QI | HIERARCHIES, {"k-anonymity", "precision"}),
        (SENSITIVE | HIERARCHIES, {"t-closeness", "precision"}),
        # Without a hierarchy these are labels, and of all-different ones nothing can be told.
        (
            {"original": pa.table(ORIGINAL | {"zip": ["47602", "47602", "47905", "47905"]})},
            {"distribution-distance", "association-change"},
        ),
        (EVERYTHING, {"t-closeness", "non-uniform-entropy", "average-class-size"}),
        (EVERYTHING | {"options": {"profitability": GAME}}, {"profitability", "discernibility"}),
        (QI | {"options": {"profitability": GAME}}, {"profitability"}),
        (QI | {"population": POPULATION}, {"k-map", "delta-presence", "journalist-risk"}),
        (QI | {"population_size": 100}, {"k-map", "population-uniqueness"}),
    ],
)
def test_all_that_the_inputs_allow_is_measured(given: dict[str, Any], some: set[str]) -> None:
    result = audited(**given)
    expected = possible(given)
    assert some <= expected
    assert measured(result) == expected
    assert set(reasons(result, "skipped")) == set(usual_measures()) - expected
    assert all(reasons(result, "skipped").values())
    assert result.exit_code == 0
    assert result.passed is True


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
    result = audited(measures=names, **EVERYTHING)
    assert measured(result) == {"precision"}
    assert result.not_measured == ()


def test_named_measures_are_run_in_the_order_named() -> None:
    found = audited(measures=["precision", "t-closeness"], **EVERYTHING)
    assert [result.measure for result in found.results] == ["precision", "t-closeness"]


def test_a_measure_named_twice_is_run_once() -> None:
    found = audited(measures=["precision", "Precision"], **EVERYTHING)
    assert [result.measure for result in found.results] == ["precision"]


def test_a_single_name_may_stand_alone() -> None:
    assert measured(audited(measures="precision", **EVERYTHING)) == {"precision"}


def test_a_measure_with_an_option_is_run_beside_the_named_ones() -> None:
    result = audited(measures=["precision"], options={"t-closeness": {"limit": 1}}, **EVERYTHING)
    assert measured(result) == {"precision", "t-closeness"}


def test_options_are_found_under_any_spelling_of_the_name() -> None:
    result = audited(options={"T_Closeness": {"limit": 0}}, **SENSITIVE)
    assert result["t-closeness"].passed is False


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"measures": []}, "the list of measures is empty"),
        ({"measures": ["precison"]}, "unknown measure 'precison' (did you mean 'precision'?)"),
        ({"options": {"k-anonimity": {}}}, "(did you mean 'k-anonymity'?)"),
        ({"population_size": "many"}, "population_size must be an integer >= 1, got 'many'"),
        (
            {"population_size": 9, "options": {"k-map": {"population_size": 8}}},
            "the population_size of k-map is given twice",
        ),
        (
            {"population_size": 9, "measures": ["precision"]},
            "population_size has no effect on the requested measures; it is for k-map, ",
        ),
        ({"options": {"t-closeness": {"limt": 1}}}, "has no option 'limt' (did you mean 'limit'?)"),
        ({"options": {"profitability": GAME | {"limit": 1}}}, "has no option 'limit'"),
        (
            {"options": {"t-closeness": {"limit": "x"}}},
            "the limit of t-closeness must be a finite number, got 'x'",
        ),
        ({"options": {"t-closeness": {"distance": "ordered"}}}, "has no order"),
        (
            {"options": {"t-closeness": {"limit": 1}, "T_Closeness": {"limit": 0}}},
            "the options of t-closeness are given twice",
        ),
        ({"suppressed": "never"}, "suppressed must be 'class' or 'exclude', got 'never'"),
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
    result = audited(options=options, **EVERYTHING)
    assert result.exit_code == exit_code
    assert result.passed is (exit_code == 0)
    assert result.to_dict()["verdict"] == verdict
    assert result.to_dict()["exit_code"] == exit_code


def test_a_named_measure_that_lacks_an_input_is_an_error() -> None:
    result = audited(measures=["precision", "t-closeness"], **SENSITIVE)
    assert measured(result) == {"t-closeness"}
    assert list(reasons(result, "error")) == ["precision"]
    assert result.exit_code == 2


def test_a_measure_with_a_limit_that_lacks_an_input_is_an_error() -> None:
    result = audited(options={"precision": {"limit": 0.5}}, **SENSITIVE)
    assert list(reasons(result, "error")) == ["precision"]
    assert result.exit_code == 2


def test_nothing_measured_is_never_a_pass() -> None:
    """Where every row is suppressed there is no class; only what was lost can be told."""
    suppressed = pa.table({"zip": ["*", "*"], "disease": ["flu", "cold"]})
    exclude: dict[str, Any] = {**SENSITIVE, "suppressed": "exclude"}
    result = audit(suppressed, **exclude)
    assert result["suppression"].value == 1
    assert result.exit_code == 0
    models = ["k-anonymity", "l-diversity", "prosecutor-risk"]
    assert measured(result).isdisjoint(models)
    result = audit(suppressed, measures=models, **exclude)
    assert result.results == ()
    assert (result.exit_code, result.passed) == (2, False)
    assert set(reasons(result, "error")) == set(models)
    # By default they are a class: two people whom nobody can tell apart.
    assert audit(suppressed, **SENSITIVE)["k-anonymity"].value == 2


def test_without_figures_there_is_no_pass_even_if_nobody_asked() -> None:
    """A hierarchy that is there, and does not fit: all that could be measured is an error."""
    result = audited(hierarchies={"disease": {"flu": ["*"]}})
    assert result.results == ()
    assert (result.exit_code, result.passed) == (2, False)


HIERARCHICAL = {"precision", "granularity", "ambiguity"}
BAD_LABELS = {"hierarchies": {"zip": {"47602": ["4760*", "*"]}, "disease": {"flu": ["*"]}}}


def test_a_measure_that_fails_is_an_error_when_nothing_was_asked_for_in_particular() -> None:
    result = audited(**SENSITIVE | BAD_LABELS)
    assert set(reasons(result, "error")) == {"t-closeness", *HIERARCHICAL}
    assert result.exit_code == 2


def test_a_measure_that_fails_beside_those_asked_for_is_left_out() -> None:
    result = audited(options={"profitability": GAME}, **SENSITIVE | BAD_LABELS)
    assert {"profitability", "k-anonymity", "l-diversity"} <= measured(result)
    assert {"t-closeness", *HIERARCHICAL} <= set(reasons(result, "skipped"))
    assert reasons(result, "error") == {}
    assert result.exit_code == 0


SUPPRESSED = {"zip": ["*"] * 4, "disease": TABLE["disease"]}


def test_what_cannot_be_told_of_this_table_is_left_out_unless_it_was_named() -> None:
    """Every row is suppressed, which is a fact about the table and no mistake of the caller."""
    reason = "every row is suppressed: there is no class to measure"
    table = pa.table(SUPPRESSED)
    exclude: dict[str, Any] = {**SENSITIVE, "suppressed": "exclude"}
    result = audit(table, **exclude)
    assert reasons(result, "skipped")["k-anonymity"] == reason
    assert result.exit_code == 0
    for asked in ({"measures": "k-anonymity"}, {"options": {"k-anonymity": {"limit": 2}}}):
        result = audit(table, **exclude | asked)
        assert reasons(result, "error") == {"k-anonymity": reason}
        assert result.exit_code == 2


def test_a_population_size_names_no_measure() -> None:
    table = pa.table(SUPPRESSED)
    asked: dict[str, Any] = {**SENSITIVE, "population_size": 100, "suppressed": "exclude"}
    result = audit(table, **asked)
    assert "k-map" in reasons(result, "skipped")
    assert result.exit_code == 0
    result = audit(table, measures=["k-map", "suppression"], **asked)
    assert set(reasons(result, "error")) == {"k-map"}


def test_a_population_size_reaches_every_measure_that_takes_one() -> None:
    result = audited(population_size=100, options={"k-anonymity": {"limit": 2}}, **SENSITIVE)
    takers = {
        name
        for name, own in all_measures().items()
        if any(option.name == "population_size" for option in own.options)
    }
    assert {"k-map", "population-uniqueness"} <= takers
    written = result.to_dict()["options"]["options"]
    sizes = {name: {"population_size": 100} for name in takers}
    assert written == sizes | {"k-anonymity": {"limit": 2}}
    without = audited(**SENSITIVE)
    assert result["strict-average-risk"].value < without["strict-average-risk"].value


def test_a_wrong_population_is_an_error_even_beside_other_limits() -> None:
    """Who hands in a population, or its size, wants the table compared with it."""
    asked = {"options": {"k-anonymity": {"limit": 2}}}
    strangers = pa.table({"zip": ["1111*"]})
    result = audited(population=strangers, **SENSITIVE | asked)
    assert {"k-map", "delta-presence", "journalist-risk"} <= set(reasons(result, "error"))
    assert result.exit_code == 2
    result = audited(population_size=3, **SENSITIVE | asked)
    assert "fewer than the 4 rows" in reasons(result, "error")["k-map"]
    assert result.exit_code == 2


def test_a_measure_that_fails_although_it_was_asked_for_is_an_error() -> None:
    result = audited(options={"precision": {"limit": 0}}, **SENSITIVE | BAD_LABELS)
    assert "precision" in reasons(result, "error")
    assert result.exit_code == 2


def test_tables_that_do_not_fit_are_an_error_even_beside_other_limits() -> None:
    short = {"original": pa.table({"zip": ["47602"]})}
    result = audited(options={"profitability": GAME}, **EVERYTHING | short)
    assert "different numbers of rows" in reasons(result, "error")["non-uniform-entropy"]
    assert result.exit_code == 2


@pytest.mark.parametrize("asked_for", [True, False])
def test_an_error_never_passes(asked_for: bool) -> None:
    problem = NotMeasured("precision", HierarchyError("broken"), asked_for)
    result = audited(**SENSITIVE)
    assert Audit(result.inputs, result.results, (problem,)).passed is not asked_for
    assert Audit(result.inputs, (), (problem,)).passed is False


# --- reasons --------------------------------------------------------------------------------


def test_reasons_hold_no_value_of_the_data() -> None:
    result = audited(**EVERYTHING | BAD_LABELS)
    document = json.dumps([result.to_dict()[name] for name in ("results", "left_out", "errors")])
    failed = {"t-closeness", "non-uniform-entropy", *HIERARCHICAL}
    assert failed <= set(reasons(result, "error"))
    for cell in {
        cell for table in (TABLE, ORIGINAL) for column in table.values() for cell in column
    }:
        assert cell not in document


def test_a_rule_that_does_not_fit_the_values_names_none_of_them() -> None:
    result = audited(
        **EVERYTHING | {"hierarchies": {"zip": ranges(10)}, "original": pa.table(TABLE)}
    )
    failed = reasons(result, "error")
    assert {"non-uniform-entropy", *HIERARCHICAL} <= set(failed)
    assert not any("4760" in reason for reason in failed.values())
    with pytest.raises(NotMeasurableError) as caught:
        result["precision"]
    assert "4760" not in str(caught.value)
    assert "'4760*'" in caught.value.with_values


def test_rules_are_built_from_the_original() -> None:
    result = audited(**EVERYTHING | {"hierarchies": {"zip": mask_right()}})
    assert result["precision"].columns == {"zip": 0.8}


def test_a_missing_measure_says_why() -> None:
    result = audited(**SENSITIVE)
    with pytest.raises(NotMeasurableError, match="precision was not measured: needs hierarchies"):
        result["precision"]
    only = audited(measures=["precision"], **EVERYTHING)
    with pytest.raises(NotMeasurableError, match="t-closeness was not measured: not requested"):
        only["t-closeness"]
    with pytest.raises(OptionError, match="unknown measure 'presicion'"):
        only["presicion"]


def test_a_result_is_found_under_any_spelling_of_its_name() -> None:
    found = audited(**SENSITIVE)
    [wanted] = [result for result in found.results if result.measure == "t-closeness"]
    assert found["T Closeness"] is wanted


def test_why_there_is_no_figure_is_said_without_values() -> None:
    problem = HierarchyError("column 'zip' has 1 unknown label", data=DataValues(["47602"]))
    entry = NotMeasured("precision", problem, asked_for=True)
    assert (entry.status, entry.reason) == ("error", "column 'zip' has 1 unknown label")
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
    assert (document["document"], document["command"]) == ("petaudit.result/2", "check")
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
        "strict": False,
        "suppressed": "class",
        "key": None,
        "reveal_values": False,
        "delimiter": None,
        "encoding": None,
        "sheet": None,
        "header_row": None,
        "null": None,
        "blank_rows": None,
        "engine": None,
        "spark_master": None,
        "person": None,
        "person_is_pseudonym": None,
    }
    measures = [result["measure"] for result in document["results"]]
    assert measures == [result.measure for result in found.results]
    assert {"k-anonymity", "t-closeness"} < set(measures)
    assert document["warnings"] == list(found.warnings)


def test_what_the_document_says_can_be_said_in_another_language() -> None:
    found = audited(options={"l-diversity": {"limit": 1}, "precision": {}}, **SENSITIVE)
    document = json.loads(json.dumps(found.to_dict()))
    texts = document.pop("texts")
    assert texts
    again = restore_phrases(document, texts)
    assert again == document
    [failure] = [entry for entry in again["results"] if entry["status"] == "error"]
    assert isinstance(failure["reason"], Phrase)
    spoken = [line for result in again["results"] for line in result["explanation"]]
    assert spoken == [line for result in found.results for line in result.explanation]
    spoken += [*again["warnings"], *(entry["reason"] for entry in again["left_out"])]
    assert [line for line in spoken if not isinstance(line, Phrase)] == []


@pytest.mark.parametrize("limit", [Fraction(1, 4), Decimal("0.25"), 0.25, "0.25"])
def test_every_kind_of_limit_is_written_down(limit: Any) -> None:
    result = audited(options={"t-closeness": {"limit": limit}}, **SENSITIVE)
    written = json.loads(json.dumps(result.to_dict()))["options"]["options"]["t-closeness"]["limit"]
    assert written in (0.25, "0.25", "1/4")
    assert result["t-closeness"].passed is True


def test_warnings_are_collected_once_each() -> None:
    hierarchy = {"a": ["b"], "b": ["b"]}
    found = audit(
        pa.table({"x": ["b", "b"]}),
        original=pa.table({"x": ["b", "b"]}),
        hierarchies={"x": hierarchy},
    )
    said = [text for result in found.results for text in result.warnings]
    assert len(found.warnings) == len(set(said)) < len(said)
    assert set(found.warnings) == set(said)


@pytest.mark.filterwarnings("error")
def test_warnings_stay_in_the_result() -> None:
    result = audited(options={"l-diversity": {"limit": 1}}, **SENSITIVE)
    assert "the figure is never below 1" in result.warnings[0]


def test_tables_are_opened_and_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Inputs] = []
    run = Measure.run

    def remembered(measure: Measure, inputs: Inputs, options: Any) -> Result:
        seen.append(inputs)
        return run(measure, inputs, options)

    monkeypatch.setattr(Measure, "run", remembered)
    opened: list[Any] = []
    monkeypatch.setattr(
        "petaudit.inputs.open_source",
        lambda table, **how: opened.append(table) or open_source(table, **how),
    )
    result = audited(options={"profitability": GAME}, population=POPULATION, **EVERYTHING)
    assert len(seen) >= len(result.results) > 25
    assert all(inputs is result.inputs for inputs in seen)
    assert len(opened) == 3


COUNTERS = {
    "class table": "petaudit.tables.classes.blocks._Block.table",
    "histogram": "petaudit.tables.table_counts.TableCounts._histogram",
    "values": "petaudit.tables.table_counts.TableCounts._keep_values",
    "classes": "petaudit.tables.table_counts.count_coded_classes",
    "population": "petaudit.inputs.population_classes",
    "pairs": "petaudit.inputs.pair_counts",
    "alignment": "petaudit.inputs.check_aligned",
}
"""Where the work is done, below everything that remembers figures."""


def count_calls(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[Any, ...]]:
    """Note which figure is counted of which table and column."""
    calls: Counter[tuple[Any, ...]] = Counter()

    def watch(name: str, path: str) -> None:
        place, _, attribute = path.rpartition(".")
        owner = pkgutil.resolve_name(place)
        real = getattr(owner, attribute)

        def noted(*given: Any, **more: Any) -> Any:
            tables = [id(own) for own in given if isinstance(own, TableCounts)]
            columns = [own for own in given if isinstance(own, str)]
            calls[(name, *tables, *columns)] += 1
            return real(*given, **more)

        monkeypatch.setattr(owner, attribute, noted)

    for name, path in COUNTERS.items():
        watch(name, path)
    return calls


@pytest.mark.parametrize("kind", ["frame", "file"])
@pytest.mark.parametrize("revealed", [False, True])
def test_every_figure_is_counted_once_in_a_complete_audit(
    kind: str, revealed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = count_calls(monkeypatch)
    given: dict[str, Any] = {
        "table": pa.table(TABLE),
        "original": ORIGINAL_TABLE,
        "population": POPULATION,
    }
    if kind == "file":
        for role, table in given.items():
            pq.write_table(table, tmp_path / f"{role}.parquet")
            given[role] = tmp_path / f"{role}.parquet"
    result = audit(options={"profitability": GAME}, reveal_values=revealed, **EVERYTHING | given)
    assert len(result.results) > 25
    assert set(calls.values()) == {1}, calls
    released, original, population = (
        id(source.counts)
        for source in (result.inputs.table, result.inputs.original, result.inputs.population)
        if source is not None
    )
    assert ("class table",) in calls
    # The class table tells the histogram, so that the released table is grouped once for both.
    assert ("histogram", released) not in calls
    assert ("histogram", original) in calls
    assert {("values", table, "zip") for table in (released, original, population)} <= set(calls)
    assert ("values", released, "disease") in calls
    assert ("population", released, population) in calls
    assert ("alignment", original, released) in calls
    assert ("pairs", original, released, "zip") in calls


def test_no_query_is_run_twice_in_a_complete_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the way to it: the same question is put to a table once."""
    queries: Counter[tuple[int, str]] = Counter()
    collected = TableCounts.collected

    def noted(table: TableCounts, lazy: Any) -> pa.Table:
        text = re.sub(r"unnamed_relation_\w+", "relation", lazy.to_native().sql_query())
        queries[id(table), text] += 1
        return collected(table, lazy)

    monkeypatch.setattr(TableCounts, "collected", noted)
    adult = datasets.load("adult-deidentified")
    result = audit(
        adult.path,
        original=adult.original,
        hierarchies=adult.hierarchies,
        quasi_identifiers=adult.quasi_identifiers,
        sensitive=adult.sensitive,
        options={"profitability": GAME},
    )
    assert len(result.results) > 20
    assert len(queries) > 10
    assert set(queries.values()) == {1}


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


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"qi": "born"}, "audit has no argument 'qi'"),
        ({"quasi_identifier": "born"}, r"did you mean 'quasi_identifiers'\?"),
        ({"quasi_identifiers": "born", "options": {"k-anonymity": 5}}, "must be a mapping"),
    ],
)
def test_a_mistyped_argument_is_an_error_of_ours(given: dict[str, Any], message: str) -> None:
    table = pa.table({"born": ["197*", "197*"]})
    with pytest.raises(OptionError, match=message):
        audit(table, **given)


def test_an_audit_shows_itself_in_one_line() -> None:
    table = pa.table({"born": ["197*", "197*"]})
    found = audit(table, measures="k-anonymity", quasi_identifiers="born")
    assert repr(found) == "<Audit of the frame: 1 result, measured>"


SICK = pa.table({"zip": ["130**"] * 3 + ["148**"], "illness": ["flu", "cancer", "cancer", "flu"]})


def sick(**settings: Any) -> petaudit.Audit:
    return petaudit.audit(SICK, quasi_identifiers="zip", sensitive="illness", **settings)


def test_limits_are_the_limits_of_the_options() -> None:
    release = sick(limits={"k-anonymity": 2, "t_closeness": "1/3"})
    same = sick(options={"k-anonymity": {"limit": 2}, "t-closeness": {"limit": "1/3"}})
    assert release.to_dict() == same.to_dict()
    assert (release.exit_code, release["t-closeness"].limit_exact) == (1, "1/3")
    both = sick(limits={"t-closeness": 0.3}, options={"t-closeness": {"distance": "equal"}})
    assert both["t-closeness"].passed is False


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"limits": {"k-anonimity": 2}}, "did you mean 'k-anonymity'"),
        ({"limits": 5}, "limits must be a mapping such as {'k-anonymity': 5}, got 5"),
        ({"limits": {"t-closeness": 2}}, "no table exceeds 1"),
        ({"limits": {"k-anonymity": None}}, "the limit of k-anonymity is None"),
        ({"limit": {"k-anonymity": 2}}, "audit has no argument 'limit' (did you mean 'limits'?)"),
        (
            {"limits": {"k-anonymity": 2}, "options": {"k-anonymity": {"limit": 3}}},
            "the limit of k-anonymity is given twice",
        ),
    ],
)
def test_wrong_limits(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=re.escape(message)):
        sick(**settings)


def test_an_audit_is_a_collection_of_results() -> None:
    release = sick(measures=["k-anonymity", "l-diversity"], limits={"k-anonymity": 1})
    assert [result.measure for result in release] == ["k-anonymity", "l-diversity"]
    assert len(release) == 2
    assert "k_anonymity" in release
    assert "precision" not in release
    with pytest.raises(TypeError, match=r"audit\.passed"):
        bool(release)


def test_an_audit_prints_as_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "sick.csv"
    path.write_text("zip,illness\n130**,flu\n130**,cancer\n148**,flu\n")
    roles = {"quasi_identifiers": "zip", "sensitive": "illness"}
    release = petaudit.audit(path, **roles, limits={"k-anonymity": 2})
    main(["check", str(path), "--qi", "zip", "--sensitive", "illness", "--k", "2"])
    printed, _, last = capsys.readouterr().out.partition("Left out: ")
    # Options are called as Python calls them, and there is none for details.
    calls = "(?m)^      petaudit.*$"
    same = [re.sub(calls, "...", text) for text in (str(release), printed)]
    assert "..." in same[0]
    assert same[0].startswith(same[1])
    assert (" population=," in str(release), " --population," in last) == (True, True)
    assert "--details" not in str(release)
    assert "--details" in last
    assert repr(release).endswith("sick.csv: 16 results, failed>")
    assert repr(release["k-anonymity"]) == "<k-anonymity: 1 against 2, failed>"


def test_a_summary_names_what_breaks() -> None:
    assert sick(limits={"k-anonymity": 1}).summary() == "passed"
    assert sick().summary() == "measured"
    failed = sick(limits={"k-anonymity": 2, "precision": 0.5})
    assert failed.summary().startswith("undecided: k-anonymity is 1, must be at least 2; ")
    assert "precision: needs" in failed.summary()
    strict = sick(limits={"k-anonymity": 1}, strict=True)
    assert strict.summary().startswith("undecided: in some class everybody has the same")


def test_an_audit_as_a_frame() -> None:
    release = sick(limits={"k-anonymity": 2}, measures="l-diversity")
    rows = [
        {"measure": "l-diversity", "value": 1.0, "limit": None, "status": "measured"},
        {"measure": "k-anonymity", "value": 1.0, "limit": 2.0, "status": "failed"},
    ]
    expected = [row | {"better": "higher"} for row in rows]
    assert release.to_polars().to_dicts() == expected
    frame = release.to_pandas()
    assert frame.astype(object).where(frame.notna(), None).to_dict("records") == expected


def test_an_audit_makes_its_report(tmp_path: Path) -> None:
    release = sick(limits={"k-anonymity": 2})
    text = release.report(tmp_path / "a.md", lang="zh-TW")
    assert text == petaudit.report(release, format="markdown", lang="zh-TW")
    assert (tmp_path / "a.md").read_text(encoding="utf-8") == text


def test_editors_see_the_arguments() -> None:
    for function in (petaudit.audit, petaudit.k_anonymity, petaudit.mpuccs):
        kinds = {item.kind for item in inspect.signature(function).parameters.values()}
        assert inspect.Parameter.VAR_KEYWORD not in kinds
    names = inspect.signature(petaudit.audit).parameters
    assert {"quasi_identifiers", "sensitive", "limits", "original", "person"} <= set(names)
