"""Rows are not people: who is asked, what is said, and what is never compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import petaudit
from petaudit.cli import main
from petaudit.errors import PetauditWarning, RoleError
from petaudit.inputs import gather
from petaudit.judging.review import rows_per_person

VISITS = "patient,age,illness\n" + "".join(
    f"p{number},{number % 600},{'flu' if number % 3 else 'cold'}\n" * 2 for number in range(929)
)
"""Two rows of each of 929 people; some are the only one of their age."""


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    path = tmp_path / "visits.csv"
    path.write_text(VISITS, encoding="utf-8")
    return path


def lines(text: str) -> str:
    return " ".join(text.split())


def test_ten_rows_of_one_person_are_not_ten_people() -> None:
    table = pa.table({"who": ["ann"] * 10, "zip": ["130**"] * 10, "ill": ["flu", "cold"] * 5})
    given: dict[str, Any] = {"quasi_identifiers": "zip", "sensitive": "ill"}
    options = {"k-anonymity": {"limit": 5}}
    assert petaudit.audit(table, options=options, **given).exit_code == 0
    found = petaudit.audit(table, options=options, person="who", **given)
    assert (found.exit_code, found["k-anonymity"].value) == (1, 1)
    assert found["prosecutor-risk"].value == 1
    # Both diagnoses are in rows of all people of the class.
    assert found["alpha-k-anonymity"].value == 1


def test_check_counts_people(visits: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["check", str(visits), "--qi", "age", "--sensitive", "illness", "--k", "2"]
    assert main(asked) == 0
    capsys.readouterr()
    assert main([*asked, "--person", "patient", "--details"]) == 1
    said = lines(capsys.readouterr().out)
    assert "person: patient" in said
    assert "929 people in 600 classes" in said
    assert "271 people break the limit" in said
    assert "dropping the rows of 271 people in these classes (29.2 %) from the table" in said
    assert "people in classes smaller than k: 2: 29.2 %" in said
    assert "929 people in 1,858 rows are told apart by column 'patient'" in said
    assert "it must not be released" in said
    assert main([*asked, "--person", "patient", "--person-is-pseudonym"]) == 1
    assert "which was declared a pseudonym" in lines(capsys.readouterr().out)


def test_a_declared_identifier_that_repeats(
    visits: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["check", str(visits), "--qi", "age", "--k", "2"]
    # It breaks the release by itself; the figures are an open question.
    assert main([*asked, "--identifier", "patient"]) == 1
    said = lines(capsys.readouterr().out)
    assert "1,858 rows of 929 people (column 'patient'): k would be 1, not 2" in said
    # One without a role does the same if its name says what it is.
    visits.write_text(visits.read_text().replace("patient", "patient_id"))
    assert main(asked) == 1
    said = lines(capsys.readouterr().out)
    assert "1,858 rows of 929 people (column 'patient_id'): k would be 1, not 2" in said


def test_the_person_column_does_not_name_people_twice(visits: Path) -> None:
    """As an identifier it would have to go; as the person it is told apart."""
    roles = {"age": "quasi_identifier", "patient": "identifier"}
    found = petaudit.audit(visits, roles=roles, person="patient")
    assert not any("which the roles call identifiers" in own for own in found.warnings)
    assert any("it must not be released" in own for own in found.warnings)
    assert found.to_dict()["options"]["person"] == "patient"
    entries = {own["measure"]: own for own in found.to_dict()["results"]}
    assert entries["k-anonymity"]["details"]["counts"] == "people"
    assert entries["k-anonymity"]["pictures"][0]["counts"] == "people"


def test_the_best_candidate_tells_most_people_apart() -> None:
    table = pa.table(
        {
            "record": list(range(6)),
            "hidden": ["*"] * 6,
            "family": ["x", "x", "x", "x", "y", "y"],
            "person": ["a", "a", "b", "b", "c", "c"],
            "sparse": [None, None, None, None, "a", "a"],
            "zip": ["1", "1", "1", "1", "2", "2"],
        }
    )
    inputs = gather(table, quasi_identifiers="zip")
    candidates = dict.fromkeys(("record", "hidden", "family", "sparse"), "other")
    candidates["person"] = "shown"
    sentence = rows_per_person(inputs, candidates)
    assert sentence is not None
    assert sentence.startswith("6 rows of 3 people (column 'shown'): k would be 1, not 2, if")
    assert rows_per_person(inputs, dict.fromkeys(("record", "hidden", "sparse"), "shown")) is None
    assert (
        rows_per_person(gather(table, quasi_identifiers="zip", person="person"), candidates) is None
    )


def test_rows_without_a_person_are_one_person_of_their_class() -> None:
    table = pa.table({"who": ["a", None, None, "*", "b"], "zip": ["1", "1", "1", "1", "2"]})
    found = petaudit.audit(table, quasi_identifiers="zip", person="who", measures="k-anonymity")
    assert found["k-anonymity"].rows == 4
    assert any("names no person in 3 rows" in own for own in found.warnings)


def test_spellings_of_one_person_are_warned_of() -> None:
    table = pa.table({"who": ["p1", "P1", "p2"], "zip": ["1", "1", "1"]})
    found = petaudit.audit(table, quasi_identifiers="zip", person="who", measures="k-anonymity")
    assert found["k-anonymity"].value == 3
    assert any("1 spelling more than if case were ignored" in own for own in found.warnings)


@pytest.mark.parametrize("key", ["PERSON", "person"])
def test_the_side_car_names_the_person(key: str, visits: Path) -> None:
    side_car = visits.with_suffix(".yaml")
    roles = "  ATTRIBUTE_TYPE:\n    QUASI_IDENTIFIER: [age]\n"
    side_car.write_text(f"DATASET:\n{roles}  {key}: patient\n", encoding="utf-8")
    assert petaudit.k_anonymity(visits).value == 1
    # Roles and hierarchies that are given do not unsay whose rows they are.
    given: dict[str, Any] = {"quasi_identifiers": "age", "hierarchies": {"age": [["1", "*"]]}}
    assert petaudit.k_anonymity(visits, **given).value == 1
    with pytest.raises(RoleError, match="'patient' is named as the person and as quasi_identifier"):
        petaudit.k_anonymity(visits, quasi_identifiers=["age", "patient"])
    side_car.write_text(f"DATASET:\n{roles}  {key}: patience\n", encoding="utf-8")
    with pytest.raises(petaudit.PetauditError, match=r"visits\.yaml: unknown column 'patience'"):
        petaudit.k_anonymity(visits)
    for wrong in ("[patient]", ""):
        side_car.write_text(f"DATASET:\n{roles}  {key}: {wrong}\n", encoding="utf-8")
        with pytest.raises(RoleError, match="must be the name of a column"):
            petaudit.k_anonymity(visits)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"person": "pateint"}, "did you mean 'patient'"),
        ({"person": ["patient"]}, "must be the name of a column"),
        ({"person_is_pseudonym": True}, "none is named"),
        ({"person": "patient", "person_is_pseudonym": "yes"}, "must be true or false"),
    ],
)
def test_what_is_wrong_is_said(given: dict[str, Any], message: str, visits: Path) -> None:
    with pytest.raises(petaudit.PetauditError, match=message):
        gather(visits, quasi_identifiers="age", **given)


def test_generalize_suppresses_classes_of_few_people(tmp_path: Path) -> None:
    table = pa.table({"who": ["a", "a", "a", "b", "c", None, None], "age": ["21"] * 3 + ["32"] * 4})
    given: dict[str, Any] = {"levels": {"age": 1}, "hierarchies": {"age": petaudit.ranges(10)}}
    kept = petaudit.generalize(table, suppress_below=3, **given).column("age").to_pylist()
    assert "*" not in kept
    with pytest.warns(PetauditWarning, match="'who' tells people apart and is still in the table"):
        made = petaudit.generalize(table, suppress_below=3, person="who", **given)
    assert made.column("age").to_pylist() == ["*"] * 3 + ["[30,40["] * 4
    path = tmp_path / "visits.csv"
    path.write_text("who,age\n" + "a,21\n" * 3 + "b,32\nc,32\n", encoding="utf-8")
    (tmp_path / "rules.yaml").write_text("age: {ranges: 10}\n", encoding="utf-8")
    out = tmp_path / "out.csv"
    asked = ["generalize", str(path), "--levels", "age=1", "--qi", "age", "--out", str(out)]
    asked += ["--hierarchies", str(tmp_path / "rules.yaml"), "--suppress-below", "2"]
    assert main([*asked, "--person", "who"]) == 0
    assert out.read_text(encoding="utf-8").count("*") == 3


def audit_file(tmp_path: Path, loader: str, evaluator: str) -> Path:
    path = tmp_path / "audit.yaml"
    path.write_text(
        "Loader: {t: {filepath: visits.csv, roles: {quasi_identifier: [age]}" + loader + "}}\n"
        "Evaluator: {k: {method: k-anonymity, limit: 1" + evaluator + "}}\n",
        encoding="utf-8",
    )
    return path


@pytest.mark.parametrize(
    ("loader", "evaluator", "k"),
    [
        ("", "", 2),
        (", person: patient", "", 1),
        ("", ", person: patient", 1),
        # The Evaluator's column wins: two illnesses are two people, hardly ever both of one age.
        (", person: patient", ", person: illness", 1),
    ],
)
def test_a_pipeline_names_the_person(
    loader: str, evaluator: str, k: int, visits: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    petaudit.Executor(audit_file(tmp_path, loader, evaluator), out=out).run()
    [entry] = json.loads((out / "result.json").read_text(encoding="utf-8"))["results"]
    assert entry["value"] == k
    named = "illness" if "illness" in evaluator else "patient" if k == 1 else None
    assert entry["person"] == named


def test_figures_of_rows_and_of_people_are_not_compared(visits: Path, tmp_path: Path) -> None:
    first = audit_file(tmp_path, "", "")
    assert main(["run", str(first), "--out", str(tmp_path / "before"), "--quiet"]) == 0
    second = audit_file(tmp_path, ", person: patient", ", allowed_worsening: 99")
    again = ["run", str(second), "--out", str(tmp_path / "after"), "--quiet"]
    earlier = json.dumps({"compare_to": str(tmp_path / "before" / "result.json")})
    second.write_text(f"Executor: {earlier}\n" + second.read_text(encoding="utf-8"), "utf-8")
    assert main(again) == 2
    document = json.loads((tmp_path / "after" / "result.json").read_text(encoding="utf-8"))
    assert "person differ" in document["results"][0]["comparison"]["reason"]


def test_a_report_does_not_compare_them_either(visits: Path, tmp_path: Path) -> None:
    asked = ["check", str(visits), "--qi", "age", "--measures", "k-anonymity,suppression"]
    before = tmp_path / "before.json"
    assert main([*asked, "--format", "json", "--out", str(before)]) == 0
    report = tmp_path / "report.html"
    asked += ["--person", "patient", "--baseline", str(before), "--report", str(report)]
    assert main(asked) == 0
    text = report.read_text(encoding="utf-8")
    assert "the earlier figure was measured differently" in text


@pytest.mark.parametrize("language", ["en", "zh-TW"])
def test_reports_say_people(language: str, visits: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    asked = ["--lang", language, "check", str(visits), "--qi", "age", "--k", "2"]
    assert main([*asked, "--person", "patient", "--report", str(report)]) == 1
    text = report.read_text(encoding="utf-8")
    wanted = {
        "en": [
            "People by the size of their class",
            "at least this many different people",
            "it must not be released",
            "the rows of 270–274 people",
        ],
        "zh-TW": [
            "依等價類大小統計的人數",
            "至少與這麼多個不同的人相同",
            "不得釋出",
            "270–274 人在這些等價類中的列",
        ],
    }
    for own in wanted[language]:
        assert own in text
    assert "It counts rows, not people" not in text
    assert "p17" not in text
