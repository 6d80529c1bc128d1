"""One file for roles: what init writes serves check, generalize, run and Python alike."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import petaudit
from petaudit.errors import OptionError, RoleError

Run = Callable[..., Any]
Write = Callable[[str, "str | bytes"], Path]

AUDIT = """
Loader:
  people:
    filepath: people.csv
    encoding: big5
    delimiter: "|"
    person: 病歷號
    hierarchies: {年齡: {ranges: [10]}}
    roles:
      identifier: [病歷號]
      quasi_identifier: [年齡]
      sensitive_attribute: [診斷]
Evaluator:
  classes: {method: k-anonymity, limit: 2}
"""
# Two rows of one person: a class of two rows and one person.
ROWS = "病歷號|年齡|診斷\nA1|23|流感\nA1|23|氣喘\nA2|41|流感\nA3|41|氣喘\n"


@pytest.fixture
def audit_file(write: Write) -> Path:
    write("people.csv", ROWS.encode("big5"))
    return write("audit.yaml", AUDIT)


def figures(document: Any) -> dict[str, Any]:
    return {
        entry["measure"]: entry["value"]
        for entry in document["results"]
        if entry["status"] != "error"
    }


def test_check_run_and_python_give_one_figure(run: Run, audit_file: Path) -> None:
    done = run("check", "people.csv", "--roles", "audit.yaml", "--k", "2", "--format", "json")
    document = json.loads(done.out)
    assert figures(document)["k-anonymity"] == 1
    assert document["options"]["person"] == "病歷號"
    assert figures(petaudit.audit("people.csv", roles=audit_file).to_dict()) == figures(document)
    assert petaudit.k_anonymity("people.csv", roles="audit.yaml").value == 1
    ran = run("run", "audit.yaml", "--format", "json")
    assert {entry["value"] for entry in json.loads(ran.out)["results"]} == {1}


def test_generalize_takes_roles_hierarchies_and_reading(run: Run, audit_file: Path) -> None:
    done = run("generalize", "people.csv", "--roles", "audit.yaml", "--levels", "年齡=1")
    assert done.code == 0
    assert done.out.splitlines()[1] == "[20,30[|流感"


def test_mpuccs_takes_reading_and_person(run: Run, write: Write, audit_file: Path) -> None:
    """A column of the file that a synthetic table lacks is no error: no role changes the search."""
    for name in ("people.csv", "made.csv"):
        write(name, ROWS.replace("診斷", "病名").encode("big5"))
    done = run("mpuccs", "people.csv", "made.csv", "--roles", "audit.yaml", "--format", "json")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert document["roles"] == {"病歷號": "identifier", "年齡": "quasi_identifier"}
    assert document["options"]["options"]["mpuccs"]["person"] == "病歷號"


def test_identifiers_may_have_been_removed_since(run: Run, write: Write, audit_file: Path) -> None:
    """As the file itself advises; whatever else it names must be there."""
    write("audit.yaml", AUDIT.replace("    person: 病歷號\n", ""))
    write("released.csv", "年齡|診斷\n23|流感\n23|氣喘\n".encode("big5"))
    done = run("check", "released.csv", "--roles", "audit.yaml", "--format", "json")
    assert figures(json.loads(done.out))["k-anonymity"] == 2
    write("released.csv", "病歷號|診斷\n23|流感\n23|氣喘\n".encode("big5"))
    done = run("check", "released.csv", "--roles", "audit.yaml")
    assert done.code == 2
    assert "audit.yaml: unknown column '年齡'" in done.err


def test_the_file_beside_the_table_needs_no_option(run: Run, audit_file: Path) -> None:
    audit_file.rename("people.yaml")
    done = run("check", "people.csv", "--format", "json")
    assert figures(json.loads(done.out))["k-anonymity"] == 1
    works = run("run", "people.yaml", "--format", "json")
    assert works.code == 1


def test_what_is_given_wins_over_the_file(run: Run, write: Write, audit_file: Path) -> None:
    write("people.csv", ROWS.replace("|", ";"))
    given = ("check", "people.csv", "--roles", "audit.yaml", "--format", "json")
    assert run(*given).code == 2
    done = run(*given, "--delimiter", ";", "--encoding", "utf-8", "--person", "診斷")
    assert json.loads(done.out or "{}").get("person") is None
    assert "'診斷' is named as the person and as sensitive_attribute" in done.err
    plain = run(*given, "--delimiter", ";", "--encoding", "utf-8")
    assert figures(json.loads(plain.out))["k-anonymity"] == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--roles", "none.yaml"], "none.yaml"),
        (["--roles", "audit.yaml", "--qi", "年齡"], "--roles names a file"),
        (["--roles", "empty.yaml"], "empty.yaml: it names no roles"),
        (["--roles", "people.csv"], "people.csv"),
        (["--roles", "wrong.yaml"], "wrong.yaml: unknown column 'age'"),
    ],
)
def test_a_roles_file_that_does_not_serve(
    run: Run, write: Write, audit_file: Path, arguments: list[str], said: str
) -> None:
    write("empty.yaml", "Loader: {people: {filepath: people.csv, encoding: big5}}\n")
    write("wrong.yaml", AUDIT.replace("[年齡]", "[age]"))
    done = run("check", "people.csv", *arguments)
    assert done.code == 2
    assert said in done.err


def test_python_takes_one_way_of_naming_roles(audit_file: Path) -> None:
    with pytest.raises(OptionError, match="either as one mapping or as lists"):
        petaudit.k_anonymity("people.csv", roles=audit_file, quasi_identifiers=["年齡"])
    audit_file.write_text("Evaluator: {}\n", encoding="utf-8")
    with pytest.raises(RoleError, match="the file has no Loader"):
        petaudit.k_anonymity("people.csv", roles=audit_file)
