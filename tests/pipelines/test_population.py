"""The population of a Loader: everybody whom the people of its table may be among."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

import petaudit
from petaudit.errors import ManyProblemsError
from petaudit.measures import Need, all_measures

ROLES = "roles: {quasi_identifier: zip}"
TABLE = "zip;ill\n1**;flu\n1**;gout\n2**;flu\n*;cold\n"
# Five people are in 1**, two in 2**, and nobody of the table is in 3**.
PEOPLE = "zip\n100\n101\n102\n103\n104\n200\n201\n300\n"
HIERARCHY = "".join(f"{entry};{entry[0]}**;*\n" for entry in PEOPLE.split()[1:])
NEEDED = [
    name
    for name, measure in all_measures().items()
    if Need.POPULATION in (*measure.needs, *(need for need, _ in measure.either))
]


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(TABLE)
    Path("people.csv").write_text(PEOPLE)
    Path("hierarchy_zip.csv").write_text(HIERARCHY)


def text(evaluator: str, more: str = "population: people.csv", table: str = "t.csv") -> str:
    comma = f", {more}" if more else ""
    hierarchies = "hierarchies: {zip: hierarchy_zip.csv}"
    return (
        f"Loader:\n  t: {{filepath: {table}, {ROLES}, {hierarchies}{comma}}}\n"
        f"Evaluator:\n  e: {{{evaluator}}}\n"
    )


def ran(content: str, **more: Any) -> Any:
    executor = petaudit.Executor(content, **more)
    executor.run()
    [result] = executor.get_result().values()
    return executor, result


def problems(content: str) -> list[str]:
    with pytest.raises(ManyProblemsError) as caught:
        petaudit.Executor(content).validate()
    return list(caught.value.messages)


@pytest.mark.parametrize(
    ("evaluator", "value", "status"),
    [
        # The suppressed row fits neither 1** nor 2**, so it is the only person of 3**.
        ("method: k-map, limit: 2", 1, "failed"),
        ("method: delta-presence, limit: 0.5", 1, "failed"),
        # (2/5 + 1/2 + 1/1) / 4, and 3 classes of 5 + 2 + 1 people.
        ("method: journalist-risk, figure: average, limit: 0.5", 0.475, "passed"),
        ("method: k-map, limit: 2, suppressed: exclude", 2, "passed"),
        ("method: k-map, limit: 3, suppressed: exclude", 2, "failed"),
        # 2 of 5 people in 1**, 1 of 2 in 2**, nobody in 3**.
        ("method: delta-presence, limit: 0.5, suppressed: exclude", 0.5, "passed"),
        ("method: delta-presence, limit: 0.5, least: 0.1, suppressed: exclude", 0.5, "failed"),
        ("method: journalist-risk, limit: 0.5, suppressed: exclude", 0.5, "passed"),
        # (2/5 + 1/2) / 3
        (
            "method: journalist-risk, figure: average, limit: 0.29, suppressed: exclude",
            0.3,
            "failed",
        ),
    ],
)
def test_figures_by_hand(evaluator: str, value: float, status: str) -> None:
    executor, result = ran(text(evaluator))
    assert executor.messages == {}
    assert (result.value, result.status) == (pytest.approx(value, abs=1e-15), status)


def test_a_population_that_is_generalised_already_needs_no_hierarchy() -> None:
    Path("people.csv").write_text("zip\n1**\n1**\n1**\n2**\n")
    content = text("method: k-map").replace("hierarchies: {zip: hierarchy_zip.csv}, ", "")
    assert "hierarch" not in content
    assert ran(content)[1].value == 1


def test_the_bundled_population_gives_the_figures_of_the_paper() -> None:
    _, result = ran(
        "Loader: {t: {filepath: 'benchmark://delta-deidentified', "
        "population: 'benchmark://delta'}}\n"
        "Evaluator: {e: {method: delta-presence, limit: 0.67, least: 0.5}}\n"
    )
    # 3 of 6 people in America, 2 of 3 in Europe (Nergiz, Atzori and Clifton 2007).
    assert (result.value, result.status) == (pytest.approx(2 / 3), "passed")
    assert result.data["details"]["smallest"] == 0.5


def test_it_is_among_the_inputs_of_the_result_and_the_files_that_are_read() -> None:
    Path("a.yaml").write_text(text("method: k-map"))
    executor, _ = ran("a.yaml")
    inputs = executor.document["inputs"]
    assert [*inputs] == ["Loader[t]", "Loader[t].population"]
    assert inputs["Loader[t].population"] == {
        "name": "people.csv",
        "rows": 8,
        "columns": ["zip"],
        "engine": "duckdb",
        "sha256": hashlib.sha256(PEOPLE.encode()).hexdigest(),
    }
    report = "Reporter: {r: {method: save_report, output: people}}\n"
    # No output may take the place of a table that was read.
    Path("people_e_global.csv").write_text(PEOPLE)
    content = text("method: k-map", "population: people_e_global.csv") + report
    with pytest.raises(petaudit.PetauditError, match=r"people_e_global\.csv"):
        ran(content, out=".")
    assert Path("people_e_global.csv").read_text() == PEOPLE


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("gone.csv", "does not exist"),
        ("benchmark://delto", "did you mean 'delta'"),
        ("empty.csv", "empty.csv has a header but no rows"),
        ("ragged.csv", "ragged.csv"),
        ("5", "population must be a file or benchmark://NAME, got 5"),
        ("[people.csv]", "population must be a file or benchmark://NAME, got a list"),
    ],
)
def test_a_wrong_file_is_a_problem_with_its_line(given: str, words: str) -> None:
    Path("empty.csv").write_text("zip\n")
    Path("ragged.csv").write_text("zip;age\n1;2\n3\n")
    [result] = problems(text("method: k-map", f"population: {given}"))
    assert result.startswith("the configuration, line 2: ")
    assert words in result


def test_the_line_is_that_of_the_population() -> None:
    content = f"Loader:\n  t:\n    filepath: t.csv\n    {ROLES}\n    population: gone.csv\n"
    [result] = problems(content + "Evaluator: {e: {method: k-map}}\n")
    assert result.startswith("the configuration, line 5: ")


def test_a_population_without_a_quasi_identifier_is_a_problem() -> None:
    Path("people.csv").write_text("zipcode\n100\n")
    [result] = problems(text("method: k-map"))
    assert "unknown column 'zip'" in result
    assert "people.csv" in result
    assert "did you mean 'zipcode'" in result


def test_a_misspelt_population_is_named() -> None:
    [result] = problems(text("method: k-map", "populaton: people.csv"))
    assert "unknown option 'populaton' (did you mean 'population'?)" in result


@pytest.mark.parametrize(
    ("people", "words"),
    [
        (["100", "101", "200"], "has 3 rows, fewer than the 4 of the table"),
        (["100", "101", "102", "300"], "1 class of the table with 1 row has fewer people in"),
        (["100", "201", "200", "300"], "1 class of the table with 2 rows has fewer people in"),
    ],
    ids=["too few people", "a class is missing", "a class has too few"],
)
def test_a_population_that_cannot_be_it_is_an_error(people: list[str], words: str) -> None:
    Path("people.csv").write_text("\n".join(["zip", *people]))
    petaudit.Executor(text("method: k-map, limit: 1")).validate()  # which counts nothing
    executor, result = ran(text("method: k-map, limit: 1"))
    assert (result.status, executor.document["exit_code"]) == ("error", 2)
    [message] = executor.messages.values()
    assert words in message
    assert words in result.data["reason"]
    assert "the population" in result.data["reason"]


@pytest.mark.parametrize("name", NEEDED)
def test_without_a_population_the_file_says_what_is_needed(name: str) -> None:
    [result] = problems(text(f"method: {name}, limit: 1", ""))
    [stand_ins] = [names for _, names in all_measures()[name].either] or [()]
    where = "a population table (population of the Loader)"
    assert f"{name} needs {' or '.join([where, *stand_ins])}" in result
    assert result.startswith("the configuration, line 4: ")


@pytest.mark.parametrize(
    "evaluator",
    [
        "method: k-map, population_size: 20",
        "method: population-uniqueness, population_size: 20, model: zayatz",
        "method: population-uniqueness, sampling_fraction: 0.2, model: zayatz",
    ],
)
def test_an_option_can_stand_in_for_the_population(evaluator: str) -> None:
    petaudit.Executor(text(evaluator, "")).validate()
    assert ran(text(evaluator, ""))[1].status == "measured"


def test_null_stands_for_no_population() -> None:
    [result] = problems(text("method: k-map", "population: null"))
    assert "needs a population table" in result


def test_nrows_leaves_the_population_whole() -> None:
    executor, result = ran(text("method: k-map, limit: 1", "population: people.csv, nrows: 2"))
    rows = {name: item["rows"] for name, item in executor.document["inputs"].items()}
    assert rows == {"Loader[t]": 2, "Loader[t].population": 8}
    assert result.value == 5
    # The rows that were left out may be of smaller classes.
    assert result.status == "error"
    assert "2 rows of t.csv left out (nrows)" in result.data["reason"]


def test_delimiter_and_encoding_are_those_of_the_loader() -> None:
    Path("t.csv").write_text("zip|城市\n1**|台北\n", encoding="big5")
    Path("people.csv").write_text("城市|zip\n台北|1**\n台中|1**\n", encoding="big5")
    more = "population: people.csv, delimiter: '|', encoding: big5"
    executor, result = ran(text("method: k-map", more))
    assert result.value == 2
    assert executor.document["inputs"]["Loader[t].population"]["columns"] == ["城市", "zip"]


def test_measures_that_have_no_use_for_it_do_without() -> None:
    executor, result = ran(text("method: k-anonymity, limit: 1"))
    assert (result.value, result.status) == (1, "passed")
    assert "Loader[t].population" in executor.document["inputs"]


@pytest.mark.parametrize("name", ["strict-average-risk", "marketer-risk"])
@pytest.mark.parametrize(
    ("now", "status"), [("population: people.csv", "passed"), ("", "error")], ids=["same", "none"]
)
def test_a_figure_without_population_is_not_compared_with_one_that_has_it(
    name: str, now: str, status: str
) -> None:
    """Both do with or without: people of the table are more at risk than those of a population."""
    evaluator = f"method: {name}"
    executor, _ = ran(text(evaluator), out="before")
    assert executor.document["verdict"] == "measured"
    content = "Executor: {compare_to: before/result.json}\n" + text(evaluator, now)
    assert ran(content)[1].status == status


def test_another_population_is_compared_as_another_table_is() -> None:
    evaluator = "method: delta-presence, suppressed: exclude"
    ran(text(evaluator), out="before")
    Path("people.csv").write_text(PEOPLE.replace("\n104", "").replace("\n103", ""))
    content = "Executor: {compare_to: before/result.json}\n" + text(evaluator)
    executor, result = ran(content)
    # 2 of 3 people in 1** are worse than 1 of 2 in 2**.
    assert (result.status, result.value) == ("failed", pytest.approx(2 / 3))
    [breach] = executor.document["breaches"]
    assert (breach["kind"], breach["limit"]) == ("worsening", 0.5)
