"""An Anonymizer between Loader and Evaluator: experiments, the gate, and what it cannot follow."""

from __future__ import annotations

from pathlib import Path

import pytest

from petaudit import Executor
from petaudit.errors import PetauditError
from petaudit.reports.reading import view_of
from petaudit.reports.text import screen_text
from petaudit.reports.writing import report

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")

ILLNESSES = ("flu", "cold", "flu")
PEOPLE = "id,who,age,sex,illness\n" + "".join(
    f"A-{number},{number // 2},{20 + number},{'fm'[number % 2]},{ILLNESSES[number % 3]}\n"
    for number in range(40)
)
LOADER = """
Loader:
  people:
    filepath: people.csv
    hierarchies: {age: {ranges: [5, 10, 20]}, sex: {f: '*', m: '*'}}
    roles:
      identifier: [id]
      quasi_identifier: [age, sex]
      sensitive_attribute: [illness]
"""
RUN = "Loader[people]_Anonymizer[{}]_Evaluator[k]"


def executor(folder: Path, text: str) -> Executor:
    (folder / "people.csv").write_text(PEOPLE)
    path = folder / "audit.yaml"
    path.write_text(LOADER + text)
    return Executor(path, out=folder / "out")


def test_several_settings_are_experiments_and_the_gate_judges_each(tmp_path: Path) -> None:
    text = """
Anonymizer:
  loose: {limits: {k-anonymity: 2}}
  tight: {limits: {k-anonymity: 10}, recoding: global}
Evaluator:
  k: {method: k-anonymity, limit: 5}
  use: {method: granularity}
Reporter:
  data: {method: save_data, source: Anonymizer}
"""
    audit = executor(tmp_path, text)
    audit.run()
    by_run = {entry["run"]: entry for entry in audit.document["results"]}
    assert by_run[RUN.format("loose")]["status"] == "failed"
    assert by_run[RUN.format("tight")]["status"] == "passed"
    assert audit.document["exit_code"] == 1
    use = [by_run[RUN.format(name).replace("[k]", "[use]")]["value"] for name in ("loose", "tight")]
    assert use[0] > use[1] > 0
    written = (tmp_path / "out" / "petaudit_Loader[people]_Anonymizer[tight].csv").read_text()
    assert written.splitlines()[0] == "who;age;sex;illness"
    assert "A-1" not in written


def test_people_are_counted_and_their_column_is_not_written(tmp_path: Path) -> None:
    text = """
    person: who
Anonymizer:
  five: {limits: {k-anonymity: 5}}
Evaluator:
  k: {method: k-anonymity, limit: 5}
Reporter:
  data: {method: save_data, source: Anonymizer}
"""
    audit = executor(tmp_path, text)
    audit.run()
    assert audit.document["exit_code"] == 0, audit.document["errors"]
    written = (tmp_path / "out" / "petaudit_Loader[people]_Anonymizer[five].csv").read_text()
    assert written.splitlines()[0] == "age;sex;illness"


def test_measures_see_the_hierarchies_that_were_proposed(tmp_path: Path) -> None:
    text = """
Anonymizer:
  five: {limits: {k-anonymity: 5}}
Evaluator:
  use: {method: granularity}
"""
    executor(tmp_path, text)
    path = tmp_path / "audit.yaml"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if "hierarchies" not in line))
    audit = Executor(path, out=tmp_path / "out")
    audit.run()
    assert audit.document["errors"] == []
    assert 0 < audit.document["results"][0]["value"] < 1


def test_limits_that_no_release_keeps_fail_the_gate_as_they_fail_the_command(
    tmp_path: Path,
) -> None:
    """There is no table, so that no Evaluator has a figure: an answer, and not an open question."""
    text = """
Anonymizer:
  never: {limits: {k-anonymity: 500}}
Evaluator:
  k: {method: k-anonymity, limit: 5}
  use: {method: granularity}
"""
    audit = executor(tmp_path, text)
    assert audit.run() == "failed"
    document = audit.document
    assert (document["exit_code"], document["errors"]) == (1, [])
    for entry in document["results"]:
        assert (entry["status"], entry["value"]) == ("failed", None)
        assert "no levels keep the limits" in entry["reason"]
    kinds = [(breach["kind"], breach["line"]) for breach in document["breaches"]]
    assert kinds == [("no-release", 12)] * 2
    shown = " ".join(screen_text(view_of(document)).split())
    assert "Verdict: no release keeps the limits" in shown
    assert "the coarsest levels k-anonymity breaks for 40 rows (possible there: 40)" in shown
    for name in ("audit.html", "audit.md", "audit.sarif", "audit.xml"):
        report(document, tmp_path / name)
        assert "no levels keep the limits" in (tmp_path / name).read_text()
    # Going on later, and an earlier result of this run, change nothing about it.
    again = Executor(tmp_path / "audit.yaml", out=tmp_path / "out", resume=True)
    assert again.run() == "failed"
    compared = Executor(
        tmp_path / "audit.yaml",
        out=tmp_path / "later",
        overrides=[f"Executor.compare_to={tmp_path / 'out' / 'result.json'}"],
    )
    assert (compared.run(), compared.document["errors"]) == ("failed", [])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Splitter:\n  s: {}\nAnonymizer:\n  a: {limits: {k-anonymity: 2}}\n", "leave out modules"),
        ("Anonymizer:\n  a: {}\n", "limits"),
        ("Anonymizer:\n  a: {limits: {k-anonymity: 2}, recoding: lokal}\n", "local"),
        ("Anonymizer:\n  a: {limits: {k-anonymity: 2}, objektive: loss}\n", "objective"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(PetauditError, match=message) as problem:
        executor(tmp_path, text + "Evaluator:\n  k: {method: k-anonymity, limit: 5}\n").run()
    assert "audit.yaml, line" in str(problem.value)
